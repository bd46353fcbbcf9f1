/* Texts that are compared by what a function of the caller makes of them, and what happens where it makes nothing.
   (That rows are those of C++, with several threads: tests/c/c_api_test_columns.cc.) */
#include <ctype.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

enum { kTexts = 600, kWidth = 6 };

/* Without case. It counts its calls, and refuses all from refuse_from on. */
typedef struct Collation {
  char lower[LINEFILTER_MAX_TEXTS * kWidth];
  size_t calls, texts, refuse_from;
  bool makes_null;
} Collation;

static bool Lower(void* context, const linefilter_text* texts, size_t n, linefilter_text* canonical) {
  Collation* collation = context;
  size_t used = 0;
  CHECK(n >= 1 && n <= LINEFILTER_MAX_TEXTS);
  if (collation->calls++ >= collation->refuse_from) return false;
  collation->texts += n;
  for (size_t i = 0; i < n; ++i) {
    CHECK(texts[i].data != NULL && canonical[i].data == texts[i].data && canonical[i].size == texts[i].size);
    if (texts[i].size > kWidth) continue; /* it stays as it is */
    for (size_t k = 0; k < texts[i].size; ++k) {
      collation->lower[used + k] = (char)tolower((unsigned char)texts[i].data[k]);
    }
    canonical[i].data = collation->makes_null ? NULL : collation->lower + used;
    used += texts[i].size;
  }
  return true;
}

static Collation NewCollation(void) {
  Collation collation;
  memset(&collation, 0, sizeof(collation));
  collation.refuse_from = SIZE_MAX;
  return collation;
}

static linefilter_filter* NewFilter(void) {
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 40);
  return linefilter_filter_new(1000, &options, NULL);
}

/* Texts "Nabcde": every second has a capital. */
static char texts[kTexts][kWidth];
static linefilter_column Texts(bool of_capitals) {
  for (int i = 0; i < kTexts; ++i) {
    memcpy(texts[i], of_capitals ? "N00AB0" : "n00ab0", kWidth);
    texts[i][1] = (char)('0' + i / 100), texts[i][2] = (char)('0' + i / 10 % 10), texts[i][5] = (char)('0' + i % 10);
  }
  return linefilter_column_of_fixed_bytes(texts, kWidth, kTexts);
}

static void TestTextsWithoutCase(void) {
  Collation collation = NewCollation();
  linefilter_filter* filter = NewFilter();
  const linefilter_view* view = linefilter_filter_view(filter);
  linefilter_column column = Texts(true), slice;
  uint32_t rows[kTexts];
  size_t n = 0;
  linefilter_status status;
  CHECK(linefilter_column_set_canonical(&column, Lower, &collation, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_column_form(&column) == LINEFILTER_KEY_FORM_CANONICAL_TEXT);
  slice = linefilter_column_slice(&column, 0, 300);
  memset(&column, 0, sizeof(column)); /* the slice does not point to it */
  CHECK(linefilter_filter_add_column(filter, &slice, 1, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_key_forms(view) == LINEFILTER_KEY_FORM_CANONICAL_TEXT && collation.texts >= 300);
  column = Texts(false);
  CHECK(linefilter_view_may_contain_key(view, texts[7], kWidth) && !linefilter_view_may_contain_key(view, "N00AB7", 6));
  CHECK(linefilter_view_can_ask(view, &column, 1, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_column_set_canonical(&column, Lower, &collation, &status) == LINEFILTER_OK && IsOk(&status));
  CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, kTexts, rows, &n, &status) == LINEFILTER_OK);
  CHECK(IsOk(&status) && n == 300 && rows[0] == 0 && rows[299] == 299);
  CHECK(linefilter_column_set_form(&column, LINEFILTER_KEY_FORM_CANONICAL_TEXT, NULL) == LINEFILTER_INCOMPATIBLE);
  CHECK(linefilter_column_set_form(&column, LINEFILTER_KEY_FORM_TEXT, NULL) == LINEFILTER_OK);
  collation.refuse_from = 0; /* it is not called any more */
  uint64_t hashes[kTexts];
  CHECK(linefilter_hash_columns(&column, 1, LINEFILTER_HASH_XXH3, 0, NULL, hashes, NULL) == LINEFILTER_OK);
  linefilter_filter_free(filter);
}

/* A dictionary's values, a null among them, and two columns of a key. */
static void TestCanonicalDictionariesAndKeys(void) {
  static const char bytes[] = "BerlinPARISberlin";
  static const int32_t offsets[5] = {0, 6, 11, 11, 17};
  static const uint8_t indices[4] = {3, 2, 1, 0}, validity = 0x0b; /* value 2 is null */
  Collation collation = NewCollation();
  linefilter_column values = linefilter_column_of_texts(offsets, bytes, 4);
  linefilter_column_set_validity(&values, &validity, 0);
  CHECK(linefilter_column_set_canonical(&values, Lower, &collation, NULL) == LINEFILTER_OK);
  const linefilter_column keys = linefilter_column_of_numbers(LINEFILTER_NUMBER_UINT8, indices, 4);
  const linefilter_column dictionary = linefilter_column_of_dictionary(&keys, &values);
  linefilter_filter* filter = NewFilter();
  linefilter_filter_insert_key(filter, "berlin", 6);
  linefilter_filter_note_key_forms(filter, LINEFILTER_KEY_FORM_CANONICAL_TEXT);
  uint32_t rows[4];
  size_t n = 0;
  const linefilter_view* view = linefilter_filter_view(filter);
  CHECK(linefilter_column_form(&dictionary) == LINEFILTER_KEY_FORM_CANONICAL_TEXT);
  CHECK(linefilter_view_select_maybes(view, &dictionary, 1, NULL, 4, rows, &n, NULL) == LINEFILTER_OK);
  CHECK(n == 2 && rows[0] == 0 && rows[1] == 3);
  const linefilter_column* const columns[2] = {&dictionary, &values};
  uint64_t hashes[2][4];
  for (int i = 0; i < 2; ++i) {
    const linefilter_column pair[2] = {*columns[i], keys};
    CHECK(linefilter_hash_columns(pair, 2, LINEFILTER_HASH_XXH3, 0, NULL, hashes[i], NULL) == LINEFILTER_OK);
  }
  CHECK(hashes[0][0] == hashes[1][0]); /* "berlin" and 3, "Berlin" and 3 */
  linefilter_filter_free(filter);
}

/* The function makes nothing, or what is no text: all rows stay, and none is added. */
static void TestWhereNothingIsMade(void) {
  for (int makes_null = 0; makes_null < 2; ++makes_null) {
    Collation collation = NewCollation();
    collation.makes_null = makes_null != 0;
    collation.refuse_from = makes_null != 0 ? SIZE_MAX : 0;
    linefilter_filter* filter = NewFilter();
    linefilter_column column = Texts(true);
    linefilter_status status;
    uint32_t rows[kTexts];
    size_t n = 0;
    CHECK(linefilter_column_set_canonical(&column, Lower, &collation, NULL) == LINEFILTER_OK);
    CHECK(linefilter_filter_add_column(filter, &column, 1, &status) == LINEFILTER_CORRUPT);
    CHECK(Says(LINEFILTER_CORRUPT, &status, "canonical"));
    const linefilter_view* view = linefilter_filter_view(filter);
    CHECK(linefilter_view_fill_ratio(view) == 0);
    CHECK(linefilter_view_select_maybes(view, &column, 1, NULL, kTexts, rows, &n, &status) == LINEFILTER_CORRUPT);
    CHECK(n == kTexts && rows[kTexts - 1] == kTexts - 1);
    linefilter_filter_free(filter);
  }
}

static void TestWhatCannotBeCanonical(void) {
  Collation collation = NewCollation();
  linefilter_status status;
  linefilter_column column = Texts(true);
  CHECK(IsNoHandle(linefilter_column_set_canonical(NULL, Lower, &collation, &status), &status));
  CHECK(linefilter_column_set_canonical(&column, NULL, NULL, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "function"));
  CHECK(linefilter_column_form(&column) == LINEFILTER_KEY_FORM_TEXT);
  column = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT8, texts, 3);
  CHECK(linefilter_column_set_canonical(&column, Lower, &collation, &status) == LINEFILTER_INCOMPATIBLE);
  CHECK(Says(LINEFILTER_INCOMPATIBLE, &status, "of texts") && collation.calls == 0);
}

void RunColumnCanonical(void) {
  RUN(TestTextsWithoutCase);
  RUN(TestCanonicalDictionariesAndKeys);
  RUN(TestWhereNothingIsMade);
  RUN(TestWhatCannotBeCanonical);
}
