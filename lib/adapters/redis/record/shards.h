// This tells which of a generation's shards a byte of the body is in, and the mark at the end of each.
//
// The mark tells a shard from what an insertion makes of a missing key. It has 16 bytes behind the bits, 8 of magic and
// a version, u64 little-endian. A version above that of a reader's header record says that the record has changed.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_SHARDS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_SHARDS_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/wire/slot.h"
#include "linefilter/redis.h"
#include "linefilter/remote_body.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// Whether keys can be inserted into a body of it in Redis; one with stages takes them into the newest.
inline bool TakesInsertions(Layout layout) {
  const LayoutFacts facts = FactsOf(layout);
  return facts.takes_keys || facts.has_positions;
}
// Whether a key has no positions that Redis could set: its block is read, changed here and written back.
inline bool ChangesBlocks(Layout layout) { return TakesInsertions(layout) && !FactsOf(layout).has_positions; }
// Whether the union of two bodies of it is that of their bits.
inline bool UnitesByOr(Layout layout) { return FactsOf(layout).takes_keys && FactsOf(layout).has_positions; }

inline constexpr uint64_t kMarkBytes = 16;

// Makes the 16 bytes of a mark.
std::string MarkOf(uint64_t version);
// It is false if there is no mark (16 bytes with the magic), so that the shard is lost. Version 0 is no mark either. A
// shard being made has it (kFilledVersion), and no record names that; else a late `make` brought a lost shard back,
// empty.
bool ParseMark(std::string_view bytes, uint64_t* version);

// Insertions into a generation learn this for the next ones.
struct Learned {
  double bits_set = 16;                              // bits of a key that are set already
  double in_stages = 1;                              // the share of keys that older stages may have
  std::vector<bool> seen_whole;                      // for each shard: when it was last heard of; it need not be lately
  size_t num_whole = 0;                              // how many of these
  std::chrono::steady_clock::time_point last_whole;  // when any was
};

// A generation with the names of its shards.
struct Shards {
  Generation generation;
  BodyFacts facts;  // to ask its body: linefilter/remote_body.h
  std::vector<RedisKey> keys;
  std::vector<uint64_t> begins;  // where each shard begins in the body, and at the end body_bytes
  Learned learned;

  // The shard that a byte of the body is in.
  uint64_t ShardOfByte(uint64_t byte) const {
    if (keys.size() == 1) return 0;
    if (generation.stages.empty()) return byte / generation.shard_bytes;
    return static_cast<uint64_t>(std::upper_bound(begins.begin(), begins.end(), byte) - begins.begin()) - 1;
  }
  uint64_t BeginOfShard(uint64_t shard) const { return begins[static_cast<size_t>(shard)]; }
  // The bytes of the body in it, without the mark.
  uint64_t BytesOfShard(uint64_t shard) const { return BeginOfShard(shard + 1) - BeginOfShard(shard); }
  // The mark's place.
  uint64_t MarkOffset(uint64_t shard) const { return BytesOfShard(shard); }
};

// Whether stages are added to it when it is full.
inline bool Grows(const Shards& shards) { return CapacityOfStage(shards.facts, 0) != 0; }

BodyFacts FactsOf(const Header& header, const Generation& generation);
// Makes the shards; it may throw std::bad_alloc.
Shards ShardsOf(std::string_view name, const Header& header, const Generation& generation);

// Shards of blocks have 64 MiB less a block, because Redis' allocator (jemalloc) gives 80 MiB for 64 MiB and a mark.
inline constexpr uint64_t kMostShardBytes = (uint64_t{1} << 26) - 64;
// A shard has whole blocks, whatever the layout.
uint64_t RoundUpToBlocks(uint64_t bytes);
// Chooses shard_bytes for a body. It is kUnsupported for a `classic` one above Redis' longest string, and
// kInvalidArgument for a request that makes no sense, or more than kMaxShards.
Status ChooseShardBytes(Layout layout, uint64_t body_bytes, const RedisLayout& request, uint32_t num_masters,
                        uint64_t* shard_bytes);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_SHARDS_H_
