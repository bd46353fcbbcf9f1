// The header record of a filter in Redis (doc/REDIS.md) has text lines "name value"; the last checks the others.
//
// It says how the filter was made and which generations there are. Every change makes version grow by one. Between two
// changes the bytes stay the same, so that a change can be made by comparing them.
#ifndef LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_HEADER_H_
#define LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_HEADER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/remote_body.h"
#include "linefilter/status.h"

namespace linefilter::redis_internal {

// One stage of a `container`; the oldest comes first, and their bodies follow each other. Each has shards of its own,
// so that a later one can be added.
struct Stage {
  uint64_t id = 0;  // random, never used again: its shards have it in their names
  uint64_t num_blocks = 0;
  uint64_t num_keys = 0;  // 0: unknown
  uint32_t num_probes = 0;
  uint64_t shard_bytes = 0;
};

// A generation is one filter: its bits lie in shards, whose names have its id, or those of its stages.
struct Generation {
  uint64_t id = 0;  // random, never used again; 0: there is no such generation
  Layout layout = Layout::kAuto;
  uint32_t num_probes = 0;
  uint64_t body_bytes = 0;
  // Whole blocks; body_bytes in a layout without blocks. In a container what stages are to have that come; 0: what
  // suits.
  uint64_t shard_bytes = 0;
  uint64_t num_keys = 0;  // made for so many, or those of its image; 0: unknown
  std::vector<Stage> stages;
  // For a container these are the one bits of the newest stage when its image came, and its field growth, as bytes.
  uint64_t newest_ones = kUnknownOnes;
  std::string growth;

  bool exists() const { return id != 0; }
  uint64_t num_blocks() const { return block_bytes() == 0 ? 0 : body_bytes / block_bytes(); }
  uint64_t block_bytes() const { return FactsOf(layout).block_bytes; }
  // The id of what takes keys: of a container that of its newest stage.
  uint64_t filled_id() const { return stages.empty() ? id : stages.back().id; }
  uint64_t num_shards() const {
    uint64_t shards = 0;
    for (const Part& part : parts()) shards += (part.bytes + part.shard_bytes - 1) / part.shard_bytes;
    return shards;
  }

  // What lies in shards of its own: a stage, or all of the body. Only the last of its shards is shorter than the
  // others.
  struct Part {
    uint64_t id, bytes, shard_bytes;
  };
  std::vector<Part> parts() const {
    if (stages.empty()) return {{id, body_bytes, shard_bytes}};
    std::vector<Part> parts;
    for (const Stage& stage : stages) parts.push_back({stage.id, stage.num_blocks * block_bytes(), stage.shard_bytes});
    return parts;
  }
};

// hash_id and seed are those of all generations, because callers hash by themselves.
struct Header {
  HashId hash_id = HashId::kXxh3;
  uint64_t seed = 0;  // for a keyed hash the check of the secret
  uint64_t version = 0;
  Generation current;   // answers
  Generation next;      // being filled
  Generation previous;  // being left
  // So many insertions are kept in a stream, for those who follow the filter (record/stream.h); 0: it has none.
  uint64_t followed_keys = 0;
  std::string unknown;  // lines of later versions that may be ignored: kept when the record changes

  // Those that writers write to, `current` first; the others if they exist.
  std::vector<const Generation*> Written() const;
  bool Names(uint64_t id) const { return id != 0 && (current.id == id || next.id == id || previous.id == id); }
};

inline constexpr uint64_t kMostFollowedKeys = uint64_t{1} << 32;
inline constexpr uint64_t kMaxShards = uint64_t{1} << 20;
inline constexpr uint64_t kMaxShardBytes = (uint64_t{1} << 29) - 16;  // Redis' longest string, less the mark

// Makes the record's bytes. It may throw std::bad_alloc.
std::string FormatHeader(const Header& header);
// Does the reverse. `name` is for the sentence. kIncompatible is not a header record, kCorrupt a damaged one,
// kUnsupported one from the future. *header is then unchanged.
Status ParseHeader(std::string_view name, std::string_view text, Header* header);
// Finds the generations of a damaged record whose shards can still be named, to delete them. They have what
// names these alone.
void SalvageGenerations(std::string_view text, Header* header);
// Checks whether a filter can be so: layout, sizes, probes, stages, shards.
Status CheckGeneration(std::string_view name, const Generation& generation);

// Whether a filter of this layout can be followed.
Status CheckFollowed(std::string_view name, Layout layout);

// Makes an id by a random device; it is never 0.
Status NewGenerationId(uint64_t* id);

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_LIB_ADAPTERS_REDIS_RECORD_HEADER_H_
