// What tests of folding share: filters of any number of blocks, and options of some that can be folded.
#ifndef LINEFILTER_TESTS_FILTERS_FOLD_TEST_H_
#define LINEFILTER_TESTS_FILTERS_FOLD_TEST_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/fold.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {

// A filter of that very size, as an empty image of so many blocks has it.
template <class Filter = BlockedFilter>
Filter Make(uint64_t num_blocks, uint32_t num_probes, const std::vector<uint64_t>& hashes,
            const FilterOptions& options = {}) {
  const Layout layout = std::is_same_v<Filter, BlockedFilter> ? Layout::kBlocked : Layout::kQuotient;
  const size_t body_bytes = static_cast<size_t>(64 * num_blocks);
  Filter filter = FromImage<Filter>(reference::WriteImage(EmptyReference(layout, num_probes, body_bytes)), options);
  filter.InsertHashes(hashes.data(), hashes.size());
  return filter;
}

// What a union is asked that may have any rate.
constexpr UnionOptions kAnyRate{1};

inline std::vector<uint64_t> DivisorsOf(uint64_t number) {
  std::vector<uint64_t> divisors;
  for (uint64_t i = 1; i <= number; ++i) {
    if (number % i == 0) divisors.push_back(i);
  }
  return divisors;
}

inline FilterOptions Foldable(double bits_per_key) {
  FilterOptions options = BitsPerKey(bits_per_key);
  options.foldable = true;
  return options;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_FOLD_TEST_H_
