// What tests of ConcurrentFilter share: one that is made, and the image that the same keys give one by one.
#ifndef LINEFILTER_TESTS_FILTERS_CONCURRENT_TEST_H_
#define LINEFILTER_TESTS_FILTERS_CONCURRENT_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/takes_nothing.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {

// The layout is one that threads share.
class Concurrent : public testing::TestWithParam<Layout> {
 protected:
  static FilterOptions Options(double bits_per_key) { return BitsPerKey(bits_per_key, GetParam()); }
  // So many keys have one block at 10 bits per key.
  static uint64_t KeysOfABlock() { return 8 * FactsOf(GetParam()).block_bytes / 10; }
};

inline void MustCreate(ConcurrentFilter* filter, uint64_t num_keys, const FilterOptions& options) {
  ASSERT_TRUE(IsOk(filter->Create(num_keys, options)));
}

inline void ExpectTakesNothing(ConcurrentFilter* filter) {
  ExpectTakesNothing<ConcurrentFilter>(filter);
  EXPECT_EQ(filter->FillRatio(), 0);
  EXPECT_EQ(filter->ApproximateSize().keys, 0);
}

inline std::string SequentialImage(uint64_t num_keys, const FilterOptions& options,
                                   const std::vector<uint64_t>& hashes) {
  Filter filter = Created<Filter>(num_keys, options);
  filter.InsertHashes(hashes.data(), hashes.size());
  return ImageOf(filter);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_CONCURRENT_TEST_H_
