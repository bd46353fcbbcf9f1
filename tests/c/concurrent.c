/* Filters that many threads fill. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

/* 1000 keys of 16 bits take that many blocks. */
static void CheckConcurrent(linefilter_layout layout, uint64_t num_blocks) {
  linefilter_status status;
  const linefilter_options options = Options(layout, 16);
  linefilter_filter* seen = linefilter_concurrent_new(1000, &options, &status);
  const linefilter_view* view = linefilter_filter_view(seen);
  CHECK(seen != NULL && IsOk(&status) && linefilter_view_num_blocks(view) == num_blocks);
  InsertSingles(seen, 0);
  InsertBatchesAndAsk(seen, 0);
  CHECK(linefilter_view_key_status(view, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_approximate_size(view, NULL) > 8.5 && linefilter_view_approximate_size(view, NULL) < 9.5);
  CHECK(linefilter_view_fill_ratio(view) > 0 && linefilter_filter_memory_use(seen) > 2000);
  CHECK(strcmp(linefilter_view_target(view), linefilter_target_chosen()) == 0);

  size_t size = 0;
  void* image = ImageByEveryWayOut(seen, "seen", &size);
  linefilter_filter* copy = linefilter_concurrent_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && linefilter_view_may_contain_u64(linefilter_filter_view(copy), 14));

  linefilter_filter* sealed = linefilter_concurrent_seal(seen, &status);
  CHECK(sealed != NULL && IsOk(&status));
  CHECK(linefilter_view_may_contain_u64(view, 15) && !linefilter_filter_insert_u64(seen, 15));
  CHECK(linefilter_filter_image(seen, &size, &status) == NULL && size == 0);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  CHECK(linefilter_view_key_status(view, &status) == LINEFILTER_CORRUPT && Says(LINEFILTER_CORRUPT, &status, "sealed"));
  CHECK(linefilter_view_layout(view) == LINEFILTER_LAYOUT_AUTO && linefilter_view_body_bytes(view) == 0);
  CHECK(linefilter_concurrent_seal(seen, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  linefilter_filter_free(seen);
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 14));
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 15));
  CHECK(linefilter_filter_insert_u64(sealed, 15));
  linefilter_filter_free(sealed);
  linefilter_filter_free(copy);
  linefilter_image_free(image);
}

static void TestConcurrent(void) {
  CheckConcurrent(LINEFILTER_LAYOUT_AUTO, 32); /* it is blocked */
  CheckConcurrent(LINEFILTER_LAYOUT_SPLIT_BLOCK, 63);
}

/* What threads cannot share is told, and what they can. */
static void TestOtherLayouts(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_CLASSIC, 16);
  CHECK(linefilter_concurrent_new(1000, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "blocked, split_block or auto"));
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, &status);
  CHECK(linefilter_concurrent_from_image(image, size, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "blocked or split_block"));
  linefilter_image_free(image);
  linefilter_filter_free(filter);
}

/* What every filter and view answers for NULL stands in filter.c and view.c. */
static void TestNullConcurrent(void) {
  linefilter_status status;
  CHECK(linefilter_concurrent_seal(NULL, &status) == NULL && IsNoHandle(status.code, &status));
  CHECK(linefilter_concurrent_from_image(NULL, 0, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
}

void RunConcurrent(void) {
  RUN(TestConcurrent);
  RUN(TestOtherLayouts);
  RUN(TestNullConcurrent);
}
