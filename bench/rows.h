// The rows of the benchmark: each file registers its own.
#ifndef LINEFILTER_BENCH_ROWS_H_
#define LINEFILTER_BENCH_ROWS_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

namespace linefilter::bench {

struct Plan {
  std::vector<uint64_t> body_bytes;  // 24 KB, 1 MB, ...
  double bits_per_key;
};

void RegisterFloorRows(const Plan& plan);
void RegisterFilterRows(const Plan& plan);

// "24KB", "1MB", "2GB".
std::string SizeName(uint64_t bytes);

// Time per key in seconds; printed as 1.23n = 1.23 ns.
inline void SetKeys(benchmark::State& state, size_t keys_per_iteration) {
  state.counters["per_key"] =
      benchmark::Counter(static_cast<double>(keys_per_iteration),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ROWS_H_
