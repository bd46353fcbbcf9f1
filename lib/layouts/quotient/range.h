// A range of blocks of the layout `quotient` is made of its hashes at once: they are sorted by block, and each block is
// made of what falls into it.
//
// It makes the bytes of insertion, because these depend on the keys alone, and takes a quarter of its time.
#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_RANGE_H_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_RANGE_H_

#include <cstdint>

#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

// This is LayoutMaker::range_scratch_bytes. It is bounded, however many hashes there are.
uint64_t QuotientRangeScratchBytes(uint64_t num_blocks, uint64_t num_hashes);
// Makes a range; blocks that are not empty keep their entries.
void QuotientMakeRange(const ProbeState& state, const BlockRange& range, void* scratch);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_RANGE_H_
