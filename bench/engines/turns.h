// How the benchmarks of engines and tables take times: by a clock that other threads and programs do not move, in
// turns.
#ifndef LINEFILTER_BENCH_ENGINES_TURNS_H_
#define LINEFILTER_BENCH_ENGINES_TURNS_H_

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace linefilter::bench {

// The CPU time of the calling thread.
inline double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The time of `work` for each of the n keys that it asks.
template <class Work>
double Ns(uint64_t n, const Work& work) {
  const double start = ThreadSeconds();
  work();
  return 1e9 * (ThreadSeconds() - start) / static_cast<double>(n);
}

// Which of n is asked at this turn of a round. Who is first and who follows on whom rotates, and changes direction.
inline size_t InTurn(size_t turn, uint64_t round, size_t n) {
  const size_t rotated = static_cast<size_t>((turn + round) % n);
  return round / n % 2 == 0 ? rotated : n - 1 - rotated;
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ENGINES_TURNS_H_
