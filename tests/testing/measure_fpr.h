// Measuring false-positive rates with a stated chance of a false alarm.
//
// One trial is one filter of fresh random hashes and a fixed number of questions; its rate is an unbiased sample of the
// layout's expected rate, with the scatter of the questions AND of the random fill in it. Over F trials the mean has
// the standard error s / sqrt(F), s the sample's standard deviation, and (mean - truth) / error is Student's t with F -
// 1 degrees of freedom. F is at least 64 and grows until
//   kSigmas * error <= tolerance - kModelError,
// so a right filter whose model is off by at most kModelError fails a check only if |t| > kSigmas = 7: for 63 degrees
// of freedom that is 2.1e-9, even less for more. Two things spoil that a little. Stopping by s favours samples with a
// small s: hence error is never taken below that of the questions alone (binomial), which also asks for some 50,000
// maybes at 3 %, so that the sums are normal. What is left is worth less than a twentieth of s: |t| > 6.6 has 1e-8. The
// checks of fpr_test (60) and of fpr_{large,low}_slow_test (36) together: below 2.1e-7 without it, below 1e-6 with it.
// The seeds are fixed: whoever passes once passes always; the chance is over the choice of seeds.
#ifndef LINEFILTER_TESTS_TESTING_MEASURE_FPR_H_
#define LINEFILTER_TESTS_TESTING_MEASURE_FPR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "gtest/gtest.h"
#include "linefilter/sizing.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"
#include "tools/measure/any_filter.h"

namespace linefilter::test {

inline constexpr double kSigmas = 7;
// The library's model against the exact one, for the num_probes it chooses (expected_fpr_test.cc), with a margin; of
// `retrieval` against measured blocks (retrieval_model_test.cc).
inline constexpr double kModelError = 0.0025;
inline constexpr int kMinTrials = 64, kMaxTrials = 1 << 26;

// 1 in an optimized build. Elsewhere (debug, sanitizers, emulators) fewer questions and wider tolerances; the
// environment variable LINEFILTER_TEST_EFFORT, above 0 and at most 1, says it by hand.
inline double Effort() {
  if (const char* effort = std::getenv("LINEFILTER_TEST_EFFORT"))
    return std::min(1.0, std::max(1e-6, std::atof(effort)));
#if defined(LINEFILTER_TEST_SANITIZED) || !defined(NDEBUG)
  return 0.01;
#else
  return 1;
#endif
}

// Where instructions take 20 times as long: cases that no other CPU could fail are left to this one's.
inline bool IsEmulated() { return Effort() < 0.01; }
inline constexpr char kSlowInAnEmulator[] = "takes an emulator long, and nothing in it depends on the CPU";

// With an effort below 1 the relative error that remains is this much larger.
inline double Widened(double tolerance) { return kModelError + (tolerance - kModelError) / std::sqrt(Effort()); }

// Maybes among `questions` random hashes.
inline uint64_t CountRandomMaybes(const FilterBase& filter, uint64_t questions, Random* random) {
  uint64_t hashes[2048], maybes = 0;
  for (uint64_t done = 0; done < questions;) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(std::size(hashes), questions - done));
    for (size_t i = 0; i < n; ++i) hashes[i] = (*random)();
    maybes += filter.CountMaybes(hashes, n);
    done += n;
  }
  return maybes;
}

// Into a Filter or AnyFilter.
template <class FilterType>
void InsertRandom(FilterType* filter, uint64_t num_keys, Random* random) {
  uint64_t hashes[2048];
  for (uint64_t done = 0; done < num_keys;) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(std::size(hashes), num_keys - done));
    for (size_t i = 0; i < n; ++i) hashes[i] = (*random)();
    filter->InsertHashes(hashes, n);
    done += n;
  }
}

class MeanOfTrials {
 public:
  void Add(double rate) {
    ++n_;
    const double delta = rate - mean_;
    mean_ += delta / n_;
    squares_ += delta * (rate - mean_);
  }
  int trials() const { return n_; }
  double mean() const { return mean_; }
  double error() const { return n_ < 2 ? HUGE_VAL : std::sqrt(squares_ / (n_ - 1) / n_); }

 private:
  int n_ = 0;
  double mean_ = 0, squares_ = 0;
};

// Runs trials of so many questions until the mean is known well enough to judge with `tolerance` against `expected`.
template <class Trial>
MeanOfTrials MeasureUntil(double tolerance, double expected, uint64_t questions, const Trial& trial) {
  MeanOfTrials mean;
  const double of_one = std::sqrt(expected * (1 - expected) / static_cast<double>(questions));
  const double goal = (tolerance - kModelError) * expected / kSigmas;
  while (mean.trials() < kMinTrials || std::max(mean.error(), of_one / std::sqrt(mean.trials())) > goal) {
    if (mean.trials() == kMaxTrials) {
      ADD_FAILURE() << "no convergence to " << tolerance;
      break;
    }
    mean.Add(trial(mean.trials()));
  }
  return mean;
}

// A filter of num_keys keys at bits_per_key, measured to be within `tolerance` of the sizing's expected_fpr. Returns
// the mean.
inline double ExpectMeasuredFpr(Layout layout, uint64_t num_keys, double bits_per_key, double tolerance,
                                uint64_t seed) {
  tolerance = Widened(tolerance);
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.hash_id = HashId::kCaller;
  Sizing sizing;
  Status status = SizeForBitsPerKey(layout, num_keys, bits_per_key, &sizing);
  tools::AnyFilter made;
  if (status.ok()) status = made.Create(layout, num_keys, options);
  EXPECT_TRUE(IsOk(status));
  if (!status.ok()) return 0;
  // Questions per filter: enough for the whole measurement over kMinTrials filters, but no more than pays. The scatter
  // of a rate by its fill is about 2 / sqrt(blocks), for `classic` about 2 / sqrt(16-bit groups), of the rate;
  // insertions cost as much as a question, those of `retrieval` as 64; then sqrt(cost * keys * blocks / rate) / 2
  // questions make a given error cheapest.
  const double share = kSigmas / (tolerance - kModelError);
  const double enough = share * share / kMinTrials / sizing.expected_fpr;
  const double groups = 8.0 * static_cast<double>(sizing.body_bytes) / (layout == Layout::kClassic ? 16 : 512);
  const double cost = layout == Layout::kRetrieval ? 64 : 1;
  const double pays = std::sqrt(cost * static_cast<double>(num_keys) * groups / sizing.expected_fpr) / 2;
  const uint64_t questions = static_cast<uint64_t>(std::min(enough, pays)) + 1;
  Random random(seed + static_cast<uint64_t>(1000 * bits_per_key));
  const MeanOfTrials measured = MeasureUntil(tolerance, sizing.expected_fpr, questions, [&](int) {
    made.Clear();
    InsertRandom(&made, num_keys, &random);
    EXPECT_TRUE(made.Finish().ok());
    return static_cast<double>(CountRandomMaybes(made.filter(), questions, &random)) / static_cast<double>(questions);
  });
  EXPECT_EQ(made.filter().num_probes(), sizing.num_probes);
  EXPECT_EQ(made.filter().body_bytes(), sizing.body_bytes);
  EXPECT_NEAR(measured.mean() / sizing.expected_fpr, 1, tolerance)
      << LayoutName(layout) << ", " << num_keys << " keys at " << bits_per_key << " bits per key: measured "
      << measured.mean() << ", expected " << sizing.expected_fpr << ", " << measured.trials() << " filters";
  return measured.mean();
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_MEASURE_FPR_H_
