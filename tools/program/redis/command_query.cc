// linefilter redis query tells which keys may be in the set.
#include <memory>
#include <vector>

#include "tools/program/answers.h"
#include "tools/program/key_reader.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Query {
  ServerOptions server;
  std::string name;
  KeysOption keys;
  AnswerOptions answers;
  SecretOption secret;
};

int RunQuery(const Query& query) {
  if (!CanPrintAnswers("redis query", query.answers, query.keys)) return kExitBad;
  KeyReader reader;
  const Status opened = reader.Open(query.keys);
  if (!opened.ok()) return Fail("%s", opened.message());
  RedisFilter filter;
  if (const int failed = OpenFilter("query", query.server, query.name, query.secret, &filter); failed != kExitGood)
    return failed;
  Status status = filter.KeyStatus();
  if (!status.ok()) return FailRedis("query", query.name, status, AdviceOfReplica(query.server, status));
  std::vector<uint64_t> hashes;
  return AskKeys(&reader, query.keys, query.answers, [&](const std::vector<std::string_view>& keys, uint8_t* answers) {
    hashes.clear();
    for (const std::string_view& key : keys) hashes.push_back(filter.HashOf(key));
    status = filter.MayContainHashes(hashes.data(), hashes.size(), answers);
    if (status.ok()) return kExitGood;
    return FailRedis("query", query.name, status, AdviceOfReplica(query.server, status));
  });
}

std::function<int()> Declare(Arguments& arguments) {
  auto query = std::make_shared<Query>();
  DeclareFilterName(&arguments, &query->name);
  arguments.Keys(&query->keys);
  DeclareAnswers(&arguments, &query->answers);
  arguments.Secret(&query->secret, SecretUse::kAsk, &query->keys);
  DeclareServer(&arguments, ServerUse::kAsk, &query->server);
  return [query] { return RunQuery(*query); };
}

}  // namespace

const Command kRedisQueryCommand = {
    "query", "Ask a filter in Redis which keys may be in its set",
    KEYS_NOTES
    "Without --print, --count or --json: a line per key, \"maybe\" or \"absent\", a tab, the key. --json counts, as "
    "--count does.\n"
    "\"absent\" is never wrong. What Redis could not answer ends the command: no answer of that batch is "
    "printed.\n" REPLICA_NOTES
    "Exit code: 0 at least one key answered maybe, 1 none did (or there was none), 2 it could not be asked, 3 a\n"
    "server does not answer.",
    &Declare};

}  // namespace linefilter::tools
