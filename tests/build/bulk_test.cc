// Bulk building: hashes sorted into ranges of blocks and made range by range give the bytes of one-by-one insertion, by
// any number of threads, from a builder's memory and from a stream; memory stays within its limit, and whatever fails
// leaves a builder's keys where they were.
#include "linefilter/bulk.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/memory.h"
#include "lib/build/bulk.h"
#include "lib/build/group_plan.h"
#include "lib/build/partition.h"
#include "lib/layouts/layout_maker.h"
#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"
#include "tests/testing/threads.h"

namespace linefilter {
namespace {

using internal::BulkTuning;
using internal::FindMaker;
using internal::LayoutMaker;
using internal::Partition;
using test::BitsPerKey;
using test::Build;
using test::Collector;
using test::RandomHashes;
using test::TestAllocator;

// Brings the thresholds down, or up, for its lifetime.
class ScopedTuning {
 public:
  ScopedTuning(uint64_t min_body_bytes, uint64_t range_blocks) : before_(internal::Tuning()) {
    BulkTuning tuning;
    tuning.min_body_bytes = min_body_bytes;
    tuning.range_blocks = range_blocks;
    internal::SetTuningForTests(tuning);
  }
  ~ScopedTuning() { internal::SetTuningForTests(before_); }
  ScopedTuning(const ScopedTuning&) = delete;
  ScopedTuning& operator=(const ScopedTuning&) = delete;

 private:
  const BulkTuning before_;
};

// Those that can be made in ranges.
std::vector<Layout> LayoutsOfRanges() {
  std::vector<Layout> layouts;
  for (const Layout layout : test::EveryLayout()) {
    if (FindMaker(layout)->range_blocks != 0) layouts.push_back(layout);
  }
  return layouts;
}

FilterOptions Options(Layout layout, const Executor& executor = {}) {
  FilterOptions options = BitsPerKey(10);
  options.layout = layout;
  options.executor = executor;
  return options;
}

// Without any partition: key by key, or of an immutable layout all as one range.
std::string BuildPlainly(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  const ScopedTuning tuning(~uint64_t{0}, uint64_t{1} << 40);
  FilterOptions alone = options;
  alone.executor = Executor();
  return Build(alone, hashes);
}

// Sets of hashes that fall into the ranges in different ways.
std::vector<std::pair<std::string, std::vector<uint64_t>>> SkewedSets(size_t n) {
  const std::vector<uint64_t> random = RandomHashes(n, 17);
  std::vector<uint64_t> sorted = random, one_range = random, two = random, first = random, duplicates = random;
  std::sort(sorted.begin(), sorted.end());
  for (uint64_t& hash : one_range) hash = (hash >> 24) | 0x7123450000000000;
  for (size_t i = 0; i < n; ++i) two[i] = i % 2 == 0 ? 0 : ~uint64_t{0};
  for (uint64_t& hash : first) hash &= 0xffffffff;
  for (size_t i = 0; i < n; ++i) duplicates[i] = random[i % (n / 7 + 1)];
  return {{"random", random},  {"sorted", sorted},     {"one range", one_range},
          {"two hashes", two}, {"first block", first}, {"duplicates", duplicates}};
}

// --- The partition itself -----------------------------------------------------------------------------------------

struct Chunks {
  std::vector<std::unique_ptr<uint64_t[]>> memory;
  std::vector<Partition::Chunk> chunks;

  // Full chunks of those capacities, but for the last.
  Chunks(const std::vector<uint64_t>& hashes, const std::vector<uint64_t>& capacities) {
    size_t taken = 0;
    for (const uint64_t capacity : capacities) {
      memory.push_back(std::make_unique<uint64_t[]>(capacity + 8));
      uint64_t* begin = memory.back().get();
      while (reinterpret_cast<uintptr_t>(begin) % 64 != 0) ++begin;
      const uint64_t size = std::min<uint64_t>(capacity, hashes.size() - taken);
      std::copy_n(hashes.begin() + static_cast<ptrdiff_t>(taken), size, begin);
      taken += size;
      chunks.push_back({begin, capacity, size});
    }
    EXPECT_EQ(taken, hashes.size());
  }
};

std::vector<uint64_t> Sorted(std::vector<uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

TEST(Partition, SortsEachHashIntoItsRangeAndPutsAllBack) {
  const std::vector<uint64_t> capacities = {120, 248, 504, 1016, 2040, 4088, 127 * 8 * 3, 127 * 8 * 3 + 8, 100000};
  uint64_t room = 0;
  for (const uint64_t capacity : capacities) room += capacity;
  for (const size_t n : {room, room - 50000, room - 99999}) {
    for (const auto& [name, hashes] : SkewedSets(n)) {
      for (const size_t workers : {1u, 3u}) {
        SCOPED_TRACE(name + ", " + std::to_string(n) + " hashes, " + std::to_string(workers) + " workers");
        Chunks own(hashes, capacities);
        TestAllocator allocator;
        Partition partition(allocator.hooks());
        internal::PartitionShape shape;
        shape.num_blocks = 1000;
        shape.range_blocks = 64;
        shape.num_ranges = 16;
        shape.num_workers = workers;
        shape.num_chunks = capacities.size();
        internal::ChunkTotals totals;
        for (const uint64_t capacity : capacities) totals.Add(capacity);
        shape.reserve_pages = Partition::ReserveFor(workers, shape.num_ranges, totals.loose_lines);
        ASSERT_TRUE(partition.Create(shape));
        EXPECT_EQ(allocator.live_bytes(), Partition::BytesFor(shape));
        for (size_t i = 0; i < capacities.size(); ++i) partition.chunk(i) = own.chunks[i];
        // As threads may: the last chunk first, whose many free pages are then used.
        for (size_t i = capacities.size(); i-- != 0;) partition.ReadChunk(i % workers, i);

        std::vector<uint64_t> all;
        for (uint64_t range = 0; range < shape.num_ranges; ++range) {
          Partition::Place place;
          internal::HashSpan spans[3];
          uint64_t in_range = 0, num_spans = 0;
          while (const uint64_t got = partition.NextSpans(range, &place, spans, 3)) {
            num_spans += got;
            for (uint64_t s = 0; s < got; ++s) {
              in_range += spans[s].size;
              all.insert(all.end(), spans[s].hashes, spans[s].hashes + spans[s].size);
            }
          }
          for (size_t i = all.size() - in_range; i < all.size(); ++i) {
            ASSERT_EQ(BlockIndex(all[i], shape.num_blocks) / shape.range_blocks, range);
          }
          EXPECT_EQ(partition.RangeHashes(range), in_range);
          EXPECT_EQ(partition.RangeSpans(range), num_spans);
        }
        EXPECT_EQ(Sorted(all), Sorted(hashes));

        partition.PutBack();
        all.clear();
        for (size_t i = 0; i < capacities.size(); ++i) {
          const Partition::Chunk& chunk = partition.chunk(i);
          EXPECT_EQ(chunk.size, own.chunks[i].size) << "chunk " << i << " is as full as it was";
          all.insert(all.end(), chunk.hashes, chunk.hashes + chunk.size);
        }
        EXPECT_EQ(Sorted(all), Sorted(hashes));
      }
    }
  }
}

TEST(Partition, CountsTheLinesOfChunksThatAreInNoPage) {
  internal::ChunkTotals totals;
  totals.Add(120);                           // 15 lines
  totals.Add(2 * internal::kPageHashes);     // none
  totals.Add(internal::kPageHashes + 9, 3);  // two each, the second one not full
  EXPECT_EQ(totals.num_chunks, 5u);
  EXPECT_EQ(totals.loose_lines, 15u + 6);
  EXPECT_EQ(Partition::ReserveFor(3, 10, 126), 33u);
  EXPECT_EQ(Partition::ReserveFor(3, 10, 127), 34u);
}

TEST(Partition, SaysWhenTheReserveIsUsedUp) {
  TestAllocator allocator;
  Partition partition(allocator.hooks());
  internal::PartitionShape shape;
  shape.num_blocks = shape.range_blocks = 8;
  shape.num_ranges = 1;
  shape.reserve_pages = 2;
  ASSERT_TRUE(partition.Create(shape));
  const std::vector<uint64_t> hashes = RandomHashes(2 * internal::kPageHashes + 9, 1);
  EXPECT_TRUE(partition.Read(0, hashes.data(), hashes.size() - 1)) << "two pages and a line";
  EXPECT_FALSE(partition.Read(0, hashes.data(), 1));
  EXPECT_EQ(partition.RangeHashes(0), hashes.size() - 1);
  partition.Clear();
  EXPECT_EQ(partition.RangeHashes(0), 0u);
  EXPECT_TRUE(partition.Read(0, hashes.data(), hashes.size() - 1));
}

TEST(Partition, SortsAlikeOnEveryTarget) {
  const std::vector<uint64_t> hashes = RandomHashes(20000, 5);
  const std::string expected = BuildPlainly(Options(Layout::kBlocked), hashes);
  test::OnEveryTarget([&](const char*) {
    const ScopedTuning tuning(0, 16);
    EXPECT_EQ(Build(Options(Layout::kBlocked), hashes), expected);
  });
}

// --- FilterBuilder ------------------------------------------------------------------------------------------------

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
    const std::vector<uint64_t> hashes = RandomHashes(150000, 3);
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
  // Chunks of 1 KiB to 512 KiB, then 32 of 1 MiB; from there on of 2 MiB, of which threads fill 2, 4, 8 at once.
  constexpr size_t kAlone = (33 * kMiB - 1024 - 42 * kHeader) / 8, kChunk = (2 * kMiB - kHeader) / 8;
  constexpr size_t kHashes = kAlone + 9 * kChunk;
  std::atomic<int> num_runs{0};
  Executor executor = test::Threads(3);
  executor.context = &num_runs;
  executor.run = [](void* context, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
    ++*static_cast<std::atomic<int>*>(context);
    test::Threads(3).run(nullptr, task, argument, num_tasks);
  };
  std::vector<uint64_t> hashes = RandomHashes(kHashes, 99);
  const auto expect_all = [&](size_t num_repeats) {
    SCOPED_TRACE(num_repeats);
    TestAllocator allocator;
    FilterOptions options = Options(Layout::kBlocked, executor);
    options.allocator = allocator.hooks();
    FilterBuilder builder(options);
    num_runs = 0;
    builder.AddHashes(hashes.data(), hashes.size());
    EXPECT_GT(num_runs, 1) << "nothing was shared out";
    EXPECT_EQ(builder.num_keys(), kHashes - num_repeats);
    EXPECT_LE(allocator.peak_bytes(), 8 * kHashes + (uint64_t{3} << 20)) << "no more than the hashes need";
    std::string image;
    ASSERT_TRUE(builder.Finish(&image).ok());
    std::vector<uint8_t> answers(kHashes);
    FilterView(image.data(), image.size()).MayContainHashes(hashes.data(), kHashes, answers.data());
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(kHashes));
  };
  expect_all(0);
  // At the edges of what a thread compares and fills.
  for (const size_t at : {size_t{0}, size_t{512}, kChunk - 1, kChunk, 2 * kChunk, 2 * kChunk + 1}) {
    if (test::Effort() < 1 && at % kChunk != 0) continue;
    const uint64_t kept = std::exchange(hashes[kAlone + at], hashes[kAlone + at - 1]);
    expect_all(1);
    hashes[kAlone + at] = kept;
  }
  size_t num_repeats = 0;
  for (size_t i = kAlone; i < kHashes; i += kChunk + 77, ++num_repeats) hashes[i] = hashes[i - 1];
  expect_all(num_repeats);
}

TEST(BulkBuild, AddsManyHashesOneByOneWhereMemoryIsShort) {
  std::vector<uint64_t> hashes = RandomHashes(4400000, 3);  // nearly 36 MiB
  const size_t num_keys = hashes.size() + 2000001;
  const std::vector<uint64_t> others = RandomHashes(2000000, 4);  // 16 MiB, for which there is no room
  hashes.insert(hashes.end(), others.begin(), others.end());
  hashes.push_back(7);
  TestAllocator allocator;
  FilterOptions options = Options(Layout::kBlocked, test::Threads(2));
  options.allocator = allocator.hooks();
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
  EXPECT_EQ(builder.num_keys(), 4400001u);
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
      const std::string expected = BuildPlainly(Options(layout), some),
                        expected_all = BuildPlainly(Options(layout), hashes);
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
        if (layout != Layout::kCounting) builder.AddHash(some.back());  // still adjacent, and dropped
        EXPECT_EQ(builder.num_keys(), n);
        builder.AddHashes(hashes.data() + n, hashes.size() - n);
        refusing = {};
        refusing.refuse_from = 100;
        EXPECT_EQ(builder.FinishToSink(refusing.sink()).code(), StatusCode::kIoError);
        ASSERT_TRUE(builder.FinishToSink(accepting.sink()).ok());
        EXPECT_TRUE(accepting.bytes == expected_all) << LayoutName(layout) << " " << n << " " << threads;
        builder.AddHashes(some.data(), n);
        std::string again;
        ASSERT_TRUE(builder.Finish(&again).ok());
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
    FilterOptions options = Options(layout);
    options.allocator = allocator.hooks();
    FilterBuilder builder(options);
    builder.AddHashes(hashes.data(), hashes.size());
    const uint64_t before = allocator.num_allocations();
    EXPECT_EQ(builder.FinishToSink(Sink()).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(allocator.num_allocations(), before);
  }
}

TEST(BulkBuild, SurvivesTheFailureOfEachAllocation) {
  const std::vector<uint64_t> hashes = RandomHashes(200000, 1);
  const ScopedTuning tuning(0, 64);
  for (const Layout layout : LayoutsOfRanges()) {
    const std::string expected = BuildPlainly(Options(layout), hashes);
    uint64_t failing = 0;
    for (bool failed = true; failed; ++failing) {
      ASSERT_LT(failing, 100u) << "it must succeed once no allocation fails";
      TestAllocator allocator;
      FilterOptions options = Options(layout, test::Threads(2));
      options.allocator = allocator.hooks();
      FilterBuilder builder(options);
      builder.AddHashes(hashes.data(), hashes.size());
      allocator.FailFrom(failing);
      Collector collector;
      const Status status = builder.FinishToSink(collector.sink());
      failed = !status.ok();
      if (failed) {
        EXPECT_EQ(status.code(), StatusCode::kOutOfMemory) << status.message();
        EXPECT_TRUE(collector.bytes.empty());
        EXPECT_EQ(builder.num_keys(), hashes.size());
        allocator.FailFrom(TestAllocator::kNever);
        ASSERT_TRUE(builder.FinishToSink(collector.sink()).ok());
      }
      EXPECT_TRUE(collector.bytes == expected) << failing;
    }
    EXPECT_GE(failing, 3u) << "the body, the partition and the trailer";
  }
}

TEST(BulkBuild, HoldsNoMoreMemoryThanEstimated) {
  const ScopedTuning tuning(0, 256);
  for (const Layout layout : LayoutsOfRanges()) {
    for (const size_t n : {1000u, 30000u, 1000000u}) {
      for (const size_t threads : {1u, 4u}) {
        TestAllocator allocator;
        FilterOptions options = Options(layout, test::Threads(threads));
        options.allocator = allocator.hooks();
        uint64_t image_bytes = 0, peak = 0;
        ASSERT_TRUE(FilterBuilder::EstimateBytes(options, n, &image_bytes, &peak).ok());
        FilterBuilder builder(options);
        const std::vector<uint64_t> hashes = RandomHashes(n, n);
        builder.AddHashes(hashes.data(), n);
        Collector collector;
        ASSERT_TRUE(builder.FinishToSink(collector.sink()).ok());
        EXPECT_LE(allocator.peak_bytes(), peak) << n << " keys, " << threads << " threads";
        EXPECT_GE(allocator.peak_bytes(), 8 * n);
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
        FilterOptions options = Options(layout, test::Threads(threads));
        options.allocator = allocator.hooks();
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
        internal::PlanBulk(maker, sizing, internal::ChunkTotals(), test::Threads(256), {0, kNoMemoryLimit});
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
    const Status status =
        internal::BuildOneRange(maker, allocator.hooks(), state, block, nullptr, 0, uint64_t{1} << 32);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(allocator.num_allocations(), 0u);
    EXPECT_TRUE(internal::BuildOneRange(maker, allocator.hooks(), state, block, nullptr, 0, 0).ok());
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
        ASSERT_TRUE(status.ok()) << limit << " of " << peak_now << ": " << status.message();
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

TEST(BulkBuild, ChecksTheExecutor) {
  FilterOptions options = BitsPerKey(10);
  options.executor.num_threads = 2;
  EXPECT_EQ(FilterBuilder(options).status().code(), StatusCode::kInvalidArgument) << "threads of whom?";
  options.executor = test::Threads(0);
  EXPECT_EQ(FilterBuilder(options).status().code(), StatusCode::kInvalidArgument);
  options.executor = Executor();
  EXPECT_TRUE(FilterBuilder(options).status().ok());
}

// --- Streams ------------------------------------------------------------------------------------------------------

// Hashes of a vector, in pieces of changing size; fails or lies when it is told to.
struct Source {
  const std::vector<uint64_t>& hashes;
  size_t at = 0;
  int passes = 1;
  int fail_in_pass = 0;  // read fails
  int refuse_rewinds = 1000;
  int change_in_pass = 0;  // `changed` is read instead
  std::vector<uint64_t> changed = {};

  const std::vector<uint64_t>& now() const { return passes == change_in_pass ? changed : hashes; }
  static size_t Read(void* context, uint64_t* to, size_t capacity) noexcept {
    auto* self = static_cast<Source*>(context);
    if (self->passes == self->fail_in_pass && self->at > self->now().size() / 2) return kSourceFailed;
    const size_t n = std::min({capacity, 1 + self->at % 5000, self->now().size() - self->at});
    std::copy_n(self->now().begin() + static_cast<ptrdiff_t>(self->at), n, to);
    self->at += n;
    return n;
  }
  static bool Rewind(void* context) noexcept {
    auto* self = static_cast<Source*>(context);
    self->at = 0;
    return ++self->passes <= self->refuse_rewinds;
  }
  HashSource source() { return HashSource{&Read, &Rewind, this}; }
};

TEST(BuildFromSource, GivesTheBytesOfABuilder) {
  for (const Layout layout : test::EveryLayout()) {
    for (const size_t n : {0u, 1u, 100u, 3000u, 200000u}) {
      const std::vector<uint64_t> hashes = RandomHashes(n, n);
      const std::string expected = BuildPlainly(Options(layout), hashes);
      for (const uint64_t range_blocks : {0u, 16u, 2048u}) {
        const ScopedTuning tuning(range_blocks == 0 ? BulkTuning().min_body_bytes : 0, range_blocks);
        for (const size_t threads : {1u, 3u}) {
          Source source{hashes};
          Collector collector;
          Sizing sizing;
          const Status status =
              BuildFromSource(Options(layout, test::Threads(threads)), source.source(), collector.sink(), &sizing);
          ASSERT_TRUE(status.ok()) << status.message();
          EXPECT_TRUE(collector.bytes == expected) << LayoutName(layout) << ", " << n << " hashes";
          EXPECT_EQ(sizing.num_keys, n);
          EXPECT_EQ(source.passes, n == 0 ? 1 : 2);
        }
      }
    }
  }
}

TEST(BuildFromSource, DropsAdjacentDuplicatesAsABuilder) {
  std::vector<uint64_t> runs = {~uint64_t{0}, ~uint64_t{0}, 0, 0, 5, 0};
  for (const uint64_t hash : RandomHashes(60000, 3)) runs.insert(runs.end(), 1 + hash % 3, hash);
  runs.insert(runs.end(), 20000, 7);
  for (const Layout layout : test::EveryLayout()) {
    const ScopedTuning tuning(0, 64);
    Source source{runs};
    Collector collector;
    ASSERT_TRUE(BuildFromSource(Options(layout), source.source(), collector.sink()).ok());
    EXPECT_TRUE(collector.bytes == Build(Options(layout), runs)) << LayoutName(layout);
  }
}

// What kOverLimit names.
uint64_t LeastMemory(FilterOptions options, const std::vector<uint64_t>& hashes) {
  options.memory_limit = 100000;  // enough to count
  Source source{hashes};
  Collector collector;
  const Status status = BuildFromSource(options, source.source(), collector.sink());
  EXPECT_EQ(status.code(), StatusCode::kOverLimit) << status.message();
  return std::strtoull(status.message(), nullptr, 10);
}

// The less memory, the more passes, down to what kOverLimit names, with which it works.
TEST(BuildFromSource, NeedsMorePassesWithLessMemory) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  constexpr size_t kKeys = 300000;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 8);
  for (const Layout layout : LayoutsOfRanges()) {
    const std::string expected = BuildPlainly(Options(layout), hashes);
    const ScopedTuning tuning(0, 256);
    int most_passes = 0, over_limit = 0;
    for (uint64_t limit = uint64_t{8} << 20; limit > 1000; limit = limit * 3 / 5) {
      for (const size_t threads : {1u, 2u}) {
        TestAllocator allocator;
        FilterOptions options = Options(layout, test::Threads(threads));
        options.allocator = allocator.hooks();
        options.memory_limit = limit;
        Source source{hashes};
        Collector collector;
        const Status status = BuildFromSource(options, source.source(), collector.sink());
        EXPECT_LE(allocator.peak_bytes(), limit);
        if (status.ok()) {
          EXPECT_TRUE(collector.bytes == expected) << limit;
          most_passes = std::max(most_passes, source.passes);
          continue;
        }
        ++over_limit;
        ASSERT_EQ(status.code(), StatusCode::kOverLimit) << status.message();
        EXPECT_TRUE(collector.bytes.empty());
        if (source.passes == 1 && limit < 100000) continue;  // not even what counting takes
        const uint64_t needed = std::stoull(status.message());
        EXPECT_GT(needed, limit);
        options.memory_limit = needed;
        Source again{hashes};
        ASSERT_TRUE(BuildFromSource(options, again.source(), collector.sink()).ok()) << needed;
        EXPECT_TRUE(collector.bytes == expected);
        EXPECT_LE(allocator.peak_bytes(), needed);
        most_passes = std::max(most_passes, again.passes);
      }
    }
    EXPECT_GT(most_passes, 1);
    if (!FactsOf(layout).takes_keys) {
      EXPECT_GE(most_passes, 5) << "a pass per group, and one to count";
    }
    EXPECT_GT(over_limit, 0);
  }
}

// `blocked` whose image does not fit either.
TEST(BuildFromSource, NeverHoldsAnImageThatDoesNotFit) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  const std::vector<uint64_t> hashes = RandomHashes(300000, 8);
  for (const Layout layout : LayoutsOfRanges()) {
    FilterOptions options = Options(layout, test::Threads(2));
    options.bits_per_key = 64;  // the image is as large as the hashes: 2.4 MB
    const std::string expected = BuildPlainly(options, hashes);
    const ScopedTuning tuning(0, 256);
    TestAllocator allocator;
    options.allocator = allocator.hooks();
    options.memory_limit = LeastMemory(options, hashes);
    EXPECT_LT(options.memory_limit, expected.size());
    Source source{hashes};
    Collector collector;
    const Status status = BuildFromSource(options, source.source(), collector.sink());
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(collector.bytes == expected);
    EXPECT_GE(source.passes, 4) << "one to count, and several groups";
    EXPECT_LE(allocator.peak_bytes(), options.memory_limit);
  }
}

// 4096 blocks: block b has the hashes that begin with the 12 bits of b.
TEST(Histogram, CountsTheHashesOfBlocks) {
  const auto histogram = std::make_unique<internal::Histogram>();
  std::vector<uint64_t> hashes;
  for (uint64_t block = 0; block < 4096; ++block) hashes.insert(hashes.end(), 1 + block % 7, block << 52);
  histogram->Add(hashes.data(), hashes.size());
  EXPECT_EQ(histogram->MostIn(0, 4096, 4096), hashes.size());
  for (const uint64_t block : {0u, 1u, 5u, 4094u, 4095u}) {
    EXPECT_EQ(histogram->MostIn(block, block + 1, 4096), 1 + block % 7) << "and not those of the next block";
  }
  EXPECT_EQ(histogram->MostIn(0, 7, 4096), 28u);
}

// What linefilter/bulk.h says of the least memory, of an image of more than 8192 ranges.
TEST(GroupPlan, NeedsTheMemoryOfOneRange) {
  constexpr uint64_t kKeys = 2000000, kBlocks = (uint64_t{1} << 26) + 12345;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  const auto histogram = std::make_unique<internal::Histogram>();
  histogram->Add(hashes.data(), hashes.size());
  for (const Layout layout : LayoutsOfRanges()) {
    const LayoutMaker& maker = *FindMaker(layout);
    internal::GroupPlan plan(maker, *histogram, kKeys, kBlocks, test::Threads(4));
    uint64_t needed = 0;
    EXPECT_FALSE(plan.Fit(1000, &needed));
    const uint64_t range_blocks = kBlocks / 4096, range_hashes = kKeys / 4096 + kKeys / 2048;
    const uint64_t few = 300;  // hashes that a bucket has by chance above its share
    EXPECT_LE(needed, 64 * range_blocks + 8 * (range_hashes + few) +
                          internal::RangeWorkerBytes(maker, range_blocks, range_hashes + few, 8) + 40000)
        << LayoutName(layout);
    EXPECT_GE(needed, 64 * range_blocks / 2);
    ASSERT_TRUE(plan.Fit(needed, &needed));
    EXPECT_EQ(plan.num_workers(), 1u);
  }
}

// The first and the last hash of every block: groups overlap nowhere and leave nothing out.
TEST(BuildFromSource, GivesEachHashToOneGroup) {
  for (const Layout layout : LayoutsOfRanges()) {
    FilterOptions options = Options(layout);
    options.bits_per_key = 64;
    constexpr size_t kKeys = 160000, kBlocks = kKeys / 8;
    std::vector<uint64_t> hashes;
    for (size_t block = 0; block < kBlocks; ++block) {
      const uint64_t first = internal::FirstHashOf(block, kBlocks);
      ASSERT_EQ(BlockIndex(first, kBlocks), block);
      if (block != 0) hashes.push_back(first - 1);
      hashes.push_back(first);
    }
    hashes.push_back(~uint64_t{0});
    for (const uint64_t hash : RandomHashes(kKeys - hashes.size(), 1)) hashes.push_back(hash);
    const std::string expected = BuildPlainly(options, hashes);
    ASSERT_EQ(FilterView(expected.data(), expected.size()).body_bytes(), kBlocks * 64);
    const ScopedTuning tuning(0, 256);
    options.memory_limit = LeastMemory(options, hashes);
    Source source{hashes};
    Collector collector;
    const Status status = BuildFromSource(options, source.source(), collector.sink());
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(collector.bytes == expected);
    EXPECT_GE(source.passes, 4);
  }
}

TEST(BuildFromSource, TakesSkewedHashes) {
  for (const Layout layout : LayoutsOfRanges()) {
    for (const auto& [name, hashes] : SkewedSets(50000)) {
      const std::string expected = BuildPlainly(Options(layout), hashes);
      const ScopedTuning tuning(0, 32);
      Source source{hashes};
      Collector collector;
      ASSERT_TRUE(BuildFromSource(Options(layout), source.source(), collector.sink()).ok());
      EXPECT_TRUE(collector.bytes == expected) << name;
    }
  }
}

TEST(BuildFromSource, AnswersWhatFails) {
  const std::vector<uint64_t> hashes = RandomHashes(50000, 2);
  std::vector<uint64_t> other = hashes, fewer = hashes, more = hashes;
  other[777] ^= uint64_t{1} << 60;
  fewer.pop_back();
  more.insert(more.end(), 100000, 1);
  for (size_t i = hashes.size(); i < more.size(); i += 2) more[i] = 2;
  // What a sum of the hashes does not see, and one of their squares neither.
  std::vector<uint64_t> flipped = hashes, first = hashes, moved = hashes;
  flipped[5] ^= uint64_t{1} << 63;
  flipped[40000] ^= uint64_t{1} << 63;
  constexpr uint64_t kA = 0x0123456789abcdef, kD = 0x0011223344556677;
  first[10] = kA, first[20] = kA + 4 * kD, first[30] = kA + 5 * kD;
  moved[10] = kA + kD, moved[20] = kA + 2 * kD, moved[30] = kA + 6 * kD;
  for (const Layout layout : test::EveryLayout()) {
    const ScopedTuning tuning(0, 64);
    const FilterOptions options = Options(layout);
    const auto build = [&](Source source, size_t refuse_from = ~size_t{0}) {
      Collector collector;
      collector.refuse_from = refuse_from;
      const Status status = BuildFromSource(options, source.source(), collector.sink());
      if (refuse_from != 0) {
        EXPECT_EQ(collector.bytes.empty(), !status.ok()) << "one group: checked, then written";
      }
      return status.code();
    };
    EXPECT_EQ(build({hashes}), StatusCode::kOk);
    EXPECT_EQ(build({hashes}, 0), StatusCode::kIoError);
    for (const int pass : {1, 2}) EXPECT_EQ(build({hashes, 0, 1, pass}), StatusCode::kIoError);
    EXPECT_EQ(build({hashes, 0, 1, 0, 1}), StatusCode::kIoError) << "no rewind";
    for (const std::vector<uint64_t>* changed : {&other, &fewer, &more, &flipped}) {
      EXPECT_EQ(build({hashes, 0, 1, 0, 1000, 2, *changed}), StatusCode::kIoError) << "other hashes";
    }
    EXPECT_EQ(build({first, 0, 1, 0, 1000, 2, moved}), StatusCode::kIoError) << "other hashes";
    std::vector<uint64_t> reversed(hashes.rbegin(), hashes.rend());
    EXPECT_EQ(build({hashes, 0, 1, 0, 1000, 2, reversed}), StatusCode::kOk) << "the same in another order";
    Collector collector;
    EXPECT_EQ(BuildFromSource(options, HashSource(), collector.sink()).code(), StatusCode::kInvalidArgument);
    Source source{hashes};
    EXPECT_EQ(BuildFromSource(options, source.source(), Sink()).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(source.at, 0u) << "before anything is read";
    EXPECT_EQ(BuildFromSource(FilterOptions(), source.source(), collector.sink()).code(), StatusCode::kInvalidArgument);
  }
}

TEST(BuildFromSource, SurvivesTheFailureOfEachAllocation) {
  const std::vector<uint64_t> hashes = RandomHashes(100000, 2);
  const ScopedTuning tuning(0, 128);
  for (const Layout layout : test::EveryLayout()) {
    uint64_t failing = 0;
    for (bool failed = true; failed; ++failing) {
      ASSERT_LT(failing, 100u);
      TestAllocator allocator;
      FilterOptions options = Options(layout);
      options.allocator = allocator.hooks();
      allocator.FailFrom(failing);
      Source source{hashes};
      Collector collector;
      const Status status = BuildFromSource(options, source.source(), collector.sink());
      failed = !status.ok();
      if (failed) {
        EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
        if (FactsOf(layout).takes_keys) {
          EXPECT_EQ(source.passes, 1) << "before it is read once more";
        }
      }
    }
    EXPECT_GE(failing, 3u);
  }
}

TEST(BuildFromSource, WritesAFile) {
  const test::TempDir dir;
  const std::vector<uint64_t> hashes = RandomHashes(100000, 2);
  const std::string path = dir.File("image");
  Source source{hashes};
  ASSERT_TRUE(BuildFromSourceToFile(Options(Layout::kBlocked), source.source(), path.c_str()).ok());
  const std::string expected = BuildPlainly(Options(Layout::kBlocked), hashes);
  EXPECT_TRUE(test::ReadFile(path) == expected);
  Source failing{hashes, 0, 1, 2};
  EXPECT_EQ(BuildFromSourceToFile(Options(Layout::kBlocked), failing.source(), path.c_str()).code(),
            StatusCode::kIoError);
  EXPECT_TRUE(test::ReadFile(path) == expected) << "the old file stays";
  EXPECT_EQ(dir.Names().size(), 1u);
  Source never{hashes};
  EXPECT_EQ(BuildFromSourceToFile(Options(Layout::kBlocked), never.source(), dir.File("no/folder").c_str()).code(),
            StatusCode::kIoError);
}

}  // namespace
}  // namespace linefilter
