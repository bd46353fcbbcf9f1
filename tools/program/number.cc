#include "tools/program/number.h"

#include <algorithm>
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

constexpr uint64_t kKi = 1024;

struct Unit {
  const char* name;
  uint64_t size;
};

// What is wrong with a number.
struct Words {
  const char *no_number, *negative, *too_large, *not_whole;
};

template <size_t n>
bool ParseUnits(const std::string& text, const Unit (&units)[n], const Words& words, uint64_t* value,
                std::string* error) {
  // The last letters are the unit; the e of 1e6 stands before a digit.
  const size_t digits = text.find_last_of("0123456789.") + 1;
  const Unit* unit = std::find_if(units, units + n, [&](const Unit& each) { return text.substr(digits) == each.name; });
  const std::string number = text.substr(0, digits);
  std::string unused;
  double real = 0;
  *error = words.no_number;
  if (unit == units + n || !ParseReal(number, &real, &unused)) return false;
  *error = words.negative;
  if (real < 0) return false;
  *error = words.too_large;
  uint64_t whole = 0;
  if (OnlyOf(number, "0123456789")) {  // a double would round it above 2^53
    if (!ParseDigits(number, 0, 10, &whole) || whole > UINT64_MAX / unit->size) return false;
    *value = whole * unit->size;
    return true;
  }
  real *= static_cast<double>(unit->size);
  if (real >= 18446744073709551616.0) return false;
  *error = words.not_whole;
  if (real != std::floor(real)) return false;
  *value = static_cast<uint64_t>(real);
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

bool ParseRate(const std::string& text, double* value, std::string* error) {
  const bool is_percent = !text.empty() && text.back() == '%';
  const std::string number = text.substr(0, text.size() - is_percent);
  bool is_number = ParseReal(number, value, error);
  if (is_number && is_percent) {  // by its decimal exponent, so that 0.1% is the same double as 0.001
    const size_t e = number.find_first_of("eE");
    const std::string exponent = e == std::string::npos ? "0" : number.substr(e + 1);
    is_number = ParseReal(number.substr(0, e) + "e" + std::to_string(atoi(exponent.c_str()) - 2), value, error);
  }
  *error = is_number ? "is no rate: it must lie above 0 and below 1, like 0.01 or 1%"
                     : "is not a rate: write it like 0.01 or 1%";
  return is_number && *value > 0;
}

bool ParseCount(const std::string& text, uint64_t* value, std::string* error) {
  static constexpr Unit kUnits[] = {{"", 1},
                                    {"k", 1000},
                                    {"K", 1000},
                                    {"M", 1000000},
                                    {"G", 1000000000},
                                    {"T", 1000000000000},
                                    {"Ki", kKi},
                                    {"Mi", kKi * kKi},
                                    {"Gi", kKi * kKi * kKi},
                                    {"Ti", kKi * kKi * kKi * kKi}};
  const Words words = {"is not a count: write it like 1000000, 1e6, 1M or 64Mi", "is negative: a count is 0 or more",
                       "is too large: counts end at 2^64 - 1", "is not a whole number"};
  return ParseUnits(text, kUnits, words, value, error);
}

bool ParseDuration(const std::string& text, uint64_t* milliseconds, std::string* error) {
  static constexpr Unit kUnits[] = {{"", 1000}, {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
  const Words words = {"is not a duration: write it like 30, 30s, 500ms, 5m, 2h or 7d", "is negative",
                       "is too long for a duration", "is no whole number of milliseconds"};
  return ParseUnits(text, kUnits, words, milliseconds, error);
}

bool ParseSeed(const std::string& text, uint64_t* value, std::string* error) {
  *error = "is no seed: write a whole number of 64 bits, like 42 or 0x2a";
  const bool is_hex = text.compare(0, 2, "0x") == 0 || text.compare(0, 2, "0X") == 0;
  return ParseDigits(text, is_hex ? 2 : 0, is_hex ? 16 : 10, value);
}

}  // namespace linefilter::tools
