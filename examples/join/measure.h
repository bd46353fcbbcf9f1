// Times of the three ways, side by side.
#ifndef LINEFILTER_EXAMPLES_JOIN_MEASURE_H_
#define LINEFILTER_EXAMPLES_JOIN_MEASURE_H_

#include <cstdint>

#include "examples/join/probe.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace join {

inline constexpr int kWays = 3;
inline constexpr const char* kWayNames[kWays] = {"without", "columns", "one_by_one"};

// What one join cost. Nanoseconds are CPU time of this thread, so other programs count only for what they take from
// the caches.
struct Cost {
  double probe_ns[kWays] = {};  // per row of the probe side; the median of the rounds
  double filter_ns = 0;         // of making the filter, per row of the probe side
  uint64_t table_bytes = 0, filter_bytes = 0;
  Found found;                // by each way
  bool all_agree = true;      // all ways found the same, in each round
  linefilter::Status status;  // of the filter

  // The time with a filter, its making included, as a share of the time without.
  double Ratio(int way) const { return (probe_ns[way] + (way == 0 ? 0 : filter_ns)) / probe_ns[0]; }
};

// Joins the orders with the customers `rounds` times in each way, one way after the other in each round.
Cost Measure(const Customers& customers, const Orders& orders, const linefilter::FilterOptions& options, int rounds);

}  // namespace join

#endif  // LINEFILTER_EXAMPLES_JOIN_MEASURE_H_
