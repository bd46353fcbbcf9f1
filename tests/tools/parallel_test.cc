// tools/measure/parallel.h: each part once, also where memory for threads runs out, and errors where a part throws.
#include "tools/measure/parallel.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace {
thread_local long allocations_left = -1;  // of this thread, by operator new; less than 0: any number
}

__attribute__((noinline)) void* operator new(size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace linefilter::tools {
namespace {

constexpr uint64_t kThreads = 6, kParts = 1000;

// How often each part was worked on.
class Counts {
 public:
  void Add(uint64_t part) { ++of_part_[part]; }
  uint64_t Least() const { return *std::min_element(of_part_.begin(), of_part_.end()); }
  uint64_t Sum() const {
    uint64_t sum = 0;
    for (const auto& count : of_part_) sum += count;
    return sum;
  }
  uint64_t Most() const { return *std::max_element(of_part_.begin(), of_part_.end()); }

 private:
  std::vector<std::atomic<uint64_t>> of_part_ = std::vector<std::atomic<uint64_t>>(kParts);
};

TEST(ParallelFor, WorksOnEachPartOnce) {
  for (const uint64_t threads : {uint64_t{0}, uint64_t{1}, kThreads, 2 * kParts}) {
    Counts counts;
    ParallelFor(threads, kParts, [&](uint64_t part) { counts.Add(part); });
    EXPECT_EQ(counts.Least(), 1u);
    EXPECT_EQ(counts.Most(), 1u);
  }
  ParallelFor(kThreads, 0, [](uint64_t) { FAIL(); });
}

TEST(ParallelFor, ThrowsWhatAPartThrows) {
  for (const uint64_t threads : {uint64_t{1}, kThreads}) {
    for (const uint64_t bad : {uint64_t{0}, kParts / 2, kParts - 1}) {
      Counts counts;
      std::atomic<uint64_t> inside{0};
      std::string error;
      try {
        ParallelFor(threads, kParts, [&](uint64_t part) {
          ++inside;
          counts.Add(part);
          --inside;
          if (part >= bad) throw std::runtime_error("part " + std::to_string(part));
        });
      } catch (const std::runtime_error& thrown) {
        error = thrown.what();
        EXPECT_EQ(inside, 0u) << "all have ended";
      }
      EXPECT_EQ(error.substr(0, 5), "part ");
      EXPECT_LE(counts.Most(), 1u);
    }
  }
}

TEST(ParallelFor, GivesUpWhereAPartRunsOutOfMemory) {
  EXPECT_THROW(ParallelFor(kThreads, kParts,
                           [](uint64_t part) {
                             if (part == 7) throw std::bad_alloc();
                           }),
               std::bad_alloc);
}

// A builder's keys would be lost with a task. Allocation number `good` of those that start the threads fails.
TEST(Threads, RunAllTasksWhereMemoryRunsOut) {
  for (long good = -1; good <= static_cast<long>(kThreads); ++good) {
    Counts counts;
    const Executor executor = Threads(kThreads);
    allocations_left = good;
    executor.run(
        executor.context, [](void* to, size_t i) { static_cast<Counts*>(to)->Add(i); }, &counts, kThreads);
    allocations_left = -1;
    EXPECT_EQ(counts.Sum(), kThreads) << good;
    EXPECT_EQ(counts.Most(), 1u);
  }
}

}  // namespace
}  // namespace linefilter::tools
