// This measures the keys per second of ways to ask and fill a filter on a server of Redis, in turns.
#ifndef LINEFILTER_TOOLS_MEASURE_REDIS_BENCH_H_
#define LINEFILTER_TOOLS_MEASURE_REDIS_BENCH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "linefilter/status.h"

namespace linefilter::tools {

// Keys are numbers: members from 0, absent ones from kFirstAbsent.
inline constexpr uint64_t kFirstAbsent = uint64_t{1} << 40;
inline uint64_t BenchHash(uint64_t number) { return MixHash(number); }

// All keys are in a filter that is asked. Half of them are in one that is filled, the others are to come.
enum class BenchUse { kLookups, kInserts };

struct BenchRequest {
  RedisServers servers;
  uint64_t num_keys = 10000000;
  double fpr = 0.01;
  uint64_t batch = 1024, rounds = 5;
  double seconds = 0.5;                       // that of a row in a round
  std::function<void(uint64_t)> after_round;  // gets the number of rounds that are done
};

// Returns what is wrong with a request; empty for a good one.
const char* RefusalOf(const BenchRequest& request);

// A way has two filters on the server, one for each use.
class BenchWay {
 public:
  virtual ~BenchWay() = default;
  virtual Status Ask(const std::vector<uint64_t>& hashes, bool pipelined, uint8_t* answers) = 0;
  virtual Status Insert(const std::vector<uint64_t>& hashes, bool pipelined) = 0;

  struct Facts {
    uint32_t num_probes = 0;
    double bits_per_key = 0, expected_fpr = 0;
  };
  const Facts& facts() const { return facts_; }

 protected:
  // Fills a filter in memory with what its use demands, and keeps its facts.
  Status Make(const BenchRequest& request, BenchUse use, Layout layout, Filter* filter);

 private:
  Facts facts_;
};

// A row is one thing that is measured; it has a median over the rounds for each way, in keys per second.
struct BenchRow {
  const char* name;
  BenchUse use;
  bool pipelined;
  std::vector<double> per_second;
};

// The rate is counted on keys that were never added.
struct MeasuredFpr {
  uint64_t hits = 0, trials = 0;
  double rate() const { return static_cast<double>(hits) / static_cast<double>(trials); }
};

struct BenchResult {
  std::vector<BenchRow> rows;  // look-ups one by one and pipelined, then insertions
  std::vector<MeasuredFpr> fprs;
};

// Set this to end it, also from a signal. The caller removes what was made.
extern std::atomic<bool> bench_interrupted;

// The median; NaN of no value.
double Median(std::vector<double> values);

Status MeasureRedis(const BenchRequest& request, const std::vector<BenchWay*>& ways, BenchResult* result);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_REDIS_BENCH_H_
