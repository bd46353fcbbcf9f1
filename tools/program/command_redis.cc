// linefilter redis works on filters in Redis and Redis Cluster; each of its commands is a file in tools/program/redis.
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#ifdef LINEFILTER_TOOLS_REDIS
#include "tools/program/redis/commands.h"
#endif

namespace linefilter::tools {
namespace {

#ifdef LINEFILTER_TOOLS_REDIS
constexpr char kNotes[] =
    "linefilter redis COMMAND --help explains a command.\n"
    "The filter is a header record under NAME and strings beside it, the shards: doc/REDIS.md. A password comes from\n"
    "the environment variable LINEFILTER_REDIS_PASSWORD or from --password-file, never from the command line.\n"
    "Exit codes: 0 good, 1 the answer is negative, 2 bad usage, bad file, or what Redis could not do,\n"
    "3 a server does not answer.";

std::function<int()> Declare(Arguments& arguments) {
  return arguments.Commands({&kRedisCreateCommand, &kRedisAddCommand, &kRedisQueryCommand, &kRedisInfoCommand,
                             &kRedisLoadCommand, &kRedisDumpCommand, &kRedisSwitchCommand, &kRedisExpireCommand,
                             &kRedisDeleteCommand, &kRedisBenchCommand});
}
#else
constexpr char kNotes[] =
    "This program was built without linefilter::redis, which needs hiredis (Debian and Ubuntu: libhiredis-dev):\n"
    "install that, run cmake again and build. `linefilter plan --redis` works without.";

std::function<int()> Declare(Arguments& arguments) {
  arguments.TakeAnything();
  return [] {
    return Fail(
        "redis: this program was built without linefilter::redis, which needs hiredis: install it (Debian and Ubuntu:\n"
        "libhiredis-dev), run cmake again and build");
  };
}
#endif

}  // namespace

const Command kRedisCommand = {"redis", "Make, fill, ask and measure filters in Redis and Redis Cluster", kNotes,
                               &Declare};

}  // namespace linefilter::tools
