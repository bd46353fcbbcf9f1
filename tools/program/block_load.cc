#include "tools/program/block_load.h"

#include <algorithm>
#include <bitset>
#include <cstring>

namespace linefilter::tools {
namespace {

size_t OneBitsOf(const uint8_t* block, size_t block_bytes) {
  size_t load = 0;
  for (size_t at = 0; at < block_bytes; at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, block + at, sizeof(word));
    load += std::bitset<64>(word).count();
  }
  return load;
}

}  // namespace

uint64_t BlockLoad::AtRank(uint64_t rank) const {
  uint64_t load = 0;
  for (uint64_t below = num_blocks[0]; below <= rank && load + 1 < num_blocks.size();) below += num_blocks[++load];
  return load;
}

BlockLoad LoadOfBlocks(const FilterBase& filter) {
  BlockLoad load;
  load.total = filter.num_blocks();
  if (load.total == 0) return load;
  load.num_blocks.resize(FilterBase::kMaxLevels);
  const size_t levels = filter.CountLevels(load.num_blocks.data());
  if (levels != 0) {
    load.of_levels = true;
    load.num_blocks.resize(levels);
    return load;
  }
  const size_t block_bytes = FactsOf(filter.layout()).block_bytes;
  load.num_blocks.assign(8 * block_bytes + 1, 0);
  const uint8_t* block = filter.body();
  for (uint64_t i = 0; i < load.total; ++i, block += block_bytes) ++load.num_blocks[OneBitsOf(block, block_bytes)];
  return load;
}

std::vector<LoadRange> RangesOf(const BlockLoad& load, uint64_t most) {
  std::vector<LoadRange> ranges;
  if (load.total == 0) return ranges;
  const uint64_t least = load.AtRank(0), highest = load.AtRank(load.total - 1);
  const uint64_t width = (highest - least) / most + 1;
  for (uint64_t first = least; first <= highest; first += width) {
    LoadRange range = {first, std::min(first + width - 1, highest), 0};
    for (uint64_t i = first; i <= range.last; ++i) range.num_blocks += load.num_blocks[i];
    ranges.push_back(range);
  }
  return ranges;
}

}  // namespace linefilter::tools
