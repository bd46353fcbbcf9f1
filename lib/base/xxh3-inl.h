// This is XXH3 for inlining: all of xxHash is inlined where this is included, so no symbol can clash with the
// embedder's own. Apart from hash.cc it is only for code whose time is that of short hashes.
//
// For inputs above 240 bytes XXH3 derives a secret of 192 bytes from the seed, for each of them again. Our two seeds
// are constants, and so are their secrets, so a seed costs nothing.
#ifndef LINEFILTER_LIB_BASE_XXH3_INL_H_
#define LINEFILTER_LIB_BASE_XXH3_INL_H_

#define XXH_INLINE_ALL
#include <cstddef>
#include <cstdint>

#include "lib/base/xxh3.h"
#include "linefilter/hash.h"
#include "xxhash.h"

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 is stable since xxHash 0.8.0: install a newer libxxhash-dev");

namespace linefilter::internal {

// This is XXH3_64bits_withSeed of kSeed.
template <uint64_t kSeed>
inline uint64_t InlineXxh3(const void* data, size_t size) {
  if (size > kMostBytesWithoutSecret) return LongXxh3(data, size, kSecretOfSeed<kSeed>);
  return XXH3_64bits_withSeed(data, size, kSeed);
}

// This is HashKey of bytes.
inline uint64_t InlineHashKey(const void* data, size_t size, uint64_t seed) {
  if (seed == 0) return InlineXxh3<kHashSeed>(data, size);
  return XXH3_64bits_withSeed(data, size, seed ^ kHashSeed);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_XXH3_INL_H_
