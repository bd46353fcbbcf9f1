/* Bloom filters of Parquet files: hashes, bytes, sizes. (parquet_values.c asks by value.) */
#include <math.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kValues = 600 }; /* some groups of a batch, and a part of one */

static void TestHashesOfValues(void) {
  const float minus_zero_float = -0.0f;
  CHECK(linefilter_parquet_hash_int32(-2) == linefilter_parquet_hash_key("\xfe\xff\xff\xff", 4));
  CHECK(linefilter_parquet_hash_int64(-2) == linefilter_parquet_hash_key("\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
  CHECK(linefilter_parquet_hash_int64(5) == linefilter_parquet_hash_u64(5));
  CHECK(linefilter_parquet_hash_int64(5) != linefilter_parquet_hash_int32(5));
  CHECK(linefilter_parquet_hash_float(1.5f) == linefilter_parquet_hash_key("\0\0\xc0\x3f", 4));
  CHECK(linefilter_parquet_hash_float(minus_zero_float) != linefilter_parquet_hash_float(0.0f));
  CHECK(linefilter_parquet_hash_double(-0.0) == linefilter_parquet_hash_key("\0\0\0\0\0\0\0\x80", 8));
  CHECK(linefilter_parquet_hash_double(-0.0) != linefilter_parquet_hash_double(0.0));
}

static void TestHashesOfColumns(void) {
  static int32_t int32s[kValues];
  static int64_t int64s[kValues];
  static float floats[kValues];
  static double doubles[kValues];
  static char fixed[12 * kValues]; /* INT96 */
  static uint64_t of_int32s[kValues], of_int64s[kValues], of_floats[kValues], of_doubles[kValues], of_fixed[kValues];
  for (int i = 0; i < kValues; ++i) {
    int64s[i] = INT64_C(0x0012345678abcdef) * (i - 300);
    int32s[i] = 6543210 * (i - 280);
    floats[i] = i == 5 ? -0.0f : (float)int32s[i];
    doubles[i] = i == 5 ? -0.0 : ldexp((double)int64s[i], i - 300);
    for (int j = 0; j < 12; ++j) fixed[12 * i + j] = (char)(i + j * j);
  }
  linefilter_parquet_hash_int32s(int32s, kValues, of_int32s);
  linefilter_parquet_hash_int64s(int64s, kValues, of_int64s);
  linefilter_parquet_hash_floats(floats, kValues, of_floats);
  linefilter_parquet_hash_doubles(doubles, kValues, of_doubles);
  linefilter_parquet_hash_fixed(fixed, 12, kValues, of_fixed);
  int wrong = 0;
  for (int i = 0; i < kValues; ++i) {
    wrong += of_int32s[i] != linefilter_parquet_hash_int32(int32s[i]);
    wrong += of_int64s[i] != linefilter_parquet_hash_int64(int64s[i]);
    wrong += of_floats[i] != linefilter_parquet_hash_float(floats[i]);
    wrong += of_doubles[i] != linefilter_parquet_hash_double(doubles[i]);
    wrong += of_fixed[i] != linefilter_parquet_hash_key(fixed + 12 * i, 12);
  }
  CHECK(wrong == 0);
  linefilter_parquet_hash_int32s(NULL, 0, NULL); /* no values */
  linefilter_parquet_hash_int64s(NULL, 0, NULL);
  linefilter_parquet_hash_floats(NULL, 0, NULL);
  linefilter_parquet_hash_doubles(NULL, 0, NULL);
  linefilter_parquet_hash_fixed(NULL, 12, 0, NULL);
}

/* A file with a filter of the integers below kValues at an odd place; the bytes of the filter. */
static uint8_t file[20000];
enum { kAt = 7 };

static size_t WriteFile(void) {
  linefilter_status status;
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  CHECK(linefilter_parquet_options(&options, 0.01, &status) == LINEFILTER_OK && IsOk(&status));
  linefilter_filter* filter = linefilter_filter_new(kValues, &options, &status);
  CHECK(filter != NULL && IsOk(&status));
  for (int i = 0; i < kValues; ++i) linefilter_filter_insert_hash(filter, linefilter_parquet_hash_int64(i));
  const linefilter_view* view = linefilter_filter_view(filter);
  const size_t bytes = (size_t)linefilter_parquet_filter_bytes(view);
  CHECK(bytes == 16 + linefilter_parquet_bitset_bytes(kValues, 0.01, false));
  memset(file, 0x77, sizeof(file));
  CHECK(linefilter_parquet_write(view, file + kAt, sizeof(file) - kAt, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(file[kAt - 1] == 0x77 && file[kAt + bytes] == 0x77);
  collected.size = 0, collected.refuse_from = sizeof(collected.data);
  CHECK(linefilter_parquet_write_sink(view, Collect, &collected, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(collected.size == bytes && memcmp(collected.data, file + kAt, bytes) == 0);
  collected.size = 0, collected.refuse_from = 100;
  CHECK(linefilter_parquet_write_sink(view, Collect, &collected, &status) == LINEFILTER_IO_ERROR);
  CHECK(Says(LINEFILTER_IO_ERROR, &status, "sink"));
  CHECK(linefilter_parquet_write_sink(view, NULL, NULL, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_parquet_write(view, file, bytes - 1, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "needs"));
  CHECK(linefilter_parquet_write(view, NULL, bytes, &status) == LINEFILTER_INVALID_ARGUMENT);
  linefilter_filter_free(filter);
  return bytes;
}

/* What a view of these values tells, by every kind of question. */
static void CheckView(const linefilter_view* view) {
  uint64_t hashes[kValues + 1000];
  uint8_t answers[kValues + 1000], bits[1] = {0};
  for (int i = 0; i < kValues + 1000; ++i) hashes[i] = linefilter_parquet_hash_int64(i);
  linefilter_view_may_contain_hashes(view, hashes, kValues + 1000, answers);
  int members = 0, strangers = 0;
  for (int i = 0; i < kValues + 1000; ++i) {
    *(i < kValues ? &members : &strangers) += answers[i];
    CHECK(answers[i] == linefilter_view_may_contain_hash(view, hashes[i]));
  }
  CHECK(members == kValues && strangers < 40); /* 1 % are expected */
  CHECK(linefilter_view_count_maybes(view, hashes, kValues) == kValues);
  linefilter_view_may_contain_hashes_to_bits(view, hashes, 8, bits);
  CHECK(bits[0] == 0xff && linefilter_view_may_contain_u64(view, 5)); /* INT64 */
  CHECK(linefilter_view_layout(view) == LINEFILTER_LAYOUT_SPLIT_BLOCK);
  CHECK(linefilter_view_hash_id(view) == LINEFILTER_HASH_PARQUET && linefilter_view_seed(view) == 0);
  CHECK(linefilter_view_num_blocks(view) * 32 == linefilter_view_body_bytes(view));
  CHECK(linefilter_view_expected_fpr(view) > 0.005 && linefilter_view_expected_fpr(view) < 0.015);
  CHECK(linefilter_view_fill_ratio(view) > 0.1 && linefilter_view_fill_ratio(view) < 0.6);
  CHECK(linefilter_view_status(view, NULL) == LINEFILTER_OK && linefilter_view_verify(view, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_image_bytes(view) == 0 && linefilter_view_num_chunks(view) == 0);
  CHECK(linefilter_view_advise_huge_pages(view, NULL) == LINEFILTER_OK);
}

static void TestAFilterInAFile(void) {
  linefilter_status status;
  const size_t bytes = WriteFile();
  CHECK(linefilter_parquet_bytes_needed(file + kAt, LINEFILTER_PARQUET_FIRST_READ) == bytes);
  CHECK(linefilter_parquet_bytes_needed(file + kAt, 3) == LINEFILTER_PARQUET_FIRST_READ);
  CHECK(linefilter_parquet_bytes_needed(file, LINEFILTER_PARQUET_FIRST_READ) == 0);
  CHECK(linefilter_parquet_bytes_needed(NULL, 5) == LINEFILTER_PARQUET_FIRST_READ);         /* as if nothing was read */
  linefilter_view* view = linefilter_parquet_open(file + kAt, sizeof(file) - kAt, &status); /* others follow */
  CHECK(view != NULL && IsOk(&status));
  CheckView(view);
  CHECK(linefilter_parquet_header_bytes(view) == 16);
  CHECK(linefilter_parquet_header_bytes(view) + linefilter_view_body_bytes(view) == bytes);
  CHECK(linefilter_view_body(view) == file + kAt + 16);
  CHECK(linefilter_parquet_filter_bytes(view) == bytes);
  static uint8_t again[sizeof(file)];
  CHECK(linefilter_parquet_write(view, again, sizeof(again), &status) == LINEFILTER_OK);
  CHECK(memcmp(again, file + kAt, bytes) == 0);
  linefilter_view* bitset = linefilter_parquet_open_bitset(file + kAt + 16, bytes - 16, &status);
  CHECK(bitset != NULL && IsOk(&status));
  CheckView(bitset);
  CHECK(linefilter_parquet_header_bytes(bitset) == 0);
  linefilter_view_free(bitset);
  linefilter_view_free(view);
}

static void CheckRefused(const void* bytes, size_t size, linefilter_code code, const char* word) {
  linefilter_status status;
  CHECK(linefilter_parquet_open(bytes, size, &status) == NULL && Says(code, &status, word));
  CHECK(linefilter_parquet_open(bytes, size, NULL) == NULL);
}

static void TestWhatIsNoFilter(void) {
  linefilter_status status;
  const size_t bytes = WriteFile();
  const uint8_t* begin = file + kAt;
  for (size_t size = 0; size < bytes; size += size < 40 ? 1 : 97) {
    CheckRefused(begin, size, LINEFILTER_CORRUPT, size < 16 ? "header" : "cut");
  }
  CheckRefused(file, sizeof(file), LINEFILTER_CORRUPT, "check the offset");
  CheckRefused(NULL, 0, LINEFILTER_CORRUPT, "header");
  CheckRefused(NULL, 100, LINEFILTER_CORRUPT, "header");
  uint8_t other[64] = {0x15, 0x40, 0x1c, 0x2c}; /* 32 bytes; its algorithm is the second of the union */
  other[6] = 0x1c, other[7] = 0x1c, other[10] = 0x1c, other[11] = 0x1c;
  CheckRefused(other, sizeof(other), LINEFILTER_UNSUPPORTED, "algorithm");
  other[3] = 0x1c;
  linefilter_view* view = linefilter_parquet_open(other, sizeof(other), &status);
  CHECK(view != NULL && IsOk(&status) && linefilter_view_body_bytes(view) == 32);
  CHECK(!linefilter_view_may_contain_hash(view, 5)); /* zeros */
  linefilter_view_free(view);
  const uint64_t sizes[] = {0, 31, 33, (uint64_t)LINEFILTER_PARQUET_MAX_BITSET_BYTES + 32};
  for (int i = 0; i < 4; ++i) {
    CHECK(linefilter_parquet_open_bitset(begin, sizes[i], &status) == NULL);
    CHECK(Says(LINEFILTER_CORRUPT, &status, "multiple of 32"));
  }
  CHECK(linefilter_parquet_open_bitset(NULL, 32, &status) == NULL && status.code == LINEFILTER_CORRUPT);
  CHECK(linefilter_view_may_contain_hash(NULL, 5)); /* what comes of all these */
}

/* A copy takes keys, folds and unites; its image is one of ours. */
static void TestCopies(void) {
  linefilter_status status;
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  const size_t bytes = WriteFile();
  linefilter_view* view = linefilter_parquet_open(file + kAt, bytes, &status);
  for (int i = 0; i < 2; ++i) {
    linefilter_filter* copy = linefilter_parquet_copy(view, i == 0 ? NULL : &options, &status);
    CHECK(copy != NULL && IsOk(&status) && linefilter_filter_kind(copy) == LINEFILTER_KIND_PLAIN);
    CheckView(linefilter_filter_view(copy));
    CHECK(linefilter_filter_union(copy, view, 1, &status) == LINEFILTER_INCOMPATIBLE);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "linefilter_parquet_copy"));
    linefilter_filter_insert_u64(copy, 77777);
    size_t size = 0;
    void* image = linefilter_filter_image(copy, &size, &status);
    linefilter_view* of_image = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, &status);
    CHECK(linefilter_view_may_contain_u64(of_image, 77777) && !linefilter_view_may_contain_u64(view, 77777));
    CHECK(linefilter_parquet_filter_bytes(of_image) == bytes); /* an image goes into a file, too */
    CHECK(linefilter_parquet_write(of_image, file, sizeof(file), &status) == LINEFILTER_OK);
    CHECK(linefilter_parquet_copy(of_image, NULL, &status) == NULL);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "linefilter_filter_from_image"));
    linefilter_view_free(of_image);
    linefilter_image_free(image);
    linefilter_filter_free(copy);
    WriteFile();
    linefilter_parquet_options(&options, 0.5, NULL);
  }
  options.memory_limit = 100;
  CHECK(linefilter_parquet_copy(view, &options, &status) == NULL && status.code == LINEFILTER_OVER_LIMIT);
  options.layout = 257; /* legal they must be */
  CHECK(linefilter_parquet_copy(view, &options, &status) == NULL && status.code == LINEFILTER_INVALID_ARGUMENT);
  linefilter_options_init(&options, sizeof(options));
  CHECK(linefilter_options_same_size_as(&options, view, &status) == LINEFILTER_OK);
  CHECK(options.body_bytes == bytes - 16 && options.hash_id == LINEFILTER_HASH_PARQUET);
  linefilter_view_free(view);
}

/* What served is freed by the view in which it was swapped. */
static void TestAFilterOfAFileServes(void) {
  linefilter_status status;
  const size_t bytes = WriteFile();
  linefilter_view* serving = linefilter_swappable_new(NULL, &status);
  CHECK(linefilter_swappable_swap_view(serving, linefilter_parquet_open(file + kAt, bytes, NULL), &status) ==
        LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_u64(serving, 5) && !linefilter_view_may_contain_u64(serving, 77777));
  CHECK(linefilter_swappable_swap_view(serving, linefilter_parquet_open(file + kAt, bytes, NULL), NULL) ==
        LINEFILTER_OK);
  CHECK(linefilter_parquet_filter_bytes(serving) == 0); /* which of them? */
  CHECK(linefilter_parquet_write(serving, file, sizeof(file), &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "lease"));
  linefilter_lease lease = linefilter_swappable_read(serving);
  CHECK(linefilter_parquet_filter_bytes(lease.view) == bytes && linefilter_parquet_header_bytes(lease.view) == 16);
  linefilter_lease_end(&lease);
  linefilter_view_free(serving);
}

static linefilter_filter* OfBytes(uint64_t max_bytes, linefilter_parquet_size size) {
  linefilter_status status;
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.memory_limit = 5000000; /* it stays */
  CHECK(linefilter_parquet_options_of_bytes(&options, max_bytes, size, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(options.memory_limit == 5000000);
  linefilter_filter* filter = linefilter_filter_new(0, &options, &status);
  CHECK(filter != NULL && IsOk(&status));
  return filter;
}

static uint64_t BitsetBytesOf(uint64_t max_bytes, linefilter_parquet_size size) {
  linefilter_filter* filter = OfBytes(max_bytes, size);
  const uint64_t bytes = linefilter_view_body_bytes(linefilter_filter_view(filter));
  linefilter_filter_free(filter);
  return bytes;
}

static void TestSizes(void) {
  linefilter_status status;
  linefilter_options options;
  CHECK(linefilter_parquet_bitset_bytes(10000, 0.01, false) == 13184); /* doc/guide/parquet.md */
  CHECK(linefilter_parquet_bitset_bytes(10000, 0.01, true) == 16384);
  CHECK(linefilter_parquet_bitset_bytes(0, 0.01, false) == 32 && linefilter_parquet_bitset_bytes(10, 0, false) == 0);
  CHECK(BitsetBytesOf(1000001, LINEFILTER_PARQUET_SIZE_EXACT) == 1000000);
  CHECK(BitsetBytesOf(1000000, LINEFILTER_PARQUET_SIZE_POWER_OF_TWO) == 524288);
  CHECK(BitsetBytesOf(0, LINEFILTER_PARQUET_SIZE_EXACT) == 32);
  const uint64_t foldable = BitsetBytesOf(1000000, LINEFILTER_PARQUET_SIZE_FOLDABLE);
  CHECK(foldable >= 900000 && foldable <= 1000000 && foldable % (32 * 2520) == 0);
  linefilter_options_init(&options, sizeof(options));
  CHECK(linefilter_parquet_options_of_bytes(&options, 100, 3, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "the size is 3"));
  CHECK(linefilter_parquet_options_of_bytes(&options, 100, -1, NULL) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(options.body_bytes == 0 && options.layout == LINEFILTER_LAYOUT_AUTO);
  CHECK(linefilter_parquet_options(&options, 7, &status) == LINEFILTER_OK);
  CHECK(linefilter_filter_new(10, &options, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "fpr"));
  options.size = 1;
  CHECK(linefilter_parquet_options(&options, 0.01, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "linefilter_options_init"));
  /* Options of before: what is not asked for again is gone. */
  options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  options.num_probes = 5, options.foldable = 1, options.seed = 9;
  CHECK(linefilter_parquet_options(&options, 0.01, &status) == LINEFILTER_OK);
  linefilter_filter* filter = linefilter_filter_new(10000, &options, &status);
  CHECK(linefilter_view_body_bytes(linefilter_filter_view(filter)) == 13184);
  linefilter_filter_free(filter);
}

/* For a number of values that nobody knows. */
static void TestFoldToFpr(void) {
  linefilter_status status;
  linefilter_filter* filter = OfBytes(1000000, LINEFILTER_PARQUET_SIZE_FOLDABLE);
  for (int i = 0; i < 10000; ++i) linefilter_filter_insert_hash(filter, linefilter_parquet_hash_int32(i));
  CHECK(linefilter_filter_fold_to_fpr(filter, 0.01, &status) == LINEFILTER_OK && IsOk(&status));
  const linefilter_view* view = linefilter_filter_view(filter);
  CHECK(linefilter_view_body_bytes(view) >= 13000 && linefilter_view_body_bytes(view) < 16384);
  CHECK(linefilter_view_expected_fpr(view) <= 0.01);
  int lost = 0;
  for (int i = 0; i < 10000; ++i) lost += !linefilter_view_may_contain_hash(view, linefilter_parquet_hash_int32(i));
  CHECK(lost == 0);
  linefilter_filter_free(filter);
}

static void TestOtherFilters(void) {
  linefilter_status status;
  const linefilter_options blocked = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_options options = Options(LINEFILTER_LAYOUT_SPLIT_BLOCK, 10);
  linefilter_filter* others[2];
  others[0] = linefilter_filter_new(100, &blocked, NULL);
  others[1] = linefilter_filter_new(100, &options, NULL); /* XXH3 */
  for (int i = 0; i < 2; ++i) {
    const linefilter_view* view = linefilter_filter_view(others[i]);
    CHECK(linefilter_parquet_filter_bytes(view) == 0 && linefilter_parquet_header_bytes(view) == 0);
    CHECK(linefilter_parquet_write(view, file, sizeof(file), &status) == LINEFILTER_INCOMPATIBLE);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, i == 0 ? "layout blocked" : "hash xxh3"));
    CHECK(linefilter_parquet_copy(view, NULL, &status) == NULL);
    CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "linefilter_filter_clone"));
    linefilter_filter_free(others[i]);
  }
  /* What many threads fill is written as it is, and so is a builder's image. */
  options.hash_id = LINEFILTER_HASH_PARQUET;
  linefilter_filter* concurrent = linefilter_concurrent_new(100, &options, &status);
  linefilter_filter_insert_u64(concurrent, 5);
  const linefilter_view* view = linefilter_filter_view(concurrent);
  CHECK(linefilter_parquet_write(view, file, sizeof(file), &status) == LINEFILTER_OK && IsOk(&status));
  const size_t bytes = (size_t)linefilter_parquet_filter_bytes(view);
  linefilter_view* opened = linefilter_parquet_open(file, bytes, &status);
  CHECK(linefilter_view_may_contain_u64(opened, 5) && !linefilter_view_may_contain_u64(opened, 6));
  linefilter_view_free(opened);
  linefilter_filter_free(concurrent);
}

static void TestNull(void) {
  linefilter_status status;
  CHECK(linefilter_parquet_filter_bytes(NULL) == 0 && linefilter_parquet_header_bytes(NULL) == 0);
  CHECK(IsNoHandle(linefilter_parquet_write(NULL, file, sizeof(file), &status), &status));
  CHECK(IsNoHandle(linefilter_parquet_write_sink(NULL, Collect, &collected, &status), &status));
  CHECK(linefilter_parquet_write_sink(NULL, NULL, NULL, NULL) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_parquet_copy(NULL, NULL, &status) == NULL && Says(LINEFILTER_INVALID_ARGUMENT, &status, "NULL"));
  CHECK(IsNoHandle(linefilter_parquet_options(NULL, 0.01, &status), &status));
  CHECK(IsNoHandle(linefilter_parquet_options_of_bytes(NULL, 100, LINEFILTER_PARQUET_SIZE_EXACT, &status), &status));
}

void RunParquet(void) {
  RUN(TestHashesOfValues);
  RUN(TestHashesOfColumns);
  RUN(TestAFilterInAFile);
  RUN(TestWhatIsNoFilter);
  RUN(TestCopies);
  RUN(TestAFilterOfAFileServes);
  RUN(TestSizes);
  RUN(TestFoldToFpr);
  RUN(TestOtherFilters);
  RUN(TestNull);
}
