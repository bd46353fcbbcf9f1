// `linefilter bench` measures this: a filter of a layout, of a rate and of a size, with one thread.
#ifndef LINEFILTER_TOOLS_PROGRAM_BENCH_ROWS_H_
#define LINEFILTER_TOOLS_PROGRAM_BENCH_ROWS_H_

#include <cstdint>
#include <vector>

#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter::tools {

struct LayoutSpeed {
  Layout layout = Layout::kAuto;
  double fpr = 0;  // what was asked for
  uint64_t num_keys = 0;

  double bits_per_key = 0, measured_fpr = 0;
  // ns per key, an integer, its hash included: medians of many passes.
  double build = 0, batch_hit = 0, batch_miss = 0, single_hit = 0, single_miss = 0;
};

// The rows: every layout at every rate that it can have, with so many keys.
std::vector<LayoutSpeed> PlanBench(uint64_t num_keys);

// Measures a row, each of its lookups with so many keys for so many seconds. What cannot be made (memory) is an error.
Status MeasureBench(double seconds, uint64_t num_queries, LayoutSpeed* row);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_BENCH_ROWS_H_
