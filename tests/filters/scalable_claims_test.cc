// A ScalableFilter of an image that claims more keys than came: it grows nevertheless.
#include "tests/filters/scalable_test.h"

namespace linefilter::test {
namespace {

TEST(ScalableClaims, AStageThatClaimsAllItsBitsGrows) {
  const std::vector<uint64_t> hashes = RandomHashes(3000, 1);
  for (const bool batch : {false, true}) {
    for (const uint64_t num_keys : {uint64_t{512}, uint64_t{511}}) {
      SCOPED_TRACE(num_keys);
      const reference::Bytes image = Claim(num_keys, 1000);
      ScalableFilter filter = FromImage<ScalableFilter>(image);
      if (batch) {
        filter.InsertHashes(hashes.data(), 2);
        filter.InsertHashes(hashes.data(), hashes.size());
      } else {
        for (const uint64_t hash : hashes) filter.InsertHash(hash);
      }
      EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
      EXPECT_EQ(filter.num_stages(), 3u) << "2,000 keys in the second stage, the others in the third";
      const std::vector<uint64_t> others = RandomHashes(20000, 2);
      EXPECT_LE(filter.CountMaybes(others.data(), others.size()), 300u);
      EXPECT_TRUE(filter.growth_status().ok()) << filter.growth_status().message();
    }
  }
}

// Keys that come together open it at the same one of them as one by one.
TEST(ScalableClaims, ABatchGoesOverTheLastBitAsSingleKeysDo) {
  const reference::Bytes image = Claim(492, 1000);
  ScalableFilter one_by_one = FromImage<ScalableFilter>(image);
  ScalableFilter together = FromImage<ScalableFilter>(image);
  const std::vector<uint64_t> hashes = RandomHashes(40, 1);
  for (const uint64_t hash : hashes) one_by_one.InsertHash(hash);
  together.InsertHashes(hashes.data(), hashes.size());
  for (const ScalableFilter* filter : {&one_by_one, &together}) {
    EXPECT_EQ(filter->num_stages(), 2u);
    EXPECT_EQ(filter->stage(0).num_keys, 512u);
    EXPECT_EQ(filter->stage(1).num_keys, 20u);
  }
}

// Memory that comes back is used, though such a stage counts no further key.
TEST(ScalableClaims, AFullStageAsksForMemoryAgain) {
  const reference::Bytes image = Claim(511, 1000);
  TestAllocator memory;
  ScalableFilter filter = FromImage<ScalableFilter>(image, memory.WithHooks());
  const std::vector<uint64_t> hashes = RandomHashes(200, 1);
  memory.FailFrom(0);
  const uint64_t asked_before = memory.num_allocations();
  filter.InsertHashes(hashes.data(), 30);
  EXPECT_EQ(filter.num_stages(), 1u);
  EXPECT_EQ(memory.num_allocations(), asked_before + 1) << "not with every key";
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kOutOfMemory) << filter.growth_status().message();
  memory.FailFrom(TestAllocator::kNever);
  filter.InsertHashes(hashes.data() + 30, hashes.size() - 30);
  EXPECT_EQ(filter.num_stages(), 2u);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

// What cannot grow takes keys still, and says so.
TEST(ScalableClaims, AFullStageThatMayNotGrowTakesKeys) {
  const reference::Bytes image = Claim(512, 1000);
  FilterOptions options;
  options.memory_limit = 20000;
  ScalableFilter small = FromImage<ScalableFilter>(image, options);
  options.memory_limit = small.MemoryUse();
  ScalableFilter filter = FromImage<ScalableFilter>(image, options);
  const std::vector<uint64_t> hashes = RandomHashes(100, 1);
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_EQ(filter.num_stages(), 1u);
  EXPECT_EQ(filter.growth_status().code(), StatusCode::kOverLimit);
}

}  // namespace
}  // namespace linefilter::test
