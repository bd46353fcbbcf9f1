// XXH3_64bits for the rest of the library: xxHash itself is included by xxh3's source file alone.
#ifndef LINEFILTER_LIB_HASH_XXH3_H_
#define LINEFILTER_LIB_HASH_XXH3_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

uint64_t Xxh3(const void* data, size_t size);

struct Bytes {
  const void* data;
  size_t size;
};

// Of the concatenation of three byte strings.
uint64_t Xxh3OfThree(Bytes first, Bytes second, Bytes third);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_HASH_XXH3_H_
