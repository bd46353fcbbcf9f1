// lib/filters/growth_plan.h: shares that keep the bound whatever the final count, and what growing costs in memory. The
// figures here are those of doc/DESIGN.md, "Growing".
#include "lib/filters/growth_plan.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "gtest/gtest.h"
#include "linefilter/sizing.h"
#include "tests/testing/status.h"

namespace linefilter::internal {
namespace {

GrowthPlan Plan(double fpr, uint64_t first_capacity, uint64_t max_growth) {
  GrowthPlan plan;
  plan.fpr = fpr;
  plan.first_capacity = first_capacity;
  plan.max_growth = max_growth;
  return plan;
}

double BytesOfOne(uint64_t num_keys, double fpr) {
  Sizing sizing;
  EXPECT_TRUE(test::IsOk(SizeForFpr(Layout::kBlocked, num_keys, fpr, &sizing)));
  return static_cast<double>(sizing.body_bytes);
}

// What a filter of `stages` stages needs, in filters of the same bound that knew the count.
struct Cost {
  double when_full, at_worst;
};
Cost CostOf(const GrowthPlan& plan, uint32_t stages) {
  Cost cost = {0, 0};
  double bytes = 0, passes = 1;
  uint64_t keys = 0;
  for (uint32_t i = 0; i < stages; ++i) {
    Sizing sizing;
    EXPECT_TRUE(test::IsOk(SizeOfStage(plan, i, &sizing)));
    bytes += static_cast<double>(sizing.body_bytes);
    if (keys != 0) cost.at_worst = std::max(cost.at_worst, bytes / BytesOfOne(keys, plan.fpr));  // stage i was opened
    keys += CapacityOfStage(plan, i);
    passes *= 1 - sizing.expected_fpr;
    EXPECT_LE(1 - passes, plan.fpr) << "the bound, when stage " << i << " is full";
  }
  cost.when_full = bytes / BytesOfOne(keys, plan.fpr);
  return cost;
}

TEST(GrowthPlanTest, TakesAsManyStagesAsMaxGrowthHasBinaryDigits) {
  for (const auto& [growth, stages] : {std::pair<uint64_t, uint32_t>{1, 1},
                                       {2, 2},
                                       {3, 2},
                                       {4, 3},
                                       {1000, 10},
                                       {1023, 10},
                                       {1024, 11},
                                       {UINT64_MAX, 64},
                                       {0, 64}}) {
    const GrowthPlan plan = Plan(0.01, 1, growth);
    EXPECT_EQ(NumPlannedStages(plan), stages) << growth;
    uint64_t keys = 0;
    for (uint32_t i = 0; i < stages; ++i) keys += CapacityOfStage(plan, i);
    EXPECT_GE(keys, growth) << "room for so many times the first capacity";
  }
}

TEST(GrowthPlanTest, DoublesTheCapacityUpToTheLargestNumber) {
  const GrowthPlan plan = Plan(0.01, 3, 0);
  EXPECT_EQ(CapacityOfStage(plan, 0), 3u);
  EXPECT_EQ(CapacityOfStage(plan, 10), 3072u);
  EXPECT_EQ(CapacityOfStage(plan, 62), uint64_t{3} << 62);
  EXPECT_EQ(CapacityOfStage(plan, 63), UINT64_MAX);
  EXPECT_EQ(CapacityOfStage(Plan(0.01, UINT64_MAX, 0), 1), UINT64_MAX);
  EXPECT_EQ(CapacityOfStage(Plan(0.01, UINT64_MAX, 0), 0), UINT64_MAX);
}

TEST(GrowthPlanTest, SharesTheBoundAndNoMore) {
  for (const uint64_t growth : {1u, 2u, 5u, 8u, 100u, 1000u, 1000000u}) {
    const GrowthPlan plan = Plan(0.01, 1, growth);
    double sum = 0;
    for (uint32_t i = 0; i < NumPlannedStages(plan); ++i) sum += FprOfStage(plan, i);
    EXPECT_NEAR(sum, 0.01, 1e-15) << growth;
  }
  const GrowthPlan unlimited = Plan(0.01, 1, 0);
  double sum = 0;
  for (uint32_t i = 0; i < kMaxPlannedStages; ++i) {
    EXPECT_GT(FprOfStage(unlimited, i), 0);
    EXPECT_LT(FprOfStage(unlimited, i), i < 3 ? 0.01 : FprOfStage(unlimited, i - 1));
    sum += FprOfStage(unlimited, i);
  }
  EXPECT_LT(sum, 0.01) << "whatever comes";
  EXPECT_GT(sum, 0.0094) << "and little of it for stages that no machine holds";
}

// A thousandfold: what was promised of it, for first capacities from a handful to a million.
TEST(GrowthPlanTest, AThousandfoldCostsLessThanTwoFilters) {
  for (const double fpr : {1e-2, 1e-3, 1e-4}) {
    for (const uint64_t first_capacity : {300u, 1000u, 4096u, 100000u, 1000000u}) {
      const Cost cost = CostOf(Plan(fpr, first_capacity, 1000), 10);
      EXPECT_LE(cost.when_full, 1.9) << fpr << " from " << first_capacity;
      EXPECT_LE(cost.at_worst, 4) << fpr << " from " << first_capacity;
    }
  }
}

// The table of doc/DESIGN.md, from 10,000 keys: within its rounding.
TEST(GrowthPlanTest, CostsWhatTheDocumentSays) {
  struct Row {
    double fpr;
    Cost thousandfold, millionfold, unlimited, unlimited_long;
  };
  const Row rows[] = {{1e-4, {1.47, 3.53}, {1.62, 3.52}, {1.70, 3.53}, {1.89, 3.78}},
                      {1e-3, {1.56, 3.64}, {1.74, 3.64}, {1.83, 3.66}, {2.05, 4.11}},
                      {1e-2, {1.75, 3.86}, {1.99, 3.97}, {2.11, 4.21}, {2.40, 4.81}},
                      {5e-2, {2.09, 4.26}, {2.41, 4.83}, {2.58, 5.17}, {3.00, 6.01}},
                      {1e-1, {2.37, 4.74}, {2.78, 5.56}, {2.99, 5.98}, {3.51, 7.01}}};
  const auto is = [](const Cost& cost, const Cost& said, double fpr) {
    EXPECT_NEAR(cost.when_full, said.when_full, 0.0101) << fpr;
    EXPECT_NEAR(cost.at_worst, said.at_worst, 0.0101) << fpr;
  };
  for (const Row& row : rows) {
    is(CostOf(Plan(row.fpr, 10000, 1000), 10), row.thousandfold, row.fpr);
    is(CostOf(Plan(row.fpr, 10000, 1000000), 20), row.millionfold, row.fpr);
    is(CostOf(Plan(row.fpr, 10000, 0), 10), row.unlimited, row.fpr);
    is(CostOf(Plan(row.fpr, 10000, 0), 20), row.unlimited_long, row.fpr);
  }
}

}  // namespace
}  // namespace linefilter::internal
