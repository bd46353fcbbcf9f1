// XXH64 with seed 0 of a value of 8 or of 4 bytes, inlined: the Parquet hash of integers (hash.h).
//
// It is written from the specification, xxhash_spec.md, section "XXH64 Algorithm Description". Such a value is shorter
// than 32 bytes, so it takes none of the four accumulators: only the steps for what remains, and the last mixing.
#ifndef LINEFILTER_INTERNAL_XXH64_H_
#define LINEFILTER_INTERNAL_XXH64_H_

#include <cstdint>

#include "linefilter/internal/compiler.h"

namespace linefilter::internal {

// The five primes of the specification.
inline constexpr uint64_t kXxh64Prime1 = 0x9e3779b185ebca87u, kXxh64Prime2 = 0xc2b2ae3d27d4eb4fu,
                          kXxh64Prime3 = 0x165667b19e3779f9u, kXxh64Prime4 = 0x85ebca77c2b2ae63u,
                          kXxh64Prime5 = 0x27d4eb2f165667c5u;

// Step 6: the final mix.
LINEFILTER_INLINE uint64_t MixXxh64(uint64_t h) noexcept {
  h = (h ^ (h >> 33)) * kXxh64Prime2;
  h = (h ^ (h >> 29)) * kXxh64Prime3;
  return h ^ (h >> 32);
}

// XXH64 of the 8 little-endian bytes of a value.
LINEFILTER_INLINE uint64_t Xxh64Of8Bytes(uint64_t value) noexcept {
  const uint64_t product = value * kXxh64Prime2;
  const uint64_t lane = ((product << 31) | (product >> 33)) * kXxh64Prime1;
  const uint64_t h = (kXxh64Prime5 + 8) ^ lane;
  return MixXxh64(((h << 27) | (h >> 37)) * kXxh64Prime1 + kXxh64Prime4);
}

// XXH64 of the 4 little-endian bytes of a value.
LINEFILTER_INLINE uint64_t Xxh64Of4Bytes(uint32_t value) noexcept {
  const uint64_t h = (kXxh64Prime5 + 4) ^ (value * kXxh64Prime1);
  return MixXxh64(((h << 23) | (h >> 41)) * kXxh64Prime2 + kXxh64Prime3);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_XXH64_H_
