// A filter is sized for keys, not for how often they come. By every way to build, the image depends on the set of keys
// and on how many were added alone. Where many came again it is that of the distinct keys.
#include "lib/build/repeats.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/base/memory.h"
#include "lib/build/repeat_sketch.h"
#include "linefilter/bulk.h"
#include "linefilter/view.h"
#include "tests/build/bulk_test.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

using Hashes = std::vector<uint64_t>;

std::vector<Layout> EveryLayoutAndAuto() {
  std::vector<Layout> layouts = EveryLayout();
  layouts.push_back(Layout::kAuto);
  return layouts;
}

// Each of the distinct hashes, and random ones of them again until there are n.
Hashes Repeated(const Hashes& distinct, size_t n, uint64_t seed) {
  Hashes lines = distinct;
  for (const uint64_t random : RandomHashes(n - distinct.size(), seed))
    lines.push_back(distinct[random % distinct.size()]);
  return lines;
}

void Shuffle(Hashes* hashes, uint64_t seed) {
  const Hashes random = RandomHashes(hashes->size(), seed);
  for (size_t i = hashes->size(); i > 1; --i) std::swap((*hashes)[i - 1], (*hashes)[random[i - 1] % i]);
}

std::string BuildOfSource(const FilterOptions& options, const Hashes& hashes, int* passes = nullptr) {
  struct State {
    const Hashes& hashes;
    size_t at = 0;
    int passes = 1;
  } state{hashes};
  const HashSource source = {[](void* context, uint64_t* to, size_t capacity) noexcept {
                               auto* self = static_cast<State*>(context);
                               const size_t n =
                                   std::min(capacity, std::min<size_t>(self->hashes.size() - self->at, 3001));
                               std::copy_n(self->hashes.begin() + static_cast<ptrdiff_t>(self->at), n, to);
                               self->at += n;
                               if (n == 0) std::fill_n(to, capacity, 0);  // it may, having no more
                               return n;
                             },
                             [](void* context) noexcept {
                               auto* self = static_cast<State*>(context);
                               self->at = 0;
                               ++self->passes;
                               return true;
                             },
                             &state};
  Collector collector;
  EXPECT_TRUE(IsOk(BuildFromSource(options, source, collector.sink())));
  if (passes != nullptr) *passes = state.passes;
  return collector.bytes;
}

// Sorts hashes that lie in chunks of these capacities.
Hashes SortedInChunks(const Hashes& hashes, const std::vector<size_t>& capacities) {
  std::vector<internal::HashChunk*> chunks;
  for (const size_t capacity : capacities) {
    const uint64_t bytes = internal::kChunkHeaderBytes + 8 * capacity;
    chunks.push_back(static_cast<internal::HashChunk*>(internal::Allocate(Allocator(), bytes)));
    *chunks.back() = {nullptr, bytes};
    if (chunks.size() > 1) chunks[chunks.size() - 2]->next = chunks.back();
  }
  const auto for_each = [&](size_t n, auto visit) {
    for (internal::HashChunk* chunk : chunks) {
      const size_t some = std::min<size_t>(n, chunk->capacity());
      visit(chunk->hashes(), some);
      n -= some;
    }
  };
  const uint64_t* from = hashes.data();
  for_each(hashes.size(), [&](uint64_t* to, size_t n) { std::copy_n(from, n, to), from += n; });
  Hashes sorted;
  for_each(internal::SortDistinct(chunks[0], hashes.size()),
           [&](const uint64_t* at, size_t n) { sorted.insert(sorted.end(), at, at + n); });
  for (internal::HashChunk* chunk : chunks) internal::Deallocate(Allocator(), chunk, chunk->bytes);
  return sorted;
}

TEST(SortDistinct, SortsAnyHashesWhereTheyLie) {
  const Hashes random = RandomHashes(20000, 1);
  std::vector<Hashes> sets = {{}, {5}, {7, 7}, Hashes(3000, 9), random, Repeated(random, 40000, 2)};
  Hashes ascending = random, low = random, high = random, nested;
  for (size_t i = 0; i < ascending.size(); ++i) ascending[i] = i, low[i] &= 0xff, high[i] &= ~uint64_t{0} << 60;
  for (int i = 0; i < 64; ++i) nested.insert(nested.end(), 100, ~uint64_t{0} >> i);  // one digit after the other
  for (const Hashes& set : {ascending, low, high, nested}) sets.push_back(set);
  for (const Hashes& set : sets) {
    Hashes expected = set;
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    EXPECT_TRUE(SortedInChunks(set, {40000}) == expected);
    EXPECT_TRUE(SortedInChunks(set, {120, 248, 504, 1016, 50000}) == expected);
  }
}

TEST(FewMayRepeat, FindsEveryPair) {
  const uint64_t bytes = internal::kChunkHeaderBytes + 8 * 120;
  internal::HashChunk* const chunk = static_cast<internal::HashChunk*>(internal::Allocate(Allocator(), bytes));
  *chunk = {nullptr, bytes};
  EXPECT_FALSE(internal::FewMayRepeat(nullptr, 0));
  for (size_t n = 1; n <= 34; ++n) {
    const Hashes distinct = RandomHashes(n, n);
    std::copy_n(distinct.begin(), n, chunk->hashes());
    EXPECT_FALSE(internal::FewMayRepeat(chunk, n)) << n;
    for (size_t i = 1; i < n; ++i) {
      for (size_t j = 0; j < i; ++j) {
        chunk->hashes()[i] = distinct[j];
        EXPECT_TRUE(internal::FewMayRepeat(chunk, n)) << n << ": " << i << " and " << j;
      }
      chunk->hashes()[i] = distinct[i];
    }
  }
  internal::Deallocate(Allocator(), chunk, chunk->bytes);
}

// Standard error 1.65 %: one in 500 sets without repeats is taken for one of 5 %, and as many of 10 % are missed.
TEST(RepeatSketch, TellsFivePercentOfRepeats) {
  const auto shows = [&](uint64_t distinct, uint64_t num_keys, uint64_t seed) {
    const Hashes hashes = RandomHashes(distinct, seed);
    uint64_t words[internal::SetSketch::kWords] = {};
    internal::SetSketch of_set(words);
    internal::StreamSketch of_stream = {};
    for (uint64_t i = 0; i < distinct; i += 1000) {
      const uint64_t n = std::min<uint64_t>(1000, distinct - i);
      of_set.Add(&hashes[i], n, internal::SketchLevel(num_keys));
      of_stream.Add(&hashes[i], n, internal::SketchLevel(i + 1));  // known to be more and more
    }
    EXPECT_EQ(of_set.ShowsRepeats(num_keys), of_stream.ShowsRepeats(num_keys)) << distinct << " of " << num_keys;
    return of_set.ShowsRepeats(num_keys);
  };
  for (const uint64_t n : {4097u, 6000u, 10239u, 10240u, 50000u, 300000u}) {
    int wrong = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) wrong += shows(n, n, 1000 * n + seed);
    EXPECT_LE(wrong, 3) << n;
    wrong = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) wrong += !shows(n, n + n / 9, 2000 * n + seed);
    EXPECT_LE(wrong, 3) << n << ", a tenth are repeats";
    EXPECT_TRUE(shows(n, 2 * n, 1) && shows(n, 1000 * n, 1)) << n;
  }
  EXPECT_TRUE(shows(1, 1000000, 1));
}

TEST(Repeats, AreNoKeys) {
  const Hashes distinct = RandomHashes(1000, 5), lines = Repeated(distinct, Effort() < 1 ? 30000 : 1000000, 6);
  for (const Layout layout : EveryLayoutAndAuto()) {
    SCOPED_TRACE(LayoutName(layout));
    const std::string expected = Build(BitsPerKey(10, layout), distinct);
    FilterBuilder builder(BitsPerKey(10, layout));
    for (const uint64_t hash : lines) builder.AddHash(hash);
    EXPECT_EQ(builder.num_keys(), lines.size());
    EXPECT_EQ(builder.ImageBytes(), expected.size());
    EXPECT_TRUE(Finish(&builder) == expected);
    EXPECT_EQ(builder.sizing().num_keys, distinct.size());
    EXPECT_TRUE(Build(Options(layout, Threads(3)), lines) == expected);
    EXPECT_TRUE(BuildOfSource(BitsPerKey(10, layout), lines) == expected);
    FilterOptions little = Options(layout, Threads(2));
    little.memory_limit = 1500000;  // a fifth of the lines
    EXPECT_TRUE(BuildOfSource(little, lines) == expected);
  }
  const Hashes twice = Repeated(distinct, 2000, 6);
  const FilterOptions removable = EveryOptions(48).back();
  const std::string counted = Build(removable, twice);
  EXPECT_GT(counted.size(), 2 * Build(removable, distinct).size() - 1000) << "each is removed";
  EXPECT_TRUE(BuildOfSource(removable, twice) == counted);
}

TEST(Repeats, AreRemovedExactlyOfFewKeys) {
  for (const size_t n : {2u, 3u, 9u, 16u, 17u, 50u, 300u, 1000u, 4096u}) {
    for (const size_t repeats : {size_t{1}, n / 30, n / 2}) {
      if (repeats == 0) continue;
      const Hashes distinct = RandomHashes(n - repeats, n);
      Hashes lines = Repeated(distinct, n, 7);
      Shuffle(&lines, 8);
      for (const Layout layout : EveryLayoutAndAuto()) {
        const std::string expected = Build(BitsPerKey(11, layout), distinct);
        EXPECT_TRUE(Build(BitsPerKey(11, layout), lines) == expected) << n << ", " << repeats;
        EXPECT_TRUE(BuildOfSource(BitsPerKey(11, layout), lines) == expected) << n << ", " << repeats;
      }
    }
  }
  // Poor hashes, which a table of them would take long for.
  FilterOptions options = BitsPerKey(10);
  options.hash_id = HashId::kCaller;
  Hashes poor, first;
  for (uint64_t i = 0; i < 2048; ++i) first.push_back(i << 50);
  for (int times = 0; times < 2; ++times) poor.insert(poor.end(), first.begin(), first.end());
  EXPECT_TRUE(Build(options, poor) == Build(options, first));
}

// Added in a few calls, with ImageBytes between them, or one by one.
std::string BuildInPieces(const FilterOptions& options, const Hashes& hashes, uint64_t seed) {
  FilterBuilder builder(options);
  const Hashes random = RandomHashes(8, seed);
  size_t at = 0;
  for (const uint64_t piece : random) {
    const size_t end =
        piece == random.back() ? hashes.size() : std::min<size_t>(hashes.size(), at + piece % hashes.size());
    if (piece % 3 == 0) {
      for (; at < end; ++at) builder.AddHash(hashes[at]);
    }
    builder.AddHashes(hashes.data() + at, end - at);
    at = end;
    if (piece % 2 == 0) builder.ImageBytes();
  }
  return Finish(&builder);
}

// Around 4096 keys and around 5 % of repeats, which decide otherwise.
TEST(Repeats, DecideTheSameInAnyOrder) {
  for (const size_t n : {4096u, 4097u, 20000u, 90000u}) {
    for (const size_t per_mille : {0u, 30u, 46u, 49u, 52u, 80u, 700u}) {
      Hashes lines = Repeated(RandomHashes(n - n * per_mille / 1000, n + per_mille), n, 3);
      for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
        if (layout != Layout::kBlocked && n == 90000) continue;
        const ScopedTuning tuning(0, 64);
        std::sort(lines.begin(), lines.end());  // all repeats are adjacent
        const std::string expected = Build(BitsPerKey(10, layout), lines);
        for (uint64_t seed = 1; seed <= 3; ++seed) {
          Shuffle(&lines, seed);
          const FilterOptions options = Options(layout, seed == 2 ? Threads(3) : Executor());
          EXPECT_TRUE(BuildInPieces(options, lines, seed) == expected) << n << ", " << per_mille;
          EXPECT_TRUE(BuildOfSource(options, lines) == expected) << n << ", " << per_mille;
        }
      }
    }
  }
}

TEST(Repeats, BelowFivePercentCostAtMostThat) {
  for (const size_t distinct : {4200u, 10000u, 100000u}) {
    const double alone = static_cast<double>(Build(BitsPerKey(10), RandomHashes(distinct, 1)).size());
    for (const size_t per_mille : {1u, 20u, 49u}) {
      const Hashes lines = Repeated(RandomHashes(distinct, 1), distinct + distinct * per_mille / 1000, 2);
      EXPECT_LE(static_cast<double>(Build(BitsPerKey(10), lines).size()), 1.05 * alone + 64);
    }
  }
}

// A stream whose distinct hashes do not fit either: counted in several passes, and read group by group.
TEST(Repeats, OfAStreamAreCountedWithinItsMemory) {
  if (IsEmulated()) GTEST_SKIP() << kSlowInAnEmulator;
  const Hashes distinct = RandomHashes(300000, 1), lines = Repeated(distinct, 900000, 2);
  for (const Layout layout : LayoutsOfRanges()) {
    const std::string expected = BuildPlainly(Options(layout), distinct);
    const ScopedTuning tuning(0, 256);
    for (const uint64_t limit : {uint64_t{16} << 20, uint64_t{4} << 20, uint64_t{9} << 18, uint64_t{3} << 19}) {
      TestAllocator allocator;
      FilterOptions options = allocator.WithHooks(Options(layout, Threads(2)));
      options.memory_limit = limit;
      int passes = 0;
      EXPECT_TRUE(BuildOfSource(options, lines, &passes) == expected) << limit;
      EXPECT_LE(allocator.peak_bytes(), limit);
      EXPECT_GE(passes, limit < 3 << 20 ? 5 : 3) << limit;
    }
  }
}

TEST(NumKeys, IsWhatTheFilterIsSizedForWhateverComes) {
  for (FilterOptions options : EveryOptions(12)) {
    options.num_keys = 20000;
    Sizing expected;
    ASSERT_TRUE(SizeForBitsPerKey(options.layout, 20000, 12, &expected).ok());
    for (const size_t n : {0u, 1u, 500u, 60000u}) {
      const Hashes hashes = RandomHashes(n, 3), lines = n == 0 ? hashes : Repeated(hashes, 2 * n, 4);
      const std::string image = Build(options, lines);
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      ASSERT_TRUE(IsOk(view.Verify()));
      EXPECT_EQ(view.body_bytes(), expected.body_bytes);
      EXPECT_EQ(view.num_probes(), options.removable ? 1 : expected.num_probes);
      EXPECT_EQ(view.num_keys(), 20000u);
      EXPECT_EQ(view.CountMaybes(hashes.data(), n), n);
      EXPECT_TRUE(BuildOfSource(options, lines) == image) << n;
      if (!options.removable) {
        EXPECT_TRUE(Build(options, hashes) == image) << n;
      }
      uint64_t image_bytes = 0, peak = 0;
      ASSERT_TRUE(FilterBuilder::EstimateBytes(options, 2 * n, &image_bytes, &peak).ok());
      EXPECT_EQ(image_bytes, image.size());
      TestAllocator allocator;
      Build(allocator.WithHooks(options), lines);
      EXPECT_LE(allocator.peak_bytes(), peak);
    }
  }
}

}  // namespace
}  // namespace linefilter::test
