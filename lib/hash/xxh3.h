// XXH3_64bits for the rest of the library.
#ifndef LINEFILTER_LIB_HASH_XXH3_H_
#define LINEFILTER_LIB_HASH_XXH3_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

uint64_t Xxh3(const void* data, size_t size);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_HASH_XXH3_H_
