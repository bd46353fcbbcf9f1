// Measures a plan into a results file: group after group, to be gone on with (full, quick), or in passes over all of
// it (cpus, smoke).
#ifndef LINEFILTER_BENCH_RUN_H_
#define LINEFILTER_BENCH_RUN_H_

#include <string>

#include "bench/measure.h"
#include "bench/plan.h"

namespace linefilter::bench {

struct RunOptions {
  PlanOptions plan;
  Effort effort;
  std::string out;  // empty: only printed
  double minutes = 90;
  bool fresh = false, list = false;
};

// The program's exit code. Throws std::regex_error for a wrong PlanOptions::rows.
int RunPlan(RunOptions options);

// Prints the sentence and returns 2.
int Fail(const std::string& what);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_RUN_H_
