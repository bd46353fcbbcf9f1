#include "tools/program/number.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace linefilter::tools {
namespace {

// strtod takes more than numbers: leading blanks, "nan", "infinity", "0x1p3".
bool OnlyOf(const std::string& text, const char* characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string::npos;
}

bool ParseDigits(const std::string& text, size_t begin, int base, uint64_t* value) {
  uint64_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), parsed, base);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  *value = parsed;
  return true;
}

}  // namespace

bool ParseReal(const std::string& text, double* value, std::string* error) {
  *error = "is not a number: write it like 10, 0.01 or 1e-3";
  if (!OnlyOf(text, "0123456789.eE+-")) return false;
  char* end = nullptr;
  const double parsed = strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') return false;
  if (!std::isfinite(parsed)) {
    *error = "is too large for a number";
    return false;
  }
  *value = parsed;
  return true;
}

bool ParseCount(const std::string& text, uint64_t* value, std::string* error) {
  if (OnlyOf(text, "0123456789")) {
    *error = "is too large: counts end at 2^64 - 1";
    return ParseDigits(text, 0, 10, value);
  }
  double real = 0;
  *error = "is not a count: write it like 1000000 or 1e6";
  std::string unused;
  if (!ParseReal(text, &real, &unused)) return false;
  if (real < 0) {
    *error = "is negative: a count is 0 or more";
    return false;
  }
  if (real >= 18446744073709551616.0) {
    *error = "is too large: counts end at 2^64 - 1";
    return false;
  }
  if (real != std::floor(real)) {
    *error = "is not a whole number";
    return false;
  }
  *value = static_cast<uint64_t>(real);
  return true;
}

bool ParseSeed(const std::string& text, uint64_t* value, std::string* error) {
  *error = "is no seed: write a whole number of 64 bits, like 42 or 0x2a";
  const bool is_hex = text.compare(0, 2, "0x") == 0 || text.compare(0, 2, "0X") == 0;
  return ParseDigits(text, is_hex ? 2 : 0, is_hex ? 16 : 10, value);
}

}  // namespace linefilter::tools
