// linefilter/interval.h against exact sums of binomial probabilities, published values, and its own speed.
#include "linefilter/interval.h"

#include <chrono>
#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"

namespace linefilter {
namespace {

// P(at least `hits` in `trials`), summed up term by term.
long double AtLeast(uint64_t hits, uint64_t trials, long double rate) {
  long double sum = 0;
  for (uint64_t h = hits; h <= trials; ++h) {
    const long double n = static_cast<long double>(trials), k = static_cast<long double>(h);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(rate) +
                    (n - k) * std::log1p(-rate));
  }
  return sum;
}

// By definition: at the lower end, `hits` or more have the probability (1 - confidence) / 2; at the upper, `hits` or
// fewer.
TEST(ClopperPearson, IsThatOfTheBinomialSums) {
  for (const double confidence : {0.5, 0.95, 0.99, 0.999999}) {
    const long double tail = (1 - static_cast<long double>(confidence)) / 2;
    for (const uint64_t trials : {1u, 2u, 7u, 30u, 200u, 1000u}) {
      for (uint64_t hits = 0; hits <= trials; hits += hits < 10 ? 1 : trials / 9) {
        const Interval interval = ClopperPearson(hits, trials, confidence);
        if (hits == 0) {
          EXPECT_EQ(interval.low, 0);
        } else {
          const double at_low = static_cast<double>(AtLeast(hits, trials, interval.low) / tail);
          EXPECT_NEAR(at_low, 1, 1e-8) << hits << " of " << trials << ", " << confidence;
        }
        if (hits == trials) {
          EXPECT_EQ(interval.high, 1);
        } else {
          const double at_high = static_cast<double>(AtLeast(trials - hits, trials, 1 - interval.high) / tail);
          EXPECT_NEAR(at_high, 1, 1e-8) << hits << " of " << trials << ", " << confidence;
        }
      }
    }
  }
}

TEST(ClopperPearson, HasTheClosedFormsOfTheEnds) {
  for (const uint64_t trials : {uint64_t{1}, uint64_t{10}, uint64_t{1000000}, uint64_t{1000000000000}}) {
    const double n = static_cast<double>(trials);
    const double none = -std::expm1(std::log(0.005) / n);
    EXPECT_NEAR(ClopperPearson(0, trials, 0.99).high / none, 1, 1e-8) << trials;
    EXPECT_NEAR((1 - ClopperPearson(trials, trials, 0.99).low) / none, 1, 1e-8 + 1e-16 / none) << trials;
  }
  const Interval nothing = ClopperPearson(0, 0, 0.99);
  EXPECT_EQ(nothing.low, 0);
  EXPECT_EQ(nothing.high, 1);
}

// 5 of 10 and 1 of 10 as in any textbook's table; the large ones by integrating the density with 40 digits.
TEST(ClopperPearson, HasKnownValues) {
  const struct {
    uint64_t hits, trials;
    double confidence, low, high;
  } known[] = {{5, 10, 0.95, 0.187086028447, 0.812913971553},
               {1, 10, 0.95, 0.00252857854446, 0.445016117028},
               {9, 10, 0.95, 0.554983882972, 0.997471421456},
               {250000000, 1000000000, 0.99, 0.249964729693883, 0.25003527268451},
               {1000000000, 1000000000000, 0.95, 0.00099993805243847, 0.0010000619504501},
               {500000000000, 1000000000000, 0.99, 0.499998712084848, 0.500001287915152}};
  for (const auto& row : known) {
    const Interval interval = ClopperPearson(row.hits, row.trials, row.confidence);
    EXPECT_NEAR(interval.low / row.low, 1, 1e-11) << row.hits << " of " << row.trials;
    EXPECT_NEAR(interval.high / row.high, 1, 1e-11) << row.hits << " of " << row.trials;
  }
}

// For many hits it is the normal interval, with the known first correction of its centre.
TEST(ClopperPearson, TendsToTheNormalInterval) {
  constexpr double kZ = 2.5758293035489004;  // of 99 %
  for (const uint64_t hits : {uint64_t{1000000}, uint64_t{1000000000}}) {
    for (const uint64_t trials : {10 * hits, 1000 * hits}) {
      const double h = static_cast<double>(hits), n = static_cast<double>(trials), rate = h / n;
      const double deviation = std::sqrt(rate * (1 - rate) / n);
      const Interval interval = ClopperPearson(hits, trials, 0.99);
      EXPECT_NEAR((interval.high - interval.low) / (2 * kZ * deviation), 1, 2 / std::sqrt(h)) << trials;
      EXPECT_NEAR(((interval.high + interval.low) / 2 - rate) / deviation, 0, 5 / std::sqrt(h)) << trials;
    }
  }
}

TEST(TrialsForPrecision, GivesAnIntervalThatNarrow) {
  for (const double rate : {0.5, 0.01, 1e-5}) {
    for (const double precision : {0.5, 0.05, 0.01, 0.0005}) {
      const uint64_t trials = TrialsForPrecision(rate, precision, 0.99);
      const uint64_t hits = static_cast<uint64_t>(std::llround(rate * static_cast<double>(trials)));
      EXPECT_LE(RelativePrecision(hits, trials, 0.99), precision * (hits < 100 ? 1.03 : 1.005))
          << rate << " " << precision;
      EXPECT_GE(RelativePrecision(hits, trials, 0.99), precision * (hits < 100 ? 0.9 : 0.99)) << rate;
      // z^2 (1 - p) / (p precision^2), for the normal distribution.
      const double normal = 6.634897 * (1 - rate) / rate / (precision * precision);
      EXPECT_NEAR(static_cast<double>(trials) / normal, 1, 0.01 + 2 * precision) << rate << " " << precision;
    }
  }
  EXPECT_EQ(TrialsForPrecision(1e-30, 0.01, 0.99), uint64_t{1} << 63) << "more than anybody asks";
}

// It once followed the fraction through 1e17 hits, which where multiply and add are fused did not end.
TEST(TrialsForPrecision, IsQuickForAnyPrecision) {
  for (const double rate : {0.5, 0.009, 1.5e-8}) {
    for (const double precision : {1e-4, 1e-6, 1e-8, 1e-12}) {
      const auto start = std::chrono::steady_clock::now();
      const double trials = static_cast<double>(TrialsForPrecision(rate, precision, 0.99));
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      const double normal = 6.634897 * (1 - rate) / rate / (precision * precision);
      EXPECT_NEAR(trials / std::min(normal, 9223372036854775808.0), 1, 0.01) << rate << " " << precision;
      EXPECT_LT(seconds.count(), 2) << rate << " " << precision << ": some ms, and more in an emulator";
    }
  }
}

// `linefilter fpr` calls it some dozen times to choose the number of its questions. (About 1 ms; the bound is for
// machines under load and builds without optimization.)
TEST(ClopperPearson, IsQuickForAnyCount) {
  for (const uint64_t hits : {uint64_t{0}, uint64_t{1}, uint64_t{1000000000}, uint64_t{500000000000}}) {
    const auto start = std::chrono::steady_clock::now();
    const Interval interval = ClopperPearson(hits, 1000000000000, 0.99);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(interval.low, interval.high);
    EXPECT_LT(seconds.count(), 0.5) << hits;
  }
}

}  // namespace
}  // namespace linefilter
