// What tests of bulk building share: layouts, options, and sets of hashes.
#ifndef LINEFILTER_TESTS_BUILD_BULK_TEST_H_
#define LINEFILTER_TESTS_BUILD_BULK_TEST_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/layout_maker.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/test_allocator.h"
#include "tests/testing/threads.h"

namespace linefilter::test {

using internal::BulkTuning;
using internal::FindMaker;
using internal::LayoutMaker;

// Those that can be made in ranges.
inline std::vector<Layout> LayoutsOfRanges() {
  std::vector<Layout> layouts;
  for (const Layout layout : test::EveryLayout()) {
    if (FindMaker(layout)->range_blocks != 0) layouts.push_back(layout);
  }
  return layouts;
}

inline FilterOptions Options(Layout layout, const Executor& executor = {}) {
  FilterOptions options = BitsPerKey(10, layout);
  options.executor = executor;
  return options;
}

// Options of each layout, and at last those of keys that can be removed, whose repeats count.
inline std::vector<FilterOptions> EveryOptions(double bits_per_key) {
  std::vector<FilterOptions> all;
  for (const Layout layout : EveryLayout()) all.push_back(BitsPerKey(bits_per_key, layout));
  all.push_back(BitsPerKey(bits_per_key, Layout::kQuotient));
  all.back().removable = true;
  return all;
}

// What a build took, and what EstimateBytes said before.
struct MemoryOfBuild {
  uint64_t image_bytes = 0, estimated = 0, peak = 0;
};

// add(builder, hashes) gives random hashes to the builder, which writes to a sink.
template <class Add>
MemoryOfBuild MeasureMemory(Layout layout, size_t n, size_t threads, const Add& add) {
  MemoryOfBuild memory;
  TestAllocator allocator;
  const FilterOptions options = allocator.WithHooks(Options(layout, test::Threads(threads)));
  EXPECT_TRUE(FilterBuilder::EstimateBytes(options, n, &memory.image_bytes, &memory.estimated).ok());
  FilterBuilder builder(options);
  const std::vector<uint64_t> hashes = RandomHashes(n, n);
  add(&builder, hashes);
  Collector collector;
  EXPECT_TRUE(builder.FinishToSink(collector.sink()).ok());
  memory.peak = allocator.peak_bytes();
  return memory;
}

// Without any partition: key by key, or of an immutable layout all as one range.
inline std::string BuildPlainly(const FilterOptions& options, const std::vector<uint64_t>& hashes) {
  const ScopedTuning tuning(~uint64_t{0}, uint64_t{1} << 40);
  FilterOptions alone = options;
  alone.executor = Executor();
  return Build(alone, hashes);
}

// Sets of hashes that fall into the ranges in different ways.
inline std::vector<std::pair<std::string, std::vector<uint64_t>>> SkewedSets(size_t n) {
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

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_BUILD_BULK_TEST_H_
