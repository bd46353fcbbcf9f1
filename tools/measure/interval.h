// This tells how far a counted rate can be trusted.
#ifndef LINEFILTER_TOOLS_MEASURE_INTERVAL_H_
#define LINEFILTER_TOOLS_MEASURE_INTERVAL_H_

#include <cstdint>

namespace linefilter::tools {

struct Interval {
  double low;
  double high;
};

// The exact (Clopper and Pearson 1934) interval of a rate that showed `hits` in `trials`; confidence in (0, 1), e.g.
// 0.99. 0 trials know nothing: [0, 1].
Interval ClopperPearson(uint64_t hits, uint64_t trials, double confidence);

// Half the width of the interval, as a share of the counted rate; infinite without a hit.
double RelativePrecision(uint64_t hits, uint64_t trials, double confidence);

// The trials, at most 2^63, that give about that relative precision at a rate in (0, 1); so is precision.
uint64_t TrialsForPrecision(double rate, double precision, double confidence);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_INTERVAL_H_
