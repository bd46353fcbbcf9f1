// The layout `counting` but for its SIMD core (kernels.cc): geometry, statistics, how two bodies become one.
//
// Idea: `blocked` with counters of 4 bits in the place of bits, 8 to a lane. A key adds one to each of its counters, so
// it can be taken out again. A counter that reaches 15 no longer knows how many it stands for and stays there.
#ifndef LINEFILTER_LIB_LAYOUTS_COUNTING_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_COUNTING_BODY_H_

#include <cstdint>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

inline constexpr uint32_t kMostProbesOfCounting = 16;

const Kernels& CountingKernels();

// These are LayoutMaker::build_range, fold_blocks and folded_fpr. Folding adds counters up; 15 is the most.
void CountingBuildRange(const ProbeState& state, const BlockRange& range, void* scratch);
void CountingFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t num_probes,
                        uint8_t* to);
double CountingFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_COUNTING_BODY_H_
