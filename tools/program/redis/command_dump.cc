// linefilter redis dump writes the image of a filter in Redis, to be asked here.
#include <memory>

#include "tools/program/images.h"
#include "tools/program/output.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Dump {
  ServerOptions server;
  std::string name, out;
  SecretOption secret;
  bool json = false;
};

int RunDump(const Dump& dump) {
  std::string reason;
  if (!CanCreate(dump.out, &reason)) return Fail("redis dump: --out %s %s", dump.out.c_str(), reason.c_str());
  RedisFilter filter;
  if (const int failed = OpenFilter("dump", dump.server, dump.name, dump.secret, &filter); failed != kExitGood)
    return failed;
  Image made;
  const Status status = WriteImage(
      dump.out, "reading from Redis", filter.ImageBytes(), dump.secret.OrNull(),
      [&filter](const Sink& sink) { return filter.WriteImage(sink); }, &made);
  if (!status.ok()) return FailRedis("dump", dump.name, status);
  Report report;
  report.Text("filter", dump.name);
  report.Text("image", dump.out);
  ReportImage(made.view(), &report);
  report.Print(dump.json, ReportStream(dump.out));
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto dump = std::make_shared<Dump>();
  DeclareFilterName(&arguments, &dump->name);
  DeclareOut(&arguments, &dump->out);
  arguments.Secret(&dump->secret, SecretUse::kAsk);
  DeclareServer(&arguments, ServerUse::kAsk, &dump->server);
  arguments.Json(&dump->json);
  return [dump] { return RunDump(*dump); };
}

}  // namespace

const Command kRedisDumpCommand = {
    "dump", "Write the image of a filter in Redis",
    "The image has every key that was acknowledged before; of those that are added meanwhile it may have some. It is\n"
    "asked by `linefilter query`, many million times a second, and \"absent\" is true of the moment it was made.\n"
    "A keyed filter demands its --secret, and so does the image whenever it is asked.\n" REPLICA_NOTES
    "Exit code: 0 the image is written, 2 it is not, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
