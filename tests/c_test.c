/* The C API as a program in C sees it: every function with what it promises, and with NULL. (That bytes and answers are
   those of the C++ API, and what happens without memory: c_api_test.cc.) */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "linefilter/c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/testing/check.h"

enum { kKeys = 5000, kAbsent = 2000 };

static char folder[] = "/tmp/linefilter-c-test-XXXXXX";

static const char* FileIn(const char* name) {
  static char path[256];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  return path;
}

static linefilter_options Options(linefilter_layout layout, double bits_per_key) {
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.layout = layout;
  options.bits_per_key = bits_per_key;
  return options;
}

static const uint8_t kSecret[LINEFILTER_SECRET_BYTES] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6};
static const uint8_t kOtherSecret[LINEFILTER_SECRET_BYTES] = {1};

/* Key i as bytes; absent ones from kKeys on. */
static const char* Key(unsigned i) {
  static char key[32];
  snprintf(key, sizeof(key), "key %u", i);
  return key;
}

/* An error: a code and a sentence. */
static bool Says(linefilter_code code, const linefilter_status* status, const char* word) {
  const bool is_good = status->code == code && strlen(status->message) > 10 && strstr(status->message, word) != NULL;
  if (!is_good) printf("  %s: %s\n", linefilter_code_name(status->code), status->message);
  return is_good;
}

static bool IsOk(const linefilter_status* status) {
  const bool is_ok = status->code == LINEFILTER_OK && strcmp(status->message, "ok") == 0;
  if (!is_ok) printf("  %s: %s\n", linefilter_code_name(status->code), status->message);
  return is_ok;
}

/* ---- What needs no handle. */

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
  for (linefilter_code code = LINEFILTER_OK; code <= LINEFILTER_IO_ERROR; ++code) {
    CHECK(strcmp(linefilter_code_name(code), "unknown") != 0);
    CHECK(code == LINEFILTER_OK || strcmp(linefilter_code_name(code), linefilter_code_name(code - 1)) != 0);
  }
  CHECK(strcmp(linefilter_code_name(8), "unknown") == 0 && strcmp(linefilter_code_name(-1), "unknown") == 0);
  CHECK(strcmp(linefilter_layout_name(LINEFILTER_LAYOUT_RETRIEVAL), "retrieval") == 0);
  CHECK(strcmp(linefilter_layout_name(257), "unknown") == 0); /* not blocked */
  CHECK(linefilter_parse_layout("classic", &layout) && layout == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(!linefilter_parse_layout("cubic", &layout) && layout == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(!linefilter_parse_layout(NULL, &layout) && layout == LINEFILTER_LAYOUT_CLASSIC);
  CHECK(strcmp(linefilter_hash_id_name(LINEFILTER_HASH_KEYED), "keyed") == 0);
  CHECK(strcmp(linefilter_hash_id_name(LINEFILTER_HASH_CALLER), "caller") == 0);
  CHECK(strcmp(linefilter_hash_id_name(257), "unknown") == 0 && strcmp(linefilter_hash_id_name(-1), "unknown") == 0);
}

static void TestHashes(void) {
  const uint8_t counting[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const uint8_t zero_secret[16] = {0};
  const uint64_t number = 0x0102030405060708;
  const uint8_t bytes[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  const void* keys[2];
  const size_t sizes[2] = {8, 0};
  uint64_t hashes[2], again[2] = {0x0102030405060708, 5};
  keys[0] = bytes;
  keys[1] = NULL;
  /* tests/conformance/xxh3.txt and siphash.txt */
  CHECK(linefilter_hash_key("", 0, 0) == 0x2d06800538d394c2 && linefilter_hash_key(NULL, 0, 0) == 0x2d06800538d394c2);
  CHECK(linefilter_hash_key("", 0, 0x9e3779b97f4a7c15) == 0x602b0e2cd6662c8b);
  CHECK(linefilter_keyed_hash_key("", 0, counting) == 0xabac0158050fc4dc);
  CHECK(linefilter_hash_u64(number, 7) == linefilter_hash_key(bytes, 8, 7));
  CHECK(linefilter_hash_u64(number, 7) != linefilter_hash_u64(number, 8));
  CHECK(linefilter_keyed_hash_u64(number, counting) == linefilter_keyed_hash_key(bytes, 8, counting));
  CHECK(linefilter_keyed_hash_u64(number, NULL) == linefilter_keyed_hash_u64(number, zero_secret));
  CHECK(linefilter_check_of_secret(counting) != linefilter_check_of_secret(zero_secret));
  linefilter_hash_keys(keys, sizes, 2, 7, hashes);
  CHECK(hashes[0] == linefilter_hash_u64(number, 7) && hashes[1] == linefilter_hash_key("", 0, 7));
  linefilter_hash_u64s(again, 2, 7, again); /* where they are */
  CHECK(again[0] == hashes[0] && again[1] == linefilter_hash_u64(5, 7));
  CHECK(linefilter_mix_hash(0) == 0xe220a8397b1dcdaf); /* SplitMix64's first number */
  CHECK(linefilter_shard_of(hashes[0], 1) == 0);
  int shards[4] = {0};
  for (uint64_t i = 0; i < 1000; ++i) ++shards[linefilter_shard_of(linefilter_hash_u64(i, 0), 4) % 4];
  for (int i = 0; i < 4; ++i) CHECK(shards[i] > 150);
}

static void TestSizing(void) {
  linefilter_status status;
  linefilter_sizing sizing, smaller;
  CHECK(linefilter_size_for_fpr(LINEFILTER_LAYOUT_BLOCKED, 1000000, 0.01, &sizing, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status));
  CHECK(sizing.layout == LINEFILTER_LAYOUT_BLOCKED && sizing.num_keys == 1000000 && sizing.body_bytes % 64 == 0);
  CHECK(sizing.expected_fpr > 0.0099 && sizing.expected_fpr <= 0.01 && sizing.num_probes > 4);
  CHECK(sizing.bits_per_key > 9 && sizing.bits_per_key < 11);
  CHECK(linefilter_expected_fpr(LINEFILTER_LAYOUT_BLOCKED, 1000000, sizing.body_bytes, sizing.num_probes) ==
        sizing.expected_fpr);
  CHECK(linefilter_max_keys_for_fpr(LINEFILTER_LAYOUT_BLOCKED, sizing.body_bytes, 0.01) >= 1000000);
  CHECK(linefilter_size_for_bits_per_key(LINEFILTER_LAYOUT_RETRIEVAL, 1000000, 8, &smaller, NULL) == LINEFILTER_OK);
  CHECK(smaller.num_probes == 0 && smaller.body_bytes < sizing.body_bytes &&
        smaller.expected_fpr < sizing.expected_fpr);
  CHECK(linefilter_size_for_bits_per_key(LINEFILTER_LAYOUT_AUTO, 1000, 65, &smaller, &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "bits_per_key is 65") && smaller.num_keys == 1000000);
  CHECK(linefilter_size_for_fpr(257, 1000, 0.01, &smaller, &status) == LINEFILTER_INVALID_ARGUMENT); /* not blocked */
  CHECK(linefilter_expected_fpr(257, 1000, 64000, 6) == 1 && linefilter_max_keys_for_fpr(257, 64000, 0.01) == 0);
  CHECK(linefilter_max_num_probes(LINEFILTER_LAYOUT_BLOCKED) == 16);
  const uint32_t num_probes = linefilter_num_probes_for_bits_per_key(LINEFILTER_LAYOUT_CLASSIC, 10);
  CHECK(num_probes == 7);
  CHECK(linefilter_min_bits_per_key_for_num_probes(LINEFILTER_LAYOUT_CLASSIC, num_probes) <= 10);
  CHECK(linefilter_min_bits_per_key_for_num_probes(LINEFILTER_LAYOUT_CLASSIC, num_probes + 1) > 10);
  const double fpr = linefilter_fpr_for_bits_per_key(LINEFILTER_LAYOUT_BLOCKED, 12);
  CHECK(fpr > 0.003 && fpr < 0.005);
  CHECK(linefilter_bits_per_key_for_fpr(LINEFILTER_LAYOUT_BLOCKED, fpr) > 11.999);
  CHECK(linefilter_bits_per_key_for_fpr(LINEFILTER_LAYOUT_BLOCKED, fpr) < 12.001);
}

static void TestTargets(void) {
  const char* names[40];
  linefilter_status status;
  const size_t n = linefilter_supported_targets(names, 40);
  const char* const best = linefilter_chosen_target();
  CHECK(n >= 1 && n < 40 && linefilter_supported_targets(NULL, 0) == n);
  CHECK(linefilter_force_target(names[n - 1], &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(strcmp(linefilter_chosen_target(), names[n - 1]) == 0);
  CHECK(linefilter_force_target("ABACUS", &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "ABACUS"));
  CHECK(linefilter_force_target(best, NULL) == LINEFILTER_OK && strcmp(linefilter_chosen_target(), best) == 0);
}

/* ---- Options. */

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
  options.known.size = sizeof(options.known);
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
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "linefilter_builder"));
  CHECK(linefilter_concurrent_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "blocked"));
  options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.hash_id = 257;
  CHECK(linefilter_builder_new(&options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "hash_id"));
  options.hash_id = 3;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "hash id 3"));
  options.hash_id = LINEFILTER_HASH_KEYED;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "secret"));
  options = Options(4, 10); /* reserved */
  CHECK(linefilter_builder_new(&options, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "counting"));
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_UNSUPPORTED, &status, "counting"));
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

/* ---- Memory of the host. */

typedef struct Heap {
  int live, made, fail_at;
} Heap;

static void* Allocate(void* context, size_t size, size_t alignment) {
  Heap* heap = context;
  void* pointer = NULL;
  if (heap->made++ == heap->fail_at) return NULL;
  if (posix_memalign(&pointer, alignment < sizeof(void*) ? sizeof(void*) : alignment, size) != 0) return NULL;
  ++heap->live;
  memset(pointer, 0xa5, size);
  return pointer;
}

static void Deallocate(void* context, void* pointer, size_t size, size_t alignment) {
  (void)size, (void)alignment;
  --((Heap*)context)->live;
  free(pointer);
}

static linefilter_allocator Hooks(Heap* heap) {
  linefilter_allocator allocator;
  allocator.allocate = Allocate;
  allocator.deallocate = Deallocate;
  allocator.context = heap;
  return allocator;
}

/* All kinds of handles; false if one of them found no memory, and said so. */
static bool UseEverything(Heap* heap, linefilter_status* status) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  bool is_done = false;
  void *image = NULL, *built = NULL;
  size_t size = 0;
  linefilter_filter *filter = NULL, *copy = NULL, *sealed = NULL;
  linefilter_builder* builder = NULL;
  linefilter_concurrent* concurrent = NULL;
  linefilter_view* view = NULL;
  const linefilter_allocator hooks = Hooks(heap);
  options.allocator = hooks;
  do {
    if ((filter = linefilter_filter_new(1000, &options, status)) == NULL) break;
    linefilter_filter_insert_u64(filter, 1);
    if ((image = linefilter_filter_image(filter, &size, status)) == NULL) break;
    if ((copy = linefilter_filter_from_image(image, size, &options, status)) == NULL) break;
    if ((concurrent = linefilter_concurrent_from_image(image, size, &options, status)) == NULL) break;
    if ((sealed = linefilter_concurrent_seal(concurrent, status)) == NULL) break;
    if ((builder = linefilter_builder_new(&options, status)) == NULL) break;
    linefilter_builder_add_u64(builder, 1);
    if ((built = linefilter_builder_finish(builder, &size, status)) == NULL) break;
    if (linefilter_filter_save(filter, FileIn("hooks"), status) != LINEFILTER_OK) break;
    const int made = heap->made;
    view = linefilter_view_load(FileIn("hooks"), &hooks, LINEFILTER_NO_MEMORY_LIMIT, NULL, status);
    if (view == NULL) break;
    CHECK(heap->made >= made + 2); /* the handle, and for the file */
    CHECK(linefilter_view_may_contain_u64(view, 1) && !linefilter_view_may_contain_u64(view, 2));
    is_done = true;
  } while (false);
  linefilter_view_free(view);
  linefilter_builder_free(builder);
  linefilter_filter_free(sealed);
  linefilter_concurrent_free(concurrent);
  linefilter_filter_free(copy);
  linefilter_filter_free(filter);
  linefilter_image_free(image);
  linefilter_image_free(built);
  return is_done;
}

static void TestHostMemory(void) {
  Heap heap = {0, 0, -1};
  linefilter_status status;
  CHECK(UseEverything(&heap, &status) && heap.live == 0);
  CHECK(heap.made >= 13); /* the handles, their bodies, two images */
  const int allocations = heap.made;
  for (int i = 0; i < allocations; ++i) {
    heap.live = heap.made = 0;
    heap.fail_at = i;
    CHECK(!UseEverything(&heap, &status) && heap.live == 0);
    CHECK(Says(LINEFILTER_OUT_OF_MEMORY, &status, "no memory for"));
  }
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  heap.made = 0;
  options.allocator.allocate = Allocate;
  options.allocator.context = &heap;
  CHECK(linefilter_filter_new(10, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(linefilter_builder_new(&options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(linefilter_filter_from_image("x", 1, &options, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(linefilter_view_load("x", &options.allocator, 1, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "allocator"));
  CHECK(heap.made == 0); /* nor was a handle made with half of the hooks */
}

/* ---- linefilter_filter. */

/* Bytes, integers and hashes: inserted one by one and in batches. */
static void InsertInEveryWay(linefilter_layout layout) {
  linefilter_status status;
  const linefilter_options options = Options(layout, 16);
  linefilter_filter* filter = linefilter_filter_new(3000, &options, &status);
  const linefilter_view* view = linefilter_filter_view(filter);
  static char text[1000][16];
  static const void* keys[1000];
  static size_t sizes[1000];
  static uint64_t numbers[1000], hashes[1000];
  static uint8_t were_new[1000], answers[1000], bits[125];
  CHECK(IsOk(&status) && linefilter_view_layout(view) == layout);
  for (int i = 0; i < 1000; ++i) {
    sizes[i] = (size_t)snprintf(text[i], sizeof(text[i]), "text %d", i);
    keys[i] = text[i];
    numbers[i] = (uint64_t)i;
    hashes[i] = linefilter_hash_u64((uint64_t)(i + 1000), 0);
  }
  CHECK(!linefilter_view_may_contain_key(view, "one", 3) && linefilter_filter_insert_key(filter, "one", 3));
  CHECK(!linefilter_filter_insert_key(filter, "one", 3) && linefilter_view_may_contain_key(view, "one", 3));
  CHECK(linefilter_filter_insert_u64(filter, 1u << 20) && linefilter_view_may_contain_u64(view, 1u << 20));
  CHECK(!linefilter_filter_insert_hash(filter, linefilter_hash_u64(1u << 20, 0)));
  CHECK(linefilter_filter_insert_hash(filter, linefilter_hash_key("two", 3, 0)));
  CHECK(linefilter_view_may_contain_key(view, "two", 3));
  CHECK(linefilter_view_may_contain_hash(view, linefilter_hash_key("one", 3, 0)));

  const uint64_t new_keys = linefilter_filter_insert_keys(filter, keys, sizes, 1000, were_new);
  uint64_t counted = 0;
  for (int i = 0; i < 1000; ++i) counted += were_new[i];
  CHECK(new_keys > 990 && new_keys == counted);
  CHECK(linefilter_filter_insert_keys(filter, keys, sizes, 1000, were_new) == 0 && were_new[999] == 0);
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 1000, were_new) > 990 && were_new[0] == 1);
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 1000, NULL) == 0);
  CHECK(linefilter_filter_insert_hashes(filter, hashes, 1000, NULL) > 980);
  CHECK(linefilter_filter_insert_hashes(filter, hashes, 1000, were_new) == 0 && were_new[0] == 0);

  memset(answers, 7, sizeof(answers));
  linefilter_view_may_contain_keys(view, keys, sizes, 999, answers);
  for (int i = 0; i < 999; ++i) CHECK(answers[i] == 1 && linefilter_view_may_contain_key(view, keys[i], sizes[i]));
  CHECK(answers[999] == 7);
  linefilter_view_may_contain_u64s(view, numbers, 1000, answers);
  for (int i = 0; i < 1000; ++i) CHECK(answers[i] == 1 && linefilter_view_may_contain_u64(view, numbers[i]));
  for (int i = 0; i < 1000; ++i) hashes[i] = linefilter_hash_u64((uint64_t)i + 1500, 0); /* half are absent */
  linefilter_view_may_contain_hashes(view, hashes, 1000, answers);
  linefilter_view_may_contain_hashes_to_bits(view, hashes, 1000, bits);
  counted = 0;
  for (int i = 0; i < 1000; ++i) {
    counted += answers[i];
    CHECK(answers[i] == (bits[i / 8] >> i % 8 & 1));
    CHECK(answers[i] == (linefilter_view_may_contain_hash(view, hashes[i]) ? 1 : 0));
  }
  CHECK(counted >= 500 && counted < 520 && linefilter_view_count_maybes(view, hashes, 1000) == counted);
  CHECK(linefilter_filter_memory_use(filter) > linefilter_view_body_bytes(view));
  CHECK(linefilter_filter_memory_use(filter) < linefilter_view_body_bytes(view) + 2048);
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, NULL);
  linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && linefilter_view_layout(linefilter_filter_view(copy)) == layout);
  CHECK(linefilter_filter_insert_keys(copy, keys, sizes, 1000, NULL) == 0);
  linefilter_filter_free(copy);
  linefilter_image_free(image);
  linefilter_filter_clear(filter);
  CHECK(linefilter_view_count_maybes(view, hashes, 1000) == 0 && linefilter_view_fill_ratio(view) == 0);
  linefilter_filter_free(filter);
}

static void TestBlocked(void) { InsertInEveryWay(LINEFILTER_LAYOUT_BLOCKED); }
static void TestClassic(void) { InsertInEveryWay(LINEFILTER_LAYOUT_CLASSIC); }

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
  linefilter_filter* three = linefilter_filter_new(100, &options, NULL);
  linefilter_filter_insert_u64(one, 1);
  linefilter_filter_insert_u64(two, 2);
  CHECK(linefilter_filter_union(one, linefilter_filter_view(two), &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(one), 2));
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(two), 1));
  CHECK(linefilter_filter_union(one, linefilter_filter_view(three), &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "size"));
  size_t size = 0;
  uint8_t* image = linefilter_filter_image(one, &size, NULL);
  linefilter_view* view = linefilter_view_open(image, size, NULL, NULL);
  CHECK(linefilter_filter_union(two, view, &status) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(two), 1));
  linefilter_view_free(view);
  linefilter_image_free(image);
  linefilter_filter_free(one);
  linefilter_filter_free(two);
  linefilter_filter_free(three);
}

/* ---- Images: out by every way, and in again. */

typedef struct Bytes {
  uint8_t data[100000];
  size_t size, refuse_from;
} Bytes;

static Bytes collected;

static bool Collect(void* context, const void* data, size_t size) {
  Bytes* bytes = context;
  if (bytes->size + size > bytes->refuse_from) return false;
  memcpy(bytes->data + bytes->size, data, size);
  bytes->size += size;
  return true;
}

static bool FileHas(const char* path, const void* image, size_t size) {
  static uint8_t read[100000];
  FILE* file = fopen(path, "rb");
  const size_t n = file == NULL ? 0 : fread(read, 1, sizeof(read), file);
  if (file != NULL) fclose(file);
  return n == size && memcmp(read, image, size) == 0;
}

static void TestImagesOfAFilter(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* filter = linefilter_filter_new(kKeys, &options, NULL);
  for (unsigned i = 0; i < kKeys; ++i) linefilter_filter_insert_key(filter, Key(i), strlen(Key(i)));
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, &status);
  CHECK(image != NULL && IsOk(&status) && (uintptr_t)image % 64 == 0);
  CHECK(size == linefilter_filter_image_bytes(filter));
  void* no_size = linefilter_filter_image(filter, NULL, NULL);
  CHECK(memcmp(no_size, image, size) == 0);
  linefilter_image_free(no_size);

  static uint8_t out[100000];
  out[size] = 77;
  CHECK(linefilter_filter_write_to(filter, out, sizeof(out), &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(memcmp(out, image, size) == 0 && out[size] == 77);
  CHECK(linefilter_filter_write_to(filter, out, size - 1, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_filter_write_to(filter, NULL, size, &status) == LINEFILTER_INVALID_ARGUMENT);
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_filter_write_to_sink(filter, Collect, &collected, &status) == LINEFILTER_OK);
  CHECK(collected.size == size && memcmp(collected.data, image, size) == 0);
  collected.size = 0, collected.refuse_from = 100;
  CHECK(linefilter_filter_write_to_sink(filter, Collect, &collected, &status) == LINEFILTER_IO_ERROR);
  CHECK(linefilter_filter_write_to_sink(filter, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "sink"));
  CHECK(linefilter_filter_save(filter, FileIn("saved"), &status) == LINEFILTER_OK &&
        FileHas(FileIn("saved"), image, size));
  CHECK(linefilter_filter_save(filter, FileIn("no/folder"), &status) == LINEFILTER_IO_ERROR);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "no/folder"));
  CHECK(linefilter_filter_save(filter, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);

  linefilter_filter* copy = linefilter_filter_from_image(image, size, NULL, &status);
  CHECK(copy != NULL && IsOk(&status));
  for (unsigned i = 0; i < kKeys; ++i) CHECK(!linefilter_filter_insert_key(copy, Key(i), strlen(Key(i))));
  linefilter_filter_free(copy);
  ((uint8_t*)image)[10] ^= 1;
  CHECK(linefilter_filter_from_image(image, size, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  linefilter_image_free(image);
  linefilter_filter_free(filter);
}

/* Is everything that is in `view` what one asks of kKeys keys? */
static void CheckAnswers(const linefilter_view* view) {
  int maybes = 0;
  for (unsigned i = 0; i < kKeys; ++i) CHECK(linefilter_view_may_contain_key(view, Key(i), strlen(Key(i))));
  for (unsigned i = kKeys; i < kKeys + kAbsent; ++i) {
    maybes += linefilter_view_may_contain_key(view, Key(i), strlen(Key(i)));
  }
  CHECK(maybes < kAbsent / 20); /* 1 % are expected */
}

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
  for (unsigned i = 0; i < kKeys; ++i) {
    sizes[i] = (size_t)snprintf(text[i], sizeof(text[i]), "key %u", i);
    keys[i] = text[i];
  }
  linefilter_hash_keys(keys, sizes, kKeys, 0, hashes);

  linefilter_builder_add_keys(builder, keys, sizes, kKeys);
  linefilter_builder_add_key(builder, keys[kKeys - 1], sizes[kKeys - 1]); /* again */
  CHECK(linefilter_builder_num_keys(builder) == kKeys && linefilter_builder_status(builder, &status) == LINEFILTER_OK);
  const uint64_t bytes = linefilter_builder_image_bytes(builder);
  uint64_t estimated = 0, peak = 0;
  CHECK(linefilter_builder_estimate(&options, kKeys, &estimated, &peak, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(estimated == bytes && peak >= bytes + 8 * kKeys);
  CHECK(linefilter_builder_estimate(NULL, kKeys, &estimated, NULL, NULL) == LINEFILTER_INVALID_ARGUMENT);
  size_t size = 0;
  void* image = linefilter_builder_finish(builder, &size, &status);
  CHECK(image != NULL && IsOk(&status) && size == bytes && (uintptr_t)image % 64 == 0);
  linefilter_sizing sizing;
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
  linefilter_builder_add_u64(builder, 5);
  linefilter_builder_reset(builder);
  linefilter_builder_add_hashes(builder, hashes, kKeys);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("no/folder"), &status) == LINEFILTER_IO_ERROR);
  CHECK(linefilter_builder_finish_to_file(builder, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("built"), &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn("built"), image, size));
  linefilter_builder_free(builder);

  linefilter_view* view = linefilter_view_open(image, size, NULL, &status);
  CHECK(view != NULL && IsOk(&status) && linefilter_view_verify(view, &status) == LINEFILTER_OK);
  CheckAnswers(view);
  CHECK(linefilter_image_may_contain_key(image, size, "key 1", 5));
  CHECK(linefilter_trusted_image_may_contain_key(image, size, "key 1", 5));
  linefilter_view_free(view);
  linefilter_image_free(image);
}

static void TestBuildBlocked(void) { BuildInEveryWay(LINEFILTER_LAYOUT_BLOCKED); }
static void TestBuildClassic(void) { BuildInEveryWay(LINEFILTER_LAYOUT_CLASSIC); }
static void TestBuildRetrieval(void) { BuildInEveryWay(LINEFILTER_LAYOUT_RETRIEVAL); }

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
  CHECK(linefilter_builder_finish(builder, &size, &status) == NULL && size == 0);
  CHECK(status.code == LINEFILTER_INCOMPATIBLE && linefilter_builder_image_bytes(builder) == 0);
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

typedef struct Numbers {
  uint64_t next;
  int passes;
} Numbers;

static size_t ReadNumbers(void* context, uint64_t* hashes, size_t capacity) {
  Numbers* numbers = context;
  size_t n = 0;
  for (; n < capacity && numbers->next < kKeys; ++n) hashes[n] = linefilter_hash_u64(numbers->next++, 0);
  return n;
}

static bool RewindNumbers(void* context) {
  Numbers* numbers = context;
  numbers->next = 0;
  ++numbers->passes;
  return true;
}

static size_t ReadNothing(void* context, uint64_t* hashes, size_t capacity) {
  (void)context, (void)hashes, (void)capacity;
  return LINEFILTER_SOURCE_FAILED;
}

static void TestSource(void) {
  linefilter_status status;
  linefilter_sizing sizing;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 10);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < kKeys; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0;
  void* image = linefilter_builder_finish(builder, &size, NULL);
  Numbers numbers = {0, 0};
  linefilter_source source;
  source.read = ReadNumbers;
  source.rewind = RewindNumbers;
  source.context = &numbers;
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_build_from_source(&options, &source, Collect, &collected, &sizing, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status) && numbers.passes >= 1 && sizing.num_keys == kKeys);
  CHECK(collected.size == size && memcmp(collected.data, image, size) == 0);
  numbers.next = 0;
  CHECK(linefilter_build_from_source_to_file(&options, &source, FileIn("stream"), NULL, &status) == LINEFILTER_OK);
  CHECK(FileHas(FileIn("stream"), image, size));
  numbers.next = 0;
  CHECK(linefilter_build_from_source_to_file(&options, &source, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_build_from_source_to_file(&options, NULL, "x", NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_build_from_source(&options, &source, NULL, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_build_from_source(NULL, &source, Collect, &collected, NULL, NULL) == LINEFILTER_INVALID_ARGUMENT);
  source.read = ReadNothing;
  CHECK(linefilter_build_from_source(&options, &source, Collect, &collected, NULL, &status) == LINEFILTER_IO_ERROR);
  source.rewind = NULL;
  CHECK(linefilter_build_from_source(&options, &source, Collect, &collected, NULL, &status) ==
        LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "rewind"));
  linefilter_image_free(image);
  linefilter_builder_free(builder);
}

/* ---- linefilter_view. */

static void TestFiles(void) {
  linefilter_status status;
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 160.0 / 5);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (unsigned i = 0; i < kKeys; ++i) linefilter_builder_add_key(builder, Key(i), strlen(Key(i)));
  const uint64_t bytes = linefilter_builder_image_bytes(builder);
  CHECK(linefilter_builder_finish_to_file(builder, FileIn("filter"), NULL) == LINEFILTER_OK);
  linefilter_builder_free(builder);
  linefilter_view* views[3];
  views[0] = linefilter_view_map(FileIn("filter"), LINEFILTER_WILL_NEED, NULL, &status);
  views[1] = linefilter_view_map(FileIn("filter"), LINEFILTER_RANDOM, NULL, &status);
  views[2] = linefilter_view_load(FileIn("filter"), NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, &status);
  for (int i = 0; i < 3; ++i) {
    uint64_t num_keys = 0;
    CHECK(views[i] != NULL);
    CheckAnswers(views[i]);
    CHECK(linefilter_view_image_bytes(views[i]) == bytes && linefilter_view_format_version(views[i]) == 1);
    CHECK(!linefilter_view_num_keys(views[i], &num_keys) || num_keys == kKeys);
    CHECK(linefilter_view_verify(views[i], &status) == LINEFILTER_OK && linefilter_view_num_chunks(views[i]) == 1);
    linefilter_view_free(views[i]);
  }
  CHECK(linefilter_view_load(FileIn("filter"), NULL, 100, NULL, &status) == NULL);
  CHECK(status.code == LINEFILTER_OVER_LIMIT);
  CHECK(linefilter_view_map(FileIn("filter"), 5, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "advice"));
  CHECK(linefilter_view_map(FileIn("none"), LINEFILTER_RANDOM, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "none"));
  CHECK(linefilter_view_load(FileIn("none"), NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "none"));
  CHECK(linefilter_view_map(NULL, LINEFILTER_RANDOM, NULL, &status) == NULL);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "path"));
  CHECK(linefilter_view_load(NULL, NULL, LINEFILTER_NO_MEMORY_LIMIT, NULL, NULL) == NULL);
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
  linefilter_view* view = linefilter_view_open(image, size, NULL, &status);
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
  CHECK(linefilter_view_open(image, size - 1, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  CHECK(linefilter_view_open(NULL, 0, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  CHECK(linefilter_image_verify(image, 0, NULL) == LINEFILTER_CORRUPT);
  linefilter_image_free(image);

  linefilter_filter* filter =
      linefilter_filter_new(10, &options, NULL); /* an image that is verified whenever it is asked */
  linefilter_filter_insert_key(filter, "there", 5);
  image = linefilter_filter_image(filter, &size, NULL);
  view = linefilter_view_open(image, size, NULL, NULL);
  uint64_t num_keys = 5;
  CHECK(view != NULL && !linefilter_view_num_keys(view, &num_keys) && num_keys == 5); /* nobody counted them */
  linefilter_view_free(view);
  CHECK(!linefilter_image_may_contain_key(image, size, "x", 1));
  image[3] ^= 1;
  CHECK(linefilter_image_may_contain_key(image, size, "x", 1));
  CHECK(!linefilter_trusted_image_may_contain_key(image, size, "x", 1));
  CHECK(linefilter_image_may_contain_key(image, size - 1, "x", 1));
  linefilter_image_free(image);
  linefilter_filter_free(filter);
}

static void TestSecrets(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.hash_id = LINEFILTER_HASH_KEYED;
  memcpy(options.secret, kSecret, sizeof(kSecret));
  linefilter_filter* filter = linefilter_filter_new(1000, &options, &status);
  const uint64_t numbers[2] = {5, 6};
  linefilter_filter_insert_key(filter, "one", 3);
  CHECK(linefilter_filter_insert_u64s(filter, numbers, 2, NULL) == 2);
  CHECK(!linefilter_filter_insert_hash(filter, linefilter_keyed_hash_u64(6, kSecret)));
  size_t size = 0;
  void* image = linefilter_filter_image(filter, &size, NULL);
  CHECK(linefilter_view_open(image, size, NULL, &status) == NULL && Says(LINEFILTER_INCOMPATIBLE, &status, "secret"));
  CHECK(linefilter_view_open(image, size, kOtherSecret, &status) == NULL);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "secret"));
  linefilter_view* view = linefilter_view_open(image, size, kSecret, &status);
  CHECK(IsOk(&status) && linefilter_view_may_contain_key(view, "one", 3) && linefilter_view_may_contain_u64(view, 5));
  CHECK(linefilter_view_hash_id(view) == LINEFILTER_HASH_KEYED);
  CHECK(linefilter_view_seed(view) == linefilter_check_of_secret(kSecret));
  linefilter_view_free(view);
  CHECK(linefilter_filter_from_image(image, size, NULL, &status) == NULL && status.code == LINEFILTER_INCOMPATIBLE);
  linefilter_filter* copy = linefilter_filter_from_image(image, size, &options, &status);
  CHECK(copy != NULL && !linefilter_filter_insert_u64(copy, 5));
  linefilter_concurrent* concurrent = linefilter_concurrent_from_image(image, size, &options, &status);
  CHECK(linefilter_concurrent_insert_u64s(concurrent, numbers, 2, NULL) == 0);
  CHECK(linefilter_concurrent_may_contain_key(concurrent, "one", 3));
  CHECK(!linefilter_concurrent_may_contain_key(concurrent, "two", 3));
  CHECK(linefilter_filter_save(filter, FileIn("keyed"), NULL) == LINEFILTER_OK);
  linefilter_view* files[2];
  files[0] = linefilter_view_map(FileIn("keyed"), LINEFILTER_RANDOM, kSecret, &status);
  files[1] = linefilter_view_load(FileIn("keyed"), NULL, LINEFILTER_NO_MEMORY_LIMIT, kSecret, &status);
  for (int i = 0; i < 2; ++i) {
    CHECK(linefilter_view_may_contain_u64(files[i], 5) && !linefilter_view_may_contain_u64(files[i], 7));
    linefilter_view_free(files[i]);
  }
  CHECK(linefilter_view_map(FileIn("keyed"), LINEFILTER_RANDOM, NULL, NULL) == NULL);
  linefilter_concurrent_free(concurrent);
  linefilter_filter_free(copy);
  linefilter_filter_free(filter);
  linefilter_image_free(image);
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

static void TestFacts(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_RETRIEVAL, 10);
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  for (uint64_t i = 0; i < kKeys; ++i) linefilter_builder_add_u64(builder, i);
  size_t size = 0;
  uint8_t* image = linefilter_builder_finish(builder, &size, NULL);
  linefilter_view* view = linefilter_view_open(image, size, NULL, NULL);
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
  CHECK(linefilter_view_estimated_keys(view) > 0.9 * kKeys && linefilter_view_estimated_keys(view) < 1.1 * kKeys);
  CHECK(linefilter_view_fill_ratio(view) > 0.4 && linefilter_view_fill_ratio(view) < 0.6);
  CHECK(strcmp(linefilter_view_target(view), linefilter_chosen_target()) == 0);
  CHECK(linefilter_view_key_status(view, NULL) == LINEFILTER_OK);
  linefilter_view_free(view);
  linefilter_image_free(image);

  image = linefilter_builder_finish(builder, &size, NULL); /* of no key */
  view = linefilter_view_open(image, size, NULL, NULL);
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
  CHECK(linefilter_view_estimated_keys(live) > 0.95 * kKeys && linefilter_view_estimated_keys(live) < 1.05 * kKeys);
  CHECK(linefilter_view_expected_fpr(live) > 0.008 && linefilter_view_expected_fpr(live) < 0.012);
  CHECK(linefilter_view_image_bytes(live) == 0 && linefilter_view_format_version(live) == 0);
  CHECK(!linefilter_view_num_keys(live, &num_keys) && !linefilter_view_empty_set(live));
  CHECK(linefilter_view_num_chunks(live) == 0 && linefilter_view_verify(live, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_verify_chunks(live, 0, 1, NULL) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_view_free((linefilter_view*)live); /* left alone */
  CHECK(linefilter_view_may_contain_u64(live, 1));
  linefilter_filter_free(filter);
}

static void TestManyViews(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16);
  linefilter_filter* filters[4];
  const linefilter_view* views[5];
  uint8_t answers[5];
  for (int i = 0; i < 4; ++i) {
    filters[i] = linefilter_filter_new(100, &options, NULL);
    linefilter_filter_insert_u64(filters[i], (uint64_t)i);
    views[i] = linefilter_filter_view(filters[i]);
  }
  views[4] = NULL;
  const uint64_t hash = linefilter_hash_u64(2, 0);
  linefilter_view_prepare_hash(views[0], hash);
  CHECK(linefilter_views_may_contain_hash(views, 5, hash, answers) == 2);
  CHECK(answers[0] == 0 && answers[1] == 0 && answers[2] == 1 && answers[3] == 0 && answers[4] == 1);
  CHECK(linefilter_views_may_contain_hash(NULL, 0, hash, NULL) == 0);
  for (int i = 0; i < 4; ++i) linefilter_filter_free(filters[i]);
}

/* ---- linefilter_concurrent. */

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
  CHECK(status.code == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_concurrent_seal(seen, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "sealed"));
  linefilter_concurrent_free(seen);
  CHECK(linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 14));
  CHECK(!linefilter_view_may_contain_u64(linefilter_filter_view(sealed), 15));
  CHECK(linefilter_filter_insert_u64(sealed, 15));
  linefilter_filter_free(sealed);
  linefilter_concurrent_free(copy);
  linefilter_image_free(image);
}

/* ---- NULL: "maybe", nothing inserted, an error. */

static bool IsNoHandle(linefilter_code code, const linefilter_status* status) {
  return code == LINEFILTER_INVALID_ARGUMENT && Says(LINEFILTER_INVALID_ARGUMENT, status, "NULL");
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
  linefilter_view_may_contain_hashes(NULL, NULL, 0, NULL);
  CHECK(IsNoHandle(linefilter_view_key_status(NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_view_verify(NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_view_verify_chunks(NULL, 0, 0, &status), &status));
  CHECK(linefilter_view_num_chunks(NULL) == 0 && linefilter_view_layout(NULL) == 0);
  CHECK(linefilter_view_hash_id(NULL) == LINEFILTER_HASH_CALLER && linefilter_view_seed(NULL) == 0);
  CHECK(linefilter_view_num_probes(NULL) == 0 && linefilter_view_num_blocks(NULL) == 0);
  CHECK(linefilter_view_body_bytes(NULL) == 0 && linefilter_view_body(NULL) == NULL);
  CHECK(linefilter_view_image_bytes(NULL) == 0 && linefilter_view_format_version(NULL) == 0);
  CHECK(!linefilter_view_empty_set(NULL) && !linefilter_view_num_keys(NULL, &number) && number == 5);
  CHECK(strcmp(linefilter_view_target(NULL), "none") == 0 && linefilter_view_expected_fpr(NULL) == 1);
  CHECK(linefilter_view_fill_ratio(NULL) == 0 && linefilter_view_estimated_keys(NULL) == 0);
  CHECK(linefilter_view_count_levels(NULL, NULL) == 0);
  linefilter_view_free(NULL);
  linefilter_image_free(NULL);
}

static void TestNullFilters(void) {
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
  CHECK(IsNoHandle(linefilter_filter_union(NULL, NULL, &status), &status));
  linefilter_filter_clear(NULL);
  CHECK(linefilter_filter_image_bytes(NULL) == 0);
  CHECK(linefilter_filter_image(NULL, &size, &status) == NULL && size == 0 && IsNoHandle(status.code, &status));
  CHECK(IsNoHandle(linefilter_filter_write_to(NULL, bytes, 2, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_write_to_sink(NULL, Collect, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_filter_save(NULL, "x", &status), &status));
  linefilter_filter_free(NULL);
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* filter = linefilter_filter_new(10, &options, NULL);
  CHECK(IsNoHandle(linefilter_filter_union(filter, NULL, &status), &status));
  linefilter_filter_free(filter);

  CHECK(!linefilter_concurrent_insert_key(NULL, "x", 1) && !linefilter_concurrent_insert_u64(NULL, 1));
  CHECK(!linefilter_concurrent_insert_hash(NULL, 1));
  bytes[1] = 7;
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
  CHECK(linefilter_concurrent_fill_ratio(NULL) == 0 && linefilter_concurrent_estimated_keys(NULL) == 0);
  CHECK(linefilter_concurrent_memory_use(NULL) == 0 && linefilter_concurrent_image_bytes(NULL) == 0);
  CHECK(linefilter_concurrent_image(NULL, NULL, &status) == NULL && IsNoHandle(status.code, &status));
  CHECK(IsNoHandle(linefilter_concurrent_write_to(NULL, bytes, 2, &status), &status));
  CHECK(IsNoHandle(linefilter_concurrent_write_to_sink(NULL, Collect, NULL, &status), &status));
  CHECK(IsNoHandle(linefilter_concurrent_save(NULL, "x", &status), &status));
  CHECK(linefilter_concurrent_seal(NULL, &status) == NULL && IsNoHandle(status.code, &status));
  CHECK(linefilter_concurrent_from_image(NULL, 0, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  CHECK(linefilter_filter_from_image(NULL, 0, NULL, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  linefilter_concurrent_free(NULL);
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

int main(void) {
  if (mkdtemp(folder) == NULL) return puts("no folder in /tmp"), 1;
  RUN(TestVersions);
  RUN(TestNames);
  RUN(TestHashes);
  RUN(TestSizing);
  RUN(TestTargets);
  RUN(TestOptionsOfOtherVersions);
  RUN(TestBadOptions);
  RUN(TestHostMemory);
  RUN(TestBlocked);
  RUN(TestClassic);
  RUN(TestAutoIsWhatSizingSays);
  RUN(TestUnion);
  RUN(TestImagesOfAFilter);
  RUN(TestBuildBlocked);
  RUN(TestBuildClassic);
  RUN(TestBuildRetrieval);
  RUN(TestBuilderRemembersErrors);
  RUN(TestExecutor);
  RUN(TestSource);
  RUN(TestFiles);
  RUN(TestDamage);
  RUN(TestSecrets);
  RUN(TestCallersHashes);
  RUN(TestFacts);
  RUN(TestManyViews);
  RUN(TestConcurrent);
  RUN(TestNullView);
  RUN(TestNullFilters);
  RUN(TestNullBuilder);
  const char* const files[] = {"hooks", "saved", "built", "stream", "filter", "keyed", "seen"};
  for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) remove(FileIn(files[i]));
  CHECK(rmdir(folder) == 0); /* nothing else was left */
  check_failed_tests += check_failures != 0 && check_failed_tests == 0;
  return CheckResult();
}
