// What tests of RotatingFilter share: one that is made, and one that takes nothing.
#ifndef LINEFILTER_TESTS_FILTERS_ROTATING_TEST_H_
#define LINEFILTER_TESTS_FILTERS_ROTATING_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/takes_nothing.h"

namespace linefilter::test {

inline void MustCreate(RotatingFilter* filter, uint64_t window_keys, uint32_t num_generations,
                       const FilterOptions& options = BitsPerKey(12), Rotation rotation = Rotation::kByCaller) {
  ASSERT_TRUE(IsOk(filter->Create(window_keys, num_generations, options, rotation)));
}

inline void ExpectTakesNothing(RotatingFilter* filter) {
  ExpectTakesNothing<RotatingFilter>(filter);
  EXPECT_EQ(filter->Rotate(), 0u);
  EXPECT_EQ(filter->generation(), 0u);
  EXPECT_EQ(filter->layout(), Layout::kAuto);
  EXPECT_EQ(filter->ExpectedFpr(), 1);
  EXPECT_EQ(filter->FillRatioOfAge(0), 0);
  EXPECT_EQ(filter->ApproximateSizeOfAge(0).keys, 0);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_ROTATING_TEST_H_
