// An interval tells how far a counted rate can be trusted.
//
//   linefilter::Interval fpr = linefilter::ClopperPearson(9720, 1000000, 0.99);
//   printf("between %g and %g\n", fpr.low, fpr.high);  // 0.00947 and 0.00998
//
// It is exact: if many people count and each states such an interval, at least the share `confidence` of them is right,
// whatever the rate is. The keys that were asked must be independent draws, so each of them counts once. All functions
// are thread-safe, take at most some milliseconds, and need no memory.
#ifndef LINEFILTER_INTERVAL_H_
#define LINEFILTER_INTERVAL_H_

#include <cstdint>

#include "linefilter/internal/export.h"

namespace linefilter {

// The rates from low to high.
struct Interval {
  double low;   // its lower end
  double high;  // its upper end
};

// The exact interval (Clopper and Pearson, 1934) of a rate that showed `hits` in `trials`. `confidence` is in (0, 1),
// for example 0.99. Without a trial, and for a confidence that is none, nothing is known: [0, 1]. More hits than trials
// count as all of them.
LINEFILTER_EXPORT Interval ClopperPearson(uint64_t hits, uint64_t trials, double confidence) noexcept;

// Half the width of the interval, as a share of the counted rate. Without a hit it is infinite.
LINEFILTER_EXPORT double RelativePrecision(uint64_t hits, uint64_t trials, double confidence) noexcept;

// The trials, at most 2^63, that give about that relative precision at a rate. All three arguments are in (0, 1);
// for others the answer is 2^63.
LINEFILTER_EXPORT uint64_t TrialsForPrecision(double rate, double precision, double confidence) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_INTERVAL_H_
