/* linefilter_concurrent. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestConcurrent(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 16);
  linefilter_concurrent* seen = linefilter_concurrent_new(1000, &options, &status);
  const void* keys[2] = {"three", "four"};
  const size_t sizes[2] = {5, 4};
  const uint64_t numbers[2] = {11, 12}, hashes[2] = {linefilter_hash_u64(13, 0), linefilter_hash_u64(14, 0)};
  uint8_t were_new[2] = {0, 0}, answers[2] = {0, 0};
  CHECK(seen != NULL && IsOk(&status));
  CHECK(linefilter_concurrent_insert_key(seen, "one", 3) && !linefilter_concurrent_insert_key(seen, "one", 3));
  CHECK(linefilter_concurrent_insert_u64(seen, 10));
  CHECK(linefilter_concurrent_insert_hash(seen, linefilter_hash_key("two", 3, 0)));
  CHECK(linefilter_concurrent_insert_keys(seen, keys, sizes, 2, were_new) == 2 && were_new[1] == 1);
  CHECK(linefilter_concurrent_insert_u64s(seen, numbers, 2, NULL) == 2);
  CHECK(linefilter_concurrent_insert_hashes(seen, hashes, 2, were_new) == 2);
  CHECK(linefilter_concurrent_may_contain_key(seen, "two", 3) && !linefilter_concurrent_may_contain_key(seen, "x", 1));
  CHECK(linefilter_concurrent_may_contain_u64(seen, 14) && !linefilter_concurrent_may_contain_u64(seen, 15));
  CHECK(linefilter_concurrent_may_contain_hash(seen, hashes[0]));
  linefilter_concurrent_may_contain_keys(seen, keys, sizes, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 1);
  answers[0] = 0;
  linefilter_concurrent_may_contain_u64s(seen, numbers, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 1);
  answers[0] = 0;
  linefilter_concurrent_may_contain_hashes(seen, hashes, 2, answers);
  CHECK(answers[0] == 1 && answers[1] == 1);
  uint8_t bits = 0xff;
  const uint64_t half[2] = {hashes[0], linefilter_hash_u64(15, 0)};
  linefilter_concurrent_prepare_hash(seen, half[0]);
  linefilter_concurrent_may_contain_hashes_to_bits(seen, half, 2, &bits);
  CHECK(bits == 1 && linefilter_concurrent_count_maybes(seen, half, 2) == 1);
  CHECK(linefilter_concurrent_key_status(seen, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_concurrent_fill_ratio(seen) > 0 && linefilter_concurrent_estimated_keys(seen) > 8.5);
  CHECK(linefilter_concurrent_estimated_keys(seen) < 9.5 && linefilter_concurrent_memory_use(seen) > 2000);

  size_t size = 0;
  void* image = linefilter_concurrent_image(seen, &size, &status);
  CHECK(image != NULL && IsOk(&status) && size == linefilter_concurrent_image_bytes(seen));
  static uint8_t out[100000];
  CHECK(linefilter_concurrent_write_to(seen, out, sizeof(out), &status) == LINEFILTER_OK);
  CHECK(memcmp(out, image, size) == 0);
  CHECK(linefilter_concurrent_write_to(seen, NULL, size, &status) == LINEFILTER_INVALID_ARGUMENT);
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_concurrent_write_to_sink(seen, Collect, &collected, &status) == LINEFILTER_OK);
  CHECK(collected.size == size && memcmp(collected.data, image, size) == 0);
  CHECK(linefilter_concurrent_write_to_sink(seen, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_concurrent_save(seen, FileIn("seen"), &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn("seen"), image, size));
  CHECK(linefilter_concurrent_save(seen, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_concurrent* copy = linefilter_concurrent_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && linefilter_concurrent_may_contain_u64(copy, 14));

  linefilter_filter* sealed = linefilter_concurrent_seal(seen, &status);
  CHECK(sealed != NULL && IsOk(&status));
  CHECK(linefilter_concurrent_may_contain_u64(seen, 15) && !linefilter_concurrent_insert_u64(seen, 15));
  CHECK(linefilter_concurrent_image(seen, &size, &status) == NULL && size == 0);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  CHECK(linefilter_concurrent_key_status(seen, &status) == LINEFILTER_CORRUPT);
  CHECK(Says(LINEFILTER_CORRUPT, &status, "sealed"));
  CHECK(linefilter_concurrent_seal(seen, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  linefilter_concurrent_free(seen);
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 14));
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 15));
  CHECK(linefilter_filter_insert_u64(sealed, 15));
  linefilter_filter_free(sealed);
  linefilter_concurrent_free(copy);
  linefilter_image_free(image);
}

static void TestFactsOfAConcurrent(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  options.num_probes = 5;
  options.seed = 7;
  linefilter_concurrent* filter = linefilter_concurrent_new(1000, &options, NULL);
  CHECK(linefilter_concurrent_layout(filter) == LINEFILTER_LAYOUT_BLOCKED);
  CHECK(linefilter_concurrent_hash_id(filter) == LINEFILTER_HASH_XXH3 && linefilter_concurrent_seed(filter) == 7);
  CHECK(linefilter_concurrent_num_probes(filter) == 5 && linefilter_concurrent_num_blocks(filter) == 32);
  CHECK(linefilter_concurrent_body_bytes(filter) == 64 * linefilter_concurrent_num_blocks(filter));
  CHECK(strcmp(linefilter_concurrent_target(filter), "none") != 0);
  linefilter_filter_free(linefilter_concurrent_seal(filter, NULL));
  CHECK(linefilter_concurrent_layout(filter) == LINEFILTER_LAYOUT_AUTO);
  CHECK(linefilter_concurrent_body_bytes(filter) == 0);
  linefilter_concurrent_free(filter);
  options.hash_id = LINEFILTER_HASH_CALLER;
  options.seed = 0;
  filter = linefilter_concurrent_new(1000, &options, &status);
  CHECK(IsOk(&status) && linefilter_concurrent_hash_id(filter) == LINEFILTER_HASH_CALLER);
  CHECK(linefilter_concurrent_key_status(filter, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "caller"));
  linefilter_concurrent_free(filter);
}

static void TestNullConcurrent(void) {
  linefilter_status status;
  const void* keys[2] = {"a", "b"};
  const size_t sizes[2] = {1, 1};
  const uint64_t hashes[2] = {1, 2};
  uint8_t bytes[2] = {7, 7};
  CHECK(!linefilter_concurrent_insert_key(NULL, "x", 1) && !linefilter_concurrent_insert_u64(NULL, 1));
  CHECK(!linefilter_concurrent_insert_hash(NULL, 1));
  CHECK(linefilter_concurrent_insert_keys(NULL, keys, sizes, 2, bytes) == 0 && bytes[1] == 0);
  CHECK(linefilter_concurrent_insert_u64s(NULL, hashes, 2, NULL) == 0);
  CHECK(linefilter_concurrent_insert_hashes(NULL, hashes, 2, NULL) == 0);
  CHECK(linefilter_concurrent_may_contain_key(NULL, "x", 1) && linefilter_concurrent_may_contain_u64(NULL, 1));
  CHECK(linefilter_concurrent_may_contain_hash(NULL, 1));
  linefilter_concurrent_may_contain_keys(NULL, keys, sizes, 2, bytes);
  CHECK(bytes[0] == 1 && bytes[1] == 1);
  memset(bytes, 0, 2);
  linefilter_concurrent_may_contain_u64s(NULL, hashes, 2, bytes);
  CHECK(bytes[0] == 1 && bytes[1] == 1);
  memset(bytes, 0, 2);
  linefilter_concurrent_may_contain_hashes(NULL, hashes, 2, bytes);
  CHECK(bytes[0] == 1 && bytes[1] == 1);
  linefilter_concurrent_may_contain_hashes_to_bits(NULL, hashes, 2, bytes);
  CHECK(bytes[0] == 3 && linefilter_concurrent_count_maybes(NULL, hashes, 2) == 2);
  linefilter_concurrent_prepare_hash(NULL, 1);
  CHECK(IsNoHandle(linefilter_concurrent_key_status(NULL, &status), &status));
  CHECK(linefilter_concurrent_layout(NULL) == LINEFILTER_LAYOUT_AUTO && linefilter_concurrent_seed(NULL) == 0);
  CHECK(linefilter_concurrent_hash_id(NULL) == LINEFILTER_HASH_CALLER && linefilter_concurrent_num_probes(NULL) == 0);
  CHECK(linefilter_concurrent_num_blocks(NULL) == 0 && linefilter_concurrent_body_bytes(NULL) == 0);
  CHECK(strcmp(linefilter_concurrent_target(NULL), "none") == 0);
  CHECK(linefilter_concurrent_fill_ratio(NULL) == 0 && linefilter_concurrent_estimated_keys(NULL) == 0);
  CHECK(linefilter_concurrent_memory_use(NULL) == 0 && linefilter_concurrent_image_bytes(NULL) == 0);
  CHECK(linefilter_concurrent_image(NULL, NULL, &status) == NULL && IsNoHandle(status.code, &status));
  CHECK(IsNoHandle(linefilter_concurrent_write_to(NULL, bytes, 2, &status), &status));
  CHECK(IsNoHandle(linefilter_concurrent_write_to_sink(NULL, Collect, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_concurrent_save(NULL, "x", &status), &status));
  CHECK(linefilter_concurrent_seal(NULL, &status) == NULL && IsNoHandle(status.code, &status));
  CHECK(linefilter_concurrent_from_image(NULL, 0, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  linefilter_concurrent_free(NULL);
}

void RunConcurrent(void) {
  RUN(TestConcurrent);
  RUN(TestFactsOfAConcurrent);
  RUN(TestNullConcurrent);
}
