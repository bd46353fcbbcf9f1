// Several threads do the same work on many parts.
#ifndef LINEFILTER_TOOLS_MEASURE_PARALLEL_H_
#define LINEFILTER_TOOLS_MEASURE_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "linefilter/executor.h"

namespace linefilter::tools {

inline constexpr uint64_t kMaxThreads = 4096;

inline uint64_t DefaultThreads() { return std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, kMaxThreads); }

// Calls work(part) once for each part 0 .. parts - 1, in any order, at most num_threads at a time (this thread is one
// of them). It does without threads for which the system or memory has no room. It throws what a call throws, the first
// of several; then no further part begins, and those that had begun have ended.
template <class Work>
void ParallelFor(uint64_t num_threads, uint64_t parts, const Work& work) {
  std::atomic<uint64_t> next{0};
  std::atomic<bool> has_failed{false};
  std::exception_ptr error;  // the error that set has_failed
  const auto run = [&]() noexcept {
    try {
      for (uint64_t part = next++; part < parts; part = next++) work(part);
    } catch (...) {
      if (!has_failed.exchange(true)) error = std::current_exception();
      next = parts;
    }
  };
  std::vector<std::thread> others;
  try {
    const uint64_t wanted = std::min(num_threads, parts);
    if (wanted > 1) others.reserve(static_cast<size_t>(wanted - 1));
    for (uint64_t i = 1; i < wanted; ++i) others.emplace_back(run);
  } catch (const std::exception&) {
  }
  run();
  for (std::thread& other : others) other.join();
  if (error != nullptr) std::rethrow_exception(error);
}

// Does the same for the library's builders, whose tasks throw nothing.
inline Executor Threads(uint64_t num_threads) {
  return {[](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
            ParallelFor(num_tasks, num_tasks, [&](uint64_t i) { task(argument, static_cast<size_t>(i)); });
          },
          nullptr, static_cast<size_t>(num_threads)};
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_PARALLEL_H_
