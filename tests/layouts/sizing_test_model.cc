// The model of a rate agrees with independent implementations and with textbook formulas; inverses are inverses.
#include "tests/layouts/sizing_test.h"

namespace linefilter::test {
namespace {

// DESIGN.md section 2 (in %): the rates of large filters, measured on independent implementations.
TEST(FprForBitsPerKey, IsThatOfTheLayouts) {
  const struct {
    double bits_per_key, blocked, classic;
    uint32_t blocked_probes, classic_probes;
  } rows[] = {{8, 2.338, 2.158, 5, 6},
              {10, 0.972, 0.819, 5, 7},
              {12, 0.415, 0.314, 7, 8},
              {16, 0.0850, 0.0459, 9, 11},
              {20, 0.0202, 0.00671, 11, 14}};
  for (const auto& row : rows) {
    EXPECT_NEAR(FprForBitsPerKey(Layout::kBlocked, row.bits_per_key), row.blocked / 100, row.blocked / 100 * 0.01);
    EXPECT_NEAR(FprForBitsPerKey(Layout::kClassic, row.bits_per_key), row.classic / 100, row.classic / 100 * 0.003);
    EXPECT_EQ(NumProbesForBitsPerKey(Layout::kClassic, row.bits_per_key), row.classic_probes);
    // Near a tie (10 bits: 5 or 6 probes) only the rate counts.
    EXPECT_NEAR(NumProbesForBitsPerKey(Layout::kBlocked, row.bits_per_key), row.blocked_probes, 1);
  }
}

TEST(Classic, IsTheTextbookFormula) {
  const double ln2 = std::log(2.0);
  for (const double fpr : {0.1, 0.01, 0.001, 1e-4, 1e-5}) {
    const double textbook = -std::log(fpr) / (ln2 * ln2);
    EXPECT_GE(BitsPerKeyForFpr(Layout::kClassic, fpr), textbook * (1 - 1e-9)) << "k is an integer: never less";
    EXPECT_NEAR(BitsPerKeyForFpr(Layout::kClassic, fpr), textbook, textbook * 0.02) << fpr;
    const Sizing sizing = ForFpr(Layout::kClassic, 1000000, fpr);
    EXPECT_NEAR(sizing.bits_per_key, textbook, textbook * 0.02) << fpr;
    EXPECT_NEAR(sizing.num_probes, sizing.bits_per_key * ln2, 1);
  }
  for (uint32_t k = 1; k <= 30; ++k) {
    const double fill = 1 - std::exp(-static_cast<double>(k) * 1e6 / (8 * 1.5e6));
    EXPECT_NEAR(ExpectedFpr(Layout::kClassic, 1000000, 1500000, k) / std::pow(fill, k), 1, 1e-3) << k;
  }
}

// With one probe, an absent key must hit the one bit that is set (or, 2^-32, agree in the whole in-block hash).
TEST(ExpectedFpr, OfOneKeyAndOneProbeIsElementary) {
  constexpr double kShare = 1 / 512.0;
  for (const Layout layout : kLayoutsWithProbes) {
    EXPECT_NEAR(ExpectedFpr(layout, 1, 64, 1), kShare, 1e-9);
    EXPECT_NEAR(ExpectedFpr(layout, 1, 640, 1), kShare / 10, 1e-9);
    EXPECT_NEAR(ExpectedFpr(layout, 2, 64, 1), 2 * kShare - kShare * kShare, 1e-8);
  }
}

// DESIGN.md section 5 (in %): the rates of an independent implementation, rounded.
TEST(FprForBitsPerKey, IsThatOfRetrieval) {
  const struct {
    double bits_per_key, percent, rounding;
  } rows[] = {{6, 1.96, 0.01},      {8, 0.550, 0.006},    {9, 0.301, 0.003},
              {10, 0.165, 0.003},   {12, 0.0505, 0.001},  {14, 0.0167, 0.0002},
              {16, 0.0063, 0.0002}, {20, 0.0012, 0.0001}, {24, 0.0003, 0.0001}};
  for (const auto& row : rows) {
    EXPECT_NEAR(100 * FprForBitsPerKey(Layout::kRetrieval, row.bits_per_key), row.percent, row.rounding)
        << row.bits_per_key;
    EXPECT_EQ(NumProbesForBitsPerKey(Layout::kRetrieval, row.bits_per_key), 0u);
  }
}

// What the issue demands of a large filter.
TEST(FprForBitsPerKey, OfRetrievalIsASixthOfBlocked) {
  EXPECT_LE(FprForBitsPerKey(Layout::kRetrieval, 8), 0.0056);
  EXPECT_LE(FprForBitsPerKey(Layout::kRetrieval, 10), 0.00168);
  EXPECT_LE(FprForBitsPerKey(Layout::kRetrieval, 12), 0.000515);
  EXPECT_LE(FprForBitsPerKey(Layout::kRetrieval, 16), 0.000065);
  EXPECT_NEAR(FprForBitsPerKey(Layout::kBlocked, 10) / FprForBitsPerKey(Layout::kRetrieval, 10), 6, 0.05);
}

// An absent key meets 31 equations by chance (2^-31), or agrees with the member in the whole in-block hash.
TEST(ExpectedFpr, OfOneKeyInABlockOfEquationsIsElementary) {
  const double fpr = ExpectedFpr(Layout::kRetrieval, 1, 64, 0);
  EXPECT_NEAR(fpr / (std::pow(2, -31) + std::pow(2, -32)), 1, 0.01);
  // Blocks without keys let through as much.
  EXPECT_NEAR(ExpectedFpr(Layout::kRetrieval, 1, 6400, 0) / (std::pow(2, -31) + 0.01 * std::pow(2, -32)), 1, 0.01);
}

TEST(ExpectedFpr, IsMonotone) {
  for (const Layout layout : kLayouts) {
    for (const uint32_t k : {0u, 1u, 3u, 6u, 11u, 16u}) {
      if (k < MinNumProbes(layout) || k > FactsOf(layout).max_num_probes) continue;
      for (const uint64_t body :
           {uint64_t{64}, uint64_t{128}, uint64_t{64} * 999, uint64_t{64} * 1001, uint64_t{1} << 30}) {
        double last = 0;
        for (uint64_t n = 1; n != 0; n *= 2) {
          const double fpr = ExpectedFpr(layout, n, body, k);
          ASSERT_GE(fpr, last * (1 - 1e-9) - 1e-15)
              << LayoutName(layout) << " " << n << " keys in " << body << " bytes, k " << k;
          ASSERT_LE(fpr, 1);
          last = fpr;
        }
        EXPECT_GT(last, 0.999) << "2^63 keys fill anything";
        EXPECT_GT(ExpectedFpr(layout, ~uint64_t{0}, body, k), 0.999);
      }
      double last = 1;
      for (uint64_t blocks = 1; blocks <= uint64_t{1} << 31; blocks = blocks * 2 + blocks % 3) {
        const double fpr = ExpectedFpr(layout, 10000, blocks * 64, k);
        ASSERT_LE(fpr, last * (1 + 1e-9)) << LayoutName(layout) << " " << blocks << " blocks, k " << k;
        last = fpr;
      }
    }
  }
}

// A body of less than 8 bytes is never made here but a legal image of another writer.
TEST(ExpectedFpr, OfAOneByteBodyNeverWraps) {
  for (uint32_t k = 1; k <= 30; ++k) {
    for (uint64_t n = 64; n != 0; n *= 2) {
      ASSERT_GT(ExpectedFpr(Layout::kClassic, n, 1, k), 0.9) << n << " keys, k " << k;
    }
  }
}

TEST(ExpectedFpr, IsOneForWhatNoFilterHas) {
  for (const Layout layout : {Layout::kAuto, Layout::kContainer, static_cast<Layout>(77)}) {
    EXPECT_EQ(ExpectedFpr(layout, 100, 640, 0), 1);
    EXPECT_EQ(ExpectedFpr(layout, 100, 640, 5), 1);
  }
  EXPECT_EQ(ExpectedFpr(Layout::kBlocked, 100, 65, 5), 1) << "not a multiple of a block";
  EXPECT_EQ(ExpectedFpr(Layout::kRetrieval, 100, 65, 0), 1) << "not a multiple of a block";
  for (const Layout layout : kLayouts) {
    const uint32_t legal = MinNumProbes(layout);
    EXPECT_LT(ExpectedFpr(layout, 1, 640, legal), 1);
    EXPECT_EQ(ExpectedFpr(layout, 100, 640, legal - 1), 1);
    EXPECT_EQ(ExpectedFpr(layout, 100, 640, FactsOf(layout).max_num_probes + 1), 1);
    EXPECT_EQ(ExpectedFpr(layout, 100, 0, legal), 1) << "no room";
    EXPECT_EQ(ExpectedFpr(layout, 0, 640, legal), 0) << "no key";
    EXPECT_EQ(ExpectedFpr(layout, 0, 0, legal), 0) << "the empty set";
  }
  EXPECT_EQ(FactsOf(Layout::kBlocked).max_num_probes, 16u);
  EXPECT_EQ(FactsOf(Layout::kClassic).max_num_probes, 30u);
  EXPECT_EQ(FactsOf(Layout::kRetrieval).max_num_probes, 0u) << "it has none";
}

TEST(Inverses, FprAndBitsPerKey) {
  for (const Layout layout : kLayouts) {
    for (double bits = 1.1; bits < 60; bits *= 1.09) {
      const double fpr = FprForBitsPerKey(layout, bits);
      EXPECT_NEAR(BitsPerKeyForFpr(layout, fpr), bits, 1e-6 * bits) << LayoutName(layout);
    }
    for (double fpr = 0.5; fpr > std::max(1e-5, LeastFpr(layout)); fpr *= 0.7) {
      EXPECT_NEAR(FprForBitsPerKey(layout, BitsPerKeyForFpr(layout, fpr)) / fpr, 1, 1e-6) << LayoutName(layout);
    }
  }
}

TEST(Limits, GiveMoreProbesToMoreSpace) {
  for (const Layout layout : kLayoutsWithProbes) {
    uint32_t last = 1;
    for (double bits = 1; bits <= 64; bits += 0.01) {
      const uint32_t k = NumProbesForBitsPerKey(layout, bits);
      ASSERT_GE(k, last) << "more space never wants fewer probes: " << bits;
      last = k;
    }
    EXPECT_GE(last, 8u);
  }
}

TEST(Inverses, MaxKeysForFprAndSizeForFpr) {
  test::Random random(3);
  for (const Layout layout : kLayouts) {
    for (int i = 0; i < 100; ++i) {
      const uint64_t body = 64 * (1 + (random() >> (40 + random.Below(24))));
      const double fpr =
          std::max(1.001 * LeastFpr(layout), std::exp(-1.5 - static_cast<double>(random.Below(8000)) / 1000));
      SCOPED_TRACE(std::to_string(body) + " bytes, fpr " + std::to_string(fpr) + ", " + LayoutName(layout));
      const uint64_t most = MaxKeysForFpr(layout, body, fpr);
      EXPECT_GT(BestFpr(layout, most + 1, body), fpr) << "one more key is too many";
      if (most == 0) continue;
      EXPECT_LE(BestFpr(layout, most, body), fpr);
      EXPECT_LE(ForFpr(layout, most, fpr).body_bytes, body);
      EXPECT_GT(ForFpr(layout, most + 1, fpr).body_bytes, body);
    }
    EXPECT_GT(MaxKeysForFpr(layout, 6400, 0.01), 4000u);
    for (const double fpr : {0.0, -1.0, kNan, 1e-300}) EXPECT_EQ(MaxKeysForFpr(layout, 6400, fpr), 0u) << fpr;
    EXPECT_EQ(MaxKeysForFpr(layout, 0, 0.01), 0u);
    EXPECT_EQ(MaxKeysForFpr(layout, ~uint64_t{0}, 0.01), 0u);
  }
  EXPECT_EQ(MaxKeysForFpr(Layout::kBlocked, 100, 0.01), 0u) << "not a body of that layout";
  EXPECT_EQ(MaxKeysForFpr(Layout::kAuto, 6400, 0.01), 0u);
}

// Such a filter has one rate for a number of keys, whether it was made for them or not.
TEST(Inverses, MaxKeysForFprGoesBeyondABitPerKeyWithoutProbes) {
  for (const Layout layout : kLayouts) {
    if (FactsOf(layout).max_num_probes != 0) {
      EXPECT_EQ(MaxKeysForFpr(layout, 6400, 1), 8u * 6400) << LayoutName(layout);
      continue;
    }
    for (const uint64_t body : {uint64_t{64}, uint64_t{6400}, uint64_t{640000}}) {
      SCOPED_TRACE(std::to_string(body) + " bytes, " + LayoutName(layout));
      const double fpr = (1 + ExpectedFpr(layout, 8 * body, body, 0)) / 2;
      const uint64_t most = MaxKeysForFpr(layout, body, fpr);
      EXPECT_GT(most, 8 * body);
      EXPECT_LE(ExpectedFpr(layout, most, body, 0), fpr);
      EXPECT_GT(ExpectedFpr(layout, most + 1, body, 0), fpr);
      for (const double all : {1.0, 2.0, kInfinity}) EXPECT_EQ(MaxKeysForFpr(layout, body, all), ~uint64_t{0});
    }
  }
}

TEST(Inverses, ClampArgumentsToTheLimits) {
  for (const Layout layout : kLayouts) {
    for (const double bits : {-kInfinity, -5.0, 0.0, 0.999}) {
      EXPECT_EQ(FprForBitsPerKey(layout, bits), FprForBitsPerKey(layout, kMinBitsPerKey)) << bits;
      EXPECT_EQ(NumProbesForBitsPerKey(layout, bits), NumProbesForBitsPerKey(layout, kMinBitsPerKey)) << bits;
    }
    for (const double bits : {65.0, 1e9, kInfinity}) {
      EXPECT_EQ(FprForBitsPerKey(layout, bits), FprForBitsPerKey(layout, kMaxBitsPerKey)) << bits;
      EXPECT_EQ(NumProbesForBitsPerKey(layout, bits), NumProbesForBitsPerKey(layout, kMaxBitsPerKey)) << bits;
    }
    for (const double fpr : {-1.0, 0.0, 1e-300}) EXPECT_EQ(BitsPerKeyForFpr(layout, fpr), kMaxBitsPerKey) << fpr;
    for (const double fpr : {1.0, 5.0, kInfinity}) EXPECT_EQ(BitsPerKeyForFpr(layout, fpr), kMinBitsPerKey) << fpr;
    const double of_nan = BitsPerKeyForFpr(layout, kNan), fpr_of_nan = FprForBitsPerKey(layout, kNan);
    EXPECT_TRUE(of_nan >= kMinBitsPerKey && of_nan <= kMaxBitsPerKey);
    EXPECT_TRUE(fpr_of_nan > 0 && fpr_of_nan <= 1);
    EXPECT_GE(NumProbesForBitsPerKey(layout, kNan), MinNumProbes(layout));
  }
}

}  // namespace
}  // namespace linefilter::test
