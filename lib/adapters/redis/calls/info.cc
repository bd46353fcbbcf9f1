// This is what a filter in Redis tells of itself. A sample of its blocks says how full it is.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "lib/adapters/redis/calls/filter_state.h"
#include "lib/adapters/redis/calls/sample.h"
#include "lib/adapters/redis/calls/sentences.h"
#include "linefilter/remote_body.h"
#include "linefilter/sizing.h"

namespace linefilter {

namespace redis_internal {
namespace {

constexpr uint64_t kSampleBytes = uint64_t{1} << 20;  // of all stages together; some 0.1 s through a slow network

// A filter that grows has room for all its stages' keys.
uint64_t CapacityOf(const Header& header, const Generation& generation) {
  const BodyFacts facts = FactsOf(header, generation);
  uint64_t capacity = 0;
  for (uint32_t i = 0; i < facts.num_stages; ++i) {
    const uint64_t of_stage = CapacityOfStage(facts, i);
    capacity = capacity > UINT64_MAX - of_stage ? UINT64_MAX : capacity + of_stage;
  }
  return capacity != 0 ? capacity : generation.num_keys;
}

// What the header record tells of a generation.
RedisInfo FactsOfRecord(const Header& header, const Generation& generation) {
  RedisInfo told;
  told.layout = generation.layout;
  told.hash_id = header.hash_id;
  told.seed = header.seed;
  told.num_probes = generation.num_probes;
  told.num_stages = static_cast<uint32_t>(generation.stages.size());
  told.capacity = CapacityOf(header, generation);
  told.num_blocks = generation.num_blocks();
  told.body_bytes = generation.body_bytes;
  for (const Generation::Part& part : generation.parts())
    told.shard_bytes = std::max(told.shard_bytes, part.shard_bytes);
  told.num_shards = generation.num_shards();
  told.followed_keys = header.followed_keys;
  told.generation = generation.id;
  told.next_generation = header.next.id;
  told.previous_generation = header.previous.id;
  told.version = header.version;
  return told;
}

Status Info(FilterRecord* record, RedisInfo* info) {
  Batch& batch = record->batch();
  for (int tries = 0; tries < kMostGenerations; ++tries) {
    Status status = record->ReadHeader();
    if (!status.ok()) return status;
    const Generation& generation = record->current().generation;
    const std::vector<Part> parts = PartsOf(generation);
    double fpr = 0, fill = 0, keys = 0, variance = 0;
    uint64_t sampled = 0;
    std::vector<uint32_t> lost;
    bool newer = false;
    for (const Part& part : parts) {
      Sample sample(record->current(), record->header().version);
      batch.Clear();
      // A small stage needs no large sample; a large one has its share.
      sample.AddTo(&batch, part, kSampleBytes / parts.size());
      status = record->router().Run(batch, &sample);
      if (!status.ok()) return status;
      newer = newer || sample.AnyNewer();
      for (const uint32_t shard : sample.LostShards()) lost.push_back(shard);
      const std::string bytes = sample.Bytes();
      Judgement of_part;
      if (!bytes.empty()) status = Judge(bytes, part, &of_part);
      if (!status.ok()) return status;
      fpr += (1 - fpr) * of_part.fpr;  // not 1 minus the product of 1 - p, which is 0 for the smallest p
      fill += of_part.fill * (static_cast<double>(part.bytes) / static_cast<double>(generation.body_bytes));
      keys += of_part.size.keys;
      variance += of_part.size.error * of_part.size.error;
      sampled += bytes.size();
    }
    if (newer || !lost.empty()) {
      bool changed;
      status = record->ReadHeaderAgain(newer, &changed);
      if (!status.ok()) return status;
      if (changed) continue;
    }
    TimeToLive left;
    status = record->ReadTimeToLive(&left);
    if (!status.ok()) return status;

    std::sort(lost.begin(), lost.end());
    RedisInfo told = FactsOfRecord(record->header(), generation);
    told.expires_in_ms = left.ms == TimeToLive::kForEver ? -1 : std::max<int64_t>(left.ms, 0);
    told.num_masters = static_cast<uint32_t>(record->router().num_masters());
    told.cluster = record->router().is_cluster();
    told.num_lost_shards = static_cast<uint64_t>(std::unique(lost.begin(), lost.end()) - lost.begin());
    told.sampled_bytes = sampled;
    told.fill_ratio = fill;
    told.approximate_size = {keys, std::sqrt(variance)};
    told.expected_fpr = told.num_lost_shards != 0 ? 1 : fpr;
    *info = told;
    return Status();
  }
  return TooManyGenerations(record->name());
}

}  // namespace
}  // namespace redis_internal

uint64_t RedisInfo::RoomFor(double fpr) const noexcept {
  if (!FactsOf(layout).takes_keys) return 0;
  if (fpr >= 1) return UINT64_MAX;
  if (!(expected_fpr < fpr)) return 0;
  const uint64_t most = MaxKeysForFpr(layout, body_bytes, fpr, num_probes);
  return approximate_size.keys < static_cast<double>(most) ? most - static_cast<uint64_t>(approximate_size.keys) : 0;
}

bool RedisInfo::OverCapacity() const noexcept { return capacity != 0 && approximate_size.IsAbove(capacity); }

Status RedisFilter::Info(RedisInfo* info) noexcept {
  *info = RedisInfo();
  return redis_internal::Guarded(
      state_, redis_internal::AdminCall(RedisVerb::kInfo),
      [&](redis_internal::FilterState* state) { return redis_internal::Info(&state->record, info); });
}

}  // namespace linefilter
