/* linefilter_column: what columns are made of, what they are asked, and what is wrong with some. (That rows and hashes
   are those of C++: tests/c/c_api_test_columns.cc.) */
#include <string.h>

#include "linefilter/arrow.h"
#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kRows = 100 };

static int32_t numbers[kRows]; /* 0, 3, 6, ... */

static linefilter_column Numbers(void) {
  for (int i = 0; i < kRows; ++i) numbers[i] = 3 * i;
  return linefilter_column_of_numbers(LINEFILTER_NUMBER_INT32, numbers, kRows);
}

static linefilter_filter* NewFilter(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 40);
  return linefilter_filter_new(1000, &options, NULL);
}

/* A filter of the even numbers below 300: every second row of Numbers() stays. */
static linefilter_filter* EvenFilter(void) {
  int64_t even[150];
  for (int i = 0; i < 150; ++i) even[i] = 2 * i;
  const linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, even, 150);
  linefilter_filter* filter = NewFilter();
  linefilter_status status;
  CHECK(linefilter_filter_add_column(filter, &column, 1, &status) == LINEFILTER_OK && IsOk(&status));
  return filter;
}

/* How many rows of a column stay that is asked of a filter to which it was added: all of them. */
static void CheckIsFound(const linefilter_column* column, size_t rows, linefilter_key_form form) {
  linefilter_status status;
  uint32_t maybes[kRows];
  size_t num_maybes = 77;
  linefilter_filter* filter = NewFilter();
  const linefilter_view* view = linefilter_filter_view(filter);
  CHECK(linefilter_column_status(column, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_column_size(column) == rows && linefilter_column_form(column) == form);
  CHECK(linefilter_view_select_maybes(view, column, 1, NULL, rows, maybes, &num_maybes, NULL) == LINEFILTER_OK);
  CHECK(num_maybes == 0);
  CHECK(linefilter_filter_add_column(filter, column, 1, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_key_forms(view) == (uint64_t)form);
  CHECK(linefilter_view_select_maybes(view, column, 1, NULL, rows, maybes, &num_maybes, NULL) == LINEFILTER_OK);
  CHECK(num_maybes == rows && maybes[rows - 1] == rows - 1);
  linefilter_filter_free(filter);
}

static void TestColumnsOfNumbers(void) {
  static const uint64_t words[20];
  for (linefilter_number type = LINEFILTER_NUMBER_INT8; type <= LINEFILTER_NUMBER_DOUBLE; ++type) {
    const linefilter_column column = linefilter_column_of_numbers(type, words, 20);
    CheckIsFound(&column, 20, type < LINEFILTER_NUMBER_FLOAT ? LINEFILTER_KEY_FORM_INTEGER : LINEFILTER_KEY_FORM_REAL);
  }
  for (linefilter_number type = LINEFILTER_NUMBER_INT32; type <= LINEFILTER_NUMBER_INT64; ++type) {
    const linefilter_column column = linefilter_column_of_decimals(type, words, 5, 2);
    CheckIsFound(&column, 5, linefilter_key_form_of_decimals(2));
    for (linefilter_time_unit unit = LINEFILTER_TIME_UNIT_DAY; unit <= LINEFILTER_TIME_UNIT_NANOSECOND; ++unit) {
      const linefilter_column instants = linefilter_column_of_instants(type, words, 5, unit);
      CheckIsFound(&instants, 5, LINEFILTER_KEY_FORM_INSTANT);
    }
  }
  const linefilter_column wide = linefilter_column_of_decimals(LINEFILTER_NUMBER_INT128, words, 5, 38);
  CheckIsFound(&wide, 5, LINEFILTER_KEY_FORM_DECIMAL + 38);
}

/* One day is as many seconds, and 1.50 is 1.5: the keys of other units and scales. */
static void TestEqualValuesAreOneKey(void) {
  const int32_t day = 1, small_scale = 15;
  const int64_t seconds = 86400, large_scale = 150;
  linefilter_filter* filter = NewFilter();
  linefilter_column column = linefilter_column_of_instants(LINEFILTER_NUMBER_INT32, &day, 1, LINEFILTER_TIME_UNIT_DAY);
  CHECK(linefilter_filter_add_column(filter, &column, 1, NULL) == LINEFILTER_OK);
  column = linefilter_column_of_instants(LINEFILTER_NUMBER_INT64, &seconds, 1, LINEFILTER_TIME_UNIT_SECOND);
  uint16_t row = 7;
  size_t num_maybes = 0;
  const linefilter_view* view = linefilter_filter_view(filter);
  CHECK(linefilter_view_select_maybes16(view, &column, 1, NULL, 1, &row, &num_maybes, NULL) == LINEFILTER_OK);
  CHECK(num_maybes == 1 && row == 0);
  linefilter_filter_free(filter);

  filter = NewFilter();
  const linefilter_key_form form = linefilter_key_form_of_decimals(2);
  column = linefilter_column_of_decimals(LINEFILTER_NUMBER_INT32, &small_scale, 1, 1);
  CHECK(linefilter_column_set_form(&column, form, NULL) == LINEFILTER_OK && linefilter_column_form(&column) == form);
  CHECK(linefilter_filter_add_column(filter, &column, 1, NULL) == LINEFILTER_OK);
  column = linefilter_column_of_decimals(LINEFILTER_NUMBER_INT64, &large_scale, 1, 2);
  uint8_t answer = 9;
  view = linefilter_filter_view(filter);
  CHECK(linefilter_views_may_contain_any(&view, 1, &column, 1, &answer, NULL) == LINEFILTER_OK && answer == 1);
  linefilter_filter_free(filter);
  CHECK(linefilter_key_form_of_decimals(0) == LINEFILTER_KEY_FORM_INTEGER);
  CHECK(linefilter_key_form_of_decimals(39) == LINEFILTER_KEY_FORM_UNKNOWN);
  CHECK(strcmp(linefilter_key_form_name(form), "decimal") == 0);
  CHECK(strcmp(linefilter_key_form_name(LINEFILTER_KEY_FORM_PADDED_TEXT), "padded text") == 0);
  CHECK(strcmp(linefilter_key_form_name(-1), "unknown") == 0 && strcmp(linefilter_key_form_name(1000), "unknown") == 0);
}

/* A view of a text: DuckDB's and Arrow's are the same if it is short. */
static void PutView(uint8_t* view, const char* text, const char* all, uint32_t offset) {
  const uint32_t size = (uint32_t)strlen(text);
  memset(view, 0, 16);
  memcpy(view, &size, 4);
  memcpy(view + 4, text, size < 12 ? size : 12);
  if (size <= 12) return;
  if (all != NULL) {
    memcpy(view + 8, &all, sizeof(all));
  } else {
    memset(view + 8, 0, 4);
    memcpy(view + 12, &offset, 4);
  }
}

static void TestColumnsOfTexts(void) {
  static const char bytes[] = "abcdefa long text of Arrow";
  const int32_t offsets[4] = {0, 3, 6, 26};
  const int64_t large_offsets[4] = {0, 3, 6, 26};
  const char* const long_text = bytes + 6;
  const void* const buffers[1] = {bytes};
  uint8_t views[3][16], pointer_views[3][16];
  PutView(views[0], "abc", NULL, 0), PutView(views[1], "def", NULL, 0), PutView(views[2], long_text, NULL, 6);
  memcpy(pointer_views, views, sizeof(views));
  PutView(pointer_views[2], long_text, long_text, 0);
  const linefilter_column columns[4] = {
      linefilter_column_of_texts(offsets, bytes, 3), linefilter_column_of_large_texts(large_offsets, bytes, 3),
      linefilter_column_of_views(views, buffers, 1, 3), linefilter_column_of_pointer_views(pointer_views, 3)};
  const linefilter_column fixed = linefilter_column_of_fixed_bytes(bytes, 3, 2);
  linefilter_filter* filter = NewFilter();
  const linefilter_view* view = linefilter_filter_view(filter);
  CHECK(linefilter_filter_add_column(filter, &columns[0], 1, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_may_contain_key(view, "def", 3) && linefilter_view_may_contain_key(view, long_text, 20));
  CHECK(linefilter_view_key_kind(view) == LINEFILTER_KEY_KIND_TEXT);
  for (int i = 0; i < 4; ++i) {
    uint8_t bits = 0;
    size_t num_maybes = 0;
    CheckIsFound(&columns[i], 3, LINEFILTER_KEY_FORM_TEXT);
    CHECK(linefilter_view_select_maybes_to_bits(view, &columns[i], 1, NULL, &bits, &num_maybes, NULL) == LINEFILTER_OK);
    CHECK(bits == 7 && num_maybes == 3);
  }
  CheckIsFound(&fixed, 2, LINEFILTER_KEY_FORM_TEXT);
  uint32_t rows[2];
  size_t num_rows = 0;
  CHECK(linefilter_view_select_maybes(view, &fixed, 1, NULL, 2, rows, &num_rows, NULL) == LINEFILTER_OK);
  CHECK(num_rows == 2);
  linefilter_filter_free(filter);
}

static void TestDictionariesRunsAndConstants(void) {
  const linefilter_column values = Numbers();
  const uint8_t indices[6] = {2, 1, 0, 1, 3, 2}, validity = 0x3d; /* row 1 is null */
  const int32_t ends[3] = {2, 3, 6};
  linefilter_column keys = linefilter_column_of_numbers(LINEFILTER_NUMBER_UINT8, indices, 6);
  linefilter_column_set_validity(&keys, &validity, 0);
  const linefilter_column run_ends = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT32, ends, 3);
  const linefilter_column dictionary = linefilter_column_of_dictionary(&keys, &values);
  const linefilter_column runs = linefilter_column_of_runs(&run_ends, &values, 6);
  const linefilter_column constant = linefilter_column_of_constant(&values, 6);
  CheckIsFound(&runs, 6, LINEFILTER_KEY_FORM_INTEGER);
  CheckIsFound(&constant, 6, LINEFILTER_KEY_FORM_INTEGER);
  linefilter_filter* filter = EvenFilter(); /* values 0 and 6 of 0, 3, 6, 9 */
  const linefilter_view* view = linefilter_filter_view(filter);
  uint32_t rows[6];
  size_t n = 0;
  CHECK(linefilter_view_select_maybes(view, &dictionary, 1, NULL, 6, rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 3 && rows[0] == 0 && rows[1] == 2 && rows[2] == 5);
  CHECK(linefilter_view_select_maybes(view, &runs, 1, NULL, 6, rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 5 && rows[0] == 0 && rows[1] == 1 && rows[2] == 3);
  CHECK(linefilter_view_select_maybes(view, &constant, 1, NULL, 6, rows, &n, NULL) == LINEFILTER_OK && n == 6);
  linefilter_filter_free(filter);
}

/* Rows in, rows out: of both sizes, in place, as bits, of a slice, with nulls. */
static void TestRowsThatStay(void) {
  linefilter_filter* filter = EvenFilter();
  const linefilter_view* view = linefilter_filter_view(filter);
  linefilter_column column = Numbers();
  linefilter_status status;
  uint32_t rows[kRows] = {9, 4, 5, 98};
  uint16_t short_rows[kRows];
  uint8_t bits[13], validity[13];
  size_t n = 0;
  CHECK(linefilter_view_can_ask(view, &column, 1, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_select_maybes(view, &column, 1, rows, 4, rows, &n, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(n == 2 && rows[0] == 4 && rows[1] == 98);
  CHECK(linefilter_view_select_maybes16(view, &column, 1, NULL, kRows, short_rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 50 && short_rows[0] == 0 && short_rows[49] == 98);
  memset(bits, 0xf0, sizeof(bits));
  CHECK(linefilter_view_select_maybes_to_bits(view, &column, 1, bits, bits, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 24 && bits[0] == 0x50 && bits[12] == 0);
  memset(validity, 0xff, sizeof(validity));
  validity[0] = 0xfd; /* row 0 is null, if the validity begins with bit 1 */
  linefilter_column_set_validity(&column, validity, 1);
  CHECK(linefilter_column_nulls(&column) == LINEFILTER_NULLS_NEVER);
  CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, kRows, rows, &n, NULL) == LINEFILTER_OK && n == 49);
  linefilter_column_set_nulls(&column, LINEFILTER_NULLS_ALWAYS);
  CHECK(linefilter_column_nulls(&column) == LINEFILTER_NULLS_ALWAYS);
  CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, kRows, rows, &n, NULL) == LINEFILTER_OK && n == 50);
  linefilter_column slice = linefilter_column_slice(&column, 90, 1000);
  CHECK(linefilter_column_size(&slice) == 10);
  CHECK(linefilter_view_select_maybes(view, &slice, 1, NULL, 10, rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 5 && rows[0] == 0 && rows[4] == 8);
  slice = linefilter_column_of_nulls(5);
  CHECK(linefilter_column_size(&slice) == 5 && linefilter_column_form(&slice) == LINEFILTER_KEY_FORM_UNKNOWN);
  CHECK(linefilter_view_select_maybes(view, &slice, 1, NULL, 5, rows, &n, NULL) == LINEFILTER_OK && n == 0);
  linefilter_filter_free(filter);
}

/* Of several views, one has a row; more than 64 are asked, too. */
static void TestManyViews(void) {
  enum { kViews = 70 };
  const linefilter_view* views[kViews];
  linefilter_filter *even = EvenFilter(), *empty = NewFilter();
  for (int i = 0; i < kViews; ++i) views[i] = linefilter_filter_view(i == kViews - 2 ? even : empty);
  const linefilter_column column = Numbers();
  uint32_t rows[kRows];
  uint8_t answers[kViews];
  size_t n = 0;
  linefilter_status status;
  CHECK(linefilter_views_select_maybes(views, 3, &column, 1, NULL, kRows, rows, &n, NULL) == LINEFILTER_OK && n == 0);
  CHECK(linefilter_views_select_maybes(views, kViews, &column, 1, NULL, kRows, rows, &n, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status) && n == 50 && rows[1] == 2);
  memset(answers, 9, sizeof(answers));
  CHECK(linefilter_views_may_contain_any(views, kViews, &column, 1, answers, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status) && answers[0] == 0 && answers[kViews - 2] == 1 && answers[kViews - 1] == 0);
  views[1] = NULL;
  CHECK(IsNoHandle(linefilter_views_may_contain_any(views, 3, &column, 1, answers, &status), &status));
  CHECK(answers[0] == 0 && answers[1] == 1 && answers[2] == 0);
  CHECK(linefilter_views_select_maybes(views, 3, &column, 1, NULL, kRows, rows, &n, NULL) != LINEFILTER_OK);
  CHECK(n == kRows && rows[99] == 99);
  CHECK(linefilter_views_select_maybes(NULL, 0, &column, 1, NULL, kRows, rows, &n, NULL) != LINEFILTER_OK);
  CHECK(n == kRows);
  linefilter_filter_free(even);
  linefilter_filter_free(empty);
}

/* Two columns are a key of a filter of the caller's hashes, which names their forms. */
static void TestSeveralColumnsAreOneKey(void) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 40);
  options.hash_id = LINEFILTER_HASH_CALLER;
  options.seed = 0;
  linefilter_filter* filter = linefilter_filter_new(1000, &options, NULL);
  const linefilter_view* view = linefilter_filter_view(filter);
  double reals[kRows];
  for (int i = 0; i < kRows; ++i) reals[i] = i;
  const linefilter_column columns[2] = {Numbers(),
                                        linefilter_column_of_numbers(LINEFILTER_NUMBER_DOUBLE, reals, kRows)};
  linefilter_status status;
  uint64_t hashes[kRows];
  uint32_t rows[kRows];
  size_t n = 0;
  CHECK(linefilter_filter_add_column(filter, columns, 2, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_key_forms(view) == 0x0302);
  CHECK(linefilter_hash_columns(columns, 2, LINEFILTER_HASH_XXH3, 0, NULL, hashes, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status) && linefilter_view_count_maybes(view, hashes, kRows) == kRows);
  CHECK(linefilter_view_select_maybes(view, columns, 2, NULL, kRows, rows, &n, NULL) == LINEFILTER_OK && n == kRows);
  CHECK(linefilter_view_can_ask(view, columns, 1, &status) == LINEFILTER_INCOMPATIBLE);
  linefilter_filter_free(filter);
  CHECK(linefilter_hash_columns(columns, 1, LINEFILTER_HASH_XXH3, 5, NULL, hashes, NULL) == LINEFILTER_OK);
  CHECK(hashes[2] == linefilter_hash_u64(6, 5));
  uint8_t secret[LINEFILTER_SECRET_BYTES] = {1, 2, 3};
  CHECK(linefilter_hash_columns(columns, 1, LINEFILTER_HASH_KEYED, 0, secret, hashes, NULL) == LINEFILTER_OK);
  CHECK(hashes[2] == linefilter_secret_hash_u64(6, secret));
  CHECK(linefilter_hash_columns(columns, 1, LINEFILTER_HASH_PARQUET, 0, NULL, hashes, NULL) == LINEFILTER_OK);
  CHECK(hashes[2] == linefilter_parquet_hash_int32(6));
}

static void ReleaseSchema(struct ArrowSchema* schema) { schema->release = NULL; }
static void ReleaseArray(struct ArrowArray* array) { array->release = NULL; }

/* Rows of Arrow, by themselves and of a dictionary. Their structs may go. */
static void TestColumnsOfArrow(void) {
  static const int8_t indices[4] = {1, 0, 2, 1};
  static const uint8_t validity = 0x0b; /* row 2 is null */
  linefilter_status status;
  linefilter_column column, values;
  uint32_t rows[4];
  size_t n = 0;
  linefilter_filter* filter = EvenFilter();
  const linefilter_view* view = linefilter_filter_view(filter);
  Numbers();
  {
    const void* value_buffers[2] = {NULL, numbers}; /* 0, 3, 6 */
    const void* buffers[2] = {&validity, indices};
    struct ArrowSchema value_schema = {"i", "", NULL, 0, 0, NULL, NULL, ReleaseSchema, NULL};
    struct ArrowSchema schema = {"c", "", NULL, 0, 0, NULL, &value_schema, ReleaseSchema, NULL};
    struct ArrowArray value_array = {3, 0, 0, 2, 0, value_buffers, NULL, NULL, ReleaseArray, NULL};
    struct ArrowArray array = {4, -1, 0, 2, 0, buffers, NULL, &value_array, ReleaseArray, NULL};
    CHECK(linefilter_column_of_arrow(&schema, &array, 0, &column, &values, &status) == LINEFILTER_OK && IsOk(&status));
    schema.dictionary = NULL;
    linefilter_column broken = values;
    CHECK(linefilter_column_of_arrow(&schema, &array, 0, &broken, &values, &status) == LINEFILTER_CORRUPT);
    CHECK(linefilter_column_status(&broken, NULL) == LINEFILTER_INVALID_ARGUMENT);
    CHECK(linefilter_column_of_arrow(&value_schema, &value_array, LINEFILTER_KEY_FORM_REAL, &broken, &values, NULL) ==
          LINEFILTER_OK);
    CHECK(linefilter_column_form(&broken) == LINEFILTER_KEY_FORM_REAL && linefilter_column_size(&broken) == 3);
    CHECK(linefilter_column_of_arrow(&value_schema, &value_array, LINEFILTER_KEY_FORM_TEXT, &broken, &values, NULL) ==
          LINEFILTER_INCOMPATIBLE);
    CHECK(linefilter_column_status(&broken, NULL) == LINEFILTER_INVALID_ARGUMENT);
    value_schema.format = "tiM";
    CHECK(linefilter_column_of_arrow(&value_schema, &value_array, 0, &broken, &values, NULL) == LINEFILTER_UNSUPPORTED);
    CHECK(linefilter_column_of_arrow(NULL, &array, 0, &broken, &values, &status) == LINEFILTER_INVALID_ARGUMENT);
    CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "NULL"));
  }
  CHECK(linefilter_column_size(&column) == 4 && linefilter_column_form(&column) == LINEFILTER_KEY_FORM_INTEGER);
  CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, 4, rows, &n, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(n == 1 && rows[0] == 1);
  linefilter_column_set_nulls(&column, LINEFILTER_NULLS_ALWAYS);
  CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, 4, rows, &n, NULL) == LINEFILTER_OK && n == 2);
  linefilter_filter_free(filter);
}

/* Every kind of filter takes a column, and a builder does. */
static void TestEveryKindTakesColumns(void) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 16), growing = Options(LINEFILTER_LAYOUT_AUTO, 0);
  growing.fpr = 0.001;
  linefilter_filter* filters[4] = {
      linefilter_filter_new(1000, &options, NULL), linefilter_concurrent_new(1000, &options, NULL),
      linefilter_scalable_new(100, 8, &growing, NULL), linefilter_rotating_new(1000, 3, 0, &options, NULL)};
  const linefilter_column column = Numbers();
  linefilter_status status;
  for (int i = 0; i < 4; ++i) {
    CHECK(linefilter_filter_add_column(filters[i], &column, 1, &status) == LINEFILTER_OK && IsOk(&status));
    const linefilter_view* view = linefilter_filter_view(filters[i]);
    CHECK(linefilter_view_may_contain_u64(view, 297) && linefilter_view_key_forms(view) == LINEFILTER_KEY_FORM_INTEGER);
    linefilter_filter_note_key_forms(filters[i], LINEFILTER_KEY_FORM_INSTANT);
    CHECK(linefilter_view_key_forms(view) == LINEFILTER_UNKNOWN_KEY_FORMS);
    linefilter_filter_free(filters[i]);
  }
  linefilter_builder* builder = linefilter_builder_new(&options, NULL);
  size_t size = 0;
  CHECK(linefilter_builder_add_column(builder, &column, 1, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_builder_num_keys(builder) == kRows);
  linefilter_builder_note_key_forms(builder, 0x82); /* its nulls are keys, too */
  void* image = linefilter_builder_finish(builder, &size, NULL);
  linefilter_view* view = linefilter_view_open(image, size, LINEFILTER_VERIFY_WHOLE, NULL, NULL);
  CHECK(linefilter_view_key_forms(view) == 0x82 && linefilter_view_may_contain_u64(view, 297));
  linefilter_view_free(view);
  linefilter_image_free(image);
  linefilter_builder_free(builder);
}

void RunColumns(void) {
  RUN(TestColumnsOfNumbers);
  RUN(TestEqualValuesAreOneKey);
  RUN(TestColumnsOfTexts);
  RUN(TestDictionariesRunsAndConstants);
  RUN(TestRowsThatStay);
  RUN(TestManyViews);
  RUN(TestSeveralColumnsAreOneKey);
  RUN(TestColumnsOfArrow);
  RUN(TestEveryKindTakesColumns);
}
