// Numbers are kept exactly as they are written, but in columns of FLOAT and DOUBLE.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "tools/program/parquet/value.h"

namespace linefilter::tools {
namespace {

// Digits without their point, and the power of ten that is missing.
struct Decimal {
  ParquetInteger unscaled;
  int32_t scale = 0;
  bool is_whole = true;  // written without point and exponent
  bool is_zero = true;
};

constexpr int64_t kMostExponent = 10000;  // beyond all numbers that are stored

// Appends a digit; false if the number then needs more than 255 bits.
bool AppendDigit(uint32_t digit, ParquetInteger* number) {
  uint64_t carry = digit;
  for (uint64_t& word : number->words) {
    const uint64_t low = (word & 0xffffffffu) * 10 + carry, high = (word >> 32) * 10 + (low >> 32);
    word = (high << 32) | (low & 0xffffffffu);
    carry = high >> 32;
  }
  return carry == 0 && number->words[3] >> 63 == 0;
}

void Negate(ParquetInteger* number) {
  bool carry = true;
  for (uint64_t& word : number->words) {
    word = ~word + uint64_t{carry};
    carry = carry && word == 0;
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads the digits behind the e of an exponent; false if there is none, or it is beyond kMostExponent.
bool ParseExponent(std::string_view text, int64_t* exponent) {
  const bool is_negative = !text.empty() && text[0] == '-';
  if (is_negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  int64_t value = 0;
  for (const char c : text) {
    if (!IsDigit(c) || value > kMostExponent) return false;
    value = 10 * value + (c - '0');
  }
  *exponent = is_negative ? -value : value;
  return !text.empty() && value <= kMostExponent;
}

bool ParseDecimal(std::string_view text, Decimal* decimal, std::string* error) {
  *error = "is no number: write it like 42, -1.50 or 1e-3";
  const bool is_negative = !text.empty() && text[0] == '-';
  if (is_negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  int64_t scale = 0, exponent = 0;
  size_t digits = 0, i = 0;
  bool has_point = false;
  for (; i < text.size() && (IsDigit(text[i]) || (text[i] == '.' && !has_point)); ++i) {
    if (text[i] == '.') {
      has_point = true;
      continue;
    }
    ++digits;
    scale += has_point ? 1 : 0;
    decimal->is_zero = decimal->is_zero && text[i] == '0';
    if (!AppendDigit(static_cast<uint32_t>(text[i] - '0'), &decimal->unscaled)) {
      *error = "has more digits than any column stores, 76";
      return false;
    }
  }
  const bool has_exponent = i < text.size() && (text[i] == 'e' || text[i] == 'E');
  if (has_exponent && !ParseExponent(text.substr(i + 1), &exponent)) return false;
  if (digits == 0 || (i < text.size() && !has_exponent)) return false;
  if (is_negative) Negate(&decimal->unscaled);
  decimal->scale = static_cast<int32_t>(scale - exponent);  // a text is shorter than 2^30
  decimal->is_whole = !has_point && !has_exponent;
  return true;
}

bool IsReal(const ParquetColumnType& type) {
  return type.logical == ParquetLogicalType::kFloat16 ||
         (type.logical == ParquetLogicalType::kNone &&
          (type.physical == ParquetPhysicalType::kFloat || type.physical == ParquetPhysicalType::kDouble));
}

// The numbers of IEEE that have no digits.
bool ParseSpecial(const std::string& text, double* real) {
  const bool is_negative = text[0] == '-';
  const std::string word = text.substr(is_negative || text[0] == '+' ? 1 : 0);
  if (word != "nan" && word != "NaN" && word != "inf" && word != "infinity" && word != "Infinity") return false;
  *real = word[0] == 'n' || word[0] == 'N' ? std::nan("") : is_negative ? -HUGE_VAL : HUGE_VAL;
  return true;
}

}  // namespace

bool ParseParquetNumber(const ParquetColumnType& type, const std::string& text, ParquetValue* value,
                        std::string* error) {
  double real = 0;
  if (!text.empty() && IsReal(type) && ParseSpecial(text, &real)) {
    *value = ParquetValue::Double(real);
    return true;
  }
  Decimal decimal;
  if (!ParseDecimal(text, &decimal, error)) return false;
  *value = ParquetValue::Decimal(decimal.unscaled, decimal.scale);
  // A whole number stays one: of a large one nobody knows what it is rounded to. But "-0" is -0.0 there, which is 0.0.
  if (!IsReal(type) || decimal.is_whole) return true;
  const bool is_double = type.physical == ParquetPhysicalType::kDouble;
  real = is_double ? strtod(text.c_str(), nullptr) : static_cast<double>(strtof(text.c_str(), nullptr));
  // What no such number is near stays a decimal, too.
  if (!std::isfinite(real) || (real == 0 && !decimal.is_zero)) return true;
  *value = is_double ? ParquetValue::Double(real) : ParquetValue::Float(static_cast<float>(real));
  return true;
}

}  // namespace linefilter::tools
