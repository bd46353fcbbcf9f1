// The handle is a monitor, and the memory that it came from.
#include "linefilter/c/monitor.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "lib/c/handles.h"
#include "linefilter/monitor.h"

using namespace linefilter;
using namespace linefilter::internal;

static_assert(LINEFILTER_MONITOR_AS_EXPECTED == int{static_cast<int>(FprMonitorVerdict::kAsExpected)});
static_assert(LINEFILTER_MONITOR_TOO_EARLY == int{static_cast<int>(FprMonitorVerdict::kTooEarly)});
static_assert(LINEFILTER_MONITOR_MORE_THAN_EXPECTED == int{static_cast<int>(FprMonitorVerdict::kMoreThanExpected)});
static_assert(LINEFILTER_MONITOR_MEMBERS_LOST == int{static_cast<int>(FprMonitorVerdict::kMembersLost)});
static_assert(sizeof(linefilter_monitor_report::sentence) == sizeof(FprMonitorReport::sentence));

struct linefilter_monitor {
  linefilter_monitor(const FprMonitorOptions& options, const Allocator& memory) : counts(options), allocator(memory) {}

  FprMonitor counts;
  Allocator allocator;
};

namespace {

FprMonitorOptions OptionsFromC(const linefilter_monitor_options* options) {
  FprMonitorOptions made;
  if (options == nullptr) return made;
  if (options->planned_fpr != 0) made.planned_fpr = options->planned_fpr;
  if (options->confidence != 0) made.confidence = options->confidence;
  if (options->tolerance != 0) made.tolerance = options->tolerance;
  return made;
}

linefilter_monitor_counts CountsToC(const FprMonitorCounts& counts) {
  return {counts.asked, counts.maybes, counts.false_positives, counts.lost};
}

}  // namespace

linefilter_monitor* linefilter_monitor_new(const linefilter_monitor_options* options,
                                           const linefilter_allocator* allocator, linefilter_status* status) {
  const Allocator memory = allocator == nullptr ? Allocator() : FromC(*allocator);
  const Status checked = CheckAllocator(memory);
  if (!checked.ok()) return ToC(checked, status), nullptr;
  auto* const monitor = NewHandle<linefilter_monitor>(status, memory, OptionsFromC(options), memory);
  return monitor == nullptr ? nullptr : HandleOr(Status(), monitor, status);
}

void linefilter_monitor_free(linefilter_monitor* monitor) { FreeHandle(monitor); }

void linefilter_monitor_asked(linefilter_monitor* monitor, size_t n, size_t maybes) {
  if (monitor != nullptr) monitor->counts.Asked(n, maybes);
}

void linefilter_monitor_was_absent(linefilter_monitor* monitor, size_t n) {
  if (monitor != nullptr) monitor->counts.WasAbsent(n);
}

void linefilter_monitor_was_lost(linefilter_monitor* monitor, size_t n) {
  if (monitor != nullptr) monitor->counts.WasLost(n);
}

linefilter_monitor_verdict linefilter_monitor_read(linefilter_monitor* monitor, double expected_fpr,
                                                   linefilter_monitor_report* report) {
  FprMonitorReport read;
  if (monitor != nullptr) {
    read = monitor->counts.Read(expected_fpr);
  } else {
    snprintf(read.sentence, sizeof(read.sentence), "the monitor is NULL: look at the status of the call that made it");
  }
  const auto verdict = static_cast<linefilter_monitor_verdict>(read.verdict);
  if (report == nullptr) return verdict;
  *report = {verdict,
             0,
             read.fpr,
             read.fpr_low,
             read.fpr_high,
             read.expected_fpr,
             CountsToC(read.recent),
             CountsToC(read.since_restart),
             CountsToC(read.all),
             {}};
  memcpy(report->sentence, read.sentence, sizeof(report->sentence));
  return verdict;
}

void linefilter_monitor_restart(linefilter_monitor* monitor) {
  if (monitor != nullptr) monitor->counts.Restart();
}

size_t linefilter_monitor_prometheus(const linefilter_monitor_series* series, size_t num_series, char* text,
                                     size_t capacity) {
  auto* const all = static_cast<FprMonitorSeries*>(Allocate({}, (num_series + 1) * sizeof(FprMonitorSeries)));
  if (all == nullptr) return 0;
  size_t n = 0;
  for (size_t i = 0; i < num_series; ++i) {
    if (series[i].monitor == nullptr) continue;
    auto* const one = new (&all[n++]) FprMonitorSeries;
    one->monitor = &series[i].monitor->counts;
    one->report = one->monitor->Read(series[i].expected_fpr);
    one->filter = series[i].filter == nullptr ? "" : series[i].filter;
  }
  const size_t size = static_cast<size_t>(FprMonitor::PrometheusText(all, n, text, capacity));
  if (capacity != 0) text[std::min(size, capacity - 1)] = '\0';
  Deallocate({}, all, (num_series + 1) * sizeof(FprMonitorSeries));
  return size;
}
