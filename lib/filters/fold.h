// This tells which filters can be folded, by what, and which can be united.
#ifndef LINEFILTER_LIB_FILTERS_FOLD_H_
#define LINEFILTER_LIB_FILTERS_FOLD_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/layout_maker.h"
#include "linefilter/filter_base.h"
#include "linefilter/fold.h"
#include "linefilter/options.h"
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

// Some filters, by an array of pointers to one class of them.
class FilterList {
 public:
  template <class Filter>
  FilterList(const Filter* const filters[], size_t size)
      : filters_(filters),
        size_(size),
        at_([](const void* all, size_t i) -> const FilterBase& { return *static_cast<const Filter* const*>(all)[i]; }) {
  }
  size_t size() const { return size_; }
  const FilterBase& operator[](size_t i) const { return at_(filters_, i); }
  // The result refers to this list, which must outlive it.
  BodyList bodies() const {
    return {this, size_, [](const void* list, size_t i) -> const ProbeState& {
              return (*static_cast<const FilterList*>(list))[i].probe_state();
            }};
  }

 private:
  const void* filters_;
  size_t size_;
  const FilterBase& (*at_)(const void* all, size_t i);
};

// It is ok if the filters may be united, whatever the rate. The first thing in which the bits of two mean something
// else is named. An empty set, which has no bits, needs only the same layout and hash.
Status CheckUnion(const FilterList& filters);
// It is ok if the union of these filters, which may be united, is not refused for its rate.
Status CheckUnionFpr(const FilterList& filters, const UnionOptions& options);
// What their union would be.
UnionPlan PlanOf(const FilterList& filters);

Status NoMemoryToFold(uint64_t bytes);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_FOLD_H_
