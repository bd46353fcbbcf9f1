// Bulk building: hashes sorted into ranges of blocks and made range by range give the bytes of one-by-one insertion, by
// any number of threads, and whatever fails leaves a builder's keys where they were.
#include "tests/build/bulk_test.h"

#include <atomic>

#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

TEST(BulkBuild, GivesTheBytesOfInsertion) {
  for (const Layout layout : LayoutsOfRanges()) {
    for (const size_t n : {1u, 30u, 120u, 800u, 1639u, 1640u, 20000u, 300000u}) {
      const std::vector<uint64_t> hashes = RandomHashes(n, n);
      const std::string expected = BuildPlainly(Options(layout), hashes);
      for (const uint64_t range_blocks : {1u, 2u, 32u, 1024u, 4096u}) {
        const ScopedTuning tuning(0, range_blocks);
        EXPECT_TRUE(Build(Options(layout), hashes) == expected)
            << LayoutName(layout) << ", " << n << " keys, ranges of " << range_blocks << " blocks";
      }
    }
  }
}

TEST(BulkBuild, GivesTheBytesOfInsertionHoweverTheHashesFall) {
  for (const Layout layout : LayoutsOfRanges()) {
    for (const auto& [name, hashes] : SkewedSets(50000)) {
      SCOPED_TRACE(name);
      const std::string expected = BuildPlainly(Options(layout), hashes);
      const ScopedTuning tuning(0, 16);
      EXPECT_TRUE(Build(Options(layout), hashes) == expected) << LayoutName(layout);
      EXPECT_TRUE(Build(Options(layout, test::Threads(3)), hashes) == expected) << LayoutName(layout);
    }
  }
}

TEST(BulkBuild, GivesTheSameBytesByAnyNumberOfThreads) {
  for (const Layout layout : test::EveryLayout()) {
    const std::vector<uint64_t> hashes = RandomHashes(test::Effort() < 1 ? 40000 : 150000, 3);
    const std::string expected = BuildPlainly(Options(layout), hashes);
    for (const uint64_t range_blocks : {64u, 1024u}) {
      const ScopedTuning tuning(0, range_blocks);
      for (const size_t threads : {1u, 2u, 3u, 7u, 300u}) {
        EXPECT_TRUE(Build(Options(layout, test::Backwards(threads)), hashes) == expected) << threads;
        if (threads > 7) continue;
        EXPECT_TRUE(Build(Options(layout, test::Threads(threads)), hashes) == expected) << threads;
        FilterBuilder builder(Options(layout, test::Threads(threads)));
        builder.AddHashes(hashes.data(), hashes.size());
        Collector collector;
        ASSERT_TRUE(builder.FinishToSink(collector.sink()).ok());
        EXPECT_TRUE(collector.bytes == expected) << threads;
      }
    }
  }
}

// It should not, but a key must not get lost by it.
TEST(BulkBuild, LosesNoKeyToAnExecutorThatDropsTasks) {
  const ScopedTuning tuning(0, 64);
  const std::vector<uint64_t> hashes = RandomHashes(400000, 3);
  Executor none, some;
  none.num_threads = some.num_threads = 4;
  none.run = [](void*, void (*)(void*, size_t), void*, size_t) noexcept {};
  some.run = [](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
    if (num_tasks > 1) task(argument, 1);
  };
  for (const Layout layout : test::EveryLayout()) {
    const std::string expected = BuildPlainly(Options(layout), hashes);
    for (const Executor& executor : {none, some}) {
      EXPECT_TRUE(Build(Options(layout, executor), hashes) == expected) << LayoutName(layout);
    }
  }
}

// Millions of hashes in one call are copied by the executor's threads, wherever the repeats are.
TEST(BulkBuild, AddsManyHashesAsOneByOne) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  constexpr size_t kMiB = 1 << 20, kHeader = 64;
  // Chunks of 1 KiB to 1 MiB; from there on of 2 MiB, of which threads fill 2, 4, 8 at once.
  constexpr size_t kAlone = (2 * kMiB - 1024 - 11 * kHeader) / 8, kChunk = (2 * kMiB - kHeader) / 8;
  constexpr size_t kHashes = kAlone + 9 * kChunk;
  std::atomic<int> num_runs{0};
  Executor executor = test::Threads(3);
  executor.context = &num_runs;
  executor.run = [](void* context, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
    ++*static_cast<std::atomic<int>*>(context);
    test::Threads(3).run(nullptr, task, argument, num_tasks);
  };
  std::vector<uint64_t> hashes = RandomHashes(kHashes, 99);
  const auto expect_all = [&] {
    TestAllocator allocator;
    FilterBuilder builder(allocator.WithHooks(Options(Layout::kBlocked, executor)));
    num_runs = 0;
    builder.AddHashes(hashes.data(), hashes.size());
    EXPECT_GT(num_runs, 1) << "nothing was shared out";
    EXPECT_EQ(builder.num_keys(), kHashes);
    EXPECT_LE(allocator.peak_bytes(), 8 * kHashes + (uint64_t{3} << 20)) << "no more than the hashes need";
    const std::string image = Finish(&builder);
    std::vector<uint8_t> answers(kHashes);
    FilterView(image.data(), image.size(), VerifyMode::kWhole).MayContainHashes(hashes.data(), kHashes, answers.data());
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(kHashes));
  };
  expect_all();
  // At the edges of what a thread compares and fills.
  for (const size_t at : {size_t{0}, size_t{512}, kChunk - 1, kChunk, 2 * kChunk, 2 * kChunk + 1}) {
    if (test::Effort() < 1 && at % kChunk != 0) continue;
    const uint64_t kept = std::exchange(hashes[kAlone + at], hashes[kAlone + at - 1]);
    expect_all();
    hashes[kAlone + at] = kept;
  }
  for (size_t i = kAlone; i < kHashes; i += kChunk + 77) hashes[i] = hashes[i - 1];
  expect_all();
}

TEST(BulkBuild, AddsManyHashesOneByOneWhereMemoryIsShort) {
  std::vector<uint64_t> hashes = RandomHashes(4400000, 3);  // nearly 36 MiB
  const size_t num_keys = hashes.size() + 2000001;
  const std::vector<uint64_t> others = RandomHashes(2000000, 4);  // 16 MiB, for which there is no room
  hashes.insert(hashes.end(), others.begin(), others.end());
  hashes.push_back(7);
  TestAllocator allocator;
  FilterOptions options = allocator.WithHooks(Options(Layout::kBlocked, test::Threads(2)));
  options.memory_limit = uint64_t{44} << 20;
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  EXPECT_EQ(builder.status().code(), StatusCode::kOverLimit);
  EXPECT_LE(allocator.peak_bytes(), options.memory_limit);
  EXPECT_LT(builder.num_keys(), num_keys);
  EXPECT_GT(8 * builder.num_keys(), options.memory_limit - (uint64_t{3} << 20)) << "all that there is room for";

  hashes.resize(4400000);
  hashes.resize(13000000, 7);  // all one key: no memory is needed
  builder.Reset();
  builder.AddHashes(hashes.data(), hashes.size());
  EXPECT_TRUE(builder.status().ok()) << builder.status().message();
  EXPECT_EQ(builder.num_keys(), hashes.size());
  EXPECT_LE(allocator.peak_bytes(), options.memory_limit);
}

// With the thresholds as they are.
TEST(BulkBuild, BeginsByItself) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  constexpr uint64_t kKeys = 14000000;  // 17 MiB
  FilterBuilder bulk(Options(Layout::kBlocked)), plain(Options(Layout::kBlocked));
  test::Random random(1);
  for (uint64_t i = 0; i < kKeys; ++i) {
    const uint64_t hash = random();
    bulk.AddHash(hash);
    plain.AddHash(hash);
  }
  ASSERT_GE(bulk.ImageBytes(), BulkTuning().min_body_bytes);
  std::string image, expected;
  ASSERT_TRUE(bulk.Finish(&image).ok());
  const ScopedTuning tuning(~uint64_t{0}, 0);
  ASSERT_TRUE(plain.Finish(&expected).ok());
  EXPECT_TRUE(image == expected);
}

TEST(BulkBuild, KeepsTheKeysWhenTheSinkRefuses) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  const test::TempDir dir;
  const std::vector<uint64_t> hashes = RandomHashes(400000, 4);
  for (const Layout layout : LayoutsOfRanges()) {
    for (const size_t n : {300000u, 131072u + 100u, 20000u}) {
      const std::vector<uint64_t> some(hashes.begin(), hashes.begin() + static_cast<ptrdiff_t>(n));
      std::vector<uint64_t> all = hashes;
      all.insert(all.begin() + static_cast<ptrdiff_t>(n), hashes[n - 1]);
      const std::string expected = BuildPlainly(Options(layout), some),
                        expected_all = BuildPlainly(Options(layout), all);
      for (const size_t threads : {1u, 3u}) {
        const ScopedTuning tuning(0, 64);
        FilterBuilder builder(Options(layout, test::Threads(threads)));
        builder.AddHashes(some.data(), n);
        Collector refusing, accepting;
        for (const size_t refuse_from : {size_t{0}, expected.size() - 1}) {
          refusing = {};
          refusing.refuse_from = refuse_from;
          EXPECT_EQ(builder.FinishToSink(refusing.sink()).code(), StatusCode::kIoError);
          EXPECT_EQ(builder.num_keys(), n);
        }
        EXPECT_EQ(builder.FinishToSink(Sink()).code(), StatusCode::kInvalidArgument);
        EXPECT_EQ(builder.num_keys(), n);
        EXPECT_EQ(builder.FinishToFile(dir.File("no/such/folder").c_str()).code(), StatusCode::kIoError);
        builder.AddHash(some.back());  // still adjacent
        EXPECT_EQ(builder.num_keys(), n + 1);
        builder.AddHashes(hashes.data() + n, hashes.size() - n);
        refusing = {};
        refusing.refuse_from = 100;
        EXPECT_EQ(builder.FinishToSink(refusing.sink()).code(), StatusCode::kIoError);
        ASSERT_TRUE(builder.FinishToSink(accepting.sink()).ok());
        EXPECT_TRUE(accepting.bytes == expected_all) << LayoutName(layout) << " " << n << " " << threads;
        builder.AddHashes(some.data(), n);
        const std::string again = Finish(&builder);
        EXPECT_TRUE(again == expected) << "nothing of the image before is left";
      }
    }
  }
}

TEST(BulkBuild, RefusesASinkWithoutAFunctionBeforeTheWork) {
  const ScopedTuning tuning(0, 64);
  const std::vector<uint64_t> hashes = RandomHashes(100000, 4);
  for (const Layout layout : test::EveryLayout()) {
    TestAllocator allocator;
    FilterBuilder builder(allocator.WithHooks(Options(layout)));
    builder.AddHashes(hashes.data(), hashes.size());
    const uint64_t before = allocator.num_allocations();
    EXPECT_EQ(builder.FinishToSink(Sink()).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(allocator.num_allocations(), before);
  }
}

}  // namespace
}  // namespace linefilter::test
