/* Columns that are broken, misused, or NULL: a status says so, all rows stay, and nothing is added. */
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

static const int64_t three[3] = {1, 2, 3};

static linefilter_filter* NewFilter(linefilter_hash_id hash_id) {
  linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 40);
  options.hash_id = hash_id;
  return linefilter_filter_new(1000, &options, NULL);
}

/* By every call. */
static void CheckAllStay(const linefilter_view* view, const linefilter_column* columns, size_t num_columns,
                         linefilter_code code) {
  uint32_t rows[3] = {9, 9, 9};
  uint16_t short_rows[3] = {9, 9, 9};
  uint8_t bits = 0, answer = 9;
  size_t n = 77;
  linefilter_status status;
  CHECK(linefilter_view_can_ask(view, columns, num_columns, &status) == code && strlen(status.message) > 10);
  CHECK(linefilter_view_select_maybes(view, columns, num_columns, NULL, 3, rows, &n, &status) == code);
  CHECK(status.code == code && n == 3 && rows[0] == 0 && rows[2] == 2);
  n = 77;
  CHECK(linefilter_view_select_maybes16(view, columns, num_columns, NULL, 3, short_rows, &n, NULL) == code);
  CHECK(n == 3 && short_rows[0] == 0 && short_rows[2] == 2);
  n = 77;
  CHECK(linefilter_view_select_maybes_to_bits(view, columns, num_columns, NULL, &bits, &n, NULL) == code);
  CHECK(columns == NULL || num_columns == 0 ? n == 0 : n == 3 && (bits & 7) == 7);
  n = 77;
  CHECK(linefilter_views_select_maybes(&view, 1, columns, num_columns, NULL, 3, rows, &n, NULL) != LINEFILTER_OK);
  CHECK(n == 3);
  CHECK(linefilter_views_may_contain_any(&view, 1, columns, num_columns, &answer, NULL) == code && answer == 1);
}

static void CheckIsBroken(linefilter_column column, const char* word) {
  linefilter_status status;
  linefilter_filter* filter = NewFilter(LINEFILTER_HASH_XXH3);
  CHECK(linefilter_column_status(&column, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, word) && linefilter_column_size(&column) == 3);
  CheckAllStay(linefilter_filter_view(filter), &column, 1, LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_filter_add_column(filter, &column, 1, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, word));
  CHECK(linefilter_view_fill_ratio(linefilter_filter_view(filter)) == 0);
  linefilter_filter_free(filter);
}

static void TestBrokenColumns(void) {
  const linefilter_column good = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, three, 3);
  const linefilter_column reals = linefilter_column_of_numbers(LINEFILTER_NUMBER_DOUBLE, three, 3);
  const linefilter_column none = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, NULL, 0);
  const linefilter_column constant = linefilter_column_of_constant(&good, 3);
  CheckIsBroken(linefilter_column_of_numbers(LINEFILTER_NUMBER_INT128, three, 3), "linefilter_number");
  CheckIsBroken(linefilter_column_of_numbers(-1, three, 3), "linefilter_number");
  CheckIsBroken(linefilter_column_of_instants(LINEFILTER_NUMBER_INT16, three, 3, 0), "signed");
  CheckIsBroken(linefilter_column_of_instants(LINEFILTER_NUMBER_UINT64, three, 3, 0), "signed");
  CheckIsBroken(linefilter_column_of_instants(LINEFILTER_NUMBER_INT64, three, 3, 5), "linefilter_time_unit");
  CheckIsBroken(linefilter_column_of_decimals(LINEFILTER_NUMBER_DOUBLE, three, 3, 2), "decimals");
  CheckIsBroken(linefilter_column_of_decimals(LINEFILTER_NUMBER_INT64, three, 3, 39), "scale");
  CheckIsBroken(linefilter_column_of_decimals(LINEFILTER_NUMBER_INT64, three, 3, -1), "scale");
  CheckIsBroken(linefilter_column_of_dictionary(&good, NULL), "NULL");
  CheckIsBroken(linefilter_column_of_dictionary(&reals, &good), "integers");
  CheckIsBroken(linefilter_column_of_dictionary(&good, &constant), "plain");
  CheckIsBroken(linefilter_column_of_runs(NULL, &good, 3), "NULL");
  CheckIsBroken(linefilter_column_of_constant(NULL, 3), "NULL");
  CheckIsBroken(linefilter_column_of_constant(&none, 3), "no row");
  linefilter_column column = good;
  linefilter_column_set_nulls(&column, 3);
  CheckIsBroken(column, "linefilter_nulls");
  column = linefilter_column_of_dictionary(NULL, &good);
  CHECK(linefilter_column_status(&column, NULL) == LINEFILTER_INVALID_ARGUMENT && linefilter_column_size(&column) == 0);
}

/* An index outside of its dictionary is found when it is met. */
static void TestAnIndexOutsideIsCorrupt(void) {
  const linefilter_column values = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, three, 2);
  const linefilter_column indices = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, three, 3);
  const linefilter_column column = linefilter_column_of_dictionary(&indices, &values);
  linefilter_filter* filter = NewFilter(LINEFILTER_HASH_XXH3);
  uint32_t rows[3];
  size_t n = 0;
  linefilter_status status;
  const linefilter_view* view = linefilter_filter_view(filter);
  CHECK(linefilter_column_status(&column, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, 3, rows, &n, &status) == LINEFILTER_CORRUPT && n == 3);
  CHECK(linefilter_filter_add_column(filter, &column, 1, &status) == LINEFILTER_CORRUPT);
  CHECK(linefilter_view_fill_ratio(view) == 0);
  linefilter_filter_free(filter);
}

static void TestForms(void) {
  linefilter_status status;
  linefilter_column column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, three, 3);
  linefilter_filter* filter = NewFilter(LINEFILTER_HASH_XXH3);
  CHECK(linefilter_filter_add_column(filter, &column, 1, NULL) == LINEFILTER_OK);
  CHECK(linefilter_column_set_form(&column, LINEFILTER_KEY_FORM_TEXT, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "text"));
  CHECK(linefilter_column_set_form(&column, 7000, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_column_set_form(&column, -1, NULL) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_column_form(&column) == LINEFILTER_KEY_FORM_INTEGER);
  CHECK(linefilter_column_set_form(&column, LINEFILTER_KEY_FORM_REAL, &status) == LINEFILTER_OK && IsOk(&status));
  CheckAllStay(linefilter_filter_view(filter), &column, 1, LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_filter_add_column(filter, &column, 1, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_view_key_forms(linefilter_filter_view(filter)) == LINEFILTER_KEY_FORM_INTEGER);
  linefilter_filter_free(filter);
  filter = NewFilter(LINEFILTER_HASH_CALLER); /* a column alone has none of its hashes */
  CheckAllStay(linefilter_filter_view(filter), &column, 1, LINEFILTER_INCOMPATIBLE);
  linefilter_filter_free(filter);
}

static void TestMisuse(void) {
  linefilter_status status;
  linefilter_column columns[9];
  for (int i = 0; i < 9; ++i) columns[i] = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, three, 3);
  linefilter_filter* filter = NewFilter(LINEFILTER_HASH_CALLER);
  const linefilter_view* view = linefilter_filter_view(filter);
  linefilter_builder* builder = linefilter_builder_new(NULL, NULL);
  uint64_t hashes[3];
  uint8_t secret[LINEFILTER_SECRET_BYTES] = {1};
  CheckAllStay(NULL, columns, 1, LINEFILTER_INVALID_ARGUMENT);
  CheckAllStay(view, columns, 9, LINEFILTER_INVALID_ARGUMENT);
  CheckAllStay(view, columns, 0, LINEFILTER_INVALID_ARGUMENT);
  CheckAllStay(view, NULL, 1, LINEFILTER_INVALID_ARGUMENT);
  columns[1] = linefilter_column_slice(&columns[0], 1, 3);
  CheckAllStay(view, columns, 2, LINEFILTER_INVALID_ARGUMENT); /* of 3 rows and of 2 */
  CHECK(linefilter_filter_add_column(filter, columns, 2, NULL) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_hash_columns(columns, 1, 4, 0, NULL, hashes, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_hash_columns(columns, 1, -1, 0, NULL, hashes, &status) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_hash_columns(columns, 1, LINEFILTER_HASH_KEYED, 0, NULL, hashes, &status) != LINEFILTER_OK);
  CHECK(Says(LINEFILTER_INVALID_ARGUMENT, &status, "secret"));
  CHECK(linefilter_hash_columns(columns, 1, LINEFILTER_HASH_XXH3, 0, secret, hashes, &status) != LINEFILTER_OK);
  CHECK(linefilter_hash_columns(NULL, 1, LINEFILTER_HASH_XXH3, 0, NULL, hashes, NULL) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(IsNoHandle(linefilter_filter_add_column(NULL, columns, 1, &status), &status));
  CHECK(IsNoHandle(linefilter_builder_add_column(NULL, columns, 1, &status), &status));
  CHECK(linefilter_builder_add_column(builder, NULL, 1, NULL) == LINEFILTER_INVALID_ARGUMENT);
  CHECK(linefilter_view_key_forms(NULL) == 0);
  linefilter_filter_note_key_forms(NULL, 1);
  linefilter_builder_note_key_forms(NULL, 1);
  linefilter_filter_note_key_forms(filter, 0x07); /* no form */
  CHECK(linefilter_view_key_forms(view) == LINEFILTER_UNKNOWN_KEY_FORMS);
  linefilter_column_set_validity(NULL, secret, 0);
  linefilter_column_set_nulls(NULL, LINEFILTER_NULLS_ALWAYS);
  CHECK(IsNoHandle(linefilter_column_set_form(NULL, LINEFILTER_KEY_FORM_TEXT, &status), &status));
  CHECK(IsNoHandle(linefilter_column_status(NULL, &status), &status));
  CHECK(linefilter_column_size(NULL) == 0 && linefilter_column_form(NULL) == LINEFILTER_KEY_FORM_UNKNOWN);
  CHECK(linefilter_column_nulls(NULL) == LINEFILTER_NULLS_NEVER);
  columns[0] = linefilter_column_slice(NULL, 0, 3);
  CHECK(linefilter_column_size(&columns[0]) == 0 && linefilter_column_status(&columns[0], NULL) == LINEFILTER_OK);
  linefilter_builder_free(builder);
  linefilter_filter_free(filter);
}

/* What was never made has no rows. */
static void TestAColumnOfZeros(void) {
  linefilter_column column;
  memset(&column, 0, sizeof(column));
  linefilter_filter* filter = NewFilter(LINEFILTER_HASH_XXH3);
  size_t n = 77;
  CHECK(linefilter_column_size(&column) == 0 && linefilter_column_status(&column, NULL) == LINEFILTER_OK);
  CHECK(linefilter_filter_add_column(filter, &column, 1, NULL) == LINEFILTER_OK);
  CHECK(linefilter_view_select_maybes(linefilter_filter_view(filter), &column, 1, NULL, 0, NULL, &n, NULL) ==
        LINEFILTER_OK);
  CHECK(n == 0);
  linefilter_filter_free(filter);
}

void RunColumnFaults(void) {
  RUN(TestBrokenColumns);
  RUN(TestAnIndexOutsideIsCorrupt);
  RUN(TestForms);
  RUN(TestMisuse);
  RUN(TestAColumnOfZeros);
}
