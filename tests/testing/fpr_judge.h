// Judging a measured false-positive rate against a stored one (tests/layouts/fpr_baseline.json), whatever code is
// measured.
//
// One measurement: F filters of n fresh keys each, Q questions to each. Relative to the rate p, the mean of the F rates
// has the standard error
//   s^2 = fill^2 / F + (1 - p) / (p F Q) + stored^2
// fill = the relative standard deviation of one filter's rate by its random fill (fill_deviation), the second term that
// of the questions (binomial), stored = the error of the stored rate itself (fpr_error). All three come from samples so
// large (1e5 false positives and more) that sums are normal. The judge fails what is off by more than kJudgeSigmas s.
// - False alarm, over all kMaxJudgements of the test: 36 P(|N| > 5.6) = 36 * 2.2e-8 = 8e-7. The skew of a count of 1e5
//   (0.003) raises P by exp(5.6^3 * 0.003 / 6) = 1.09. Fixed seeds: who passes once passes always; the chance is that
//   of another right implementation, another hash, or other seeds.
// - A shift of 3 % is missed only if the error is 3 % - kJudgeSigmas s the other way. F and Q are chosen for s <=
//   0.31 %, so that this is 4 s and more: 3e-5 at the most.
#ifndef LINEFILTER_TESTS_TESTING_FPR_JUDGE_H_
#define LINEFILTER_TESTS_TESTING_FPR_JUDGE_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "linefilter/layout.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {

inline constexpr double kJudgeSigmas = 5.6, kSeenShift = 0.03, kLeastPower = 4;
inline constexpr int kMaxJudgements = 36;
inline constexpr int kSpreadTrials = 24;

// A filter of integer keys: the library's, or a mutant.
class Subject {
 public:
  virtual ~Subject() = default;
  // Empties it; keys are hashed with that seed from now on.
  virtual void Reset(uint64_t seed) = 0;
  virtual void Insert(const uint64_t* keys, size_t n) = 0;
  // All keys are in: before the first question.
  virtual void Finish() {}
  virtual uint64_t CountMaybes(const uint64_t* keys, size_t n) const = 0;
};

// An entry of fpr_baseline.json.
struct StoredFpr {
  Layout layout = Layout::kBlocked;
  double bits_per_key = 0;
  uint32_t num_probes = 0;
  uint64_t num_keys = 0, body_bytes = 0;
  double fpr = 0, fpr_error = 0, fill_deviation = 0;  // both relative
};

struct Trials {
  uint64_t num_filters = 0, queries_per_filter = 0;
};

// So many that the fill adds `fill_error` and the questions `query_error`; where filters are small enough of them for
// their spread to be seen, but with less effort: filling takes the most time then.
inline Trials TrialsFor(const StoredFpr& stored, double fill_error, double query_error) {
  const bool is_small = stored.num_keys < 5000000;
  const double least = Effort() == 1 ? (is_small ? kSpreadTrials : 4) : (is_small ? 4 : 1);
  const double filters = std::max(least, std::ceil(std::pow(stored.fill_deviation / fill_error, 2)));
  const double queries = (1 - stored.fpr) / stored.fpr / (query_error * query_error);
  return {static_cast<uint64_t>(filters), static_cast<uint64_t>(queries / filters) + 1};
}

// With less effort fewer questions: a wider tolerance, but never one that a mutant passes.
inline double JudgeEffort() { return std::max(0.05, Effort()); }

// Of the test, for s <= 0.31 %.
inline Trials TestTrials(const StoredFpr& stored) {
  const double wider = 1 / std::sqrt(JudgeEffort());
  return TrialsFor(stored, 0.001 * wider, 0.0028 * wider);
}

struct MeasuredFpr {
  MeanOfTrials rate;
  uint64_t false_positives = 0, false_negatives = 0;
};

// Member i of filter f is the integer 2^40 f + i; absent keys have the top bit set.
template <class OnRange>
void ForKeyRanges(uint64_t first, uint64_t count, const OnRange& on_range) {
  uint64_t keys[2048];
  for (uint64_t done = 0; done < count;) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(std::size(keys), count - done));
    for (size_t i = 0; i < n; ++i) keys[i] = first + done + i;
    on_range(keys, n);
    done += n;
  }
}

// after_filling(f) is called for each filter before it is asked.
template <class AfterFilling>
MeasuredFpr MeasureSubject(const StoredFpr& stored, const Trials& trials, uint64_t first_seed, Subject* subject,
                           const AfterFilling& after_filling) {
  MeasuredFpr measured;
  for (uint64_t f = 0; f < trials.num_filters; ++f) {
    const uint64_t first = f << 40;
    subject->Reset(first_seed + f);
    ForKeyRanges(first, stored.num_keys, [&](const uint64_t* keys, size_t n) { subject->Insert(keys, n); });
    subject->Finish();
    after_filling(f);
    uint64_t maybes = 0;
    ForKeyRanges(first | uint64_t{1} << 63, trials.queries_per_filter,
                 [&](const uint64_t* keys, size_t n) { maybes += subject->CountMaybes(keys, n); });
    if (f == 0) {
      ForKeyRanges(first, stored.num_keys, [&](const uint64_t* keys, size_t n) {
        measured.false_negatives += n - subject->CountMaybes(keys, n);
      });
    }
    measured.false_positives += maybes;
    measured.rate.Add(static_cast<double>(maybes) / static_cast<double>(trials.queries_per_filter));
  }
  return measured;
}

// s above.
inline double StandardError(const StoredFpr& stored, const Trials& trials) {
  const double filters = static_cast<double>(trials.num_filters),
               queries = static_cast<double>(trials.queries_per_filter);
  return std::sqrt(stored.fill_deviation * stored.fill_deviation / filters +
                   (1 - stored.fpr) / (stored.fpr * filters * queries) + stored.fpr_error * stored.fpr_error);
}

struct Verdict {
  double ratio;      // measured / stored
  double tolerance;  // of |ratio - 1|
  bool good;
};

inline Verdict Judge(const StoredFpr& stored, const Trials& trials, double measured_fpr) {
  const double ratio = measured_fpr / stored.fpr, tolerance = kJudgeSigmas * StandardError(stored, trials);
  return {ratio, tolerance, std::fabs(ratio - 1) <= tolerance};
}

// The whole of it, as the test and the tests of the test call it.
inline Verdict MeasureAndJudge(const StoredFpr& stored, Subject* subject, MeasuredFpr* measured) {
  constexpr uint64_t kFirstSeed = 1;
  const Trials trials = TestTrials(stored);
  *measured = MeasureSubject(stored, trials, kFirstSeed, subject, [](uint64_t) {});
  return Judge(stored, trials, measured->rate.mean());
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_FPR_JUDGE_H_
