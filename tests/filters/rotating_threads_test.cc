// linefilter/rotating.h: what is not older than G - 1 rotations is never absent, whatever threads do at once.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "linefilter/hash.h"
#include "tests/filters/rotating_test.h"

namespace linefilter::test {
namespace {

TEST(RotatingAtOnce, ConcurrentRotationsAreCountedOneByOne) {
  RotatingFilter filter;
  MustCreate(&filter, 1000, 3);
  constexpr uint64_t kThreads = 4, kEach = 20000;
  std::atomic<uint64_t> waiting{kThreads};
  std::vector<uint64_t> numbers[kThreads];
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      for (uint64_t i = 0; i < kEach; ++i) numbers[thread].push_back(filter.Rotate());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<bool> seen(kThreads * kEach + 1);
  for (const auto& of_thread : numbers) {
    for (const uint64_t number : of_thread) {
      ASSERT_LE(number, kThreads * kEach);
      ASSERT_FALSE(seen[number]) << number << " twice";
      seen[number] = true;
    }
  }
  EXPECT_EQ(filter.generation(), kThreads * kEach);
}

// An inserter that is stopped in the middle of an insertion: its hashes lie in a page that cannot be read yet, and
// what mends that rotates.
struct Stopped {
  static inline RotatingFilter* filter;
  static inline void* page;
  static inline size_t page_bytes;
  static inline uint32_t rotations;
  static void OnFault(int, siginfo_t*, void*) {
    mprotect(page, page_bytes, PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; i < rotations; ++i) filter->Rotate();
  }
};

// Readable memory that cannot be written: a rotation that leaves words alone that are 0 never notices.
struct Pages {
  void* memory = nullptr;
  size_t size = 0;
  static void* Allocate(void* self, size_t size, size_t) noexcept {
    auto* const pages = static_cast<Pages*>(self);
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (size > pages->size) pages->memory = memory, pages->size = size;
    return memory;
  }
  static void Deallocate(void*, void* memory, size_t size, size_t) noexcept { munmap(memory, size); }
};

TEST(RotatingAtOnce, RotationsWriteNothingWhereNoKeyWas) {
  Pages pages;
  FilterOptions options = BitsPerKey(12);
  options.allocator = Allocator{&Pages::Allocate, &Pages::Deallocate, &pages};
  RotatingFilter filter;
  MustCreate(&filter, 100000, 3, options);
  ASSERT_GT(pages.size, 100000u);
  ASSERT_EQ(mprotect(pages.memory, pages.size, PROT_READ), 0);
  for (uint64_t i = 1; i <= 8; ++i) ASSERT_EQ(filter.Rotate(), i);
  ASSERT_EQ(mprotect(pages.memory, pages.size, PROT_READ | PROT_WRITE), 0);
  EXPECT_TRUE(filter.InsertHash(1));
}

TEST(RotatingAtOnce, AnInserterThatWasStoppedForManyRotationsLosesNothing) {
  Stopped::page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  Stopped::page = mmap(nullptr, Stopped::page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(Stopped::page, MAP_FAILED);
  struct sigaction action = {}, before[2];
  action.sa_sigaction = &Stopped::OnFault;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGSEGV, &action, &before[0]), 0);
  ASSERT_EQ(sigaction(SIGBUS, &action, &before[1]), 0);
  for (const uint32_t generations : {2u, 3u, 8u}) {
    for (const uint32_t rotations : {1u, generations - 1, generations, generations + 1, 3 * generations}) {
      for (const size_t n : {size_t{1}, size_t{200}}) {
        RotatingFilter filter;
        MustCreate(&filter, 10000, generations);
        const std::vector<uint64_t> hashes = RandomHashes(n, rotations);
        std::memcpy(Stopped::page, hashes.data(), 8 * n);
        Stopped::filter = &filter;
        Stopped::rotations = rotations;
        ASSERT_EQ(mprotect(Stopped::page, Stopped::page_bytes, PROT_NONE), 0);
        filter.InsertHashes(static_cast<const uint64_t*>(Stopped::page), n);
        ASSERT_EQ(filter.generation(), rotations) << "it was not stopped";
        // It is as new as if it had begun now.
        for (uint32_t more = 0; more < generations; ++more) {
          ASSERT_EQ(filter.CountMaybes(hashes.data(), n), n) << generations << " " << rotations << " " << more;
          filter.Rotate();
        }
        filter.Rotate();  // G rotations later the bits that it left lay in the spare slot, and live once more
        EXPECT_LE(filter.CountMaybes(hashes.data(), n), n / 20);
      }
    }
  }
  sigaction(SIGSEGV, &before[0], nullptr);
  sigaction(SIGBUS, &before[1], nullptr);
  munmap(Stopped::page, Stopped::page_bytes);
}

// What stands in front of generation() orders it behind the question, whose loads are relaxed. g++ refuses fences under
// ThreadSanitizer, which runs on x86-64, where loads are not exchanged.
void AcquireFence() {
#ifndef __SANITIZE_THREAD__
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

// Writers tell which number they read before each insertion, readers read it after each question: fewer than G
// rotations between them, and the key must be there.
struct Threads {
  static constexpr size_t kWriters = 2, kRecent = 256;
  struct alignas(128) Written {
    std::atomic<uint64_t> count{0};
    std::atomic<uint64_t> begun[kRecent] = {};  // of key i, at i % kRecent
  };

  RotatingFilter filter;
  Written written[kWriters];
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> asked{0}, absent{0}, expired{0};

  static uint64_t HashOf(size_t writer, uint64_t i) { return HashKey(i * kWriters + writer); }

  void Write(size_t writer) {
    uint64_t batch[8];
    for (uint64_t i = 0; !stop.load(std::memory_order_relaxed);) {
      const size_t n = i % 3 == 0 ? 8 : 1;
      const uint64_t begun = filter.generation();
      for (size_t j = 0; j < n; ++j) {
        batch[j] = HashOf(writer, i + j);
        written[writer].begun[(i + j) % kRecent].store(begun, std::memory_order_relaxed);
      }
      if (n == 1) {
        filter.InsertHash(batch[0]);
      } else {
        filter.InsertHashes(batch, n);
      }
      i += n;
      written[writer].count.store(i, std::memory_order_release);
    }
  }
  void Read(uint32_t generations) {
    Random random(0);
    uint64_t questions = 0, old = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      const size_t writer = random() % kWriters;
      const Written& from = written[writer];
      const uint64_t count = from.count.load(std::memory_order_acquire);
      const uint64_t back = random.Below(kRecent / 2);
      if (back >= count) continue;
      const uint64_t i = count - 1 - back, begun = from.begun[i % kRecent].load(std::memory_order_relaxed);
      const uint64_t hash = HashOf(writer, i);
      uint8_t answer = 1;
      if (i % 2 == 0) {
        answer = filter.MayContainHash(hash);
      } else {
        filter.MayContainHashes(&hash, 1, &answer);
      }
      AcquireFence();
      const uint64_t ended = filter.generation();
      if (from.count.load(std::memory_order_acquire) - i > kRecent - 16) continue;  // `begun` may be another's
      if (ended - begun >= generations) {
        ++old;
      } else {
        asked.store(++questions, std::memory_order_relaxed);
        absent += answer == 0;
      }
    }
    expired = old;
  }
  void Rotate() {
    while (!stop.load(std::memory_order_relaxed)) {
      filter.Rotate();
      for (int i = 0; i < 200; ++i) (void)filter.generation();
    }
  }
};

void ExpectNoneAbsent(uint32_t generations, uint64_t window, Rotation rotation) {
  Threads all;
  MustCreate(&all.filter, window, generations, BitsPerKey(12), rotation);
  std::vector<std::thread> threads;
  for (size_t writer = 0; writer < Threads::kWriters; ++writer) {
    threads.emplace_back(&Threads::Write, &all, writer);
  }
  threads.emplace_back(&Threads::Read, &all, generations);
  if (rotation == Rotation::kByCaller) threads.emplace_back(&Threads::Rotate, &all);
  // A busy machine may not let one of them run for so long.
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  for (int i = 0; i < 6000 && (all.asked <= 10 || all.filter.generation() <= generations); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  all.stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(all.absent, 0u);
  EXPECT_GT(all.asked, 10u) << "of keys within the window";
  EXPECT_GT(all.filter.generation(), generations) << "nothing was dropped";
  printf("%u generations: %llu rotations, %llu asked, %llu more were too old\n", generations,
         static_cast<unsigned long long>(all.filter.generation()), static_cast<unsigned long long>(all.asked),
         static_cast<unsigned long long>(all.expired));
}

TEST(RotatingThreads, NothingWithinTheWindowIsAbsentByTheCallersClock) {
  ExpectNoneAbsent(2, 100, Rotation::kByCaller);
  ExpectNoneAbsent(4, 3000, Rotation::kByCaller);
  ExpectNoneAbsent(2, 200000, Rotation::kByCaller);  // clearing takes most of the time
}

TEST(RotatingThreads, NothingWithinTheWindowIsAbsentByCount) {
  ExpectNoneAbsent(2, 100, Rotation::kByCount);
  ExpectNoneAbsent(4, 3000, Rotation::kByCount);
}

}  // namespace
}  // namespace linefilter::test
