// linefilter/monitor.h: no count is lost, whatever threads and processes do at once.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/filters/fpr_monitor_test.h"

namespace linefilter::test {
namespace {

// Each thread counts `each` lookups in both monitors while all others do.
void CountByThreads(size_t num_threads, uint64_t each, FprMonitor* first, FprMonitor* second) {
  std::atomic<size_t> waiting{num_threads};
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < num_threads; ++thread) {
    threads.emplace_back([&] {
      first->Asked(false);  // takes a line
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      for (uint64_t i = 0; i < each; ++i) {
        first->Asked(i % 4 == 0);
        if (i % 4 == 0) first->WasAbsent();
        if (i % 8 == 1) first->WasLost();
        second->Asked(3, 1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void ExpectExact(size_t num_threads, uint64_t each) {
  FprMonitor first, second;
  CountByThreads(num_threads, each, &first, &second);
  const uint64_t all = num_threads * each;
  const FprMonitorCounts of_first = first.Read(1).all, of_second = second.Read(1).all;
  EXPECT_EQ(of_first.asked, all + num_threads);
  EXPECT_EQ(of_first.maybes, all / 4);
  EXPECT_EQ(of_first.false_positives, all / 4);
  EXPECT_EQ(of_first.lost, all / 8);
  EXPECT_EQ(of_second.asked, 3 * all);
  EXPECT_EQ(of_second.maybes, all);
  EXPECT_EQ(of_second.false_positives, 0u);
}

TEST(FprMonitorThreads, FewAreExact) { ExpectExact(4, 80000); }
TEST(FprMonitorThreads, MoreThanThereAreLinesAreExact) { ExpectExact(150, 800); }

// All lines are taken by threads that wait, so that those that count share lines: two of them at least the same one.
TEST(FprMonitorThreads, ThoseThatShareLinesAreExact) {
  constexpr size_t kSharing = 40;
  FprMonitor monitor;
  std::atomic<size_t> waiting{0};
  std::atomic<bool> stop{false};
  std::vector<std::thread> owners, others;
  for (uint32_t i = 0; i < internal::kOwnLines; ++i) {
    owners.emplace_back([&] {
      monitor.Asked(false);
      ++waiting;
      while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    });
  }
  while (waiting != internal::kOwnLines) std::this_thread::yield();
  for (size_t i = 0; i < kSharing; ++i) {
    others.emplace_back([&] {
      for (int j = 0; j < 100000; ++j) monitor.Asked(true);
    });
  }
  for (std::thread& thread : others) thread.join();
  stop = true;
  for (std::thread& thread : owners) thread.join();
  EXPECT_EQ(monitor.Read(1).all.maybes, kSharing * 100000);
  EXPECT_EQ(monitor.Read(1).all.asked, kSharing * 100000 + internal::kOwnLines);
}

TEST(FprMonitorThreads, ThoseThatComeAndGoAreExact) {
  FprMonitor monitor;
  for (int i = 0; i < 500; ++i) {
    std::thread([&] { monitor.Asked(2, 1); }).join();
  }
  EXPECT_EQ(monitor.Read(1).all.asked, 1000u);
  EXPECT_EQ(monitor.Read(1).all.maybes, 500u);
  ExpectExact(4, 800);
}

// Counts when its thread ends, in the last of all destructors, as it was made before any line was taken.
struct AtEnd {
  ~AtEnd() {
    if (monitor != nullptr) monitor->Asked(true);
  }
  FprMonitor* monitor = nullptr;
};
thread_local AtEnd at_end;

TEST(FprMonitorThreads, OneThatCountsWhileItEndsIsExact) {
  FprMonitor monitor;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      at_end.monitor = &monitor;
      for (int j = 0; j < 100; ++j) monitor.Asked(true);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(monitor.Read(1).all.maybes, 808u);
}

TEST(FprMonitorThreads, ReadersSeeNoImpossibleCounts) {
  FprMonitor monitor(Planned(0.5));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        monitor.Asked(true);
        monitor.WasAbsent();
        monitor.Asked(false);
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) monitor.Restart();
  });
  for (int i = 0; i < 3000; ++i) {
    const FprMonitorReport report = monitor.Read(0.5);
    ASSERT_LE(report.all.false_positives, report.all.maybes);
    ASSERT_FALSE(Has(report, "WasAbsent was called")) << report.sentence;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST(FprMonitorThreads, AForkedChildGoesOnWithACopy) {
  FprMonitor monitor(Planned(0.01));
  Count(10000, 100, &monitor);
  std::atomic<bool> stop{false};
  std::thread reader([&] {  // it has the lock most of the time
    while (!stop) monitor.Read(0.01);
  });
  for (int i = 0; i < 30; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);  // a lock that nobody lets go would last longer
      Count(10000, 100, &monitor);
      const FprMonitorReport both = monitor.Read(0.01);
      monitor.Restart();
      Count(10000, 5000, &monitor);
      const FprMonitorReport own = monitor.Read(0.01);
      const bool good = both.all.asked == 20000 && own.since_restart.asked == 10000 && own.all.asked == 30000 &&
                        own.verdict == Verdict::kMoreThanExpected;
      _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    if (HasFailure()) break;
  }
  stop = true;
  reader.join();
  EXPECT_EQ(monitor.Read(0.01).all.asked, 10000u);
  EXPECT_EQ(monitor.Read(0.01).verdict, Verdict::kAsExpected);
}

}  // namespace
}  // namespace linefilter::test
