// XXH3_64bits_withSeed, as xxHash has it, for checks.
#ifndef LINEFILTER_LIB_HASH_XXH3_H_
#define LINEFILTER_LIB_HASH_XXH3_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

uint64_t Xxh3(const void* data, size_t size, uint64_t seed);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_HASH_XXH3_H_
