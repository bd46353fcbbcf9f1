// Bloom filters of Parquet files, in C, are read where they lie, written, sized, and asked for values of any type of
// column. Start at linefilter/c.h. doc/guide/parquet.md has programs and a table of all types.
//
//   linefilter_parquet_options(&options, 0.01, &status);  // after linefilter_options_init
//   linefilter_filter* filter = linefilter_filter_new(distinct_values, &options, &status);
//   linefilter_parquet_hash_int64s(column, n, hashes);
//   linefilter_filter_insert_hashes(filter, hashes, n, NULL);
//   linefilter_parquet_write(linefilter_filter_view(filter), out, out_size, &status);
//
//   linefilter_view* view = linefilter_parquet_open(bytes, bloom_filter_length, &status);  // NULL answers "maybe"
//   const linefilter_parquet_type type = linefilter_parquet_type_of(LINEFILTER_PARQUET_LOGICAL_STRING);
//   const linefilter_parquet_value value = linefilter_parquet_value_text("berlin", 6);
//   if (!linefilter_parquet_may_contain(view, &type, &value, NULL)) ...  // skip this row group
//
// A filter of a file is a linefilter_view, and one that is made is a linefilter_filter, with all their calls. c/view.h
// asks by hash and in batches, and linefilter_view_expected_fpr tells what the rate of a filter in a file really is.
// c/filter.h folds, and a builder makes an image for as many values as come. The footer, which tells offset, length and
// type of a column, is read by the caller. Any number of threads may call these functions at once.
#ifndef LINEFILTER_C_PARQUET_H_
#define LINEFILTER_C_PARQUET_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linefilter/c/types.h"
#include "linefilter/internal/export.h"

LINEFILTER_C_BEGIN

// ---- Hashes of values.

// They are made of the plain encoding of the physical type; the logical type does not matter. Nulls are left out.
// linefilter_parquet_hash_key and ..._keys (c/hash.h) are for BYTE_ARRAY (the bytes without their length),
// FIXED_LEN_BYTE_ARRAY and INT96. BOOLEAN has no filter.

// INT32 is 4 little-endian bytes. Integers of 8 and 16 bits are widened by their sign, those of 32 unsigned bits cast.
uint64_t linefilter_parquet_hash_int32(int32_t value);
// INT64 is 8 little-endian bytes. Integers of 64 unsigned bits are cast.
uint64_t linefilter_parquet_hash_int64(int64_t value);
// FLOAT is its 4 IEEE bytes. So -0.0 and 0.0 have different hashes, and so have NaNs of different bits.
uint64_t linefilter_parquet_hash_float(float value);
// DOUBLE has 8 bytes, and is as FLOAT in all else.
uint64_t linefilter_parquet_hash_double(double value);
// hashes[i] = linefilter_parquet_hash_int32(values[i]), for n values. An array of unsigned integers is cast.
void linefilter_parquet_hash_int32s(const int32_t* values, size_t n, uint64_t* hashes);
// The same for INT64.
void linefilter_parquet_hash_int64s(const int64_t* values, size_t n, uint64_t* hashes);
// The same for FLOAT.
void linefilter_parquet_hash_floats(const float* values, size_t n, uint64_t* hashes);
// The same for DOUBLE.
void linefilter_parquet_hash_doubles(const double* values, size_t n, uint64_t* hashes);
// The same for n values of FIXED_LEN_BYTE_ARRAY, or of INT96 (type_length 12), that lie one behind the other.
void linefilter_parquet_hash_fixed(const void* values, size_t type_length, size_t n, uint64_t* hashes);

// ---- Filters in files.

enum {
  // Read so many bytes first where only bloom_filter_offset is known.
  LINEFILTER_PARQUET_FIRST_READ = 64,
  // The longest header that is read.
  LINEFILTER_PARQUET_MAX_HEADER_BYTES = 1024,
  // The largest bitset that a header can tell: 2 GiB less a block.
  LINEFILTER_PARQUET_MAX_BITSET_BYTES = 0x7fffffe0
};

// Tells how many bytes the filter has that begins with these, header included. Read so many and open it. If its header
// does not end within `size` bytes, it is more than `size`: read so many and ask again (once is enough). If these bytes
// are no header, it is 0, and linefilter_parquet_open says why.
uint64_t linefilter_parquet_bytes_needed(const void* bytes, size_t size);
// Opens header and bitset, which may be followed by other bytes. They lie at any address, and nothing is copied: they
// must stay, unchanged, until linefilter_view_free. Parquet has no checksum, so nothing is verified. The ..._hash calls
// of the view take the hashes above, its ..._key calls BYTE_ARRAY, and its ..._u64 calls INT64. It is NULL on an error.
// LINEFILTER_CORRUPT says that the bytes are no header, that no bitset has such a size, or that it is larger than the
// bytes that were given. LINEFILTER_UNSUPPORTED says that algorithm, hash or compression is unknown.
linefilter_view* linefilter_parquet_open(const void* bytes, size_t size, linefilter_status* status);
// Opens a bitset without its header. Its size is a multiple of 32, from 32 to LINEFILTER_PARQUET_MAX_BITSET_BYTES;
// another one is LINEFILTER_CORRUPT.
linefilter_view* linefilter_parquet_open_bitset(const void* bitset, uint64_t bitset_bytes, linefilter_status* status);
// The bytes of the header: with linefilter_view_body_bytes they are bloom_filter_length. It is 0 for a bitset without a
// header, for NULL and for another view.
size_t linefilter_parquet_header_bytes(const linefilter_view* view);
// Makes a plain filter of the same bits that takes keys, folds and unites. Only allocator and memory_limit of the
// options count (they may be NULL); the others must be legal. A bitset above 512 MiB (2^24 blocks) is
// LINEFILTER_UNSUPPORTED. A view that was not opened here is LINEFILTER_INCOMPATIBLE.
linefilter_filter* linefilter_parquet_copy(const linefilter_view* view, const linefilter_options* options,
                                           linefilter_status* status);

// The bytes that writing takes, header included; 0 for NULL, and for a view that cannot be written. A filter that is
// written has LINEFILTER_LAYOUT_SPLIT_BLOCK and LINEFILTER_HASH_PARQUET. It is a plain or concurrent one, or in an
// image (as a builder makes it), or in another file. What is swapped is written through a lease.
uint64_t linefilter_parquet_filter_bytes(const linefilter_view* view);
// Writes header and bitset to `size` bytes at `out`: linefilter_parquet_filter_bytes or more, of which the first are
// written. A filter of another layout or hash is LINEFILTER_INCOMPATIBLE. Others may insert into a concurrent filter
// meanwhile: what was inserted before the call is written.
linefilter_code linefilter_parquet_write(const linefilter_view* view, void* out, size_t size,
                                         linefilter_status* status);
// Writes them to `sink`, piece by piece.
linefilter_code linefilter_parquet_write_sink(const linefilter_view* view, linefilter_sink sink, void* context,
                                              linefilter_status* status);

// ---- Sizes.

// How a budget of bytes becomes a size.
typedef int32_t linefilter_parquet_size;
enum {
  LINEFILTER_PARQUET_SIZE_EXACT = 0,        // the largest multiple of 32 bytes
  LINEFILTER_PARQUET_SIZE_FOLDABLE = 1,     // a little less, by at most a tenth: many numbers divide it
  LINEFILTER_PARQUET_SIZE_POWER_OF_TWO = 2  // for readers that take no other size
};

// Sets layout, hash and size of options that linefilter_options_init has set; the rest stays. linefilter_filter_new
// then makes the smallest filter for its number of distinct values, a multiple of 32 bytes. It also refuses an fpr that
// is not between 0 and 1.
linefilter_code linefilter_parquet_options(linefilter_options* options, double fpr, linefilter_status* status);
// Does so for a filter of at most so many bytes, whatever the number of values, but at least 32 and at most 512 MiB.
// For a number that nobody knows take LINEFILTER_PARQUET_SIZE_FOLDABLE, and linefilter_filter_fold_to_fpr when all are
// in. LINEFILTER_INVALID_ARGUMENT says that `size` is none of the above.
linefilter_code linefilter_parquet_options_of_bytes(linefilter_options* options, uint64_t max_bytes,
                                                    linefilter_parquet_size size, linefilter_status* status);
// The least bytes of a bitset for so many distinct values at that rate: a power of two, if asked for, for
// linefilter_parquet_options_of_bytes. It is 0 if there is no such filter (linefilter_sizing_for_fpr says why).
uint64_t linefilter_parquet_bitset_bytes(uint64_t distinct_values, double fpr, bool power_of_two);

// ---- Types of columns. A constant that is hashed in another form than the column stores is "absent" from rows that
// are
// ---- there. So the library takes type and value, and asks for all stored forms that equal the value. It answers
// ---- "maybe" where it cannot be sure, and says why. Two values are equal if they are the same number, text, bytes,
// ---- UUID, date or time. An engine that compares in another way (a collation, padded text, a column that is cast,
// ---- rounded or moved to another calendar first) must not ask.

// How values are stored. The numbers are those of Parquet's metadata (Type).
typedef int32_t linefilter_parquet_physical;
enum {
  LINEFILTER_PARQUET_PHYSICAL_BOOLEAN = 0,              // no filter
  LINEFILTER_PARQUET_PHYSICAL_INT32 = 1,                // 4 little-endian bytes
  LINEFILTER_PARQUET_PHYSICAL_INT64 = 2,                // 8
  LINEFILTER_PARQUET_PHYSICAL_INT96 = 3,                // 12 bytes: timestamps of old writers
  LINEFILTER_PARQUET_PHYSICAL_FLOAT = 4,                // IEEE, 4 bytes
  LINEFILTER_PARQUET_PHYSICAL_DOUBLE = 5,               // IEEE, 8 bytes
  LINEFILTER_PARQUET_PHYSICAL_BYTE_ARRAY = 6,           // bytes of any length
  LINEFILTER_PARQUET_PHYSICAL_FIXED_LEN_BYTE_ARRAY = 7  // type_length bytes
};

// What values mean. The numbers are those of the fields of Parquet's LogicalType; 9 is the INTERVAL of its
// ConvertedType. Another number is answered "maybe".
typedef int32_t linefilter_parquet_logical;
enum {
  LINEFILTER_PARQUET_LOGICAL_NONE = 0,       // what the physical type says
  LINEFILTER_PARQUET_LOGICAL_STRING = 1,     // UTF-8
  LINEFILTER_PARQUET_LOGICAL_ENUM = 4,       // UTF-8
  LINEFILTER_PARQUET_LOGICAL_DECIMAL = 5,    // an unscaled integer
  LINEFILTER_PARQUET_LOGICAL_DATE = 6,       // days since 1970-01-01
  LINEFILTER_PARQUET_LOGICAL_TIME = 7,       // a count since midnight
  LINEFILTER_PARQUET_LOGICAL_TIMESTAMP = 8,  // a count since 1970-01-01
  LINEFILTER_PARQUET_LOGICAL_INTERVAL = 9,   // months, days, milliseconds
  LINEFILTER_PARQUET_LOGICAL_INTEGER = 10,   // of 8, 16, 32 or 64 bits, with a sign or without
  LINEFILTER_PARQUET_LOGICAL_JSON = 12,      // UTF-8
  LINEFILTER_PARQUET_LOGICAL_BSON = 13,      // bytes
  LINEFILTER_PARQUET_LOGICAL_UUID = 14,      // 16 bytes
  LINEFILTER_PARQUET_LOGICAL_FLOAT16 = 15    // IEEE, 2 bytes
};

// The unit of times and timestamps. The numbers are those of the fields of Parquet's TimeUnit.
typedef int32_t linefilter_parquet_unit;
enum {
  LINEFILTER_PARQUET_UNIT_MILLIS = 1,  // 10^-3 s
  LINEFILTER_PARQUET_UNIT_MICROS = 2,  // 10^-6 s
  LINEFILTER_PARQUET_UNIT_NANOS = 3    // 10^-9 s
};

// The type of a leaf column in this very file, which may be another one than that of the table. Take it from a function
// below, or set everything to 0 and fill it from the metadata of the file. This never changes its size.
typedef struct linefilter_parquet_type {
  linefilter_parquet_physical physical;  // all
  linefilter_parquet_logical logical;    // all
  int32_t type_length;                   // FIXED_LEN_BYTE_ARRAY
  int32_t precision;                     // DECIMAL; in BYTE_ARRAY it tells how long values may be
  int32_t scale;                         // DECIMAL
  int32_t bit_width;                     // INTEGER: 8, 16, 32 or 64
  linefilter_parquet_unit unit;          // TIME and TIMESTAMP
  bool is_signed;                        // INTEGER: isSigned
  bool is_utc;                           // TIME and TIMESTAMP: isAdjustedToUTC
} linefilter_parquet_type;

// Makes the type of a column without a logical type. type_length is for FIXED_LEN_BYTE_ARRAY, here and below, else 0.
linefilter_parquet_type linefilter_parquet_type_plain(linefilter_parquet_physical physical, int32_t type_length);
// Makes one whose logical type has no parameters and one physical type. These are STRING, ENUM, JSON and BSON
// (BYTE_ARRAY), UUID, FLOAT16 and INTERVAL (FIXED_LEN_BYTE_ARRAY), and DATE (INT32).
linefilter_parquet_type linefilter_parquet_type_of(linefilter_parquet_logical logical);
// Makes INTEGER of 8, 16, 32 (INT32) or 64 bits (INT64).
linefilter_parquet_type linefilter_parquet_type_integer(int32_t bit_width, bool is_signed);
// Makes DECIMAL in INT32, INT64, BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY.
linefilter_parquet_type linefilter_parquet_type_decimal(linefilter_parquet_physical physical, int32_t precision,
                                                        int32_t scale, int32_t type_length);
// Makes TIME in milliseconds (INT32), or in microseconds or nanoseconds (INT64).
linefilter_parquet_type linefilter_parquet_type_time(linefilter_parquet_unit unit, bool is_utc);
// Makes TIMESTAMP (INT64).
linefilter_parquet_type linefilter_parquet_type_timestamp(linefilter_parquet_unit unit, bool is_utc);
// Makes that of a column of an old writer, which has a ConvertedType (its number in Parquet's metadata) and no
// LogicalType. Its times are instants: set is_utc to false if your reader takes them for local ones. A number that this
// version does not know makes a type whose questions are answered "maybe".
linefilter_parquet_type linefilter_parquet_type_converted(int32_t converted_type, linefilter_parquet_physical physical,
                                                          int32_t type_length, int32_t precision, int32_t scale);

// ---- Values of a query.

// The kinds of values, one for each function below that makes them.
typedef int32_t linefilter_parquet_value_kind;
enum {
  LINEFILTER_PARQUET_VALUE_NULL = 0,       // no value: "maybe", for null is in no filter
  LINEFILTER_PARQUET_VALUE_INTEGER = 1,    // ..._integer and ..._unsigned
  LINEFILTER_PARQUET_VALUE_DECIMAL = 2,    // ..._decimal and ..._big_decimal
  LINEFILTER_PARQUET_VALUE_FLOAT = 3,      // ..._float
  LINEFILTER_PARQUET_VALUE_DOUBLE = 4,     // ..._double
  LINEFILTER_PARQUET_VALUE_TEXT = 5,       // ..._text
  LINEFILTER_PARQUET_VALUE_BYTES = 6,      // ..._bytes
  LINEFILTER_PARQUET_VALUE_UUID = 7,       // ..._uuid
  LINEFILTER_PARQUET_VALUE_DATE = 8,       // ..._date
  LINEFILTER_PARQUET_VALUE_TIME = 9,       // ..._time
  LINEFILTER_PARQUET_VALUE_TIMESTAMP = 10  // ..._timestamp
};

// A value. It points to the bytes of a text, so it must not outlive them. Everything 0 is null. This never changes its
// size.
typedef struct linefilter_parquet_value {
  linefilter_parquet_value_kind kind;  // says which of the others count
  linefilter_parquet_unit unit;        // TIME, TIMESTAMP
  int32_t scale;                       // DECIMAL
  bool is_utc;                         // TIME, TIMESTAMP
  // INTEGER, DECIMAL (unscaled), DATE (days), TIME and TIMESTAMP (count of units): 256 bits in two's complement, the
  // lowest word first.
  uint64_t words[4];
  double real;        // FLOAT, DOUBLE
  const void* bytes;  // TEXT, BYTES
  size_t size;        // TEXT, BYTES: how many bytes
  uint8_t uuid[16];   // UUID
} linefilter_parquet_value;

// Makes an integer.
linefilter_parquet_value linefilter_parquet_value_integer(int64_t value);
// Makes one that may be above INT64_MAX.
linefilter_parquet_value linefilter_parquet_value_unsigned(uint64_t value);
// Makes unscaled * 10^-scale: 12.34 is linefilter_parquet_value_decimal(1234, 2).
linefilter_parquet_value linefilter_parquet_value_decimal(int64_t unscaled, int32_t scale);
// Makes one whose unscaled integer is big-endian two's complement, as DECIMAL stores it; no bytes are 0. It is false,
// with *value untouched, if the number needs more than 256 bits.
bool linefilter_parquet_value_big_decimal(const void* big_endian, size_t size, int32_t scale,
                                          linefilter_parquet_value* value);
// Makes a constant that is compared as FLOAT: more integers and decimals are rounded to the same one than by DOUBLE.
linefilter_parquet_value linefilter_parquet_value_float(float value);
// Makes a constant that is compared as DOUBLE.
linefilter_parquet_value linefilter_parquet_value_double(double value);
// Takes UTF-8, for columns of text and of UUID. NULL with a size above 0 makes null, here and below.
linefilter_parquet_value linefilter_parquet_value_text(const char* text, size_t size);
// Takes the bytes that the column stores, without any escape.
linefilter_parquet_value linefilter_parquet_value_bytes(const void* bytes, size_t size);
// Takes 16 bytes in the order of the text: 00112233-... begins with 00 11 22 33. NULL makes null.
linefilter_parquet_value linefilter_parquet_value_uuid(const uint8_t* uuid);
// Counts days since 1970-01-01.
linefilter_parquet_value linefilter_parquet_value_date(int64_t days);
// Counts since midnight. is_utc must be that of the column.
linefilter_parquet_value linefilter_parquet_value_time(int64_t count, linefilter_parquet_unit unit, bool is_utc);
// Counts since 1970-01-01 00:00. is_utc tells an instant from a local time: only a time zone would compare the two.
linefilter_parquet_value linefilter_parquet_value_timestamp(int64_t count, linefilter_parquet_unit unit, bool is_utc);

// ---- Questions.

// Why an answer is what it is.
typedef int32_t linefilter_parquet_reason;
enum {
  LINEFILTER_PARQUET_REASON_ASKED = 0,             // the filter was asked for every form of the value
  LINEFILTER_PARQUET_REASON_NULL = 1,              // "maybe": null is in no filter
  LINEFILTER_PARQUET_REASON_NAN = 2,               // "maybe": NaN has many forms
  LINEFILTER_PARQUET_REASON_INEXACT = 3,           // "maybe": value or column is rounded where they are compared
  LINEFILTER_PARQUET_REASON_OTHER_KIND = 4,        // "maybe": such a value is not compared with such a column
  LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE = 5,  // "maybe": the type has no filter, or is not known
  LINEFILTER_PARQUET_REASON_NO_FILTER = 6,         // "maybe": the view is NULL, or nothing serves in it
  LINEFILTER_PARQUET_REASON_OTHER_HASH = 7,        // "maybe": the filter has another hash than Parquet's
  LINEFILTER_PARQUET_REASON_OUT_OF_RANGE = 8       // "absent": the type of the column cannot hold the value
};

// An answer, and why. This never changes its size.
typedef struct linefilter_parquet_answer {
  bool may_contain;                  // false: absent
  linefilter_parquet_reason reason;  // for programs
  const char* message;               // for people: a sentence that lives for ever
} linefilter_parquet_answer;

// The most forms that a value has: the lengths of 0 as a decimal in BYTE_ARRAY, 0 to 32.
enum { LINEFILTER_PARQUET_MAX_HASHES = 33 };

// A value for a column of some type, to be asked of any number of filters, as those of all row groups. It refers to
// nothing and may be copied. This never changes its size.
typedef struct linefilter_parquet_question {
  // The answer without a filter: "maybe" with LINEFILTER_PARQUET_REASON_ASKED if one is to be asked, else what it is.
  linefilter_parquet_answer decided;
  // How many forms there are: none if the question is decided, mostly one, two for zero in floating point.
  size_t num_hashes;
  uint64_t hashes[LINEFILTER_PARQUET_MAX_HASHES];  // of the forms
} linefilter_parquet_question;

// Finds the forms. A NULL type has no filter, and a NULL value is null: both are answered "maybe".
linefilter_parquet_question linefilter_parquet_question_of(const linefilter_parquet_type* type,
                                                           const linefilter_parquet_value* value);
// Whether the filter may have the value: one of LINEFILTER_HASH_PARQUET, of any kind and layout. All others answer
// "maybe", and so does a question that is NULL or was not made. *answer (may be NULL) gets the reason.
bool linefilter_parquet_ask(const linefilter_view* view, const linefilter_parquet_question* question,
                            linefilter_parquet_answer* answer);
// Asks one filter for one value.
bool linefilter_parquet_may_contain(const linefilter_view* view, const linefilter_parquet_type* type,
                                    const linefilter_parquet_value* value, linefilter_parquet_answer* answer);

LINEFILTER_C_END

#endif  // LINEFILTER_C_PARQUET_H_
