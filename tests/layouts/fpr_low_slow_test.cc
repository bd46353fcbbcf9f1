// The lowest false-positive rates. Apart from fpr_large_slow_test, so that the two run at once.
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/nightly.h"

namespace linefilter::test {
namespace {

// The least fault that fpr_mutants_test knows is a rate 1.09 times as high. Of a tolerance t the measurement's standard
// error is (t - 0.0025) / 7: with the widest by day, 0.06, the fault is passed by with 1e-4, with 0.03 never.
double DayOrNight(double by_day, double by_night) { return IsNightly() ? by_night : by_day; }

TEST(RetrievalFpr, IsAsExpectedFrom6To16BitsPerKey) {
  for (const double bits_per_key : SomeOrAll<double>({6, 16}, {7, 9, 11, 14})) {
    const uint64_t num_keys = static_cast<uint64_t>(16384 * 512 / bits_per_key);
    const double tolerance = bits_per_key == 16 ? DayOrNight(0.03, 0.02) : 0.02;
    const double measured = ExpectMeasuredFpr(Layout::kRetrieval, num_keys, bits_per_key, tolerance, 60);
    if (bits_per_key == 16 && Effort() == 1) {
      EXPECT_LE(100 * measured, 0.0065);
    }
  }
}

// Rates of 1e-5 and below: 1e9 questions and more. (To 1.5 %, from the levels: retrieval_model_test.)
TEST(LowFpr, OfRetrievalIsAsExpectedAt20And24BitsPerKey) {
  for (const double bits_per_key : SomeOrAll<double>({20}, {24})) {
    const uint64_t num_keys = static_cast<uint64_t>(16384 * 512 / bits_per_key);
    ExpectMeasuredFpr(Layout::kRetrieval, num_keys, bits_per_key, bits_per_key > 20 ? 0.1 : DayOrNight(0.06, 0.05), 61);
  }
}

// Half of the tolerance takes four times the questions: at 24 bits per key minutes.
double Tolerance(double bits_per_key) { return bits_per_key > 22 ? 0.06 : 0.03; }

TEST(LowFpr, OfClassicIsAsExpectedFrom18To24BitsPerKey) {
  for (const double bits_per_key : SomeOrAll<double>({18}, {20, 22, 24})) {
    ExpectMeasuredFpr(Layout::kClassic, 100000, bits_per_key, Tolerance(bits_per_key), 3);
  }
}

TEST(LowFpr, OfFewBlocksIsAsExpectedAt20And24BitsPerKey) {
  for (const uint64_t num_blocks : SomeOrAll<uint64_t>({1, 3}, {2, 6})) {
    for (const double bits_per_key : SomeOrAll<double>({20}, {24})) {
      const uint64_t num_keys = static_cast<uint64_t>(512.0 * static_cast<double>(num_blocks) / bits_per_key);
      ExpectMeasuredFpr(Layout::kBlocked, num_keys, bits_per_key, Tolerance(bits_per_key), 30 + num_blocks);
    }
  }
}

TEST(LowFpr, OfFewBytesIsAsExpectedAt16BitsPerKey) {
  for (const uint64_t num_keys : SomeOrAll<uint64_t>({20, 139}, {50})) {
    ExpectMeasuredFpr(Layout::kClassic, num_keys, 16, 0.03, 40 + num_keys);
  }
}

}  // namespace
}  // namespace linefilter::test
