/* Keyed hashes and hashes of the caller, with every handle. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static const uint8_t kSecret[LINEFILTER_SECRET_BYTES] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6};
static const uint8_t kOtherSecret[LINEFILTER_SECRET_BYTES] = {1};

static void TestSecrets(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.hash_id = LINEFILTER_HASH_KEYED;
  memcpy(options.secret, kSecret, sizeof(kSecret));
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  const uint64_t numbers[2] = {5, 6};
  linefilter_filter_insert_key(filter, "one", 3);
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 2, NULL) == 2);
  CHECK(!linefilter_filter_insert_hash(filter, linefilter_secret_hash_u64(6, kSecret)));
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, NULL);
  CHECK(linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status) == NULL &&
        Says(LINEFILTER_INCOMPATIBLE, &status, "secret"));
  CHECK(linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, kOtherSecret, &status) == NULL);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "secret"));
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, kSecret, &status);
  CHECK(IsOk(&status) && linefilter_view_may_contain_key(view, "one", 3) && linefilter_view_may_contain_u64(view, 5));
  CHECK(linefilter_view_hash_id(view) == LINEFILTER_HASH_KEYED);
  CHECK(linefilter_view_seed(view) == linefilter_secret_check(kSecret));
  linefilter_view_free(view);
  CHECK(linefilter_filter_from_image(image, size, NULL, &status) == NULL && status.code == LINEFILTER_INCOMPATIBLE);
  linefilter_filter* copy = linefilter_filter_from_image(image, size, &options, &status);
  CHECK(copy != NULL && !linefilter_filter_insert_u64(copy, 5));
  linefilter_filter* concurrent = linefilter_concurrent_from_image(image, size, &options, &status);
  CHECK(linefilter_filter_insert_u64s(concurrent, numbers, 2, NULL) == 0);
  CHECK(linefilter_view_may_contain_key(linefilter_filter_view(concurrent), "one", 3));
  CHECK(!linefilter_view_may_contain_key(linefilter_filter_view(concurrent), "two", 3));
  CHECK(linefilter_filter_save(filter, FileIn("keyed"), NULL) == LINEFILTER_OK);
  linefilter_view* files[2];
  files[0] = linefilter_view_map(FileIn("keyed"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, kSecret, &status);
  files[1] = linefilter_view_load(FileIn("keyed"), NULL, LINEFILTER_NO_MEMORY_LIMIT, kSecret, &status);
  for (int i = 0; i < 2; ++i) {
    CHECK(linefilter_view_may_contain_u64(files[i], 5) && !linefilter_view_may_contain_u64(files[i], 7));
    linefilter_view_free(files[i]);
  }
  CHECK(linefilter_view_map(FileIn("keyed"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, NULL) == NULL);
  linefilter_filter_free(concurrent);
  linefilter_filter_free(copy);
  linefilter_filter_free(filter);
  linefilter_image_free(image);
}

/* A keyed hash and its secret say which images may come; the other options do not count. */
static void TestOptionsForAnImage(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.seed = 3;
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, NULL);
  linefilter_filter_free(filter);
  options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 99);
  options.seed = 4;
  options.hash_id = LINEFILTER_HASH_CALLER;
  filter = linefilter_filter_from_image(image, size, &options, &status);
  CHECK(filter != NULL && IsOk(&status) && linefilter_view_seed(linefilter_filter_view(filter)) == 3);
  CHECK(linefilter_view_hash_id(linefilter_filter_view(filter)) == LINEFILTER_HASH_XXH3);
  linefilter_filter_free(filter);
  options.layout = 257; /* legal they must be */
  CHECK(linefilter_filter_from_image(image, size, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "layout is 257"));
  options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  memcpy(options.secret, kSecret, sizeof(kSecret));
  CHECK(linefilter_filter_from_image(image, size, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "set hash_id to keyed"));
  options.hash_id = LINEFILTER_HASH_KEYED;
  CHECK(linefilter_filter_from_image(image, size, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "secret"));
  CHECK(linefilter_concurrent_from_image(image, size, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "secret"));
  linefilter_image_free(image);
}

/* The hash of Parquet has no seed; its images are opened without saying so. */
static void TestParquetHashes(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.hash_id = LINEFILTER_HASH_PARQUET;
  options.seed = 1;
  CHECK(linefilter_filter_new(1000, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "leave seed 0"));
  options.seed = 0;
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  CHECK(linefilter_filter_insert_key(filter, "one", 3) && linefilter_filter_insert_u64(filter, 5));
  CHECK(!linefilter_filter_insert_hash(filter, linefilter_parquet_hash_key("one", 3)));
  CHECK(!linefilter_filter_insert_hash(filter, linefilter_parquet_hash_u64(5)));
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, NULL);
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status);
  CHECK(IsOk(&status) && linefilter_view_hash_id(view) == LINEFILTER_HASH_PARQUET && linefilter_view_seed(view) == 0);
  CHECK(linefilter_view_may_contain_key(view, "one", 3) && linefilter_view_may_contain_u64(view, 5));
  CHECK(!linefilter_view_may_contain_key(view, "two", 3) && !linefilter_view_may_contain_u64(view, 6));
  CHECK(linefilter_image_ask(image, size, LINEFILTER_VERIFY_WHOLE, "one", 3));
  CHECK(!linefilter_image_ask(image, size, LINEFILTER_VERIFY_WHOLE, "two", 3));
  linefilter_view_free(view);
  linefilter_image_free(image);
  linefilter_filter_free(filter);
}

/* Keys cannot be answered: "maybe". */
static void TestCallersHashes(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.hash_id = LINEFILTER_HASH_CALLER;
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  const linefilter_view* view = linefilter_filter_view(filter);
  const void* keys[2] = {"a", "b"};
  const size_t sizes[2] = {1, 1};
  const uint64_t numbers[2] = {1, 2};
  uint8_t answers[2] = {7, 7}, were_new[2] = {7, 7};
  CHECK(!linefilter_filter_insert_key(filter, "a", 1) && !linefilter_filter_insert_u64(filter, 1));
  CHECK(linefilter_filter_insert_keys(filter, keys, sizes, 2, were_new) == 0 && were_new[0] == 0 && were_new[1] == 0);
  were_new[1] = 7;
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 2, were_new) == 0 && were_new[1] == 0);
  CHECK(linefilter_view_fill_ratio(view) == 0);
  CHECK(linefilter_view_may_contain_key(view, "a", 1) && linefilter_view_may_contain_u64(view, 1));
  linefilter_view_may_contain_keys(view, keys, sizes, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 1);
  CHECK(linefilter_view_key_status(view, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "caller"));
  CHECK(linefilter_filter_insert_hash(filter, 1ull << 63) && linefilter_view_may_contain_hash(view, 1ull << 63));
  CHECK(!linefilter_view_may_contain_hash(view, 1ull << 62));
  linefilter_filter_free(filter);
}

void RunHashIds(void) {
  RUN(TestSecrets);
  RUN(TestOptionsForAnImage);
  RUN(TestParquetHashes);
  RUN(TestCallersHashes);
}
