/* Versions, names, targets; options. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static void TestVersions(void) {
  char text[32];
  const uint32_t version = linefilter_version_number();
  snprintf(text, sizeof(text), "%" PRIu32 ".%" PRIu32 ".%" PRIu32, version / 10000, version / 100 % 100, version % 100);
  CHECK(strcmp(linefilter_version(), text) == 0);
  CHECK(strcmp(linefilter_version(), LINEFILTER_EXPECTED_VERSION) == 0);
  CHECK(linefilter_format_version() == 1);
}

static void TestNames(void) {
  linefilter_layout layout = 77;
  CHECK(strcmp(linefilter_code_name(LINEFILTER_OK), "ok") == 0);
  for (linefilter_code code = LINEFILTER_OK; code <= LINEFILTER_UNAVAILABLE; ++code) {
    CHECK(strcmp(linefilter_code_name(code), "unknown") != 0);
    CHECK(code == LINEFILTER_OK || strcmp(linefilter_code_name(code), linefilter_code_name(code - 1)) != 0);
  }
  CHECK(strcmp(linefilter_code_name(10), "unknown") == 0 && strcmp(linefilter_code_name(-1), "unknown") == 0);
  CHECK(strcmp(linefilter_layout_name(LINEFILTER_LAYOUT_RETRIEVAL), "retrieval") == 0);
  CHECK(strcmp(linefilter_layout_name(257), "unknown") == 0); /* not blocked */
  CHECK(strcmp(linefilter_key_kind_name(LINEFILTER_KEY_KIND_UNKNOWN), "unknown") == 0);
  CHECK(strcmp(linefilter_key_kind_name(LINEFILTER_KEY_KIND_TEXT), "text") == 0);
  CHECK(strcmp(linefilter_key_kind_name(LINEFILTER_KEY_KIND_INTEGER), "integer") == 0);
  CHECK(strcmp(linefilter_key_kind_name(LINEFILTER_KEY_KIND_MIXED), "mixed") == 0);
  CHECK(strcmp(linefilter_key_kind_name(257), "unknown") == 0); /* not text */
  CHECK(linefilter_layout_parse("classic", &layout) && layout == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(!linefilter_layout_parse("cubic", &layout) && layout == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(!linefilter_layout_parse(NULL, &layout) && layout == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(strcmp(linefilter_hash_id_name(LINEFILTER_HASH_KEYED), "keyed") == 0);
  CHECK(strcmp(linefilter_hash_id_name(LINEFILTER_HASH_CALLER), "caller") == 0);
  CHECK(strcmp(linefilter_hash_id_name(LINEFILTER_HASH_PARQUET), "parquet") == 0);
  CHECK(strcmp(linefilter_hash_id_name(257), "unknown") == 0 && strcmp(linefilter_hash_id_name(-1), "unknown") == 0);
}

static void TestTargets(void) {
  const char* names[40];
  linefilter_status status;
  const size_t n = linefilter_target_supported(names, 40);
  const char* const best = linefilter_target_chosen();
  CHECK(n >= 1 && n < 40 && linefilter_target_supported(NULL, 0) == n);
  CHECK(linefilter_target_force(names[n - 1], &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(strcmp(linefilter_target_chosen(), names[n - 1]) == 0);
  CHECK(linefilter_target_force("ABACUS", &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "ABACUS"));
  CHECK(linefilter_target_force(best, NULL) == LINEFILTER_OK && strcmp(linefilter_target_chosen(), best) == 0);
}

static void TestOptionsOfOtherVersions(void) {
  struct {
    linefilter_options known;
    uint64_t newer;
  } options;
  linefilter_status status;
  memset(&options, 0xff, sizeof(options));
  linefilter_options_init(&options.known, sizeof(options));
  CHECK(options.known.size == sizeof(options) && options.newer == 0);
  CHECK(options.known.hash_id == LINEFILTER_HASH_XXH3 && options.known.memory_limit == LINEFILTER_NO_MEMORY_LIMIT);
  CHECK(options.known.fpr == 0 && options.known.executor.num_threads == 1 && options.known.allocator.allocate == NULL);
  options.known.bits_per_key = 10;
  linefilter_builder* builder = linefilter_builder_new(&options.known, &status);
  CHECK(builder != NULL && IsOk(&status)); /* a newer program that wants nothing new */
  linefilter_builder_free(builder);
  options.newer = 1;
  CHECK(linefilter_builder_new(&options.known, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "newer"));
  memset(&options, 0xff, sizeof(options));
  linefilter_options_init(&options.known, sizeof(options.known));
  CHECK(options.newer == UINT64_MAX); /* nothing behind an older program's structure is touched */
  options.known.size = 1;
  CHECK(linefilter_builder_new(&options.known, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "linefilter_options_init"));
  const size_t garbage[] = {LINEFILTER_MAX_OPTIONS_BYTES + 1, SIZE_MAX}; /* which nobody may believe, and read so far */
  for (int i = 0; i < 2; ++i) {
    linefilter_options_init(&options.known, sizeof(options.known));
    options.known.bits_per_key = 10;
    options.known.size = garbage[i];
    CHECK(linefilter_builder_new(&options.known, &status) == NULL);
    CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "linefilter_options_init"));
  }
  linefilter_options_init(&options.known, sizeof(options.known));
  options.known.bits_per_key = 10;
  options.known.reserved = 1; /* by a newer program */
  CHECK(linefilter_builder_new(&options.known, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "newer"));
  options.known.fpr = 5;
  linefilter_options_init(&options.known, offsetof(linefilter_options, fpr)); /* a program older than all */
  CHECK(options.known.size == offsetof(linefilter_options, fpr) && options.known.fpr == 5);
  linefilter_options_init(NULL, sizeof(options));
}

static void TestBadOptions(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 0);
  CHECK(linefilter_filter_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "neither bits_per_key nor fpr"));
  CHECK(linefilter_filter_new(10, NULL, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "no options"));
  CHECK(linefilter_filter_new(10, NULL, NULL) == NULL);
  CHECK(linefilter_concurrent_new(10, NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_builder_new(NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  options = Options(257, 10);
  CHECK(linefilter_filter_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "layout is 257"));
  options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 10);
  CHECK(linefilter_filter_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "use a builder"));
  CHECK(linefilter_concurrent_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "blocked"));
  options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.hash_id = 257;
  CHECK(linefilter_builder_new(&options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "hash_id"));
  options.hash_id = 4;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "hash id 4"));
  options.hash_id = LINEFILTER_HASH_KEYED;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "secret"));
  options = Options(99, 10); /* that nobody has */
  CHECK(linefilter_builder_new(&options, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "layout 99"));
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "layout 99"));
  options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.memory_limit = 1000;
  CHECK(linefilter_filter_new(10000, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
  options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.num_probes = 17;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "17"));
  options.num_probes = 3;
  options.seed = 5;
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  CHECK(linefilter_view_num_probes(linefilter_filter_view(filter)) == 3);
  CHECK(linefilter_view_seed(linefilter_filter_view(filter)) == 5);
  linefilter_filter_free(filter);
}

void RunTypes(void) {
  RUN(TestVersions);
  RUN(TestNames);
  RUN(TestTargets);
  RUN(TestOptionsOfOtherVersions);
  RUN(TestBadOptions);
}
