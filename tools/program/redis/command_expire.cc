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
  uint64_t after_ms = 0;
  SecretOption secret;
  bool never = false, json = false;
};

// It is false after saying why: the filter would be gone at once, or it is a slip.
bool CheckLifetime(uint64_t ms) {
  constexpr uint64_t kMost = 3153600000000;
  if (ms == 0) Fail("redis expire: --after 0 would be gone at once: give a time like 30s or 2h, or --never");
  if (ms > kMost) Fail("redis expire: --after is above a hundred years: give --never");
  return ms != 0 && ms <= kMost;
}

int RunExpire(const ExpireOptions& options) {
  if (!options.never && !CheckLifetime(options.after_ms)) return kExitBad;
  RedisFilter filter;
  if (const int failed = OpenFilter("expire", options.server, options.name, options.secret, &filter);
      failed != kExitGood)
    return failed;
  const Status status = filter.Expire(options.after_ms);
  if (!status.ok()) return FailRedis("expire", options.name, status);
  Report report;
  report.Text("filter", options.name);
  report.Bool("expires", !options.never);
  if (!options.never) report.Count("expires_in_ms", options.after_ms);
  report.Print(options.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto options = std::make_shared<ExpireOptions>();
  DeclareFilterName(&arguments, &options->name);
  arguments.Duration("--after", &options->after_ms, "The filter goes so long from now: 90 (seconds), 30s, 5m, 2h, 7d");
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
    "Exit code: 0 it is set, 2 it is not, or not of all its parts: do it again, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
