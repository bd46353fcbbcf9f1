// The factor for a rate or a size is the largest that is good enough, and what is made foldable has many.
#include <cstring>
#include <limits>

#include "lib/layouts/options.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/sizing.h"
#include "tests/filters/fold_test.h"
#include "tests/testing/layouts.h"
#include "tests/testing/savers.h"

namespace linefilter::test {
namespace {

// The largest factor of which the folded filter itself says that it is good enough.
template <class Filter = BlockedFilter>
uint64_t BruteForce(const std::string& image, double fpr) {
  uint64_t best = 0;
  for (const uint64_t factor : DivisorsOf(FilterView(image.data(), image.size(), VerifyMode::kWhole).num_blocks())) {
    Filter filter = FromImage<Filter>(image);
    EXPECT_TRUE(filter.Fold(factor).ok());
    if (filter.ExpectedFpr() <= fpr) best = factor;
  }
  return best;
}

TEST(FoldToFpr, FindsTheLeastSizeOfAll) {
  for (const uint64_t num_blocks : {1u, 64u, 97u, 100u, 360u, 720u, 1155u, 5040u}) {
    for (const double bits_per_key : {12.0, 40.0, 400.0}) {
      const size_t num_keys = static_cast<size_t>(512 * static_cast<double>(num_blocks) / bits_per_key);
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, num_blocks);
      const std::string image = ImageOf(Make(num_blocks, 5, hashes));
      for (const double fpr : {1e-9, 1e-4, 0.003, 0.01, 0.05, 0.3, 0.999}) {
        SCOPED_TRACE(std::to_string(num_blocks) + " blocks, fpr " + std::to_string(fpr));
        const uint64_t expected = BruteForce(image, fpr);
        BlockedFilter filter = FromImage<BlockedFilter>(image);
        const Status status = filter.FoldToFpr(fpr);
        if (expected == 0) {
          EXPECT_TRUE(Says(StatusCode::kInvalidArgument, status, "before any folding"));
          EXPECT_EQ(ImageOf(filter), image);
        } else {
          ASSERT_TRUE(IsOk(status));
          EXPECT_EQ(filter.num_blocks(), num_blocks / expected);
          EXPECT_LE(filter.ExpectedFpr(), fpr);
        }
      }
    }
  }
}

TEST(FoldToFpr, OfAMultisetFindsTheLeastSizeOfAll) {
  for (const size_t keys_per_block : {2u, 10u}) {
    const std::string image = ImageOf(Make<QuotientFilter>(360, 1, RandomHashes(360 * keys_per_block, 1)));
    for (const double fpr : {1e-4, 0.01, 0.2}) {
      QuotientFilter filter = FromImage<QuotientFilter>(image);
      const uint64_t expected = BruteForce<QuotientFilter>(image, fpr);
      EXPECT_EQ(filter.FoldToFpr(fpr).ok(), expected != 0);
      EXPECT_EQ(filter.num_blocks(), expected == 0 ? 360 : 360 / expected);
    }
  }
}

// Keys in one place: there a factor can be worse than a larger one which does not contain it.
TEST(FoldToFpr, FindsItWhereRatesDoNotRiseWithTheFactor) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const uint64_t num_blocks = round % 2 == 0 ? 36 : 60;
    std::vector<uint64_t> hashes;
    for (uint64_t cluster = random.Below(6) + 1; cluster-- != 0;) {
      const uint64_t block = random.Below(num_blocks);
      for (uint64_t i = random.Below(300); i-- != 0;) {
        // Somewhere in that block.
        hashes.push_back((~uint64_t{0} / num_blocks) * block + random.Below(~uint64_t{0} / num_blocks));
      }
    }
    const std::string image = ImageOf(Make(num_blocks, 3, hashes));
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    for (const double fpr : {0.02, 0.05, 0.1, 0.2, 0.4, 0.7}) {
      const uint64_t expected = BruteForce(image, fpr);
      uint64_t factor = 0;
      EXPECT_EQ(FoldFactorForFpr(view, fpr, &factor).ok(), expected != 0);
      if (expected != 0) {
        EXPECT_EQ(factor, expected) << round << ", " << fpr;
      }
    }
  }
}

// Blocks 5 and 6 of 36 are full: by 6 they lie apart (2 of 6 blocks say "maybe"), by 9 in one (1 of 4).
TEST(FoldToFpr, FindsAFactorBehindOneThatFails) {
  constexpr uint64_t kShare = ~uint64_t{0} / 36;
  Random random(6);
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 6000; ++i) hashes.push_back(kShare * (5 + i % 2) + 1000 + random.Below(kShare - 1000));
  const std::string image = ImageOf(Make(36, 3, hashes));
  EXPECT_EQ(BruteForce(image, 0.3), 9u);
  uint64_t factor = 0;
  ASSERT_TRUE(FoldFactorForFpr(FilterView(image.data(), image.size(), VerifyMode::kWhole), 0.3, &factor).ok());
  EXPECT_EQ(factor, 9u);
}

TEST(FoldToFpr, RefusesRatesThatAreNone) {
  BlockedFilter filter = Make(64, 5, {});
  for (const double fpr : {0.0, 1.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(filter.FoldToFpr(fpr).code(), StatusCode::kInvalidArgument) << fpr;
  }
  EXPECT_EQ(filter.num_blocks(), 64u);
  EXPECT_TRUE(filter.FoldToFpr(1e-9).ok());
  EXPECT_EQ(filter.num_blocks(), 1u) << "what holds no key is good enough in any size";
}

TEST(FoldFactorForBytes, FindsTheLargestImageThatFits) {
  const std::string image = ImageOf(Make(1200, 5, RandomHashes(1000, 1)));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  for (const uint64_t bytes : {uint64_t{72}, uint64_t{600}, uint64_t{4096}, uint64_t{4104}, uint64_t{38000},
                               uint64_t{view.image_bytes()} - 1, uint64_t{view.image_bytes()}, ~uint64_t{0}}) {
    uint64_t factor = 0;
    ASSERT_TRUE(FoldFactorForBytes(view, bytes, &factor).ok()) << bytes;
    for (const uint64_t other : DivisorsOf(1200)) {
      Collector written;
      ASSERT_TRUE(FoldImage(view, other, written.sink()).ok());
      EXPECT_EQ(written.bytes.size() <= bytes, other >= factor) << bytes << ", " << other;
    }
  }
  uint64_t factor = 5;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, FoldFactorForBytes(view, 71, &factor), "of 72"));
  EXPECT_EQ(factor, 5u);
}

TEST(Foldable, HasBlocksThatSixtyFourDivides) {
  for (const uint64_t num_keys : {0u, 1u, 100u, 3000u, 50000u, 1000000u}) {
    BlockedFilter plain, filter;
    ConcurrentFilter shared;
    ASSERT_TRUE(plain.Create(num_keys, BitsPerKey(10)).ok() && filter.Create(num_keys, Foldable(10)).ok());
    ASSERT_TRUE(shared.Create(num_keys, Foldable(10)).ok());
    EXPECT_EQ(filter.num_blocks() % 64, 0u);
    EXPECT_LT(filter.num_blocks() - plain.num_blocks(), 64u) << "the least such number";
    EXPECT_EQ(shared.num_blocks(), filter.num_blocks());
    const std::vector<uint64_t> hashes = RandomHashes(static_cast<size_t>(num_keys), 1);
    filter.InsertHashes(hashes.data(), hashes.size());
    FilterBuilder builder(Foldable(10));  // kAuto
    builder.AddHashes(hashes.data(), hashes.size());
    const std::string image = Finish(&builder);
    HashesInMemory memory{&hashes};
    Collector streamed;
    ASSERT_TRUE(BuildFromSource(Foldable(10), memory.source(), streamed.sink()).ok());
    EXPECT_TRUE(streamed.bytes == image);
    if (num_keys == 0) continue;  // the empty set
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    EXPECT_EQ(builder.sizing().body_bytes, filter.body_bytes());
    EXPECT_EQ(builder.sizing().expected_fpr,
              ExpectedFpr(Layout::kBlocked, num_keys, filter.body_bytes(), filter.num_probes()));
    EXPECT_DOUBLE_EQ(builder.sizing().bits_per_key,
                     8.0 * static_cast<double>(filter.body_bytes()) / static_cast<double>(num_keys));
    ASSERT_EQ(view.layout(), Layout::kBlocked);
    EXPECT_EQ(memcmp(view.body(), filter.body(), static_cast<size_t>(filter.body_bytes())), 0);
  }
}

TEST(Foldable, HasTheSameProbesForAnyNumberOfKeysAndKeepsTheRate) {
  for (const double fpr : {0.3, 0.05, 0.01, 0.0013, 1e-5}) {
    FilterOptions options = Fpr(fpr);
    options.foldable = true;
    for (const uint64_t num_keys : {1u, 10u, 333u, 5000u, 77777u, 3000000u}) {
      BlockedFilter filter = Created<BlockedFilter>(num_keys, options);
      EXPECT_EQ(filter.num_blocks() % 64, 0u);
      EXPECT_EQ(filter.num_probes(), NumProbesForBitsPerKey(Layout::kBlocked, BitsPerKeyForFpr(Layout::kBlocked, fpr)));
      EXPECT_LE(ExpectedFpr(Layout::kBlocked, num_keys, filter.body_bytes(), filter.num_probes()), fpr);
    }
  }
  // Where one probe more or less is as good, the best of a small set is not that of all.
  for (uint32_t k = 2; k <= 14; ++k) {
    const double edge = FprForBitsPerKey(Layout::kBlocked, LeastBitsPerKey(Layout::kBlocked, k));
    for (const double fpr : {edge * 0.999, edge * 1.001}) {
      for (uint64_t num_keys = 200; num_keys < 2000000; num_keys = num_keys * 3 / 2) {
        FilterOptions options = Fpr(fpr);
        options.foldable = true;
        uint64_t image_bytes = 0;
        ASSERT_TRUE(FilterBuilder::EstimateBytes(options, num_keys, &image_bytes).ok());
        const uint32_t num_probes = NumProbesForBitsPerKey(Layout::kBlocked, BitsPerKeyForFpr(Layout::kBlocked, fpr));
        EXPECT_LE(ExpectedFpr(Layout::kBlocked, num_keys, image_bytes / 4096 * 4096, num_probes), fpr)
            << num_keys << " keys, " << fpr;
      }
    }
  }
  FilterOptions options = Foldable(10);
  options.num_probes = 3;
  BlockedFilter filter = Created<BlockedFilter>(10, options);
  EXPECT_EQ(filter.num_probes(), 3u);
}

// The sentence of FilterOptions::rounded: 50 to 99 times a power of two, for less than 2 percent, at the rate asked.
TEST(Rounded, SizesAreFewAndCostLessThanTwoPercent) {
  for (const Layout layout : {Layout::kBlocked, Layout::kQuotient, Layout::kAuto}) {
    for (FilterOptions options : {BitsPerKey(10), BitsPerKey(45), Fpr(0.01), Fpr(0.003)}) {
      options.layout = layout;
      uint64_t num_equal = 0, num_compared = 0;
      for (uint64_t num_keys = 10; num_keys < 30000000; num_keys += num_keys / 9 + 1) {
        const auto size = [&](uint64_t keys, bool rounded) {
          Sizing sizing;
          options.rounded = rounded;
          EXPECT_TRUE(internal::SizeForOptions(layout, keys, options, &sizing).ok());
          return sizing;
        };
        const Sizing plain = size(num_keys, false), rounded = size(num_keys, true);
        const uint64_t blocks = rounded.body_bytes / 64;
        uint64_t step = 1;
        while (2 * step <= plain.body_bytes / 64 / 50) step *= 2;
        if (!FactsOf(plain.layout).folds || step == 1) {
          ASSERT_EQ(rounded.body_bytes, plain.body_bytes) << num_keys;
          ASSERT_EQ(rounded.num_probes, plain.num_probes);
          continue;
        }
        ASSERT_EQ(blocks % step, 0u) << num_keys;
        ASSERT_LE(blocks / step, 100u);
        ASSERT_GE(blocks / step, 50u);
        ASSERT_LT(static_cast<double>(rounded.body_bytes), 1.02 * static_cast<double>(plain.body_bytes)) << num_keys;
        if (options.fpr != 0) {
          ASSERT_LE(rounded.expected_fpr, options.fpr);
        }
        const Sizing other = size(num_keys + num_keys / 500, true);
        num_equal += other.body_bytes == rounded.body_bytes && other.num_probes == rounded.num_probes;
        ++num_compared;
      }
      ASSERT_GT(num_compared, 60u);
      EXPECT_GE(num_equal * 10, num_compared * 7) << "six of seven have the size of 0.2 percent more keys";
    }
  }
}

TEST(Rounded, LeavesSmallSetsAndLayoutsThatDoNotFoldAsTheyAre) {
  for (const Layout layout : {Layout::kClassic, Layout::kRetrieval, Layout::kAuto}) {
    FilterOptions options = BitsPerKey(10);
    options.layout = layout;
    const std::vector<uint64_t> hashes = RandomHashes(layout == Layout::kAuto ? 3000 : 100000, 1);
    const std::string plain = Build(options, hashes);
    options.rounded = true;
    EXPECT_EQ(Build(options, hashes), plain);
  }
  FilterOptions both = Foldable(10);
  both.rounded = true;
  const std::string image = Build(both, RandomHashes(1000000, 1));
  const uint64_t num_blocks = FilterView(image.data(), image.size(), VerifyMode::kWhole).num_blocks();
  EXPECT_EQ(num_blocks % 256, 0u) << "of both steps the larger one";
}

TEST(Foldable, IsRefusedWhereNothingCanBeFolded) {
  for (const Layout layout : {Layout::kClassic, Layout::kRetrieval}) {
    FilterOptions options = Foldable(10);
    options.layout = layout;
    const FilterBuilder builder(options);
    EXPECT_EQ(builder.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(builder.status().message()).find("cannot be folded: leave out foldable"), std::string::npos);
  }
  ClassicFilter classic;
  EXPECT_EQ(classic.Create(100, Foldable(10)).code(), StatusCode::kInvalidArgument);
}

TEST(SameSizeAs, IsRefusedWhereThereIsNoSize) {
  Filter filter;
  EXPECT_EQ(filter.Create(10, FilterOptions::SameSizeAs(FilterView())).code(), StatusCode::kInvalidArgument);
  FilterOptions same = FilterOptions::SameSizeAs(Created<BlockedFilter>(1000, Fpr(0.01)));
  const auto refused = [&](const FilterOptions& wrong) {
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Create(10, WithLayout(Layout::kBlocked, wrong)), "body"));
  };
  FilterOptions wrong = same;
  wrong.fpr = 0.01;
  refused(wrong);
  wrong = same;
  wrong.foldable = true;
  refused(wrong);
  wrong = same;
  wrong.body_bytes += 1;
  refused(wrong);
  wrong = same;
  wrong.num_probes = 0;
  refused(wrong);
}

}  // namespace
}  // namespace linefilter::test
