// Types of columns, values and questions are structures of C, which become those of C++ for the time of a call.
#include <cstring>

#include "lib/c/handles.h"
#include "lib/parquet/forms.h"
#include "linefilter/parquet_types.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// The numbers of C are those of C++.
template <class Enum>
constexpr bool Is(Enum in_cpp, int32_t in_c) {
  return static_cast<int32_t>(in_cpp) == in_c;
}
static_assert(Is(ParquetPhysicalType::kBoolean, LINEFILTER_PARQUET_PHYSICAL_BOOLEAN));
static_assert(Is(ParquetPhysicalType::kInt32, LINEFILTER_PARQUET_PHYSICAL_INT32));
static_assert(Is(ParquetPhysicalType::kInt64, LINEFILTER_PARQUET_PHYSICAL_INT64));
static_assert(Is(ParquetPhysicalType::kInt96, LINEFILTER_PARQUET_PHYSICAL_INT96));
static_assert(Is(ParquetPhysicalType::kFloat, LINEFILTER_PARQUET_PHYSICAL_FLOAT));
static_assert(Is(ParquetPhysicalType::kDouble, LINEFILTER_PARQUET_PHYSICAL_DOUBLE));
static_assert(Is(ParquetPhysicalType::kByteArray, LINEFILTER_PARQUET_PHYSICAL_BYTE_ARRAY));
static_assert(Is(ParquetPhysicalType::kFixedLenByteArray, LINEFILTER_PARQUET_PHYSICAL_FIXED_LEN_BYTE_ARRAY));
static_assert(Is(ParquetLogicalType::kNone, LINEFILTER_PARQUET_LOGICAL_NONE));
static_assert(Is(ParquetLogicalType::kString, LINEFILTER_PARQUET_LOGICAL_STRING));
static_assert(Is(ParquetLogicalType::kEnum, LINEFILTER_PARQUET_LOGICAL_ENUM));
static_assert(Is(ParquetLogicalType::kDecimal, LINEFILTER_PARQUET_LOGICAL_DECIMAL));
static_assert(Is(ParquetLogicalType::kDate, LINEFILTER_PARQUET_LOGICAL_DATE));
static_assert(Is(ParquetLogicalType::kTime, LINEFILTER_PARQUET_LOGICAL_TIME));
static_assert(Is(ParquetLogicalType::kTimestamp, LINEFILTER_PARQUET_LOGICAL_TIMESTAMP));
static_assert(Is(ParquetLogicalType::kInterval, LINEFILTER_PARQUET_LOGICAL_INTERVAL));
static_assert(Is(ParquetLogicalType::kInteger, LINEFILTER_PARQUET_LOGICAL_INTEGER));
static_assert(Is(ParquetLogicalType::kJson, LINEFILTER_PARQUET_LOGICAL_JSON));
static_assert(Is(ParquetLogicalType::kBson, LINEFILTER_PARQUET_LOGICAL_BSON));
static_assert(Is(ParquetLogicalType::kUuid, LINEFILTER_PARQUET_LOGICAL_UUID));
static_assert(Is(ParquetLogicalType::kFloat16, LINEFILTER_PARQUET_LOGICAL_FLOAT16));
static_assert(Is(ParquetTimeUnit::kMillis, LINEFILTER_PARQUET_UNIT_MILLIS));
static_assert(Is(ParquetTimeUnit::kMicros, LINEFILTER_PARQUET_UNIT_MICROS));
static_assert(Is(ParquetTimeUnit::kNanos, LINEFILTER_PARQUET_UNIT_NANOS));
static_assert(Is(ParquetValue::Kind::kNull, LINEFILTER_PARQUET_VALUE_NULL));
static_assert(Is(ParquetValue::Kind::kInteger, LINEFILTER_PARQUET_VALUE_INTEGER));
static_assert(Is(ParquetValue::Kind::kDecimal, LINEFILTER_PARQUET_VALUE_DECIMAL));
static_assert(Is(ParquetValue::Kind::kFloat, LINEFILTER_PARQUET_VALUE_FLOAT));
static_assert(Is(ParquetValue::Kind::kDouble, LINEFILTER_PARQUET_VALUE_DOUBLE));
static_assert(Is(ParquetValue::Kind::kText, LINEFILTER_PARQUET_VALUE_TEXT));
static_assert(Is(ParquetValue::Kind::kBytes, LINEFILTER_PARQUET_VALUE_BYTES));
static_assert(Is(ParquetValue::Kind::kUuid, LINEFILTER_PARQUET_VALUE_UUID));
static_assert(Is(ParquetValue::Kind::kDate, LINEFILTER_PARQUET_VALUE_DATE));
static_assert(Is(ParquetValue::Kind::kTime, LINEFILTER_PARQUET_VALUE_TIME));
static_assert(Is(ParquetValue::Kind::kTimestamp, LINEFILTER_PARQUET_VALUE_TIMESTAMP));
static_assert(Is(ParquetReason::kAsked, LINEFILTER_PARQUET_REASON_ASKED));
static_assert(Is(ParquetReason::kNull, LINEFILTER_PARQUET_REASON_NULL));
static_assert(Is(ParquetReason::kNan, LINEFILTER_PARQUET_REASON_NAN));
static_assert(Is(ParquetReason::kInexact, LINEFILTER_PARQUET_REASON_INEXACT));
static_assert(Is(ParquetReason::kOtherKind, LINEFILTER_PARQUET_REASON_OTHER_KIND));
static_assert(Is(ParquetReason::kUnsupportedType, LINEFILTER_PARQUET_REASON_UNSUPPORTED_TYPE));
static_assert(Is(ParquetReason::kNoFilter, LINEFILTER_PARQUET_REASON_NO_FILTER));
static_assert(Is(ParquetReason::kOtherHash, LINEFILTER_PARQUET_REASON_OTHER_HASH));
static_assert(Is(ParquetReason::kOutOfRange, LINEFILTER_PARQUET_REASON_OUT_OF_RANGE));
static_assert(LINEFILTER_PARQUET_MAX_HASHES == ParquetQuestion::kMostHashes);
static_assert(sizeof(linefilter_parquet_value::words) == sizeof(ParquetInteger::words));
static_assert(sizeof(linefilter_parquet_value::uuid) == sizeof(ParquetValue::uuid));

// A number that does not fit into a byte is one that means nothing.
template <class Enum>
Enum EnumFromC(int32_t number) {
  return static_cast<Enum>(number < 0 || number > 255 ? 255 : number);
}

ParquetColumnType TypeFromC(const linefilter_parquet_type& type) {
  ParquetColumnType made;
  made.physical = EnumFromC<ParquetPhysicalType>(type.physical);
  made.logical = EnumFromC<ParquetLogicalType>(type.logical);
  made.type_length = type.type_length;
  made.precision = type.precision;
  made.scale = type.scale;
  made.bit_width = type.bit_width;
  made.is_signed = type.is_signed;
  made.is_utc = type.is_utc;
  made.unit = EnumFromC<ParquetTimeUnit>(type.unit);
  return made;
}

linefilter_parquet_type TypeToC(const ParquetColumnType& type) {
  return {static_cast<int32_t>(type.physical),
          static_cast<int32_t>(type.logical),
          type.type_length,
          type.precision,
          type.scale,
          type.bit_width,
          static_cast<int32_t>(type.unit),
          type.is_signed,
          type.is_utc};
}

// Bytes that are not there are not those of an empty text, which may be "absent".
ParquetValue ValueFromC(const linefilter_parquet_value& value) {
  ParquetValue made;
  const bool has_bytes = value.kind == LINEFILTER_PARQUET_VALUE_TEXT || value.kind == LINEFILTER_PARQUET_VALUE_BYTES;
  if (has_bytes && value.bytes == nullptr && value.size != 0) return made;
  made.kind = EnumFromC<ParquetValue::Kind>(value.kind);
  made.is_utc = value.is_utc;
  made.unit = EnumFromC<ParquetTimeUnit>(value.unit);
  made.scale = value.scale;
  memcpy(made.integer.words, value.words, sizeof(value.words));
  made.real = value.real;
  made.bytes = KeyFromC(value.bytes, value.bytes == nullptr ? 0 : value.size);
  memcpy(made.uuid, value.uuid, sizeof(value.uuid));
  return made;
}

linefilter_parquet_value ValueToC(const ParquetValue& value) {
  linefilter_parquet_value made = {};
  made.kind = static_cast<int32_t>(value.kind);
  made.unit = static_cast<int32_t>(value.unit);
  made.scale = value.scale;
  made.is_utc = value.is_utc;
  memcpy(made.words, value.integer.words, sizeof(made.words));
  made.real = value.real;
  made.bytes = value.bytes.data();
  made.size = value.bytes.size();
  memcpy(made.uuid, value.uuid, sizeof(made.uuid));
  return made;
}

linefilter_parquet_answer AnswerToC(const ParquetAnswer& answer) {
  return {answer.may_contain, static_cast<int32_t>(answer.reason), answer.message};
}

bool Tell(const linefilter_parquet_answer& found, linefilter_parquet_answer* answer) {
  if (answer != nullptr) *answer = found;
  return found.may_contain;
}

ParquetTimeUnit UnitFromC(linefilter_parquet_unit unit) { return EnumFromC<ParquetTimeUnit>(unit); }

}  // namespace

linefilter_parquet_type linefilter_parquet_type_plain(linefilter_parquet_physical physical, int32_t type_length) {
  return TypeToC(ParquetColumnType::Plain(EnumFromC<ParquetPhysicalType>(physical), type_length));
}

linefilter_parquet_type linefilter_parquet_type_of(linefilter_parquet_logical logical) {
  return TypeToC(ParquetColumnType::Of(EnumFromC<ParquetLogicalType>(logical)));
}

linefilter_parquet_type linefilter_parquet_type_integer(int32_t bit_width, bool is_signed) {
  return TypeToC(ParquetColumnType::Integer(bit_width, is_signed));
}

linefilter_parquet_type linefilter_parquet_type_decimal(linefilter_parquet_physical physical, int32_t precision,
                                                        int32_t scale, int32_t type_length) {
  return TypeToC(ParquetColumnType::Decimal(EnumFromC<ParquetPhysicalType>(physical), precision, scale, type_length));
}

linefilter_parquet_type linefilter_parquet_type_time(linefilter_parquet_unit unit, bool is_utc) {
  return TypeToC(ParquetColumnType::Time(UnitFromC(unit), is_utc));
}

linefilter_parquet_type linefilter_parquet_type_timestamp(linefilter_parquet_unit unit, bool is_utc) {
  return TypeToC(ParquetColumnType::Timestamp(UnitFromC(unit), is_utc));
}

linefilter_parquet_type linefilter_parquet_type_converted(int32_t converted_type, linefilter_parquet_physical physical,
                                                          int32_t type_length, int32_t precision, int32_t scale) {
  return TypeToC(ParquetColumnType::OfConverted(converted_type, EnumFromC<ParquetPhysicalType>(physical), type_length,
                                                precision, scale));
}

linefilter_parquet_value linefilter_parquet_value_integer(int64_t value) {
  return ValueToC(ParquetValue::Integer(value));
}

linefilter_parquet_value linefilter_parquet_value_unsigned(uint64_t value) {
  return ValueToC(ParquetValue::Integer(value));
}

linefilter_parquet_value linefilter_parquet_value_decimal(int64_t unscaled, int32_t scale) {
  return ValueToC(ParquetValue::Decimal(unscaled, scale));
}

bool linefilter_parquet_value_big_decimal(const void* big_endian, size_t size, int32_t scale,
                                          linefilter_parquet_value* value) {
  ParquetInteger unscaled;
  if (big_endian == nullptr && size != 0) return false;
  if (!ParquetInteger::FromBigEndian(big_endian, size, &unscaled)) return false;
  *value = ValueToC(ParquetValue::Decimal(unscaled, scale));
  return true;
}

linefilter_parquet_value linefilter_parquet_value_float(float value) { return ValueToC(ParquetValue::Float(value)); }

linefilter_parquet_value linefilter_parquet_value_double(double value) { return ValueToC(ParquetValue::Double(value)); }

linefilter_parquet_value linefilter_parquet_value_text(const char* text, size_t size) {
  if (text == nullptr && size != 0) return ValueToC(ParquetValue());
  return ValueToC(ParquetValue::Text(KeyFromC(text, size)));
}

linefilter_parquet_value linefilter_parquet_value_bytes(const void* bytes, size_t size) {
  if (bytes == nullptr && size != 0) return ValueToC(ParquetValue());
  return ValueToC(ParquetValue::Bytes(bytes, size));
}

linefilter_parquet_value linefilter_parquet_value_uuid(const uint8_t* uuid) {
  return ValueToC(uuid == nullptr ? ParquetValue() : ParquetValue::Uuid(uuid));
}

linefilter_parquet_value linefilter_parquet_value_date(int64_t days) { return ValueToC(ParquetValue::Date(days)); }

linefilter_parquet_value linefilter_parquet_value_time(int64_t count, linefilter_parquet_unit unit, bool is_utc) {
  return ValueToC(ParquetValue::Time(count, UnitFromC(unit), is_utc));
}

linefilter_parquet_value linefilter_parquet_value_timestamp(int64_t count, linefilter_parquet_unit unit, bool is_utc) {
  return ValueToC(ParquetValue::Timestamp(count, UnitFromC(unit), is_utc));
}

linefilter_parquet_question linefilter_parquet_question_of(const linefilter_parquet_type* type,
                                                           const linefilter_parquet_value* value) {
  const ParquetColumnType of =
      type == nullptr ? ParquetColumnType::Plain(ParquetPhysicalType::kBoolean) : TypeFromC(*type);
  const ParquetQuestion question(of, value == nullptr ? ParquetValue() : ValueFromC(*value));
  linefilter_parquet_question made = {};
  made.decided = AnswerToC(question.decided());
  made.num_hashes = question.num_hashes();
  memcpy(made.hashes, question.hashes(), made.num_hashes * sizeof(made.hashes[0]));
  return made;
}

// A structure that nobody filled must not be "absent".
bool linefilter_parquet_ask(const linefilter_view* view, const linefilter_parquet_question* question,
                            linefilter_parquet_answer* answer) {
  static constexpr linefilter_parquet_answer kNotMade = {
      true, LINEFILTER_PARQUET_REASON_NULL, "the question was not made: call linefilter_parquet_question_of"};
  if (question == nullptr) return Tell(kNotMade, answer);
  if (question->decided.reason != LINEFILTER_PARQUET_REASON_ASKED) return Tell(question->decided, answer);
  if (question->num_hashes == 0 || question->num_hashes > LINEFILTER_PARQUET_MAX_HASHES) return Tell(kNotMade, answer);
  if (view == nullptr) return Tell(AnswerToC(Maybe(ParquetReason::kNoFilter)), answer);
  return Tell(AnswerToC(AskForms(*view->asked, question->hashes, question->num_hashes)), answer);
}

bool linefilter_parquet_may_contain(const linefilter_view* view, const linefilter_parquet_type* type,
                                    const linefilter_parquet_value* value, linefilter_parquet_answer* answer) {
  const linefilter_parquet_question question = linefilter_parquet_question_of(type, value);
  return linefilter_parquet_ask(view, &question, answer);
}
