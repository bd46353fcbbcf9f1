// This makes a range of blocks of the layout `retrieval`: hashes are grouped by block, and blocks of about equal load
// are solved eight at a time (solve-inl.h), on the chosen target.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVER_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVER_H_

#include <cstdint>

#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

// This is LayoutMaker::build_range. It dispatches inside, because it is called for thousands of keys.
void RetrievalBuildRange(const ProbeState& state, const BlockRange& range, void* scratch);

uint64_t RetrievalScratchBytes(uint64_t num_blocks, uint64_t num_hashes);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVER_H_
