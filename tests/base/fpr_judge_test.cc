// linefilter/fpr_judge.h: the rules of the verdict in their order, what each sentence says, and the probabilities that
// the head of the header promises, by exact sums. fpr_promises_slow_test measures them with filters.
#include "linefilter/fpr_judge.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/interval.h"
#include "tests/base/fpr_judge_test.h"

namespace linefilter::test {
namespace {

FprLimit AtMost(double rate) {
  FprLimit limit;
  limit.at_most = rate;
  return limit;
}

FprCounts Counts(uint64_t num_queries, uint64_t false_positives) {
  FprCounts counts;
  counts.num_members = 1000;
  counts.num_queries = num_queries;
  counts.false_positives = false_positives;
  return counts;
}

bool Says(const FprResult& result, const std::string& words) {
  return std::string(result.sentence).find(words) != std::string::npos;
}

TEST(FprJudge, CallsARateByItsInterval) {
  const FprResult within = JudgeFpr(Counts(20000, 200), AtMost(0.01));
  EXPECT_EQ(within.verdict, FprVerdict::kWithin);
  EXPECT_TRUE(within.ok());
  EXPECT_STREQ(within.sentence,
               "the false-positive rate is 1 % (200 of 20000 absent keys; 99 % interval: 0.828 % to 1.196 %): at most "
               "1.5 times the limit of 1 %");
  EXPECT_EQ(within.num_queries_needed, 0u);

  const FprResult above = JudgeFpr(Counts(20000, 250), AtMost(0.01));
  EXPECT_EQ(above.verdict, FprVerdict::kAbove);
  EXPECT_FALSE(above.ok());
  EXPECT_STREQ(above.sentence,
               "the false-positive rate is 1.25 % (250 of 20000 absent keys; 99 % interval: 1.057 % to 1.467 %): above "
               "the limit of 1 %");

  const FprResult undecided = JudgeFpr(Counts(2000, 20), AtMost(0.01));
  EXPECT_EQ(undecided.verdict, FprVerdict::kUndecided);
  EXPECT_EQ(undecided.num_queries_needed, QueriesForLimit(AtMost(0.01)));
  EXPECT_STREQ(
      undecided.sentence,
      "the false-positive rate is 1 % (20 of 2000 absent keys; 99 % interval: 0.5188 % to 1.727 %): too few "
      "queries to tell whether it keeps to the limit of 1 %. 12285 absent keys would decide in 99 of 100 runs");
}

TEST(FprJudge, TellsWhatItStandsOn) {
  for (const uint64_t hits : {0u, 1u, 20u, 2000u}) {
    const FprResult result = JudgeFpr(Counts(2000, hits), AtMost(0.01));
    const Interval fpr = ClopperPearson(hits, 2000, 0.99);
    EXPECT_EQ(result.counts.num_queries, 2000u);
    EXPECT_EQ(result.counts.false_positives, hits);
    EXPECT_EQ(result.limit, 0.01);
    EXPECT_EQ(result.fpr, static_cast<double>(hits) / 2000);
    EXPECT_EQ(result.fpr_low, fpr.low);
    EXPECT_EQ(result.fpr_high, fpr.high);
    EXPECT_EQ(result.ratio, result.fpr / 0.01);
    EXPECT_EQ(result.ratio_low, fpr.low / 0.01);
    EXPECT_EQ(result.ratio_high, fpr.high / 0.01);
  }
}

// Of each pair of rules both apply, and the first decides.
TEST(FprJudge, RulesDecideInTheirOrder) {
  FprCounts lost = Counts(20000, 250);
  lost.num_lost = 1;
  EXPECT_EQ(JudgeFpr(lost, AtMost(0.01)).verdict, FprVerdict::kAbove);
  EXPECT_TRUE(Says(JudgeFpr(lost, AtMost(0.01)), "1 of 1000 members answered \"absent\"")) << "1 before 3";
  EXPECT_TRUE(Says(JudgeFpr(lost, AtMost(7)), "1 of 1000 members answered \"absent\"")) << "1 before 2";
  EXPECT_EQ(JudgeFpr(lost, AtMost(7)).verdict, FprVerdict::kAbove);
  lost.num_queries = lost.false_positives = 0;
  EXPECT_EQ(JudgeFpr(lost, AtMost(0.01)).verdict, FprVerdict::kAbove) << "nothing else was asked";

  FprCounts mixed = Counts(20000, 250);
  mixed.num_absent_members = 3;
  EXPECT_TRUE(Says(JudgeFpr(mixed, AtMost(0.01)), "above the limit")) << "3 before 4";
  mixed.false_positives = 200;
  EXPECT_EQ(JudgeFpr(mixed, AtMost(0.01)).verdict, FprVerdict::kUndecided) << "4 before 5";
  EXPECT_STREQ(JudgeFpr(mixed, AtMost(0.01)).sentence,
               "3 absent keys are members. Give absent keys that are not in the filter");
  mixed.num_queries = mixed.false_positives = 0;
  EXPECT_TRUE(Says(JudgeFpr(mixed, AtMost(0.01)), "3 absent keys are members")) << "they were all";

  // So many queries that both ends are between the limit and 1.5 times the limit.
  EXPECT_EQ(JudgeFpr(Counts(1000000, 12000), AtMost(0.01)).verdict, FprVerdict::kAbove) << "3 before 5";
}

TEST(FprJudge, NamesTenOfManyKeys) {
  FprKeys keys;
  for (uint64_t i = 0; i < 12; ++i) keys.Add(100 + i, i);
  FprCounts counts = Counts(20000, 200);
  counts.num_lost = 12;
  const FprResult lost = JudgeFpr(counts, AtMost(0.01), keys);
  EXPECT_EQ(lost.lost.size, 10u);
  EXPECT_EQ(lost.lost.named[9].position, 109u);
  EXPECT_STREQ(lost.sentence,
               "12 of 1000 members answered \"absent\": 0 (position 100), 1 (position 101), 2 (position 102), "
               "3 (position 103), 4 (position 104), 5 (position 105), 6 (position 106), 7 (position 107), "
               "8 (position 108), 9 (position 109), and 2 more. A filter never loses a key that it was given with the "
               "same bytes, hash and seed");
  counts.num_lost = 0;
  counts.num_absent_members = 1;
  FprKeys one;
  one.Add(7, "alice@example.org");
  EXPECT_STREQ(JudgeFpr(counts, AtMost(0.01), {}, one).sentence,
               "1 absent key is a member: \"alice@example.org\" (position 7). Give absent keys that are not in the "
               "filter");
}

TEST(FprKeys, ShowWhatPeopleCanRead) {
  FprKeys keys;
  keys.Add(1, uint64_t{18446744073709551615u});
  keys.Add(2, std::string_view("a\0\"\\\n\xff z", 8));
  keys.Add(3, "");
  keys.Add(4, std::string(1000, 'x'));
  keys.Add(5, std::string(1000, '\n'));
  EXPECT_STREQ(keys.named[0].text, "18446744073709551615");
  EXPECT_STREQ(keys.named[1].text, "\"a\\x00\\x22\\x5c\\x0a\\xff z\"");
  EXPECT_STREQ(keys.named[2].text, "\"\"");
  EXPECT_STREQ(keys.named[3].text, ("\"" + std::string(39, 'x') + "...\"").c_str());
  EXPECT_STREQ(keys.named[4].text, "\"\\x0a\\x0a\\x0a\\x0a\\x0a\\x0a\\x0a\\x0a\\x0a\\x0a...\"");
}

// Wherever a byte that takes four characters falls.
TEST(FprKeys, EveryTextFits) {
  for (size_t plain = 0; plain < 50; ++plain) {
    for (size_t rest = 0; rest < 4; ++rest) {
      FprKeys keys;
      for (size_t i = 0; i < FprKeys::kMost; ++i) keys.Add(i, std::string(plain, 'x') + "\n" + std::string(rest, 'y'));
      EXPECT_EQ(keys.size, FprKeys::kMost) << plain << ", " << rest;
      for (const FprKeys::Named& named : keys.named) {
        const size_t length = strnlen(named.text, sizeof(named.text));
        ASSERT_LT(length, sizeof(named.text)) << plain << ", " << rest;
        EXPECT_EQ(named.text[length - 1], '"') << plain << ", " << rest;
      }
    }
  }
}

TEST(FprJudge, TheLongestSentenceFits) {
  FprKeys keys;
  for (int i = 0; i < 20; ++i) keys.Add(UINT64_MAX, std::string(100, 'x'));
  FprCounts counts;
  counts.num_lost = counts.num_members = UINT64_MAX;
  const std::string lost = JudgeFpr(counts, AtMost(0.01), keys).sentence;
  EXPECT_EQ(lost.substr(lost.size() - 20), "bytes, hash and seed");
  FprBaseline baseline;
  baseline.num_queries = UINT64_MAX;
  baseline.false_positives = UINT64_MAX / 3;
  FprLimit limit;
  limit.confidence = 0.999999;
  limit.resolution = 1.000001;
  limit.baseline = &baseline;
  EXPECT_LT(std::string(JudgeFpr(Counts(1234567890123, 432109876543), limit).sentence).size(), 700u);
}

TEST(FprJudge, ARequestThatMakesNoSenseIsToldWhatToDo) {
  const double nan = std::nan("");
  FprLimit limit = AtMost(0.01);
  const auto refused = [&limit](const FprCounts& counts, const char* words) {
    const FprResult result = JudgeFpr(counts, limit);
    EXPECT_EQ(result.verdict, FprVerdict::kUndecided) << words;
    EXPECT_EQ(result.num_queries_needed, 0u) << words;
    EXPECT_TRUE(Says(result, words)) << result.sentence;
    EXPECT_TRUE(Says(result, ": ")) << result.sentence << ": what to do";
  };
  for (const double bad : {0.0, 1.0, -0.1, 1.5, nan}) {
    limit = AtMost(bad);
    refused(Counts(20000, 200), "at_most is not between 0 and 1");
    EXPECT_EQ(QueriesForLimit(limit), 0u);
    limit = AtMost(0.01);
    limit.confidence = bad;
    refused(Counts(20000, 200), "confidence is not between 0 and 1");
    EXPECT_EQ(QueriesForLimit(limit), 0u);
  }
  for (const double bad : {1.0, 0.5, -2.0, nan, static_cast<double>(HUGE_VAL)}) {
    limit = AtMost(0.01);
    limit.resolution = bad;
    refused(Counts(20000, 200), "resolution is not above 1");
    EXPECT_EQ(QueriesForLimit(limit), 0u);
  }
  limit = AtMost(0.01);
  refused(Counts(0, 0), "no absent key was asked");
  refused(Counts(10, 11), "more keys answered than were asked");
  FprBaseline baseline;
  limit.baseline = &baseline;
  refused(Counts(20000, 200), "the baseline has no query");
  baseline.num_queries = 10;
  baseline.false_positives = 11;
  refused(Counts(20000, 200), "more false positives than queries");
  baseline.false_positives = 0;
  refused(Counts(20000, 200), "the baseline has no false positive");
  EXPECT_EQ(QueriesForLimit(limit), 0u);
}

TEST(FprJudge, AFilterThatAlwaysSaysMaybeIsToldApart) {
  const FprResult broken = JudgeFpr(Counts(100, 100), AtMost(0.01));
  EXPECT_EQ(broken.verdict, FprVerdict::kAbove);
  EXPECT_TRUE(Says(broken, "look at the Status")) << broken.sentence;
  EXPECT_FALSE(Says(JudgeFpr(Counts(100, 99), AtMost(0.01)), "look at the Status"));
}

// What a filter of a rate is called with so many queries: {kWithin, kAbove}, by summing up all counts.
TEST(FprJudge, FalseAlarmsAndPowerAreAsPromised) {
  for (const double rate : {0.3, 0.02, 0.001}) {
    for (const double resolution : {1.1, 1.5, 3.0}) {
      FprLimit limit = AtMost(rate);
      limit.resolution = resolution;
      const uint64_t queries = QueriesForLimit(limit);
      for (const uint64_t n : {queries, queries + 1, queries + queries / 50, 2 * queries}) {
        const Chances at_limit = ChancesOf(n, rate, limit);
        EXPECT_GE(at_limit.within, 0.99) << rate << " " << resolution << " " << n;
        EXPECT_LE(at_limit.above, 0.005) << rate << " " << resolution << " " << n;
        // Whoever is further above is found more surely.
        EXPECT_LE(ChancesOf(n, std::min(1.0, rate * resolution), limit).within, 0.005) << rate << " " << n;
      }
      const double fewer = 0.95 * static_cast<double>(queries) - 2 / rate;  // one hit more or less is the saw's tooth
      if (fewer < 1) continue;
      EXPECT_LT(ChancesOf(static_cast<uint64_t>(fewer), rate, limit).within, 0.99) << rate << " nobody asks in vain";
    }
    EXPECT_GE(ChancesOf(QueriesForLimit(AtMost(rate)), 2 * rate, AtMost(rate)).above, 0.99) << rate;
    FprLimit fine = AtMost(rate);
    fine.resolution = 1.1;
    EXPECT_GE(ChancesOf(QueriesForLimit(fine), 1.2 * rate, fine).above, 0.99) << rate;
  }
}

// At 95 % one filter in 40 may be called above its limit, so 99 of 100 cannot pass.
TEST(FprJudge, AnyConfidenceHasANumberThatDecides) {
  for (const double confidence : {0.5, 0.9, 0.95, 0.98, 0.999}) {
    for (const double rate : {0.3, 0.01}) {
      FprLimit limit = AtMost(rate);
      limit.confidence = confidence;
      const uint64_t queries = QueriesForLimit(limit);
      ASSERT_GT(queries, 0u) << confidence;
      const Chances at_limit = ChancesOf(queries, rate, limit);
      EXPECT_GE(at_limit.within, std::min(confidence, 0.99)) << confidence << " " << rate;
      EXPECT_LE(at_limit.above, (1 - confidence) / 2) << confidence << " " << rate;
    }
  }
  FprLimit limit = AtMost(0.01);
  limit.confidence = 0.95;
  const FprResult undecided = JudgeFpr(Counts(1000, 10), limit);
  EXPECT_EQ(undecided.num_queries_needed, QueriesForLimit(limit));
  EXPECT_TRUE(Says(undecided, " absent keys would decide in 95 of 100 runs")) << undecided.sentence;
}

// Each undecided count names a number with which its own rate is decided.
TEST(FprJudge, TheNumberOfQueriesNeededDecides) {
  for (const double resolution : {1.2, 1.5, 4.0}) {
    FprLimit limit = AtMost(0.02);
    limit.resolution = resolution;
    for (uint64_t hits = 0; hits < 60; hits += 3) {
      const FprResult result = JudgeFpr(Counts(1000, hits), limit);
      if (result.verdict != FprVerdict::kUndecided) continue;
      ASSERT_GT(result.num_queries_needed, 0u) << hits;
      const Chances chances = ChancesOf(result.num_queries_needed, std::max(result.fpr, 0.02), limit);
      EXPECT_GE(chances.within + chances.above, 0.99) << hits << ": " << result.sentence;
      EXPECT_EQ(Says(result, "seems to lie between"), result.fpr > 0.02 && result.fpr < 0.02 * resolution) << hits;
    }
  }
}

TEST(QueriesForLimit, IsWhatTheHeaderSays) {
  EXPECT_EQ(QueriesForLimit(AtMost(0.01)), 12285u);
  EXPECT_NEAR(static_cast<double>(QueriesForLimit(AtMost(1e-6))) / 12285, 1e4, 300) << "as 1 / at_most";
  FprLimit fine = AtMost(0.01);
  fine.resolution = 1.1;
  EXPECT_NEAR(static_cast<double>(QueriesForLimit(fine)), 252415, 2525);
  fine.resolution = 1.00001;
  EXPECT_EQ(QueriesForLimit(fine), 0u) << "it would take too long";
}

}  // namespace
}  // namespace linefilter::test
