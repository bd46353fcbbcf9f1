// Two threads on two CPUs for builders and writers, in a process that is pinned to one: the caller stays where it is,
// the other thread goes to another CPU.
#ifndef LINEFILTER_BENCH_THREADS_H_
#define LINEFILTER_BENCH_THREADS_H_

#include <atomic>
#include <functional>
#include <thread>

#include "linefilter/executor.h"

namespace linefilter::bench {

inline constexpr size_t kTwoThreads = 2;

// Whether this process may use a second CPU.
bool HasSecondCpu();

// Moves the caller to one of the CPUs that it may use, numbered from 0, where it stays. False if there is none.
bool PinToCpu(size_t index);

// Calls work() again and again on another CPU than the caller's, from when the constructor returns until destroyed.
class Meanwhile {
 public:
  explicit Meanwhile(std::function<void()> work);
  ~Meanwhile();
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

 private:
  std::atomic<bool> started_{false}, stop_{false};
  std::thread thread_;  // the last: it uses the others
};

// Shares tasks between the caller and one more thread, which waits for them all its life. One caller at a time.
Executor TwoThreads();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_THREADS_H_
