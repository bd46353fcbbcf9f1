// Two threads on two CPUs for builders, in a process that is pinned to one: the caller stays where it is, the other
// thread goes to another CPU.
#ifndef LINEFILTER_BENCH_THREADS_H_
#define LINEFILTER_BENCH_THREADS_H_

#include "linefilter/executor.h"

namespace linefilter::bench {

inline constexpr size_t kTwoThreads = 2;

// Whether this process may use a second CPU.
bool HasSecondCpu();

// Shares tasks between the caller and one more thread, which waits for them all its life. One caller at a time.
Executor TwoThreads();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_THREADS_H_
