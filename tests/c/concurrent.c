/* Filters that many threads fill. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestConcurrent(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 16);
  linefilter_filter* seen = linefilter_concurrent_new(1000, &options, &status);
  CHECK(seen != NULL && IsOk(&status));
  InsertSingles(seen, 0);
  InsertBatchesAndAsk(seen, 0);
  uint8_t bits = 0xff;
  const uint64_t half[2] = {linefilter_hash_u64(13, 0), linefilter_hash_u64(15, 0)};
  linefilter_view_prepare_hash(linefilter_filter_view(seen), half[0]);
  linefilter_view_may_contain_hashes_to_bits(linefilter_filter_view(seen), half, 2, &bits);
  CHECK(bits == 1 && linefilter_view_count_maybes(linefilter_filter_view(seen), half, 2) == 1);
  CHECK(linefilter_view_key_status(linefilter_filter_view(seen), &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_fill_ratio(linefilter_filter_view(seen)) > 0 &&
        linefilter_view_estimated_keys(linefilter_filter_view(seen)) > 8.5);
  CHECK(linefilter_view_estimated_keys(linefilter_filter_view(seen)) < 9.5 &&
        linefilter_filter_memory_use(seen) > 2000);

  size_t size = 0;
  void* image = linefilter_filter_image(seen, &size, &status);
  CHECK(image != NULL && IsOk(&status) && size == linefilter_filter_image_bytes(seen));
  static uint8_t out[100000];
  CHECK(linefilter_filter_write_to(seen, out, sizeof(out), &status) == LINEFILTER_OK);
  CHECK(memcmp(out, image, size) == 0);
  CHECK(linefilter_filter_write_to(seen, NULL, size, &status) == LINEFILTER_INVALID_ARGUMENT);
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_filter_write_to_sink(seen, Collect, &collected, &status) == LINEFILTER_OK);
  CHECK(collected.size == size && memcmp(collected.data, image, size) == 0);
  CHECK(linefilter_filter_write_to_sink(seen, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_filter_save(seen, FileIn("seen"), &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn("seen"), image, size));
  CHECK(linefilter_filter_save(seen, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_filter* copy = linefilter_concurrent_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && linefilter_view_may_contain_u64(linefilter_filter_view(copy), 14));

  linefilter_filter* sealed = linefilter_concurrent_seal(seen, &status);
  CHECK(sealed != NULL && IsOk(&status));
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(seen), 15) && !linefilter_filter_insert_u64(seen, 15));
  CHECK(linefilter_filter_image(seen, &size, &status) == NULL && size == 0);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  CHECK(linefilter_view_key_status(linefilter_filter_view(seen), &status) == LINEFILTER_CORRUPT);
  CHECK(Says(LINEFILTER_CORRUPT, &status, "sealed"));
  CHECK(linefilter_concurrent_seal(seen, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  linefilter_filter_free(seen);
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 14));
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 15));
  CHECK(linefilter_filter_insert_u64(sealed, 15));
  linefilter_filter_free(sealed);
  linefilter_filter_free(copy);
  linefilter_image_free(image);
}

static void TestFactsOfAConcurrent(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  options.num_probes = 5;
  options.seed = 7;
  linefilter_filter* filter = linefilter_concurrent_new(1000, &options, NULL);
  CHECK(linefilter_view_layout(linefilter_filter_view(filter)) == LINEFILTER_LAYOUT_BLOCKED);
  CHECK(linefilter_view_hash_id(linefilter_filter_view(filter)) == LINEFILTER_HASH_XXH3 &&
        linefilter_view_seed(linefilter_filter_view(filter)) == 7);
  CHECK(linefilter_view_num_probes(linefilter_filter_view(filter)) == 5 &&
        linefilter_view_num_blocks(linefilter_filter_view(filter)) == 32);
  CHECK(linefilter_view_body_bytes(linefilter_filter_view(filter)) ==
        64 * linefilter_view_num_blocks(linefilter_filter_view(filter)));
  CHECK(strcmp(linefilter_view_target(linefilter_filter_view(filter)), "none") != 0);
  linefilter_filter_free(linefilter_concurrent_seal(filter, NULL));
  CHECK(linefilter_view_layout(linefilter_filter_view(filter)) == LINEFILTER_LAYOUT_AUTO);
  CHECK(linefilter_view_body_bytes(linefilter_filter_view(filter)) == 0);
  linefilter_filter_free(filter);
  options.hash_id = LINEFILTER_HASH_CALLER;
  options.seed = 0;
  filter = linefilter_concurrent_new(1000, &options, &status);
  CHECK(IsOk(&status) && linefilter_view_hash_id(linefilter_filter_view(filter)) == LINEFILTER_HASH_CALLER);
  CHECK(linefilter_view_key_status(linefilter_filter_view(filter), &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "caller"));
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
  RUN(TestFactsOfAConcurrent);
  RUN(TestNullConcurrent);
}
