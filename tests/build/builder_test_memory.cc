// The memory is what was estimated, within its limit; bad options are answered by a status. (Memory that runs out:
// alloc_faults_test.)
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "tests/testing/building.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/test_allocator.h"
#include "tests/testing/threads.h"

namespace linefilter::test {
namespace {

TEST(FilterBuilder, ReportsBadOptionsAndIgnoresKeys) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::pair<const char*, FilterOptions>> cases;
  const auto add = [&](const char* what, auto change) {
    FilterOptions options = BitsPerKey(10);
    change(&options);
    cases.emplace_back(what, options);
  };
  add("neither density nor rate", [](FilterOptions* o) { o->bits_per_key = 0; });
  add("both", [](FilterOptions* o) { o->fpr = 0.01; });
  add("0.5 bits", [](FilterOptions* o) { o->bits_per_key = 0.5; });
  add("1e9 bits", [](FilterOptions* o) { o->bits_per_key = 1e9; });
  add("-1 bits", [](FilterOptions* o) { o->bits_per_key = -1; });
  add("NaN bits", [&](FilterOptions* o) { o->bits_per_key = nan; });
  add("fpr 1", [](FilterOptions* o) { o->bits_per_key = 0, o->fpr = 1; });
  add("fpr -1", [](FilterOptions* o) { o->bits_per_key = 0, o->fpr = -1; });
  add("fpr NaN", [&](FilterOptions* o) { o->bits_per_key = 0, o->fpr = nan; });
  add("fpr 1e-300", [](FilterOptions* o) { o->bits_per_key = 0, o->fpr = 1e-300; });
  add("17 probes of blocked", [](FilterOptions* o) { o->num_probes = 17, o->layout = Layout::kBlocked; });
  add("31 probes of classic", [](FilterOptions* o) { o->num_probes = 31, o->layout = Layout::kClassic; });
  add("probes with fpr", [](FilterOptions* o) { o->bits_per_key = 0, o->fpr = 0.01, o->num_probes = 5; });
  add("a layout that is made of filters", [](FilterOptions* o) { o->layout = Layout::kContainer; });
  add("more keys than any body has room for", [](FilterOptions* o) { o->num_keys = uint64_t{1} << 60; });
  add("threads of nobody", [](FilterOptions* o) { o->executor.num_threads = 2; });
  add("an executor of no thread", [](FilterOptions* o) { o->executor = Backwards(0); });
  add("a layout from nowhere", [](FilterOptions* o) { o->layout = static_cast<Layout>(99); });
  add("a hash id from nowhere", [](FilterOptions* o) { o->hash_id = static_cast<HashId>(99); });
  add("a keyed hash without a secret", [](FilterOptions* o) { o->hash_id = HashId::kKeyed; });
  add("half an allocator",
      [](FilterOptions* o) { o->allocator.deallocate = [](void*, void*, size_t, size_t) noexcept {}; });
  for (const auto& [what, options] : cases) {
    FilterBuilder builder(options);
    const StatusCode code = builder.status().code();
    EXPECT_TRUE(code == StatusCode::kInvalidArgument || code == StatusCode::kUnsupported)
        << what << ": " << builder.status().message();
    EXPECT_GT(std::strlen(builder.status().message()), 20u) << what;
    builder.AddKey("x");
    builder.AddHash(5);
    std::vector<uint64_t> hashes = RandomHashes(10000, 1);
    builder.AddHashes(hashes.data(), hashes.size());
    builder.Reset();
    EXPECT_EQ(builder.ImageBytes(), 0u);
    std::string image = "untouched";
    EXPECT_STREQ(builder.Finish(&image).message(), builder.status().message()) << what;
    EXPECT_EQ(image, "untouched");
    uint64_t bytes = 0;
    EXPECT_EQ(FilterBuilder::EstimateBytes(options, 1000, &bytes).code(), code) << what;
  }
}

// What was estimated is what is used: never more, and the image exactly.
TEST(FilterBuilder, HoldsNoMoreMemoryThanEstimated) {
  if (IsEmulated()) GTEST_SKIP() << kSlowInAnEmulator;
  for (const Layout layout : {Layout::kAuto, Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
    for (const size_t n : {0u, 1u, 100u, 4097u, 100000u, 3000000u}) {
      TestAllocator allocator;
      FilterOptions options = allocator.WithHooks(BitsPerKey(12, layout));
      uint64_t image_bytes = 0, peak = 0;
      ASSERT_TRUE(FilterBuilder::EstimateBytes(options, n, &image_bytes, &peak).ok());
      FilterBuilder builder(options);
      const std::vector<uint64_t> hashes = RandomHashes(n, n);
      builder.AddHashes(hashes.data(), n);
      EXPECT_EQ(builder.ImageBytes(), image_bytes) << n;
      Collector collector;
      ASSERT_TRUE(builder.FinishToSink(collector.sink()).ok());
      EXPECT_EQ(collector.bytes.size(), image_bytes) << n;
      EXPECT_LE(allocator.peak_bytes(), peak) << n << " keys";
      const uint64_t solver = layout == Layout::kRetrieval ? 1500000 : 0;  // a range's hashes sorted, and its systems
      EXPECT_LE(peak, 8 * n + n / 2 + image_bytes + 300000 + solver)
          << n << " keys: 8 bytes each and the image, and little else";
    }
  }
}

TEST(FilterBuilder, AnswersTheMemoryLimit) {
  constexpr size_t kKeys = 400000;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  FilterOptions options = BitsPerKey(12);
  uint64_t image_bytes = 0, peak = 0;
  ASSERT_TRUE(FilterBuilder::EstimateBytes(options, kKeys, &image_bytes, &peak).ok());
  for (const uint64_t limit : {uint64_t{0}, uint64_t{1}, uint64_t{10000}, uint64_t{8 * kKeys / 2}, peak - 1, peak}) {
    TestAllocator allocator;
    options.allocator = allocator.hooks();
    options.memory_limit = limit;
    FilterBuilder builder(options);
    builder.AddHashes(hashes.data(), kKeys);
    Collector collector;
    const Status status = builder.FinishToSink(collector.sink());
    EXPECT_LE(allocator.peak_bytes(), limit) << "kept";
    if (limit == peak) {
      EXPECT_TRUE(IsOk(status)) << "the estimate is enough";
    } else if (limit < 8 * kKeys) {
      EXPECT_EQ(status.code(), StatusCode::kOverLimit) << limit << ": " << status.message();
      EXPECT_TRUE(collector.bytes.empty());
    }
  }
}

TEST(FilterBuilder, EstimatesWithoutBuilding) {
  FilterOptions options = BitsPerKey(10);
  uint64_t image_bytes = 0, peak = 0;
  ASSERT_TRUE(FilterBuilder::EstimateBytes(options, 1000000000, &image_bytes, &peak).ok());
  EXPECT_NEAR(static_cast<double>(image_bytes), 1.25e9, 1.25e6);
  EXPECT_GT(peak, 9250000000u);
  EXPECT_TRUE(FilterBuilder::EstimateBytes(options, 1000000000, &image_bytes, nullptr).ok());
  for (const uint64_t n : {uint64_t{1} << 60, ~uint64_t{0}}) {
    const Status status = FilterBuilder::EstimateBytes(options, n, &image_bytes, &peak);
    EXPECT_FALSE(status.ok()) << "past what can be addressed";
  }
  // Many more keys than the size is for: this went on for ever, or told what is left beyond 2^64.
  options.num_keys = 1000;
  for (const Layout layout : {Layout::kBlocked, Layout::kRetrieval}) {
    options.layout = layout;
    options.executor = test::Backwards(4);
    for (uint32_t bits = 20; bits < 64; ++bits) {
      const uint64_t n = uint64_t{3} << (bits - 1);
      const Status status = FilterBuilder::EstimateBytes(options, n, &image_bytes, &peak);
      ASSERT_EQ(status.code(), bits < 60 ? StatusCode::kOk : StatusCode::kOutOfMemory) << status.message();
      EXPECT_TRUE(bits >= 60 || peak > 8 * n) << peak << " bytes for " << n << " keys";
    }
  }
}

}  // namespace
}  // namespace linefilter::test
