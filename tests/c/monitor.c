/* A monitor counts and judges as in C++, and NULL is harmless. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static linefilter_monitor* NewMonitor(double planned_fpr) {
  linefilter_monitor_options options;
  memset(&options, 0, sizeof(options));
  options.planned_fpr = planned_fpr;
  linefilter_status status;
  linefilter_monitor* const monitor = linefilter_monitor_new(&options, NULL, &status);
  CHECK(monitor != NULL && status.code == LINEFILTER_OK);
  return monitor;
}

static void CountsAndJudges(void) {
  linefilter_monitor* const monitor = NewMonitor(0.01);
  linefilter_monitor_report report;
  CHECK(linefilter_monitor_read(monitor, 0.01, &report) == LINEFILTER_MONITOR_TOO_EARLY);
  linefilter_monitor_asked(monitor, 9999, 99);
  linefilter_monitor_asked(monitor, 1, true);
  linefilter_monitor_was_absent(monitor, 100);
  CHECK(linefilter_monitor_read(monitor, 0.01, &report) == LINEFILTER_MONITOR_AS_EXPECTED);
  CHECK(report.verdict == LINEFILTER_MONITOR_AS_EXPECTED && report.reserved == 0);
  CHECK(report.all.asked == 10000 && report.all.maybes == 100 && report.all.false_positives == 100);
  CHECK(report.fpr == 0.01 && report.fpr_low < 0.01 && report.fpr_high > 0.01 && report.expected_fpr == 0.01);
  CHECK(strstr(report.sentence, "as expected: ") == report.sentence);
  linefilter_monitor_asked(monitor, 10000, 1000);
  linefilter_monitor_was_absent(monitor, 1000);
  CHECK(linefilter_monitor_read(monitor, 0.01, NULL) == LINEFILTER_MONITOR_MORE_THAN_EXPECTED);
  linefilter_monitor_restart(monitor);
  linefilter_monitor_asked(monitor, 1, false);
  linefilter_monitor_was_lost(monitor, 1);
  CHECK(linefilter_monitor_read(monitor, 0.01, &report) == LINEFILTER_MONITOR_MEMBERS_LOST);
  CHECK(report.since_restart.asked == 1 && report.since_restart.lost == 1 && report.all.asked == 20001);
  CHECK(report.recent.asked == 1);
  linefilter_monitor_free(monitor);
}

static void WritesForPrometheus(void) {
  linefilter_monitor* const users = NewMonitor(0);
  linefilter_monitor_asked(users, 1, 1);
  linefilter_monitor_series series[3];
  memset(series, 0, sizeof(series));
  series[0].monitor = users;
  series[0].filter = "users";
  series[2].monitor = users;
  char text[4096];
  memset(text, 'x', sizeof(text));
  const size_t size = linefilter_monitor_prometheus(series, 3, text, sizeof(text));
  CHECK(size > 1000 && size < sizeof(text) && strlen(text) == size && text[size - 1] == '\n');
  CHECK(strstr(text, "linefilter_lookups_total{filter=\"users\"} 1\nlinefilter_lookups_total{filter=\"\"} 1\n") !=
        NULL);
  CHECK(linefilter_monitor_prometheus(series, 3, NULL, 0) == size);
  CHECK(linefilter_monitor_prometheus(series, 3, text, 10) == size && strlen(text) == 9);
  linefilter_monitor_free(users);
}

static void* Refuse(void* context, size_t size, size_t alignment) {
  (void)context, (void)size, (void)alignment;
  return NULL;
}

static void NullIsHarmless(void) {
  linefilter_monitor_asked(NULL, 1, 1);
  linefilter_monitor_was_absent(NULL, 1);
  linefilter_monitor_was_lost(NULL, 1);
  linefilter_monitor_restart(NULL);
  linefilter_monitor_free(NULL);
  linefilter_monitor_report report;
  CHECK(linefilter_monitor_read(NULL, 0.01, &report) == LINEFILTER_MONITOR_TOO_EARLY);
  CHECK(report.all.asked == 0 && strstr(report.sentence, "the monitor is NULL") != NULL);
  CHECK(linefilter_monitor_prometheus(NULL, 0, NULL, 0) > 0);
  linefilter_monitor* const usual = linefilter_monitor_new(NULL, NULL, NULL);
  CHECK(linefilter_monitor_read(usual, 0.5, NULL) == LINEFILTER_MONITOR_TOO_EARLY);
  linefilter_monitor_free(usual);
  linefilter_allocator half;
  memset(&half, 0, sizeof(half));
  half.allocate = &Refuse;
  linefilter_status status;
  CHECK(linefilter_monitor_new(NULL, &half, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
}

void RunMonitor(void) {
  RUN(CountsAndJudges);
  RUN(WritesForPrometheus);
  RUN(NullIsHarmless);
}
