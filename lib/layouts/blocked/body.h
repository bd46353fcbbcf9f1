// Layout `blocked`, all but its SIMD core (which is linefilter/inline.h): geometry, lane table, statistics.
//
// Idea: a key sets one bit in each of num_probes lanes of one 64-byte block. Which lanes is a fixed subset, rotated by
// 4 bits of the hash; which bit is 5 bits of a multiple of the hash, another multiple for each lane.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKED_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKED_BODY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

bool BlockedBodyIsValid(uint64_t body_bytes, uint32_t num_probes);

// Points `state` to a valid, non-empty body.
void BindBlocked(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state);

// Distinct keys that give this share of one bits.
double BlockedKeysAtFill(double fill, uint32_t num_probes, uint64_t num_blocks);
double BlockedEstimatedKeys(const ProbeState& state);

// Mean over blocks and rotations of the product of lane fills, and keys that agree with one of a block in the in-block
// hash: from all blocks up to 2^20, above from evenly spaced ones.
double BlockedExpectedFpr(const ProbeState& state);
// The same while others set bits of the body, which is aligned to words.
double SharedBlockedExpectedFpr(const ProbeState& state);

// LayoutOps::fold_blocks and folded_fpr.
void BlockedFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to);
double BlockedFoldedFpr(const ProbeState& state, uint64_t factor, double enough);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKED_BODY_H_
