// Which rows there are: groups of rows that are measured interleaved over the same keys and filters.
#ifndef LINEFILTER_BENCH_PLAN_H_
#define LINEFILTER_BENCH_PLAN_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bench/peer.h"

namespace linefilter::bench {

struct Row {
  const Peer* peer;
  size_t target;  // of peer->targets
  Access access;
  int hit_percent;   // -1: nothing is looked up
  std::string name;  // access/keys/hits/layout/target/size/bits_per_key: unique, what --rows searches
};

// Rows of one Spec.
struct Group {
  std::string name;
  Spec spec;
  std::vector<Row> rows;
};

enum class Plan {
  kFull,
  kQuick,     // few sizes, one density: every kind of row, in a minute
  kCpus,      // what tells CPUs apart, in ten minutes
  kSmoke,     // rows like those of kCpus, in seconds on an emulated CPU
  kBuilds,    // what filters cost to make, from 1e5 to 1e8 keys
  kParquet,   // `split_block` beside the loops of engines
  kQuotient,  // `quotient` beside layouts of the same bytes and cuckoo filters
};
// Measured in passes (passes.h).
inline bool IsSpreadOverTheRun(Plan plan) { return plan == Plan::kCpus || plan == Plan::kSmoke; }
const char* PlanName(Plan plan);  // "full", "quick", "cpus", "smoke", "builds", "parquet", "quotient"

struct PlanOptions {
  Plan plan = Plan::kFull;
  std::string rows;            // an ECMAScript regex searched in row names; empty: all
  std::set<std::string> done;  // rows not to be measured again
};

// Throws std::regex_error for a wrong regex.
std::vector<Group> MakePlan(const PlanOptions& options);

// Bytes that a group needs at once: its filters, and what the greediest of its peers needs to build its own.
uint64_t MostBytes(const Group& group);

// How long it takes, from what it took on a 2023 server core.
double EstimatedSeconds(const Group& group, int repetitions, double min_seconds);

// "24KB", "2GB".
std::string SizeName(uint64_t bytes);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PLAN_H_
