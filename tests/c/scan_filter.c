/* linefilter_scan_filter: it asks as long as that leaves rows out, and is never wrong. (That rows and counts are those
   of C++: tests/c/c_api_test_scan.cc.) */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kVector = 1024, kMembers = 8 * kVector };

static int64_t members[kMembers], others[kMembers];

static linefilter_filter* FilledFilter(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* filter = linefilter_filter_new(kMembers, &options, NULL);
  for (int i = 0; i < kMembers; ++i) members[i] = i, others[i] = 1000000 + i;
  const linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, members, kMembers);
  CHECK(linefilter_filter_add_column(filter, &column, 1, NULL) == LINEFILTER_OK);
  return filter;
}

/* Asks for so many vectors, of both sizes of row numbers; returns how many rows stayed. */
static size_t Scan(linefilter_scan_filter* scan, const int64_t* values, int num_vectors) {
  size_t stayed = 0;
  for (int i = 0; i < num_vectors; ++i) {
    uint32_t rows[kVector];
    uint16_t short_rows[kVector];
    size_t n = 0;
    linefilter_status status;
    const linefilter_column column =
        linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, values + i % 8 * kVector, kVector);
    if (i % 2 == 0) {
      CHECK(linefilter_scan_filter_select(scan, &column, 1, NULL, kVector, rows, &n, &status) == LINEFILTER_OK);
    } else {
      CHECK(linefilter_scan_filter_select16(scan, &column, 1, NULL, kVector, short_rows, &n, &status) == LINEFILTER_OK);
    }
    CHECK(IsOk(&status));
    for (uint32_t k = 0; n == kVector && k < n; ++k) CHECK((i % 2 == 0 ? rows[k] : short_rows[k]) == k);
    stayed += n;
  }
  return stayed;
}

static void TestAsksAsLongAsThatPays(void) {
  linefilter_filter* filter = FilledFilter();
  linefilter_scan_filter scan, copy;
  linefilter_scan_filter_init(&scan, linefilter_filter_view(filter), 0.9);
  CHECK(linefilter_scan_filter_asks(&scan) && linefilter_scan_filter_num_rows(&scan) == 0);
  CHECK(Scan(&scan, others, 100) < 100 && linefilter_scan_filter_asks(&scan));
  CHECK(linefilter_scan_filter_num_asked(&scan) == 100 * kVector);
  CHECK(linefilter_scan_filter_num_maybes(&scan) < 100);
  CHECK(Scan(&scan, members, 100) == 100 * kVector && !linefilter_scan_filter_asks(&scan));
  CHECK(linefilter_scan_filter_num_rows(&scan) == 200 * kVector);
  CHECK(linefilter_scan_filter_num_asked(&scan) < 120 * kVector);
  copy = scan;
  Scan(&copy, others, 100);
  CHECK(linefilter_scan_filter_asks(&copy) && !linefilter_scan_filter_asks(&scan));
  linefilter_scan_filter_init(&scan, linefilter_filter_view(filter), 1); /* more than all never stay */
  CHECK(Scan(&scan, members, 100) == 100 * kVector && linefilter_scan_filter_asks(&scan));
  CHECK(linefilter_scan_filter_num_asked(&scan) == 100 * kVector);
  linefilter_filter_free(filter);
}

/* Rows of an earlier predicate, in place, with nulls; and rows that are not asked. */
static void TestRowsOfAnEarlierPredicate(void) {
  static const uint8_t validity = 0xfb; /* row 2 is null */
  linefilter_filter* filter = FilledFilter();
  linefilter_scan_filter scan;
  linefilter_scan_filter_init(&scan, linefilter_filter_view(filter), 0.9);
  const int64_t values[5] = {1, 2000000, 3, 4, 5};
  linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, values, 5);
  linefilter_column_set_validity(&column, &validity, 0);
  uint32_t rows[4] = {1, 2, 3, 4};
  uint16_t short_rows[2] = {2, 3};
  size_t n = 0;
  CHECK(linefilter_scan_filter_select(&scan, &column, 1, rows, 4, rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 2 && rows[0] == 3 && rows[1] == 4);
  CHECK(linefilter_scan_filter_num_asked(&scan) == 4 && linefilter_scan_filter_num_maybes(&scan) == 2);
  Scan(&scan, members, 20);
  CHECK(!linefilter_scan_filter_asks(&scan));
  CHECK(linefilter_scan_filter_select16(&scan, &column, 1, short_rows, 2, short_rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 2 && short_rows[0] == 2 && short_rows[1] == 3);
  linefilter_filter_free(filter);
}

/* All rows stay, nothing counts as asked, and the status says why. */
static void CheckAllStay(linefilter_scan_filter* scan, const linefilter_column* column, linefilter_code code,
                         const char* word) {
  uint32_t rows[3] = {9, 9, 9};
  uint16_t short_rows[3] = {9, 9, 9};
  size_t n = 77;
  linefilter_status status;
  CHECK(linefilter_scan_filter_select(scan, column, 1, NULL, 3, rows, &n, &status) == code);
  CHECK(Says(code, &status, word) && n == 3 && rows[0] == 0 && rows[2] == 2);
  n = 77;
  CHECK(linefilter_scan_filter_select16(scan, column, 1, NULL, 3, short_rows, &n, &status) == code);
  CHECK(Says(code, &status, word) && n == 3 && short_rows[0] == 0 && short_rows[2] == 2);
  CHECK(linefilter_scan_filter_asks(scan) && linefilter_scan_filter_num_asked(scan) == 0);
  CHECK(linefilter_scan_filter_num_maybes(scan) == 0);
}

static void TestWhereNothingCanBeAsked(void) {
  linefilter_filter* filter = FilledFilter();
  const linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, members, 3);
  const linefilter_column reals = linefilter_column_of_numbers(LINEFILTER_NUMBER_DOUBLE, members, 3);
  const linefilter_column broken = linefilter_column_of_numbers(77, members, 3);
  linefilter_scan_filter scan;
  memset(&scan, 0, sizeof(scan)); /* it was never made */
  CheckAllStay(&scan, &column, LINEFILTER_INVALID_ARGUMENT, "NULL");
  CheckAllStay(NULL, &column, LINEFILTER_INVALID_ARGUMENT, "NULL");
  linefilter_scan_filter_init(NULL, linefilter_filter_view(filter), 0.9);
  CHECK(linefilter_scan_filter_num_rows(NULL) == 0);
  linefilter_scan_filter_init(&scan, NULL, 0.9);
  CheckAllStay(&scan, &column, LINEFILTER_INVALID_ARGUMENT, "NULL");
  linefilter_scan_filter_init(&scan, linefilter_filter_view(filter), 0.9);
  CheckAllStay(&scan, &reals, LINEFILTER_INCOMPATIBLE, "form");
  CheckAllStay(&scan, &broken, LINEFILTER_INVALID_ARGUMENT, "linefilter_number");
  CheckAllStay(&scan, NULL, LINEFILTER_INVALID_ARGUMENT, "columns");
  CHECK(linefilter_scan_filter_num_rows(&scan) == 18);
  linefilter_filter_free(filter);
}

void RunScanFilter(void) {
  RUN(TestAsksAsLongAsThatPays);
  RUN(TestRowsOfAnEarlierPredicate);
  RUN(TestWhereNothingCanBeAsked);
}
