// The rate of what a body of blocks would be folded, without folding it; folded by 1, the rate that it has.
#ifndef LINEFILTER_LIB_LAYOUTS_FOLDED_FPR_H_
#define LINEFILTER_LIB_LAYOUTS_FOLDED_FPR_H_

#include <cstdint>

#include "lib/layouts/block.h"

namespace linefilter::internal {

using FoldBlocks = void (*)(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to);
using BlockFpr = double (*)(const uint8_t* block, uint32_t num_probes);

// LayoutOps::folded_fpr: the mean of kBlockFpr over the folded blocks, or over 2^20 of them.
template <FoldBlocks kFoldBlocks, BlockFpr kBlockFpr>
double FoldedFpr(const ProbeState& state, uint64_t factor, double enough) {
  const uint64_t num_blocks = state.num_units / factor;
  const uint64_t sample = num_blocks < (1u << 20) ? num_blocks : 1u << 20;
  const double size = static_cast<double>(sample);
  double sum = 0;
  uint8_t folded[kBlockBytes];
  for (uint64_t i = 0; i < sample && sum / size <= enough; ++i) {
    // Evenly spaced, without overflow: i * num_blocks < 2^52.
    const uint8_t* const blocks = state.body + kBlockBytes * factor * (i * num_blocks / sample);
    if (factor != 1) kFoldBlocks(blocks, 1, factor, false, folded);
    sum += kBlockFpr(factor == 1 ? blocks : folded, state.num_probes);
  }
  return sum / size;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_FOLDED_FPR_H_
