// The sizing's model of `quotient` against random blocks, which are made here as lists of entries: of sets and of
// multisets, of one load and of all. Then sizes: the densities for a rate, inverses, and what options ask for.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/quotient/block.h"
#include "linefilter/filter.h"
#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "tests/layouts/quotient/entries.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/random.h"

namespace linefilter::quotient_test {
namespace {

constexpr Layout kLayout = Layout::kQuotient;

struct Rate {
  double mean = 0, error = 0;  // of the mean, absolute
};

Rate RateOfBlocks(uint64_t load, bool multiset, int blocks) {
  test::Random random(load * 2 + (multiset ? 1 : 0));
  std::vector<uint32_t> quotients(load);
  double sum = 0, squares = 0;
  for (int i = 0; i < blocks; ++i) {
    for (uint32_t& q : quotients) q = static_cast<uint32_t>(random());
    std::sort(quotients.begin(), quotients.end());
    const double rate = RateOfNew(quotients, multiset);
    sum += rate, squares += rate * rate;
  }
  const double mean = sum / blocks;
  return {mean, std::sqrt(std::max(0.0, squares / blocks - mean * mean) / blocks)};
}

double ModelOfLoad(uint64_t load, bool multiset) { return ExpectedFpr(kLayout, load, 64, multiset ? 1 : 0); }

int Blocks() { return std::max(20, static_cast<int>(1500 * test::Effort())); }

TEST(QuotientModel, KnowsTheMeanRateOfBlocksOfEachLoad) {
  for (const bool multiset : {false, true}) {
    for (uint64_t load = 1; load < 5000; load += 1 + load / (load < 200 ? 25 : 4)) {
      const Rate rate = RateOfBlocks(load, multiset, Blocks());
      const double model = ModelOfLoad(load, multiset);
      EXPECT_NEAR(rate.mean / model, 1, 6 * rate.error / model + 0.01) << load << (multiset ? " times" : " keys");
    }
  }
  EXPECT_EQ(ModelOfLoad(436, true), 1) << "it is saturated";
  EXPECT_LT(ModelOfLoad(436, false), 0.9);
}

// Measured rates of blocks of each load, weighed with the loads' Poisson probabilities.
TEST(QuotientModel, IsWithinHalfAPercentOfMeasuredBlocks) {
  constexpr uint64_t kLoads = 220;
  for (const bool multiset : {false, true}) {
    Rate rates[kLoads];
    for (uint64_t load = 1; load < kLoads; ++load) rates[load] = RateOfBlocks(load, multiset, Blocks());
    for (const double bits_per_key : {4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0}) {
      const double mean_load = 512 / bits_per_key;
      double measured = 0, variance = 0;
      for (uint64_t load = 1; load < kLoads; ++load) {
        const double n = static_cast<double>(load);
        const double weight = std::exp(n * std::log(mean_load) - mean_load - std::lgamma(n + 1));
        measured += weight * rates[load].mean;
        variance += weight * weight * rates[load].error * rates[load].error;
      }
      const double model = ExpectedFpr(kLayout, static_cast<uint64_t>(1e7 * mean_load), 640000000, multiset ? 1 : 0);
      const double tolerance = ModelError(kLayout, bits_per_key, true, true) + 6 * std::sqrt(variance) / model;
      EXPECT_NEAR(measured / model, 1, tolerance) << bits_per_key << " bits per key" << (multiset ? ", removable" : "");
      if (!multiset) {
        EXPECT_NEAR(FprForBitsPerKey(kLayout, bits_per_key) / model, 1, 1e-4);
      }
    }
  }
}

// Whole filters, of few blocks (binomial loads) and many, which tell their own rate.
TEST(QuotientModel, IsTheMeanRateOfFilters) {
  for (const bool removable : {false, true}) {
    for (const double bits_per_key : {8.0, 12.0}) {
      for (const uint64_t num_blocks : {uint64_t{2}, uint64_t{50}, uint64_t{2000}}) {
        const uint64_t num_keys = static_cast<uint64_t>(512 * static_cast<double>(num_blocks) / bits_per_key);
        FilterOptions options = FilterOptions::AtBitsPerKey(512 * static_cast<double>(num_blocks) /
                                                            static_cast<double>(num_keys) * (1 - 1e-12));
        options.layout = kLayout;
        options.removable = removable;
        const uint64_t num_filters = std::max<uint64_t>(static_cast<uint64_t>(4000 * test::Effort()) / num_blocks, 1);
        test::Random random(num_blocks);
        double sum = 0, sum_of_squares = 0;
        for (uint64_t f = 0; f < num_filters; ++f) {
          Filter filter;
          ASSERT_TRUE(test::IsOk(filter.Create(num_keys, options)));
          ASSERT_EQ(filter.num_blocks(), num_blocks);
          EXPECT_EQ(filter.num_probes(), removable ? 1u : 0u);
          for (uint64_t i = 0; i < num_keys; ++i) filter.InsertHash(random());
          const double rate = filter.ExpectedFpr();
          sum += rate, sum_of_squares += rate * rate;
          const double keys = filter.ApproximateSize().keys / static_cast<double>(num_keys);
          EXPECT_NEAR(keys, 1, removable ? 1e-9 : num_blocks > 1000 ? 0.003 : 0.05);
        }
        const double n = static_cast<double>(num_filters), mean = sum / n;
        const double model = ExpectedFpr(kLayout, num_keys, 64 * num_blocks, removable ? 1 : 0);
        // One block's rate scatters by about its mean at 12 bits per key.
        const double by_chance = 1 / std::sqrt(n * static_cast<double>(num_blocks));
        EXPECT_NEAR(mean / model, 1, 0.005 + 6 * by_chance) << bits_per_key << ", " << num_blocks << " blocks";
      }
    }
  }
}

// In a block that no writer makes entries may be out of order: 0, 1, 0, 1, ... of one bit each, all of bucket 0. They
// are two of 128 cells.
TEST(QuotientModel, CountsEachEntryOfABlockOnce) {
  constexpr uint32_t kEntries = 180;
  uint8_t block[64] = {};
  const auto set = [&](uint32_t bit) { block[bit / 8] = static_cast<uint8_t>(block[bit / 8] | 1u << bit % 8); };
  set(0);
  block[9] = 25;  // one bit is left
  set(77 + kEntries - 1);
  for (uint32_t i = 0; i < kEntries; i += 2) set(512 - (i + 1));
  uint32_t num_entries = 0;
  EXPECT_EQ(internal::FprOfBlock(block, &num_entries), 2.0 / 128);
  EXPECT_EQ(num_entries, kEntries);
}

// The rows, in %: the rates are at most these, and so are the bits per key for 1, 0.1 and 0.01 %.
TEST(QuotientModel, HasTheRatesThatWereAskedFor) {
  constexpr double kMost[][2] = {{8, 2.21}, {9, 1.20}, {10, 0.655}, {12, 0.207}, {16, 0.0255}, {20, 0.0040}};
  for (const auto& [bits_per_key, percent] : kMost) {
    EXPECT_LE(100 * FprForBitsPerKey(kLayout, bits_per_key), percent) << bits_per_key;
  }
  // Measured with 20,000 blocks of each load.
  constexpr double kMeasured[][2] = {{8, 2.0510}, {9, 1.1054}, {10, 0.60467}, {12, 0.19032}, {16, 0.02313}};
  for (const auto& [bits_per_key, percent] : kMeasured) {
    EXPECT_NEAR(100 * FprForBitsPerKey(kLayout, bits_per_key) / percent, 1, 0.005) << bits_per_key;
  }
  EXPECT_NEAR(BitsPerKeyForFpr(kLayout, 0.01), 9.16, 0.02);
  EXPECT_NEAR(BitsPerKeyForFpr(kLayout, 0.001), 13.15, 0.03);
  EXPECT_NEAR(BitsPerKeyForFpr(kLayout, 0.0001), 17.75, 0.03);
}

TEST(QuotientModel, RisesWithTheLoad) {
  for (const bool multiset : {false, true}) {
    for (uint64_t load = 1; load < 6000; ++load) {
      ASSERT_GE(ModelOfLoad(load + 1, multiset), ModelOfLoad(load, multiset) * 0.999999) << load;
    }
    EXPECT_NEAR(ModelOfLoad(16, multiset) / 16 * 4294967296.0, 1, 1e-8) << "an entry is all of the in-block hash";
  }
}

// Finds that a model rounds in another way than on x86-64, by which sizes would differ.
TEST(QuotientModel, IsTheSameDoubleEverywhere) {
  const auto bits_of = [](double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
  };
  EXPECT_EQ(bits_of(ExpectedFpr(kLayout, 1000000, 64 * 20000, 0)), 4572686588897380741u);
  EXPECT_EQ(bits_of(ExpectedFpr(kLayout, 1000000, 64 * 20000, 1)), 4572830802745281242u);
  EXPECT_EQ(bits_of(ExpectedFprAfter(9, kLayout, 1000000, 64 * 25000, 1)), 4572433564967837052u);
}

TEST(QuotientModel, HasNoRateAbove1OfTooManyKeys) {
  for (const uint64_t num_keys : {uint64_t{15} << 60, ~uint64_t{0}}) {
    for (const uint32_t turnovers : {0u, 1u, 100u}) EXPECT_EQ(ExpectedFprAfter(turnovers, kLayout, num_keys, 64, 1), 1);
  }
}

TEST(QuotientSizes, HaveInverses) {
  for (double bits = 1.1; bits < 33; bits *= 1.09) {
    EXPECT_NEAR(BitsPerKeyForFpr(kLayout, FprForBitsPerKey(kLayout, bits)), bits, 1e-6 * bits);
  }
  test::Random random(3);
  for (int i = 0; i < 100; ++i) {
    const uint64_t num_keys = 1 + (random() >> (44 + random.Below(20)));
    FilterOptions options = FilterOptions::AtFpr(std::exp(-1.5 - static_cast<double>(random.Below(7000)) / 1000));
    options.layout = kLayout;
    options.removable = i % 2 != 0;
    options.turnovers = i % 4 == 3 ? static_cast<uint32_t>(random.Below(200)) : 0;
    const uint32_t num_probes = options.removable ? 1 : 0;
    SCOPED_TRACE(std::to_string(num_keys) + " keys, fpr " + std::to_string(options.fpr) + ", turnovers " +
                 std::to_string(options.turnovers));
    Sizing sizing;
    ASSERT_TRUE(test::IsOk(SizeForOptions(num_keys, options, &sizing)));
    EXPECT_EQ(sizing.num_probes, num_probes);
    EXPECT_LE(sizing.expected_fpr, options.fpr);
    const auto rate_of = [&](uint64_t keys, uint64_t bytes) {
      return ExpectedFprAfter(options.turnovers, kLayout, keys, bytes, num_probes);
    };
    EXPECT_EQ(rate_of(num_keys, sizing.body_bytes), sizing.expected_fpr);
    if (sizing.body_bytes > 64 && sizing.bits_per_key > 1.01 * kMinBitsPerKey) {
      EXPECT_GT(rate_of(num_keys, sizing.body_bytes - 64), options.fpr) << "a block less misses it";
    }
    if (options.turnovers != 0) continue;
    const uint64_t most = MaxKeysForFpr(kLayout, sizing.body_bytes, options.fpr, num_probes);
    EXPECT_GE(most, num_keys);
    EXPECT_GT(rate_of(most + 1, sizing.body_bytes), options.fpr);
  }
}

FilterOptions Removable(Layout layout, uint32_t turnovers, bool removable = true) {
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.layout = layout;
  options.removable = removable;
  options.turnovers = turnovers;
  return options;
}

TEST(QuotientSizes, FollowFromRemovableAndTurnovers) {
  Sizing set, multiset, turned;
  ASSERT_TRUE(test::IsOk(SizeForOptions(1000000, Removable(kLayout, 0, false), &set)));
  ASSERT_TRUE(test::IsOk(SizeForOptions(1000000, Removable(Layout::kAuto, 0), &multiset)));
  ASSERT_TRUE(test::IsOk(SizeForOptions(1000000, Removable(Layout::kAuto, 20), &turned)));
  EXPECT_EQ(set.num_probes, 0u);
  EXPECT_EQ(multiset.layout, kLayout) << "auto";
  EXPECT_EQ(multiset.num_probes, 1u);
  EXPECT_GT(multiset.bits_per_key, set.bits_per_key);
  EXPECT_GT(turned.bits_per_key, 1.15 * multiset.bits_per_key);
  EXPECT_LE(turned.bits_per_key, 12.1) << "the issue's row";
  FilterOptions foldable = Removable(Layout::kAuto, 20);
  foldable.foldable = true;
  ASSERT_TRUE(test::IsOk(SizeForOptions(1000000, foldable, &turned)));
  EXPECT_EQ(turned.layout, kLayout);
  EXPECT_EQ(turned.num_probes, 1u);
  EXPECT_EQ(turned.body_bytes % 4096, 0u);
}

TEST(QuotientSizes, RefuseWhatNoLayoutDoes) {
  Sizing sizing;
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, SizeForOptions(1000, Removable(kLayout, 3, false), &sizing),
                         "set removable"));
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval, Layout::kSplitBlock}) {
    EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, SizeForOptions(1000, Removable(layout, 0), &sizing),
                           "choose quotient"));
  }
  FilterOptions probes = Removable(kLayout, 0);
  probes.fpr = 0;
  probes.bits_per_key = 10;
  probes.num_probes = 1;
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, SizeForOptions(1000, probes, &sizing), "leave it 0"));
  EXPECT_EQ(ExpectedFpr(kLayout, 1000, 6400, 2), 1);
  EXPECT_EQ(MaxKeysForFpr(kLayout, 6400, 0.01, 2), 0u);
}

}  // namespace
}  // namespace linefilter::quotient_test
