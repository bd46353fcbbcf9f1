// linefilter redis delete removes a filter and all that belongs to it.
#include <memory>

#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Delete {
  ServerOptions server;
  std::string name;
  bool json = false;
};

int RunDelete(const Delete& options) {
  RedisServers servers;
  if (!ReadyServers(options.server, &servers)) return kExitBad;
  const Status status = RedisFilter::Delete(servers, options.name);
  const bool found = status.code() != StatusCode::kNotFound;
  if (!status.ok() && found) return FailRedis("delete", options.name, status);
  Report report;
  report.Text("filter", options.name);
  report.Bool("deleted", found);
  report.Print(options.json);
  return found ? kExitGood : kExitNegative;
}

std::function<int()> Declare(Arguments& arguments) {
  auto options = std::make_shared<Delete>();
  DeclareFilterName(&arguments, &options->name);
  DeclareServer(&arguments, ServerUse::kOther, &options->server);
  arguments.Json(&options->json);
  return [options] { return RunDelete(*options); };
}

}  // namespace

const Command kRedisDeleteCommand = {
    "delete", "Remove a filter from Redis",
    "A key of that NAME that is no filter of ours is left alone (2). Exit code: 0 it is gone, 1 there was none, 2 it\n"
    "could not be removed, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
