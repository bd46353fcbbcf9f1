// A stream gives the bytes of a builder in as many passes as its memory needs, and whatever fails is answered.
#include <cstdlib>

#include "lib/build/group_plan.h"
#include "linefilter/bulk.h"
#include "linefilter/view.h"
#include "tests/build/bulk_test.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

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
    for (const size_t n : {0u, 1u, 100u, 3000u, test::Effort() < 1 ? 50000u : 200000u}) {
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
          ASSERT_TRUE(IsOk(status));
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
  for (const FilterOptions& options : EveryOptions(10)) {
    const ScopedTuning tuning(0, 64);
    Source source{runs};
    Collector collector;
    ASSERT_TRUE(BuildFromSource(options, source.source(), collector.sink()).ok());
    EXPECT_TRUE(collector.bytes == Build(options, runs)) << LayoutName(options.layout) << " " << options.removable;
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
        FilterOptions options = allocator.WithHooks(Options(layout, test::Threads(threads)));
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

// Each pass reads the repeats again, and no pass may leave one out or count it twice.
TEST(BuildFromSource, CountsRepeatsOfRemovableKeysInEachPass) {
  if (test::IsEmulated()) GTEST_SKIP() << test::kSlowInAnEmulator;
  std::vector<uint64_t> hashes = RandomHashes(150000, 8);
  for (size_t i = 0; i < 150000; ++i) hashes.push_back(hashes[i % 3 == 0 ? hashes.size() - 1 : i]);
  FilterOptions options = EveryOptions(64).back();
  const std::string expected = BuildPlainly(options, hashes);
  const ScopedTuning tuning(0, 256);
  TestAllocator allocator;
  options.allocator = allocator.hooks();
  options.memory_limit = LeastMemory(options, hashes);
  Source source{hashes};
  Collector collector;
  Sizing sizing;
  ASSERT_TRUE(IsOk(BuildFromSource(options, source.source(), collector.sink(), &sizing)));
  EXPECT_TRUE(collector.bytes == expected);
  EXPECT_EQ(sizing.num_keys, hashes.size());
  EXPECT_GE(source.passes, 4) << "one to count, and several groups";
  EXPECT_LE(allocator.peak_bytes(), options.memory_limit);
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
    ASSERT_TRUE(IsOk(BuildFromSource(options, source.source(), collector.sink())));
    EXPECT_TRUE(collector.bytes == expected);
    EXPECT_GE(source.passes, 4) << "one to count, and several groups";
    EXPECT_LE(allocator.peak_bytes(), options.memory_limit);
  }
}

// The first and the last hash of every block: groups overlap nowhere and leave nothing out.
TEST(BuildFromSource, GivesEachHashToOneGroup) {
  for (const Layout layout : LayoutsOfRanges()) {
    FilterOptions options = Options(layout);
    options.bits_per_key = 64;
    const uint64_t block_bytes = FactsOf(layout).block_bytes, index_mask = internal::FindLayout(layout)->index_mask;
    constexpr size_t kKeys = 160000;
    const size_t num_blocks = static_cast<size_t>(8 * kKeys / block_bytes);
    std::vector<uint64_t> hashes;
    for (size_t block = 0; block < num_blocks; ++block) {
      const uint64_t first = internal::FirstHashOf(block, num_blocks, index_mask);
      ASSERT_EQ(BlockIndex(first & index_mask, num_blocks), block);
      if (block != 0) hashes.push_back(first - 1);
      hashes.push_back(first);
    }
    hashes.push_back(~uint64_t{0});
    for (const uint64_t hash : RandomHashes(kKeys - hashes.size(), 1)) hashes.push_back(hash);
    const std::string expected = BuildPlainly(options, hashes);
    ASSERT_EQ(FilterView(expected.data(), expected.size(), VerifyMode::kWhole).body_bytes(), num_blocks * block_bytes);
    const ScopedTuning tuning(0, 256);
    options.memory_limit = LeastMemory(options, hashes);
    Source source{hashes};
    Collector collector;
    ASSERT_TRUE(IsOk(BuildFromSource(options, source.source(), collector.sink())));
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

// Passes that count distinct hashes, and groups that are read without repeats, find others as well.
TEST(BuildFromSource, AnswersWhatFailsWhereKeysComeAgain) {
  std::vector<uint64_t> hashes = RandomHashes(50000, 2);
  std::copy_n(hashes.begin(), 25000, hashes.begin() + 25000);
  std::vector<uint64_t> other = hashes, more = hashes;
  other[777] ^= uint64_t{1} << 60;
  for (const uint64_t hash : RandomHashes(60000, 3)) more.push_back(hash);
  for (const Layout layout : test::EveryLayout()) {
    const ScopedTuning tuning(0, 64);
    const auto build = [&](Source source) {
      Collector collector;
      return BuildFromSource(Options(layout), source.source(), collector.sink()).code();
    };
    EXPECT_EQ(build({hashes}), StatusCode::kOk);
    for (const int pass : {1, 2, 3}) {
      EXPECT_EQ(build({hashes, 0, 1, pass}), StatusCode::kIoError);
      if (pass == 1) continue;
      EXPECT_EQ(build({hashes, 0, 1, 0, pass - 1}), StatusCode::kIoError) << "no rewind";
      EXPECT_EQ(build({hashes, 0, 1, 0, 1000, pass, other}), StatusCode::kIoError);
      EXPECT_EQ(build({hashes, 0, 1, 0, 1000, pass, more}), StatusCode::kIoError);
    }
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
}  // namespace linefilter::test
