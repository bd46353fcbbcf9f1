// What tests of ScalableFilter share: one that is made, one that an image claims, and one that takes nothing.
#ifndef LINEFILTER_TESTS_FILTERS_SCALABLE_TEST_H_
#define LINEFILTER_TESTS_FILTERS_SCALABLE_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/filters/growth.h"
#include "linefilter/scalable.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/takes_nothing.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {

inline GrowthOptions UpTo(uint64_t max_growth) {
  GrowthOptions growth;
  growth.max_growth = max_growth;
  return growth;
}

inline ScalableFilter Make(uint64_t first_capacity, const FilterOptions& options, uint64_t max_growth = 0) {
  return Created<ScalableFilter>(first_capacity, options, UpTo(max_growth));
}

inline reference::Bytes GrowthOf(double fpr, uint64_t first_capacity, uint64_t max_growth = 0) {
  internal::GrowthPlan plan;
  plan.fpr = fpr;
  plan.first_capacity = first_capacity;
  plan.max_growth = max_growth;
  reference::Bytes growth(internal::kScalableGrowthBytes);
  internal::StoreGrowth(plan, growth.data());
  return growth;
}

// An image of stages of one empty block, each of which claims to have so many keys.
inline reference::Bytes Claim(const std::vector<uint64_t>& num_keys, const reference::Bytes& growth) {
  reference::Filter stage;
  stage.num_probes = 7;
  stage.body.resize(64);
  reference::Filter container =
      reference::MakeContainer(std::vector<reference::Filter>(num_keys.size(), stage), num_keys);
  container.extensions.push_back({reference::kGrowth, growth});
  return reference::WriteImage(container);
}
inline reference::Bytes Claim(uint64_t num_keys, uint64_t first_capacity) {
  return Claim({num_keys}, GrowthOf(0.01, first_capacity));
}

inline void ExpectBroken(ScalableFilter& filter) {
  ExpectTakesNothing(&filter);
  filter.Prepare(MixHash(5));  // nothing is touched
  filter.Clear();
  ExpectTakesNothing(&filter);
  EXPECT_EQ(filter.layout(), Layout::kAuto);
  EXPECT_EQ(filter.num_stages(), 0u);
  EXPECT_EQ(filter.stage(0).capacity, 0u);
  EXPECT_EQ(filter.num_keys(), 0u);
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kInvalidArgument);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_SCALABLE_TEST_H_
