// No rate is too good to be true: a key that agrees with a member in all of its hash that a filter looks at is "maybe",
// so a rate below n / 2^64 (whole hashes) or load / 2^32 (in-block hashes; load: keys per block) is refused by sizing,
// and no estimate from the size goes below it. From the very bits it is so on average: where bits of several keys
// coincide, they tell too few keys, which shows in a filter of a few (tests/layouts/low_load_test.cc has the mean).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter {
namespace {

constexpr Layout kLayouts[] = {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval};
constexpr uint64_t kTrillion = 1000000000000;
constexpr double kRounding = 1e-12;

double OfWholeHashes(double keys) { return std::ldexp(keys, -64); }
double OfInBlockHashes(double load) { return std::ldexp(load, -32); }

// The least that a filter of so many keys can do.
double Floor(Layout layout, double keys, uint64_t body_bytes) {
  if (layout == Layout::kClassic) return OfWholeHashes(keys);
  return OfInBlockHashes(keys / (static_cast<double>(body_bytes) / 64));
}

// `retrieval` is made at once: for the hashes that there are.
std::string ImageOf(Layout layout, double bits_per_key, uint64_t made_for, const std::vector<uint64_t>& hashes) {
  FilterOptions options = test::BitsPerKey(bits_per_key, layout);
  options.hash_id = HashId::kCaller;
  if (!FactsOf(layout).takes_keys) return test::Build(options, hashes);
  Filter filter = test::Created<Filter>(made_for, test::WithLayout(layout, options));
  filter.InsertHashes(hashes.data(), hashes.size());
  return test::ImageOf(filter);
}

// --- From the size ------------------------------------------------------------------------------------------------

TEST(RateOfASize, IsNeverBelowWhatEqualHashesAllow) {
  for (const Layout layout : kLayouts) {
    for (const uint64_t num_keys : {uint64_t{1}, uint64_t{1000}, uint64_t{1000000}, kTrillion}) {
      for (const double bits_per_key : {4.0, 24.0, 64.0, 1000.0}) {
        const uint64_t body =
            std::max<uint64_t>(64, static_cast<uint64_t>(static_cast<double>(num_keys) * bits_per_key / 512) * 64);
        for (uint32_t k = std::min(1u, FactsOf(layout).max_num_probes); k <= FactsOf(layout).max_num_probes; ++k) {
          const double fpr = ExpectedFpr(layout, num_keys, body, k);
          ASSERT_GE(fpr, Floor(layout, static_cast<double>(num_keys), body) * (1 - kRounding))
              << LayoutName(layout) << " " << num_keys << " keys " << bits_per_key << " bits per key, k " << k;
          ASSERT_GE(fpr, OfWholeHashes(static_cast<double>(num_keys)) * (1 - kRounding)) << LayoutName(layout);
        }
      }
    }
  }
}

TEST(RateOfASize, OfClassicHasTheTermOnceAndFull) {
  for (const uint64_t num_keys : {uint64_t{1000000}, uint64_t{1000000000}, kTrillion}) {
    Sizing sizing;
    ASSERT_TRUE(SizeForBitsPerKey(Layout::kClassic, num_keys, 64, &sizing).ok());
    const double by_bits = std::pow(-std::expm1(-30 / 64.0), 30);
    EXPECT_NEAR(sizing.expected_fpr / (by_bits + OfWholeHashes(static_cast<double>(num_keys))), 1, 1e-4) << num_keys;
  }
}

TEST(SizingByRate, RefusesWhatEqualHashesDoNotAllow) {
  Sizing sizing;
  sizing.body_bytes = 12345;
  for (const Layout layout :
       {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval, Layout::kQuotient, Layout::kAuto}) {
    for (const double fpr : {1e-12, 5.42e-8}) {
      const Status status = SizeForFpr(layout, kTrillion, fpr, &sizing);
      EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, status, "same 64-bit hash"))
          << LayoutName(layout) << " " << fpr;
      EXPECT_NE(std::string(status.message()).find("1000000000000 keys"), std::string::npos) << status.message();
    }
  }
  EXPECT_EQ(sizing.body_bytes, 12345u);
  // Beside it there must be room for what the bits let through.
  EXPECT_FALSE(SizeForFpr(Layout::kClassic, kTrillion, OfWholeHashes(1e12) + 1e-13, &sizing).ok());
  EXPECT_TRUE(SizeForFpr(Layout::kClassic, kTrillion, OfWholeHashes(1e12) + 2e-13, &sizing).ok());
  EXPECT_LE(sizing.bits_per_key, kMaxBitsPerKey * (1 + 1e-9));
  for (const double fpr : {5.5e-8, 6e-8, 1e-7, 1e-3}) {
    ASSERT_TRUE(SizeForFpr(Layout::kClassic, kTrillion, fpr, &sizing).ok()) << fpr;
    EXPECT_LE(sizing.expected_fpr, fpr);
    EXPECT_GT(sizing.expected_fpr, fpr * (1 - 1e-6)) << "no more than it takes";
  }
  EXPECT_EQ(MaxKeysForFpr(Layout::kClassic, uint64_t{1} << 40, 1e-12), 18446744u) << "2^64 / 1e12";
}

// The limit of a layout is told so that it can be asked for.
TEST(SizingByRate, GrantsTheRateThatARefusalNames) {
  for (const Layout layout : kLayouts) {
    Sizing sizing;
    const std::string refused = SizeForFpr(layout, 1000000, 1e-13, &sizing).message();
    const size_t at = refused.find("reaches ");
    ASSERT_NE(at, std::string::npos) << refused;
    const double named = std::stod(refused.substr(at + 8));
    EXPECT_TRUE(SizeForFpr(layout, 1000000, named, &sizing).ok()) << refused;
    EXPECT_GE(named, Floor(layout, 1e6, 8000000));
  }
}

// --- From the bits ------------------------------------------------------------------------------------------------

// One key in one block, the most bits of all: 8e-25 by its bits alone.
TEST(RateOfBits, OfOneKeyInOneBlockIsThatOfItsInBlockHash) {
  for (const uint64_t hash : test::RandomHashes(100, 1)) {
    const std::string blocked = ImageOf(Layout::kBlocked, 64, 8, {hash});
    const FilterView bits(blocked.data(), blocked.size(), VerifyMode::kWhole);
    ASSERT_EQ(bits.num_blocks(), 1u);
    ASSERT_GE(bits.ExpectedFpr(), OfInBlockHashes(1));
    ASSERT_NEAR(bits.ExpectedFpr() / ExpectedFpr(Layout::kBlocked, 1, 64, bits.num_probes()), 1, 1e-9);
    const std::string retrieval = ImageOf(Layout::kRetrieval, 64, 1, {hash});
    const FilterView equations(retrieval.data(), retrieval.size(), VerifyMode::kWhole);
    ASSERT_EQ(equations.num_blocks(), 1u);
    ASSERT_GE(equations.ExpectedFpr(), OfInBlockHashes(2)) << "31 equations";
    ASSERT_LE(equations.ExpectedFpr(), OfInBlockHashes(4));
  }
}

// What the bits tell is what the model expects: with as many keys as it is made for, and with few.
TEST(RateOfBits, IsThatOfTheModelWhereEqualHashesRule) {
  if (test::IsEmulated()) GTEST_SKIP() << "the tolerances want a million keys";
  constexpr uint64_t kMadeFor = 1000000;
  for (const Layout layout : kLayouts) {
    for (const uint64_t divisor : {1u, 4u, 64u}) {
      if (layout == Layout::kRetrieval && divisor != 1) continue;
      const uint64_t n = kMadeFor / divisor;
      const std::string image = ImageOf(layout, 64, kMadeFor, test::RandomHashes(static_cast<size_t>(n), divisor));
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      const double fpr = view.ExpectedFpr(), keys = static_cast<double>(n);
      const double model = ExpectedFpr(layout, n, view.body_bytes(), view.num_probes());
      SCOPED_TRACE(std::string(LayoutName(layout)) + " " + std::to_string(n) + " keys");
      EXPECT_GE(fpr, Floor(layout, keys, view.body_bytes()) * (divisor == 1 ? 1 : 0.99));
      // In `blocked` a few full blocks have most of the rate by bits.
      const bool is_of_few = layout == Layout::kBlocked && divisor == 1;
      EXPECT_NEAR(fpr / model, 1, is_of_few ? 0.2 : 0.03);
    }
  }
}

TEST(RateOfBits, OfClassicKnowsThatWholeHashesAgree) {
  for (const uint64_t n : {1000u, 20000u}) {  // 256 bits per key, 30 probes: 2e-29 by bits
    const std::string image = ImageOf(Layout::kClassic, 64, 4 * n, test::RandomHashes(n, n));
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    ASSERT_EQ(view.num_probes(), 30u);
    EXPECT_NEAR(view.ExpectedFpr() / OfWholeHashes(static_cast<double>(n)), 1, 0.01);
  }
}

// Keys of a block of `retrieval` at the highest level: its ones tell them.
TEST(RateOfBits, OfRetrievalKnowsTheKeysOfABlock) {
  for (const uint64_t load : {8u, 10u, 12u, 16u, 20u, 25u}) {
    constexpr uint64_t kBlocks = 1000;
    const uint64_t n = load * kBlocks;
    const std::string image = ImageOf(Layout::kRetrieval, 512.0 / static_cast<double>(load), n,
                                      test::RandomHashes(static_cast<size_t>(n), load));
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    ASSERT_EQ(view.num_blocks(), kBlocks);
    EXPECT_NEAR(view.ApproximateSize().keys / static_cast<double>(n), 1, 0.04) << load;
    EXPECT_GE(view.ExpectedFpr(), OfInBlockHashes(static_cast<double>(load))) << load;
  }
}

// --- Of several filters -------------------------------------------------------------------------------------------

// The first stage is asked while it has few keys, the second one with one.
TEST(RateOfStages, IsNeverBelowThatOfTheirInBlockHashes) {
  FilterOptions options = test::Fpr(1e-4);
  options.hash_id = HashId::kCaller;
  ScalableFilter filter = test::Created<ScalableFilter>(1000, options);
  const std::vector<uint64_t> hashes = test::RandomHashes(1001, 3);
  for (size_t i = 0; i < hashes.size(); ++i) {
    filter.InsertHash(hashes[i]);
    if (i > 20 && i % 100 != 0) continue;
    const std::string image = test::ImageOf(filter);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    double floor = 0;
    for (uint32_t s = 0; s < view.num_stages(); ++s) {
      const StageInfo stage = view.stage(s);
      const double least = OfInBlockHashes(static_cast<double>(stage.num_keys) / static_cast<double>(stage.num_blocks));
      EXPECT_GE(stage.ExpectedFpr(), least * (i == 0 ? 1 - kRounding : 0.98)) << i << " " << s;
      floor += least;
    }
    EXPECT_GE(filter.ExpectedFpr(), floor * 0.98) << i;
    EXPECT_EQ(filter.ExpectedFpr(), view.ExpectedFpr()) << i;
  }
  EXPECT_EQ(filter.num_stages(), 2u);
}

TEST(RateOfGenerations, IsNotRoundedAwayWhereItIsSmall) {
  FilterOptions options = test::BitsPerKey(64);
  options.hash_id = HashId::kCaller;
  RotatingFilter filter;
  ASSERT_TRUE(test::IsOk(filter.Create(1000000, 4, options)));
  EXPECT_EQ(filter.ExpectedFpr(), 0);
  filter.InsertHash(MixHash(1));
  const double blocks = static_cast<double>(filter.body_bytes()) / 4 / 64;  // of a generation
  EXPECT_NEAR(filter.ExpectedFpr() / OfInBlockHashes(1 / blocks), 1, 1e-9);
}

// --- Folding ------------------------------------------------------------------------------------------------------

TEST(FoldToFpr, KnowsThatFoldedBlocksHaveMoreKeys) {
  FilterOptions options = test::BitsPerKey(64);
  options.foldable = true;
  options.hash_id = HashId::kCaller;
  BlockedFilter filter = test::Created<BlockedFilter>(8 * 4096, options);
  ASSERT_EQ(filter.num_blocks(), 4096u);
  const std::vector<uint64_t> hashes = test::RandomHashes(64, 5);
  filter.InsertHashes(hashes.data(), hashes.size());
  const Status refused = filter.FoldToFpr(1e-12);  // 8e-27 by the bits
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, refused, "before any folding"));
  ASSERT_TRUE(filter.FoldToFpr(OfInBlockHashes(0.26)).ok());
  EXPECT_EQ(filter.num_blocks(), 256u) << "0.25 keys per block";
  EXPECT_NEAR(filter.ExpectedFpr() / OfInBlockHashes(0.25), 1, 0.02);
}

}  // namespace
}  // namespace linefilter
