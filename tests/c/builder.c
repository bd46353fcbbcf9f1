/* linefilter_builder. */
#include <stdio.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void RunTasks(void* context, void (*task)(void*, size_t), void* argument, size_t num_tasks) {
  *(size_t*)context += num_tasks;
  for (size_t i = 0; i < num_tasks; ++i) task(argument, i);
}

static void BuildInEveryWay(linefilter_layout layout) {
  linefilter_status status;
  const linefilter_options options = Options(layout, 10);
  linefilter_builder* builder = linefilter_builder_new(&options, &status);
  static char text[kKeys][16];
  static const void* keys[kKeys];
  static size_t sizes[kKeys];
  static uint64_t hashes[kKeys];
  CHECK(builder != NULL && IsOk(&status));
  linefilter_sizing sizing;
  sizing.num_keys = 77;
  CHECK(!linefilter_builder_sizing(builder, &sizing) && sizing.num_keys == 77); /* nothing was made */
  for (unsigned i = 0; i < kKeys; ++i) {
    sizes[i] = (size_t)snprintf(text[i], sizeof(text[i]), "key %u", i);
    keys[i] = text[i];
  }
  linefilter_hash_keys(keys, sizes, kKeys, 0, hashes);

  linefilter_builder_add_keys(builder, keys, sizes, kKeys);
  CHECK(linefilter_builder_num_keys(builder) == kKeys && linefilter_builder_status(builder, &status) == LINEFILTER_OK);
  const uint64_t bytes = linefilter_builder_image_bytes(builder);
  uint64_t estimated = 0, peak = 0;
  CHECK(linefilter_builder_estimate(&options, kKeys, &estimated, &peak, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(estimated == bytes && peak >= bytes + 8 * kKeys);
  CHECK(linefilter_builder_estimate(NULL, kKeys, &estimated, NULL, NULL) == LINEFILTER_INVALID_ARGUMENT);
  size_t size = 0;
  void* image = linefilter_builder_finish(builder, &size, &status);
  CHECK(image != NULL && IsOk(&status) && size == bytes && (uintptr_t)image % 64 == 0);
  CHECK(linefilter_builder_sizing(builder, &sizing) && sizing.layout == layout && sizing.num_keys == kKeys);
  CHECK(linefilter_builder_num_keys(builder) == 0);

  /* The same bytes by every other way. */
  static uint8_t out[100000];
  size_t written = 0;
  for (unsigned i = 0; i < kKeys; ++i) linefilter_builder_add_key(builder, keys[i], sizes[i]);
  CHECK(linefilter_builder_finish_to(builder, out, size - 1, &written, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_builder_finish_to(builder, NULL, size, &written, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_builder_finish_to(builder, out, sizeof(out), &written, &status) == LINEFILTER_OK);
  CHECK(written == size && memcmp(out, image, size) == 0);
  for (unsigned i = 0; i < kKeys; ++i) linefilter_builder_add_hash(builder, hashes[i]);
  collected.size = 0, collected.refuse_from = 100;
  CHECK(linefilter_builder_finish_to_sink(builder, Collect, &collected, &status) == LINEFILTER_IO_ERROR);
  CHECK(linefilter_builder_finish_to_sink(builder, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_builder_finish_to_sink(builder, Collect, &collected, &status) == LINEFILTER_OK);
  CHECK(collected.size == size && memcmp(collected.data, image, size) == 0);
  linefilter_builder_borrow_hashes(builder, hashes, kKeys);
  CHECK(linefilter_builder_finish_to(builder, out, sizeof(out), &written, &status) == LINEFILTER_OK);
  CHECK(written == size && memcmp(out, image, size) == 0);
  linefilter_builder_add_u64(builder, 5);
  linefilter_builder_reset(builder);
  linefilter_builder_add_hashes(builder, hashes, kKeys);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("no/folder"), &status) == LINEFILTER_IO_ERROR);
  CHECK(linefilter_builder_finish_to_file(builder, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("built"), &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn("built"), image, size));
  linefilter_builder_free(builder);

  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status);
  CHECK(view != NULL && IsOk(&status) && linefilter_view_verify(view, &status) == LINEFILTER_OK);
  CheckAnswers(view);
  CHECK(linefilter_image_ask(image, size, LINEFILTER_VERIFY_LAZY, "key 1", 5));
  CHECK(linefilter_image_ask(image, size, LINEFILTER_VERIFY_TRUSTED, "key 1", 5));
  linefilter_view_free(view);
  linefilter_image_free(image);
}

static void TestBuildBlocked(void) { BuildInEveryWay(LINEFILTER_LAYOUT_BLOCKED); }
static void TestBuildClassic(void) { BuildInEveryWay(LINEFILTER_LAYOUT_CLASSIC); }
static void TestBuildRetrieval(void) { BuildInEveryWay(LINEFILTER_LAYOUT_RETRIEVAL); }

/* Keys that come again do not count; num_keys is what the size is for, whatever comes. */
static void TestBuilderCountsKeys(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_sizing sizing;
  for (int given = 0; given < 2; ++given) {
    options.num_keys = given == 0 ? 0 : 50000;
    linefilter_builder* builder = linefilter_builder_new(&options, &status);
    for (uint64_t i = 0; i < 200000; ++i) linefilter_builder_add_u64(builder, i % 500);
    CHECK(linefilter_builder_num_keys(builder) == 200000);
    const uint64_t bytes = linefilter_builder_image_bytes(builder);
    size_t size = 0;
    void* image = linefilter_builder_finish(builder, &size, &status);
    CHECK(image != NULL && IsOk(&status) && size == bytes);
    CHECK(linefilter_builder_sizing(builder, &sizing) && sizing.num_keys == (given == 0 ? 500 : 50000));
    CHECK(sizing.body_bytes >= sizing.num_keys * 10 / 8 && sizing.body_bytes <= sizing.num_keys * 10 / 8 + 64);
    linefilter_image_free(image);
    linefilter_builder_free(builder);
  }
  options.size = offsetof(linefilter_options, num_keys); /* a program of before: what stands there is not its own */
  linefilter_builder* builder = linefilter_builder_new(&options, &status);
  linefilter_builder_add_u64(builder, 1);
  CHECK(linefilter_builder_image_bytes(builder) == 72);
  linefilter_builder_free(builder);
}

static void TestBuilderRemembersErrors(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  const uint64_t numbers[3] = {1, 2, 3};
  size_t size = 5;
  options.hash_id = LINEFILTER_HASH_CALLER;
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  linefilter_builder_add_hashes(builder, numbers, 3);
  linefilter_builder_add_u64(builder, 7);
  CHECK(linefilter_builder_status(builder, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "add its hash"));
  CHECK(linefilter_builder_finish(builder, &size, &status) == NULL && size == 0);
  CHECK(status.code == LINEFILTER_INCOMPATIBLE && linefilter_builder_image_bytes(builder) == 0);
  linefilter_sizing sizing;
  CHECK(!linefilter_builder_sizing(builder, &sizing));
  linefilter_builder_reset(builder);
  CHECK(linefilter_builder_status(builder, NULL) == LINEFILTER_OK);
  linefilter_builder_free(builder);
  options.hash_id = LINEFILTER_HASH_XXH3;
  builder = linefilter_builder_new(&options, NULL);
  linefilter_builder_add_u64s(builder, numbers, 3);
  void* image = linefilter_builder_finish(builder, NULL, &status);
  CHECK(image != NULL && IsOk(&status));
  linefilter_image_free(image);
  linefilter_builder_free(builder);
}

static void TestExecutor(void) {
  size_t tasks = 0;
  linefilter_options options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 40); /* ten ranges */
  options.executor.run = RunTasks;
  options.executor.context = &tasks;
  options.executor.num_threads = 2;
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < 120000; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0, other_size = 0;
  void* image = linefilter_builder_finish(builder, &size, NULL);
  CHECK(tasks >= 2);
  linefilter_builder_free(builder);
  memset(&options.executor, 0, sizeof(options.executor)); /* all zero: the calling thread */
  builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < 120000; ++i) linefilter_builder_add_u64(builder, i);
  void* other = linefilter_builder_finish(builder, &other_size, NULL);
  CHECK(image != NULL && other != NULL && size == other_size && memcmp(image, other, size) == 0);
  linefilter_image_free(image);
  linefilter_image_free(other);
  linefilter_builder_free(builder);
}

static void TestNullBuilder(void) {
  linefilter_status status;
  const void* keys[1] = {"a"};
  const size_t sizes[1] = {1};
  const uint64_t hashes[1] = {1};
  linefilter_sizing sizing;
  size_t size = 5;
  linefilter_builder_add_key(NULL, "x", 1);
  linefilter_builder_add_u64(NULL, 1);
  linefilter_builder_add_hash(NULL, 1);
  linefilter_builder_add_keys(NULL, keys, sizes, 1);
  linefilter_builder_add_u64s(NULL, hashes, 1);
  linefilter_builder_add_hashes(NULL, hashes, 1);
  linefilter_builder_borrow_hashes(NULL, hashes, 1);
  CHECK(IsNoHandle(linefilter_builder_status(NULL, &status), &status));
  CHECK(linefilter_builder_num_keys(NULL) == 0 && linefilter_builder_image_bytes(NULL) == 0);
  CHECK(linefilter_builder_finish(NULL, &size, &status) == NULL && size == 0 && IsNoHandle(status.code, &status));
  CHECK(IsNoHandle(linefilter_builder_finish_to(NULL, &size, sizeof(size), NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_builder_finish_to_sink(NULL, Collect, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_builder_finish_to_file(NULL, "x", &status), &status));
  CHECK(!linefilter_builder_sizing(NULL, &sizing));
  linefilter_builder_reset(NULL);
  linefilter_builder_free(NULL);
}

void RunBuilder(void) {
  RUN(TestBuildBlocked);
  RUN(TestBuildClassic);
  RUN(TestBuildRetrieval);
  RUN(TestBuilderCountsKeys);
  RUN(TestBuilderRemembersErrors);
  RUN(TestExecutor);
  RUN(TestNullBuilder);
}
