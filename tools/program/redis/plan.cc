#include "tools/program/redis/plan.h"

#include <algorithm>
#include <cmath>

namespace linefilter::tools {
namespace {

constexpr double kTcpShare = 1.05;                // long runs of packets have so much over what is in them
constexpr double kCheckReplyBytes = 24;           // a mark
constexpr uint64_t kStringHeaderBytes = 10;       // that of Redis' strings of that size, and a NUL
constexpr uint64_t kMostKeys = 1000000000000000;  // beyond, bytes are no longer counted exactly

constexpr uint64_t kEachMaster = 1 << 20;  // a thousand clusters; a plan takes 0.2 s at most

uint64_t CeilOf(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// Tells how likely an absent key has the whole hash of one of the keys of all filters but its own. The hash chooses the
// filter, so that key is in the same one, whose own rate knows nothing of it. In a filter of all 2^32 blocks it stands
// for the keys that it has alone.
double FprOfOtherFilters(const RedisPlanRequest& request, uint64_t filters) {
  const double keys = static_cast<double>(request.num_keys);
  return (keys - keys / static_cast<double>(filters)) / 18446744073709551616.0;
}

// This is the limit for very many filters.
double FprOfEqualHashes(const RedisPlanRequest& request) { return FprOfOtherFilters(request, ~uint64_t{0}); }

Status NoSuchRate(const RedisPlanRequest& request) {
  return Status::Error(StatusCode::kInvalidArgument,
                       "fpr is %g: so many keys agree in the whole 64-bit hash with an absent one with probability "
                       "%.3g, and layout blocked does not reach the rest: ask for a higher fpr, or plan fewer keys",
                       request.fpr, FprOfEqualHashes(request));
}

// Sizes plan->filters filters, each with what the keys of the others leave of the rate.
Status SizeEach(const RedisPlanRequest& request, RedisPlan* plan) {
  const uint64_t num_keys = CeilOf(request.num_keys, plan->filters);
  const double others = FprOfOtherFilters(request, plan->filters), rest = (request.fpr - others) / (1 - others);
  if (request.fpr != 0 && plan->filters > 1 && rest < FprForBitsPerKey(Layout::kBlocked, kMaxBitsPerKey)) {
    return NoSuchRate(request);
  }
  const Status status = request.fpr != 0
                            ? SizeForFpr(Layout::kBlocked, num_keys, rest, &plan->sizing)
                            : SizeForBitsPerKey(Layout::kBlocked, num_keys, request.bits_per_key, &plan->sizing);
  plan->expected_fpr = others + (1 - others) * plan->sizing.expected_fpr;
  return status;
}

// Tells how many filters the keys fill, each of 2^32 blocks, if each of as many as `filters` has what the others leave
// of the rate.
uint64_t FiltersToFill(const RedisPlanRequest& request, uint64_t filters) {
  const double others = std::min(0.5, FprOfOtherFilters(request, filters));
  const double rest = std::max(1e-12, (request.fpr - others) / (1 - others));
  const double bits = request.fpr != 0 ? BitsPerKeyForFpr(Layout::kBlocked, rest) : request.bits_per_key;
  const double blocks = std::max(bits, kMinBitsPerKey) * static_cast<double>(request.num_keys) / 512;
  return std::max<uint64_t>(1, static_cast<uint64_t>(blocks / 4294967296.0));
}

// This finds the least number of filters. Fewer filters leave each more of the rate. So the number begins very high and
// falls, by up to 14 % after the first round, until the keys fill that many.
Status SizeFilters(const RedisPlanRequest& request, RedisPlan* plan) {
  if (request.fpr > 0 && request.fpr < FprOfEqualHashes(request)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "fpr is %g: one of so many keys has the same 64-bit hash as an absent key with probability "
                         "%.3g, and no filter can tell these apart: ask for a higher fpr, or for fewer keys",
                         request.fpr, FprOfEqualHashes(request));
  }
  RedisPlanRequest of_one = request;
  of_one.num_keys = 1;
  Status status = SizeEach(of_one, plan);  // is the rate one that there is?
  if (!status.ok()) return status;
  plan->filters = ~uint64_t{0};
  for (int rounds = 0; rounds < 8; ++rounds) plan->filters = FiltersToFill(request, plan->filters);
  for (int tries = 0; tries < 3; ++tries, ++plan->filters) {
    status = SizeEach(request, plan);
    if (status.ok()) return status;
  }
  return status;
}

// A shard of so many bits counts so much against maxmemory.
double MemoryOf(uint64_t bytes) {
  return static_cast<double>(AllocatedBytes(bytes + kPlanMarkBytes + kStringHeaderBytes) + kPlanKeyBytes);
}

// Makes the shards as RedisFilter makes them on so many masters; returns what they count together.
double Divide(const RedisPlanRequest& request, uint64_t masters, RedisPlan* plan) {
  const uint64_t body = plan->sizing.body_bytes;
  uint64_t bytes = request.shard_bytes != 0 ? 64 * CeilOf(request.shard_bytes, 64) : 64 * kPlanShardBlocks;
  if (masters > 1 && request.shard_bytes == 0) {
    const uint64_t share = 64 * CeilOf(body / (kPlanShardsPerMaster * masters) + 1, 64);
    bytes = std::min(bytes, std::max(share, 64 * kPlanLeastShardBlocks));
  }
  bytes = std::min(bytes, body);
  const uint64_t shards = CeilOf(body, bytes);  // the last one has what is left
  plan->shards = plan->filters * shards;
  plan->shard_bytes = bytes;
  return static_cast<double>(plan->filters) *
         (static_cast<double>(shards - 1) * MemoryOf(bytes) + MemoryOf(body - (shards - 1) * bytes));
}

// The most shards that one of the masters is likely to have: the mean and, for the largest of so many, sqrt(2 ln)
// standard deviations.
uint64_t OfTheFullest(uint64_t shards, uint64_t masters) {
  if (masters == 1) return shards;
  const double mean = static_cast<double>(shards) / static_cast<double>(masters);
  const double more = std::sqrt(2 * mean * std::log(static_cast<double>(masters)));
  return std::min(shards, static_cast<uint64_t>(std::ceil(mean + more)));
}

// Tells into how many of `parts` a batch falls, on average.
double PartsOf(double batch, double parts) {
  return parts == 1 ? 1 : parts * -std::expm1(batch * std::log1p(-1 / parts));
}

struct Excess {  // above 1: too much
  double share = 0;
  const char* what = "";
  void Consider(double candidate, const char* name) {
    if (candidate > share) *this = {candidate, name};
  }
};

// Fills in all that depends on the number of masters; returns how far the fullest of them is from its limits.
Excess Load(const RedisPlanRequest& request, uint64_t masters, RedisPlan* plan) {
  const RedisRates& rates = request.rates;
  plan->masters = masters;
  const double generations = request.rebuild ? 2 : 1;
  plan->memory_bytes = generations * Divide(request, masters, plan);
  const double shard = MemoryOf(plan->shard_bytes);

  const double shards = static_cast<double>(plan->shards), batch = static_cast<double>(plan->batch);
  plan->checks_per_key = PartsOf(batch, shards) / batch;

  plan->shards_of_node = OfTheFullest(plan->shards, masters);
  const double part = static_cast<double>(plan->shards_of_node) / shards;
  const double lookups = part * static_cast<double>(request.lookups);
  // While a rebuild goes on, each goes into both generations.
  const double inserts = part * generations * static_cast<double>(request.inserts);
  plan->data_of_node = part * plan->memory_bytes;
  plan->copied_share = -std::expm1(-inserts * kPlanPageBytes / kPlanSaveBytesPerSecond);
  plan->memory_of_node = kPlanNodeBytes + kPlanLoadShards * shard + plan->data_of_node * (1 + plan->copied_share);

  const double checks = plan->checks_per_key * (lookups + inserts);
  // A batch is divided among filters and masters. Each part is a write of its own, which costs what a key alone costs
  // more than one of many, less what its caller only waits.
  const double writes_per_key =
      PartsOf(batch, static_cast<double>(plan->filters) * static_cast<double>(masters)) / batch;
  plan->keys_per_write = 1 / writes_per_key;
  const double measured = 1 / static_cast<double>(rates.batch);  // the pipelined rates' one; they pay for it already
  const auto write_costs = [&](double sync, double pipelined) {
    return std::max(0.0, writes_per_key - measured) * std::clamp(1 / sync - 1 / pipelined, 0.0, kPlanWriteSeconds);
  };
  plan->seconds_per_lookup = 1 / rates.lookups_pipelined + write_costs(rates.lookups_sync, rates.lookups_pipelined);
  plan->seconds_per_insert = 1 / rates.inserts_pipelined + write_costs(rates.inserts_sync, rates.inserts_pipelined);
  plan->time_share =
      lookups * plan->seconds_per_lookup + checks / rates.lookups_pipelined + inserts * plan->seconds_per_insert;
  const double bits_set = inserts * plan->sizing.num_probes, written = bits_set * kPlanInsertBytesPerProbe;
  const double streamed = static_cast<double>(request.replicas) * written;
  plan->bits_in = 8 * kTcpShare * ((lookups + checks) * kPlanLookupRequestBytes + written);
  plan->bits_out = 8 * kTcpShare *
                   (lookups * kPlanLookupReplyBytes + checks * kCheckReplyBytes +
                    bits_set * kPlanInsertReplyBytesPerProbe + streamed);
  plan->disk_bytes = written;  // an AOF takes commands down as they come
  Excess excess;
  excess.Consider(plan->memory_of_node / (kPlanMemoryShare * 1e9 * request.node_gb), "memory");
  excess.Consider(plan->time_share / kPlanTimeShare, "time of Redis' thread");
  excess.Consider(std::max(plan->bits_in, plan->bits_out) / (kPlanNetworkShare * 1e9 * request.gigabits), "network");
  return excess;
}

// Chooses as few as bear it. Shards are whole and their number follows that of the masters, so one master more may be
// worse than one less, and no bisection finds the fewest. They are tried one after another, above kEachMaster in steps
// that are such a part of them.
Status ChooseMasters(const RedisPlanRequest& request, RedisPlan* plan) {
  const uint64_t least_shard = request.shard_bytes != 0 ? request.shard_bytes : 64 * kPlanLeastShardBlocks;
  const double most_shards = plan->body_bytes / static_cast<double>(least_shard) + static_cast<double>(plan->filters);
  Excess excess = Load(request, 1, plan);
  plan->bound_by = "nothing: one server does";
  uint64_t masters = kPlanLeastMasters;
  while (excess.share > 1) {
    plan->bound_by = excess.what;
    excess = Load(request, masters, plan);
    if (excess.share > 1 && masters > plan->shards) {
      return Status::Error(
          StatusCode::kInvalidArgument,
          "so much traffic needs more masters than the filter has shards of %llu bytes: keep local copies of "
          "it (`linefilter redis dump`) and ask these",
          static_cast<unsigned long long>(least_shard));
    }
    // Far away, the share shrinks as the masters grow, but for the rounding of shards, which doubles it at most.
    const double far = std::min(0.5 * excess.share * static_cast<double>(masters), most_shards + 1);
    masters = std::max(masters + 1 + masters / kEachMaster, static_cast<uint64_t>(far));
  }
  return Status();
}

}  // namespace

uint64_t AllocatedBytes(uint64_t bytes) {
  if (bytes <= 16384) return (bytes + 2047) / 2048 * 2048;  // finer in truth; nobody has such shards
  uint64_t power = 16384;
  while (2 * power < bytes) power *= 2;
  return CeilOf(bytes, power / 4) * (power / 4);
}

Status PlanRedis(const RedisPlanRequest& request, RedisPlan* plan) {
  const auto refuse = [](const char* what) { return Status::Error(StatusCode::kInvalidArgument, "%s", what); };
  if (request.num_keys == 0) return refuse("a filter of 0 keys needs no plan: give how many keys there will be");
  if (request.num_keys > kMostKeys) return refuse("--num-keys is above 1e15, where plans end: plan a part of them");
  if (request.replicas > 100) return refuse("--replicas is above 100: give how many each master has, like 1 or 2");
  if (request.shard_bytes != 0 &&
      (request.shard_bytes < kPlanLeastShardBytes || request.shard_bytes > kPlanMostShardBytes)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "--shard-bytes %llu is outside 65536 to 536870848, the most that a string of Redis holds",
                         static_cast<unsigned long long>(request.shard_bytes));
  }
  if (!(request.gigabits > 0))
    return refuse("--gigabits must be above 0: the network of a node in 1e9 bits per second");
  if (request.lookups > kMostKeys || request.inserts > kMostKeys) {
    return refuse("more than 1e15 look-ups or inserts per second: give what comes in one second");
  }
  *plan = RedisPlan();
  plan->batch = request.batch != 0 ? request.batch : request.rates.batch;
  Status status = SizeFilters(request, plan);
  if (!status.ok()) return status;
  plan->body_bytes = static_cast<double>(plan->filters) * static_cast<double>(plan->sizing.body_bytes);
  const uint64_t largest = std::max(request.shard_bytes, 64 * kPlanShardBlocks);
  const double least = kPlanNodeBytes + (kPlanLoadShards + 1) * MemoryOf(largest);
  if (!(kPlanMemoryShare * 1e9 * request.node_gb >= 2 * least)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "--node-gb %g is too small for shards of %llu bytes: give at least %.1f", request.node_gb,
                         static_cast<unsigned long long>(largest), std::ceil(20 * least / kPlanMemoryShare / 1e9) / 10);
  }
  status = ChooseMasters(request, plan);
  if (!status.ok()) return status;
  plan->nodes = plan->masters * (1 + request.replicas);
  plan->clusters = CeilOf(plan->nodes, kPlanMostNodes);
  plan->pipelined_clients = static_cast<double>(request.lookups) * plan->seconds_per_lookup +
                            static_cast<double>(request.inserts) * plan->seconds_per_insert;
  plan->synchronous_callers = static_cast<double>(request.lookups) / request.rates.lookups_sync +
                              static_cast<double>(request.inserts) / request.rates.inserts_sync;
  return Status();
}

}  // namespace linefilter::tools
