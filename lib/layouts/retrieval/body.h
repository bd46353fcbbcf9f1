// Layout `retrieval`, all but its loops: geometry, and what the headers of its blocks tell.
//
// Idea: a block holds the solution of a small system of linear equations over GF(2) instead of bits that were set. Each
// key of the block has T / 8 equations (doc/FORMAT.md section 8); the header T, the block's level, is as large as they
// can all be met.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

bool RetrievalBodyIsValid(uint64_t body_bytes, uint32_t num_probes);
void BindRetrieval(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state);

// Blocks by T, into counts[256]; 256.
size_t RetrievalCountLevels(const ProbeState& state, uint64_t* counts);
// From the levels: the equations of a block's keys, T / 8 each, fill its 504 bits. 4032 / (T + 1/2) keys is too many by
// up to 4 % at 25 to 130 keys a block. Of blocks at the highest level, which 15 keys and fewer reach, from their one
// bits, right on average. T = 0 says nothing: infinite.
double RetrievalEstimatedKeys(const ProbeState& state);
// The mean over all blocks, of what their levels tell exactly, and of keys that agree with one of the block in the
// in-block hash. Each level is summed up, so it does not depend on the order of blocks.
double RetrievalExpectedFpr(const ProbeState& state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_
