// The clock of the engines' benchmarks: other threads and other programs do not move it.
#ifndef LINEFILTER_BENCH_ENGINES_CLOCK_H_
#define LINEFILTER_BENCH_ENGINES_CLOCK_H_

#include <ctime>

namespace linefilter::bench {

// The CPU time of the calling thread.
inline double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ENGINES_CLOCK_H_
