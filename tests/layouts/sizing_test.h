// What tests of sizing share: the layouts, and sizes and rates of one.
#ifndef LINEFILTER_TESTS_LAYOUTS_SIZING_TEST_H_
#define LINEFILTER_TESTS_LAYOUTS_SIZING_TEST_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/sizing.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {

inline constexpr Layout kLayouts[] = {Layout::kBlocked, Layout::kClassic, Layout::kRetrieval};
inline constexpr Layout kLayoutsWithProbes[] = {Layout::kBlocked, Layout::kClassic};
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// 0 for a layout without probes.
inline uint32_t MinNumProbes(Layout layout) { return std::min(1u, FactsOf(layout).max_num_probes); }

inline Sizing ForBits(Layout layout, uint64_t num_keys, double bits_per_key) {
  Sizing sizing;
  EXPECT_TRUE(IsOk(SizeForBitsPerKey(layout, num_keys, bits_per_key, &sizing)));
  return sizing;
}

inline Sizing ForFpr(Layout layout, uint64_t num_keys, double fpr) {
  Sizing sizing;
  EXPECT_TRUE(IsOk(SizeForFpr(layout, num_keys, fpr, &sizing)));
  return sizing;
}

// What the layout reaches.
inline double LeastFpr(Layout layout) { return FprForBitsPerKey(layout, kMaxBitsPerKey); }

// The least that this many bytes can do, over all num_probes.
inline double BestFpr(Layout layout, uint64_t num_keys, uint64_t body_bytes) {
  double best = 1;
  for (uint32_t k = MinNumProbes(layout); k <= FactsOf(layout).max_num_probes; ++k) {
    best = std::min(best, ExpectedFpr(layout, num_keys, body_bytes, k));
  }
  return best;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_LAYOUTS_SIZING_TEST_H_
