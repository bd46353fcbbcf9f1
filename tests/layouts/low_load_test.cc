// The rates of filters that have few keys, or few probes for the bits that they have: nearly all false positives are
// then keys that choose the very lanes of a member. And of small filters on average, and to the last bit.
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/blocks/nearly_empty_blocks.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/rotating.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/exact_fpr.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

// The exact rates of blocks are sums that cancel, and on armhf, where a long double is a double, nothing is left of
// them.
constexpr bool kLongDoubleIsLong = LDBL_MANT_DIG > DBL_MANT_DIG;

// Long doubles cancel to 1e-15 here, and the term of equal in-block hashes is 2.3e-10 at least.
TEST(NearlyEmptyBlocks, HaveTheExactRate) {
  if (!kLongDoubleIsLong) GTEST_SKIP() << "the yardstick is too coarse; the model has the same bits on every CPU";
  for (uint32_t k = 1; k <= 16; ++k) {
    const ExactBlockedFpr exact(k);
    for (uint32_t j = 1; j <= internal::MostExactKeys(k); ++j) {
      const double equal = std::ldexp(j, -32), rate = internal::ExactRate(k, j);
      ASSERT_NEAR((rate + (1 - rate) * equal) / exact.OfKeys(j, 1), 1, 1e-5) << k << " probes, " << j << " keys";
      if (j * k > 96) continue;  // above, what is expected goes over to the pairs of lanes
      ASSERT_NEAR(ExpectedFpr(Layout::kBlocked, j, 64, k) / exact.OfKeys(j, 1), 1, 1e-5) << k << " " << j;
    }
  }
}

// Found: 1.7 % (8 probes, 16 keys in one block).
TEST(NearlyEmptyBlocks, AreRightToTwoPercentAtAnyLoadWithAnyProbes) {
  if (!kLongDoubleIsLong) GTEST_SKIP() << "as above";
  double worst = 0;
  for (uint32_t k = 1; k <= 16; ++k) {
    const ExactBlockedFpr exact(k);
    for (const uint64_t num_blocks : {1u, 2u, 50u, 999u, 1001u, 100000u}) {
      for (double load = 1e-3; load < 130; load *= 1.13) {
        const uint64_t n = static_cast<uint64_t>(std::ceil(load * static_cast<double>(num_blocks)));
        const double of_model = ExpectedFpr(Layout::kBlocked, n, 64 * num_blocks, k);
        const double error = std::fabs(of_model / exact.OfKeys(n, num_blocks) - 1);
        EXPECT_LE(error, 0.02) << n << " keys, " << num_blocks << " blocks, " << k << " probes";
        worst = std::max(worst, error);
      }
    }
  }
  RecordProperty("largest_relative_error", std::to_string(worst));
}

TEST(NearlyEmptyBlocks, HaveRatesThatRiseWithTheKeys) {
  for (uint32_t k = 1; k <= 16; ++k) {
    for (const uint64_t num_blocks : {1u, 3u, 64u, 1001u}) {
      double last = 0;
      const uint64_t step = num_blocks < 64 ? 1 : num_blocks / 64;
      for (uint64_t n = step; n <= 100 * num_blocks; n += step) {
        const double fpr = ExpectedFpr(Layout::kBlocked, n, 64 * num_blocks, k);
        ASSERT_GT(fpr, last) << n << " keys, " << num_blocks << " blocks, " << k << " probes";
        last = fpr;
      }
    }
  }
}

TEST(NearlyEmptyClassic, IsExactToTwoPercentWithAnyProbes) {
  for (const uint64_t bytes : {32u, 128u, 512u}) {
    for (const uint32_t k : {1u, 2u, 4u, 7u, 12u}) {
      for (const uint64_t n : {1u, 2u, 5u}) {
        const double exact = ExactClassicFpr(n, 8 * bytes, k);
        EXPECT_NEAR(ExpectedFpr(Layout::kClassic, n, bytes, k) / exact, 1, 0.02) << bytes << " " << k << " " << n;
      }
    }
  }
}

// --- From the bits ------------------------------------------------------------------------------------------------

// Each filter has its own rate, as its keys happen to overlap; the model is their mean.
TEST(RateOfSmallFilters, IsOnAverageThatOfTheModel) {
  Random random(1);
  for (const uint32_t k : {2u, 3u, 4u, 5u, 6u, 8u, 16u}) {
    for (const uint64_t n : {1u, 2u, 4u, 8u}) {
      FilterOptions options = BitsPerKey(64);
      options.num_probes = k;
      options.hash_id = HashId::kCaller;
      MeanOfTrials fpr;
      for (int i = 0; i < 4000; ++i) {
        BlockedFilter filter;
        ASSERT_TRUE(filter.Create(8, options).ok());
        ASSERT_EQ(filter.num_blocks(), 1u);
        InsertRandom(&filter, n, &random);
        fpr.Add(filter.ExpectedFpr());
      }
      const double model = ExpectedFpr(Layout::kBlocked, n, 64, k);
      EXPECT_NEAR(fpr.mean() / model, 1, 0.005 + 6 * fpr.error() / model) << n << " keys, " << k << " probes";
      EXPECT_GE(fpr.mean(), 0.99 * std::ldexp(static_cast<double>(n), -32)) << "the floor";
    }
  }
}

TEST(RateOfGenerations, IsThatOfTheirImage) {
  for (const double fpr : {0.3, 0.1, 0.001}) {
    for (const uint64_t n : {1u, 20u, 200u, 2000u}) {
      FilterOptions options = Fpr(fpr);
      options.hash_id = HashId::kCaller;
      RotatingFilter filter;
      ASSERT_TRUE(filter.Create(2000, 3, options).ok());
      for (uint64_t i = 0; i < 3; ++i) {
        if (i != 0) filter.Rotate();
        const std::vector<uint64_t> hashes = RandomHashes(static_cast<size_t>(n), n + i);
        filter.InsertHashes(hashes.data(), hashes.size());
      }
      std::string image;
      ASSERT_TRUE(filter.AppendImage(&image).ok());
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      ASSERT_EQ(view.num_stages(), 3u);
      EXPECT_EQ(filter.ExpectedFpr(), view.ExpectedFpr()) << fpr << " " << n;
    }
  }
}

// FoldToFpr compares these rates, and what came to a restored filter is counted by these keys.
TEST(RateOfBits, IsTheSameOnEveryCpuToTheLastBit) {
  uint64_t digest = 0;
  const auto add = [&](double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    digest = MixHash(digest ^ bits);
  };
  const auto add_filter = [&](auto filter, double bits_per_key, uint64_t n) {
    FilterOptions options = BitsPerKey(bits_per_key);
    options.hash_id = HashId::kCaller;
    ASSERT_TRUE(filter.Create(1000, options).ok());
    const std::vector<uint64_t> hashes = RandomHashes(static_cast<size_t>(n), n);
    filter.InsertHashes(hashes.data(), hashes.size());
    add(filter.ExpectedFpr());
    add(filter.ApproximateSize().keys);
  };
  for (const double bits_per_key : {5.0, 10.0, 24.0, 64.0}) {
    for (const uint64_t n : {1u, 10u, 200u, 1000u, 3000u}) {
      add_filter(BlockedFilter(), bits_per_key, n);
      add_filter(ClassicFilter(), bits_per_key, n);
      add_filter(QuotientFilter(), bits_per_key, n);
    }
  }
  EXPECT_EQ(digest, 5963502201291040242u);
}

}  // namespace
}  // namespace linefilter::test
