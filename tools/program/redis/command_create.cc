// linefilter redis create makes an empty filter that any number of machines then fill and ask.
#include <memory>

#include "tools/measure/layouts.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Create {
  ServerOptions server;
  std::string name;
  uint64_t num_keys = 0;
  FilterOptions options;
  RedisLayout layout;
  SecretOption secret;
  bool json = false;
};

// The library's sentence does not know how an image is made and brought by hand.
std::string AdviceOf(const Create& create, const Status& status) {
  if (!IsBuiltAtOnce(create.options.layout) || status.code() != StatusCode::kIncompatible) return "";
  return std::string("`linefilter build --layout ") + LayoutName(create.options.layout) +
         "` makes the image of all keys, and `linefilter redis load` brings it.";
}

int RunCreate(const Create& create) {
  FilterOptions options = create.options;
  if (create.secret.is_given) {
    options.hash_id = HashId::kKeyed;
    options.secret = create.secret.secret;
  }
  RedisServers servers;
  if (!ReadyServers(create.server, &servers)) return kExitBad;
  RedisFilter filter;
  Status status = filter.Create(servers, create.name, create.num_keys, options, create.layout);
  if (!status.ok()) return FailRedis("create", create.name, status, AdviceOf(create, status));
  RedisInfo info;
  status = filter.Info(&info);
  if (!status.ok()) {
    Fail("redis create: filter %s is there, as asked: `linefilter redis info` tells about it (%s)",
         ShownName(create.name).c_str(), SentenceOf(create.name, status).c_str());
    return ExitOf(status);
  }
  Report report;
  ReportFilter(filter, &report);
  if (info.num_stages != 0) report.Count("num_stages", info.num_stages);
  report.Count("capacity", info.capacity);
  report.Count("shards", info.num_shards);
  report.Count("shard_bytes", info.shard_bytes);
  if (info.followed_keys != 0) report.Count("followed_keys", info.followed_keys);
  report.Bool("cluster", info.cluster);
  report.Print(create.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto create = std::make_shared<Create>();
  DeclareFilterName(&arguments, &create->name);
  arguments.Count("--num-keys", &create->num_keys, "How many keys there will be", Need::kRequired);
  arguments.Rate("--fpr", &create->options.fpr, "The highest acceptable false-positive rate, like 0.01");
  arguments.Real("--bits-per-key", &create->options.bits_per_key, "B", "Or the size, 1 to 64");
  arguments.ExactlyOneOf({"--fpr", "--bits-per-key"});
  arguments.LayoutName(&create->options.layout, true, "blocked by default", true);
  arguments.Removable(&create->options);
  arguments.Flag("--foldable", &create->options.foldable, "Blocks in a multiple of 64: dumps can be folded and merged");
  arguments.Seed(&create->options.seed, "Seed of the hash, 0 by default; filters asked with one hash must share it");
  arguments.Hash(&create->options.hash_id);
  arguments.Secret(&create->secret, SecretUse::kMake);
  arguments.AtMostOneOf("--seed", "--secret");
  arguments.AtMostOneOf("--hash", "--secret");
  arguments.AtMostOneOf("--hash", "--seed");
  arguments.Count("--shard-bytes", &create->layout.shard_bytes,
                  "Most bytes of one string of Redis; by default 64 MiB, less where a cluster has many nodes");
  arguments.Count("--followed", &create->layout.followed_keys,
                  "Keep about so many of the last insertions for those who follow it (RedisCachedFilter)");
  arguments.Flag("--grow", &create->layout.grows,
                 "It grows: --num-keys is for how many it has room at first, --fpr bounds its rate for ever");
  arguments.Count("--max-growth", &create->layout.max_growth,
                  "Of --grow: room for so many times --num-keys is enough, which takes less memory");
  DeclareServer(&arguments, ServerUse::kAdd, &create->server);
  arguments.Json(&create->json);
  return [create] { return RunCreate(*create); };
}

}  // namespace

const Command kRedisCreateCommand = {
    "create", "Make an empty filter in Redis",
    "Nothing is replaced: a NAME that is taken is refused. All that is asked of the filter later is read from there.\n"
    "An image of keys goes there by `linefilter redis load`; `linefilter redis expire` lets it go by\n"
    "itself.\n"
    "Exit code: 0 it is made, 2 it is not, or cannot be told of, which is said, 3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
