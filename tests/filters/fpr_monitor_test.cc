// linefilter/monitor.h: a right filter stays as expected, however often one looks, and each way in which a rate drifts
// is found. Counting by threads is in fpr_monitor_threads_test.cc, the text for Prometheus in fpr_monitor_test_text.cc.
#include "tests/filters/fpr_monitor_test.h"

#include <cmath>
#include <limits>
#include <random>

#include "linefilter/builder.h"
#include "linefilter/view.h"

namespace linefilter::test {
namespace {

TEST(FprMonitor, BeginsTooEarlyAndSaysHowManyLookupsItTakes) {
  FprMonitor monitor(Planned(0.01));
  FprMonitorReport report = monitor.Read(0.01);
  EXPECT_EQ(report.verdict, Verdict::kTooEarly);
  EXPECT_TRUE(Has(report, "about 3637 lookups of absent keys")) << report.sentence;
  EXPECT_EQ(report.fpr, 0);
  EXPECT_EQ(report.fpr_low, 0);
  EXPECT_EQ(report.fpr_high, 1);
  Count(1000, 10, &monitor);
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kTooEarly);
  Count(3000, 30, &monitor);
  report = monitor.Read(0.01);
  EXPECT_EQ(report.verdict, Verdict::kAsExpected) << report.sentence;
  EXPECT_DOUBLE_EQ(report.fpr, 0.01);
  EXPECT_LT(report.fpr_low, 0.01);
  EXPECT_GT(report.fpr_high, 0.01);
  EXPECT_EQ(report.expected_fpr, 0.01);
}

TEST(FprMonitor, ARightFilterStaysAsExpected) {
  Service service(20000);
  for (int look = 0; look < 100; ++look) {  // it fills up meanwhile
    service.Insert(200 * look, 200);
    service.AskAbsent(1000);
    const FprMonitorReport report = service.Read();
    ASSERT_LE(report.verdict, Verdict::kTooEarly) << report.sentence;
    if (look > 90) {
      ASSERT_EQ(report.verdict, Verdict::kAsExpected) << report.sentence;
    }
  }
  for (int look = 0; look < 100; ++look) {
    service.AskAbsent(1000);
    for (uint64_t i = 0; i < 100; ++i) service.Ask(2 * i);  // members are no question of the rate
    const FprMonitorReport report = service.Read();
    ASSERT_EQ(report.verdict, Verdict::kAsExpected) << report.sentence;
  }
  const FprMonitorReport report = service.Read();
  EXPECT_EQ(report.all.asked, 100000u + 110000u);
  EXPECT_EQ(report.all.absent_keys(), 200000u);
  EXPECT_EQ(report.all.maybes, report.all.false_positives + 10000);
  EXPECT_LT(report.recent.absent_keys(), 25000u) << "the rate is that of now";
  EXPECT_TRUE(Has(report, "as expected: of the last ")) << report.sentence;
}

TEST(FprMonitor, ARightImageStaysAsExpected) {
  FilterOptions options = Fpr(0.01);
  options.layout = Layout::kRetrieval;
  FilterBuilder builder(options);
  for (uint64_t i = 0; i < 20000; ++i) builder.AddKey(2 * i);
  std::string image;
  ASSERT_TRUE(IsOk(builder.Finish(&image)));
  FilterView view;
  ASSERT_TRUE(IsOk(view.Open(image.data(), image.size(), VerifyMode::kWhole)));
  FprMonitor monitor(Planned(0.01));
  for (uint64_t i = 0; i < 50000; ++i) {
    const bool maybe = view.MayContainKey(2 * i + 1);
    monitor.Asked(maybe);
    if (maybe) monitor.WasAbsent();
    if (i % 500 == 0) {
      ASSERT_LE(monitor.Read(view.ExpectedFpr()).verdict, Verdict::kTooEarly);
    }
  }
  EXPECT_EQ(monitor.Read(view.ExpectedFpr()).verdict, Verdict::kAsExpected);
}

// --- What drifts ----------------------------------------------------------------------------------------------------

TEST(FprMonitor, FindsAnOverfilledFilter) {
  Service service(20000);
  service.Insert(0, 20000);
  for (int look = 0; look < 100; ++look) {
    service.AskAbsent(1000);
    ASSERT_LE(service.Read().verdict, Verdict::kTooEarly);
  }
  service.Insert(20000, 20000);  // twice what it was made for
  for (int look = 0; look < 3; ++look) {
    service.AskAbsent(1000);
    service.Read();
  }
  const FprMonitorReport report = service.Read();
  EXPECT_EQ(report.verdict, Verdict::kMoreThanExpected) << report.sentence;
  EXPECT_EQ(report.expected_fpr, 0.01) << "the plan, for the filter itself expects more";
  EXPECT_TRUE(Has(report, "so it has more keys than it was planned for: make")) << report.sentence;
}

// Keys of one shard, which was chosen by the bits that the filter takes itself (doc/guide/sharding.md).
void ExpectFindsShard(bool (*is_of_shard)(uint64_t hash)) {
  Service service(10000);
  uint64_t inserted = 0, key = 0;
  for (; inserted < 10000; key += 2) {
    if (!is_of_shard(HashKey(key))) continue;
    service.filter.InsertKey(key);
    ++inserted;
  }
  FprMonitorReport report;
  uint64_t asked = 0;
  for (uint64_t absent = 1; asked < 1000; absent += 2) {
    if (!is_of_shard(HashKey(absent))) continue;
    service.Ask(absent);
    if (++asked % 50 == 0) report = service.Read();
  }
  EXPECT_EQ(report.verdict, Verdict::kMoreThanExpected) << report.sentence;
  EXPECT_GT(report.fpr_low, 0.1);
  EXPECT_TRUE(Has(report, "a shard or an attacker")) << report.sentence;
}

TEST(FprMonitor, FindsAShardByBitsThatTheFilterTakes) {
  ExpectFindsShard([](uint64_t hash) { return hash >> 60 == 5; });
  ExpectFindsShard([](uint64_t hash) { return ((hash ^ hash >> 32) & 15) == 5; });
}

TEST(FprMonitor, LeavesAShardByOtherBitsAlone) {
  Service service(10000);
  for (uint64_t i = 0, inserted = 0; inserted < 10000; ++i) {
    if (HashKey(2 * i) % 16 == 5) service.Insert(i, 1), ++inserted;
  }
  for (uint64_t key = 1, asked = 0; asked < 30000; key += 2) {
    if (HashKey(key) % 16 != 5) continue;
    service.Ask(key);
    if (++asked % 100 == 0) {
      ASSERT_LE(service.Read().verdict, Verdict::kTooEarly);
    }
  }
  EXPECT_EQ(service.Read().verdict, Verdict::kAsExpected);
}

TEST(FprMonitor, FindsAnAttackerWhoRepeatsAFalsePositive) {
  Service service(20000);
  service.Insert(0, 20000);
  service.AskAbsent(100000);
  ASSERT_EQ(service.Read().verdict, Verdict::kAsExpected);
  uint64_t key = 1;
  while (!service.filter.MayContainKey(key)) key += 2;
  FprMonitorReport report;
  for (int look = 0; look < 30; ++look) {  // one lookup of 20 is the attacker's
    service.AskAbsent(95);
    for (int i = 0; i < 5; ++i) service.Ask(key);
    report = service.Read();
  }
  EXPECT_EQ(report.verdict, Verdict::kMoreThanExpected) << report.sentence;
  EXPECT_TRUE(Has(report, "come again and again")) << report.sentence;
}

TEST(FprMonitor, FindsAnAttackerWhoChoosesKeys) {
  Service service(20000);
  service.Insert(0, 20000);
  service.AskAbsent(100000);
  ASSERT_EQ(service.Read().verdict, Verdict::kAsExpected);
  // The hash is no secret, so a copy of the filter tells which keys get through; none is asked twice.
  FprMonitorReport report;
  uint64_t asked = 0;
  for (uint64_t key = 1000001; asked < 60; key += 2) {
    if (!service.filter.MayContainKey(key)) continue;
    service.Ask(key);
    ++asked;
    service.AskAbsent(10);
    report = service.Read();
  }
  EXPECT_EQ(report.verdict, Verdict::kMoreThanExpected) << report.sentence;
}

TEST(FprMonitor, FindsADriftAfterABillionGoodLookups) {
  FprMonitor monitor(Planned(0.01));
  std::mt19937_64 random(1);
  for (int look = 0; look < 2000; ++look) {
    const auto hits = static_cast<uint64_t>(5000 + 60 * std::sin(look));
    Count(500000, hits, &monitor);
    ASSERT_LE(monitor.Read(0.01).verdict, Verdict::kTooEarly);
  }
  int looks = 0;
  for (; looks < 100 && monitor.Read(0.01).verdict != Verdict::kMoreThanExpected; ++looks) Count(1000, 20, &monitor);
  EXPECT_LE(looks, 12) << "thousand lookups at twice the rate";
  const FprMonitorReport report = monitor.Read(0.01);
  EXPECT_EQ(report.all.absent_keys(), 1000000000u + 1000u * looks);
}

// --- What ends, and what does not -----------------------------------------------------------------------------------

TEST(FprMonitor, AnExcessEndsByItselfAndByRestart) {
  FprMonitor monitor(Planned(0.01));
  for (int look = 0; look < 50; ++look) Count(1000, 50, &monitor), monitor.Read(0.01);
  ASSERT_EQ(monitor.Read(0.01).verdict, Verdict::kMoreThanExpected);
  int looks = 0;
  for (; looks < 60 && monitor.Read(0.01).verdict == Verdict::kMoreThanExpected; ++looks) Count(1000, 10, &monitor);
  EXPECT_GT(looks, 1);
  EXPECT_LT(looks, 25);
  for (; looks < 70 && monitor.Read(0.01).verdict == Verdict::kTooEarly; ++looks) Count(1000, 10, &monitor);
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kAsExpected) << "the window has gone past";

  for (int look = 0; look < 50; ++look) Count(1000, 50, &monitor), monitor.Read(0.01);
  ASSERT_EQ(monitor.Read(0.01).verdict, Verdict::kMoreThanExpected);
  const uint64_t before = monitor.Read(0.01).all.asked;
  monitor.Restart();
  FprMonitorReport report = monitor.Read(0.01);
  EXPECT_EQ(report.verdict, Verdict::kTooEarly);
  EXPECT_EQ(report.since_restart.asked, 0u);
  EXPECT_EQ(report.recent.asked, 0u);
  EXPECT_EQ(report.all.asked, before) << "counters for Prometheus never sink";
  Count(10000, 100, &monitor);
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kAsExpected);
}

TEST(FprMonitor, ALostMemberOutranksAllUntilRestart) {
  FprMonitor monitor(Planned(0.01));
  Count(10000, 5000, &monitor);
  ASSERT_EQ(monitor.Read(0.01).verdict, Verdict::kMoreThanExpected);
  monitor.Asked(false);
  monitor.WasLost();
  FprMonitorReport report = monitor.Read(0.01);
  EXPECT_EQ(report.verdict, Verdict::kMembersLost);
  EXPECT_TRUE(Has(report, "members lost: 1 lookups of keys that the store has")) << report.sentence;
  EXPECT_EQ(report.all.absent_keys(), 10000u) << "it was no absent key";
  Count(100000, 1000, &monitor);
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kMembersLost);
  monitor.Restart();
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kTooEarly);
  Count(100000, 1000, &monitor);
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kAsExpected);
}

TEST(FprMonitor, ExpectsTheHigherRateOfTwoLooksAndTheLowerOneOfThePlan) {
  FprMonitor monitor(Planned(0.05));
  Count(10000, 200, &monitor);
  EXPECT_EQ(monitor.Read(0.02).verdict, Verdict::kAsExpected);
  Count(10000, 200, &monitor);
  EXPECT_EQ(monitor.Read(0.001).verdict, Verdict::kAsExpected) << "it was replaced at any moment since the last look";
  Count(10000, 200, &monitor);
  FprMonitorReport report = monitor.Read(0.001);
  EXPECT_EQ(report.verdict, Verdict::kMoreThanExpected);
  EXPECT_EQ(report.expected_fpr, 0.001);
  EXPECT_EQ(monitor.Read(0.9).expected_fpr, 0.05);
}

// --- Misuse ---------------------------------------------------------------------------------------------------------

TEST(FprMonitor, CountsThatCannotBeAreTold) {
  FprMonitor monitor(Planned(0.01));
  monitor.Asked(10, 2);
  monitor.WasAbsent(3);
  FprMonitorReport report = monitor.Read(0.01);
  EXPECT_EQ(report.verdict, Verdict::kTooEarly);
  EXPECT_TRUE(Has(report, "WasAbsent was called 3 times, Asked was told of 2 answers \"maybe\"")) << report.sentence;
  monitor.Asked(true);
  EXPECT_FALSE(Has(monitor.Read(0.01), "WasAbsent was called"));
  monitor.WasLost(9);
  report = monitor.Read(0.01);
  EXPECT_EQ(report.verdict, Verdict::kTooEarly);
  EXPECT_TRUE(Has(report, "WasLost was called 9 times, Asked was told of 8 answers \"absent\"")) << report.sentence;
  monitor.Restart();
  EXPECT_TRUE(Has(monitor.Read(0.01), "WasLost was called")) << "a restart mends no counts";
}

TEST(FprMonitor, TakesAnyNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, -1.0, 2.0, std::numeric_limits<double>::infinity()}) {
    FprMonitorOptions options;
    options.planned_fpr = options.confidence = options.tolerance = bad;
    FprMonitor monitor(options);
    Count(1000, 1000, &monitor);
    const FprMonitorReport report = monitor.Read(bad);
    EXPECT_EQ(report.verdict, Verdict::kTooEarly) << bad << " " << report.sentence;
    EXPECT_TRUE(Has(report, "no rate to hold it to")) << report.sentence;
    EXPECT_EQ(report.expected_fpr, 1);
  }
  FprMonitor monitor(Planned(0.01));
  monitor.Asked(5, 7);
  EXPECT_EQ(monitor.Read(0.01).all.asked, 5u) << "of 5 keys no 7 are \"maybe\"";
  FprMonitor empty(Planned(0.01));
  Count(1000000, 0, &empty);
  EXPECT_EQ(empty.Read(0).verdict, Verdict::kTooEarly) << "an empty filter expects no false positive at all";
  Count(100, 10, &empty);
  EXPECT_EQ(empty.Read(0).verdict, Verdict::kMoreThanExpected);
}

TEST(FprMonitor, ABrokenFilterIsMoreThanPlanned) {
  const FilterView broken;
  Service service(100);
  for (int i = 0; i < 1000; ++i) Count(1, broken.MayContainKey(i), &service.monitor);
  const FprMonitorReport report = service.monitor.Read(broken.ExpectedFpr());
  EXPECT_EQ(report.verdict, Verdict::kMoreThanExpected) << report.sentence;
  EXPECT_TRUE(Has(report, "it is damaged, was never made or is full")) << report.sentence;
}

TEST(FprMonitor, NothingIsAsExpectedWithoutARateOrALookup) {
  const FilterView broken;
  FprMonitor monitor;  // without a plan
  for (int i = 0; i < 1000; ++i) Count(1, broken.MayContainKey(i), &monitor);
  FprMonitorReport report = monitor.Read(broken.ExpectedFpr());
  EXPECT_EQ(report.verdict, Verdict::kTooEarly) << "every key is \"maybe\", and nobody would be told";
  EXPECT_TRUE(Has(report, "It is damaged, was never made or is full")) << report.sentence;
  EXPECT_TRUE(Has(report, "the planned rate")) << "it is not cut: " << report.sentence;
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kTooEarly) << "a filter was replaced at any moment";
  FprMonitor high(Planned(0.7));
  EXPECT_EQ(high.Read(1).verdict, Verdict::kTooEarly) << "nothing was asked";
  Count(1000, 700, &high);
  EXPECT_EQ(high.Read(1).verdict, Verdict::kAsExpected);
}

// The promise: a filter whose rate is exactly at the edge, which is looked at again and again. 1 % of 4,000 would be
// 40, and some 0.3 % come.
TEST(FprMonitor, TheEvidenceKeepsItsPromise) {
  std::mt19937_64 random(1);
  std::binomial_distribution<uint64_t> draw(1000, 0.011);
  int alarms = 0;
  for (int i = 0; i < 4000; ++i) {
    internal::ExcessEvidence evidence;
    for (int look = 0; look < 150 && !evidence.is_above(); ++look) evidence.Update(draw(random), 1000, 0.011, 0.99);
    alarms += evidence.is_above();
  }
  EXPECT_LE(alarms, 40);
  EXPECT_GE(alarms, 1) << "nothing was looked at";
}

TEST(FprMonitor, ManyLooksRaiseNoAlarm) {
  std::mt19937_64 random(2);
  std::binomial_distribution<uint64_t> draw(1000, 0.011);
  int alarms = 0;
  for (int i = 0; i < 200; ++i) {
    FprMonitor monitor(Planned(0.01));
    bool is_alarmed = false;
    for (int look = 0; look < 100; ++look) {
      Count(1000, draw(random), &monitor);
      is_alarmed |= monitor.Read(0.01).verdict == Verdict::kMoreThanExpected;
    }
    alarms += is_alarmed;
  }
  EXPECT_LE(alarms, 2);
}

}  // namespace
}  // namespace linefilter::test
