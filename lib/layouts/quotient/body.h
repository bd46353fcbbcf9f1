// The layout `quotient` but for its blocks (block.h) and its SIMD core (kernels.cc): geometry, statistics, how two
// bodies become one.
//
// Idea: a block keeps a short fingerprint of each key and shortens them as it fills. Bits of a Bloom filter in one line
// suffer from the uneven load of blocks (0.97 % at 10 bits per key); fingerprints stand it better (0.604 %). They can
// be given back, where num_probes says that each insertion has an entry of its own.
#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_BODY_H_

#include <cstdint>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

// The num_probes of one from which keys can be removed; that of a set is 0.
inline constexpr uint32_t kQuotientMultiset = 1;

const Kernels& QuotientKernels();

// These are LayoutRecord::approximate_size and size_at_fill (size.cc).
SizeEstimate QuotientApproximateSize(const ProbeState& state);
SizeEstimate QuotientSizeAtFill(double fill, uint32_t num_probes, uint64_t num_blocks);

// These are LayoutMaker::build_range, fold_blocks and folded_fpr.
void QuotientBuildRange(const ProbeState& state, const BlockRange& range, void* scratch);
void QuotientFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t num_probes,
                        uint8_t* to);
double QuotientFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_BODY_H_
