// linefilter redis info shows what a filter in Redis tells about itself.
#include <memory>
#include <utility>
#include <vector>

#include "tools/program/images.h"
#include "tools/program/redis/commands.h"
#include "tools/program/redis/failure.h"
#include "tools/program/redis/servers.h"

namespace linefilter::tools {
namespace {

struct Info {
  ServerOptions server;
  std::string name;
  SecretOption secret;
  double fpr = 0;
  bool json = false;
};

// How each server did that this program asked: a server that is ill shows here, also where others answered for it.
void ReportNodes(const RedisFilter& filter, Report* report) {
  std::vector<Report> rows;
  for (size_t i = 0; i < filter.num_nodes(); ++i) {
    const RedisNode node = filter.node(i);
    Report row;
    row.Text("node", node.address);
    row.Text("breaker", node.is_open ? "open" : "closed");
    row.Count("failures", node.num_failures);
    row.Count("opened", node.num_opened);
    row.Count("rejected", node.num_rejected);
    rows.push_back(std::move(row));
  }
  report->Table("nodes", std::move(rows));
}

int RunInfo(const Info& options, bool with_fpr) {
  if (with_fpr && !IsWantedFpr("redis info", options.fpr)) return kExitBad;
  RedisFilter filter;
  if (const int failed = OpenFilter("info", options.server, options.name, options.secret, &filter); failed != kExitGood)
    return failed;
  RedisInfo info;
  const Status status = filter.Info(&info);
  if (!status.ok()) return FailRedis("info", options.name, status, AdviceOfReplica(options.server, status));
  Report report;
  ReportFilter(filter, &report);
  if (info.num_stages != 0) report.Count("num_stages", info.num_stages);
  ReportSize(info.capacity, info.approximate_size, info.OverCapacity(), &report);
  report.Rate("fill_ratio", info.fill_ratio);
  report.Rate("expected_fpr", info.expected_fpr);
  if (options.fpr > 0) {
    report.Rate("wanted_fpr", options.fpr);
    report.Count("room_for", info.RoomFor(options.fpr));
  }
  report.Count("sampled_bytes", info.sampled_bytes);
  report.Count("shards", info.num_shards);
  report.Count("shard_bytes", info.shard_bytes);
  if (info.followed_keys != 0) report.Count("followed_keys", info.followed_keys);
  report.Count("lost_shards", info.num_lost_shards);
  report.Text("generation", SecretCheckText(info.generation));
  if (info.next_generation != 0) report.Text("next_generation", SecretCheckText(info.next_generation));
  if (info.previous_generation != 0) report.Text("previous_generation", SecretCheckText(info.previous_generation));
  report.Count("version", info.version);
  if (info.expires_in_ms >= 0) report.Count("expires_in_ms", static_cast<uint64_t>(info.expires_in_ms));
  report.Bool("cluster", info.cluster);
  report.Count("masters", info.num_masters);
  ReportNodes(filter, &report);
  report.Print(options.json);
  if (info.num_lost_shards == 0) {
    if (info.OverCapacity()) WarnOfOverfull(ShownName(options.name), info.capacity, info.approximate_size);
    return kExitGood;
  }
  return Fail(
      "redis info: the server lost %llu of the shards of %s (evicted? flushed? restarted without persistence?): "
      "every key there answers maybe, none can be added; make it anew (redis switch, or delete and load)",
      static_cast<unsigned long long>(info.num_lost_shards), ShownName(options.name).c_str());
}

std::function<int()> Declare(Arguments& arguments) {
  auto info = std::make_shared<Info>();
  DeclareFilterName(&arguments, &info->name);
  arguments.Rate("--fpr", &info->fpr, "Tell how many more keys fit below this false-positive rate, like 0.01");
  arguments.Secret(&info->secret, SecretUse::kAsk);
  DeclareServer(&arguments, ServerUse::kAsk, &info->server);
  arguments.Json(&info->json);
  return [info, &arguments] { return RunInfo(*info, arguments.Given("--fpr")); };
}

}  // namespace

const Command kRedisInfoCommand = {
    "info", "Show all that a filter in Redis tells about itself",
    "approximate_size, fill_ratio and expected_fpr are those of sampled_bytes of its bits, spread over all of them;\n"
    "size_error is the standard error. capacity: the keys that it was made for. A warning tells of a filter with "
    "more.\n"
    "--fpr P: room_for tells how many more keys it takes until its rate is P.\n"
    "nodes: the servers that were asked just now; a breaker that is open keeps requests from one that is ill.\n"
    "A keyed filter demands its --secret, though no key is asked.\n" REPLICA_NOTES
    "Exit code: 0 good, 2 it cannot be read, or the server lost a part of it (the report says how many shards),\n"
    "3 a server does not answer.",
    &Declare};

}  // namespace linefilter::tools
