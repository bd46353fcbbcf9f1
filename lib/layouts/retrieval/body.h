// The layout `retrieval` but for its loops: geometry, and what the headers of its blocks tell.
//
// Idea: a block holds the solution of a small system of linear equations over GF(2) instead of bits that were set. Each
// key of the block has T / 8 equations (doc/FORMAT.md section 8); the header T, the block's level, is the largest with
// which they can all be met.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_

#include "lib/layouts/blocks/block.h"
#include "lib/layouts/kernels.h"

namespace linefilter::internal {

// Tells whether an image can have such a body.
inline bool IsBodyOfRetrieval(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes == 0;
}

const Kernels& RetrievalKernels();
// This is LayoutRecord::body_may_contain.
bool RetrievalMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_BODY_H_
