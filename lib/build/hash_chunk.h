// A chunk is a piece of memory with hashes; a list of chunks is never copied when it grows.
#ifndef LINEFILTER_LIB_BUILD_HASH_CHUNK_H_
#define LINEFILTER_LIB_BUILD_HASH_CHUNK_H_

#include <cstdint>

namespace linefilter::internal {

inline constexpr uint64_t kChunkHeaderBytes = 64;

constexpr uint64_t HashesIn(uint64_t chunk_bytes) { return (chunk_bytes - kChunkHeaderBytes) / sizeof(uint64_t); }

// The header is a line, so that the hashes are lines too (lib/build/partition.h). All chunks of a list but the last one
// are full.
struct alignas(64) HashChunk {
  HashChunk* next;
  uint64_t bytes;  // with this header
  uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
  uint64_t capacity() const { return HashesIn(bytes); }
};
static_assert(sizeof(HashChunk) == kChunkHeaderBytes, "hashes follow the header");

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_HASH_CHUNK_H_
