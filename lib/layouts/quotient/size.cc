// How many keys a body of the layout `quotient` has.
//
// Idea: a multiset has an entry for each insertion. In a set, keys of one bucket that agree in all bits of their
// remainders have one entry. So a block is like balls in slots, as many as there are different entries of its length,
// and the share of free slots tells how many were thrown (linear counting: Whang, Vander-Zanden, Taylor 1990). Blocks
// of one length have nearly equal loads, and are estimated together.
#include <cmath>

#include "lib/base/real.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/body.h"

namespace linefilter::internal {
namespace {

// The blocks of one length, and their entries with the longer remainders and the others.
struct OfLength {
  uint64_t num_blocks = 0, num_long = 0, num_short = 0;
};

// Adds the balls that take so many of the slots, and the variance of that number. False if no slot is free.
bool AddKeys(uint64_t taken, double slots, SizeEstimate* keys) {
  if (slots == 0) return true;
  const double share = static_cast<double>(taken) / slots;
  if (!(share < 1)) return false;
  const double n = -slots * LnOfRest(share);
  keys->keys += n;
  keys->error += slots * ExpMinusLine(n / slots);
  return true;
}

// Adds the keys of those blocks, with their variance. False if they have more than could be counted.
bool AddBlocks(const OfLength& blocks, uint32_t length, SizeEstimate* size) {
  const uint32_t num_long_buckets = length % kBuckets;
  const double slots = static_cast<double>(blocks.num_blocks) * static_cast<double>(1u << length / kBuckets);
  SizeEstimate of_long, of_short;
  if (!AddKeys(blocks.num_short, slots * (kBuckets - num_long_buckets), &of_short)) return false;
  const bool sees_long = AddKeys(blocks.num_long, 2 * slots * num_long_buckets, &of_long);
  // Those that cannot be counted are as many in each bucket as the others.
  const double times = sees_long ? 1 : static_cast<double>(kBuckets) / (kBuckets - num_long_buckets);
  size->keys += times * (of_long.keys + of_short.keys);
  size->error += times * times * (of_long.error + of_short.error);
  return true;
}

}  // namespace

SizeEstimate QuotientApproximateSize(const ProbeState& state) {
  const bool multiset = state.num_probes == kQuotientMultiset;
  OfLength lengths[kMostLength + 1] = {};
  SizeEstimate size;
  uint64_t num_unknown = 0;
  for (uint64_t i = 0; i < state.num_units; ++i) {
    const BlockEntries list = BlockEntries::Of(state.body + kBlockBytes * i);
    num_unknown += list.is_saturated;
    if (multiset || list.is_saturated) {
      size.keys += list.size;
      continue;
    }
    uint32_t num_long = 0;
    while (num_long < list.size && BucketOf(list.entries[num_long]) < list.length % kBuckets) ++num_long;
    OfLength& blocks = lengths[list.length];
    ++blocks.num_blocks;
    blocks.num_long += num_long;
    blocks.num_short += list.size - num_long;
  }
  for (uint32_t length = 0; length <= kMostLength; ++length) {
    if (lengths[length].num_blocks != 0 && !AddBlocks(lengths[length], length, &size)) {
      num_unknown += lengths[length].num_blocks;
    }
  }
  if (num_unknown == state.num_units) return {HUGE_VAL, HUGE_VAL};
  // Blocks that tell nothing are taken to have as many keys as the others.
  const double known = static_cast<double>(state.num_units - num_unknown);
  const double times = static_cast<double>(state.num_units) / known;
  const double of_unknown = static_cast<double>(num_unknown) * (size.keys / known);
  return {times * size.keys, std::sqrt(times * times * size.error + of_unknown)};
}

// A set is full when each bucket of each block has a key, a multiset when each block is saturated.
SizeEstimate QuotientSizeAtFill(double fill, uint32_t num_probes, uint64_t num_blocks) {
  const double blocks = static_cast<double>(num_blocks), buckets = kBuckets * blocks;
  if (num_probes == kQuotientMultiset) return {fill * (kMostEntries + 1) * blocks, 0};
  const double keys = -buckets * LnOfRest(fill);
  return {keys, std::sqrt(buckets * ExpMinusLine(keys / buckets))};
}

}  // namespace linefilter::internal
