// What turnovers do to a multiset of the layout `quotient`: its rate becomes that of a new one with more keys.
//
// The number of a block's keys rises and falls, and at its fullest time entries lose bits that do not come back. New
// entries get bits again only as the border between long and short ones moves: when the first short entry is removed,
// the border is at the next one. So a block remembers its fullest times for some dozens of turnovers. Then the rate is
// steady, where a length that never rises would let it grow for ever: at 12 bits per key 0.92 % in place of 1.43 %
// after 100 turnovers.
//
// The table tells how many times the keys. It is measured with 12,000 blocks of each density, whose keys were removed
// at random; quotient_turnovers_slow_test makes it again. Between its lines it is linear in both logarithms. The rates
// that follow are right to 2 %. A chain of the load and the fullest load, which falls as the border moves, was off by
// up to 5 %, and took a second for one density.
#include "lib/layouts/quotient/turnovers.h"

#include "lib/base/real.h"

namespace linefilter::internal {
namespace {

constexpr int kTimes = 11, kDensities = 10;
constexpr double kTurnovers[kTimes] = {1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100};
constexpr double kBitsPerKey[kDensities] = {4, 6, 8, 10, 12, 14, 16, 20, 24, 32};
constexpr double kGrowth[kDensities][kTimes] = {
    {1.0594, 1.0784, 1.0903, 1.1059, 1.1158, 1.1255, 1.1349, 1.1401, 1.1470, 1.1519, 1.1535},  // 4
    {1.0783, 1.1035, 1.1197, 1.1389, 1.1500, 1.1609, 1.1722, 1.1787, 1.1857, 1.1903, 1.1916},  // 6
    {1.0915, 1.1208, 1.1391, 1.1628, 1.1777, 1.1917, 1.2056, 1.2134, 1.2211, 1.2262, 1.2275},  // 8
    {1.1027, 1.1355, 1.1565, 1.1830, 1.2000, 1.2161, 1.2324, 1.2412, 1.2505, 1.2560, 1.2578},  // 10
    {1.1110, 1.1469, 1.1690, 1.1987, 1.2174, 1.2360, 1.2533, 1.2639, 1.2749, 1.2814, 1.2831},  // 12
    {1.1190, 1.1560, 1.1809, 1.2119, 1.2314, 1.2508, 1.2698, 1.2803, 1.2921, 1.3000, 1.3015},  // 14
    {1.1249, 1.1648, 1.1903, 1.2222, 1.2426, 1.2632, 1.2837, 1.2971, 1.3082, 1.3154, 1.3188},  // 16
    {1.1325, 1.1740, 1.2041, 1.2404, 1.2626, 1.2852, 1.3077, 1.3204, 1.3345, 1.3430, 1.3439},  // 20
    {1.1398, 1.1852, 1.2147, 1.2515, 1.2752, 1.3001, 1.3235, 1.3400, 1.3529, 1.3619, 1.3639},  // 24
    {1.1527, 1.1983, 1.2256, 1.2620, 1.2868, 1.3127, 1.3390, 1.3521, 1.3675, 1.3744, 1.3780},  // 32
};

// A place in an ascending list: between i and i + 1, with that share of the way. Outside it is the nearest end.
struct Place {
  int i = 0;
  double share = 0;

  Place(const double* list, int size, double x) {
    if (!(x > list[0])) return;
    while (i + 2 < size && x >= list[i + 1]) ++i;
    share = x < list[i + 1] ? Ln(x / list[i]) / Ln(list[i + 1] / list[i]) : 1;
  }
  double Between(double at, double next) const { return at + share * (next - at); }
};

}  // namespace

double GrowthByTurnovers(double bits_per_key, uint32_t turnovers) {
  if (turnovers == 0) return 1;
  const Place time(kTurnovers, kTimes, turnovers), density(kBitsPerKey, kDensities, bits_per_key);
  const double* const fewer = kGrowth[density.i];
  const double* const more = kGrowth[density.i + 1];
  return density.Between(time.Between(fewer[time.i], fewer[time.i + 1]), time.Between(more[time.i], more[time.i + 1]));
}

}  // namespace linefilter::internal
