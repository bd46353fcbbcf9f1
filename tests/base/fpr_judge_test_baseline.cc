// A baseline in place of a limit: the exact interval of a ratio of two rates.
#include <cmath>
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/fpr_judge.h"
#include "tests/base/fpr_judge_test.h"

namespace linefilter::test {
namespace {

FprBaseline Earlier(uint64_t num_queries, uint64_t false_positives) {
  FprBaseline baseline;
  baseline.num_queries = num_queries;
  baseline.false_positives = false_positives;
  baseline.bits_per_key = 10;
  return baseline;
}

FprResult Judge(const FprBaseline& baseline, uint64_t num_queries, uint64_t false_positives, double resolution = 1.5,
                double bits_per_key = 10) {
  FprLimit limit;
  limit.resolution = resolution;
  limit.baseline = &baseline;
  FprCounts counts;
  counts.num_queries = num_queries;
  counts.false_positives = false_positives;
  counts.bits_per_key = bits_per_key;
  return JudgeFpr(counts, limit);
}

TEST(FprBaseline, IsTheLimit) {
  const FprBaseline baseline = Earlier(1000000, 9720);
  const FprResult same = Judge(baseline, 1000000, 9720);
  EXPECT_EQ(same.verdict, FprVerdict::kWithin);
  EXPECT_EQ(same.limit, 0.00972);
  EXPECT_EQ(same.ratio, 1);
  EXPECT_STREQ(same.sentence,
               "the false-positive rate is 0.972 % (9720 of 1000000 absent keys; 99 % interval: 0.9469 % to 0.9976 %), "
               "1 times that of the baseline (0.9636 to 1.038): at most 1.5 times the baseline of 0.972 %");
  EXPECT_EQ(Judge(baseline, 1000000, 9720 + 9720 / 20).verdict, FprVerdict::kAbove) << "5 % more is seen";
  EXPECT_EQ(Judge(baseline, 1000000, 9000).verdict, FprVerdict::kWithin) << "less is good";
  EXPECT_EQ(Judge(baseline, 1000, 10).verdict, FprVerdict::kUndecided);
  EXPECT_EQ(Judge(Earlier(1000, 10), 1000000, 9720).verdict, FprVerdict::kUndecided) << "its own count is too small";
}

// By definition: if the new rate is `ratio_low` times the old one, each false positive is one of the new count with the
// probability ratio n / (ratio n + n_old). So many, or more, then have the probability 0.005; so has ratio_high.
TEST(FprBaseline, TheIntervalIsThatOfABinomialGivenTheSum) {
  for (const uint64_t old_hits : {1u, 7u, 300u}) {
    for (const uint64_t hits : {0u, 1u, 12u, 400u}) {
      const double n = 20000, old_n = 50000;
      const FprResult result = Judge(Earlier(50000, old_hits), 20000, hits);
      const auto share = [&](double ratio) { return ratio * n / (ratio * n + old_n); };
      long double at_least = 0, at_most = 0;
      for (uint64_t k = 0; k <= hits + old_hits; ++k) {
        if (k >= hits) at_least += BinomialProbability(k, hits + old_hits, share(result.ratio_low));
        if (k <= hits) at_most += BinomialProbability(k, hits + old_hits, share(result.ratio_high));
      }
      if (hits == 0) {
        EXPECT_EQ(result.ratio_low, 0);
      } else {
        EXPECT_NEAR(static_cast<double>(at_least), 0.005, 1e-8) << hits << " after " << old_hits;
      }
      EXPECT_NEAR(static_cast<double>(at_most), 0.005, 1e-8) << hits << " after " << old_hits;
      EXPECT_NEAR(result.ratio, (static_cast<double>(hits) / n) / (static_cast<double>(old_hits) / old_n), 1e-12);
    }
  }
}

TEST(FprBaseline, AFilterMayTakeOnePercentMoreBits) {
  const FprBaseline baseline = Earlier(1000000, 9720);
  EXPECT_EQ(Judge(baseline, 1000000, 9000, 1.5, 10.1).verdict, FprVerdict::kWithin);
  const FprResult more = Judge(baseline, 1000000, 9000, 1.5, 10.11);
  EXPECT_EQ(more.verdict, FprVerdict::kAbove);
  EXPECT_STREQ(more.sentence, "the filter takes 10.11 bits per key, and the baseline 10: more than 1.01 times as many");
  EXPECT_EQ(Judge(baseline, 1000000, 9000, 1.5, 0).verdict, FprVerdict::kWithin) << "not known";
}

// Two filters of one rate: how often the second is called above the first, over all pairs of counts.
TEST(FprBaseline, FalseAlarmsAndPowerAreAsPromised) {
  const double rate = 0.01;
  FprLimit at_most;
  at_most.at_most = rate;
  for (const uint64_t queries : {2000u, 10000u}) {
    double above = 0;
    for (uint64_t old_hits = 1; old_hits < 250; ++old_hits) {
      const double weight = static_cast<double>(BinomialProbability(old_hits, queries, rate));
      if (weight < 1e-7) continue;
      const FprBaseline baseline = Earlier(queries, old_hits);
      FprLimit limit;
      limit.resolution = 1e9;  // nobody is undecided, which would take longer
      limit.baseline = &baseline;
      above += weight * ChancesOf(queries, rate, limit).above;
    }
    EXPECT_LE(above, 0.005) << queries;
    EXPECT_GE(above, 0.002) << queries << ": no wider than need be";
  }
}

TEST(FprBaseline, TellsHowManyQueriesAreEnough) {
  for (const double resolution : {1.1, 1.5}) {
    const FprBaseline baseline = Earlier(1000000, 9720);
    FprLimit limit;
    limit.resolution = resolution;
    limit.baseline = &baseline;
    const uint64_t queries = QueriesForLimit(limit);
    ASSERT_GT(queries, 0u);
    EXPECT_GE(ChancesOf(queries, 0.00972, limit).within, 0.99) << resolution;
    EXPECT_LT(ChancesOf(queries - queries / 20, 0.00972, limit).within, 0.99) << resolution;
    EXPECT_EQ(Judge(baseline, queries / 8, queries / 8 * 972 / 100000, resolution).num_queries_needed, queries);
  }
  // With an endless baseline the counts are those of a rare event, so it takes 1.3 % more than a limit of 1 %.
  for (const uint64_t endless : {uint64_t{1} << 40, uint64_t{1} << 60}) {
    const FprBaseline baseline = Earlier(endless, endless / 100);
    FprLimit limit;
    limit.baseline = &baseline;
    EXPECT_NEAR(static_cast<double>(QueriesForLimit(limit)), 12450, 50) << endless;
  }

  const FprBaseline few = Earlier(1000, 10);
  FprLimit limit;
  limit.baseline = &few;
  EXPECT_EQ(QueriesForLimit(limit), 0u) << "10 false positives never tell a rate to 50 %";
  const FprResult result = Judge(few, 1000, 10);
  EXPECT_EQ(result.num_queries_needed, 0u);
  EXPECT_NE(std::string(result.sentence).find("count the baseline again with more"), std::string::npos)
      << result.sentence;
}

}  // namespace
}  // namespace linefilter::test
