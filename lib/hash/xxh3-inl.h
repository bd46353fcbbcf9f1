// XXH3 for inlining: all of xxHash is inlined where this is included, so no symbol can clash with the embedder's own.
// Apart from hash.cc only for code whose time is that of short hashes.
#ifndef LINEFILTER_LIB_HASH_XXH3_INL_H_
#define LINEFILTER_LIB_HASH_XXH3_INL_H_

#define XXH_INLINE_ALL
#include <cstddef>
#include <cstdint>

#include "xxhash.h"

static_assert(XXH_VERSION_NUMBER >= 800, "XXH3 is stable since xxHash 0.8.0: install a newer libxxhash-dev");

namespace linefilter::internal {

inline uint64_t InlineXxh3(const void* data, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_HASH_XXH3_INL_H_
