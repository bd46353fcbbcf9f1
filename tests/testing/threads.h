// Executors for tests: real threads, and one that runs its tasks backwards on the calling thread.
#ifndef LINEFILTER_TESTS_TESTING_THREADS_H_
#define LINEFILTER_TESTS_TESTING_THREADS_H_

#include <cstddef>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/executor.h"

namespace linefilter::test {

inline Executor Threads(size_t num_threads) {
  return Executor{[](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
                    std::vector<std::thread> threads;
                    for (size_t i = 0; i < num_tasks; ++i) threads.emplace_back(task, argument, i);
                    for (std::thread& thread : threads) thread.join();
                  },
                  nullptr, num_threads};
}

inline Executor Backwards(size_t num_threads) {
  return Executor{[](void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
                    while (num_tasks != 0) task(argument, --num_tasks);
                  },
                  nullptr, num_threads};
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_THREADS_H_
