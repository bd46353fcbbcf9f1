// The layout `blocked` but for its SIMD core (linefilter/internal/test_block.h): geometry, lane table, statistics.
//
// Idea: a key sets one bit in each of num_probes lanes of one 64-byte block. A fixed subset, rotated by 4 bits of the
// hash, says which lanes. 5 bits of a multiple of the hash say which bit, another multiple for each lane.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKED_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKED_BODY_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/blocks/block.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

inline constexpr uint32_t kMostProbesOfBlocked = 16;

// Tells whether an image can have such a body.
inline bool IsBodyOfBlocked(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes >= 1 && num_probes <= kMostProbesOfBlocked;
}

const Kernels& BlockedKernels();
// This is LayoutRecord::body_may_contain.
bool BlockedMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash);

// These are LayoutMaker::build_range and folded_fpr.
void BlockedBuildRange(const ProbeState& state, const BlockRange& range, void* scratch);
double BlockedFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKED_BODY_H_
