// A request is what `linefilter fpr` was asked for, and how many absent keys that takes.
#ifndef LINEFILTER_TOOLS_PROGRAM_FPR_REQUEST_H_
#define LINEFILTER_TOOLS_PROGRAM_FPR_REQUEST_H_

#include <cstdint>
#include <string>

#include "linefilter/layout.h"
#include "tools/measure/key_families.h"

namespace linefilter::tools {

struct FprRequest {
  Layout layout = Layout::kBlocked;
  uint64_t num_keys = 1000000, num_queries = 0, probes = 0, seed = 0, seeds = 1, threads = 0;
  double bits_per_key = 10, confidence = 0.99, precision = 0.025;
  std::string keys;
  const KeyFamily* family = nullptr;               // of that name
  bool precision_given = false, by_limit = false;  // by_limit: num_queries are what a limit needs
};

// The absent keys that reach the precision at that rate but for 1 chance in 10,000; 0 for a rate that none can reach.
double QueriesForPrecision(const FprRequest& fpr, double rate);

// The absent keys for num_queries, else the precision, else 10,000 false positives and some, within 1e6 and 1e8.
uint64_t NumQueries(const FprRequest& fpr, double expected_fpr);

// The model's mean over all sets of that size, and the real bits per key.
double ModelFpr(const FprRequest& fpr, double* bits_per_key);

// Says why so many questions cannot be asked, or nothing.
std::string RefuseQueries(const FprRequest& fpr, double expected_fpr);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_FPR_REQUEST_H_
