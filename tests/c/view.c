/* linefilter_view. */
#include <stdio.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestFiles(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 160.0 / 5);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (unsigned i = 0; i < kKeys; ++i) linefilter_builder_add_key(builder, Key(i), strlen(Key(i)));
  const uint64_t bytes = linefilter_builder_image_bytes(builder);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("filter"), NULL) == LINEFILTER_OK);
  linefilter_builder_free(builder);
  linefilter_view* views[3];
  views[0] = linefilter_view_map(FileIn("filter"), LINEFILTER_VERIFY_AUTO, LINEFILTER_WILL_NEED, NULL, &status);
  views[1] = linefilter_view_map(FileIn("filter"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, &status);
  views[2] = linefilter_view_load(FileIn("filter"), NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, &status);
  for (int i = 0; i < 3; ++i) {
    uint64_t num_keys = 0;
    CHECK(views[i] != NULL);
    CheckAnswers(views[i]);
    CHECK(linefilter_view_image_bytes(views[i]) == bytes && linefilter_view_format_version(views[i]) == 1);
    CHECK(!linefilter_view_num_keys(views[i], &num_keys) || num_keys == kKeys);
    CHECK(linefilter_view_verify(views[i], &status) == LINEFILTER_OK && linefilter_view_num_chunks(views[i]) == 1);
    CHECK(linefilter_view_advise_huge_pages(views[i], &status) == LINEFILTER_OK && IsOk(&status)); /* too small */
    linefilter_view_free(views[i]);
  }
  CHECK(linefilter_view_load(FileIn("filter"), NULL, 100, NULL, &status) == NULL);
  CHECK(status.code == LINEFILTER_OVER_LIMIT);
  CHECK(linefilter_view_map(FileIn("filter"), LINEFILTER_VERIFY_AUTO, 5, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "advice"));
  CHECK(linefilter_view_map(FileIn("none"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "none"));
  CHECK(linefilter_view_load(FileIn("none"), NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "none"));
  CHECK(linefilter_view_map(NULL, LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "path"));
  CHECK(linefilter_view_load(NULL, NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, NULL) == NULL);
}

/* A file that is verified while it is asked. */
static void TestLazyFile(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < 100000; ++i) linefilter_builder_add_u64(builder, i);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("lazy"), NULL) == LINEFILTER_OK);
  linefilter_builder_free(builder);
  FILE* file = fopen(FileIn("lazy"), "r+b");
  CHECK(file != NULL && fseek(file, 70000, SEEK_SET) == 0 && fputc(0, file) == 0 && fputc(1, file) == 1);
  CHECK(fclose(file) == 0);
  CHECK(linefilter_view_map(FileIn("lazy"), LINEFILTER_VERIFY_AUTO, LINEFILTER_RANDOM, NULL, NULL) == NULL);
  CHECK(linefilter_view_map(FileIn("lazy"), 4, LINEFILTER_RANDOM, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "LINEFILTER_VERIFY_"));
  linefilter_view* view = linefilter_view_map(FileIn("lazy"), LINEFILTER_VERIFY_LAZY, LINEFILTER_RANDOM, NULL, NULL);
  CHECK(linefilter_view_status(view, &status) == LINEFILTER_OK && IsOk(&status)); /* nobody has looked yet */
  uint64_t lost = 0, absent = 0;
  for (uint64_t i = 0; i < 100000; ++i) lost += !linefilter_view_may_contain_u64(view, i);
  for (uint64_t i = 100000; i < 101000; ++i) absent += !linefilter_view_may_contain_u64(view, i);
  CHECK(lost == 0 && absent > 600 && absent < 800); /* three chunks of four */
  CHECK(linefilter_view_status(view, &status) == LINEFILTER_CORRUPT && Says(LINEFILTER_CORRUPT, &status, "65536"));
  linefilter_view* swappable = linefilter_swappable_new(NULL, NULL);
  CHECK(linefilter_swappable_swap_view(swappable, view, &status) == LINEFILTER_CORRUPT);
  CHECK(linefilter_view_status(swappable, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_advise_huge_pages(swappable, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "the view of a lease"));
  CHECK(linefilter_view_status(NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_view_free(swappable);
  linefilter_view_free(view);
}

static void TestDamage(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < 100000; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0;
  uint8_t* image = linefilter_builder_finish(builder, &size, NULL);
  linefilter_builder_free(builder);
  image[70000] ^= 1; /* in the second chunk of four */
  CHECK(linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_CORRUPT, &status, "65536"));
  CHECK(linefilter_view_open(image, size, LINEFILTER_VERIFY_LAZY, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "LINEFILTER_VERIFY_WHOLE or LINEFILTER_VERIFY_TRUSTED"));
  CHECK(linefilter_view_open(image, size, 77, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "77 is no way to verify"));
  CHECK(linefilter_view_map("nowhere", 77, LINEFILTER_WILL_NEED, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "77 is no way to verify"));
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_TRUSTED, NULL, &status);
  CHECK(view != NULL && linefilter_view_num_chunks(view) == 4);
  CHECK(linefilter_view_verify(view, &status) == LINEFILTER_CORRUPT && Says(LINEFILTER_CORRUPT, &status, "65536"));
  CHECK(linefilter_view_verify_chunks(view, 0, 1, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_verify_chunks(view, 1, 1, NULL) == LINEFILTER_CORRUPT);
  CHECK(linefilter_view_verify_chunks(view, 2, 2, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_verify_chunks(view, 2, 3, NULL) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_image_verify(image, size, &status) == LINEFILTER_CORRUPT);
  image[70000] ^= 1;
  CHECK(linefilter_image_verify(image, size, &status) == LINEFILTER_OK && IsOk(&status));
  linefilter_view_free(view);
  CHECK(linefilter_view_open(image, size - 1, LINEFILTER_VERIFY_WHOLE, NULL, &status) == NULL &&
        status.code == LINEFILTER_CORRUPT);
  CHECK(linefilter_view_open(NULL, 0, LINEFILTER_VERIFY_WHOLE, NULL, &status) == NULL &&
        status.code == LINEFILTER_CORRUPT);
  CHECK(linefilter_image_verify(image, 0, NULL) == LINEFILTER_CORRUPT);
  linefilter_image_free(image);

  linefilter_filter* filter =
      linefilter_filter_new(10, &options, NULL); /* an image that is verified whenever it is asked */
  linefilter_filter_insert_key(filter, "there", 5);
  image = linefilter_filter_image(filter, &size, NULL);
  view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  uint64_t num_keys = 5;
  CHECK(view != NULL && !linefilter_view_num_keys(view, &num_keys) && num_keys == 5); /* nobody counted them */
  linefilter_view_free(view);
  CHECK(!linefilter_image_ask(image, size, LINEFILTER_VERIFY_LAZY, "x", 1));
  image[3] ^= 1;
  CHECK(linefilter_image_ask(image, size, LINEFILTER_VERIFY_LAZY, "x", 1));
  CHECK(!linefilter_image_ask(image, size, LINEFILTER_VERIFY_TRUSTED, "x", 1));
  CHECK(linefilter_image_ask(image, size - 1, LINEFILTER_VERIFY_LAZY, "x", 1));
  linefilter_image_free(image);
  linefilter_filter_free(filter);
}

/* A body of some huge pages: the status tells whether the system has them, and answers stay. */
static void TestHugePages(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < 3000000; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0;
  uint8_t* const image = linefilter_builder_finish(builder, &size, NULL);
  linefilter_builder_free(builder);
  linefilter_view* const view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  const linefilter_code code = linefilter_view_advise_huge_pages(view, &status);
  CHECK(code == status.code);
  CHECK(code == LINEFILTER_OK ? IsOk(&status) : code == LINEFILTER_IO_ERROR || code == LINEFILTER_OUT_OF_MEMORY);
  uint64_t lost = 0;
  for (uint64_t i = 0; i < 3000000; ++i) lost += !linefilter_view_may_contain_u64(view, i);
  CHECK(lost == 0 && linefilter_view_verify(view, NULL) == LINEFILTER_OK);
  linefilter_view_free(view);
  linefilter_image_free(image);
}

static void TestFacts(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 10);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < kKeys; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0;
  uint8_t* image = linefilter_builder_finish(builder, &size, NULL);
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  static uint64_t levels[LINEFILTER_MAX_LEVELS];
  const size_t n = linefilter_view_count_levels(view, levels);
  uint64_t blocks = 0;
  for (size_t i = 0; i < n; ++i) blocks += levels[i];
  CHECK(n > 0 && n <= LINEFILTER_MAX_LEVELS && blocks == linefilter_view_num_blocks(view));
  CHECK(linefilter_view_layout(view) == LINEFILTER_LAYOUT_RETRIEVAL && linefilter_view_num_probes(view) == 0);
  CHECK(linefilter_view_hash_id(view) == LINEFILTER_HASH_XXH3 && linefilter_view_seed(view) == 0);
  CHECK(linefilter_view_body(view) == image && linefilter_view_body_bytes(view) == 64 * blocks);
  CHECK(linefilter_view_image_bytes(view) == size && !linefilter_view_empty_set(view));
  CHECK(linefilter_view_expected_fpr(view) > 0.0012 && linefilter_view_expected_fpr(view) < 0.0022);
  CHECK(linefilter_view_approximate_size(view, NULL) > 0.9 * kKeys &&
        linefilter_view_approximate_size(view, NULL) < 1.1 * kKeys);
  CHECK(linefilter_view_fill_ratio(view) > 0.4 && linefilter_view_fill_ratio(view) < 0.6);
  CHECK(strcmp(linefilter_view_target(view), linefilter_target_chosen()) == 0);
  CHECK(linefilter_view_key_status(view, NULL) == LINEFILTER_OK);
  linefilter_view_free(view);
  linefilter_image_free(image);

  image = linefilter_builder_finish(builder, &size, NULL); /* of no key */
  view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  uint64_t num_keys = 1;
  CHECK(linefilter_view_empty_set(view) && linefilter_view_num_keys(view, &num_keys) && num_keys == 0);
  CHECK(!linefilter_view_may_contain_u64(view, 1) && linefilter_view_expected_fpr(view) == 0);
  linefilter_status status;
  CHECK(linefilter_filter_from_image(image, size, NULL, &status) == NULL && status.code == LINEFILTER_INCOMPATIBLE);
  linefilter_view_free(view);
  linefilter_image_free(image);
  linefilter_builder_free(builder);

  const linefilter_options blocked = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* filter = linefilter_filter_new(kKeys, &blocked, NULL);
  const linefilter_view* live = linefilter_filter_view(filter);
  for (uint64_t i = 0; i < kKeys; ++i) linefilter_filter_insert_u64(filter, i);
  CHECK(linefilter_view_approximate_size(live, NULL) > 0.95 * kKeys &&
        linefilter_view_approximate_size(live, NULL) < 1.05 * kKeys);
  CHECK(linefilter_view_expected_fpr(live) > 0.008 && linefilter_view_expected_fpr(live) < 0.012);
  double error = 0;
  CHECK(linefilter_view_approximate_size(live, &error) > kKeys - 5 * error && error > 5 && error < 50);
  CHECK(linefilter_view_capacity(live) == kKeys && !linefilter_view_over_capacity(live));
  CHECK(linefilter_view_room_for(live, 0.005) == 0 && linefilter_view_room_for(live, 0.02) > 500);
  for (uint64_t i = kKeys; i < 2 * kKeys; ++i) linefilter_filter_insert_u64(filter, i);
  CHECK(linefilter_view_over_capacity(live) && linefilter_view_room_for(live, 0.02) == 0);
  CHECK(linefilter_view_image_bytes(live) == 0 && linefilter_view_format_version(live) == 0);
  CHECK(!linefilter_view_num_keys(live, &num_keys) && !linefilter_view_empty_set(live));
  CHECK(linefilter_view_num_chunks(live) == 0 && linefilter_view_verify(live, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_advise_huge_pages(live, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_verify_chunks(live, 0, 1, NULL) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_view_free((linefilter_view*)live); /* left alone */
  CHECK(linefilter_view_may_contain_u64(live, 1));
  linefilter_filter_free(filter);
}

/* Two seeds in turn; the last view is NULL. */
static void TestManyViews(void) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* filters[4];
  const linefilter_view* views[5];
  uint8_t answers[5], matrix[5 * 4];
  for (int i = 0; i < 4; ++i) {
    options.seed = 5 * (uint64_t)(i % 2);
    filters[i] = linefilter_filter_new(100, &options, NULL);
    linefilter_filter_insert_u64(filters[i], (uint64_t)i);
    linefilter_filter_insert_key(filters[i], "abcd", (size_t)i + 1);
    views[i] = linefilter_filter_view(filters[i]);
  }
  views[4] = NULL;
  CHECK(linefilter_views_may_contain_u64(views, 5, 2, answers) == 2 && memcmp(answers, "\0\0\1\0\1", 5) == 0);
  CHECK(linefilter_views_may_contain_u64(views, 5, 3, answers) == 2 && memcmp(answers, "\0\0\0\1\1", 5) == 0);
  CHECK(linefilter_views_may_contain_key(views, 5, "ab", 2, answers) == 2);
  CHECK(memcmp(answers, "\0\1\0\0\1", 5) == 0);
  CHECK(linefilter_views_may_contain_key(NULL, 0, "ab", 2, NULL) == 0);

  const void* const keys[4] = {"a", "ab", "abc", "abcd"};
  const size_t sizes[4] = {1, 2, 3, 4};
  const uint64_t numbers[4] = {0, 1, 2, 3};
  linefilter_views_may_contain_keys(views, 5, keys, sizes, 4, matrix);
  CHECK(memcmp(matrix, "\1\0\0\0\0\1\0\0\0\0\1\0\0\0\0\1\1\1\1\1", 20) == 0);
  memset(matrix, 9, sizeof(matrix));
  linefilter_views_may_contain_u64s(views, 5, numbers, 4, matrix);
  CHECK(memcmp(matrix, "\1\0\0\0\0\1\0\0\0\0\1\0\0\0\0\1\1\1\1\1", 20) == 0);
  linefilter_views_may_contain_u64s(NULL, 0, numbers, 4, NULL);
  for (int i = 0; i < 4; ++i) linefilter_filter_free(filters[i]);
}

/* By hash, which is that of filters 0 and 2: the others, of another seed, answer "maybe". */
static void TestManyViewsByHash(void) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* filters[4];
  const linefilter_view* views[4];
  uint8_t answers[4], matrix[8];
  for (int i = 0; i < 4; ++i) {
    options.seed = 5 * (uint64_t)(i % 2);
    filters[i] = linefilter_filter_new(100, &options, NULL);
    linefilter_filter_insert_u64(filters[i], (uint64_t)i);
    views[i] = linefilter_filter_view(filters[i]);
  }
  const uint64_t hash = linefilter_hash_u64(2, 0);
  const uint64_t hashes[2] = {hash, linefilter_hash_u64(1, 0)};
  linefilter_view_prepare_hash(views[0], hash);
  CHECK(linefilter_views_may_contain_hash(views, 4, LINEFILTER_HASH_XXH3, 0, hash, answers) == 3);
  CHECK(memcmp(answers, "\0\1\1\1", 4) == 0);
  CHECK(linefilter_views_may_contain_hash(views, 4, LINEFILTER_HASH_XXH3, 6, hash, answers) == 4);
  CHECK(linefilter_views_may_contain_hash(views, 4, LINEFILTER_HASH_KEYED, 0, hash, answers) == 4);
  CHECK(linefilter_views_may_contain_hash(views, 4, LINEFILTER_HASH_XXH3 + 256, 0, hash, answers) == 4);
  CHECK(linefilter_views_may_contain_hash(views, 4, -1, 0, hash, answers) == 4);
  CHECK(linefilter_views_may_contain_hash(NULL, 0, LINEFILTER_HASH_XXH3, 0, hash, NULL) == 0);
  linefilter_views_may_contain_hashes(views, 4, LINEFILTER_HASH_XXH3, 0, hashes, 2, matrix);
  CHECK(memcmp(matrix, "\0\0\1\1\1\0\1\1", 8) == 0);
  for (int i = 0; i < 4; ++i) linefilter_filter_free(filters[i]);
}

static void TestNullView(void) {
  linefilter_status status;
  const void* keys[3] = {"a", "b", "c"};
  const size_t sizes[3] = {1, 1, 1};
  const uint64_t hashes[3] = {1, 2, 3};
  uint8_t answers[3] = {0};
  uint64_t number = 5;
  CHECK(linefilter_view_may_contain_key(NULL, "x", 1) && linefilter_view_may_contain_u64(NULL, 1));
  CHECK(linefilter_view_may_contain_hash(NULL, 1) && linefilter_view_count_maybes(NULL, hashes, 3) == 3);
  linefilter_view_prepare_hash(NULL, 1);
  linefilter_view_may_contain_keys(NULL, keys, sizes, 3, answers);
  CHECK(memcmp(answers, "\1\1\1", 3) == 0);
  memset(answers, 0, 3);
  linefilter_view_may_contain_u64s(NULL, hashes, 3, answers);
  CHECK(memcmp(answers, "\1\1\1", 3) == 0);
  memset(answers, 0, 3);
  linefilter_view_may_contain_hashes(NULL, hashes, 3, answers);
  CHECK(memcmp(answers, "\1\1\1", 3) == 0);
  linefilter_view_may_contain_hashes_to_bits(NULL, hashes, 3, answers);
  CHECK(answers[0] == 7);
  answers[0] = 0;
  linefilter_view_may_contain_keys_to_bits(NULL, keys, sizes, 3, answers);
  CHECK(answers[0] == 7);
  answers[0] = 0;
  linefilter_view_may_contain_u64s_to_bits(NULL, hashes, 3, answers);
  CHECK(answers[0] == 7);
  linefilter_view_may_contain_hashes(NULL, NULL, 0, NULL);
  CHECK(IsNoHandle(linefilter_view_key_status(NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_view_verify(NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_view_advise_huge_pages(NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_view_verify_chunks(NULL, 0, 0, &status), &status));
  CHECK(linefilter_view_num_chunks(NULL) == 0 && linefilter_view_layout(NULL) == 0);
  CHECK(linefilter_view_hash_id(NULL) == LINEFILTER_HASH_CALLER && linefilter_view_seed(NULL) == 0);
  CHECK(linefilter_view_num_probes(NULL) == 0 && linefilter_view_num_blocks(NULL) == 0);
  CHECK(linefilter_view_body_bytes(NULL) == 0 && linefilter_view_body(NULL) == NULL);
  CHECK(linefilter_view_image_bytes(NULL) == 0 && linefilter_view_format_version(NULL) == 0);
  CHECK(!linefilter_view_empty_set(NULL) && !linefilter_view_num_keys(NULL, &number) && number == 5);
  CHECK(strcmp(linefilter_view_target(NULL), "none") == 0 && linefilter_view_expected_fpr(NULL) == 1);
  double error = 5;
  CHECK(linefilter_view_fill_ratio(NULL) == 0 && linefilter_view_approximate_size(NULL, &error) == 0 && error == 0);
  CHECK(linefilter_view_capacity(NULL) == 0 && linefilter_view_room_for(NULL, 0.5) == 0);
  CHECK(!linefilter_view_over_capacity(NULL));
  CHECK(linefilter_view_count_levels(NULL, NULL) == 0);
  CHECK(linefilter_view_num_stages(NULL) == 0 && !linefilter_view_stage_at(NULL, 0, NULL));
  linefilter_view_free(NULL);
  linefilter_image_free(NULL);
}

void RunView(void) {
  RUN(TestFiles);
  RUN(TestDamage);
  RUN(TestHugePages);
  RUN(TestLazyFile);
  RUN(TestFacts);
  RUN(TestManyViews);
  RUN(TestManyViewsByHash);
  RUN(TestNullView);
}
