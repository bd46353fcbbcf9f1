// Sound arrays of Arrow, with the bytes that each of their rows is hashed as, written anew from Arrow's format.
#ifndef LINEFILTER_TESTS_COLUMNS_ARROW_TEST_H_
#define LINEFILTER_TESTS_COLUMNS_ARROW_TEST_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/arrow.h"
#include "tests/columns/columns_test.h"

namespace linefilter::test {

// Arrow's numbers are in the order of the machine.
inline bool IsLittleEndian() {
  constexpr uint16_t kOne = 1;
  return *reinterpret_cast<const uint8_t*>(&kOne) == 1;
}

// Writes a number of up to 16 bytes.
inline void PutNumber(int64_t value, size_t width, uint8_t* out) {
  for (size_t i = 0; i < width; ++i) {
    const int64_t shifted = value >> (i < 8 ? 8 * i : 63);
    out[IsLittleEndian() ? i : width - 1 - i] = static_cast<uint8_t>(shifted);
  }
}

// A type whose rows have `width` bytes each; what a row is hashed as.
struct ArrowType {
  const char* format;
  size_t width;
  KeyForm form;
  std::function<std::string(const uint8_t*)> key;
};

template <class T>
std::function<std::string(const uint8_t*)> WordsTimes(uint64_t factor) {
  return [factor](const uint8_t* row) {
    T value;
    std::memcpy(&value, row, sizeof(value));
    return WordBytes(static_cast<uint64_t>(value) * factor);
  };
}

// The low half of 16 bytes.
inline std::string LowWord(const uint8_t* row) { return WordsTimes<int64_t>(1)(row + (IsLittleEndian() ? 0 : 8)); }

template <class T>
std::string RealRow(const uint8_t* row) {
  T value;
  std::memcpy(&value, row, sizeof(value));
  return RealBytes(value);
}

inline std::vector<ArrowType> FixedArrowTypes() {
  constexpr uint64_t kMicro = 1000, kMilli = 1000000, kSecond = 1000000000, kDay = 86400 * kSecond;
  constexpr KeyForm kInteger = KeyForm::kInteger, kInstant = KeyForm::kInstant;
  const auto bytes = [](size_t n) {
    return [n](const uint8_t* row) { return std::string(reinterpret_cast<const char*>(row), n); };
  };
  return {{"c", 1, kInteger, WordsTimes<int8_t>(1)},
          {"C", 1, kInteger, WordsTimes<uint8_t>(1)},
          {"s", 2, kInteger, WordsTimes<int16_t>(1)},
          {"S", 2, kInteger, WordsTimes<uint16_t>(1)},
          {"i", 4, kInteger, WordsTimes<int32_t>(1)},
          {"I", 4, kInteger, WordsTimes<uint32_t>(1)},
          {"l", 8, kInteger, WordsTimes<int64_t>(1)},
          {"L", 8, kInteger, WordsTimes<uint64_t>(1)},
          {"f", 4, KeyForm::kReal, RealRow<float>},
          {"g", 8, KeyForm::kReal, RealRow<double>},
          {"w:0", 0, KeyForm::kText, bytes(0)},
          {"w:5", 5, KeyForm::kText, bytes(5)},
          {"w:16", 16, KeyForm::kText, bytes(16)},
          {"tdD", 4, kInstant, WordsTimes<int32_t>(kDay)},
          {"tdm", 8, kInstant, WordsTimes<int64_t>(kMilli)},
          {"tts", 4, kInstant, WordsTimes<int32_t>(kSecond)},
          {"ttm", 4, kInstant, WordsTimes<int32_t>(kMilli)},
          {"ttu", 8, kInstant, WordsTimes<int64_t>(kMicro)},
          {"ttn", 8, kInstant, WordsTimes<int64_t>(1)},
          {"tss:", 8, kInstant, WordsTimes<int64_t>(kSecond)},
          {"tsm:Europe/Berlin", 8, kInstant, WordsTimes<int64_t>(kMilli)},
          {"tsu:+01:00", 8, kInstant, WordsTimes<int64_t>(kMicro)},
          {"tsn:UTC", 8, kInstant, WordsTimes<int64_t>(1)},
          {"tDs", 8, kInstant, WordsTimes<int64_t>(kSecond)},
          {"tDm", 8, kInstant, WordsTimes<int64_t>(kMilli)},
          {"tDu", 8, kInstant, WordsTimes<int64_t>(kMicro)},
          {"tDn", 8, kInstant, WordsTimes<int64_t>(1)},
          {"d:9,2,32", 4, DecimalForm(2), WordsTimes<int32_t>(1)},
          {"d:18,0,64", 8, kInteger, WordsTimes<int64_t>(1)},
          {"d:18,7,64", 8, DecimalForm(7), WordsTimes<int64_t>(1)},
          {"d:38,10,128", 16, DecimalForm(10), LowWord},
          {"d:38,38", 16, DecimalForm(38), LowWord}};
}

// An array, all that it points to, and its rows.
struct ArrowSample {
  ArrowSchema schema{};
  ArrowArray array{};
  std::string format;
  std::vector<std::string> keys;
  std::vector<bool> is_null;
  KeyForm form = KeyForm::kUnknown;
  std::vector<std::unique_ptr<uint8_t[]>> memory;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<ArrowSample>> parts;
  std::vector<ArrowSchema*> schemas;
  std::vector<ArrowArray*> arrays;

  uint8_t* New(size_t size) { return memory.emplace_back(new uint8_t[size]()).get(); }
  template <class T>
  T* Values(size_t buffer) {
    return static_cast<T*>(const_cast<void*>(buffers[buffer]));
  }

  // Points to what was made.
  void Finish() {
    schema.format = format.c_str();
    schema.release = [](ArrowSchema*) {};
    array.release = [](ArrowArray*) {};
    array.buffers = buffers.data();
    array.n_buffers = static_cast<int64_t>(buffers.size());
    for (const auto& part : parts) {
      schemas.push_back(&part->schema);
      arrays.push_back(&part->array);
    }
    if (format == "+r") {
      schema.n_children = array.n_children = static_cast<int64_t>(parts.size());
      schema.children = schemas.data();
      array.children = arrays.data();
    } else if (!parts.empty()) {
      schema.dictionary = schemas[0];
      array.dictionary = arrays[0];
    }
  }
};

// The number of nulls is unknown if the offset is odd. A sound array has no buffer of rows that it has not.
inline std::unique_ptr<ArrowSample> NewArrowSample(const std::string& format, const Shape& shape) {
  auto sample = std::make_unique<ArrowSample>();
  sample->format = format;
  sample->array.length = static_cast<int64_t>(shape.n);
  sample->array.offset = static_cast<int64_t>(shape.gap);
  sample->is_null.assign(shape.n, false);
  sample->buffers.push_back(nullptr);
  if (shape.nulls == NullRows::kNone) return sample;
  uint8_t* const bits = sample->New((shape.gap + shape.n + 7) / 8);
  int64_t num_nulls = 0;
  for (size_t i = 0; i < shape.n; ++i) {
    sample->is_null[i] = IsNullRow(shape, i);
    num_nulls += sample->is_null[i] ? 1 : 0;
    if (!sample->is_null[i]) bits[(shape.gap + i) / 8] |= static_cast<uint8_t>(1u << ((shape.gap + i) % 8));
  }
  sample->buffers[0] = bits;
  sample->array.null_count = shape.gap % 2 != 0 ? -1 : num_nulls;
  return sample;
}

std::unique_ptr<ArrowSample> FixedArrowSample(const ArrowType& type, const Shape& shape);
std::unique_ptr<ArrowSample> TextArrowSample(const std::string& format, const Shape& shape);
std::unique_ptr<ArrowSample> ViewArrowSample(const std::string& format, const Shape& shape);
// Indices of that type into texts, whose own nulls and offset are others.
std::unique_ptr<ArrowSample> DictionaryArrowSample(const ArrowType& indices, const Shape& shape);
// Runs whose ends have that type; of texts.
std::unique_ptr<ArrowSample> RunArrowSample(const ArrowType& ends, const Shape& shape);

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_COLUMNS_ARROW_TEST_H_
