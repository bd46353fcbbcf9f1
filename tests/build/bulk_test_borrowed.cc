// Hashes that a builder borrows give the bytes of hashes that it copied, in no more memory, whatever else happens to
// it.
#include <memory>

#include "linefilter/builder.h"
#include "tests/build/bulk_test.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {
namespace {

TEST(BorrowedHashes, GiveTheBytesOfCopiedOnes) {
  for (const Layout layout : test::EveryLayout()) {
    for (const size_t n : {0u, 1u, 4096u, 4097u, 20000u, 300000u}) {
      const std::vector<uint64_t> hashes = RandomHashes(n, n);
      const std::string expected = BuildPlainly(Options(layout), hashes);
      EXPECT_TRUE(BuildBorrowed(Options(layout), hashes) == expected) << LayoutName(layout) << ", " << n;
      for (const uint64_t fewest_of_piece : {1u, 100000u, 1u << 22}) {
        const ScopedTuning tuning(0, 64, fewest_of_piece);
        for (const size_t threads : {1u, 2u, 7u}) {
          EXPECT_TRUE(BuildBorrowed(Options(layout, test::Threads(threads)), hashes) == expected)
              << LayoutName(layout) << ", " << n << " keys, " << threads << " threads";
        }
        EXPECT_TRUE(BuildBorrowed(Options(layout, test::Backwards(300)), hashes) == expected) << LayoutName(layout);
      }
    }
  }
}

TEST(BorrowedHashes, GiveTheBytesOfCopiedOnesHoweverTheyFall) {
  for (const Layout layout : LayoutsOfRanges()) {
    for (const auto& [name, hashes] : SkewedSets(50000)) {
      SCOPED_TRACE(name);
      const std::string expected = BuildPlainly(Options(layout), hashes);
      const ScopedTuning tuning(0, 16, 1000);
      EXPECT_TRUE(BuildBorrowed(Options(layout), hashes) == expected) << LayoutName(layout);
      EXPECT_TRUE(BuildBorrowed(Options(layout, test::Threads(3)), hashes) == expected) << LayoutName(layout);
    }
  }
}

// Threads insert at once, each into a part of the body.
TEST(BulkBuild, GivesTheSameBytesByThreadsThatInsert) {
  const ScopedTuning tuning(~uint64_t{0}, 0);
  for (const Layout layout : test::EveryLayout()) {
    for (const size_t n : {1u, 50u, 5000u, test::Effort() < 1 ? 20000u : 300000u}) {
      std::vector<std::pair<std::string, std::vector<uint64_t>>> sets = SkewedSets(n);
      for (const auto& [name, hashes] : sets) {
        const std::string expected = BuildPlainly(Options(layout), hashes);
        for (const Executor& executor : {test::Threads(2), test::Threads(3), test::Backwards(300)}) {
          EXPECT_TRUE(Build(Options(layout, executor), hashes) == expected) << LayoutName(layout) << name << n;
          EXPECT_TRUE(BuildBorrowed(Options(layout, executor), hashes) == expected) << LayoutName(layout) << name << n;
        }
      }
    }
  }
}

// Whatever comes before them or behind.
TEST(BorrowedHashes, GoTogetherWithOthers) {
  const std::vector<uint64_t> hashes = RandomHashes(30000, 5);
  const size_t half = 15000;
  for (const Layout layout : test::EveryLayout()) {
    std::vector<uint64_t> all = hashes;
    all.insert(all.begin() + half, 2, hashes[half - 1]);
    const std::string expected = BuildPlainly(Options(layout), all);
    for (const bool is_used : {false, true}) {
      FilterBuilder behind(Options(layout)), before(Options(layout)), twice(Options(layout));
      for (FilterBuilder* builder : {&behind, &before, &twice}) {
        if (is_used) builder->AddHashes(hashes.data(), 1000);
        builder->Reset();
      }
      behind.BorrowHashes(hashes.data(), half);
      EXPECT_EQ(behind.ImageBytes(), Build(Options(layout), {hashes.begin(), hashes.begin() + half}).size());
      behind.AddHash(hashes[half - 1]);  // an adjacent repeat
      behind.AddHash(hashes[half - 1]);
      EXPECT_EQ(behind.num_keys(), half + 2);
      behind.AddHash(hashes[half]);
      behind.AddHashes(hashes.data() + half + 1, hashes.size() - half - 1);
      before.AddHashes(hashes.data(), half);
      before.AddHash(hashes[half - 1]);
      before.AddHash(hashes[half - 1]);
      before.BorrowHashes(hashes.data() + half, hashes.size() - half);
      twice.BorrowHashes(hashes.data(), half);
      twice.AddHashes(all.data() + half, 2);
      twice.BorrowHashes(hashes.data() + half, hashes.size() - half);
      for (FilterBuilder* builder : {&behind, &before, &twice}) {
        EXPECT_EQ(builder->num_keys(), all.size());
        const std::string image = Finish(builder);
        EXPECT_TRUE(image == expected) << LayoutName(layout);
        EXPECT_EQ(builder->num_keys(), 0u);
      }
    }
  }
}

TEST(BorrowedHashes, AreNotReadOnceTheImageIsMade) {
  FilterBuilder builder(Options(Layout::kBlocked));
  auto hashes = std::make_unique<std::vector<uint64_t>>(RandomHashes(50000, 1));
  const std::vector<uint64_t> others = RandomHashes(6000, 2);
  builder.BorrowHashes(hashes->data(), hashes->size());
  std::string image = Finish(&builder);
  hashes.reset();
  builder.AddHashes(others.data(), others.size());
  image = Finish(&builder);
  EXPECT_TRUE(image == Build(Options(Layout::kBlocked), others));
  hashes = std::make_unique<std::vector<uint64_t>>(RandomHashes(50000, 1));
  builder.BorrowHashes(hashes->data(), hashes->size());
  builder.Reset();
  hashes.reset();
  builder.BorrowHashes(others.data(), others.size());
  image = Finish(&builder);
  EXPECT_TRUE(image == Build(Options(Layout::kBlocked), others));
}

TEST(BorrowedHashes, StayWhenTheSinkRefuses) {
  const std::vector<uint64_t> hashes = RandomHashes(200000, 4);
  for (const Layout layout : test::EveryLayout()) {
    const std::string expected = BuildPlainly(Options(layout), hashes);
    const ScopedTuning tuning(0, 64);
    FilterBuilder builder(Options(layout, test::Threads(3)));
    builder.BorrowHashes(hashes.data(), hashes.size());
    Collector refusing, accepting;
    refusing.refuse_from = 100;
    EXPECT_EQ(builder.FinishToSink(refusing.sink()).code(), StatusCode::kIoError);
    EXPECT_EQ(builder.num_keys(), hashes.size());
    EXPECT_TRUE(builder.FinishToSink(accepting.sink()).ok());
    EXPECT_TRUE(accepting.bytes == expected) << LayoutName(layout);
  }
}

TEST(BorrowedHashes, TakeNoMoreMemoryThanEstimated) {
  for (const Layout layout : LayoutsOfRanges()) {
    for (const size_t n : {5000u, 30000u, 1000000u}) {
      for (const size_t threads : {1u, 4u}) {
        const ScopedTuning tuning(0, 256);
        const MemoryOfBuild memory =
            MeasureMemory(layout, n, threads, [](FilterBuilder* builder, const std::vector<uint64_t>& hashes) {
              builder->BorrowHashes(hashes.data(), hashes.size());
            });
        EXPECT_LE(memory.peak, memory.estimated) << LayoutName(layout) << ", " << n << ", " << threads << " threads";
        if (n == 1000000 && FactsOf(layout).takes_keys) {
          EXPECT_LE(memory.peak, memory.image_bytes + 5 * n + 1500000 * threads) << "half of the hashes";
        }
      }
    }
  }
}

// With the thresholds as they are, a small filter takes nothing but its image.
TEST(BorrowedHashes, OfASmallFilterTakeNoMemory) {
  TestAllocator allocator;
  const std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  FilterBuilder builder(allocator.WithHooks(Options(Layout::kBlocked)));
  builder.BorrowHashes(hashes.data(), hashes.size());
  std::string image(static_cast<size_t>(builder.ImageBytes()), 'x');
  ASSERT_TRUE(builder.FinishTo(image.data(), image.size(), nullptr).ok());
  EXPECT_EQ(allocator.num_allocations(), 0u);
}

// Repeats that show are removed from a copy; where there is no room for one the hashes stay.
TEST(BorrowedHashes, AreCopiedWhereRepeatsShow) {
  std::vector<uint64_t> hashes = RandomHashes(30000, 7);
  hashes.resize(60000);
  for (size_t i = 30000; i < hashes.size(); ++i) hashes[i] = hashes[(i * 7) % 30000];
  for (const FilterOptions& options : EveryOptions(10)) {
    TestAllocator allocator;
    FilterBuilder builder(allocator.WithHooks(options));
    builder.BorrowHashes(hashes.data(), hashes.size());
    allocator.FailFrom(0);
    std::string image;
    if (options.removable) {
      EXPECT_NE(builder.ImageBytes(), 0u);
    } else {
      EXPECT_EQ(builder.Finish(&image).code(), StatusCode::kOutOfMemory);
      EXPECT_EQ(builder.FinishToSink(Collector().sink()).code(), StatusCode::kOutOfMemory);
    }
    EXPECT_TRUE(builder.status().ok());
    EXPECT_EQ(builder.num_keys(), hashes.size());
    allocator.FailFrom(TestAllocator::kNever);
    image = Finish(&builder);
    EXPECT_TRUE(image == Build(options, hashes)) << LayoutName(options.layout);
    EXPECT_EQ(builder.sizing().num_keys, options.removable ? hashes.size() : 30000);
  }
}

TEST(BorrowedHashes, StayWhereThereIsNoMemoryForMore) {
  const std::vector<uint64_t> hashes = RandomHashes(50000, 7);
  TestAllocator allocator;
  FilterBuilder builder(allocator.WithHooks(Options(Layout::kBlocked)));
  builder.BorrowHashes(hashes.data(), hashes.size());
  allocator.FailFrom(3);  // in the middle of the copy
  builder.AddHash(1);
  EXPECT_EQ(builder.status().code(), StatusCode::kOutOfMemory);
  builder.Reset();
  allocator.FailFrom(TestAllocator::kNever);
  builder.BorrowHashes(hashes.data(), hashes.size());
  const std::string image = Finish(&builder);
  EXPECT_TRUE(image == Build(Options(Layout::kBlocked), hashes));
}

}  // namespace
}  // namespace linefilter::test
