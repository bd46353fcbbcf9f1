// This measures what a server of Redis does per second: blocks of `blocked` against `classic`, by script and by
// BITFIELD, in turns.
#ifndef LINEFILTER_TOOLS_PROGRAM_REDIS_BENCH_H_
#define LINEFILTER_TOOLS_PROGRAM_REDIS_BENCH_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "linefilter/status.h"
#include "tools/program/redis/bench_filters.h"
#include "tools/program/redis/rates.h"

namespace linefilter::tools {

struct BenchRequest {
  RedisServers servers;
  uint64_t num_keys = 10000000;
  double fpr = 0.01;
  uint64_t batch = 1024, rounds = 5;
  double seconds = 0.5;  // that of a row in a round
};

// A row is one thing that is measured, all three ways: medians over the rounds, keys per second.
struct BenchRow {
  const char* name;
  BenchUse use;
  bool pipelined;
  double blocked = 0, script = 0, bitfield = 0;
};

// The rate is counted on keys that were never added.
struct MeasuredFpr {
  uint64_t hits = 0, trials = 0;
  double rate() const { return static_cast<double>(hits) / static_cast<double>(trials); }
};

struct BenchResult {
  std::vector<BenchRow> rows;
  MeasuredFpr blocked, script;
  RedisRates rates;
  bool bytes_measured = false;  // those of a cluster's nodes are not
};

// Set this to end it, also from a signal. The caller removes what was made.
extern std::atomic<bool> bench_interrupted;

Status MeasureRedis(const BenchRequest& request, BenchFilters* filters, BenchResult* result);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_REDIS_BENCH_H_
