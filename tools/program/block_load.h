// This tells how evenly the blocks of a filter are filled: least, median and fullest one, and how many lie between.
#ifndef LINEFILTER_TOOLS_PROGRAM_BLOCK_LOAD_H_
#define LINEFILTER_TOOLS_PROGRAM_BLOCK_LOAD_H_

#include <cstdint>
#include <vector>

#include "linefilter/filter_base.h"

namespace linefilter::tools {

// A BlockLoad counts blocks by what they hold.
struct BlockLoad {
  // A block's load is its one bits of 512, in `split_block` of 256. Where bits say nothing, as in `retrieval`, it is
  // its level (FilterBase::CountLevels).
  bool of_levels = false;
  std::vector<uint64_t> num_blocks;  // by load; empty for a layout without blocks
  uint64_t total = 0;

  // The load of block `rank` of all, by load: 0 the least, total - 1 the highest.
  uint64_t AtRank(uint64_t rank) const;
  // The highest load that there could be.
  double Full() const { return static_cast<double>(num_blocks.size() - 1); }
};

// Reads the whole body for the loads.
BlockLoad LoadOfBlocks(const FilterBase& filter);

// The loads from the least to the highest in at most `most` ranges of equal width.
struct LoadRange {
  uint64_t first, last, num_blocks;
};
std::vector<LoadRange> RangesOf(const BlockLoad& load, uint64_t most);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_BLOCK_LOAD_H_
