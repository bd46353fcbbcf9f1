// What tests of BlockedFilter and ClassicFilter share, each of which is for both.
#ifndef LINEFILTER_TESTS_FILTERS_MUTABLE_FILTER_TEST_H_
#define LINEFILTER_TESTS_FILTERS_MUTABLE_FILTER_TEST_H_

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

namespace linefilter::test {

// A filter, broken filters and their equality in bits: the questions of most tests below.
template <class Filter>
class MutableFilterTest : public ::testing::Test {
 protected:
  static constexpr Layout kLayout = std::is_same_v<Filter, BlockedFilter> ? Layout::kBlocked : Layout::kClassic;

  static Filter Make(uint64_t num_keys, const FilterOptions& options, const std::vector<uint64_t>& hashes = {}) {
    Filter filter;
    EXPECT_TRUE(IsOk(filter.Create(num_keys, options)));
    filter.InsertHashes(hashes.data(), hashes.size());
    return filter;
  }
  static void ExpectBroken(Filter& filter) {
    EXPECT_TRUE(filter.MayContainKey("anything"));
    EXPECT_TRUE(filter.MayContainHash(0));
    EXPECT_EQ(filter.CountMaybes(RandomHashes(100, 1).data(), 100), 100u);
    EXPECT_TRUE(filter.Probe(filter.Prepare(MixHash(5)))) << "nothing is touched";
    EXPECT_FALSE(filter.InsertKey("anything"));
    EXPECT_FALSE(filter.InsertHash(7));
    EXPECT_EQ(filter.InsertHashes(RandomHashes(100, 1).data(), 100), 0u);
    filter.Clear();
    EXPECT_EQ(filter.body_bytes(), 0u);
    EXPECT_EQ(filter.ImageBytes(), 0u);
    EXPECT_EQ(filter.ExpectedFpr(), 1);
    EXPECT_EQ(filter.MemoryUse(), sizeof(Filter));
    EXPECT_FALSE(filter.KeyStatus().ok());
    std::string image = "x";
    EXPECT_FALSE(filter.AppendImage(&image).ok()) << "a broken filter has no image that could say absent";
    EXPECT_EQ(image, "x");
    EXPECT_FALSE(filter.Save("/no/such/folder/image").ok());
  }
};

using Filters = ::testing::Types<BlockedFilter, ClassicFilter>;
TYPED_TEST_SUITE(MutableFilterTest, Filters, );

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_MUTABLE_FILTER_TEST_H_
