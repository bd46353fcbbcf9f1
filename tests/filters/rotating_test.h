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

namespace linefilter::test {

inline void MustCreate(RotatingFilter* filter, uint64_t window_keys, uint32_t num_generations,
                       const FilterOptions& options = BitsPerKey(12), Rotation rotation = Rotation::kByCaller) {
  ASSERT_TRUE(IsOk(filter->Create(window_keys, num_generations, options, rotation)));
}

inline void ExpectTakesNothing(RotatingFilter* filter) {
  EXPECT_TRUE(filter->MayContainKey("anything") && filter->MayContainHash(7));
  EXPECT_FALSE(filter->InsertKey("anything") || filter->InsertHash(7));
  EXPECT_EQ(filter->InsertHashes(RandomHashes(1000, 1).data(), 1000), 0u);
  EXPECT_EQ(filter->CountMaybes(RandomHashes(1000, 1).data(), 1000), 1000u);
  EXPECT_EQ(filter->Rotate(), 0u);
  EXPECT_EQ(filter->generation(), 0u);
  EXPECT_EQ(filter->layout(), Layout::kAuto);
  EXPECT_EQ(filter->ImageBytes(), 0u);
  EXPECT_EQ(filter->body_bytes(), 0u);
  EXPECT_EQ(filter->MemoryUse(), sizeof(*filter));
  EXPECT_EQ(filter->FillRatio(0), 0);
  EXPECT_EQ(filter->EstimatedKeys(0), 0);
  EXPECT_EQ(filter->ExpectedFpr(), 1);
  EXPECT_FALSE(filter->KeyStatus().ok());
  std::string image = "x";
  EXPECT_FALSE(filter->AppendImage(&image).ok());
  EXPECT_EQ(image, "x");
  test::Collector collector;
  EXPECT_FALSE(filter->WriteImage(collector.sink()).ok());
  EXPECT_FALSE(filter->Save("/no/such/folder/image").ok());
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_ROTATING_TEST_H_
