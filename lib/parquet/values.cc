// How types and values are made; nothing is looked at before a question is.
#include <cstring>

#include "linefilter/parquet_types.h"

namespace linefilter {

ParquetColumnType ParquetColumnType::Plain(ParquetPhysicalType physical, int32_t type_length) noexcept {
  ParquetColumnType type;
  type.physical = physical;
  type.type_length = type_length;
  return type;
}

ParquetColumnType ParquetColumnType::Of(ParquetLogicalType logical) noexcept {
  ParquetColumnType type;
  type.logical = logical;
  const bool is_uuid = logical == ParquetLogicalType::kUuid, is_half = logical == ParquetLogicalType::kFloat16;
  if (is_uuid || is_half || logical == ParquetLogicalType::kInterval) {
    type.physical = ParquetPhysicalType::kFixedLenByteArray;
    type.type_length = is_uuid ? 16 : is_half ? 2 : 12;
  }
  if (logical == ParquetLogicalType::kDate) type.physical = ParquetPhysicalType::kInt32;
  return type;
}

ParquetColumnType ParquetColumnType::Integer(int32_t bit_width, bool is_signed) noexcept {
  ParquetColumnType type;
  type.physical = bit_width == 64 ? ParquetPhysicalType::kInt64 : ParquetPhysicalType::kInt32;
  type.logical = ParquetLogicalType::kInteger;
  type.bit_width = bit_width;
  type.is_signed = is_signed;
  return type;
}

ParquetColumnType ParquetColumnType::Decimal(ParquetPhysicalType physical, int32_t precision, int32_t scale,
                                             int32_t type_length) noexcept {
  ParquetColumnType type = Plain(physical, type_length);
  type.logical = ParquetLogicalType::kDecimal;
  type.precision = precision;
  type.scale = scale;
  return type;
}

ParquetColumnType ParquetColumnType::Time(ParquetTimeUnit unit, bool is_utc) noexcept {
  ParquetColumnType type;
  type.physical = unit == ParquetTimeUnit::kMillis ? ParquetPhysicalType::kInt32 : ParquetPhysicalType::kInt64;
  type.logical = ParquetLogicalType::kTime;
  type.unit = unit;
  type.is_utc = is_utc;
  return type;
}

ParquetColumnType ParquetColumnType::Timestamp(ParquetTimeUnit unit, bool is_utc) noexcept {
  ParquetColumnType type = Time(unit, is_utc);
  type.physical = ParquetPhysicalType::kInt64;
  type.logical = ParquetLogicalType::kTimestamp;
  return type;
}

ParquetColumnType ParquetColumnType::OfConverted(int32_t converted_type, ParquetPhysicalType physical,
                                                 int32_t type_length, int32_t precision, int32_t scale) noexcept {
  // The field of LogicalType that means the same, by the number of the ConvertedType. 2 and 3 are MAP and LIST.
  constexpr uint8_t kLogical[] = {1, 2, 2, 3, 4, 5, 6, 7, 7, 8, 8, 10, 10, 10, 10, 10, 10, 10, 10, 12, 13, 9};
  constexpr int32_t kTimeMillis = 7, kTimestampMillis = 9, kUint8 = 11, kInt8 = 15, kInt64 = 18;
  constexpr uint8_t kUnknown = 0xff;
  const bool is_known = converted_type >= 0 && converted_type < static_cast<int32_t>(sizeof(kLogical));
  ParquetColumnType type = Decimal(physical, precision, scale, type_length);
  type.logical = static_cast<ParquetLogicalType>(is_known ? kLogical[converted_type] : kUnknown);
  const bool is_millis = converted_type == kTimeMillis || converted_type == kTimestampMillis;
  type.unit = is_millis ? ParquetTimeUnit::kMillis : ParquetTimeUnit::kMicros;
  type.is_utc = type.logical == ParquetLogicalType::kTime || type.logical == ParquetLogicalType::kTimestamp;
  if (converted_type < kUint8 || converted_type > kInt64) return type;
  type.bit_width = 8 << ((converted_type - kUint8) % 4);
  type.is_signed = converted_type >= kInt8;
  return type;
}

ParquetInteger ParquetInteger::FromHalves(int64_t high, uint64_t low) noexcept {
  ParquetInteger integer(high);
  integer.words[1] = integer.words[0];
  integer.words[0] = low;
  return integer;
}

bool ParquetInteger::FromBigEndian(const void* bytes, size_t size, ParquetInteger* integer) noexcept {
  const uint8_t* at = static_cast<const uint8_t*>(bytes);
  const uint8_t sign = size != 0 && at[0] >= 0x80 ? 0xff : 0;
  for (; size > sizeof(integer->words); --size, ++at) {
    if (*at != sign) return false;
  }
  if (size == sizeof(integer->words) && (at[0] >= 0x80) != (sign != 0)) return false;
  *integer = ParquetInteger(sign != 0 ? -1 : 0);
  for (size_t i = 0; i < size; ++i) {
    uint64_t* const word = &integer->words[i / 8];
    const uint32_t shift = 8 * static_cast<uint32_t>(i % 8);
    *word = (*word & ~(uint64_t{0xff} << shift)) | uint64_t{at[size - 1 - i]} << shift;
  }
  return true;
}

ParquetValue ParquetValue::Integer(const ParquetInteger& value) noexcept {
  ParquetValue made;
  made.kind = Kind::kInteger;
  made.integer = value;
  return made;
}

ParquetValue ParquetValue::Decimal(const ParquetInteger& unscaled, int32_t scale) noexcept {
  ParquetValue made = Integer(unscaled);
  made.kind = Kind::kDecimal;
  made.scale = scale;
  return made;
}

ParquetValue ParquetValue::Float(float value) noexcept {
  ParquetValue made = Double(static_cast<double>(value));
  made.kind = Kind::kFloat;
  return made;
}

ParquetValue ParquetValue::Double(double value) noexcept {
  ParquetValue made;
  made.kind = Kind::kDouble;
  made.real = value;
  return made;
}

ParquetValue ParquetValue::Text(std::string_view text) noexcept {
  ParquetValue made;
  made.kind = Kind::kText;
  made.bytes = text;
  return made;
}

ParquetValue ParquetValue::Bytes(const void* bytes, size_t size) noexcept {
  ParquetValue made = Text(std::string_view(static_cast<const char*>(bytes), size));
  made.kind = Kind::kBytes;
  return made;
}

ParquetValue ParquetValue::Uuid(const void* bytes) noexcept {
  ParquetValue made;
  made.kind = Kind::kUuid;
  memcpy(made.uuid, bytes, sizeof(made.uuid));
  return made;
}

ParquetValue ParquetValue::Date(int64_t days) noexcept {
  ParquetValue made = Integer(days);
  made.kind = Kind::kDate;
  return made;
}

ParquetValue ParquetValue::Time(int64_t count, ParquetTimeUnit unit, bool is_utc) noexcept {
  ParquetValue made = Integer(count);
  made.kind = Kind::kTime;
  made.unit = unit;
  made.is_utc = is_utc;
  return made;
}

ParquetValue ParquetValue::Timestamp(int64_t count, ParquetTimeUnit unit, bool is_utc) noexcept {
  ParquetValue made = Time(count, unit, is_utc);
  made.kind = Kind::kTimestamp;
  return made;
}

}  // namespace linefilter
