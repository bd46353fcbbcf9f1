// Rows that are slower on purpose, for a proof that a comparison sees it: LINEFILTER_BENCH_SLOW="REGEX:PERCENT" burns
// so many percent of the time of each measured piece of work in the rows whose names match. Results say so (`planted`).
#ifndef LINEFILTER_BENCH_SLOW_H_
#define LINEFILTER_BENCH_SLOW_H_

#include <chrono>
#include <string>

namespace linefilter::bench {

// Reads it from the environment; it is empty if nothing is planted. Dies if it makes no sense.
const std::string& Planted();

// 0.1 for 10 %; 0 for rows that are left alone.
double PlantedSlowness(const std::string& row);

template <class Work>
void Slowed(double slowness, const Work& work) {
  if (slowness == 0) return work();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  work();
  const Clock::time_point done = Clock::now();
  const auto more = std::chrono::duration_cast<Clock::duration>(slowness * (done - begin));
  while (Clock::now() - done < more) {
  }
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_SLOW_H_
