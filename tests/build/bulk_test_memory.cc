// Memory stays within its limit and within what was estimated, by any number of threads.
#include "lib/base/memory.h"
#include "lib/build/partition.h"
#include "linefilter/builder.h"
#include "tests/build/bulk_test.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {
namespace {

TEST(BulkBuild, HoldsNoMoreMemoryThanEstimated) {
  const ScopedTuning tuning(0, 256);
  for (const Layout layout : LayoutsOfRanges()) {
    for (const size_t n : {1000u, 30000u, 1000000u}) {
      for (const size_t threads : {1u, 4u}) {
        const MemoryOfBuild memory =
            MeasureMemory(layout, n, threads, [](FilterBuilder* builder, const std::vector<uint64_t>& hashes) {
              builder->AddHashes(hashes.data(), hashes.size());
            });
        EXPECT_LE(memory.peak, memory.estimated) << n << " keys, " << threads << " threads";
        EXPECT_GE(memory.peak, 8 * n);
      }
    }
  }
}

// How many of the hashes fall into the fullest range of a body that they fill.
uint64_t Fullest(Layout layout, const std::vector<uint64_t>& hashes, uint64_t range_blocks) {
  Sizing sizing;
  EXPECT_TRUE(SizeForBitsPerKey(layout, hashes.size(), 10, &sizing).ok());
  const uint64_t num_blocks = sizing.body_bytes / 64;
  std::vector<uint64_t> counts(num_blocks / range_blocks + 1);
  for (const uint64_t hash : hashes) ++counts[BlockIndex(hash, num_blocks) / range_blocks];
  return *std::max_element(counts.begin(), counts.end());
}

// Where hashes pile up fewer threads work: what is estimated is exceeded by one very full range alone, not by as many
// as there are threads.
TEST(BulkBuild, ExceedsTheEstimateByOneFullRangeAtMost) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  constexpr uint64_t kRangeBlocks = 64;
  const ScopedTuning tuning(0, kRangeBlocks);
  for (const Layout layout : LayoutsOfRanges()) {
    for (const auto& [name, hashes] : SkewedSets(300000)) {
      for (const size_t threads : {1u, 4u}) {
        SCOPED_TRACE(std::string(LayoutName(layout)) + ", " + name + ", " + std::to_string(threads) + " threads");
        TestAllocator allocator;
        FilterOptions options = allocator.WithHooks(Options(layout, test::Threads(threads)));
        FilterBuilder builder(options);
        builder.AddHashes(hashes.data(), hashes.size());
        uint64_t image_bytes = 0, peak = 0;
        ASSERT_TRUE(FilterBuilder::EstimateBytes(options, builder.num_keys(), &image_bytes, &peak).ok());
        Collector collector;
        ASSERT_TRUE(builder.FinishToSink(collector.sink()).ok());
        const uint64_t share = hashes.size() * kRangeBlocks * 64 / image_bytes;
        const uint64_t fullest = Fullest(layout, hashes, kRangeBlocks);
        const bool piles_up = !FactsOf(layout).takes_keys && fullest > 2 * share;
        EXPECT_LE(allocator.peak_bytes(), peak + (piles_up ? fullest * 4 + fullest / 50 : 0));
      }
    }
  }
}

// Each thread of `retrieval` has a work area: they must not take more than a quarter of the hashes' memory, but for a
// few that have much to do.
TEST(BulkBuild, TakesNoMoreThreadsThanTheirMemoryIsWorth) {
  const LayoutMaker& maker = *FindMaker(Layout::kRetrieval);
  const uint64_t per_thread = maker.range_scratch_bytes(maker.range_blocks, 0);
  for (const uint64_t num_keys : {uint64_t{60000}, uint64_t{500000}, uint64_t{1000000}, uint64_t{30000000}}) {
    Sizing sizing;
    ASSERT_TRUE(SizeForBitsPerKey(Layout::kRetrieval, num_keys, 10, &sizing).ok());
    const internal::BulkPlan plan =
        internal::PlanBulk(maker, sizing, num_keys, internal::ChunkTotals(), test::Threads(256), {0, kNoMemoryLimit});
    if (num_keys <= 60000) {
      EXPECT_EQ(plan.num_workers, 1u) << "two ranges";
    } else if (num_keys <= 1000000) {
      EXPECT_GE(plan.num_workers, 2u) << num_keys;
      EXPECT_LE(plan.num_workers, 4u) << num_keys;
    } else {
      EXPECT_GT(plan.num_workers, 8u);
      EXPECT_LE(plan.num_workers * per_thread, 2 * num_keys);
    }
    EXPECT_GE(plan.scratch, plan.num_workers * per_thread);
    EXPECT_LE(plan.scratch, plan.memory);
  }
}

// Its solver counts in 32 bits.
TEST(BulkBuild, RefusesMoreHashesOfARangeThanAreCounted) {
  for (const Layout layout : LayoutsOfRanges()) {
    const LayoutMaker& maker = *FindMaker(layout);
    if (maker.takes_keys()) continue;
    TestAllocator allocator;
    uint8_t block[64];
    internal::ProbeState state;
    internal::BindBody(*internal::FindLayout(layout), {block, sizeof(block)}, &state);
    internal::WorkArea area;
    const Status status =
        internal::BuildOneRange(maker, allocator.hooks(), state, block, nullptr, 0, uint64_t{1} << 32, &area);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(allocator.num_allocations(), 0u);
    EXPECT_TRUE(internal::BuildOneRange(maker, allocator.hooks(), state, block, nullptr, 0, 0, &area).ok());
    internal::FreeWorkArea(allocator.hooks(), &area);
  }
}

TEST(BulkBuild, AsksForNoMoreMemoryThanThereCanBe) {
  TestAllocator allocator;
  for (const uint64_t size : {uint64_t{SIZE_MAX / 2} + 1, ~uint64_t{0}}) {
    EXPECT_EQ(internal::Allocate(allocator.hooks(), size), nullptr);
    EXPECT_EQ(internal::AllocateZeroed(allocator.hooks(), size), nullptr);
    EXPECT_EQ(internal::Allocate(Allocator(), size), nullptr);
  }
  EXPECT_EQ(allocator.num_allocations(), 0u);
}

// The limit is kept, whatever it is; the less, the fewer threads, and at last none of the bulk's memory.
TEST(BulkBuild, KeepsTheMemoryLimit) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  const ScopedTuning tuning(0, 64);
  constexpr size_t kKeys = 400000;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  for (const Layout layout : LayoutsOfRanges()) {
    const std::string expected = BuildPlainly(Options(layout), hashes);
    FilterOptions options = Options(layout, test::Threads(4));
    uint64_t image_bytes = 0, peak = 0, peak_now = 0;
    ASSERT_TRUE(FilterBuilder::EstimateBytes(options, kKeys, &image_bytes, &peak).ok());
    uint64_t least = 0;  // without the bulk's memory, where that is possible
    {
      const ScopedTuning none(~uint64_t{0}, 64);
      ASSERT_TRUE(FilterBuilder::EstimateBytes(options, kKeys, &image_bytes, &least).ok());
    }
    if (FactsOf(layout).takes_keys) {
      EXPECT_LT(least + 100000, peak);
    }
    int enough = 0;
    for (uint64_t limit = 8 * kKeys; limit < peak + 100000; limit += peak / 23) {
      TestAllocator allocator;
      options.allocator = allocator.hooks();
      options.memory_limit = limit;
      FilterBuilder builder(options);
      builder.AddHashes(hashes.data(), kKeys);
      Collector collector;
      const Status status = builder.FinishToSink(collector.sink());
      EXPECT_LE(allocator.peak_bytes(), limit);
      ASSERT_TRUE(FilterBuilder::EstimateBytes(options, kKeys, &image_bytes, &peak_now).ok());
      if (FactsOf(layout).takes_keys) {
        EXPECT_LE(peak_now, std::max(limit, least)) << "one by one if need be";
      }
      if (peak_now <= limit) {
        ++enough;
        ASSERT_TRUE(IsOk(status)) << limit << " of " << peak_now;
      }
      if (status.ok()) {
        EXPECT_TRUE(collector.bytes == expected) << limit;
      } else {
        EXPECT_EQ(status.code(), StatusCode::kOverLimit);
        EXPECT_TRUE(collector.bytes.empty());
      }
    }
    EXPECT_GE(enough, 2);
  }
}

}  // namespace
}  // namespace linefilter::test
