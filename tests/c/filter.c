/* linefilter_filter. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

/* Bytes, integers and hashes: inserted one by one and in batches; what an image makes has them, too. */
static void TestInsertionsInEveryWay(void) {
  const linefilter_layout layouts[] = {LINEFILTER_LAYOUT_BLOCKED, LINEFILTER_LAYOUT_CLASSIC,
                                       LINEFILTER_LAYOUT_QUOTIENT};
  for (int i = 0; i < 3; ++i) {
    linefilter_status status;
    const linefilter_options options = Options(layouts[i], 16);
    linefilter_filter* filter = linefilter_filter_new(3000, &options, &status);
    const linefilter_view* view = linefilter_filter_view(filter);
    CHECK(IsOk(&status) && linefilter_view_layout(view) == layouts[i]);
    InsertSingles(filter, 0);
    InsertBatchesAndAsk(filter, 0);
    CHECK(linefilter_filter_memory_use(filter) > linefilter_view_body_bytes(view));
    CHECK(linefilter_filter_memory_use(filter) < linefilter_view_body_bytes(view) + 2048);
    size_t size = 0;
    void* image = linefilter_filter_image(filter, &size, NULL);
    linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
    CHECK(copy != NULL && linefilter_view_layout(linefilter_filter_view(copy)) == layouts[i]);
    CHECK(!linefilter_filter_insert_u64(copy, 14));
    linefilter_filter_free(copy);
    linefilter_image_free(image);
    CHECK(linefilter_filter_clear(filter, &status) == LINEFILTER_OK);
    CHECK(!linefilter_view_may_contain_u64(view, 14) && linefilter_view_fill_ratio(view) == 0);
    linefilter_filter_free(filter);
  }
}

/* Keys that can be removed: one by one and in batches, of bytes, integers and hashes. */
static void TestRemoval(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 64);
  options.removable = 1;
  linefilter_filter* filter = linefilter_filter_new(3000, &options, &status);
  const linefilter_view* view = linefilter_filter_view(filter);
  const void* keys[3] = {"one", "two", "four"};
  const size_t sizes[3] = {3, 3, 4};
  const uint64_t numbers[3] = {7, 8, 9};
  const uint64_t hashes[3] = {1ull << 63, 1ull << 62, 1};
  uint8_t were_removed[3] = {7, 7, 7};
  size_t size = 0;
  CHECK(IsOk(&status) && linefilter_view_layout(view) == LINEFILTER_LAYOUT_QUOTIENT);
  CHECK(!linefilter_filter_remove_key(filter, "one", 3) && !linefilter_filter_remove_u64(filter, 7));
  CHECK(!linefilter_filter_remove_hash(filter, 1ull << 63));
  linefilter_filter_insert_keys(filter, keys, sizes, 2, NULL);
  linefilter_filter_insert_u64s(filter, numbers, 2, NULL);
  linefilter_filter_insert_hashes(filter, hashes, 2, NULL);
  void* image = linefilter_filter_image(filter, &size, NULL);
  linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
  CHECK(IsOk(&status) && linefilter_filter_remove_key(copy, "one", 3) && linefilter_filter_remove_u64(copy, 7));
  CHECK(linefilter_filter_remove_hash(copy, 1ull << 63) && !linefilter_filter_remove_hash(copy, 1ull << 63));
  CHECK(!linefilter_view_may_contain_key(linefilter_filter_view(copy), "one", 3));
  CHECK(linefilter_filter_remove_keys(filter, keys, sizes, 3, were_removed) == 2);
  CHECK(were_removed[0] == 1 && were_removed[1] == 1 && were_removed[2] == 0);
  CHECK(linefilter_filter_remove_u64s(filter, numbers, 3, were_removed) == 2 && were_removed[2] == 0);
  CHECK(linefilter_filter_remove_hashes(filter, hashes, 3, were_removed) == 2 && were_removed[2] == 0);
  CHECK(linefilter_filter_remove_keys(filter, keys, sizes, 3, NULL) == 0);
  CHECK(linefilter_view_fill_ratio(view) == 0);
  linefilter_filter_free(copy);
  linefilter_image_free(image);
  linefilter_filter_free(filter);

  were_removed[0] = 7;
  CHECK(!linefilter_filter_remove_key(NULL, "x", 1) && !linefilter_filter_remove_u64(NULL, 1));
  CHECK(!linefilter_filter_remove_hash(NULL, 1));
  CHECK(linefilter_filter_remove_keys(NULL, keys, sizes, 3, were_removed) == 0 && were_removed[0] == 0);
  CHECK(linefilter_filter_remove_u64s(NULL, numbers, 3, NULL) == 0);
  CHECK(linefilter_filter_remove_hashes(NULL, hashes, 3, were_removed) == 0);
}

/* A filter goes on from its file, and is copied, whatever its kind. */
static void TestLoadAndClone(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 0);
  options.fpr = 0.01;
  for (int kind = 0; kind < 4; ++kind) {
    linefilter_filter* filter = kind == LINEFILTER_KIND_CONCURRENT ? linefilter_concurrent_new(1000, &options, NULL)
                                : kind == LINEFILTER_KIND_SCALABLE ? linefilter_scalable_new(10, 0, &options, NULL)
                                : kind == LINEFILTER_KIND_ROTATING
                                    ? linefilter_rotating_new(100, 2, LINEFILTER_ROTATE_BY_CALLER, &options, NULL)
                                    : linefilter_filter_new(1000, &options, NULL);
    CHECK(linefilter_filter_insert_u64(filter, 5));
    CHECK(linefilter_filter_save(filter, FileIn("filter"), &status) == LINEFILTER_OK);
    linefilter_filter* loaded = kind == LINEFILTER_KIND_CONCURRENT
                                    ? linefilter_concurrent_load(FileIn("filter"), NULL, &status)
                                    : linefilter_filter_load(FileIn("filter"), NULL, &status);
    linefilter_filter* clone = linefilter_filter_clone(filter, &status);
    CHECK(IsOk(&status) && linefilter_filter_kind(loaded) == kind && linefilter_filter_kind(clone) == kind);
    CHECK(!linefilter_filter_insert_u64(loaded, 5) && linefilter_filter_insert_u64(loaded, 6));
    CHECK(!linefilter_filter_insert_u64(clone, 5) && linefilter_filter_insert_u64(clone, 6));
    CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(filter), 6)); /* they share nothing */
    linefilter_filter_free(filter);
    linefilter_filter_free(loaded);
    linefilter_filter_free(clone);
  }
  CHECK(linefilter_filter_load(FileIn("missing"), NULL, &status) == NULL && status.code == LINEFILTER_IO_ERROR);
  CHECK(linefilter_filter_load(NULL, NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_concurrent_load(NULL, NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_filter_clone(NULL, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
}

/* The kinds of keys, told before and later: an image remembers them. */
static void TestKindsOfKeys(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* filter = linefilter_filter_new(100, &options, NULL);
  const linefilter_view* view = linefilter_filter_view(filter);
  const uint64_t untold = linefilter_filter_image_bytes(filter);
  CHECK(linefilter_view_key_kind(view) == LINEFILTER_KEY_KIND_UNKNOWN);
  linefilter_filter_note_key_kind(filter, LINEFILTER_KEY_KIND_TEXT);
  CHECK(linefilter_view_key_kind(view) == LINEFILTER_KEY_KIND_TEXT);
  CHECK(linefilter_filter_image_bytes(filter) == untold + 9);
  linefilter_filter_note_key_kind(filter, LINEFILTER_KEY_KIND_INTEGER);
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, NULL);
  linefilter_view* opened = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status);
  CHECK(IsOk(&status) && linefilter_view_key_kind(opened) == LINEFILTER_KEY_KIND_MIXED);
  linefilter_view_free(opened);
  linefilter_image_free(image);
  linefilter_filter_note_key_kind(filter, 257); /* not text */
  CHECK(linefilter_view_key_kind(view) == LINEFILTER_KEY_KIND_UNKNOWN);
  linefilter_filter_free(filter);

  options.key_kind = LINEFILTER_KEY_KIND_INTEGER;
  filter = linefilter_filter_new(100, &options, &status);
  CHECK(linefilter_view_key_kind(linefilter_filter_view(filter)) == LINEFILTER_KEY_KIND_INTEGER);
  linefilter_filter_free(filter);
  options.key_kind = 4;
  CHECK(linefilter_filter_new(100, &options, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  linefilter_filter_note_key_kind(NULL, LINEFILTER_KEY_KIND_TEXT);
  CHECK(linefilter_view_key_kind(NULL) == LINEFILTER_KEY_KIND_UNKNOWN);
}

static void TestAutoIsWhatSizingSays(void) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 10);
  linefilter_filter* tiny = linefilter_filter_new(20, &options, NULL);
  linefilter_filter* large = linefilter_filter_new(100000, &options, NULL);
  CHECK(linefilter_view_layout(linefilter_filter_view(tiny)) == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(linefilter_view_layout(linefilter_filter_view(large)) == LINEFILTER_LAYOUT_BLOCKED);
  CHECK(linefilter_filter_insert_u64(tiny, 5) && !linefilter_view_may_contain_u64(linefilter_filter_view(tiny), 6));
  linefilter_filter_free(tiny);
  linefilter_filter_free(large);
  options.num_probes = 20; /* more than blocked has */
  large = linefilter_filter_new(100000, &options, NULL);
  CHECK(linefilter_view_layout(linefilter_filter_view(large)) == LINEFILTER_LAYOUT_CLASSIC);
  linefilter_filter_free(large);
}

static void TestUnion(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* one = linefilter_filter_new(1000, &options, NULL);
  linefilter_filter* two = linefilter_filter_new(1000, &options, NULL);
  linefilter_filter_insert_u64(one, 1);
  linefilter_filter_insert_u64(two, 2);
  CHECK(linefilter_filter_union(one, linefilter_filter_view(two), 0, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(one), 2));
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(two), 1));
  linefilter_options other_probes = options;
  other_probes.num_probes = 3;
  linefilter_filter* four = linefilter_filter_new(1000, &other_probes, NULL);
  CHECK(linefilter_filter_union(one, linefilter_filter_view(four), 0, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "num_probes"));
  linefilter_filter_free(four);
  const linefilter_options classic = Options(LINEFILTER_LAYOUT_CLASSIC, 10);
  linefilter_filter* large = linefilter_filter_new(1000, &classic, NULL);
  linefilter_filter* small = linefilter_filter_new(100, &classic, NULL);
  CHECK(linefilter_filter_union(large, linefilter_filter_view(small), 0, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "the size is another"));
  linefilter_filter_free(large);
  linefilter_filter_free(small);
  size_t size = 0;
  uint8_t* image = linefilter_filter_image(one, &size, NULL);
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  CHECK(linefilter_filter_union(two, view, 0, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(two), 1));
  linefilter_view_free(view);
  linefilter_image_free(image);
  linefilter_filter_free(one);
  linefilter_filter_free(two);
}

/* Unions of n and n + d keys have at most twice the rate of all in the larger size, or are refused. */
static void TestUnionsKeepTheirRate(void) {
  const uint64_t more[] = {0, 1, 65, 1000, 10000};
  int united = 0;
  for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); ++i) {
    const uint64_t n = 10000, all = 2 * n + more[i];
    linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
    linefilter_filter* one = linefilter_filter_new(n, &options, NULL);
    linefilter_filter* two = linefilter_filter_new(n + more[i], &options, NULL);
    for (uint64_t key = 0; key < all; ++key) linefilter_filter_insert_u64(key < n ? one : two, key);
    const linefilter_view *view = linefilter_filter_view(one), *other = linefilter_filter_view(two);
    const uint64_t large = linefilter_view_body_bytes(other);
    const double most =
        2 * linefilter_sizing_expected_fpr(LINEFILTER_LAYOUT_BLOCKED, all, large, linefilter_view_num_probes(view));
    if (linefilter_filter_union(one, other, 0, NULL) == LINEFILTER_OK) {
      ++united;
      CHECK(linefilter_view_expected_fpr(view) <= 1.02 * most); /* the keys were estimated */
      for (uint64_t key = 0; key < all; ++key) CHECK(linefilter_view_may_contain_u64(view, key));
    }
    linefilter_filter_free(one);
    linefilter_filter_free(two);
  }
  CHECK(united >= 1 && united < 5);
}

/* What is made in the size of another one is united with it, whatever the number of its keys. */
static void TestSameSize(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.seed = 7;
  linefilter_filter* first = linefilter_filter_new(100000, &options, NULL);
  const linefilter_view* view = linefilter_filter_view(first);
  options.memory_limit = 1 << 20;
  options.num_keys = 5; /* of another filter */
  CHECK(linefilter_options_same_size_as(&options, view, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(options.memory_limit == 1 << 20 && options.seed == 7 && options.bits_per_key == 0 &&
        options.num_keys == 100000);
  linefilter_filter* next = linefilter_filter_new(100065, &options, &status);
  CHECK(next != NULL && linefilter_view_body_bytes(linefilter_filter_view(next)) == linefilter_view_body_bytes(view));
  linefilter_filter_insert_u64(next, 5);
  CHECK(linefilter_filter_union(first, linefilter_filter_view(next), 0, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(view, 5));
  linefilter_builder* builder = linefilter_builder_new(&options, &status);
  linefilter_builder_add_u64(builder, 6);
  size_t size = 0;
  uint8_t* image = linefilter_builder_finish(builder, &size, &status);
  linefilter_view* built = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  CHECK(built != NULL && linefilter_filter_union(first, built, 0, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(view, 6));
  linefilter_view_free(built);
  linefilter_image_free(image);
  linefilter_builder_free(builder);
  options.fpr = 0.01; /* two sizes */
  CHECK(linefilter_filter_new(10, &options, &status) == NULL &&
        Says(LINEFILTER_INVALID_ARGUMENT, &status, "body_bytes"));
  CHECK(linefilter_options_same_size_as(NULL, view, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(IsNoHandle(linefilter_options_same_size_as(&options, NULL, &status), &status));
  options.size = offsetof(linefilter_options, body_bytes); /* a program of before */
  CHECK(linefilter_options_same_size_as(&options, view, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "has no body_bytes"));
  linefilter_filter_free(next);
  linefilter_filter_free(first);
}

static void TestFold(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_AUTO, 40);
  options.foldable = 1;
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  linefilter_filter* other = linefilter_filter_new(1000, &options, NULL);
  const linefilter_view *view = linefilter_filter_view(filter), *other_view = linefilter_filter_view(other);
  CHECK(filter != NULL && linefilter_view_num_blocks(view) == 128);
  for (uint64_t i = 0; i < 200; ++i) linefilter_filter_insert_u64(filter, i);
  linefilter_filter_insert_u64(other, 1000);
  CHECK(linefilter_filter_fold(filter, 3, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "128 blocks cannot be folded by 3: by 2 or 4"));
  const uint64_t before = linefilter_filter_memory_use(filter);
  CHECK(linefilter_filter_fold(filter, 2, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_filter_memory_use(filter) == before - 64 * 64);
  CHECK(linefilter_view_num_blocks(view) == 64);
  CHECK(linefilter_filter_union(filter, other_view, 0.01, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_num_blocks(view) == 64);
  CHECK(linefilter_filter_fold_to_fpr(filter, 0.01, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_num_blocks(view) < 64);
  CHECK(linefilter_view_expected_fpr(view) <= 0.01);
  CHECK(linefilter_filter_union(other, view, 0, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "permit the rate"));
  CHECK(linefilter_filter_union(other, view, 0.02, &status) == LINEFILTER_OK); /* shrinks */
  for (uint64_t i = 0; i < 200; ++i) {
    CHECK(linefilter_view_may_contain_u64(view, i));
    CHECK(linefilter_view_may_contain_u64(other_view, i));
  }
  CHECK(linefilter_view_may_contain_u64(view, 1000));
  CHECK(linefilter_view_num_blocks(other_view) == linefilter_view_num_blocks(view));
  CHECK(linefilter_filter_fold_to_fpr(filter, 1e-9, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "before any folding"));
  linefilter_filter_free(filter);
  linefilter_filter_free(other);
  options.foldable = 2;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "foldable"));
  options.foldable = 1;
  options.layout = LINEFILTER_LAYOUT_CLASSIC;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "layout classic cannot be folded"));
  options.layout = LINEFILTER_LAYOUT_AUTO;
  options.size = offsetof(linefilter_options, foldable); /* a program of before: what stands there is not its own */
  filter = linefilter_filter_new(10, &options, &status);
  CHECK(filter != NULL && linefilter_view_num_blocks(linefilter_filter_view(filter)) < 64);
  linefilter_filter_free(filter);
}

static void TestImagesOfAFilter(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* filter = linefilter_filter_new(kKeys, &options, NULL);
  for (unsigned i = 0; i < kKeys; ++i) linefilter_filter_insert_key(filter, Key(i), strlen(Key(i)));
  size_t size = 0;
  void* image = ImageByEveryWayOut(filter, "saved", &size);
  CHECK((uintptr_t)image % 64 == 0);
  void* no_size = linefilter_filter_image(filter, NULL, NULL);
  CHECK(memcmp(no_size, image, size) == 0);
  CHECK(linefilter_filter_write_to(filter, no_size, size - 1, &status) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_image_free(no_size);
  collected.size = 0, collected.refuse_from = 100;
  CHECK(linefilter_filter_write_to_sink(filter, Collect, &collected, &status) == LINEFILTER_IO_ERROR);
  CHECK(linefilter_filter_save(filter, FileIn("no/folder"), &status) == LINEFILTER_IO_ERROR);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "no/folder"));

  linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && IsOk(&status));
  for (unsigned i = 0; i < kKeys; ++i) CHECK(!linefilter_filter_insert_key(copy, Key(i), strlen(Key(i))));
  linefilter_filter_free(copy);
  ((uint8_t*)image)[10] ^= 1;
  CHECK(linefilter_filter_from_image(image, size, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  linefilter_image_free(image);
  linefilter_filter_free(filter);
}

static void TestNullFilter(void) {
  linefilter_status status;
  const void* keys[2] = {"a", "b"};
  const size_t sizes[2] = {1, 1};
  const uint64_t hashes[2] = {1, 2};
  uint8_t bytes[2] = {7, 7};
  size_t size = 5;
  CHECK(!linefilter_filter_insert_key(NULL, "x", 1) && !linefilter_filter_insert_u64(NULL, 1));
  CHECK(!linefilter_filter_insert_hash(NULL, 1));
  CHECK(linefilter_filter_insert_keys(NULL, keys, sizes, 2, bytes) == 0 && bytes[0] == 0 && bytes[1] == 0);
  CHECK(linefilter_filter_insert_u64s(NULL, hashes, 2, bytes) == 0);
  CHECK(linefilter_filter_insert_hashes(NULL, hashes, 2, NULL) == 0);
  CHECK(linefilter_filter_view(NULL) == NULL && linefilter_filter_memory_use(NULL) == 0);
  CHECK(IsNoHandle(linefilter_filter_union(NULL, NULL, 0, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_clear(NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_fold(NULL, 2, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_fold_to_fpr(NULL, 0.1, &status), &status));
  CHECK(linefilter_filter_kind(NULL) == LINEFILTER_KIND_PLAIN);
  CHECK(linefilter_filter_image_bytes(NULL) == 0);
  CHECK(linefilter_filter_image(NULL, &size, &status) == NULL && size == 0 && IsNoHandle(status.code, &status));
  CHECK(IsNoHandle(linefilter_filter_write_to(NULL, bytes, 2, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_write_to_sink(NULL, Collect, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_save(NULL, "x", &status), &status));
  linefilter_filter_free(NULL);
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* filter = linefilter_filter_new(10, &options, NULL);
  CHECK(IsNoHandle(linefilter_filter_union(filter, NULL, 0, &status), &status));
  linefilter_filter_free(filter);
  CHECK(linefilter_filter_from_image(NULL, 0, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
}

void RunFilter(void) {
  RUN(TestInsertionsInEveryWay);
  RUN(TestRemoval);
  RUN(TestKindsOfKeys);
  RUN(TestLoadAndClone);
  RUN(TestAutoIsWhatSizingSays);
  RUN(TestUnion);
  RUN(TestUnionsKeepTheirRate);
  RUN(TestSameSize);
  RUN(TestFold);
  RUN(TestImagesOfAFilter);
  RUN(TestNullFilter);
}
