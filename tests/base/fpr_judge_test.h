// How often the judge says what, by sums over all counts that can come.
#ifndef LINEFILTER_TESTS_BASE_FPR_JUDGE_TEST_H_
#define LINEFILTER_TESTS_BASE_FPR_JUDGE_TEST_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "linefilter/fpr_judge.h"

namespace linefilter::test {

// The probabilities of two verdicts.
struct Chances {
  double within = 0, above = 0;
};

inline long double BinomialProbability(uint64_t hits, uint64_t trials, long double rate) {
  if (rate >= 1) return hits == trials ? 1 : 0;
  const long double n = static_cast<long double>(trials), k = static_cast<long double>(hits);
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(rate) +
                  (n - k) * std::log1p(-rate));
}

// Counts that are more than 9 standard deviations off are left out: 1e-18.
inline Chances ChancesOf(uint64_t num_queries, double rate, const FprLimit& limit) {
  const double n = static_cast<double>(num_queries), off = 9 * std::sqrt(n * rate * (1 - rate)) + 9;
  const uint64_t first = static_cast<uint64_t>(std::max(0.0, n * rate - off));
  const uint64_t last = static_cast<uint64_t>(std::min(n, n * rate + off));
  long double within = 0, above = 0;
  for (uint64_t hits = first; hits <= last; ++hits) {
    FprCounts counts;
    counts.num_queries = num_queries;
    counts.false_positives = hits;
    // What would be undecided need not be told how many queries would decide.
    const FprResult result = JudgeFpr(counts, limit);
    const long double probability = BinomialProbability(hits, num_queries, rate);
    if (result.verdict == FprVerdict::kWithin) within += probability;
    if (result.verdict == FprVerdict::kAbove) above += probability;
  }
  return {static_cast<double>(within), static_cast<double>(above)};
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_BASE_FPR_JUDGE_TEST_H_
