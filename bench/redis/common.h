// What the benchmarks of filters in Redis share: an error ends the program, and times are in seconds.
#ifndef LINEFILTER_BENCH_REDIS_COMMON_H_
#define LINEFILTER_BENCH_REDIS_COMMON_H_

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "linefilter/status.h"

namespace linefilter::bench {

inline void Require(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// How long `work` takes.
template <class Work>
double Seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_REDIS_COMMON_H_
