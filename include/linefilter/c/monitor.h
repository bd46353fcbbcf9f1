// A monitor, in C, watches the false-positive rate of a filter in production. Start at linefilter/c.h;
// linefilter/monitor.h tells what is counted and promised.
//
//   linefilter_monitor_options options = {0};
//   options.planned_fpr = 0.01;
//   linefilter_monitor* monitor = linefilter_monitor_new(&options, NULL, NULL);
//   const bool maybe = linefilter_view_may_contain_key(users, name, size);
//   linefilter_monitor_asked(monitor, 1, maybe);                                // any number of threads
//   if (maybe && !store_has(name, size)) linefilter_monitor_was_absent(monitor, 1);
//   linefilter_monitor_report report;                                           // every minute, or when you like
//   linefilter_monitor_read(monitor, linefilter_view_expected_fpr(users), &report);
//   if (report.verdict == LINEFILTER_MONITOR_MORE_THAN_EXPECTED) puts(report.sentence);
//
// Any number of threads may call at once all but _new and _free. A NULL monitor counts nothing.
#ifndef LINEFILTER_C_MONITOR_H_
#define LINEFILTER_C_MONITOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// A monitor; it has some 5 KB.
typedef struct linefilter_monitor linefilter_monitor;

// How a monitor judges. Set everything to 0 first, for that is the default. This never changes its size.
typedef struct linefilter_monitor_options {
  double planned_fpr;  // what the filter was made for; 0 means 1, which stands for "no plan"
  double confidence;   // that no filter is called "more than expected" that is not; 0 means 0.99
  double tolerance;    // by how much a rate may be above the expected one; 0 means 0.1
} linefilter_monitor_options;

// The answers of a monitor. The later ones outrank the first.
typedef int32_t linefilter_monitor_verdict;
enum {
  LINEFILTER_MONITOR_AS_EXPECTED = 0,         // the rate is at most 1.5 times the allowed one
  LINEFILTER_MONITOR_TOO_EARLY = 1,           // nothing can be said yet
  LINEFILTER_MONITOR_MORE_THAN_EXPECTED = 2,  // the rate is more than expected; this ends when the rate sinks
  LINEFILTER_MONITOR_MEMBERS_LOST = 3         // a member was "absent"; this stays until a restart
};

// What was counted. This never changes its size.
typedef struct linefilter_monitor_counts {
  uint64_t asked;            // lookups in the filter
  uint64_t maybes;           // those that it answered "maybe"
  uint64_t false_positives;  // those of which the store did not have the key
  uint64_t lost;             // lookups that it answered "absent", of keys that the store had
} linefilter_monitor_counts;

// What a monitor found. This never changes its size.
typedef struct linefilter_monitor_report {
  linefilter_monitor_verdict verdict;       // the judgement, for programs
  uint32_t reserved;                        // 0
  double fpr;                               // the observed rate of the recent lookups; 0 without any
  double fpr_low;                           // the lower end of its exact interval, for this look
  double fpr_high;                          // the upper end
  double expected_fpr;                      // the lower one of what was handed in and what was planned
  linefilter_monitor_counts recent;         // the last 100 to 200 expected false positives, or all
  linefilter_monitor_counts since_restart;  // since the monitor was made or restarted
  linefilter_monitor_counts all;            // since it was made
  char sentence[400];                       // the judgement, for people
} linefilter_monitor_report;

// Makes a monitor. `options` and `allocator` may be NULL: the default. It is NULL if there is no memory, or if the
// allocator is incomplete.
linefilter_monitor* linefilter_monitor_new(const linefilter_monitor_options* options,
                                           const linefilter_allocator* allocator, linefilter_status* status);
// Frees it, when all threads have stopped to count. NULL does nothing.
void linefilter_monitor_free(linefilter_monitor* monitor);

// The filter was asked for n keys, and `maybes` of the answers were "maybe".
void linefilter_monitor_asked(linefilter_monitor* monitor, size_t n, size_t maybes);
// The store did not have n keys that the filter answered "maybe" for.
void linefilter_monitor_was_absent(linefilter_monitor* monitor, size_t n);
// The store had n keys that the filter answered "absent" for, and had them already when the filter was asked.
void linefilter_monitor_was_lost(linefilter_monitor* monitor, size_t n);

// Judges. expected_fpr is linefilter_view_expected_fpr of now. `report` may be NULL. A NULL monitor is
// LINEFILTER_MONITOR_TOO_EARLY.
linefilter_monitor_verdict linefilter_monitor_read(linefilter_monitor* monitor, double expected_fpr,
                                                   linefilter_monitor_report* report);
// Begins a new judgement, for instance after linefilter_swappable_swap.
void linefilter_monitor_restart(linefilter_monitor* monitor);

// One monitor in a text for Prometheus. This never changes its size.
typedef struct linefilter_monitor_series {
  linefilter_monitor* monitor;  // it is read
  double expected_fpr;          // for linefilter_monitor_read
  const char* filter;           // the value of the label `filter`, any UTF-8; NULL: ""
} linefilter_monitor_series;

// Writes a text in the exposition format of Prometheus, with its final zero, as snprintf does. It returns the bytes of
// the whole text, without the zero: if that is not below `capacity`, the text was cut, so call again with more. It is 0
// if there is no memory. `text` may be NULL if capacity is 0. Series of a NULL monitor are left out.
size_t linefilter_monitor_prometheus(const linefilter_monitor_series* series, size_t num_series, char* text,
                                     size_t capacity);

LINEFILTER_C_END

#endif  // LINEFILTER_C_MONITOR_H_
