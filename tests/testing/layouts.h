// The layouts that the library builds, found in its registry: a test that goes over them meets a new one by itself.
#ifndef LINEFILTER_TESTS_TESTING_LAYOUTS_H_
#define LINEFILTER_TESTS_TESTING_LAYOUTS_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/layout.h"
#include "linefilter/sizing.h"
#include "tools/measure/layouts.h"

namespace linefilter::test {

inline std::vector<Layout> EveryLayout() { return tools::BuildableLayouts(); }

// The density at which a layout has about the rate that `blocked` has at that many bits per key, or a lower rate. Half
// blocks differ more in their loads.
inline double BitsPerKeyLikeBlocked(Layout layout, double bits_per_key) {
  if (FactsOf(layout).block_bytes == 32) {
    return BitsPerKeyForFpr(layout, FprForBitsPerKey(Layout::kBlocked, bits_per_key));
  }
  return bits_per_key;
}

// The largest body (doc/FORMAT.md).
inline uint64_t MostBodyBytes(Layout layout) {
  if (layout == Layout::kClassic) return uint64_t{1} << 48;
  return FactsOf(layout).block_bytes == 32 ? uint64_t{32} << 24 : uint64_t{64} << 32;
}

// The least density, to 1e-9 of it, at which the layout takes so many probes.
inline double LeastBitsPerKey(Layout layout, uint32_t num_probes) {
  double low = kMinBitsPerKey, high = kMaxBitsPerKey;
  while (high - low > 1e-9 * high) {
    const double middle = (low + high) / 2;
    (NumProbesForBitsPerKey(layout, middle) >= num_probes ? high : low) = middle;
  }
  return high;
}

inline bool IsMutable(Layout layout) { return FactsOf(layout).takes_keys; }

// Those that many threads may fill at once.
inline std::vector<Layout> EverySharedLayout() {
  std::vector<Layout> layouts;
  for (const Layout layout : EveryLayout()) {
    if (FactsOf(layout).shares) layouts.push_back(layout);
  }
  return layouts;
}

// A layout with one of the num_probes that it takes.
struct Kind {
  Layout layout;
  uint32_t num_probes;
  size_t unit_bytes;  // a body is a multiple of it
};

inline void PrintTo(const Kind& kind, std::ostream* out) { *out << LayoutName(kind.layout) << " " << kind.num_probes; }

inline std::vector<Kind> EveryKind() {
  std::vector<Kind> kinds;
  for (const Layout layout : EveryLayout()) {
    for (uint32_t num_probes = 0; num_probes < 256; ++num_probes) {
      for (const size_t unit : {1u, 32u, 64u}) {
        if (!internal::FindLayout(layout)->body_is_valid(unit, num_probes)) continue;
        kinds.push_back({layout, num_probes, unit});
        break;
      }
    }
  }
  return kinds;
}

// "blocked" and "blocked_7", for INSTANTIATE_TEST_SUITE_P.
inline std::string NameOfLayout(const testing::TestParamInfo<Layout>& info) { return LayoutName(info.param); }
inline std::string KindName(const testing::TestParamInfo<Kind>& info) {
  return std::string(LayoutName(info.param.layout)) + "_" + std::to_string(info.param.num_probes);
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_LAYOUTS_H_
