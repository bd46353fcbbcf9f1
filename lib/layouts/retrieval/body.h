// The layout `retrieval` but for its loops: geometry, and what the headers of its blocks tell.
//
// Idea: a block holds the solution of a small system of linear equations over GF(2) instead of bits that were set. Each
// key of the block has T / 8 equations (doc/FORMAT.md section 8); the header T, the block's level, is the largest with
// which they can all be met.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_

#include "lib/layouts/kernels.h"

namespace linefilter::internal {

const Kernels& RetrievalKernels();
// Asks a body to which no state is bound.
bool RetrievalMayContain(const uint8_t* body, uint64_t num_blocks, uint64_t hash);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_
