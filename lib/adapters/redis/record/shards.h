// A generation's shards: which one a byte of the body is in, and the mark at the end of each.
//
// The mark tells a shard from what an insertion makes of a missing key: 16 bytes behind the bits, 8 of magic and a
// version, u64 little-endian. A version above that of a reader's header record says that the record has changed.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_SHARDS_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_SHARDS_H_

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

// Can keys be inserted into a body of it in Redis? Into the newest stage of one with stages.
inline bool TakesInsertions(Layout layout) { return FactsOf(layout).bits_of_position != 0; }
// Is the union of two bodies of it that of their bits?
inline bool UnitesByOr(Layout layout) { return FactsOf(layout).takes_keys && FactsOf(layout).bits_of_position == 1; }

inline constexpr uint64_t kMarkBytes = 16;

// 16 bytes of a mark.
std::string MarkOf(uint64_t version);
// False: no mark (16 bytes with the magic), so the shard is lost. Neither is version 0 one: that is of a shard being
// made (kFilledVersion), and no record names it; if one does, a `make` that came late brought a lost shard back, empty.
bool ParseMark(std::string_view bytes, uint64_t* version);

// What insertions into a generation learn for the next ones.
struct Learned {
  double bits_set = 16;                              // of a key, already
  std::vector<bool> seen_whole;                      // of each shard: when it was last heard of; it need not be lately
  size_t num_whole = 0;                              // of these
  std::chrono::steady_clock::time_point last_whole;  // when any was
};

// A generation with the names of its shards.
struct Shards {
  Generation generation;
  BodyFacts facts;  // to ask its body: linefilter/remote_body.h
  std::vector<RedisKey> keys;
  Learned learned;

  // Where a byte of the body is.
  uint64_t ShardOfByte(uint64_t byte) const { return keys.size() == 1 ? 0 : byte / generation.shard_bytes; }
  uint64_t OffsetOfByte(uint64_t byte) const { return keys.size() == 1 ? byte : byte % generation.shard_bytes; }
  // The mark's place.
  uint64_t MarkOffset(uint64_t shard) const { return generation.BytesOfShard(shard); }
};

BodyFacts FactsOf(const Header& header, const Generation& generation);
// May throw std::bad_alloc.
Shards ShardsOf(std::string_view name, const Header& header, const Generation& generation);

// Of blocks: 64 MiB less a block, because Redis' allocator (jemalloc) gives 80 MiB for 64 MiB and a mark.
inline constexpr uint64_t kMostShardBytes = (uint64_t{1} << 26) - 64;
// shard_bytes for a body; kUnsupported for a `classic` one above Redis' longest string; kInvalidArgument for a request
// that makes no sense, or more than kMaxShards.
Status ChooseShardBytes(Layout layout, uint64_t body_bytes, const RedisLayout& request, uint32_t num_masters,
                        uint64_t* shard_bytes);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_SHARDS_H_
