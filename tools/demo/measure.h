// One row of the demo's table: what a filter answered, and how long it took.
#ifndef LINEFILTER_TOOLS_DEMO_MEASURE_H_
#define LINEFILTER_TOOLS_DEMO_MEASURE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "tools/demo/contender.h"
#include "tools/demo/words.h"

namespace linefilter::demo {

// Nanoseconds per word, one sample per round, and their median (0 without one).
struct Timing {
  std::vector<double> samples;
  double Median() const;
};

struct Row {
  std::unique_ptr<Contender> contender;
  uint64_t false_negatives = 0, false_positives = 0;
  Timing build, one, batch;
};

// Builds the filter and looks every member and every asked word up. False after saying what failed.
bool Check(const Words& members, const Asked& asked, Row* row);

// One sample of each timing; hashing is part of all.
void TimeOnce(const Words& members, const Asked& asked, Row* row);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_MEASURE_H_
