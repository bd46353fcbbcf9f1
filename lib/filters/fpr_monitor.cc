// Counting is inlined (linefilter/monitor.h); here counts are added up and judged.
//
// A look compares what came since the look before with the rate that is allowed. This is the lower one of the planned
// and the expected rate, and the tolerance above it. The verdict "more than expected" is that of ExcessEvidence, which
// many looks do not wear out. The rate that people see is that of a window of 100 to 200 expected false positives, so
// it tells of now. Rejected for the verdict: the 99 % interval of all counts. With a look each minute it is above the
// rate of 19 % of right filters at some time of a year, and a billion good lookups hide what comes then.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "linefilter/interval.h"
#include "linefilter/monitor.h"

namespace linefilter {
namespace {

constexpr double kWindow = 100;       // expected false positives: the rate is known to 25 % then
constexpr double kAsExpected = 1.5;   // the upper end of the interval is below so many times the allowed rate
constexpr double kEnough = 40;        // expected false positives for that, of a filter that has the allowed rate
constexpr double kLeastRate = 1e-15;  // that a bet can be made on: what an empty filter expects is 0

bool IsShare(double value) { return value >= 0 && value <= 1; }

FprMonitorCounts Since(const FprMonitorCounts& now, const FprMonitorCounts& then) {
  return {now.asked - then.asked, now.maybes - then.maybes, now.false_positives - then.false_positives,
          now.lost - then.lost};
}

unsigned long long Printed(uint64_t value) { return value; }

}  // namespace

// A lock that fork does not leave locked for ever: it has the number of its process. The memory of a thread that fork
// has cut off may be half written, so the judgement begins again.
class FprMonitor::Held {
 public:
  explicit Held(FprMonitor* monitor) : monitor_(monitor) {
    const auto process = static_cast<int64_t>(getpid());
    for (;;) {
      int64_t holder = 0;
      if (monitor->holder_.compare_exchange_weak(holder, process, std::memory_order_acquire)) return;
      if (holder != 0 && holder != process &&
          monitor->holder_.compare_exchange_strong(holder, process, std::memory_order_acquire)) {
        monitor->Forget();
        return;
      }
      std::this_thread::yield();
    }
  }
  ~Held() { monitor_->holder_.store(0, std::memory_order_release); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  FprMonitor* monitor_;
};

FprMonitor::FprMonitor(const FprMonitorOptions& options) noexcept : options_(options) {
  const FprMonitorOptions usual;
  if (!(options_.planned_fpr > 0 && options_.planned_fpr <= 1)) options_.planned_fpr = usual.planned_fpr;
  if (!(options_.confidence > 0 && options_.confidence < 1)) options_.confidence = usual.confidence;
  if (!(options_.tolerance >= 0)) options_.tolerance = usual.tolerance;
}

// What came of lookups first, of all threads: the lookups themselves are there then (Count releases them).
FprMonitorCounts FprMonitor::Sum() const noexcept {
  FprMonitorCounts sum;
  for (const Line& line : lines_) {
    sum.false_positives += line.words[kFalsePositive].load(std::memory_order_acquire);
    sum.lost += line.words[kLost].load(std::memory_order_acquire);
  }
  for (const Line& line : lines_) {
    const uint64_t maybes = line.words[kMaybe].load(std::memory_order_relaxed);
    sum.maybes += maybes;
    sum.asked += maybes + line.words[kAbsent].load(std::memory_order_relaxed);
  }
  return sum;
}

void FprMonitor::Forget() noexcept {
  memory_ = Memory();
  memory_.restarted = memory_.older = memory_.newer = memory_.judged = Sum();
}

void FprMonitor::Restart() noexcept {
  const Held held(this);
  Forget();
}

FprMonitorReport FprMonitor::Read(double expected_fpr) noexcept {
  const Held held(this);
  FprMonitorReport report;
  const FprMonitorCounts now = Sum();
  const double given = IsShare(expected_fpr) ? expected_fpr : 1;
  // The filter may have changed at any moment since the last look that was judged.
  memory_.expected_fpr = std::max(given, memory_.expected_fpr);
  const double expected = std::min(options_.planned_fpr, memory_.expected_fpr);
  const double allowed = std::clamp(expected * (1 + options_.tolerance), kLeastRate, 1.0);

  // Looks at which nothing can have come would each cost a little evidence.
  const FprMonitorCounts fresh = Since(now, memory_.judged);
  if (fresh.false_positives > 0 || static_cast<double>(fresh.absent_keys()) * allowed >= 1) {
    memory_.evidence.Update(fresh.false_positives, fresh.absent_keys(), allowed, options_.confidence);
    memory_.judged = now;
    memory_.expected_fpr = given;
  }
  if (static_cast<double>(Since(now, memory_.newer).absent_keys()) * allowed >= kWindow) {
    memory_.older = memory_.newer;
    memory_.newer = now;
  }
  report.all = now;
  report.since_restart = Since(now, memory_.restarted);
  report.recent = Since(now, memory_.older);
  report.expected_fpr = std::min(options_.planned_fpr, given);
  Judge(given, allowed, &report);
  return report;
}

// The sentence of counts that cannot be, or null.
const char* FprMonitor::Impossible(const FprMonitorCounts& all) noexcept {
  if (all.false_positives > all.maybes) {
    return "WasAbsent was called %llu times, Asked was told of %llu answers \"maybe\": tell it of every lookup, "
           "and call WasAbsent only if the answer was \"maybe\"";
  }
  if (all.lost > all.asked - all.maybes) {
    return "WasLost was called %llu times, Asked was told of %llu answers \"absent\": tell it of every lookup, "
           "and call WasLost only if the answer was \"absent\"";
  }
  return nullptr;
}

// Where to look if the rate is more than expected; `given` is what the filter itself expects.
const char* FprMonitor::Cause(double given, const FprMonitorReport& report) const noexcept {
  const double share = 1 + options_.tolerance;
  if (given >= 1) {
    return "The filter answers \"maybe\" to every key, because it is damaged, was never made or is full: look at its "
           "status, and make it again";
  }
  if (given > options_.planned_fpr * share && report.fpr_low <= given * share) {
    return "Its own bits explain it, so it has more keys than it was planned for: make a larger one";
  }
  return "Its own bits do not explain it: look for keys that a shard or an attacker chose, or that come "
         "again and again";
}

void FprMonitor::Judge(double given, double allowed, FprMonitorReport* report) const noexcept {
  const FprMonitorCounts &recent = report->recent, &all = report->all;
  const uint64_t absent = recent.absent_keys(), hits = std::min(recent.false_positives, absent);
  const Interval interval = ClopperPearson(hits, absent, options_.confidence);
  report->fpr = absent == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(absent);
  report->fpr_low = interval.low;
  report->fpr_high = interval.high;
  char rate[176];
  snprintf(rate, sizeof(rate),
           "of the last %llu lookups of absent keys %llu were \"maybe\": %.3g %% (%.3g to %.3g %%) where %.3g %% was "
           "expected",
           Printed(absent), Printed(hits), 100 * report->fpr, 100 * report->fpr_low, 100 * report->fpr_high,
           100 * report->expected_fpr);
  const auto say = [report](FprMonitorVerdict verdict, const char* format, auto... values) {
    report->verdict = verdict;
    snprintf(report->sentence, sizeof(report->sentence), format, values...);
  };
  const bool has_rate = allowed < 1 || options_.planned_fpr < 1;
  if (const char* const impossible = Impossible(all)) {
    const bool is_lost = all.false_positives <= all.maybes;
    say(FprMonitorVerdict::kTooEarly, impossible, Printed(is_lost ? all.lost : all.false_positives),
        Printed(is_lost ? all.asked - all.maybes : all.maybes));
  } else if (report->since_restart.lost > 0) {
    say(FprMonitorVerdict::kMembersLost,
        "members lost: %llu lookups of keys that the store has were \"absent\". Make the filter again from the "
        "store, and insert new keys into the filter before the store has them",
        Printed(report->since_restart.lost));
  } else if (!has_rate) {
    say(FprMonitorVerdict::kTooEarly, "%s",
        "there is no rate to hold it to: none is planned, and the filter expected 100 %. It is damaged, was never "
        "made or is full, or Read was not told its ExpectedFpr: look at its status, and tell the monitor the planned "
        "rate");
  } else if (memory_.evidence.is_above()) {
    say(FprMonitorVerdict::kMoreThanExpected, "more than expected: %s. %s", rate, Cause(given, *report));
  } else if (absent > 0 && report->fpr_high <= kAsExpected * allowed) {
    say(FprMonitorVerdict::kAsExpected, "as expected: %s", rate);
  } else if (report->fpr <= allowed || static_cast<double>(absent) * allowed < kEnough) {
    say(FprMonitorVerdict::kTooEarly, "too early: %s. It takes about %.0f lookups of absent keys", rate,
        std::ceil(kEnough / allowed));
  } else {
    say(FprMonitorVerdict::kTooEarly, "too early: %s. That is more, but it may be chance", rate);
  }
}

}  // namespace linefilter
