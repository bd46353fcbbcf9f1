// linefilter_bench_monitor: what FprMonitor costs per lookup, and what its verdicts keep of their promise.
//
//   linefilter_bench_monitor cost            nanoseconds per Asked, best of many rounds; one and two threads
//   linefilter_bench_monitor promise [N]     N monitors (20,000) that are read often: false alarms, delay of true ones
#include "linefilter/monitor.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "bench/threads.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

constexpr size_t kCalls = 1 << 16;

// Answers of a filter with a rate of 1 %, in no order that a CPU could learn.
std::vector<uint8_t> Answers() {
  std::vector<uint8_t> answers(kCalls);
  for (size_t i = 0; i < kCalls; ++i) answers[i] = MixHash(i) % 100 == 0;
  return answers;
}

template <class Call>
double NanosecondsPerCall(const std::vector<uint8_t>& answers, int rounds, const Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    for (const uint8_t answer : answers) call(answer != 0);
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    best = std::min(best, took.count() / static_cast<double>(kCalls));
  }
  return best;
}

// What the loop costs by itself: the answer is looked at, nothing is counted.
void Look(bool maybe) { asm volatile("" ::"r"(maybe)); }

void Cost() {
  constexpr int kRounds = 3000;
  const std::vector<uint8_t> answers = Answers();
  const auto monitor = std::make_unique<FprMonitor>();
  const double loop = NanosecondsPerCall(answers, kRounds, Look);
  const auto count = [&](bool maybe) { monitor->Asked(maybe); };
  printf("the loop alone                      %6.2f ns\n", loop);
  printf("Asked, one thread                   %6.2f ns, loop included\n", NanosecondsPerCall(answers, kRounds, count));
  if (HasSecondCpu()) {
    const Meanwhile other([&] { NanosecondsPerCall(answers, 1, count); });
    printf("Asked, two threads                  %6.2f ns, loop included\n",
           NanosecondsPerCall(answers, kRounds, count));
  } else {
    puts("Asked, two threads                  there is one CPU");
  }
  // All threads that can have a line of their own wait, so the next ones share lines.
  std::atomic<bool> stop{false};
  std::atomic<size_t> counted{0};
  std::vector<std::thread> waiting;
  for (uint32_t i = 0; i < internal::kOwnLines; ++i) {
    waiting.emplace_back([&] {
      monitor->Asked(false);
      ++counted;
      while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
  }
  while (counted != waiting.size()) std::this_thread::yield();
  std::thread([&] {
    printf("Asked, the 66th thread              %6.2f ns, loop included\n",
           NanosecondsPerCall(answers, kRounds / 10, count));
  }).join();
  stop = true;
  for (std::thread& thread : waiting) thread.join();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  constexpr int kReads = 100000;
  for (int i = 0; i < kReads; ++i) {
    monitor->Asked(100, 1);
    monitor->WasAbsent();
    (void)monitor->Read(0.01);
  }
  const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
  printf("Read                                %6.0f ns\n", took.count() / kReads);
}

constexpr uint64_t kBillion = 1000000000;

struct Course {
  double expected, before, after;  // rates; `after` holds from lookup `change` on
  uint64_t change, lookups, per_read;
  double tolerance;
};

// The absent keys asked until the alarm, or 0. It is the part of FprMonitor::Read that decides, without the interval,
// which takes most of the time.
uint64_t Alarm(const Course& course, std::mt19937_64* random) {
  internal::ExcessEvidence evidence;
  std::binomial_distribution<uint64_t> before(course.per_read, course.before), after(course.per_read, course.after);
  for (uint64_t asked = 0; asked < course.lookups; asked += course.per_read) {
    const uint64_t hits = asked < course.change ? before(*random) : after(*random);
    evidence.Update(hits, course.per_read, course.expected * (1 + course.tolerance), FprMonitorOptions().confidence);
    if (evidence.is_above()) return asked + course.per_read;
  }
  return 0;
}

void Promise(size_t monitors) {
  std::mt19937_64 random(1);
  puts("expected   rate, then     lookups until  lookups  per read  tolerance   alarms   median and 99th delay");
  const Course courses[] = {
      {0.01, 0.01, 0.01, 0, 1000000, 1000, 0.1},
      {0.01, 0.011, 0.011, 0, 1000000, 1000, 0.1},  // at the edge of what is allowed
      {0.01, 0.01, 0.01, 0, 1000000, 1000, 0},
      {0.01, 0.01, 0.01, 0, 30000, 30, 0},
      {0.001, 0.001, 0.001, 0, 10000000, 10000, 0},
      {0.01, 0.01, 0.02, 0, 1000000, 1000, 0.1},
      {0.01, 0.01, 0.1, 0, 100000, 10, 0.1},
      {0.01, 0.01, 0.02, kBillion, kBillion + 1000000, 2000, 0.1},  // 500,000 looks, as one in a minute of a year
      {0.01, 0.01, 0.1, kBillion, kBillion + 1000000, 2000, 0.1},
      {0.01, 0.01, 0.013, 0, 3000000, 1000, 0.1},
      {0.001, 0.001, 0.01, 0, 100000, 100, 0.1},
  };
  for (const Course& course : courses) {
    const size_t runs = course.change > 0                       ? monitors / 200
                        : course.after > 1.15 * course.expected ? monitors / 20
                                                                : monitors;
    std::vector<uint64_t> delays;
    size_t early = 0;
    for (size_t i = 0; i < runs; ++i) {
      const uint64_t alarm = Alarm(course, &random);
      if (alarm != 0 && alarm <= course.change) ++early;
      if (alarm > course.change) delays.push_back(alarm - course.change);
    }
    std::sort(delays.begin(), delays.end());
    const auto quantile = [&](double q) {
      return delays.empty() ? 0ull
                            : static_cast<unsigned long long>(
                                  delays[static_cast<size_t>(q * static_cast<double>(delays.size() - 1))]);
    };
    printf("%8.4f %8.4f %8.4f %12llu %9llu %8llu %9.2f %8.4f %10llu %8llu%s\n", course.expected, course.before,
           course.after, static_cast<unsigned long long>(course.change),
           static_cast<unsigned long long>(course.lookups), static_cast<unsigned long long>(course.per_read),
           course.tolerance, static_cast<double>(delays.size() + early) / static_cast<double>(runs), quantile(0.5),
           quantile(0.99), early > 0 ? "  (some before the change)" : "");
    fflush(stdout);
  }
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "cost") == 0) {
    linefilter::bench::Cost();
  } else if (argc >= 2 && strcmp(argv[1], "promise") == 0) {
    linefilter::bench::Promise(argc > 2 ? strtoull(argv[2], nullptr, 10) : 20000);
  } else {
    fputs("usage: linefilter_bench_monitor cost | promise [MONITORS]\n", stderr);
    return 2;
  }
}
