// This counts false positives: it fills filters of several seeds with members of a key family and asks for absent keys.
#ifndef LINEFILTER_TOOLS_PROGRAM_FPR_MEASURE_H_
#define LINEFILTER_TOOLS_PROGRAM_FPR_MEASURE_H_

#include <cstdint>
#include <vector>

#include "linefilter/status.h"
#include "tools/program/fpr_request.h"

namespace linefilter::tools {

// The counts of one filter.
struct SeedCounts {
  uint64_t seed = 0;
  uint64_t num_queries = 0, false_positives = 0, false_negatives = 0;
  double expected_fpr_of_bits = 0;
};

struct FprMeasured {
  uint32_t num_probes = 0;
  uint64_t body_bytes = 0;
  const char* target = "";
  std::vector<SeedCounts> by_seed;
  SeedCounts total;  // expected_fpr_of_bits: the mean
};

// Asks num_queries absent keys, over all filters, which have the seeds seed, seed + 1, ... All counts are sums over
// keys, so they do not depend on the threads. It holds one filter per thread at most (of a layout that is made at once,
// 8 bytes per key more), less where memory does not allow it. Nothing grows with num_queries. It shows progress on a
// terminal.
Status MeasureFpr(const FprRequest& fpr, uint64_t num_queries, FprMeasured* result);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_FPR_MEASURE_H_
