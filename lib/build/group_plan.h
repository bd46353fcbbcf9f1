// This plans which ranges a pass over a source makes: as many as the memory lets in.
#ifndef LINEFILTER_LIB_BUILD_GROUP_PLAN_H_
#define LINEFILTER_LIB_BUILD_GROUP_PLAN_H_

#include <cstddef>
#include <cstdint>

#include "lib/build/bulk.h"
#include "lib/layouts/hash_interval.h"

namespace linefilter::internal {

// A histogram counts hashes by their first 12 bits. A hash's block grows with the hash, so this bounds what falls into
// a range of blocks.
class Histogram {
 public:
  void Add(const uint64_t* hashes, size_t n) {
    for (size_t i = 0; i < n; ++i) ++counts_[hashes[i] >> kShift];
  }
  // The most hashes that there can be in these.
  uint64_t MostIn(HashInterval hashes) const;

 private:
  static constexpr uint32_t kBits = 12, kShift = 64 - kBits;
  uint64_t counts_[1 << kBits];  // whoever has it zeroes it
};

// The least hash that falls into a block, which is less than num_blocks. index_mask is that of the layout.
uint64_t FirstHashOf(uint64_t block, uint64_t num_blocks, uint64_t index_mask);
// The hashes that fall into the blocks [first, end) of num_blocks; first < end.
HashInterval HashesOf(uint64_t first, uint64_t end, uint64_t num_blocks, uint64_t index_mask);

class GroupPlan {
 public:
  // A group consists of steps: each is a range, or several that make the 64 KiB of a chunk check.
  GroupPlan(const LayoutMaker& maker, const Histogram& histogram, uint64_t num_hashes, uint64_t num_blocks,
            const Executor& executor);

  // The longest group from `first_block` on that takes at most `memory`; empty if none does.
  struct Group {
    PartitionShape shape;
    uint64_t first_block = 0, num_blocks = 0;
    uint64_t most_hashes = 0;
    uint64_t memory = 0;
    uint64_t scratch = 0;  // the part of it for all workers of BuildRanges
  };
  Group Next(uint64_t first_block, uint64_t memory) const;
  // Chooses the number of workers: the most with which each group has at least one step. False means not even with one
  // worker; *needed is what that would take.
  bool Fit(uint64_t memory, uint64_t* needed);
  size_t num_workers() const { return num_workers_; }

 private:
  Group Extend(const Group& group, uint64_t* largest_range) const;
  uint64_t MostIn(uint64_t first_block, uint64_t end) const;
  uint64_t MostForStep() const;

  const LayoutMaker& maker_;
  const Histogram& histogram_;
  uint64_t num_blocks_, index_mask_, range_blocks_, step_blocks_;
  size_t num_workers_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_GROUP_PLAN_H_
