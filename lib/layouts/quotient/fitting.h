// The length of a block of the layout `quotient`: the largest one that has room for a list of entries.
#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_FITTING_H_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_FITTING_H_

#include <cstdint>

#include "lib/layouts/quotient/block.h"

namespace linefilter::internal {

// Entries to be written, in ascending order of bucket and remainder. Their bits may still have to be dropped.
struct Fitting {
  // This is distinct_below where all equal neighbours are repeats, and where none are.
  static constexpr uint32_t kSet = kMostLength + kBuckets, kMultiset = 0;

  const uint32_t* entries;
  uint64_t size;
  uint32_t most;            // the length of none is greater
  uint32_t distinct_below;  // equal neighbours are repeats in buckets that get fewer bits than with this length

  // Writes the block; without room at length 0 it is the saturated one.
  void Write(uint8_t* block) const;

 private:
  // The bits of a remainder from which on entry i is no repeat of the one before it.
  uint32_t WidthOfItsOwn(uint64_t i) const;
  // Writes the distinct entries of that length to `to`, and returns how many there are; any number above kMostEntries
  // if there are more. *next becomes the least length with more of them.
  uint32_t Distinct(uint32_t length, uint32_t* to, uint32_t* next) const;
};

// The largest length up to `most` with room for n entries in order, 1 <= n <= kMostEntries, none of which is a repeat.
uint32_t FittingLength(const uint32_t* entries, uint32_t n, uint32_t most);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_FITTING_H_
