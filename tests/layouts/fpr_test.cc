// The false-positive rate is what sizing says and doc/DESIGN.md promises. How sure: testing/measure_fpr.h.
#include <algorithm>
#include <cstdint>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/nightly.h"

namespace linefilter::test {
namespace {

// Filters that fit the L2, so that questions are cheap. The random fill of 16384 blocks scatters the rate by up to 2.7
// % at 24 bits per key; MeasureUntil sees that and makes more filters.
constexpr uint64_t kBlockedBits = uint64_t{16384} * 512, kClassicBits = uint64_t{1} << 21;

uint64_t NumKeys(uint64_t bits, double bits_per_key) {
  return static_cast<uint64_t>(static_cast<double>(bits) * std::min(1.0, 4 * Effort()) / bits_per_key);
}

double Blocked(double bits_per_key, double tolerance) {
  const uint64_t num_keys = NumKeys(kBlockedBits, bits_per_key);
  return ExpectMeasuredFpr(Layout::kBlocked, num_keys, bits_per_key, tolerance, 1);
}

double Classic(double bits_per_key, double tolerance) {
  const uint64_t num_keys = NumKeys(kClassicBits, bits_per_key);
  return ExpectMeasuredFpr(Layout::kClassic, num_keys, bits_per_key, tolerance, 2);
}

struct Promise {
  double bits_per_key, percent;
};

// The measurement is within a fourth of the tolerance already; the rest is for the stated figure. (20 bits per key cost
// as much as all others: by day fpr_regression_test sees a shift of 3 % there.)
TEST(BlockedFpr, IsWhatIsPromisedWithinTwoPercent) {
  for (const Promise& promise :
       SomeOrAll<Promise>({{8, 2.34}, {10, 0.973}, {12, 0.415}, {16, 0.085}}, {{20, 0.0202}})) {
    const double measured = Blocked(promise.bits_per_key, 0.018);
    EXPECT_NEAR(100 * measured / promise.percent, 1, std::max(0.02, Widened(0.018))) << promise.bits_per_key;
  }
}

TEST(BlockedFpr, IsAsExpectedFrom4To24BitsPerKey) {
  for (const double bits_per_key : SomeOrAll<double>({4, 6, 9, 13.5, 18}, {5, 7, 11, 14, 15, 22, 24})) {
    Blocked(bits_per_key, 0.03);
  }
}

// (20 bits per key: by day 18, within 3 % in fpr_low_slow_test.)
TEST(ClassicFpr, IsWhatIsPromisedWithinThreePercent) {
  for (const Promise& promise : SomeOrAll<Promise>({{8, 2.16}, {10, 0.82}, {12, 0.314}, {16, 0.046}}, {{20, 0.0067}})) {
    const double measured = Classic(promise.bits_per_key, 0.028);
    EXPECT_NEAR(100 * measured / promise.percent, 1, std::max(0.03, Widened(0.028))) << promise.bits_per_key;
  }
}

TEST(ClassicFpr, IsAsExpectedFrom4To24BitsPerKey) {
  for (const double bits_per_key : SomeOrAll<double>({4, 6, 9, 13.5}, {5, 7, 11, 14})) Classic(bits_per_key, 0.03);
  // Rates of 1e-5 cost 1e9 questions and more: here to 15 %, to 3 % in fpr_low_slow_test.
  for (const double bits_per_key : SomeOrAll<double>({18}, {22, 24})) Classic(bits_per_key, 0.15);
}

// What the issue asks for at 8, 10 and 12 bits per key; 16 and 6 to 24 in fpr_low_slow_test.
TEST(RetrievalFpr, IsWhatIsPromisedWithinTwoPercent) {
  const struct {
    double bits_per_key, percent, at_most;
  } promises[] = {{8, 0.548, 0.56}, {10, 0.163, 0.168}, {12, 0.0499, 0.0515}};
  for (const auto& promise : promises) {
    const uint64_t num_keys = NumKeys(kBlockedBits, promise.bits_per_key);
    const double measured = ExpectMeasuredFpr(Layout::kRetrieval, num_keys, promise.bits_per_key, 0.018, 4);
    EXPECT_NEAR(100 * measured / promise.percent, 1, std::max(0.02, Widened(0.018))) << promise.bits_per_key;
    if (Effort() == 1) {
      EXPECT_LE(100 * measured, promise.at_most) << promise.bits_per_key;
    }
  }
}

// (Of a removable one: the row of fpr_regression_test.)
TEST(QuotientFpr, IsAsExpectedFrom6To14BitsPerKey) {
  for (const double bits_per_key : SomeOrAll<double>({8}, {6, 10, 12, 14})) {
    ExpectMeasuredFpr(Layout::kQuotient, NumKeys(kBlockedBits, bits_per_key), bits_per_key, 0.03, 7);
  }
}

// (The model of any few: expected_fpr_test.)
TEST(SmallFpr, IsAsExpectedForFewBlocks) {
  for (const uint64_t num_blocks : SomeOrAll<uint64_t>({1, 2}, {3, 6})) {
    for (const double bits_per_key : {4.0, 10.0, 16.0}) {
      const uint64_t num_keys = static_cast<uint64_t>(512.0 * static_cast<double>(num_blocks) / bits_per_key);
      ExpectMeasuredFpr(Layout::kBlocked, num_keys, bits_per_key, 0.03, 10 + num_blocks);
    }
    ExpectMeasuredFpr(Layout::kRetrieval, num_blocks * 51, 10, 0.03, 50 + num_blocks);
  }
}

TEST(SmallFpr, IsAsExpectedForFewBytes) {
  for (const uint64_t num_keys : {7u, 20u, 50u, 139u}) {
    for (const double bits_per_key : {4.0, 10.0}) {
      ExpectMeasuredFpr(Layout::kClassic, num_keys, bits_per_key, 0.03, 20 + num_keys);
    }
  }
}

// Not random hashes but keys as they come: consecutive integers and similar strings, hashed by HashKey, another seed
// per filter.
template <class Key>
void ExpectFprOfKeys(const Key& key) {
  const uint64_t num_keys = static_cast<uint64_t>(100000 * std::min(1.0, 10 * Effort()));
  const double tolerance = Widened(0.03), bits_per_key = 10;
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  const double expected = FprForBitsPerKey(Layout::kBlocked, bits_per_key);
  const MeanOfTrials measured = MeasureUntil(tolerance, expected, 2 * num_keys, [&](int trial) {
    options.seed = static_cast<uint64_t>(trial);
    BlockedFilter filter;
    EXPECT_TRUE(filter.Create(num_keys, options).ok());
    for (uint64_t i = 0; i < num_keys; ++i) filter.InsertKey(key(i));
    uint64_t maybes = 0;
    for (uint64_t i = num_keys; i < 3 * num_keys; ++i) maybes += filter.MayContainKey(key(i));
    return static_cast<double>(maybes) / (2 * static_cast<double>(num_keys));
  });
  EXPECT_NEAR(measured.mean() / expected, 1, tolerance);
}

TEST(FprOfKeys, IsAsExpectedForConsecutiveIntegers) {
  ExpectFprOfKeys([](uint64_t i) { return i; });
}

TEST(FprOfKeys, IsAsExpectedForSimilarStrings) {
  ExpectFprOfKeys([](uint64_t i) { return "https://example.org/item/" + std::to_string(i); });
}

}  // namespace
}  // namespace linefilter::test
