// bench/counters.h: hardware counters where the machine has them, and a sentence where it has none. The mechanism is
// tried with the kernel's own counters, which every linux has; where even these are forbidden, that must be said.
#include "bench/counters.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/mman.h>
#endif

namespace linefilter::bench {
namespace {

void Work(int steps) {
  for (int i = 0; i < steps; ++i) asm volatile("");
}

// Whatever the machine: either numbers that grow with the work, or a sentence with what to do.
TEST(Counters, CountOrSayWhyNot) {
  Counters counters;
  counters.Start();
  Work(1000000);
  const Counters::Counts many = counters.Stop();
  counters.Start();
  Work(1000);
  const Counters::Counts few = counters.Stop();
  if (counters.available()) {
    EXPECT_GT(many.cycles, 100000);
    EXPECT_LT(few.cycles, many.cycles) << "each Start begins at 0";
    EXPECT_EQ(counters.Text().rfind("hardware", 0), 0u);
    if (counters.why().empty()) {
      EXPECT_GT(many.instructions, 1000000);
      EXPECT_LT(few.instructions, many.instructions);
      EXPECT_GE(many.cache_misses, 0);
    }
  } else {
    EXPECT_EQ(many.cycles, Counters::kNotCounted);
    EXPECT_EQ(many.instructions, Counters::kNotCounted);
    EXPECT_EQ(many.cache_misses, Counters::kNotCounted);
    EXPECT_GT(counters.why().size(), 40u);
    EXPECT_EQ(counters.Text(), "none: " + counters.why());
  }
}

TEST(Counters, ScaleUpWhatTheKernelCountedInAPartOfTheTime) {
  EXPECT_EQ(Counters::Scaled(1000, 500, 500), 1000);
  EXPECT_EQ(Counters::Scaled(1000, 500, 125), 4000);
  EXPECT_EQ(Counters::Scaled(0, 500, 125), 0);
  EXPECT_EQ(Counters::Scaled(1000, 500, 0), Counters::kNotCounted);
}

#ifdef __linux__

const Counters::Event kTaskClock = {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
const Counters::Event kPageFaults = {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
const Counters::Event kUnknown = {"no-such-event", PERF_TYPE_SOFTWARE, 0xffff};

// Makes that many page faults.
void TouchPages(size_t pages) {
  constexpr size_t kPage = 4096;
  char* const memory =
      static_cast<char*>(mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, pages * kPage, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * kPage] = 1;
  munmap(memory, pages * kPage);
}

// Emulators and strict containers have no perf events at all.
bool Forbidden(const Counters& counters) {
  if (counters.available()) return false;
  EXPECT_NE(counters.why().find("perf_event_open of task-clock failed with errno"), std::string::npos)
      << counters.why();
  return true;
}

TEST(Counters, CountEachEventOfAGroup) {
  Counters counters({kTaskClock, kPageFaults});
  if (Forbidden(counters)) GTEST_SKIP() << counters.why();
  EXPECT_EQ(counters.why(), "");
  for (const size_t pages : {300u, 30u}) {  // the second: counts are since Start, not since the first
    counters.Start();
    TouchPages(pages);
    const std::vector<double> counts = counters.StopAll();
    ASSERT_EQ(counts.size(), 2u);
    EXPECT_GT(counts[0], 0);
    EXPECT_GE(counts[1], static_cast<double>(pages));
    EXPECT_LT(counts[1], static_cast<double>(pages) + 60);
  }
}

TEST(Counters, DoNotCountBetweenStopAndStart) {
  Counters counters({kTaskClock, kPageFaults});
  if (Forbidden(counters)) GTEST_SKIP() << counters.why();
  counters.Start();
  counters.StopAll();
  TouchPages(1000);
  counters.Start();
  const std::vector<double> counts = counters.StopAll();
  ASSERT_EQ(counts.size(), 2u);
  EXPECT_GE(counts[1], 0);
  EXPECT_LT(counts[1], 100);
}

// The events behind a missing one keep their places.
TEST(Counters, LeaveOutTheEventThatIsMissing) {
  Counters counters({kTaskClock, kUnknown, kPageFaults});
  if (Forbidden(counters)) GTEST_SKIP() << counters.why();
  EXPECT_NE(counters.why().find("perf_event_open of no-such-event failed with errno"), std::string::npos);
  EXPECT_EQ(counters.Text(), "hardware, but " + counters.why());
  counters.Start();
  TouchPages(300);
  const std::vector<double> counts = counters.StopAll();
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_GT(counts[0], 0);
  EXPECT_EQ(counts[1], Counters::kNotCounted);
  EXPECT_GE(counts[2], 300);
}

TEST(Counters, AreNoneWithoutTheirFirstEvent) {
  Counters counters({kUnknown, kTaskClock});
  EXPECT_FALSE(counters.available());
  EXPECT_NE(counters.why().find("perf_event_open of no-such-event failed with errno"), std::string::npos)
      << counters.why();
  EXPECT_NE(counters.why().find(": "), std::string::npos) << "and what to do";
  counters.Start();
  EXPECT_EQ(counters.StopAll(), std::vector<double>(2, Counters::kNotCounted));
}

// A counter that opens and stays 0, as those of some virtual machines do.
TEST(Counters, ThatStandStillAreNone) {
  Counters clock({kTaskClock});
  if (Forbidden(clock)) GTEST_SKIP() << clock.why();
  Counters counters({{"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS}, kTaskClock});
  EXPECT_FALSE(counters.available());
  EXPECT_NE(counters.why().find("alignment-faults could be opened but stands still"), std::string::npos)
      << counters.why();
  EXPECT_EQ(counters.Stop().cycles, Counters::kNotCounted);
}

#endif

}  // namespace
}  // namespace linefilter::bench
