// What tests of BlockedFilter and ClassicFilter share, each of which is for both.
#ifndef LINEFILTER_TESTS_FILTERS_FILTER_TEST_H_
#define LINEFILTER_TESTS_FILTERS_FILTER_TEST_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/takes_nothing.h"

namespace linefilter::test {

// A filter, broken filters and their equality in bits: the questions of most tests below.
template <class Filter>
class FilterTest : public ::testing::Test {
 protected:
  static constexpr Layout kLayout = std::is_same_v<Filter, BlockedFilter> ? Layout::kBlocked : Layout::kClassic;

  static Filter Make(uint64_t num_keys, const FilterOptions& options, const std::vector<uint64_t>& hashes = {}) {
    Filter filter;
    EXPECT_TRUE(IsOk(filter.Create(num_keys, options)));
    filter.InsertHashes(hashes.data(), hashes.size());
    return filter;
  }
  static void ExpectBroken(Filter& filter) {
    ExpectTakesNothing(&filter);
    EXPECT_EQ(filter.ExpectedFpr(), 1);
    filter.Prepare(MixHash(5));  // nothing is touched
    filter.Clear();
    ExpectTakesNothing(&filter);
  }
};

using Filters = ::testing::Types<BlockedFilter, ClassicFilter>;
TYPED_TEST_SUITE(FilterTest, Filters, );

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_FILTER_TEST_H_
