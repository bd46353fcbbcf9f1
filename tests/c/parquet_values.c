/* Filters of Parquet files are asked for values of every type. The faults are those by which engines lost rows. */
#include <math.h>
#include <string.h>

#include "linefilter/c.h"
#include "tests/c/check.h"
#include "tests/c/fixture.h"

typedef linefilter_parquet_type Type;
typedef linefilter_parquet_value Value;

/* The filter of a row group whose column has these hashes. Its rate is far below one false positive in this test. */
static linefilter_filter* Column(const uint64_t* hashes, size_t n) {
  linefilter_status status;
  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  linefilter_parquet_options_of_bytes(&options, 1 << 16, LINEFILTER_PARQUET_SIZE_EXACT, NULL);
  linefilter_filter* filter = linefilter_filter_new(0, &options, &status);
  CHECK(filter != NULL && IsOk(&status));
  linefilter_filter_insert_hashes(filter, hashes, n, NULL);
  return filter;
}

static linefilter_filter* ColumnOf(uint64_t hash) { return Column(&hash, 1); }

static bool Ask(const linefilter_filter* column, Type type, Value value, linefilter_parquet_answer* answer) {
  const linefilter_view* view = linefilter_filter_view(column);
  const linefilter_parquet_question question = linefilter_parquet_question_of(&type, &value);
  linefilter_parquet_answer again;
  const bool may_contain = linefilter_parquet_may_contain(view, &type, &value, answer);
  CHECK(may_contain == answer->may_contain && strlen(answer->message) > 20);
  CHECK(linefilter_parquet_ask(view, &question, &again) == may_contain && again.reason == answer->reason);
  CHECK(linefilter_parquet_ask(view, &question, NULL) == may_contain);
  CHECK((question.num_hashes == 0) == (question.decided.reason != LINEFILTER_PARQUET_REASON_ASKED));
  return may_contain;
}

/* The filter was asked: maybe, or absent. */
static bool Finds(const linefilter_filter* column, Type type, Value value) {
  linefilter_parquet_answer answer;
  const bool may_contain = Ask(column, type, value, &answer);
  CHECK(answer.reason == LINEFILTER_PARQUET_REASON_ASKED);
  return may_contain;
}

/* It was not, and the answer says why. */
static bool Decides(const linefilter_filter* column, Type type, Value value, linefilter_parquet_reason reason) {
  linefilter_parquet_answer answer;
  const bool may_contain = Ask(column, type, value, &answer);
  return answer.reason == reason && may_contain == (reason != LINEFILTER_PARQUET_REASON_OUT_OF_RANGE);
}

static Type Plain(linefilter_parquet_physical physical) { return linefilter_parquet_type_plain(physical, 0); }
static Type Text(void) { return linefilter_parquet_type_of(LINEFILTER_PARQUET_LOGICAL_STRING); }
static Value Integer(int64_t value) { return linefilter_parquet_value_integer(value); }
static Value Decimal(int64_t unscaled, int32_t scale) { return linefilter_parquet_value_decimal(unscaled, scale); }

static void TestZeroHasTwoSigns(void) {
  const float zeros[2] = {0.0f, -0.0f};
  for (int i = 0; i < 2; ++i) {
    linefilter_filter* doubles = ColumnOf(linefilter_parquet_hash_double((double)zeros[i]));
    linefilter_filter* floats = ColumnOf(linefilter_parquet_hash_float(zeros[i]));
    linefilter_filter* halves = ColumnOf(linefilter_parquet_hash_key(i == 0 ? "\0\0" : "\0\x80", 2));
    const Value values[] = {linefilter_parquet_value_double(0.0), linefilter_parquet_value_double(-0.0),
                            linefilter_parquet_value_float(-0.0f), Integer(0), Decimal(0, 2)};
    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); ++j) {
      CHECK(Finds(doubles, Plain(LINEFILTER_PARQUET_PHYSICAL_DOUBLE), values[j]));
      CHECK(Finds(floats, Plain(LINEFILTER_PARQUET_PHYSICAL_FLOAT), values[j]));
      CHECK(Finds(halves, linefilter_parquet_type_of(LINEFILTER_PARQUET_LOGICAL_FLOAT16), values[j]));
    }
    CHECK(!Finds(doubles, Plain(LINEFILTER_PARQUET_PHYSICAL_DOUBLE), linefilter_parquet_value_double(1)));
    linefilter_filter_free(halves);
    linefilter_filter_free(floats);
    linefilter_filter_free(doubles);
  }
}

static void TestNanHasManyForms(void) {
  linefilter_filter* column = ColumnOf(linefilter_parquet_hash_double(1.5));
  const Type reals = Plain(LINEFILTER_PARQUET_PHYSICAL_DOUBLE);
  CHECK(Decides(column, reals, linefilter_parquet_value_double(nan("1")), LINEFILTER_PARQUET_REASON_NAN));
  CHECK(Decides(column, reals, linefilter_parquet_value_float(-(float)NAN), LINEFILTER_PARQUET_REASON_NAN));
  CHECK(Decides(column, reals, Decimal(1, 1), LINEFILTER_PARQUET_REASON_INEXACT)); /* 0.1 is rounded */
  CHECK(Decides(column, reals, Integer(INT64_C(9007199254740993)), LINEFILTER_PARQUET_REASON_INEXACT));
  linefilter_filter_free(column);
}

static void TestBlobsAreBytes(void) {
  linefilter_filter* column = ColumnOf(linefilter_parquet_hash_key("\xff", 1));
  const Type blob = Plain(LINEFILTER_PARQUET_PHYSICAL_BYTE_ARRAY);
  CHECK(Finds(column, blob, linefilter_parquet_value_bytes("\xff", 1)));
  CHECK(!Finds(column, blob, linefilter_parquet_value_bytes("\\xff", 4)));
  /* Nobody knows whether this is a text or a printed form. */
  CHECK(Decides(column, blob, linefilter_parquet_value_text("\\xff", 4), LINEFILTER_PARQUET_REASON_OTHER_KIND));
  linefilter_filter_free(column);
}

static void TestDecimalsHaveAWidthAndAnOrder(void) {
  const uint8_t stored[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x04, 0xd2}; /* 12.34 */
  const int32_t lengths[] = {2, 4, 8, 16};
  Value big;
  CHECK(linefilter_parquet_value_big_decimal(stored, sizeof(stored), 2, &big));
  for (int i = 0; i < 4; ++i) {
    const int32_t length = lengths[i];
    linefilter_filter* column = ColumnOf(linefilter_parquet_hash_key(stored + 16 - length, (size_t)length));
    const Type fixed = linefilter_parquet_type_decimal(LINEFILTER_PARQUET_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 4, 2, length);
    const Type bytes = linefilter_parquet_type_decimal(LINEFILTER_PARQUET_PHYSICAL_BYTE_ARRAY, 4, 2, 0);
    const Value values[] = {Decimal(1234, 2), Decimal(123400, 4), big};
    for (int j = 0; j < 3; ++j) CHECK(Finds(column, fixed, values[j]) && Finds(column, bytes, values[j]));
    CHECK(!Finds(column, fixed, Decimal(1235, 2)) && !Finds(column, fixed, Decimal(1234, 1)));
    linefilter_filter_free(column);
  }
  const uint8_t minus_one[9] = {255, 255, 255, 255, 255, 255, 255, 255, 255};
  linefilter_filter* negative = ColumnOf(linefilter_parquet_hash_key(minus_one, 9));
  const Type wide = linefilter_parquet_type_decimal(LINEFILTER_PARQUET_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 20, 0, 9);
  CHECK(Finds(negative, wide, Integer(-1)));
  linefilter_filter_free(negative);
  linefilter_filter* unscaled = ColumnOf(linefilter_parquet_hash_int32(15)); /* 1.5 */
  const Type narrow = linefilter_parquet_type_decimal(LINEFILTER_PARQUET_PHYSICAL_INT32, 4, 1, 0);
  CHECK(Finds(unscaled, narrow, Decimal(150, 2)) && !Finds(unscaled, narrow, Decimal(15, 0)));
  linefilter_filter_free(unscaled);
}

static void TestSmallIntegersAreWidenedByTheirSign(void) {
  const uint64_t with_sign[] = {linefilter_parquet_hash_int32(-56), linefilter_parquet_hash_int32(-2)};
  const uint64_t without[] = {linefilter_parquet_hash_int32(200), linefilter_parquet_hash_int32(65534),
                              linefilter_parquet_hash_int32(-1)};
  const int8_t of_8_bits = -56;
  linefilter_filter* column = Column(with_sign, 2);
  CHECK(Finds(column, linefilter_parquet_type_integer(8, true), Integer(of_8_bits)));
  CHECK(Finds(column, linefilter_parquet_type_integer(16, true), Integer(-2)));
  linefilter_filter_free(column);
  column = Column(without, 3);
  CHECK(Finds(column, linefilter_parquet_type_integer(8, false), Integer(200)));
  CHECK(Finds(column, linefilter_parquet_type_integer(16, false), linefilter_parquet_value_unsigned(65534)));
  CHECK(Finds(column, linefilter_parquet_type_integer(32, false), linefilter_parquet_value_unsigned(UINT32_MAX)));
  linefilter_filter_free(column);
  column = ColumnOf(linefilter_parquet_hash_int64(-1)); /* UINT64_MAX */
  const Type widest = linefilter_parquet_type_integer(64, false);
  CHECK(Finds(column, widest, linefilter_parquet_value_unsigned(UINT64_MAX)));
  CHECK(Decides(column, widest, Integer(-1), LINEFILTER_PARQUET_REASON_OUT_OF_RANGE));
  linefilter_filter_free(column);
}

static void TestConstantsOutsideOfTheTypeAreAbsent(void) {
  const uint64_t hashes[] = {linefilter_parquet_hash_int32(705032704), linefilter_parquet_hash_int32(44),
                             linefilter_parquet_hash_int32(-1)};
  const linefilter_parquet_reason absent = LINEFILTER_PARQUET_REASON_OUT_OF_RANGE;
  linefilter_filter* column = Column(hashes, 3);
  const Value large = Integer(INT64_C(5000000000)); /* its lower half is 705032704 */
  CHECK(Decides(column, Plain(LINEFILTER_PARQUET_PHYSICAL_INT32), large, absent));
  CHECK(Decides(column, linefilter_parquet_type_integer(8, false), Integer(300), absent)); /* 44 */
  CHECK(Decides(column, linefilter_parquet_type_integer(32, false), Integer(-1), absent));
  CHECK(Decides(column, linefilter_parquet_type_integer(32, true), linefilter_parquet_value_unsigned(UINT32_MAX),
                absent));
  CHECK(Decides(column, linefilter_parquet_type_decimal(LINEFILTER_PARQUET_PHYSICAL_INT32, 9, 0, 0), large, absent));
  CHECK(Decides(column, linefilter_parquet_type_of(LINEFILTER_PARQUET_LOGICAL_DATE),
                linefilter_parquet_value_date(INT64_C(5000000000)), absent));
  linefilter_filter_free(column);
}

static void TestDatesAndTimesHaveAUnit(void) {
  const Type date = linefilter_parquet_type_of(LINEFILTER_PARQUET_LOGICAL_DATE);
  const Type millis = linefilter_parquet_type_timestamp(LINEFILTER_PARQUET_UNIT_MILLIS, true);
  const Type time = linefilter_parquet_type_time(LINEFILTER_PARQUET_UNIT_MILLIS, false);
  const int64_t count = INT64_C(1700000000000000);
  linefilter_filter* column = ColumnOf(linefilter_parquet_hash_int32(19000));
  CHECK(Finds(column, date, linefilter_parquet_value_date(19000)));
  CHECK(!Finds(column, date, linefilter_parquet_value_date(19001)));
  CHECK(Decides(column, date, Integer(19001), LINEFILTER_PARQUET_REASON_OTHER_KIND));
  CHECK(Decides(column, date, linefilter_parquet_value_text("2022-01-08", 10), LINEFILTER_PARQUET_REASON_OTHER_KIND));
  linefilter_filter_free(column);
  column = ColumnOf(linefilter_parquet_hash_int64(count / 1000));
  CHECK(Finds(column, millis, linefilter_parquet_value_timestamp(count, LINEFILTER_PARQUET_UNIT_MICROS, true)));
  CHECK(Decides(column, millis, linefilter_parquet_value_timestamp(count + 1, LINEFILTER_PARQUET_UNIT_MICROS, true),
                LINEFILTER_PARQUET_REASON_OUT_OF_RANGE));
  CHECK(Decides(column, millis, linefilter_parquet_value_timestamp(1, LINEFILTER_PARQUET_UNIT_MILLIS, false),
                LINEFILTER_PARQUET_REASON_OTHER_KIND)); /* a zone is needed to compare */
  CHECK(Decides(column, millis, linefilter_parquet_value_timestamp(INT64_MAX, LINEFILTER_PARQUET_UNIT_NANOS, true),
                LINEFILTER_PARQUET_REASON_INEXACT)); /* infinity of some engines */
  linefilter_filter_free(column);
  column = ColumnOf(linefilter_parquet_hash_int32(86399999));
  CHECK(Finds(column, time,
              linefilter_parquet_value_time(INT64_C(86399999000000), LINEFILTER_PARQUET_UNIT_NANOS, false)));
  linefilter_filter_free(column);
}

static void TestTextsAndBytesOfAnotherLength(void) {
  const uint64_t hashes[] = {linefilter_parquet_hash_key("abc", 3), linefilter_parquet_hash_key("abc ", 4),
                             linefilter_parquet_hash_key("", 0)};
  linefilter_filter* column = Column(hashes, 3);
  const Type fixed = linefilter_parquet_type_plain(LINEFILTER_PARQUET_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 3);
  CHECK(Finds(column, fixed, linefilter_parquet_value_bytes("abc", 3)));
  CHECK(Decides(column, fixed, linefilter_parquet_value_bytes("abc ", 4), LINEFILTER_PARQUET_REASON_OUT_OF_RANGE));
  CHECK(Finds(column, Text(), linefilter_parquet_value_text("abc ", 4)));
  CHECK(!Finds(column, Text(), linefilter_parquet_value_text("abc  ", 5)));
  CHECK(!Finds(column, Text(), linefilter_parquet_value_text("ab", 2)));
  CHECK(Finds(column, Text(), linefilter_parquet_value_text(NULL, 0)));
  CHECK(Finds(column, Text(), linefilter_parquet_value_bytes(NULL, 0)));
  linefilter_filter_free(column);
}

static void TestUuids(void) {
  const uint8_t uuid[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                            0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
  const char* text = "00112233-4455-6677-8899-AABBCCDDEEFF";
  linefilter_filter* column = ColumnOf(linefilter_parquet_hash_key(uuid, 16));
  const Type type = linefilter_parquet_type_of(LINEFILTER_PARQUET_LOGICAL_UUID);
  CHECK(Finds(column, type, linefilter_parquet_value_uuid(uuid)));
  CHECK(Finds(column, type, linefilter_parquet_value_bytes(uuid, 16)));
  CHECK(Finds(column, type, linefilter_parquet_value_text(text, strlen(text))));
  CHECK(Decides(column, type, linefilter_parquet_value_text("0011", 4), LINEFILTER_PARQUET_REASON_OTHER_KIND));
  linefilter_filter_free(column);
}

/* Types of old writers, and those that a caller fills by hand. */
static void TestTypes(void) {
  enum { kDecimal = 5, kInt8 = 15, kTimeMillis = 7 }; /* of ConvertedType */
  linefilter_filter* column = ColumnOf(linefilter_parquet_hash_int32(1200));
  const linefilter_parquet_physical int32 = LINEFILTER_PARQUET_PHYSICAL_INT32;
  Type type = linefilter_parquet_type_converted(kDecimal, int32, 0, 9, 2);
  CHECK(Finds(column, type, Integer(12)) && type.scale == 2 && type.precision == 9);
  type = linefilter_parquet_type_converted(kInt8, int32, 0, 0, 0);
  CHECK(type.logical == LINEFILTER_PARQUET_LOGICAL_INTEGER && type.bit_width == 8 && type.is_signed);
  type = linefilter_parquet_type_converted(kTimeMillis, int32, 0, 0, 0);
  CHECK(type.unit == LINEFILTER_PARQUET_UNIT_MILLIS && type.is_utc);
  type = linefilter_parquet_type_converted(99, int32, 0, 0, 0);
  CHECK(Decides(column, type, Integer(5), LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE));
  memset(&type, 0, sizeof(type));
  CHECK(Decides(column, type, Integer(5), LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE)); /* nothing was set */
  type.physical = int32;
  CHECK(Finds(column, type, Integer(1200)));
  /* What no version has, and what would be something else in a byte. */
  const int32_t numbers[] = {-1, 256, 256 + LINEFILTER_PARQUET_LOGICAL_INTEGER, INT32_MIN, INT32_MAX};
  for (int i = 0; i < 5; ++i) {
    type = Plain(int32);
    type.logical = numbers[i];
    CHECK(Decides(column, type, Integer(5), LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE));
    type = Plain(int32);
    type.physical = numbers[i] == 256 ? 256 + int32 : numbers[i];
    CHECK(Decides(column, type, Integer(5), LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE));
    type = linefilter_parquet_type_time(256 + LINEFILTER_PARQUET_UNIT_MILLIS, false);
    const Value time = linefilter_parquet_value_time(5, LINEFILTER_PARQUET_UNIT_MILLIS, false);
    CHECK(Decides(column, type, time, LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE));
    Value value = Integer(5);
    value.kind = numbers[i];
    CHECK(Decides(column, Plain(int32), value, LINEFILTER_PARQUET_REASON_OTHER_KIND));
  }
  linefilter_filter_free(column);
}

/* All of these are "maybe": an engine that goes on with them loses time, and no row. */
static void TestNullAndMisuse(void) {
  linefilter_parquet_answer answer;
  linefilter_filter* column = ColumnOf(1);
  const linefilter_view* view = linefilter_filter_view(column);
  const Type type = Plain(LINEFILTER_PARQUET_PHYSICAL_INT64);
  const Value value = Integer(5);
  Value null;
  memset(&null, 0, sizeof(null));
  CHECK(Decides(column, type, null, LINEFILTER_PARQUET_REASON_NULL));
  CHECK(Decides(column, Text(), linefilter_parquet_value_text(NULL, 3), LINEFILTER_PARQUET_REASON_NULL));
  CHECK(Decides(column, Text(), linefilter_parquet_value_bytes(NULL, 3), LINEFILTER_PARQUET_REASON_NULL));
  CHECK(Decides(column, Text(), linefilter_parquet_value_uuid(NULL), LINEFILTER_PARQUET_REASON_NULL));
  for (int kind = LINEFILTER_PARQUET_VALUE_TEXT; kind <= LINEFILTER_PARQUET_VALUE_BYTES; ++kind) {
    Value filled = null; /* by hand */
    filled.kind = kind;
    CHECK(!Finds(column, Text(), filled)); /* an empty text */
    filled.size = 3;
    CHECK(Decides(column, Text(), filled, LINEFILTER_PARQUET_REASON_NULL));
  }
  CHECK(!linefilter_parquet_value_big_decimal(NULL, 3, 0, &null) && null.kind == LINEFILTER_PARQUET_VALUE_NULL);
  const uint8_t large[33] = {1}; /* 2^256 */
  CHECK(!linefilter_parquet_value_big_decimal(large, 33, 0, &null) && null.kind == LINEFILTER_PARQUET_VALUE_NULL);
  CHECK(linefilter_parquet_value_big_decimal(NULL, 0, 0, &null) && null.words[0] == 0);
  CHECK(linefilter_parquet_may_contain(view, NULL, &value, &answer));
  CHECK(answer.reason == LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE);
  CHECK(linefilter_parquet_may_contain(view, &type, NULL, &answer) && answer.reason == LINEFILTER_PARQUET_REASON_NULL);
  CHECK(linefilter_parquet_may_contain(NULL, &type, &value, &answer));
  CHECK(answer.reason == LINEFILTER_PARQUET_REASON_NO_FILTER && strstr(answer.message, "filter") != NULL);
  CHECK(linefilter_parquet_ask(view, NULL, &answer) && strstr(answer.message, "linefilter_parquet_question_of"));
  linefilter_parquet_question question;
  memset(&question, 0, sizeof(question)); /* nobody made it */
  CHECK(linefilter_parquet_ask(view, &question, &answer) && answer.may_contain && answer.message != NULL);
  question.num_hashes = LINEFILTER_PARQUET_MAX_HASHES + 1;
  CHECK(linefilter_parquet_ask(view, &question, NULL));
  question = linefilter_parquet_question_of(&type, &value);
  CHECK(!linefilter_parquet_ask(view, &question, &answer) && question.num_hashes == 1);
  CHECK(question.hashes[0] == linefilter_parquet_hash_int64(5));
  /* Filters of another hash, and views in which nothing serves. */
  const linefilter_options options = Options(LINEFILTER_LAYOUT_BLOCKED, 10);
  linefilter_filter* other = linefilter_filter_new(10, &options, NULL);
  CHECK(linefilter_parquet_ask(linefilter_filter_view(other), &question, &answer));
  CHECK(answer.reason == LINEFILTER_PARQUET_REASON_OTHER_HASH);
  linefilter_view* swappable = linefilter_swappable_new(NULL, NULL);
  CHECK(linefilter_parquet_ask(swappable, &question, &answer));
  CHECK(answer.reason == LINEFILTER_PARQUET_REASON_NO_FILTER);
  CHECK(linefilter_swappable_swap(swappable, column, NULL) == LINEFILTER_OK);
  CHECK(!linefilter_parquet_ask(swappable, &question, &answer));
  CHECK(answer.reason == LINEFILTER_PARQUET_REASON_ASKED);
  linefilter_view_free(swappable);
  linefilter_filter_free(other);
}

/* Zero as a decimal of 60 digits may have 33 lengths. */
static void TestTheMostForms(void) {
  const Type type = linefilter_parquet_type_decimal(LINEFILTER_PARQUET_PHYSICAL_BYTE_ARRAY, 60, 0, 0);
  const Value zero = Integer(0);
  const linefilter_parquet_question question = linefilter_parquet_question_of(&type, &zero);
  CHECK(question.num_hashes == LINEFILTER_PARQUET_MAX_HASHES);
  for (size_t i = 0; i < question.num_hashes; ++i) {
    linefilter_filter* column = ColumnOf(question.hashes[i]);
    CHECK(Finds(column, type, zero));
    linefilter_filter_free(column);
  }
}

void RunParquetValues(void) {
  RUN(TestZeroHasTwoSigns);
  RUN(TestNanHasManyForms);
  RUN(TestBlobsAreBytes);
  RUN(TestDecimalsHaveAWidthAndAnOrder);
  RUN(TestSmallIntegersAreWidenedByTheirSign);
  RUN(TestConstantsOutsideOfTheTypeAreAbsent);
  RUN(TestDatesAndTimesHaveAUnit);
  RUN(TestTextsAndBytesOfAnotherLength);
  RUN(TestUuids);
  RUN(TestTypes);
  RUN(TestNullAndMisuse);
  RUN(TestTheMostForms);
}
