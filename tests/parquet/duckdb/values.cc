#include "tests/parquet/duckdb/values.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace linefilter::duckdb {
namespace {

[[noreturn]] void Refuse(const Form& form, std::string_view text) {
  throw std::runtime_error("'" + std::string(text) + "' is no " + form.kind + " (" + form.name + ")");
}

// Digits behind a sign, as an integer of 256 bits.
ParquetInteger IntegerOf(const Form& form, std::string_view text) {
  const bool is_negative = !text.empty() && text[0] == '-';
  uint32_t parts[8] = {};  // the lowest first
  if (text.size() == (is_negative ? 1 : 0)) Refuse(form, text);
  for (const char digit : text.substr(is_negative ? 1 : 0)) {
    if (digit < '0' || digit > '9') Refuse(form, text);
    uint64_t carry = static_cast<uint64_t>(digit - '0');
    for (uint32_t& part : parts) {
      carry += uint64_t{10} * part;
      part = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
  }
  uint64_t carry = 1;
  for (uint32_t& part : parts) {
    if (!is_negative) break;
    carry += static_cast<uint32_t>(~part);
    part = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  ParquetInteger integer;
  for (size_t i = 0; i < 4; ++i) integer.words[i] = (uint64_t{parts[2 * i + 1]} << 32) | parts[2 * i];
  return integer;
}

int64_t CountOf(const Form& form, std::string_view text) {
  return static_cast<int64_t>(IntegerOf(form, text).words[0]);
}

double DoubleOf(const Form& form, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != 0) Refuse(form, text);
  return value;
}

// Not by way of a double, which would round twice.
float FloatOf(const Form& form, std::string_view text) {
  (void)DoubleOf(form, text);
  return std::strtof(std::string(text).c_str(), nullptr);
}

std::string BytesOf(const Form& form, std::string_view hex) {
  const auto digit = [&](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if ((c | 32) >= 'a' && (c | 32) <= 'f') return (c | 32) - 'a' + 10;
    Refuse(form, hex);
  };
  if (hex.size() % 2 != 0) Refuse(form, hex);
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(16 * digit(hex[i]) + digit(hex[i + 1]));
  return bytes;
}

// Months, days and milliseconds, as Parquet stores them: 4 little-endian bytes of each.
std::string IntervalOf(const Form& form, std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::string bytes;
  uint32_t number = 0;
  for (int i = 0; i < 3; ++i) {
    if (!(stream >> number)) Refuse(form, text);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift);
  }
  return bytes;
}

}  // namespace

ParquetValue ValueOf(const Form& form, std::string_view text, std::string* bytes) {
  const std::string& kind = form.kind;
  if (kind == "integer") return ParquetValue::Integer(IntegerOf(form, text));
  if (kind == "decimal") return ParquetValue::Decimal(IntegerOf(form, text), form.scale);
  if (kind == "float") return ParquetValue::Float(FloatOf(form, text));
  if (kind == "double") return ParquetValue::Double(DoubleOf(form, text));
  if (kind == "date") return ParquetValue::Date(CountOf(form, text));
  if (kind == "time") return ParquetValue::Time(CountOf(form, text), form.unit, form.is_utc);
  if (kind == "timestamp") return ParquetValue::Timestamp(CountOf(form, text), form.unit, form.is_utc);
  *bytes = kind == "interval" ? IntervalOf(form, text) : BytesOf(form, text);
  if (kind == "text") return ParquetValue::Text(*bytes);
  if (kind == "uuid" && bytes->size() == 16) return ParquetValue::Uuid(bytes->data());
  if (kind == "bytes" || kind == "interval") return ParquetValue::Bytes(bytes->data(), bytes->size());
  Refuse(form, text);
}

uint64_t StoredHash(const Column& column, std::string_view text) {
  const Form& form = column.forms.front();
  switch (column.type.physical) {
    case ParquetPhysicalType::kInt32:
      return ParquetHashInt32(static_cast<int32_t>(CountOf(form, text)));
    case ParquetPhysicalType::kInt64:
      return ParquetHashInt64(CountOf(form, text));
    case ParquetPhysicalType::kFloat:
      return ParquetHashFloat(FloatOf(form, text));
    case ParquetPhysicalType::kDouble:
      return ParquetHashDouble(DoubleOf(form, text));
    default: {
      const std::string bytes = form.kind == "interval" ? IntervalOf(form, text) : BytesOf(form, text);
      return ParquetHashBytes(bytes.data(), bytes.size());
    }
  }
}

bool IsNeverAsked(const Form& form, std::string_view text) {
  if (form.kind == "interval") return true;
  if (form.kind == "float" || form.kind == "double") return text == "nan" || text == "-nan";
  const std::string_view digits = text.substr(!text.empty() && text[0] == '-' ? 1 : 0);
  if (form.kind == "date") return digits == "2147483647";
  return form.kind == "timestamp" && digits == "9223372036854775807";
}

bool IsZero(const Form& form, std::string_view text) {
  return (form.kind == "float" || form.kind == "double") && DoubleOf(form, text) == 0;
}

}  // namespace linefilter::duckdb
