#include "lib/build/group_plan.h"

#include "lib/image/trailer.h"
#include "linefilter/hash.h"

namespace linefilter::internal {

uint64_t FirstHashOf(uint64_t block, uint64_t num_blocks, uint64_t index_mask) {
  uint64_t low = 0, high = ~uint64_t{0};
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (BlockIndex(middle & index_mask, num_blocks) < block) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

HashInterval HashesOf(uint64_t first, uint64_t end, uint64_t num_blocks, uint64_t index_mask) {
  return {FirstHashOf(first, num_blocks, index_mask),
          end >= num_blocks ? ~uint64_t{0} : FirstHashOf(end, num_blocks, index_mask) - 1};
}

uint64_t Histogram::MostIn(HashInterval hashes) const {
  uint64_t most = 0;
  for (uint64_t i = hashes.first >> kShift; i <= hashes.last >> kShift; ++i) most += counts_[i];
  return most;
}

GroupPlan::GroupPlan(const LayoutMaker& maker, const Histogram& histogram, uint64_t num_hashes, uint64_t num_blocks,
                     const Executor& executor)
    : maker_(maker),
      histogram_(histogram),
      num_blocks_(num_blocks),
      index_mask_(maker.index_mask()),
      range_blocks_(RangeBlocksFor(maker, num_blocks)) {
  const uint64_t chunk_blocks = kChunkBytes / maker.block_bytes();
  step_blocks_ = range_blocks_ < chunk_blocks ? chunk_blocks : range_blocks_;
  num_workers_ = NumWorkers(maker, num_hashes, num_blocks, executor);
}

uint64_t GroupPlan::MostIn(uint64_t first_block, uint64_t end) const {
  return histogram_.MostIn(HashesOf(first_block, end, num_blocks_, index_mask_));
}

// Makes the group with another step.
GroupPlan::Group GroupPlan::Extend(const Group& group, uint64_t* largest_range) const {
  Group longer = group;
  const uint64_t begin = group.first_block + group.num_blocks;
  longer.num_blocks += num_blocks_ - begin < step_blocks_ ? num_blocks_ - begin : step_blocks_;
  const uint64_t end = group.first_block + longer.num_blocks;
  for (uint64_t block = begin; block < end; block += range_blocks_) {
    const uint64_t most = MostIn(block, block + range_blocks_);
    if (most > *largest_range) *largest_range = most;
  }
  PartitionShape& shape = longer.shape;
  shape.num_blocks = num_blocks_;
  shape.index_mask = index_mask_;
  shape.range_blocks = range_blocks_;
  shape.first_range = group.first_block / range_blocks_;
  shape.num_ranges = NumRanges(longer.num_blocks, range_blocks_);
  longer.most_hashes = MostIn(group.first_block, end);
  shape.reserve_pages = Partition::ReserveFor(shape.num_workers, shape.num_ranges, longer.most_hashes);
  longer.scratch =
      num_workers_ * RangeWorkerBytes(maker_, range_blocks_, *largest_range, *largest_range / kPageHashes + 2);
  longer.memory = maker_.block_bytes() * longer.num_blocks + Partition::BytesFor(shape) + longer.scratch;
  return longer;
}

GroupPlan::Group GroupPlan::Next(uint64_t first_block, uint64_t memory) const {
  Group group;
  group.first_block = first_block;
  for (uint64_t largest_range = 0; first_block + group.num_blocks < num_blocks_;) {
    const Group longer = Extend(group, &largest_range);
    if (longer.memory > memory) break;
    group = longer;
  }
  return group;
}

// The bytes that the group takes that holds the fullest step alone.
uint64_t GroupPlan::MostForStep() const {
  uint64_t most = 0;
  for (uint64_t block = 0; block < num_blocks_; block += step_blocks_) {
    Group group;
    group.first_block = block;
    uint64_t largest_range = 0;
    const uint64_t memory = Extend(group, &largest_range).memory;
    if (memory > most) most = memory;
  }
  return most;
}

bool GroupPlan::Fit(uint64_t memory, uint64_t* needed) {
  while ((*needed = MostForStep()) > memory) {
    if (num_workers_ == 1) return false;
    num_workers_ = (num_workers_ + 1) / 2;
  }
  return true;
}

}  // namespace linefilter::internal
