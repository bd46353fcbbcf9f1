// What tests of folding share: filters of any number of blocks, and options of some that can be folded.
#ifndef LINEFILTER_TESTS_FILTERS_FOLD_TEST_H_
#define LINEFILTER_TESTS_FILTERS_FOLD_TEST_H_

#include <cstdint>
#include <string>
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

// An empty image of so many blocks: from it a filter of that very size is made.
inline std::string EmptyImage(uint64_t num_blocks, uint32_t num_probes) {
  const reference::Bytes image =
      reference::WriteImage(EmptyReference(Layout::kBlocked, num_probes, static_cast<size_t>(64 * num_blocks)));
  return std::string(reinterpret_cast<const char*>(image.data()), image.size());
}

inline BlockedFilter Make(uint64_t num_blocks, uint32_t num_probes, const std::vector<uint64_t>& hashes,
                          const FilterOptions& options = {}) {
  BlockedFilter filter;
  const std::string image = EmptyImage(num_blocks, num_probes);
  EXPECT_TRUE(IsOk(filter.CreateFromImage(image.data(), image.size(), options)));
  filter.InsertHashes(hashes.data(), hashes.size());
  return filter;
}

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
