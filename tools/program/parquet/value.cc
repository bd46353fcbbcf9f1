#include "tools/program/parquet/value.h"

namespace linefilter::tools {
namespace {

using Physical = ParquetPhysicalType;
using Logical = ParquetLogicalType;

bool IsNumber(const ParquetColumnType& type) {
  if (type.logical == Logical::kInteger || type.logical == Logical::kDecimal || type.logical == Logical::kFloat16) {
    return true;
  }
  const bool is_of_bytes = type.physical == Physical::kByteArray || type.physical == Physical::kFixedLenByteArray ||
                           type.physical == Physical::kInt96 || type.physical == Physical::kBoolean;
  return type.logical == Logical::kNone && !is_of_bytes;
}

bool IsTime(Logical logical) {
  return logical == Logical::kDate || logical == Logical::kTime || logical == Logical::kTimestamp;
}

// Whether 0x may stand for bytes: in a text it is a text.
bool HasBytes(const ParquetColumnType& type) {
  return type.logical == Logical::kNone || type.logical == Logical::kBson || type.logical == Logical::kUuid;
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool ParseHexadecimal(const std::string& text, std::string* bytes) {
  if (text.size() % 2 != 0) return false;
  bytes->clear();
  for (size_t i = 2; i < text.size(); i += 2) {
    const int high = DigitOf(text[i]), low = DigitOf(text[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes->push_back(static_cast<char>(high << 4 | low));
  }
  return true;
}

}  // namespace

bool ParseParquetValue(const ParquetColumnType& type, const std::string& text, std::string* bytes, ParquetValue* value,
                       std::string* error) {
  if (IsNumber(type)) return ParseParquetNumber(type, text, value, error);
  if (IsTime(type.logical)) return ParseParquetTime(type.logical, text, value, error);
  if (HasBytes(type) && text.compare(0, 2, "0x") == 0) {
    *error = "is no number of whole bytes: two hexadecimal digits follow 0x for each, as in 0x6162";
    if (!ParseHexadecimal(text, bytes)) return false;
    *value = ParquetValue::Bytes(bytes->data(), bytes->size());
    return true;
  }
  *bytes = text;
  *value = ParquetValue::Text(*bytes);
  return true;
}

}  // namespace linefilter::tools
