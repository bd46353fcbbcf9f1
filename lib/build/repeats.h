// This finds and removes repeated hashes where they lie.
#ifndef LINEFILTER_LIB_BUILD_REPEATS_H_
#define LINEFILTER_LIB_BUILD_REPEATS_H_

#include <cstdint>

#include "lib/build/hash_chunk.h"

namespace linefilter::internal {

// So many keys are looked at exactly; the repeats of more are estimated first (repeat_sketch.h).
inline constexpr uint64_t kCountedExactly = 4096;

// Whether there may be a repeat among the first n <= kCountedExactly hashes of a list. False is certain, and true is
// wrong for hardly any set of good hashes.
bool FewMayRepeat(HashChunk* first, uint64_t n);

// Sorts the first n hashes of a list, and drops repeats. Returns how many are left, at the beginning and ascending. It
// takes no memory but at most 48 KiB of the stack, whatever the hashes are.
uint64_t SortDistinct(HashChunk* first, uint64_t n);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_REPEATS_H_
