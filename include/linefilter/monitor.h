// An FprMonitor watches the false-positive rate of a filter in production: a service tells it what the filter answered
// and what the store then said.
//
//   linefilter::FprMonitor monitor({0.01});       // the filter was planned for 1 %
//   const bool maybe = users.MayContainKey(name);
//   monitor.Asked(maybe);                         // any number of threads, without a lock
//   if (maybe && !store.Has(name)) monitor.WasAbsent();               // a false positive
//
//   const linefilter::FprMonitorReport report = monitor.Read(users.ExpectedFpr());  // every minute, or when you like
//   if (report.verdict == linefilter::FprMonitorVerdict::kMoreThanExpected) puts(report.sentence);
//
// - It counts lookups of absent keys: those that were answered "absent", and the false positives. Call WasAbsent for
//   each false positive. If only some of the "maybe" are looked up in the store, the rate is that of those alone.
// - Read may be called as often as you like. A filter whose rate is at most 1.1 times the expected one is called "more
//   than expected" with a probability of at most 1 % over the whole life of the monitor, not per look (tolerance and
//   confidence of the options). An excess that begins after a billion good lookups is found nearly as soon as one at
//   the start. Where 1 % is expected and 2 % come, that takes 12,000 lookups of absent keys, and 3,000 at the start.
// - The promise is for keys that have nothing to do with the filter. A false positive that is asked again and again
//   counts each time, because the store is asked each time. So the verdict finds attackers and hot keys, too. For these
//   keep a cache of the keys that the store does not have.
// - A filter that grows beyond its plan says so in ExpectedFpr. So tell the monitor the planned rate as well: the lower
//   one of the two is expected. Without a plan, a filter that is damaged or full is never more than expected.
// - The promise needs false positives that are told soon. After a stop of the store of half the time between two reads,
//   many come at once, which looks like an excess. If a job asks the store in bulk, keep the answers: call Asked and
//   WasAbsent for the whole batch when the store has answered.
// - Each thread counts in a cache line of its own. Above 64 threads that count at once, the others share 16 lines with
//   atomic additions. Counts are exact in any case. A monitor has some 5 KB. Do not count in signal handlers.
// - After fork the child goes on with a copy of the counts. Restart it there if the child should judge for itself.
#ifndef LINEFILTER_MONITOR_H_
#define LINEFILTER_MONITOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "linefilter/internal/append.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/excess_evidence.h"
#include "linefilter/internal/export.h"
#include "linefilter/internal/thread_line.h"
#include "linefilter/status.h"

namespace linefilter {

// How a monitor judges.
struct FprMonitorOptions {
  double planned_fpr = 1;    // what the filter was made for, such as FilterOptions::fpr; 1 stands for "no plan"
  double confidence = 0.99;  // that no filter is called "more than expected" that is not; also of the interval
  double tolerance = 0.1;    // by how much a rate may be above the expected one: models have errors, too
};

// What was counted.
struct FprMonitorCounts {
  uint64_t asked = 0;            // lookups in the filter
  uint64_t maybes = 0;           // those that it answered "maybe"
  uint64_t false_positives = 0;  // those of which the store did not have the key
  uint64_t lost = 0;             // lookups that it answered "absent", of keys that the store had

  // The lookups of absent keys: those the rate is a share of.
  uint64_t absent_keys() const noexcept {
    const uint64_t all = asked - maybes + false_positives;
    return all > lost ? all - lost : 0;
  }
};

// The answers of a monitor. The later ones outrank the first.
enum class FprMonitorVerdict : unsigned char {
  kAsExpected = 0,        // the rate is at most 1.5 times the allowed one
  kTooEarly = 1,          // nothing can be said yet; the sentence tells how many lookups are needed
  kMoreThanExpected = 2,  // the rate is more than expected; this ends by itself when the rate sinks
  kMembersLost = 3,       // a member was "absent"; this stays until Restart
};

// What a monitor found.
struct FprMonitorReport {
  FprMonitorVerdict verdict = FprMonitorVerdict::kTooEarly;  // the judgement, for programs
  double fpr = 0;                                            // the observed rate of the recent lookups; 0 without any
  double fpr_low = 0;                                        // the lower end of its exact interval, for this look
  double fpr_high = 1;                                       // the upper end
  double expected_fpr = 1;                                   // the lower one of what was handed in and what was planned
  FprMonitorCounts recent;                                   // the last 100 to 200 expected false positives, or all
  FprMonitorCounts since_restart;                            // since the monitor was made or restarted
  FprMonitorCounts all;                                      // since it was made
  char sentence[400] = "";                                   // the judgement, for people
};

class FprMonitor;

// One monitor in a text for Prometheus.
struct FprMonitorSeries {
  FprMonitor* monitor = nullptr;  // it is read; null: the report stays as it is
  double expected_fpr = 1;        // for Read
  std::string_view filter;        // the value of the label `filter`, any UTF-8
  FprMonitorReport report = {};   // an output: what Read told
};

// Any number of threads may count. Any thread may call Read, Restart and WritePrometheus, too.
class LINEFILTER_EXPORT FprMonitor {
 public:
  explicit FprMonitor(const FprMonitorOptions& options = FprMonitorOptions()) noexcept;
  FprMonitor(const FprMonitor&) = delete;
  FprMonitor& operator=(const FprMonitor&) = delete;

  // The filter was asked, and this was its answer.
  LINEFILTER_INLINE void Asked(bool maybe) noexcept { Count(maybe ? kMaybe : kAbsent, 1, std::memory_order_relaxed); }
  // The filter was asked for n keys, and `maybes` of the answers were "maybe".
  LINEFILTER_INLINE void Asked(size_t n, size_t maybes) noexcept {
    if (maybes > n) maybes = n;
    Count(kMaybe, maybes, std::memory_order_relaxed);
    Count(kAbsent, n - maybes, std::memory_order_relaxed);
  }
  // The store did not have a key (n keys) that the filter answered "maybe" for.
  LINEFILTER_INLINE void WasAbsent(size_t n = 1) noexcept { Count(kFalsePositive, n, std::memory_order_release); }
  // The store had a key that the filter answered "absent" for, and had it already when the filter was asked. Insert new
  // keys into the filter first, then into the store: else a key that comes between the two questions looks lost.
  LINEFILTER_INLINE void WasLost(size_t n = 1) noexcept { Count(kLost, n, std::memory_order_release); }

  // Judges. expected_fpr is FilterBase::ExpectedFpr() of now; between two calls the higher one of both holds. Rates
  // that are no number from 0 to 1 count as 1. ExpectedFpr looks at the whole filter. For a large one that fills up
  // slowly, a call a minute is enough, and Read may be called more often with the last answer. The rate of a
  // RotatingFilter goes up and down: read at least once in a generation, or hand in the planned rate.
  FprMonitorReport Read(double expected_fpr) noexcept;
  // Begins a new judgement, for instance after SwappableFilter::Swap. What was counted before is in `all` only.
  void Restart() noexcept;

  // Appends a text in the exposition format of Prometheus: counters, observed and expected rate, interval and verdict
  // of each monitor, in one page. On an error (no memory) *text is as before.
  static Status WritePrometheus(FprMonitorSeries* series, size_t num_series, std::string* text) {
    ReadAll(series, num_series);
    const uint64_t size = PrometheusText(series, num_series, nullptr, 0);
    return internal::AppendToString(text, size, [&](char* out, size_t capacity) {
      PrometheusText(series, num_series, out, capacity);
      return Status();
    });
  }
  // The same for this monitor alone.
  Status WritePrometheus(double expected_fpr, std::string_view filter, std::string* text) {
    FprMonitorSeries series;
    series.monitor = this;
    series.expected_fpr = expected_fpr;
    series.filter = filter;
    return WritePrometheus(&series, 1, text);
  }
  // The text of series whose reports were read already, into memory of the caller. It returns the bytes of the whole
  // text, of which at most `capacity` are written.
  static uint64_t PrometheusText(const FprMonitorSeries* series, size_t num_series, char* out,
                                 size_t capacity) noexcept;

 private:
  enum Word : unsigned char { kAbsent, kMaybe, kFalsePositive, kLost };  // of a line
  static constexpr uint32_t kSharedLines = 16;
  struct alignas(64) Line {
    std::atomic<uint64_t> words[8];
  };
  // What Read and Restart know of earlier looks.
  struct Memory {
    FprMonitorCounts restarted, older, newer, judged;
    double expected_fpr = 0;
    internal::ExcessEvidence evidence;
  };
  class LINEFILTER_LOCAL Held;  // the lock of the memory

  // What came of a lookup releases the lookup: Read never sees a false positive without its "maybe".
  LINEFILTER_INLINE void Count(Word word, uint64_t n, std::memory_order order) noexcept {
    const uint32_t line = internal::line_of_thread;
    if (line < internal::kOwnLines) {
      std::atomic<uint64_t>& count = lines_[line].words[word];
      count.store(count.load(std::memory_order_relaxed) + n, order);
    } else {
      CountSlowly(word, n, order);
    }
  }
  LINEFILTER_LOCAL LINEFILTER_COLD void CountSlowly(Word word, uint64_t n, std::memory_order order) noexcept {
    const uint32_t line = internal::FindLine({&TakeLine, &GiveLineBack});
    if (line < internal::kOwnLines) return Count(word, n, order);
    const uint64_t thread = reinterpret_cast<uintptr_t>(&internal::line_of_thread) >> 6;
    const uint64_t shared = thread * 0x9e3779b97f4a7c15u >> 60;  // the golden ratio spreads the addresses
    lines_[internal::kOwnLines + shared].words[word].fetch_add(n, order);
  }

  static uint32_t TakeLine() noexcept;
  static void GiveLineBack(uint32_t line) noexcept;
  LINEFILTER_LOCAL FprMonitorCounts Sum() const noexcept;
  LINEFILTER_LOCAL void Forget() noexcept;
  LINEFILTER_LOCAL static const char* Impossible(const FprMonitorCounts& all) noexcept;
  LINEFILTER_LOCAL const char* Cause(double given, const FprMonitorReport& report) const noexcept;
  LINEFILTER_LOCAL void Judge(double given, double allowed, FprMonitorReport* report) const noexcept;
  static void ReadAll(FprMonitorSeries* series, size_t num_series) noexcept;

  Line lines_[internal::kOwnLines + kSharedLines] = {};
  FprMonitorOptions options_;
  Memory memory_;
  std::atomic<int64_t> holder_{0};  // the process whose thread has the lock, or 0
};

}  // namespace linefilter

#endif  // LINEFILTER_MONITOR_H_
