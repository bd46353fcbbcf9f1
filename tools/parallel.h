// The same work on many parts, by several threads.
#ifndef LINEFILTER_TOOLS_PARALLEL_H_
#define LINEFILTER_TOOLS_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

#include "linefilter/executor.h"

namespace linefilter::tools {

inline constexpr uint64_t kMaxThreads = 4096;

inline uint64_t DefaultThreads() { return std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, kMaxThreads); }

// Calls work(part) once for each part 0 .. parts - 1, in any order, at most num_threads at a time (this thread is one
// of them). `work` must not throw. Threads that the system refuses are done without.
template <class Work>
void ParallelFor(uint64_t num_threads, uint64_t parts, const Work& work) {
  std::atomic<uint64_t> next{0};
  const auto run = [&] {
    for (uint64_t part = next++; part < parts; part = next++) work(part);
  };
  std::vector<std::thread> others;
  const uint64_t wanted = std::min(num_threads, parts);
  if (wanted > 1) others.reserve(wanted - 1);
  for (uint64_t i = 1; i < wanted; ++i) {
    try {
      others.emplace_back(run);
    } catch (const std::system_error&) {
      break;
    }
  }
  run();
  for (std::thread& other : others) other.join();
}

// The same for the library's builders.
inline Executor Threads(uint64_t num_threads) {
  return {[](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
            ParallelFor(num_tasks, num_tasks, [&](uint64_t i) { task(argument, static_cast<size_t>(i)); });
          },
          nullptr, static_cast<size_t>(num_threads)};
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PARALLEL_H_
