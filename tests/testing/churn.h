// A CountingBlockedFilter as a table's filter lives: full from the first, then for each key that goes another comes.
#ifndef LINEFILTER_TESTS_TESTING_CHURN_H_
#define LINEFILTER_TESTS_TESTING_CHURN_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {

// Key i; the live ones are [first, first + num_keys). Another stream than that of the questions.
inline uint64_t ChurnHash(uint64_t i) { return MixHash(i * 0x9e3779b97f4a7c15u + 1); }

// num_keys live keys at 1 %; each is replaced `rounds` times. After each round all live keys are asked, and random
// hashes: the mean rate of all rounds is to be within `tolerance` of the model.
inline void ExpectGoodChurn(uint64_t num_keys, int rounds, double tolerance) {
  constexpr uint64_t kAtOnce = 1000;
  num_keys = static_cast<uint64_t>(static_cast<double>(num_keys) * std::min(1.0, 10 * Effort())) / kAtOnce * kAtOnce;
  FilterOptions options;
  options.fpr = 0.01;
  options.hash_id = HashId::kCaller;
  CountingBlockedFilter filter;
  ASSERT_TRUE(filter.Create(num_keys, options).ok());
  const double expected = ExpectedFpr(Layout::kCounting, num_keys, filter.body_bytes(), filter.num_probes());
  EXPECT_LE(expected, 0.01);
  const uint64_t questions = static_cast<uint64_t>(3000000 * std::min(1.0, 10 * Effort())) + 100000;
  // The fill of few blocks scatters the rate by 2 / sqrt(blocks), in each round anew. Six deviations of it and of the
  // questions are passed by chance with 2e-9; in an optimized build they are less than the tolerance.
  const double fill = 2 / std::sqrt(static_cast<double>(filter.num_blocks()));
  const double limit = 6 * std::sqrt((fill * fill + 100.0 / static_cast<double>(questions)) / rounds);
  if (Effort() == 1) {
    EXPECT_LT(limit, tolerance) << "sees what it is to see";
  }
  MeanOfTrials mean;
  std::vector<uint64_t> hashes(kAtOnce), gone(kAtOnce);
  const auto fill_hashes = [](std::vector<uint64_t>* to, uint64_t first) {
    for (size_t i = 0; i < to->size(); ++i) (*to)[i] = ChurnHash(first + i);
  };
  for (uint64_t i = 0; i < num_keys; i += kAtOnce) {
    fill_hashes(&hashes, i);
    filter.InsertHashes(hashes.data(), kAtOnce);
  }
  Random random(num_keys);
  uint64_t first = 0, refused = 0, lost = 0;
  for (int round = 0; round < rounds; ++round) {
    for (uint64_t i = 0; i < num_keys; i += kAtOnce, first += kAtOnce) {
      fill_hashes(&gone, first);
      fill_hashes(&hashes, first + num_keys);
      refused += kAtOnce - filter.RemoveHashes(gone.data(), kAtOnce);
      filter.InsertHashes(hashes.data(), kAtOnce);
    }
    for (uint64_t i = 0; i < num_keys; i += kAtOnce) {
      fill_hashes(&hashes, first + i);
      lost += kAtOnce - filter.CountMaybes(hashes.data(), kAtOnce);
    }
    mean.Add(static_cast<double>(CountRandomMaybes(filter, questions, &random)) / static_cast<double>(questions));
  }
  EXPECT_NEAR(mean.mean() / expected, 1, std::max(tolerance, limit)) << num_keys << " keys";
  std::printf("%llu keys, %d rounds: %.4f %% measured, %.4f %% expected\n", static_cast<unsigned long long>(num_keys),
              rounds, 100 * mean.mean(), 100 * expected);
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(lost, 0u);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_CHURN_H_
