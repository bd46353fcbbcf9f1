// doc/FORMAT.md section 13, from the texts of tests/conformance/columns.txt.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tests/reference/reference.h"

namespace reference {
namespace {

std::string Word(uint64_t value) {
  uint8_t bytes[8];
  PutLittleEndian(value, 8, bytes);
  return std::string(bytes, bytes + 8);
}

// The digits of a decimal number times 10^scale, modulo 2^64.
uint64_t Scaled(const std::string& text, size_t scale) {
  uint64_t value = 0;
  bool is_fraction = false;
  for (const char digit : text) {
    if (digit == '.') is_fraction = true;
    if (digit < '0' || digit > '9') continue;
    value = 10 * value + static_cast<uint64_t>(digit - '0');
    if (is_fraction) --scale;
  }
  for (; scale != 0; --scale) value *= 10;
  return text[0] == '-' ? 0 - value : value;
}

uint64_t BitsOfReal(const std::string& text) {
  const double value =
      text.back() == 'f' ? double{std::strtof(text.c_str(), nullptr)} : std::strtod(text.c_str(), nullptr);
  if (std::isnan(value)) return 0x7ff8000000000000;
  if (value == 0) return 0;
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

uint64_t Nanoseconds(const std::string& text) {
  const size_t end = text.find_first_not_of("-0123456789");
  const std::string unit = text.substr(end);
  const uint64_t number = Scaled(text.substr(0, end), 0);
  return number * (unit == "d"    ? 86400000000000
                   : unit == "s"  ? 1000000000
                   : unit == "ms" ? 1000000
                   : unit == "us" ? 1000
                                  : 1);
}

}  // namespace

std::string KeyOfColumn(const std::string& form, const std::string& value) {
  if (form == "null") return "linefilter.null";
  if (form == "integer") return Word(Scaled(value, 0));
  if (form == "real") return Word(BitsOfReal(value));
  if (form == "instant") return Word(Nanoseconds(value));
  if (form.substr(0, 7) == "decimal") return Word(Scaled(value, std::strtoul(form.c_str() + 7, nullptr, 10)));
  std::string text = value;  // text, padded or canonical
  for (char& letter : text) {
    if (letter == '_') letter = ' ';
  }
  while (form == "padded" && !text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

uint64_t HashOfColumns(const std::vector<std::string>& keys, uint64_t seed) {
  uint64_t combined = HashOfKey(keys.at(0), seed);
  for (size_t i = 1; i < keys.size(); ++i) {
    combined = HashOfInteger(combined * 0x9e3779b97f4a7c15 + HashOfKey(keys[i], seed), seed);
  }
  return combined;
}

Bytes KeyFormsOf(const Filter& filter) {
  Bytes forms;
  for (const Extension& extension : filter.extensions) {
    if (extension.id != kKeyForms) continue;
    if (!forms.empty() || extension.content.empty() || extension.content.size() > 8) return {};
    forms = extension.content;
    for (const uint8_t byte : forms) {
      const int form = byte % 128;
      if (form == 0 || form > 0x46 || (form > 6 && form < 0x21)) return {};
    }
  }
  return forms;
}

}  // namespace reference
