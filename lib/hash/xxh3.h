// XXH3 for the checks of images, each with its seed, which the compiler folds into XXH3's constants.
#ifndef LINEFILTER_LIB_HASH_XXH3_H_
#define LINEFILTER_LIB_HASH_XXH3_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

// The seed of the trailer's check (doc/FORMAT.md section 4): words 19 and 20 of pi's fraction, behind kHashSeed. Whoever
// changes bytes in a way that an older library would misread takes another seed.
inline constexpr uint64_t kCheckSeed = 0xD1310BA698DFB5ACu;

// XXH3_64bits, for the checks of chunks.
uint64_t Xxh3(const void* data, size_t size);

// XXH3_64bits_withSeed of kCheckSeed, for the check of a trailer.
uint64_t Xxh3OfCheck(const void* data, size_t size);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_HASH_XXH3_H_
