// This shares work out over the threads of the host's executor.
#ifndef LINEFILTER_LIB_BASE_PARALLEL_H_
#define LINEFILTER_LIB_BASE_PARALLEL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "linefilter/executor.h"

namespace linefilter::internal {

// Calls work(worker, part) for each part < num_parts, each on the next worker < num_workers that has nothing to do.
template <class Work>
void ShareOut(const Executor& executor, size_t num_workers, uint64_t num_parts, const Work& work) {
  std::atomic<uint64_t> next{0};
  auto share = [&](size_t worker) {
    for (uint64_t part; (part = next.fetch_add(1, std::memory_order_relaxed)) < num_parts;) work(worker, part);
  };
  if (executor.run != nullptr && num_workers > 1) {
    executor.run(
        executor.context, [](void* argument, size_t worker) { (*static_cast<decltype(share)*>(argument))(worker); },
        &share, num_workers);
  }
  share(0);  // all of it without threads; what an executor that dropped tasks has left: else their keys would be lost
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_PARALLEL_H_
