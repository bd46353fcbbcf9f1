// A builder makes one small filter after the other: in the memory of the first, with the size that the model has.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/options.h"
#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

TEST(SmallFilters, AreMadeInTheMemoryOfTheFirst) {
  for (const Layout layout : EveryLayout()) {
    for (const size_t n : {1u, 10u, 50u, 120u, 400u, 4000u}) {
      TestAllocator allocator;
      const FilterOptions options = allocator.WithHooks(BitsPerKey(10, layout));
      FilterBuilder builder(options);
      std::string image(n * 2 + 200, '\0');
      uint64_t after_first = 0;
      for (uint64_t seed = 0; seed < 4; ++seed) {
        std::vector<uint64_t> hashes = RandomHashes(n, seed);
        if (seed == 2 && n > 1) hashes[n - 1] = hashes[0];
        builder.AddHashes(hashes.data(), n);
        size_t size = 0;
        ASSERT_TRUE(IsOk(builder.FinishTo(image.data(), image.size(), &size)));
        EXPECT_TRUE(image.substr(0, size) == Build(BitsPerKey(10, layout), hashes));
        if (seed == 0) after_first = allocator.num_allocations();
      }
      EXPECT_EQ(allocator.num_allocations(), after_first) << LayoutName(layout) << ", " << n;
    }
  }
}

// What is kept is little, and goes where it is in the way.
TEST(SmallFilters, KeepLittleMemory) {
  for (const Layout layout : EveryLayout()) {
    TestAllocator allocator;
    FilterBuilder builder(allocator.WithHooks(BitsPerKey(10, layout)));
    for (const size_t n : {400u, 300000u, 4000u, 3u}) {
      const std::vector<uint64_t> hashes = RandomHashes(n, n);
      builder.AddHashes(hashes.data(), n);
      Finish(&builder);
      const bool has_work_area = layout == Layout::kRetrieval || layout == Layout::kQuotient;
      EXPECT_LE(allocator.live_bytes(), (uint64_t{64} << 10) + (has_work_area ? 1 << 20 : 0));
    }
    builder.Reset();
    EXPECT_LE(allocator.live_bytes(), 1024u);
  }
}

TEST(SmallFilters, KeepToTheLimitAfterOthers) {
  const std::vector<uint64_t> hashes = RandomHashes(60000, 1);
  const auto peak_of = [](size_t n, uint64_t* image_bytes) {
    uint64_t peak = 0;
    EXPECT_TRUE(FilterBuilder::EstimateBytes(BitsPerKey(10, Layout::kRetrieval), n, image_bytes, &peak).ok());
    return peak;
  };
  for (const size_t first : {3u, 400u, 4000u, 8000u}) {
    for (const size_t second : {5u, 500u, 4500u, 60000u}) {
      TestAllocator allocator;
      FilterOptions options = allocator.WithHooks(BitsPerKey(10, Layout::kRetrieval));
      uint64_t bytes = 0;
      const uint64_t of_first = peak_of(first, &bytes), of_second = peak_of(second, &bytes);
      options.memory_limit = of_first > of_second ? of_first : of_second;
      FilterBuilder builder(options);
      for (const size_t n : {first, second}) {
        builder.AddHashes(hashes.data(), n);
        Collector collector;
        EXPECT_TRUE(IsOk(builder.FinishToSink(collector.sink()))) << first << ", " << second;
      }
      EXPECT_LE(allocator.peak_bytes(), options.memory_limit) << first << ", " << second;
    }
  }
}

// An allocator that adds keys to the builder whose memory it gets back.
struct AddingAllocator {
  FilterBuilder* builder = nullptr;

  FilterOptions WithHooks(FilterOptions options) {
    options.allocator = {[](void*, size_t size, size_t alignment) noexcept {
                           return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
                         },
                         [](void* context, void* pointer, size_t, size_t) noexcept {
                           std::free(pointer);
                           auto* const self = static_cast<AddingAllocator*>(context);
                           FilterBuilder* const to = self->builder;
                           self->builder = nullptr;  // once
                           for (const uint64_t hash : RandomHashes(to == nullptr ? 0 : 300, 5)) to->AddHash(hash);
                         },
                         this};
    return options;
  }
};

// What Reset gives back is not in use any more: keys that come meanwhile are those of the next image.
TEST(SmallFilters, GiveMemoryBackBehindTheLastKey) {
  for (const Layout layout : EveryLayout()) {
    for (const size_t n : {200u, 5000u, 30000u}) {
      AddingAllocator allocator;
      FilterBuilder builder(allocator.WithHooks(BitsPerKey(10, layout)));
      const std::vector<uint64_t> hashes = RandomHashes(n, n), few = RandomHashes(1000, 2);
      builder.AddHashes(few.data(), few.size());
      Finish(&builder);  // of `retrieval` it leaves a work area
      builder.AddHashes(hashes.data(), n);
      allocator.builder = &builder;
      builder.Reset();
      EXPECT_EQ(builder.num_keys(), 300u);
      EXPECT_TRUE(Finish(&builder) == Build(BitsPerKey(10, layout), RandomHashes(300, 5))) << LayoutName(layout) << n;
    }
  }
}

// A rate that nobody asks for is not computed, and num_probes of an earlier filter are looked up.
TEST(SmallFilters, HaveTheSizeOfTheModel) {
  const uint64_t most = Effort() < 1 ? 500 : 5000;
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval, Layout::kAuto}) {
    for (double bits = 6; bits <= 20; ++bits) {
      for (uint64_t n = 1; n <= most; ++n) {
        Sizing sizing, again;
        ASSERT_TRUE(internal::ShapeForOptions(layout, n, BitsPerKey(bits, layout), &sizing).ok());
        ASSERT_TRUE(internal::ShapeForOptions(layout, n, BitsPerKey(bits, layout), &again).ok());
        ASSERT_TRUE(sizing.layout == again.layout && sizing.num_probes == again.num_probes &&
                    sizing.body_bytes == again.body_bytes);
        if (sizing.layout != Layout::kBlocked) continue;
        const auto fpr = [&](uint32_t k) { return ExpectedFpr(Layout::kBlocked, n, sizing.body_bytes, k); };
        const double best = fpr(sizing.num_probes);
        ASSERT_FALSE(fpr(sizing.num_probes + 1) < best) << n << ", " << bits;
        ASSERT_FALSE(sizing.num_probes > 1 && fpr(sizing.num_probes - 1) < best) << n << ", " << bits;
      }
    }
  }
}

TEST(SmallFilters, TellTheirRateWhenAsked) {
  for (const Layout layout : EveryLayout()) {
    for (const FilterOptions& options : {BitsPerKey(10, layout), Fpr(0.2, layout)}) {
      FilterBuilder builder(options);
      EXPECT_EQ(builder.sizing().expected_fpr, 0);
      for (const size_t n : {0u, 1u, 400u, 401u}) {
        const std::vector<uint64_t> hashes = RandomHashes(n, n + 1);
        builder.AddHashes(hashes.data(), n);
        Finish(&builder);
        Sizing sizing;
        ASSERT_TRUE(IsOk(options.fpr == 0 ? SizeForBitsPerKey(layout, n, options.bits_per_key, &sizing)
                                          : SizeForFpr(layout, n, options.fpr, &sizing)));
        EXPECT_EQ(builder.sizing().body_bytes, sizing.body_bytes);
        EXPECT_EQ(builder.sizing().num_probes, sizing.num_probes);
        EXPECT_EQ(builder.sizing().expected_fpr, sizing.expected_fpr) << LayoutName(layout) << ", " << n;
      }
    }
  }
}

}  // namespace
}  // namespace linefilter::test
