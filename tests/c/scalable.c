/* Filters that grow. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static linefilter_options Bound(double fpr) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 0);
  options.fpr = fpr;
  return options;
}

static void TestScalable(void) {
  linefilter_status status;
  const linefilter_options options = Bound(0.001);
  linefilter_filter* seen = linefilter_scalable_new(4, 1000, &options, &status);
  const linefilter_view* view = linefilter_filter_view(seen);
  CHECK(seen != NULL && IsOk(&status));
  InsertSingles(seen, 0);
  InsertBatchesAndAsk(seen, 0);
  CHECK(linefilter_scalable_num_keys(seen) == 9 && linefilter_view_num_stages(view) == 2);
  CHECK(linefilter_scalable_fpr(seen) == 0.001 && linefilter_scalable_max_growth(seen) == 1000);
  CHECK(linefilter_scalable_growth_status(seen, &status) == LINEFILTER_OK && IsOk(&status));
  linefilter_scalable_stage first, second;
  CHECK(linefilter_scalable_stage_at(seen, 0, &first) && first.capacity == 4 && first.num_keys == 4);
  CHECK(linefilter_scalable_stage_at(seen, 1, &second) && second.capacity == 8 && second.num_keys == 5);
  CHECK(first.num_blocks == 1 && first.num_probes != 0 && first.reserved == 0 && first.fpr == 0.001 * 0.3);
  CHECK(!linefilter_scalable_stage_at(seen, 2, &second) && second.capacity == 8);
  CHECK(linefilter_view_num_blocks(view) == first.num_blocks + second.num_blocks);
  linefilter_view_stage stage;
  CHECK(linefilter_view_num_stages(view) == 2 && linefilter_view_stage_at(view, 0, &stage));
  CHECK(stage.num_blocks == first.num_blocks && stage.num_keys == 4 && stage.num_probes == first.num_probes);
  CHECK(linefilter_view_stage_at(view, 1, &stage) && stage.num_blocks == second.num_blocks && stage.num_keys == 5);
  CHECK(stage.layout == LINEFILTER_LAYOUT_BLOCKED && !linefilter_view_stage_at(view, 2, &stage) && stage.num_keys == 5);
  CHECK(linefilter_view_verify_chunks(view, 0, 1, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(strstr(status.message, "linefilter_filter's") == NULL);
  CHECK(linefilter_filter_memory_use(seen) > 64 * linefilter_view_num_blocks(view));

  size_t size = 0;
  void* image = ImageByEveryWayOut(seen, "grown", &size);

  /* An image is a view like any other, and goes on growing. */
  linefilter_view* opened = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status);
  CHECK(opened != NULL && linefilter_view_may_contain_u64(opened, 12) && !linefilter_view_may_contain_u64(opened, 15));
  CheckContainer(opened, size);
  CHECK(linefilter_view_num_stages(opened) == 2 && linefilter_view_stage_at(opened, 1, &stage));
  CHECK(stage.num_blocks == second.num_blocks && stage.num_keys == 5 && stage.num_probes == second.num_probes);
  CHECK(stage.layout == LINEFILTER_LAYOUT_BLOCKED && !linefilter_view_stage_at(opened, 2, &stage));
  linefilter_view_free(opened);
  opened = linefilter_view_map(FileIn("grown"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, &status);
  CHECK(opened != NULL && linefilter_view_may_contain_key(opened, "two", 3));
  CheckContainer(opened, size);
  CHECK(linefilter_view_num_blocks(opened) == linefilter_view_num_blocks(view));
  CHECK(linefilter_view_expected_fpr(opened) == linefilter_view_expected_fpr(view));
  linefilter_view_free(opened);
  CHECK(linefilter_image_ask(image, size, LINEFILTER_VERIFY_LAZY, "two", 3) &&
        !linefilter_image_ask(image, size, LINEFILTER_VERIFY_LAZY, "x", 1));
  linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && linefilter_scalable_num_keys(copy) == 9);
  for (uint64_t i = 100; i < 200; ++i) {
    CHECK(linefilter_filter_insert_u64(copy, i) == linefilter_filter_insert_u64(seen, i));
  }
  CHECK(linefilter_view_num_stages(linefilter_filter_view(copy)) == 5 &&
        linefilter_view_num_stages(linefilter_filter_view(seen)) == 5);
  linefilter_image_free(image);

  /* A union takes filters of one body only. */
  const linefilter_options plain = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* blocked = linefilter_filter_new(100, &plain, NULL);
  CHECK(linefilter_view_num_stages(linefilter_filter_view(blocked)) == 0);
  CHECK(!linefilter_view_stage_at(linefilter_filter_view(blocked), 0, &stage));
  CHECK(linefilter_filter_union(blocked, view, 0, &status) == LINEFILTER_INCOMPATIBLE);
  linefilter_filter_free(blocked);

  CHECK(linefilter_filter_clear(seen, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_num_stages(linefilter_filter_view(seen)) == 1 && linefilter_scalable_num_keys(seen) == 0);
  CHECK(!linefilter_view_may_contain_key(view, "one", 3) && linefilter_filter_insert_key(seen, "one", 3));
  linefilter_view_free((linefilter_view*)view); /* goes with the filter: is left alone */
  CHECK(linefilter_view_may_contain_key(view, "one", 3));
  linefilter_filter_free(seen);
  linefilter_filter_free(copy);
}

static void TestScalableRefuses(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 10);
  CHECK(linefilter_scalable_new(10, 0, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "fpr"));
  CHECK(linefilter_scalable_new(10, 0, NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  options = Bound(0.01);
  options.layout = LINEFILTER_LAYOUT_CLASSIC;
  CHECK(linefilter_scalable_new(10, 0, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "blocked"));

  /* As much as it has: then no stage is opened, and no key is lost. */
  options = Bound(0.01);
  linefilter_filter* filter = linefilter_scalable_new(100, 0, &options, NULL);
  options.memory_limit = linefilter_filter_memory_use(filter);
  linefilter_filter_free(filter);
  filter = linefilter_scalable_new(100, 0, &options, &status);
  CHECK(filter != NULL);
  for (uint64_t i = 0; i < 200; ++i) (void)linefilter_filter_insert_u64(filter, i);
  CHECK(linefilter_scalable_growth_status(filter, &status) == LINEFILTER_OVER_LIMIT);
  CHECK(Says(LINEFILTER_OVER_LIMIT, &status, "rate") &&
        linefilter_view_num_stages(linefilter_filter_view(filter)) == 1);
  for (uint64_t i = 0; i < 200; ++i) CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(filter), i));
  linefilter_filter_free(filter);
}

/* What every filter and view answers for NULL stands in filter.c and view.c. */
static void TestNullScalable(void) {
  linefilter_status status;
  linefilter_scalable_stage stage;
  CHECK(IsNoHandle(linefilter_scalable_growth_status(NULL, &status), &status));
  CHECK(!linefilter_scalable_stage_at(NULL, 0, &stage));
  CHECK(linefilter_scalable_fpr(NULL) == 0 && linefilter_scalable_max_growth(NULL) == 0);
  CHECK(linefilter_scalable_num_keys(NULL) == 0);
}

void RunScalable(void) {
  RUN(TestScalable);
  RUN(TestScalableRefuses);
  RUN(TestNullScalable);
}
