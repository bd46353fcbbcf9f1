// linefilter/scalable.h: a filter that grows, keeps its bound whatever comes, and never loses a key.
#include "tests/filters/scalable_test.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linefilter/sizing.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {
namespace {

uint64_t BytesOfOne(uint64_t num_keys, double fpr) {
  Sizing sizing;
  EXPECT_TRUE(SizeForFpr(Layout::kBlocked, num_keys, fpr, &sizing).ok());
  return sizing.body_bytes;
}

TEST(ScalableFilterTest, AnswersMaybeBeforeCreate) {
  ScalableFilter filter;
  ExpectBroken(filter);
}

TEST(ScalableFilterTest, RefusesWhatIsNoBound) {
  ScalableFilter filter;
  const auto refuses = [&](const FilterOptions& options, StatusCode code, uint64_t max_growth = 0) {
    EXPECT_TRUE(Says(code, filter.Create(100, options, UpTo(max_growth))));
    ExpectBroken(filter);
  };
  refuses(FilterOptions(), StatusCode::kInvalidArgument);
  refuses(test::BitsPerKey(10), StatusCode::kInvalidArgument);
  refuses(Fpr(1), StatusCode::kInvalidArgument);
  refuses(Fpr(-0.1), StatusCode::kInvalidArgument);
  refuses(Fpr(1e-12), StatusCode::kInvalidArgument);
  refuses(Fpr(2e-8), StatusCode::kInvalidArgument, 1000);  // one filter can be so fine, the tenth stage cannot
  refuses(Fpr(2.5e-6), StatusCode::kInvalidArgument);      // nor the twentieth, where growth has no end
  FilterOptions options = Fpr(0.01);
  options.num_probes = 7;
  refuses(options, StatusCode::kInvalidArgument);
  options = Fpr(0.01, Layout::kClassic);
  refuses(options, StatusCode::kInvalidArgument);
  options = Fpr(0.01);
  options.foldable = true;
  refuses(options, StatusCode::kInvalidArgument);  // what is made of stages cannot be folded
  options = Fpr(0.01);
  options.hash_id = HashId::kKeyed;
  refuses(options, StatusCode::kInvalidArgument);  // without a secret
  options = Fpr(0.01);
  options.memory_limit = 1000;
  refuses(options, StatusCode::kOverLimit);
  EXPECT_TRUE(filter.Create(0, Fpr(0.01)).ok()) << "0 keys count as 1";
  EXPECT_EQ(filter.stage(0).capacity, 1u);
  EXPECT_EQ(filter.Create(UINT64_MAX, Fpr(0.01)).code(), StatusCode::kInvalidArgument);
}

TEST(ScalableFilterTest, DoublesWhenItIsFullAndNotSooner) {
  ScalableFilter filter = Make(100, Fpr(0.01));
  const std::vector<uint64_t> hashes = RandomHashes(3000, 1);
  uint64_t num_new = 0;
  for (const uint64_t hash : hashes) {
    const uint64_t keys = filter.num_keys();
    const bool known = filter.MayContainHash(hash);
    ASSERT_EQ(filter.InsertHash(hash), !known);
    num_new += !known;
    ASSERT_EQ(filter.num_keys(), num_new);
    ASSERT_TRUE(filter.MayContainHash(hash));
    uint32_t stages = 1;  // for so many keys: 100, 300, 700, ...
    while (100 * ((uint64_t{1} << stages) - 1) < num_new) ++stages;
    ASSERT_EQ(filter.num_stages(), stages) << keys;
  }
  EXPECT_EQ(filter.layout(), Layout::kContainer);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < filter.num_stages(); ++i) {
    const StageFacts facts = filter.stage(i);
    EXPECT_EQ(facts.capacity, uint64_t{100} << i);
    EXPECT_EQ(facts.num_keys, i + 1 < filter.num_stages() ? facts.capacity : num_new - 100 * ((1u << i) - 1));
    EXPECT_LE(ExpectedFpr(Layout::kBlocked, facts.capacity, 64 * facts.num_blocks, facts.num_probes), facts.fpr);
    bytes += 64 * facts.num_blocks;
  }
  EXPECT_EQ(filter.body_bytes(), bytes);
  EXPECT_GT(filter.MemoryUse(), bytes);
  EXPECT_TRUE(filter.growth_status().ok());
  EXPECT_EQ(filter.fpr(), 0.01);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

// Keys that were seen before fill nothing, be they in the newest stage or in the oldest.
TEST(ScalableFilterTest, CountsOnlyKeysThatAreCertainlyNew) {
  ScalableFilter filter = Make(1000, Fpr(0.001));
  const std::vector<uint64_t> hashes = RandomHashes(2500, 2);
  filter.InsertHashes(hashes.data(), hashes.size());
  const std::string image = ImageOf(filter);
  const uint64_t keys = filter.num_keys();
  for (int again = 0; again < 20; ++again) {
    EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size()), 0u);
    for (size_t i = 0; i < 100; ++i) ASSERT_FALSE(filter.InsertHash(hashes[i]));
  }
  EXPECT_EQ(filter.num_keys(), keys);
  EXPECT_EQ(filter.num_stages(), 2u);
  EXPECT_TRUE(ImageOf(filter) == image) << "not a bit is set by them";
}

// In groups of any size, with repeated keys, while stages of 1, 2, 4, ... keys open within a group.
TEST(ScalableFilterTest, InsertsABatchAsIfOneByOne) {
  for (const uint64_t first : {1u, 3u, 100u, 5000u}) {
    for (const uint64_t max_growth : {0u, 7u}) {  // the latter ends within the batch
      const size_t n = 20000;
      std::vector<uint64_t> hashes = RandomHashes(n, first);
      for (size_t i = 5; i < n; i += 5) hashes[i] = hashes[i % 3 == 0 ? i - i % 4 : i / 2];
      ScalableFilter single = Make(first, Fpr(0.02), max_growth), batch = Make(first, Fpr(0.02), max_growth),
                     pieces = Make(first, Fpr(0.02), max_growth);
      std::vector<uint8_t> expected(n + 1, 7), were_new(n + 1, 7);
      uint64_t num_new = 0, in_pieces = 0;
      for (size_t i = 0; i < n; ++i) num_new += expected[i] = single.InsertHash(hashes[i]);
      EXPECT_EQ(batch.InsertHashes(hashes.data(), n, were_new.data()), num_new);
      EXPECT_EQ(were_new, expected) << first << ", and no byte more";
      for (size_t done = 0, size = 0; done < n; done += size, size = size * 3 + 1) {
        size = std::min(size, n - done);
        in_pieces += pieces.InsertHashes(hashes.data() + done, size);
      }
      EXPECT_EQ(in_pieces, num_new);
      EXPECT_TRUE(ImageOf(batch) == ImageOf(single)) << first;
      EXPECT_TRUE(ImageOf(pieces) == ImageOf(single)) << first;
      EXPECT_EQ(single.num_keys(), num_new);
      EXPECT_EQ(single.growth_status().ok(), max_growth == 0 || first == 5000);
      EXPECT_EQ(batch.CountMaybes(hashes.data(), n), n) << "nothing is lost";
    }
  }
}

// The promise: a thousandfold, at any bound, with room left in the bound, in ten stages, and no more memory than said.
TEST(ScalableFilterTest, KeepsItsBoundGrownAThousandfold) {
  struct Case {
    double fpr;
    uint64_t first_capacity, max_growth;
  };
  for (const Case& c : {Case{1e-2, 1000, 1000}, Case{1e-2, 1000, 0}, Case{1e-3, 300, 1000}, Case{1e-4, 300, 1000},
                        Case{1e-1, 50, 0}, Case{1e-2, 1, 0}}) {
    // An emulator gets smaller ones, of which whole blocks take more than was promised.
    const bool is_fast = test::Effort() == 1;
    const uint64_t first_capacity = is_fast ? c.first_capacity : (c.first_capacity + 9) / 10;
    ScalableFilter filter = Make(first_capacity, Fpr(c.fpr), c.max_growth);
    // Members have the lowest bit set, absent keys have not: XXH3 makes hashes of both.
    const uint64_t most = 1023 * first_capacity;
    double worst = 0;
    uint32_t stages = 1;
    uint64_t key = 1;
    for (; filter.num_keys() < most; key += 2) {
      filter.InsertKey(key);
      if (filter.num_stages() == stages) continue;
      stages = filter.num_stages();  // the worst moment: room for twice as many
      worst = std::max(
          worst, static_cast<double>(filter.body_bytes()) / static_cast<double>(BytesOfOne(filter.num_keys(), c.fpr)));
    }
    EXPECT_EQ(filter.num_stages(), 10u);
    EXPECT_TRUE(filter.growth_status().ok());
    for (uint64_t member = 1; member < key; member += 2) ASSERT_TRUE(filter.MayContainKey(member)) << member;
    if (is_fast && c.max_growth == 1000) {
      EXPECT_LE(static_cast<double>(filter.body_bytes()),
                1.9 * static_cast<double>(BytesOfOne(filter.num_keys(), c.fpr)));
      EXPECT_LE(worst, 4);
    }
    double passes = 1;
    for (uint32_t i = 0; i < filter.num_stages(); ++i) {
      const StageFacts facts = filter.stage(i);
      EXPECT_EQ(facts.num_keys, facts.capacity);
      passes *= 1 - ExpectedFpr(Layout::kBlocked, facts.num_keys, 64 * facts.num_blocks, facts.num_probes);
    }
    EXPECT_LE(1 - passes, c.fpr);

    // Measured: the rate is below the bound by kSigmas of the questions, and about what the model says.
    const uint64_t questions = static_cast<uint64_t>(std::max(1000.0, 3000 / c.fpr * test::Effort()));
    uint64_t maybes = 0;
    for (uint64_t i = 0; i < questions; ++i) maybes += filter.MayContainKey((i + 1) << 20);
    const double measured = static_cast<double>(maybes) / static_cast<double>(questions),
                 error = test::kSigmas * std::sqrt(c.fpr / static_cast<double>(questions));
    EXPECT_LE(measured, filter.ExpectedFpr() * 1.0001 + error) << c.fpr;
    EXPECT_GE(measured, filter.ExpectedFpr() * 0.9999 - error) << c.fpr;
    EXPECT_LE(measured, c.fpr + error) << c.fpr;
  }
}

// The bits of the first stages, which have most of the bound, scatter: so the mean of many filters, each full.
TEST(ScalableFilterTest, ItsMeanRateIsBelowTheBound) {
  struct Case {
    double fpr;
    uint64_t first_capacity, max_growth;
  };
  for (const Case& c : {Case{0.3, 2000, 7}, Case{0.1, 2000, 7}, Case{1e-2, 2000, 7}, Case{1e-3, 2000, 7}}) {
    test::MeanOfTrials rate;
    const int trials = test::Effort() == 1 ? 64 : 8;
    for (int trial = 0; trial < trials; ++trial) {
      ScalableFilter filter = Make(c.first_capacity, Fpr(c.fpr), c.max_growth);
      const uint64_t most = c.first_capacity * c.max_growth;
      test::Random random(1000 + static_cast<uint64_t>(trial));
      while (filter.num_keys() < most) filter.InsertHash(random());
      EXPECT_TRUE(filter.growth_status().ok());
      rate.Add(filter.ExpectedFpr());
    }
    EXPECT_LE(rate.mean(), c.fpr + (c.fpr < 0.1 ? 3 * rate.error() : 0)) << c.fpr;
    EXPECT_GE(rate.mean(), 0.9 * c.fpr) << c.fpr << ": and no bits are wasted";
  }
}

TEST(ScalableFilterTest, MovesWithAllItsStages) {
  TestAllocator memory;
  FilterOptions options = memory.WithHooks(Fpr(0.01));
  const std::vector<uint64_t> hashes = RandomHashes(1000, 9);
  ScalableFilter from = Make(10, options);
  from.InsertHashes(hashes.data(), hashes.size());
  const std::string image = ImageOf(from);
  ScalableFilter to(std::move(from));
  ExpectBroken(from);
  EXPECT_TRUE(ImageOf(to) == image);
  ScalableFilter other = Make(10, options);
  other = std::move(to);
  ExpectBroken(to);
  EXPECT_TRUE(ImageOf(other) == image);
  EXPECT_EQ(other.CountMaybes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_GT(other.InsertHashes(RandomHashes(1000, 10).data(), 1000), 900u) << "and grows on";
  ScalableFilter& same = other;
  other = std::move(same);
  EXPECT_EQ(other.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

TEST(ScalableFilterTest, ExpectsTheSmallestRateToo) {
  ScalableFilter filter = Make(10000, Fpr(1e-4));
  filter.InsertHash(MixHash(1));
  const double in_block_hashes = std::ldexp(1 / static_cast<double>(filter.stage(0).num_blocks), -32);
  EXPECT_GE(filter.ExpectedFpr(), in_block_hashes);
  EXPECT_LT(filter.ExpectedFpr(), in_block_hashes * 1.0001);
}

}  // namespace
}  // namespace linefilter::test
