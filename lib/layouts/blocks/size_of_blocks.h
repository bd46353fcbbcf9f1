// This estimates the keys of layouts whose keys take one position in each of k of a block's lanes.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_SIZE_OF_BLOCKS_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_SIZE_OF_BLOCKS_H_

#include <cstdint>

#include "linefilter/filter_base.h"

namespace linefilter::internal {

// `fill` is the share of positions that are taken, of num_positions in each block.
//
// A position stays free with probability (1 - k / all positions)^n, whatever the load of its block, which tells n. The
// number of free ones has the variance of n k throws into m positions, m e^-2t (e^t - 1 - t) with t = n k / m. To that
// comes what two lanes of a block have in common: a key that takes one of 16 takes another with probability (k - 1) /
// 15. Two positions of different lanes are then free together e^(load c) times as often as if they were independent,
// where c = k (k - 1) / pairs. That adds 6 % to the variance at 10 bits per key. Each key takes k e^-t free ones.
SizeEstimate SizeOfBlocks(double fill, uint32_t num_probes, uint32_t num_positions, uint64_t num_blocks,
                          uint32_t num_lanes = 16);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_SIZE_OF_BLOCKS_H_
