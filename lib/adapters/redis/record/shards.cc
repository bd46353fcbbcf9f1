#include "lib/adapters/redis/record/shards.h"

#include <algorithm>
#include <cstring>

#include "lib/adapters/redis/record/names.h"
#include "lib/adapters/redis/record/u64.h"

namespace linefilter::redis_internal {
namespace {

constexpr char kMagic[] = "lfshard1";
constexpr char kGrowsByDoubling = 1;              // the first byte of such a growth field
constexpr uint64_t kLeastShardBytes = 64 * 1024;  // the least that is chosen here
constexpr uint64_t kShardsPerMaster = 4;          // so that slots can be moved to a new master one by one

// The record does not say whether an image told its num_keys or left it out. One without the field has zero, and so
// does a growing filter before its first key, when no stage has one.
bool TellsKeys(const Generation& generation) {
  if (FactsOf(generation.layout).takes_keys) return false;
  if (generation.num_keys != 0) return true;
  if (generation.growth.empty() || generation.growth[0] != kGrowsByDoubling) return false;
  return std::all_of(generation.stages.begin(), generation.stages.end(),
                     [](const Stage& stage) { return stage.num_keys == 0; });
}

constexpr uint64_t kBlock = kMostBlockBytes;  // a shard has whole ones, whatever the layout

}  // namespace

uint64_t RoundUpToBlocks(uint64_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

std::string MarkOf(uint64_t version) {
  std::string mark(kMagic, 8);
  AppendU64(version, &mark);
  return mark;
}

bool ParseMark(std::string_view bytes, uint64_t* version) {
  if (bytes.size() != kMarkBytes || memcmp(bytes.data(), kMagic, 8) != 0) return false;
  *version = U64At(bytes, 8);
  return *version != 0;
}

BodyFacts FactsOf(const Header& header, const Generation& generation) {
  BodyFacts facts;
  facts.layout = generation.layout;
  facts.hash_id = header.hash_id;
  facts.seed = header.seed;
  facts.num_probes = generation.num_probes;
  facts.body_bytes = generation.body_bytes;
  facts.has_num_keys = TellsKeys(generation);
  if (facts.has_num_keys) facts.num_keys = generation.num_keys;
  facts.num_stages = static_cast<uint32_t>(generation.stages.size());  // at most kMaxBodyStages: CheckGeneration
  for (uint32_t i = 0; i < facts.num_stages; ++i) {
    facts.stages[i].num_blocks = generation.stages[i].num_blocks;
    facts.stages[i].num_probes = generation.stages[i].num_probes;
    // The newest stage takes keys, which the one bits tell when an image is made, or nobody knows.
    const bool is_known = i + 1 != facts.num_stages || generation.newest_ones != kUnknownOnes;
    facts.stages[i].num_keys = is_known ? generation.stages[i].num_keys : 0;
  }
  facts.newest_ones = generation.newest_ones;
  facts.growth_bytes = static_cast<uint32_t>(generation.growth.size());
  memcpy(facts.growth, generation.growth.data(), generation.growth.size());
  return facts;
}

Shards ShardsOf(std::string_view name, const Header& header, const Generation& generation) {
  Shards shards;
  shards.generation = generation;
  shards.facts = FactsOf(header, generation);
  if (!generation.exists()) return shards;
  shards.keys.reserve(static_cast<size_t>(generation.num_shards()));  // at most kMaxShards
  shards.begins = {0};
  for (const Generation::Part& part : generation.parts()) {
    uint64_t left = part.bytes;
    for (uint64_t i = 0; left != 0; ++i) {
      const uint64_t bytes = std::min(left, part.shard_bytes);
      shards.keys.push_back(KeyOf(ShardName(name, part.id, i)));
      shards.begins.push_back(shards.begins.back() + bytes);
      left -= bytes;
    }
  }
  return shards;
}

Status ChooseShardBytes(Layout layout, uint64_t body_bytes, const RedisLayout& request, uint32_t num_masters,
                        uint64_t* shard_bytes) {
  const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
  if (FactsOf(layout).block_bytes == 0) {
    if (body_bytes > kMaxShardBytes) {
      return Status::Error(
          StatusCode::kUnsupported,
          "a classic filter of %llu bytes is more than a string of Redis holds (%llu): choose blocked, "
          "which is spread over several",
          number(body_bytes), number(kMaxShardBytes));
    }
    if (request.shard_bytes != 0 && request.shard_bytes < body_bytes) {
      return Status::Error(
          StatusCode::kInvalidArgument,
          "shard_bytes is %llu, and a classic filter of %llu bytes has one shard alone: leave it 0, or "
          "choose blocked",
          number(request.shard_bytes), number(body_bytes));
    }
    *shard_bytes = body_bytes;
    return Status();
  }
  constexpr uint64_t kMost = kMaxShardBytes / kBlock * kBlock;
  if (request.shard_bytes > kMost) {
    return Status::Error(
        StatusCode::kInvalidArgument,
        "shard_bytes is %llu, a string of Redis holds %llu bytes of blocks: choose less, or leave it 0",
        number(request.shard_bytes), number(kMost));
  }
  uint64_t bytes = RoundUpToBlocks(request.shard_bytes);
  if (bytes == 0) {
    bytes = kMostShardBytes;
    if (num_masters > 1) {
      const uint64_t share = RoundUpToBlocks(body_bytes / (kShardsPerMaster * num_masters) + 1);
      bytes = std::min(bytes, std::max(share, kLeastShardBytes));
    }
  }
  bytes = std::min(bytes, body_bytes);
  if ((body_bytes + bytes - 1) / bytes > kMaxShards) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "shard_bytes is %llu: a body of %llu bytes would have more than %llu shards: choose more, or "
                         "leave it 0",
                         number(request.shard_bytes), number(body_bytes), number(kMaxShards));
  }
  *shard_bytes = bytes;
  return Status();
}

}  // namespace linefilter::redis_internal
