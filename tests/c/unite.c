/* linefilter_unite_filters makes one filter of those of several threads; what cannot be united says why. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kFilters = 70, kEach = 50 };

/* A filter of kEach numbers from i * kEach on, for all of them. */
static linefilter_filter* Part(int i) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* filter = linefilter_filter_new(kFilters * kEach, &options, NULL);
  int64_t values[kEach];
  for (int k = 0; k < kEach; ++k) values[k] = i * kEach + k;
  const linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, values, kEach);
  CHECK(linefilter_filter_add_column(filter, &column, 1, NULL) == LINEFILTER_OK);
  return filter;
}

/* The image of the union of n parts by single calls. */
static void* UnitedOneByOne(size_t n, size_t* size) {
  linefilter_filter* all = Part(0);
  for (size_t i = 1; i < n; ++i) {
    linefilter_filter* part = Part((int)i);
    CHECK(linefilter_filter_union(all, linefilter_filter_view(part), 0, NULL) == LINEFILTER_OK);
    linefilter_filter_free(part);
  }
  void* image = linefilter_filter_image(all, size, NULL);
  linefilter_filter_free(all);
  return image;
}

/* Runs the tasks backwards, and drops the last one: the library does that itself. */
static size_t num_runs;
static void RunBackwards(void* context, void (*task)(void* argument, size_t index), void* argument, size_t num_tasks) {
  CHECK(context == &num_runs && num_tasks <= 4);
  ++num_runs;
  for (size_t i = num_tasks - 1; i-- > 0;) task(argument, i);
}

static void TestIsWhatSingleCallsMake(void) {
  static const size_t counts[] = {1, 2, 3, 7, 64, kFilters};
  for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); ++c) {
    const size_t n = counts[c];
    size_t expected_size = 0;
    void* expected = UnitedOneByOne(n, &expected_size);
    for (int with_executor = 0; with_executor < 2; ++with_executor) {
      const linefilter_executor executor = {RunBackwards, &num_runs, 4};
      linefilter_filter* filters[kFilters];
      linefilter_status status;
      size_t size = 0;
      num_runs = 0;
      for (size_t i = 0; i < n; ++i) filters[i] = Part((int)i);
      CHECK(linefilter_unite_filters(filters, n, with_executor != 0 ? &executor : NULL, 0, &status) == LINEFILTER_OK);
      CHECK(IsOk(&status) && (num_runs != 0) == (with_executor != 0 && n > 3));
      void* image = linefilter_filter_image(filters[0], &size, NULL);
      CHECK(size == expected_size && memcmp(image, expected, size) == 0);
      linefilter_image_free(image);
      for (size_t i = 0; i < n; ++i) linefilter_filter_free(filters[i]);
    }
    linefilter_image_free(expected);
  }
}

/* Nothing is done if one of them is NULL, of another kind, or comes twice. */
static void TestWhatCannotBeUnited(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16),
                           small = Options(LINEFILTER_LAYOUT_BLOCKED, 9);
  const linefilter_executor zero = {NULL, NULL, 0};
  linefilter_filter* filters[3] = {Part(0), Part(1), NULL};
  linefilter_status status;
  size_t before_size = 0, size = 0;
  void* before = linefilter_filter_image(filters[0], &before_size, NULL);
  CHECK(IsNoHandle(linefilter_unite_filters(filters, 3, NULL, 0, &status), &status));
  filters[2] = linefilter_concurrent_new(1000, &options, NULL);
  CHECK(linefilter_unite_filters(filters, 3, NULL, 0, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "concurrent"));
  linefilter_filter_free(filters[2]);
  filters[2] = linefilter_filter_new(1000, &small, NULL); /* of other num_probes */
  CHECK(linefilter_unite_filters(filters + 1, 2, &zero, 0, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_unite_filters(filters, 2, NULL, 1.5, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_unite_filters(filters, 0, NULL, 0, &status) == LINEFILTER_INVALID_ARGUMENT);
  {
    linefilter_filter* const twice[3] = {filters[0], filters[1], filters[0]};
    CHECK(linefilter_unite_filters(twice, 3, NULL, 0, &status) == LINEFILTER_INVALID_ARGUMENT);
    CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "filters 0 and 2"));
  }
  CHECK(linefilter_unite_filters(NULL, 0, NULL, 0, NULL) == LINEFILTER_INVALID_ARGUMENT);
  void* image = linefilter_filter_image(filters[0], &size, NULL);
  CHECK(size == before_size && memcmp(image, before, size) == 0);
  CHECK(linefilter_unite_filters(filters, 2, &zero, 0, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(filters[0]), kEach));
  linefilter_image_free(image);
  linefilter_image_free(before);
  for (int i = 0; i < 3; ++i) linefilter_filter_free(filters[i]);
}

void RunUnite(void) {
  RUN(TestIsWhatSingleCallsMake);
  RUN(TestWhatCannotBeUnited);
}
