// The sizing's model against the exact rate, and the rate that a filter computes from its own bits against a
// measurement.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/exact_fpr.h"
#include "tests/testing/layouts.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"

namespace linefilter::test {
namespace {

const ExactBlockedFpr& ExactOf(uint32_t num_probes) {
  static const std::vector<ExactBlockedFpr>* const models = [] {
    auto* made = new std::vector<ExactBlockedFpr>;
    for (uint32_t k = 1; k <= 16; ++k) made->emplace_back(k);
    return made;
  }();
  return (*models)[num_probes - 1];
}

double RelativeError(double of, double exact) { return std::fabs(of / exact - 1); }

constexpr uint64_t kBlocks[] = {1, 2, 3, 6, 7, 50, 999, 1000, 1001, 100000, uint64_t{1} << 26};

uint64_t KeysAt(double bits_per_key, uint64_t num_blocks) {
  return static_cast<uint64_t>(512 * static_cast<double>(num_blocks) / bits_per_key);
}

// Found: 0.134 % at most. Keys that hit three asked lanes at once are what the model leaves out.
TEST(BlockedModel, IsExactToAQuarterPercentWithTheBestProbesFrom4To24BitsPerKey) {
  double worst = 0;
  for (const uint64_t num_blocks : kBlocks) {
    for (double bits_per_key = 4; bits_per_key <= 24; bits_per_key += 0.25) {
      const uint64_t n = KeysAt(bits_per_key, num_blocks);
      Sizing sizing;
      // A hair less than the bits there are, so that rounding cannot ask for another block.
      const double density = 512 * static_cast<double>(num_blocks) / static_cast<double>(n);
      ASSERT_TRUE(SizeForBitsPerKey(Layout::kBlocked, n, density * (1 - 1e-12), &sizing).ok());
      ASSERT_EQ(sizing.body_bytes, 64 * num_blocks);
      const double error = RelativeError(sizing.expected_fpr, ExactOf(sizing.num_probes).OfKeys(n, num_blocks));
      EXPECT_LE(error, kModelError) << num_blocks << " blocks, " << bits_per_key << " bits per key";
      worst = std::max(worst, error);
    }
  }
  RecordProperty("largest_relative_error", std::to_string(worst));
}

// Found: 1.2 % (few probes in a nearly empty block, whatever they are good for).
TEST(BlockedModel, IsExactToTwoPercentWithAnyProbesFrom4To24BitsPerKey) {
  double worst = 0;
  for (const uint64_t num_blocks : kBlocks) {
    for (const double bits_per_key : {4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0}) {
      const uint64_t n = KeysAt(bits_per_key, num_blocks);
      for (uint32_t k = 1; k <= 16; ++k) {
        const double error =
            RelativeError(ExpectedFpr(Layout::kBlocked, n, 64 * num_blocks, k), ExactOf(k).OfKeys(n, num_blocks));
        EXPECT_LE(error, 0.015) << num_blocks << " blocks, " << bits_per_key << " bits per key, " << k << " probes";
        worst = std::max(worst, error);
      }
    }
  }
  RecordProperty("largest_relative_error", std::to_string(worst));
}

TEST(BlockedModel, ChoosesTheBestNumberOfProbes) {
  for (double bits_per_key = kMinBitsPerKey; bits_per_key <= kMaxBitsPerKey; bits_per_key += 0.125) {
    double best = 1;
    for (uint32_t k = 1; k <= 16; ++k) best = std::min(best, ExactOf(k).OfDensity(bits_per_key));
    const double chosen = ExactOf(NumProbesForBitsPerKey(Layout::kBlocked, bits_per_key)).OfDensity(bits_per_key);
    EXPECT_LE(chosen, best * 1.002) << bits_per_key;
  }
}

// At the least density of num_probes, one probe less is as good.
TEST(BlockedModel, HasThresholdsWhereTwoNumbersOfProbesAreEven) {
  for (uint32_t k = 2; k <= 16; ++k) {
    const double bits_per_key = LeastBitsPerKey(Layout::kBlocked, k);
    EXPECT_NEAR(ExactOf(k).OfDensity(bits_per_key) / ExactOf(k - 1).OfDensity(bits_per_key), 1, 0.003) << k;
    EXPECT_EQ(NumProbesForBitsPerKey(Layout::kBlocked, bits_per_key * 1.0001), k);
    EXPECT_EQ(NumProbesForBitsPerKey(Layout::kBlocked, bits_per_key * 0.9999), k - 1);
  }
}

TEST(ClassicModel, IsExactToOnePercentFromOneKeyOn) {
  for (uint64_t n = 1; n <= 60; ++n) {
    for (const double bits_per_key : {4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0, 24.0}) {
      Sizing sizing;
      ASSERT_TRUE(SizeForBitsPerKey(Layout::kClassic, n, bits_per_key, &sizing).ok());
      if (sizing.bits_per_key > 26) continue;  // one or two keys in the least body, 8 bytes
      const double exact = ExactClassicFpr(n, 8 * sizing.body_bytes, sizing.num_probes);
      EXPECT_LE(RelativeError(sizing.expected_fpr, exact), 0.01) << n << " keys, " << bits_per_key << " bits per key";
    }
  }
}

// k = m/n ln 2: of the whole numbers beside it the better one, which is the best of all.
TEST(ClassicModel, HasTheNumberOfProbesOfTheTextbook) {
  for (double bits_per_key = kMinBitsPerKey; bits_per_key <= 40; bits_per_key += 0.125) {
    const auto fpr = [&](uint32_t k) { return std::pow(-std::expm1(-(k / bits_per_key)), k); };
    double best = 1;
    for (uint32_t k = 1; k <= 30; ++k) best = std::min(best, fpr(k));
    const uint32_t chosen = NumProbesForBitsPerKey(Layout::kClassic, bits_per_key);
    EXPECT_LE(fpr(chosen), best * 1.000001) << bits_per_key;
    EXPECT_LT(std::abs(chosen - std::max(1.0, bits_per_key * std::log(2))), 1) << bits_per_key;
    EXPECT_NEAR(FprForBitsPerKey(Layout::kClassic, bits_per_key), best, best * 1e-9) << bits_per_key;
  }
}

// The rate from the very bits, whatever the fill: questions are then a plain binomial sample. Six of its standard
// deviations are passed by chance with 2e-9, and a count near the normal limit (25,000 maybes and more) is that within
// a factor of two.
template <class FilterType>
void ExpectRateFromBits(double bits_per_key, uint64_t num_keys, double load) {
  FilterOptions options = BitsPerKey(bits_per_key);
  options.hash_id = HashId::kCaller;
  FilterType filter;
  ASSERT_TRUE(filter.Create(num_keys, options).ok());
  Random random(num_keys + static_cast<uint64_t>(load * 100));
  InsertRandom(&filter, static_cast<uint64_t>(static_cast<double>(num_keys) * load), &random);
  const double expected = filter.ExpectedFpr();
  const double questions = std::floor(25000 / expected * std::max(0.02, Effort()));
  const double measured =
      static_cast<double>(CountRandomMaybes(filter, static_cast<uint64_t>(questions), &random)) / questions;
  EXPECT_NEAR(measured, expected, 6 * std::sqrt(expected * (1 - expected) / questions)) << bits_per_key << " " << load;
  if (num_keys < 1000) return;
  EXPECT_NEAR(filter.ApproximateSize().keys / (static_cast<double>(num_keys) * load), 1, 0.03)
      << bits_per_key << " " << load;
}

TEST(RateFromBits, IsTheMeasuredOneForAnyLoad) {
  for (const double load : {0.5, 1.0, 2.0}) {
    ExpectRateFromBits<BlockedFilter>(8, 20000, load);
    ExpectRateFromBits<BlockedFilter>(12, 20000, load);
    ExpectRateFromBits<ClassicFilter>(8, 20000, load);
    ExpectRateFromBits<ClassicFilter>(12, 20000, load);
    ExpectRateFromBits<BlockedFilter>(10, 50, load);
    ExpectRateFromBits<QuotientFilter>(10, 20000, load);
  }
}

TEST(RateFromBits, IsZeroForTheEmptyOneForTheFullAndOneForTheBroken) {
  FilterOptions options = BitsPerKey(8);
  BlockedFilter blocked;
  ClassicFilter classic;
  EXPECT_EQ(blocked.ExpectedFpr(), 1);
  ASSERT_TRUE(blocked.Create(1000, options).ok());
  ASSERT_TRUE(classic.Create(1000, options).ok());
  EXPECT_EQ(blocked.ExpectedFpr(), 0);
  EXPECT_EQ(classic.ExpectedFpr(), 0);
  Random random(1);
  InsertRandom(&blocked, 1000000, &random);
  InsertRandom(&classic, 1000000, &random);
  EXPECT_EQ(blocked.ExpectedFpr(), 1);
  EXPECT_EQ(classic.ExpectedFpr(), 1);
  EXPECT_EQ(FilterView().ExpectedFpr(), 1);
}

}  // namespace
}  // namespace linefilter::test
