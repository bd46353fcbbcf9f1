// What linefilter/fpr_judge.h promises, measured with 20,000 real filters and as many simulated counts: a filter at its
// limit is hardly ever called above it, and one that is further above is found.
//
// What a real filter's rate is must be known exactly. Absent keys are therefore drawn, each time anew, from a universe
// of 16,384 keys. All of them are asked once, and the share that answers "maybe" is the rate of the draws: not close to
// it, but equal. Draws are independent, so their counts are binomial whatever the filter's bits are.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "linefilter/testing.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"
#include "tools/measure/any_filter.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kUniverse = 16384, kFirstAbsent = uint64_t{1} << 40;

uint64_t NumFilters() { return std::max<uint64_t>(100, static_cast<uint64_t>(20000 * Effort())); }

// Kinds with rates of 0.5 to 5 %, so that 10,000 queries decide.
constexpr struct {
  Layout layout;
  double bits_per_key;
} kKinds[] = {{Layout::kBlocked, 8},  {Layout::kBlocked, 10},  {Layout::kClassic, 8},
              {Layout::kClassic, 10}, {Layout::kRetrieval, 6}, {Layout::kQuotient, 8}};

// A small filter of some hundred keys, and its exact rate.
class KnownFilter {
 public:
  explicit KnownFilter(uint64_t seed) {
    const auto& kind = kKinds[seed % std::size(kKinds)];
    members_.resize(300 + seed * 7919 % 700);
    for (size_t i = 0; i < members_.size(); ++i) members_[i] = i;
    FilterOptions options;
    options.bits_per_key = kind.bits_per_key;
    options.seed = seed;
    EXPECT_TRUE(IsOk(filter_.Create(kind.layout, members_.size(), options)));
    std::vector<uint64_t> hashes;
    for (const uint64_t key : members_) hashes.push_back(HashKey(key, seed));
    filter_.InsertHashes(hashes.data(), hashes.size());
    EXPECT_TRUE(IsOk(filter_.Finish()));
    hashes.resize(kUniverse);
    for (uint64_t i = 0; i < kUniverse; ++i) hashes[i] = HashKey(kFirstAbsent + i, seed);
    maybes_ = filter().CountMaybes(hashes.data(), kUniverse);
  }

  const FilterBase& filter() const { return filter_.filter(); }
  const std::vector<uint64_t>& members() const { return members_; }
  uint64_t maybes() const { return maybes_; }
  double rate() const { return static_cast<double>(maybes_) / kUniverse; }

 private:
  tools::AnyFilter filter_;
  std::vector<uint64_t> members_;
  uint64_t maybes_ = 0;
};

std::vector<uint64_t> Draw(uint64_t n, Random* random) {
  std::vector<uint64_t> keys(n);
  for (uint64_t& key : keys) key = kFirstAbsent + (*random)() % kUniverse;
  return keys;
}

struct Verdicts {
  uint64_t within = 0, above = 0, undecided = 0;

  void Add(FprVerdict verdict) {
    (verdict == FprVerdict::kWithin ? within : verdict == FprVerdict::kAbove ? above : undecided) += 1;
  }
  double Share(uint64_t part) const {
    return static_cast<double>(part) / static_cast<double>(within + above + undecided);
  }
  void Print(const char* what) const {
    printf("%s: within %.3f %%, above %.3f %%, undecided %.3f %% of %llu\n", what, 100 * Share(within),
           100 * Share(above), 100 * Share(undecided), static_cast<unsigned long long>(within + above + undecided));
  }
};

// Checks real filters whose rate is `times` the limit, with the advised number of queries.
Verdicts CheckFilters(uint64_t num_filters, double times, double resolution) {
  Verdicts verdicts;
  Random random(2026);
  std::map<uint64_t, uint64_t> queries_of_rate;
  for (uint64_t f = 0; f < num_filters; ++f) {
    const KnownFilter known(f);
    FprLimit limit;
    limit.at_most = known.rate() / times;
    limit.resolution = resolution;
    uint64_t& queries = queries_of_rate[known.maybes()];
    if (queries == 0) queries = QueriesForLimit(limit);
    const FprResult result = CheckFpr(known.filter(), known.members(), Draw(queries, &random), limit);
    EXPECT_EQ(result.counts.num_lost, 0u);
    EXPECT_EQ(result.counts.num_queries, queries);
    verdicts.Add(result.verdict);
  }
  return verdicts;
}

// A share in a sample is off by at most four and a half standard deviations, or what is tested is wrong.
double Slack(double share, uint64_t n) { return 4.5 * std::sqrt(share * (1 - share) / static_cast<double>(n)); }

TEST(FprPromises, AFilterAtItsLimitIsNotCalledAbove) {
  const Verdicts verdicts = CheckFilters(NumFilters(), 1, 1.5);
  verdicts.Print("real filters at the limit, confidence 99 %, R = 1.5");
  EXPECT_LE(verdicts.Share(verdicts.above), 0.005 + Slack(0.005, NumFilters())) << "half of 1 - confidence";
  EXPECT_GE(verdicts.Share(verdicts.within), 0.99 - Slack(0.01, NumFilters()));
}

TEST(FprPromises, AFilterOfTwiceTheLimitIsFound) {
  const Verdicts verdicts = CheckFilters(NumFilters() / 5, 2, 1.5);
  verdicts.Print("real filters at twice the limit, R = 1.5");
  EXPECT_GE(verdicts.Share(verdicts.above), 0.99);
}

TEST(FprPromises, AFilterAFifthAboveIsFoundWithAFineResolution) {
  const Verdicts verdicts = CheckFilters(NumFilters() / 20, 1.2, 1.1);
  verdicts.Print("real filters at 1.2 times the limit, R = 1.1");
  EXPECT_GE(verdicts.Share(verdicts.above), 0.99);
}

// Any rate, without filters.
Verdicts Simulate(double rate, const FprLimit& limit, uint64_t queries, std::mt19937_64* random) {
  std::binomial_distribution<uint64_t> count(queries, rate);
  Verdicts verdicts;
  std::map<uint64_t, FprVerdict> known;
  for (uint64_t i = 0; i < 20000; ++i) {
    FprCounts counts;
    counts.num_queries = queries;
    counts.false_positives = count(*random);
    const auto found = known.find(counts.false_positives);
    if (found != known.end()) {
      verdicts.Add(found->second);
    } else {
      verdicts.Add(known[counts.false_positives] = JudgeFpr(counts, limit).verdict);
    }
  }
  return verdicts;
}

TEST(FprPromises, HoldForSimulatedCountsOfAnyRate) {
  std::mt19937_64 random(2026);
  for (const double at_most : {0.3, 0.01, 1e-6}) {
    for (const double resolution : {1.1, 1.5, 3.0}) {
      FprLimit limit;
      limit.at_most = at_most;
      limit.resolution = resolution;
      const uint64_t queries = QueriesForLimit(limit);
      char what[100];
      snprintf(what, sizeof(what), "simulated, limit %g, R = %g, at the limit", at_most, resolution);
      const Verdicts at_limit = Simulate(at_most, limit, queries, &random);
      at_limit.Print(what);
      EXPECT_LE(at_limit.Share(at_limit.above), 0.005 + Slack(0.005, 20000));
      EXPECT_GE(at_limit.Share(at_limit.within), 0.99 - Slack(0.01, 20000));
      if (resolution > 1.5) continue;
      const Verdicts above = Simulate((resolution < 1.5 ? 1.2 : 2) * at_most, limit, queries, &random);
      snprintf(what, sizeof(what), "simulated, limit %g, R = %g, %g times the limit", at_most, resolution,
               resolution < 1.5 ? 1.2 : 2);
      above.Print(what);
      EXPECT_GE(above.Share(above.above), 0.99);
    }
  }
}

}  // namespace
}  // namespace linefilter::test
