// Layout `counting`, all but its SIMD core (lib/layouts/counting/kernels.cc): geometry, statistics, how two bodies
// become one.
//
// Idea: `blocked` with counters of 4 bits in the place of bits, 8 to a lane. A key adds one to each of its counters, so
// it can be taken out again. A counter that reaches 15 no longer knows how many it stands for and stays there.
#ifndef LINEFILTER_LIB_LAYOUTS_COUNTING_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_COUNTING_BODY_H_

#include <cstdint>

#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

bool CountingBodyIsValid(uint64_t body_bytes, uint32_t num_probes);
void BindCounting(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state);

// Distinct keys, by the share of counters that are not 0.
double CountingEstimatedKeys(const ProbeState& state);
// As BlockedExpectedFpr, of counters that are not 0.
double CountingExpectedFpr(const ProbeState& state);

// LayoutOps::fold_blocks and folded_fpr. Counters are added up; 15 is the most.
void CountingFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to);
double CountingFoldedFpr(const ProbeState& state, uint64_t factor, double enough);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_COUNTING_BODY_H_
