// linefilter redis expire lets a filter go by itself, or no longer.
#include <memory>

#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct ExpireOptions {
  ServerOptions server;
  std::string name;
  uint64_t after_s = 0;
  SecretOption secret;
  bool never = false, json = false;
};

// It is false after saying why: the filter would be gone at once, or it is a slip.
bool CheckLifetime(uint64_t seconds) {
  constexpr uint64_t kMost = 3153600000;
  if (seconds == 0) Fail("redis expire: --after 0 would be gone at once: give a second at least, or --never");
  if (seconds > kMost) Fail("redis expire: --after is above a hundred years: give --never");
  return seconds != 0 && seconds <= kMost;
}

int RunExpire(const ExpireOptions& options) {
  if (!options.never && !CheckLifetime(options.after_s)) return kExitBad;
  RedisFilter filter;
  if (!OpenFilter("expire", options.server, options.name, options.secret, &filter)) return kExitBad;
  const Status status = filter.Expire(1000 * options.after_s);
  if (!status.ok()) return FailRedis("expire", options.name, status);
  Report report;
  report.Text("filter", options.name);
  report.Bool("expires", !options.never);
  if (!options.never) report.Count("expires_in_ms", 1000 * options.after_s);
  report.Print(options.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto options = std::make_shared<ExpireOptions>();
  DeclareFilterName(&arguments, &options->name);
  arguments.Count("--after", &options->after_s, "The filter goes after so many seconds from now");
  arguments.Flag("--never", &options->never, "It stays, whatever was said before");
  arguments.ExactlyOneOf({"--after", "--never"});
  arguments.Secret(&options->secret, SecretUse::kAsk);
  DeclareServer(&arguments, ServerUse::kOther, &options->server);
  arguments.Json(&options->json);
  return [options] { return RunExpire(*options); };
}

}  // namespace

const Command kRedisExpireCommand = {
    "expire", "Set when a filter in Redis goes by itself",
    "All of it goes then, at once, without any further call, and to whoever asks there is no filter of that NAME. To "
    "set\n"
    "it again begins anew; a generation that is begun ends with the filter. A keyed filter demands its --secret.\n"
    "Exit code: 0 it is set, 2 it is not, or not of all its parts: do it again.",
    &Declare};

}  // namespace linefilter::tools
