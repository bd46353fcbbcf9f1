// The rate of a multiset of `quotient` after turnovers of its keys, against the sizing's table. The blocks are lists of
// entries, which share nothing with the library; one filter is the library's.
//
// To make the table of lib/layouts/quotient/turnovers.cc again (some minutes):
//   quotient_turnovers_slow_test --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_PrintTable'
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "tests/layouts/quotient/entries.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/nightly.h"
#include "tests/testing/random.h"

namespace linefilter::quotient_test {
namespace {

constexpr Layout kLayout = Layout::kQuotient;

enum class Order { kRandom, kOldestFirst };

// Blocks whose keys are replaced one by one.
class Churn {
 public:
  Churn(size_t num_blocks, double bits_per_key, Order order)
      : order_(order),
        blocks_(num_blocks),
        keys_(static_cast<size_t>(512 * static_cast<double>(num_blocks) / bits_per_key)),
        random_(num_blocks + static_cast<uint64_t>(bits_per_key)) {
    for (Key& key : keys_) key = NewKey();
  }
  void Turn(uint32_t turnovers) {
    for (uint64_t i = 0; i < uint64_t{turnovers} * keys_.size(); ++i) {
      if (order_ == Order::kRandom) {
        next_ = random_.Below(keys_.size());
      } else if (++next_ == keys_.size()) {
        next_ = 0;
      }
      if (!blocks_[keys_[next_].block].Remove(keys_[next_].q)) ++lost_;
      keys_[next_] = NewKey();
    }
    turnovers_ += turnovers;
  }
  double Rate() const { return RateAndError(nullptr); }
  // The error is the standard error of the mean over the blocks, relative.
  double RateAndError(double* error) const {
    double sum = 0, squares = 0;
    for (const Multiset& block : blocks_) {
      const double rate = block.Rate();
      sum += rate, squares += rate * rate;
    }
    const double n = static_cast<double>(blocks_.size()), mean = sum / n;
    if (error != nullptr) *error = std::sqrt((squares / n / (mean * mean) - 1) / n);
    return mean;
  }
  double Model() const { return ExpectedFprAfter(turnovers_, kLayout, keys_.size(), 64 * blocks_.size(), 1); }
  uint64_t num_keys() const { return keys_.size(); }
  uint64_t lost() const { return lost_; }

 private:
  struct Key {
    uint32_t block, q;
  };
  Key NewKey() {
    const Key key = {static_cast<uint32_t>(random_.Below(blocks_.size())), static_cast<uint32_t>(random_())};
    blocks_[key.block].Insert(key.q);
    return key;
  }

  const Order order_;
  std::vector<Multiset> blocks_;
  std::vector<Key> keys_;
  test::Random random_;
  size_t next_ = 0;
  uint32_t turnovers_ = 0;
  uint64_t lost_ = 0;
};

size_t Blocks(double most) { return static_cast<size_t>(std::max(100.0, most * test::Effort())); }

// The issue demands 2 % for random removal, 10 % where the oldest goes first; there the rate is below the model in the
// end, by up to 15 %, because each block then forgets its fullest time within some turnovers.
void ExpectRatesOfTheModel(Order order, double bits_per_key) {
  const bool random = order == Order::kRandom;
  Churn churn(Blocks(5000), bits_per_key, order);
  uint32_t done = 0;
  for (const uint32_t turnovers : {0u, 1u, 4u, 5u, 20u, 100u}) {
    if (turnovers == 100 && !test::IsNightly()) break;  // four fifths of the time
    churn.Turn(turnovers - done);
    done = turnovers;
    double error;
    const double rate = churn.RateAndError(&error), ratio = rate / churn.Model();
    EXPECT_LT(ratio, 1 + (random ? 0.02 : 0.06) + 3.5 * error) << bits_per_key << " bits, " << turnovers;
    EXPECT_GT(ratio, 1 - (random ? 0.02 : 0.16) - 3.5 * error) << bits_per_key << " bits, " << turnovers;
    printf("%s, %g bits per key, %u turnovers: %.4f %%, by the model %.4f %%, ratio %.3f, error %.3f\n",
           random ? "random" : "oldest first", bits_per_key, turnovers, 100 * rate, 100 * churn.Model(), ratio, error);
  }
  EXPECT_EQ(churn.lost(), 0u);
}

TEST(QuotientTurnovers, AreThoseOfTheModelWhereKeysGoAtRandom) {
  for (const double bits_per_key : {10.0, 11.0, 12.0, 14.0, 16.0}) {
    ExpectRatesOfTheModel(Order::kRandom, bits_per_key);
  }
}

TEST(QuotientTurnovers, AreNearThoseOfTheModelWhereTheOldestGoFirst) {
  for (const double bits_per_key : {10.0, 12.0, 16.0}) ExpectRatesOfTheModel(Order::kOldestFirst, bits_per_key);
}

// The library's own filters: what they tell of themselves, and the size that was asked for. Half of the keys are asked
// for at the end, the other half are removed before.
TEST(QuotientTurnovers, AreThoseOfFilters) {
  constexpr uint32_t kTurnovers = 20;
  constexpr double kScatter = 0.6;  // of a block's rate: what the test above finds is 0.55
  const uint64_t num_keys = static_cast<uint64_t>(std::max(5000.0, 200000 * test::Effort()));
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.removable = true;
  options.turnovers = kTurnovers;
  Filter filter;
  ASSERT_TRUE(test::IsOk(filter.Create(num_keys, options)));
  EXPECT_LE(8 * static_cast<double>(filter.body_bytes()) / static_cast<double>(num_keys), 12.1) << "the issue's row";
  test::Random random(35);
  std::vector<uint64_t> keys(num_keys);
  for (uint64_t& key : keys) filter.InsertHash(key = random());
  const double fresh = filter.ExpectedFpr();
  for (uint64_t i = 0; i < kTurnovers * num_keys; ++i) {
    uint64_t& key = keys[random.Below(num_keys)];
    ASSERT_TRUE(filter.RemoveHash(key));
    filter.InsertHash(key = random());
  }
  EXPECT_EQ(filter.CountMaybes(keys.data(), num_keys), num_keys);
  EXPECT_EQ(filter.ApproximateSize().keys, static_cast<double>(num_keys));
  const double expected = filter.ExpectedFpr(),
               by_chance = 3.5 * kScatter / std::sqrt(static_cast<double>(filter.num_blocks()));
  EXPECT_NEAR(expected / 0.01, 1, 0.02 + by_chance);
  EXPECT_LT(fresh, 0.003);
  const uint64_t questions = static_cast<uint64_t>(1e7 * std::max(0.02, test::Effort()));
  const double maybes = static_cast<double>(test::CountRandomMaybes(filter, questions, &random));
  const double asked = static_cast<double>(questions);
  EXPECT_NEAR(maybes / asked, expected, 6 * std::sqrt(expected / asked));
  printf("%g bits per key: %.4f %% at first, %.4f %% after %u turnovers, asked %.4f %%\n",
         8 * static_cast<double>(filter.body_bytes()) / static_cast<double>(num_keys), 100 * fresh, 100 * expected,
         kTurnovers, 100 * maybes / asked);
  for (size_t i = 0; i < keys.size() / 2; ++i) ASSERT_TRUE(filter.RemoveHash(keys[i]));
  for (size_t i = keys.size() / 2; i < keys.size(); ++i) ASSERT_TRUE(filter.MayContainHash(keys[i]));
}

TEST(QuotientTurnovers, RaiseTheRateAndEndSomewhere) {
  for (double bits_per_key = 4; bits_per_key < 30; bits_per_key *= 1.1) {
    const uint64_t num_keys = static_cast<uint64_t>(512 * 10000 / bits_per_key);
    double last = ExpectedFpr(kLayout, num_keys, 640000, 1);
    EXPECT_EQ(ExpectedFprAfter(0, kLayout, num_keys, 640000, 1), last);
    for (uint32_t turnovers = 1; turnovers < 120; ++turnovers) {
      const double fpr = ExpectedFprAfter(turnovers, kLayout, num_keys, 640000, 1);
      ASSERT_GE(fpr, last) << bits_per_key << " bits, " << turnovers;
      last = fpr;
    }
    EXPECT_EQ(ExpectedFprAfter(1000000, kLayout, num_keys, 640000, 1), last) << bits_per_key;
    EXPECT_EQ(ExpectedFprAfter(5, kLayout, num_keys, 640000, 0), ExpectedFpr(kLayout, num_keys, 640000, 0))
        << "from a set no key is removed";
  }
}

// How many times the keys a new multiset has the rate with.
double GrowthFor(double rate, uint64_t num_keys, uint64_t body_bytes) {
  double low = 0.9, high = 2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    const uint64_t keys = static_cast<uint64_t>(middle * static_cast<double>(num_keys));
    (ExpectedFpr(kLayout, keys, body_bytes, 1) < rate ? low : high) = middle;
  }
  return high;
}

TEST(QuotientTurnovers, DISABLED_PrintTable) {
  for (const double bits_per_key : {4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0, 20.0, 24.0, 32.0}) {
    Churn churn(12000, bits_per_key, Order::kRandom);
    const double start = GrowthFor(churn.Rate(), churn.num_keys(), 64 * 12000);  // by chance not 1
    uint32_t done = 0;
    for (const uint32_t turnovers : {1u, 2u, 3u, 5u, 7u, 10u, 15u, 20u, 30u, 50u, 100u}) {
      churn.Turn(turnovers - done);
      done = turnovers;
      printf("%.4f, ", GrowthFor(churn.Rate(), churn.num_keys(), 64 * 12000) / start);
    }
    printf(" // %g\n", bits_per_key);
  }
}

}  // namespace
}  // namespace linefilter::quotient_test
