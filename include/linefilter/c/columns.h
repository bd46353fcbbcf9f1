// Columns in, row numbers out, in C: this is how a scan or a join asks a filter, and how a build side fills one. Start
// at linefilter/c.h; linefilter/column.h and linefilter/columns.h tell the rest.
//
//   linefilter_column ids = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT64, values, n);
//   linefilter_column_set_validity(&ids, bits, 0);  // a 1 for each row that is not null
//   if (linefilter_filter_add_column(filter, &ids, 1, &status) != LINEFILTER_OK) fail(status.message);
//   ...
//   uint32_t rows[2048];
//   size_t num_rows;
//   linefilter_view_select_maybes(view, &probe_ids, 1, NULL, 2048, rows, &num_rows, &status);
//   for (i = 0; i < num_rows; ++i) probe(rows[i]);  // in order; all others are certainly absent
//
// A linefilter_column is a plain structure: nothing is allocated, copied or freed. It borrows its arrays, its validity
// and the columns of its values, which stay as long as it or a copy of it is used. What was wrong with what it was made
// of is told by linefilter_column_status, and by each call that takes it. `columns` are the 1 to 8 columns of a key,
// with as many rows each.
//
// A row stays if its key may be in the filter. Where nothing can be told, all rows stay, and the status says why: a
// column of another form than the filter's keys, a filter of the caller's hashes, a column that is broken, NULL.
#ifndef LINEFILTER_C_COLUMNS_H_
#define LINEFILTER_C_COLUMNS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// ---- Columns.

// A borrowed view of a typed array. All zero, it has no rows. This never changes its size.
typedef struct linefilter_column {
  uint64_t aligned;         // the library's
  unsigned char held[152];  // the library's
} linefilter_column;

// What the values of a column become before they are hashed, so that equal ones are the same key (linefilter/column.h).
// Both sides of a join take the same form.
typedef int32_t linefilter_key_form;
enum {
  LINEFILTER_KEY_FORM_UNKNOWN = 0,      // nobody said
  LINEFILTER_KEY_FORM_TEXT = 1,         // the bytes
  LINEFILTER_KEY_FORM_INTEGER = 2,      // the integer, widened to 64 bits: the ..._u64 calls
  LINEFILTER_KEY_FORM_REAL = 3,         // the double; a float and an integer are widened to it
  LINEFILTER_KEY_FORM_INSTANT = 4,      // nanoseconds, modulo 2^64
  LINEFILTER_KEY_FORM_PADDED_TEXT = 5,  // the bytes without the spaces at their end, as SQL compares CHAR
  // The bytes that a function makes, such as those of a collation's key: linefilter_column_set_canonical.
  LINEFILTER_KEY_FORM_CANONICAL_TEXT = 6,
  LINEFILTER_KEY_FORM_DECIMAL = 0x20  // linefilter_key_form_of_decimals(scale): the value times 10^scale, modulo 2^64
};

// The form of decimals that are compared at this scale, 0 to 38; that of 0 is LINEFILTER_KEY_FORM_INTEGER. For another
// scale it is LINEFILTER_KEY_FORM_UNKNOWN, which linefilter_column_set_form refuses.
linefilter_key_form linefilter_key_form_of_decimals(int32_t scale);
// "text", "integer", "real", "instant", "padded text", "canonical text", "decimal" or "unknown".
const char* linefilter_key_form_name(linefilter_key_form form);

// The types of numbers.
typedef int32_t linefilter_number;
enum {
  LINEFILTER_NUMBER_INT8 = 0,    // int8_t
  LINEFILTER_NUMBER_INT16 = 1,   // int16_t
  LINEFILTER_NUMBER_INT32 = 2,   // int32_t
  LINEFILTER_NUMBER_INT64 = 3,   // int64_t
  LINEFILTER_NUMBER_UINT8 = 4,   // uint8_t
  LINEFILTER_NUMBER_UINT16 = 5,  // uint16_t
  LINEFILTER_NUMBER_UINT32 = 6,  // uint32_t
  LINEFILTER_NUMBER_UINT64 = 7,  // uint64_t
  LINEFILTER_NUMBER_FLOAT = 8,   // float, of 4 bytes
  LINEFILTER_NUMBER_DOUBLE = 9,  // double, of 8 bytes
  LINEFILTER_NUMBER_INT128 = 10  // 16 bytes each, as the machine has them: of decimals alone
};

// The unit of integers that are instants, dates or times of a day.
typedef int32_t linefilter_time_unit;
enum {
  LINEFILTER_TIME_UNIT_DAY = 0,          // 86,400 s
  LINEFILTER_TIME_UNIT_SECOND = 1,       // 1 s
  LINEFILTER_TIME_UNIT_MILLISECOND = 2,  // 10^-3 s
  LINEFILTER_TIME_UNIT_MICROSECOND = 3,  // 10^-6 s
  LINEFILTER_TIME_UNIT_NANOSECOND = 4    // 10^-9 s
};

// What a null is.
typedef int32_t linefilter_nulls;
enum {
  LINEFILTER_NULLS_NEVER = 0,    // no key: it is never selected and never added, as `=` of SQL has it
  LINEFILTER_NULLS_ALWAYS = 1,   // no key, and selected: somebody else decides about it. It is not added
  LINEFILTER_NULLS_AS_VALUE = 2  // a key that equals itself alone, as IS NOT DISTINCT FROM of SQL has it
};

// The bytes of a text. No zero ends them.
typedef struct linefilter_text {
  const char* data;  // its bytes
  size_t size;       // how many
} linefilter_text;

// The most texts that a linefilter_canonicalizer gets at once.
enum { LINEFILTER_MAX_TEXTS = 256 };

// Makes the canonical bytes of n texts, 1 to LINEFILTER_MAX_TEXTS: canonical[i] are those of texts[i], and are that
// text until they are set. What it points to must stay until the next call of the same thread. It returns false where
// it cannot: the rows are then selected, and are not added. A NULL with a size above 0 is taken for that, too. `data`
// of a text is never NULL; that of a null is empty.
typedef bool (*linefilter_canonicalizer)(void* context, const linefilter_text* texts, size_t n,
                                         linefilter_text* canonical) LINEFILTER_NOEXCEPT;

// n nulls of any type.
linefilter_column linefilter_column_of_nulls(size_t n);
// n integers (LINEFILTER_KEY_FORM_INTEGER), or floats or doubles (LINEFILTER_KEY_FORM_REAL). No array of numbers needs
// an alignment.
linefilter_column linefilter_column_of_numbers(linefilter_number type, const void* values, size_t n);
// Integers of 32 or 64 signed bits that count a unit (LINEFILTER_KEY_FORM_INSTANT). Days, seconds and the like of one
// instant are one key.
linefilter_column linefilter_column_of_instants(linefilter_number type, const void* values, size_t n,
                                                linefilter_time_unit unit);
// Integers of 32, 64 or 128 signed bits that are a decimal times 10^scale, 0 to 38. Set the form of the larger scale if
// the other side has that.
linefilter_column linefilter_column_of_decimals(linefilter_number type, const void* values, size_t n, int32_t scale);
// n values of `width` bytes each (LINEFILTER_KEY_FORM_TEXT, as all that follow).
linefilter_column linefilter_column_of_fixed_bytes(const void* values, size_t width, size_t n);
// Row i has the bytes from offsets[i] to offsets[i + 1]. The offsets rise.
linefilter_column linefilter_column_of_texts(const int32_t* offsets, const void* bytes, size_t n);
// The same with offsets of 64 bits.
linefilter_column linefilter_column_of_large_texts(const int64_t* offsets, const void* bytes, size_t n);
// 16 bytes for each row: a length of 32 bits, then up to 12 bytes of text, or its first 4 and a pointer to all of it.
// DuckDB has these.
linefilter_column linefilter_column_of_pointer_views(const void* views, size_t n);
// The same as Arrow has them: in place of the pointer the number of a buffer and an offset into it.
linefilter_column linefilter_column_of_views(const void* views, const void* const* buffers, size_t num_buffers,
                                             size_t n);

// Row i has row indices[i] of `values`, which has its own validity, and a form that was set before. `indices` are
// integers, which the column keeps without their structure; a row of them may be null. `values` is none of these three,
// and stays as long as the column. An index outside is LINEFILTER_CORRUPT when it is met.
linefilter_column linefilter_column_of_dictionary(const linefilter_column* indices, const linefilter_column* values);
// Row i has row j of `values`, j being the first with i < run_ends[j].
linefilter_column linefilter_column_of_runs(const linefilter_column* run_ends, const linefilter_column* values,
                                            size_t n);
// n rows of the first value of `value`.
linefilter_column linefilter_column_of_constant(const linefilter_column* value, size_t n);

// The structs of Arrow's C data interface, an ABI that everybody may declare (linefilter/arrow.h does).
struct ArrowSchema;
struct ArrowArray;
// Makes *column of an array of Arrow, with its validity, as linefilter/arrow.h says. `form` is that of its values;
// LINEFILTER_KEY_FORM_UNKNOWN leaves them that of their type. *values gets those of a dictionary or of runs: keep it
// where it is as long as the column is used. Nothing is released: do that afterwards. LINEFILTER_UNSUPPORTED says that
// no column has that type, and LINEFILTER_CORRUPT that the array breaks a rule of Arrow. On an error *column is broken.
linefilter_code linefilter_column_of_arrow(const struct ArrowSchema* schema, const struct ArrowArray* array,
                                           linefilter_key_form form, linefilter_column* column,
                                           linefilter_column* values, linefilter_status* status);

// Bit (first_bit + i) & 7 of byte (first_bit + i) >> 3 is 1 if row i is not null; NULL: no row is.
void linefilter_column_set_validity(linefilter_column* column, const uint8_t* bits, size_t first_bit);
// Says what its nulls are; LINEFILTER_NULLS_NEVER unless told. What is none of these breaks the column.
void linefilter_column_set_nulls(linefilter_column* column, linefilter_nulls nulls);
// Says how it is equal. LINEFILTER_INCOMPATIBLE says that its values cannot take that form, and why.
linefilter_code linefilter_column_set_form(linefilter_column* column, linefilter_key_form form,
                                           linefilter_status* status);
// Gives texts the form LINEFILTER_KEY_FORM_CANONICAL_TEXT. All threads that ask for the column call the function, and
// hand it `context`. Both stay as long as the column or a copy of it is used. LINEFILTER_INCOMPATIBLE says that it has
// no texts, or that the function is NULL. (Set that of a dictionary for its values, before it is made. So a dictionary
// of Arrow takes none: linefilter_column_of_arrow makes it with its values.)
linefilter_code linefilter_column_set_canonical(linefilter_column* column, linefilter_canonicalizer function,
                                                void* context, linefilter_status* status);
// The rows first, first + 1, ... first + n - 1, as far as there are any.
linefilter_column linefilter_column_slice(const linefilter_column* column, size_t first, size_t n);

// Its rows; 0 for NULL.
size_t linefilter_column_size(const linefilter_column* column);
// What its nulls are; LINEFILTER_NULLS_NEVER for NULL.
linefilter_nulls linefilter_column_nulls(const linefilter_column* column);
// Its form; LINEFILTER_KEY_FORM_UNKNOWN for NULL, and if there are nulls alone.
linefilter_key_form linefilter_column_form(const linefilter_column* column);
// LINEFILTER_OK, or what was wrong with what it was made of. Then all rows stay, and none is added.
linefilter_code linefilter_column_status(const linefilter_column* column, linefilter_status* status);

// ---- Hashes.

// Makes the hash of each row: of one column that of its key, whatever the hash id; of several their combined hash, of
// LINEFILTER_HASH_XXH3 and its seed, for a filter of LINEFILTER_HASH_CALLER. `secret` has LINEFILTER_SECRET_BYTES bytes
// for LINEFILTER_HASH_KEYED, and is NULL for every other. With LINEFILTER_HASH_PARQUET a value is what Parquet stores,
// whatever its form. The hash of a null is that of a value unless LINEFILTER_NULLS_AS_VALUE says what it is: leave it
// out. On an error the hashes mean nothing.
linefilter_code linefilter_hash_columns(const linefilter_column* columns, size_t num_columns,
                                        linefilter_hash_id hash_id, uint64_t seed, const uint8_t* secret,
                                        uint64_t* hashes, linefilter_status* status);

// ---- Questions. `rows` and `maybes` may be the same array. On an error all rows that were asked stay; but where row
// numbers of 16 bits cannot count the rows, none is written.

// LINEFILTER_OK if the view can be asked for these columns; else what is wrong, and what to do.
linefilter_code linefilter_view_can_ask(const linefilter_view* view, const linefilter_column* columns,
                                        size_t num_columns, linefilter_status* status);
// Writes those of the n rows whose keys may be in the filter, in their order, and how many they are. `rows` are row
// numbers of the columns, or NULL for rows 0 to n - 1; `maybes` has room for n.
linefilter_code linefilter_view_select_maybes(const linefilter_view* view, const linefilter_column* columns,
                                              size_t num_columns, const uint32_t* rows, size_t n, uint32_t* maybes,
                                              size_t* num_maybes, linefilter_status* status);
// The same with row numbers of 16 bits: for vectors of up to 65,536 rows. For NULL `rows` and more it is
// LINEFILTER_INVALID_ARGUMENT, and *num_maybes is 0.
linefilter_code linefilter_view_select_maybes16(const linefilter_view* view, const linefilter_column* columns,
                                                size_t num_columns, const uint16_t* rows, size_t n, uint16_t* maybes,
                                                size_t* num_maybes, linefilter_status* status);
// The same with bitmaps: bit i & 7 of byte i >> 3 is that of row i. `rows` has a 1 for each row that is asked, or is
// NULL for all; `maybes` gets (n + 7) / 8 bytes for the n rows of the columns.
linefilter_code linefilter_view_select_maybes_to_bits(const linefilter_view* view, const linefilter_column* columns,
                                                      size_t num_columns, const uint8_t* rows, uint8_t* maybes,
                                                      size_t* num_maybes, linefilter_status* status);

// Several views, such as those of the partitions of a build side: a row stays if one of them may have its key. More
// than 64 take memory for a moment.
linefilter_code linefilter_views_select_maybes(const linefilter_view* const* views, size_t num_views,
                                               const linefilter_column* columns, size_t num_columns,
                                               const uint32_t* rows, size_t n, uint32_t* maybes, size_t* num_maybes,
                                               linefilter_status* status);
// Several views, such as those of the row groups of a file: answers[i] is 1 if views[i] may have the key of any row,
// else 0. A view that cannot be asked has 1, and the status is that of the first one.
linefilter_code linefilter_views_may_contain_any(const linefilter_view* const* views, size_t num_views,
                                                 const linefilter_column* columns, size_t num_columns, uint8_t* answers,
                                                 linefilter_status* status);

// ---- A filter in front of a scan.

// It sees how many rows it lets through, and does not ask where that does not pay (ScanFilter in linefilter/columns.h
// tells when it asks again). Each thread has one of its own. It is a plain structure: nothing is allocated or freed.
// This never changes its size.
//
//   linefilter_scan_filter scan;
//   linefilter_scan_filter_init(&scan, view, 0.9);
//   linefilter_scan_filter_select(&scan, &probe_ids, 1, NULL, 2048, rows, &num_rows, &status);  // for each vector
typedef struct linefilter_scan_filter {
  uint64_t aligned;         // the library's
  unsigned char held[120];  // the library's
} linefilter_scan_filter;

// Makes one. The view must stay as long as it is used. It stops asking if more than the share max_passed of the rows
// stay: 0.9 is right where a row that goes on costs a probe of a hash table.
void linefilter_scan_filter_init(linefilter_scan_filter* scan, const linefilter_view* view, double max_passed);
// Does what linefilter_view_select_maybes does, or lets all rows stay. That is LINEFILTER_OK, too.
linefilter_code linefilter_scan_filter_select(linefilter_scan_filter* scan, const linefilter_column* columns,
                                              size_t num_columns, const uint32_t* rows, size_t n, uint32_t* maybes,
                                              size_t* num_maybes, linefilter_status* status);
// The same with row numbers of 16 bits, as linefilter_view_select_maybes16.
linefilter_code linefilter_scan_filter_select16(linefilter_scan_filter* scan, const linefilter_column* columns,
                                                size_t num_columns, const uint16_t* rows, size_t n, uint16_t* maybes,
                                                size_t* num_maybes, linefilter_status* status);
// Whether the next rows are asked; true for NULL.
bool linefilter_scan_filter_asks(const linefilter_scan_filter* scan);
// The rows that came; 0 for NULL, as the two that follow.
uint64_t linefilter_scan_filter_num_rows(const linefilter_scan_filter* scan);
// Those of them that were asked.
uint64_t linefilter_scan_filter_num_asked(const linefilter_scan_filter* scan);
// Those of the asked ones that stayed.
uint64_t linefilter_scan_filter_num_maybes(const linefilter_scan_filter* scan);

// ---- Insertions.

// Adds the key of each row that has one to a filter of any kind, and notes the form (linefilter_view_key_forms).
// LINEFILTER_INCOMPATIBLE says that the filter has keys of another form, or cannot hash these columns: nothing was
// added then.
linefilter_code linefilter_filter_add_column(linefilter_filter* filter, const linefilter_column* columns,
                                             size_t num_columns, linefilter_status* status);
// The same for a builder. Its own errors, such as that of memory, are remembered as those of its other calls.
linefilter_code linefilter_builder_add_column(linefilter_builder* builder, const linefilter_column* columns,
                                              size_t num_columns, linefilter_status* status);

// Unites plain filters of one shape, one filled by each thread of a build side, into filters[0]: give each the capacity
// of all keys (linefilter_options_same_size_as). Pairs are united at once by the threads of the executor, which may be
// NULL. max_fpr and errors are those of linefilter_filter_union. After an error some may be united already, and all are
// as good to ask as before. But for NULL, another kind (LINEFILTER_INCOMPATIBLE) or a filter that comes twice
// (LINEFILTER_INVALID_ARGUMENT) nothing was done. More than 64 take memory for a moment.
linefilter_code linefilter_unite_filters(linefilter_filter* const* filters, size_t num_filters,
                                         const linefilter_executor* executor, double max_fpr,
                                         linefilter_status* status);

// ---- Forms. Byte i is the linefilter_key_form of column i, and 0x80 more if its nulls are keys.

// The forms are unknown: nobody said them, or columns of several forms came.
#define LINEFILTER_UNKNOWN_KEY_FORMS UINT64_MAX
// The forms of the columns that the view's keys came from; 0 if nothing was told yet, and for NULL. Keys of the kind
// text or integer alone have that form.
uint64_t linefilter_view_key_forms(const linefilter_view* view);
// Adds forms to those that the filter has, as linefilter_filter_note_key_kind adds a kind, and notes the kind, too:
// text or integer if it is one column of that form, else LINEFILTER_KEY_KIND_UNKNOWN. Other forms than those of before
// make them unknown until the filter is cleared; so does what are no forms of 1 to 8 columns. Say it where hashes of
// columns are inserted. For NULL it does nothing.
void linefilter_filter_note_key_forms(linefilter_filter* filter, uint64_t forms);
// The same for a builder. They are forgotten with its keys.
void linefilter_builder_note_key_forms(linefilter_builder* builder, uint64_t forms);

LINEFILTER_C_END

#endif  // LINEFILTER_C_COLUMNS_H_
