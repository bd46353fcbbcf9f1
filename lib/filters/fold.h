// This tells which filters can be folded, by what, and which can be united.
#ifndef LINEFILTER_LIB_FILTERS_FOLD_H_
#define LINEFILTER_LIB_FILTERS_FOLD_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/filter_base.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// The divisors of a number of blocks, ascending. Those of 0, which the empty set has, are 1 alone.
class Divisors {
 public:
  explicit Divisors(uint64_t num_blocks);
  size_t size() const { return size_; }
  uint64_t operator[](size_t i) const { return values_[i]; }

 private:
  static constexpr size_t kMost = 1920;  // has 3491888400, the most of all up to 2^32
  uint64_t values_[kMost];
  size_t size_ = 0;
};

// It is ok if the filter can be folded at all.
Status CheckFoldable(const FilterBase& filter);
// It is ok if the filter can be folded by this factor.
Status CheckFold(const FilterBase& filter, uint64_t factor);

// It is ok if the filters may be united, which then have so many blocks (0: as they are). The first thing in which
// their bits mean something else is named. An empty set, which has no bits, needs only the same layout and hash.
Status CheckUnion(const FilterBase& one, const FilterBase& other, uint64_t* num_blocks);

Status NoMemoryToFold(uint64_t bytes);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_FOLD_H_
