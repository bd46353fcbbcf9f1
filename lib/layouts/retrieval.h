// Layout `retrieval`, all but its loops: geometry, and what the headers of its blocks tell.
//
// Idea: a block holds the solution of a small system of linear equations over GF(2) instead of bits that were set. Each
// key of the block has T / 8 equations (doc/FORMAT.md section 8); the header T, the block's level, is as large as they
// can all be met.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/filter_base.h"

namespace linefilter::internal {

bool RetrievalBodyIsValid(uint64_t body_bytes, uint32_t num_probes);
void BindRetrieval(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state);

// Blocks by T, into counts[256]; 256.
size_t RetrievalCountLevels(const ProbeState& state, uint64_t* counts);
// From the levels alone: the equations of a block's keys, T / 8 each, fill its 504 bits. 4032 / (T + 1/2) keys is too
// many by up to 4 % at 25 to 130 keys a block; 15 or fewer all reach the highest level and count as 16; T = 0 says nothing:
// infinite.
double RetrievalEstimatedKeys(const ProbeState& state);
// Exact but for keys whose in-block hashes agree: the mean over all blocks, each summed by its level, so it does not depend on their order.
double RetrievalExpectedFpr(const ProbeState& state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_H_
