// Several threads do the same work on many parts.
#ifndef LINEFILTER_TOOLS_MEASURE_PARALLEL_H_
#define LINEFILTER_TOOLS_MEASURE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "linefilter/executor.h"

namespace linefilter::tools {

inline constexpr uint64_t kMaxThreads = 4096;

inline uint64_t DefaultThreads() { return std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, kMaxThreads); }

// Threads that all run the same, and are joined wherever this goes out of scope.
class JoinedThreads {
 public:
  JoinedThreads() = default;
  ~JoinedThreads() {
    for (std::thread& thread : threads_) thread.join();
  }
  JoinedThreads(const JoinedThreads&) = delete;
  JoinedThreads& operator=(const JoinedThreads&) = delete;

  // It does without threads that the system refuses. It throws std::bad_alloc where memory runs out; then some may run.
  template <class Run>
  void Start(uint64_t count, const Run& run) {
    threads_.reserve(static_cast<size_t>(count));
    try {
      for (uint64_t i = 0; i < count; ++i) threads_.emplace_back(run);
    } catch (const std::system_error&) {
    }
  }

 private:
  std::vector<std::thread> threads_;
};

// Calls work(part) once for each part 0 .. parts - 1, in any order, at most num_threads at a time (this thread is one
// of them). It throws what a call throws, the first of several, and std::bad_alloc where memory for the threads runs
// out. Then no further part begins, and those that had begun have ended.
template <class Work>
void ParallelFor(uint64_t num_threads, uint64_t parts, const Work& work) {
  std::atomic<uint64_t> next{0};
  std::atomic<bool> has_failed{false};
  std::exception_ptr error;  // the error that set has_failed
  const auto fail = [&]() noexcept {
    if (!has_failed.exchange(true)) error = std::current_exception();
    next = parts;
  };
  const auto run = [&]() noexcept {
    try {
      for (uint64_t part = next++; part < parts; part = next++) work(part);
    } catch (...) {
      fail();
    }
  };
  {
    JoinedThreads others;
    const uint64_t wanted = std::min(num_threads, parts);
    try {
      if (wanted > 1) others.Start(wanted - 1, run);
    } catch (const std::bad_alloc&) {
      fail();
    }
    run();
  }
  if (error != nullptr) std::rethrow_exception(error);
}

// Does the same for the library's builders. It must not fail: where memory runs out, fewer threads do it all.
inline Executor Threads(uint64_t num_threads) {
  return {[](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
            std::atomic<size_t> next{0};
            const auto run = [&]() noexcept {
              for (size_t i = next++; i < num_tasks; i = next++) task(argument, i);
            };
            JoinedThreads others;
            try {
              if (num_tasks > 1) others.Start(num_tasks - 1, run);
            } catch (const std::bad_alloc&) {
            }
            run();
          },
          nullptr, static_cast<size_t>(num_threads)};
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_PARALLEL_H_
