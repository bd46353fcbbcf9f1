// What LevelDB and RocksDB demand of any filter policy, in the terms of their own tests: written for ours from what
// these bound, for filters of every length.
#ifndef LINEFILTER_TESTS_TESTING_ENGINE_DEMANDS_H_
#define LINEFILTER_TESTS_TESTING_ENGINE_DEMANDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/engine.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::test {

// filter_of(keys) makes a filter, matches(keys, filter) counts what it lets pass. The policy has about 1 % at
// `bits_per_key`. Of 1 to 10,000 keys, filters have the size of their density, at most one block and a trailer more,
// and lose no key. Each length has a rate below 2 %; those above 1.25 % are at most a fifth of the others. (The rate is
// the mean of ten filters where they are small, because the fill of each varies.)
template <class FilterOf, class Matches>
void ExpectGoodFiltersOfEveryLength(double bits_per_key, const FilterOf& filter_of, const Matches& matches) {
  const std::vector<std::string> absent =
      Keys(uint64_t{1} << 40, static_cast<size_t>(10000 * std::max(0.05, Effort())));
  int mediocre = 0, good = 0;
  for (size_t n = 1; n <= 10000; n += n < 10 ? 1 : n < 100 ? 10 : n < 1000 ? 100 : 1000) {
    const uint64_t num_filters = n < 100 ? 10 : 1;
    uint64_t passing = 0;
    for (uint64_t f = 0; f < num_filters; ++f) {
      const std::vector<std::string> keys = Keys(1000000 * n + 10000 * f, n);
      const std::string filter = filter_of(keys);
      EXPECT_LE(static_cast<double>(filter.size()), static_cast<double>(n) * bits_per_key / 8 + 64 + 24) << n;
      ASSERT_EQ(matches(keys, filter), n);
      passing += matches(absent, filter);
    }
    const double rate = static_cast<double>(passing) / static_cast<double>(num_filters * absent.size());
    EXPECT_LE(rate, 0.02) << n << " keys";
    ++(rate > 0.0125 ? mediocre : good);
  }
  EXPECT_LE(5 * mediocre, good) << mediocre << " mediocre, " << good << " good";
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_ENGINE_DEMANDS_H_
