// What the tests of linefilter/monitor.h share: a service with a filter, a store and a monitor.
#ifndef LINEFILTER_TESTS_FILTERS_FPR_MONITOR_TEST_H_
#define LINEFILTER_TESTS_FILTERS_FPR_MONITOR_TEST_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/monitor.h"
#include "tests/testing/options.h"
#include "tests/testing/status.h"

namespace linefilter::test {

using Verdict = FprMonitorVerdict;

inline FprMonitorOptions Planned(double fpr) {
  FprMonitorOptions options;
  options.planned_fpr = fpr;
  return options;
}

// Members are even keys, absent ones odd. The store is asked for every "maybe".
struct Service {
  explicit Service(uint64_t num_keys, const FilterOptions& options = Fpr(0.01), double planned = 0.01)
      : monitor(Planned(planned)) {
    EXPECT_TRUE(IsOk(filter.Create(num_keys, options)));
  }

  void Insert(uint64_t first, uint64_t n) {
    for (uint64_t i = first; i < first + n; ++i) filter.InsertKey(2 * i);
  }
  // Whether the store has to be asked.
  bool Ask(uint64_t key) {
    const bool maybe = filter.MayContainKey(key);
    monitor.Asked(maybe);
    if (maybe && key % 2 == 1) monitor.WasAbsent();
    return maybe;
  }
  void AskAbsent(uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) Ask(2 * next_absent++ + 1);
  }
  FprMonitorReport Read() { return monitor.Read(filter.ExpectedFpr()); }

  BlockedFilter filter;
  FprMonitor monitor;
  uint64_t next_absent = 0;
};

// n lookups of absent keys at once, of which `hits` are false positives.
inline void Count(uint64_t n, uint64_t hits, FprMonitor* monitor) {
  monitor->Asked(n, hits);
  monitor->WasAbsent(hits);
}

inline bool Has(const FprMonitorReport& report, const std::string& words) {
  return std::string(report.sentence).find(words) != std::string::npos;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_FPR_MONITOR_TEST_H_
