// Columns of every type with the bytes that each of their values is hashed as, written anew from doc/FORMAT.md
// section 13: a test asks for these bytes one by one what the library asks for a column.
#ifndef LINEFILTER_TESTS_COLUMNS_COLUMNS_TEST_H_
#define LINEFILTER_TESTS_COLUMNS_COLUMNS_TEST_H_

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {

inline std::string WordBytes(uint64_t word) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i)));
  return bytes;
}

inline std::string RealBytes(double value) {
  uint64_t word = 0x7ff8000000000000u;
  if (value == 0) value = 0;  // of -0.0
  if (value == value) std::memcpy(&word, &value, sizeof(word));
  return WordBytes(word);
}

// A column, what it borrows, and the bytes of each row that is not null.
struct Sample {
  std::string name;
  Column column;
  std::vector<std::string> keys;
  std::vector<bool> is_null;
  std::shared_ptr<void> memory;

  size_t size() const { return keys.size(); }
};

// Which rows are null.
enum class NullRows { kNone, kSome, kAll };

// Values lie behind `gap` others, and bits of the validity behind as many: a slice of a longer array.
struct Shape {
  size_t n;
  size_t gap;
  NullRows nulls;
};

inline bool IsNullRow(const Shape& shape, size_t row) {
  return shape.nulls == NullRows::kAll || (shape.nulls == NullRows::kSome && row * 7 % 5 == 0);
}

// What columns are made of, kept as long as the samples.
struct Arrays {
  std::deque<std::vector<uint8_t>> bytes;
  std::deque<std::string> texts;
  std::deque<std::vector<std::string_view>> views;
  std::deque<std::vector<const void*>> buffers;
  std::deque<Column> columns;

  uint8_t* New(size_t size) { return bytes.emplace_back(size + 1).data(); }
};

inline void AddValidity(const Shape& shape, Arrays* arrays, Sample* sample) {
  sample->is_null.assign(shape.n, false);
  if (shape.nulls == NullRows::kNone) return;
  uint8_t* const bits = arrays->New((shape.gap + shape.n + 7) / 8);
  for (size_t i = 0; i < shape.n; ++i) {
    sample->is_null[i] = IsNullRow(shape, i);
    if (!sample->is_null[i]) bits[(shape.gap + i) / 8] |= static_cast<uint8_t>(1u << ((shape.gap + i) % 8));
  }
  sample->column.SetValidity(bits, shape.gap);
}

template <class T>
T Small(uint64_t seed) {  // few different values, so that some rows are members
  return static_cast<T>(static_cast<int64_t>(seed % 97) - 48);
}

// Numbers of a type: make(values, n) makes the column, bytes(value) says what one is hashed as.
template <class T, class MakeColumn, class Bytes>
Sample NumberSample(const char* name, const Shape& shape, Arrays* arrays, const MakeColumn& make, const Bytes& bytes) {
  Sample sample;
  sample.name = name;
  T* const values = reinterpret_cast<T*>(arrays->New((shape.gap + shape.n) * sizeof(T)));
  Random random(shape.n + shape.gap);
  for (size_t i = 0; i < shape.gap + shape.n; ++i) values[i] = Small<T>(random());
  for (size_t i = 0; i < shape.n; ++i) sample.keys.push_back(bytes(values[shape.gap + i]));
  sample.column = make(values + shape.gap, shape.n);
  AddValidity(shape, arrays, &sample);
  return sample;
}

template <class T>
Sample IntegerSample(const char* name, const Shape& shape, Arrays* arrays) {
  return NumberSample<T>(
      name, shape, arrays, [](const T* values, size_t n) { return Column::OfNumbers(values, n); },
      [](T v) { return WordBytes(static_cast<uint64_t>(v)); });
}

// Lengths from 0 to 40 bytes, so that views lie inside and outside.
inline std::string Text(uint64_t seed) {
  std::string text(seed % 41, static_cast<char>('a' + seed % 7));
  return text + (seed % 3 == 0 ? "  " : "");
}

inline std::vector<std::string> SampleTexts(const Shape& shape) {
  Random random(shape.n * 3 + shape.gap);
  std::vector<std::string> texts(shape.gap + shape.n);
  for (std::string& text : texts) text = Text(random() % 97);
  return texts;
}

template <class Offset>
Sample OffsetSample(const char* name, const Shape& shape, Arrays* arrays) {
  Sample sample;
  sample.name = name;
  const std::vector<std::string> texts = SampleTexts(shape);
  Offset* const offsets = reinterpret_cast<Offset*>(arrays->New((texts.size() + 1) * sizeof(Offset)));
  std::string& all = arrays->texts.emplace_back("xyz");
  for (size_t i = 0; i < texts.size(); ++i) {
    offsets[i] = static_cast<Offset>(all.size());
    all += texts[i];
  }
  offsets[texts.size()] = static_cast<Offset>(all.size());
  sample.keys.assign(texts.begin() + static_cast<std::ptrdiff_t>(shape.gap), texts.end());
  sample.column = Column::OfTexts(offsets + shape.gap, all.data(), shape.n);
  AddValidity(shape, arrays, &sample);
  return sample;
}

// Views of 16 bytes; those of nulls are rubbish.
inline Sample ViewSample(const char* name, const Shape& shape, Arrays* arrays, bool are_pointers) {
  Sample sample;
  sample.name = name;
  const std::vector<std::string> texts = SampleTexts(shape);
  uint8_t* const views = arrays->New(texts.size() * 16);
  for (size_t i = 0; i < texts.size(); ++i) {
    uint8_t* const view = views + 16 * i;
    const std::string& text = arrays->texts.emplace_back("--" + texts[i]);
    const uint32_t size = static_cast<uint32_t>(texts[i].size()), buffer = static_cast<uint32_t>(i), offset = 2;
    std::memcpy(view, &size, 4);
    std::memcpy(view + 4, text.data() + 2, size < 12 ? size : 12);
    if (size > 12 && are_pointers) {
      const char* const at = text.data() + 2;
      std::memcpy(view + 8, &at, sizeof(at));
    } else if (size > 12) {
      std::memcpy(view + 8, &buffer, 4);
      std::memcpy(view + 12, &offset, 4);
    }
    if (i >= shape.gap && IsNullRow(shape, i - shape.gap)) std::memset(view, 0xff, 16);
  }
  sample.keys.assign(texts.begin() + static_cast<std::ptrdiff_t>(shape.gap), texts.end());
  std::vector<const void*>& buffers = arrays->buffers.emplace_back();
  for (size_t i = 0; i < texts.size(); ++i) {
    buffers.push_back((arrays->texts.end() - static_cast<std::ptrdiff_t>(texts.size() - i))->data());
  }
  sample.column = are_pointers ? Column::OfPointerViews(views + 16 * shape.gap, shape.n)
                               : Column::OfViews(views + 16 * shape.gap, buffers.data(), buffers.size(), shape.n);
  AddValidity(shape, arrays, &sample);
  return sample;
}

inline Sample StringViewSample(const Shape& shape, Arrays* arrays, KeyForm form) {
  Sample sample;
  sample.name = KeyFormName(form);
  std::vector<std::string_view>& views = arrays->views.emplace_back();
  for (const std::string& text : SampleTexts(shape)) views.push_back(arrays->texts.emplace_back(text));
  for (size_t i = 0; i < shape.n; ++i) {
    std::string key(views[shape.gap + i]);
    while (form == KeyForm::kPaddedText && !key.empty() && key.back() == ' ') key.pop_back();
    sample.keys.push_back(key);
  }
  sample.column = Column::OfTexts(views.data() + shape.gap, shape.n);
  EXPECT_TRUE(IsOk(sample.column.SetForm(form)));
  AddValidity(shape, arrays, &sample);
  return sample;
}

// A column around another one, whose every fifth value is null; row i has row row_of(i).
template <class MakeColumn, class RowOf>
Sample InnerSample(const char* name, const Shape& shape, Arrays* arrays, const MakeColumn& make, const RowOf& row_of) {
  const Sample inner =
      OffsetSample<int32_t>("", {23, 3, shape.nulls == NullRows::kNone ? NullRows::kNone : NullRows::kSome}, arrays);
  Sample sample;
  sample.name = name;
  sample.column = make(&arrays->columns.emplace_back(inner.column));
  sample.is_null.assign(shape.n, false);
  for (size_t i = 0; i < shape.n; ++i) {
    sample.keys.push_back(inner.keys[row_of(i)]);
    sample.is_null[i] = inner.is_null[row_of(i)];
  }
  return sample;
}

template <class Index>
Sample DictionarySample(const char* name, const Shape& shape, Arrays* arrays) {
  Index* const indices = reinterpret_cast<Index*>(arrays->New((shape.gap + shape.n) * sizeof(Index)));
  Random random(shape.n);
  for (size_t i = 0; i < shape.gap + shape.n; ++i) indices[i] = static_cast<Index>(random.Below(23));
  Sample keys;
  keys.column = Column::OfNumbers(indices + shape.gap, shape.n);
  AddValidity(shape, arrays, &keys);
  Sample sample = InnerSample(
      name, shape, arrays, [&](const Column* inner) { return Column::OfDictionary(keys.column, inner); },
      [&](size_t i) { return static_cast<size_t>(indices[shape.gap + i]); });
  for (size_t i = 0; i < shape.n; ++i) {
    if (!keys.is_null[i]) continue;
    sample.is_null[i] = true;
    std::memset(indices + shape.gap + i, 0x7f, sizeof(Index));  // nobody looks at it
  }
  return sample;
}

inline Sample RunSample(const Shape& shape, Arrays* arrays) {
  const size_t length = (shape.gap + shape.n + 22) / 23 + 1;
  int32_t* const ends = reinterpret_cast<int32_t*>(arrays->New(23 * sizeof(int32_t)));
  for (int i = 0; i < 23; ++i) ends[i] = static_cast<int32_t>(length) * (i + 1);
  return InnerSample(
      "runs", shape, arrays,
      [&](const Column* inner) {
        return Column::OfRuns(Column::OfNumbers(ends, 23), inner, shape.gap + shape.n).Slice(shape.gap, shape.n);
      },
      [&](size_t i) { return (shape.gap + i) / length; });
}

// A column of each type and form.
std::vector<Sample> EverySample(const Shape& shape, Arrays* arrays);

// All that stays of the rows, one by one: this is what a column's answer must be.
template <class Row>
std::vector<Row> RowsThatStay(const FilterBase& filter, const Sample& sample, const std::vector<Row>& rows) {
  std::vector<Row> stay;
  for (const Row row : rows) {
    const bool is_null = sample.is_null[row];
    const std::string key = is_null ? "linefilter.null" : sample.keys[row];
    if (is_null && sample.column.nulls() != Nulls::kAsValue) {
      if (sample.column.nulls() == Nulls::kAlways) stay.push_back(row);
    } else if (filter.MayContainKey(std::string_view(key))) {
      stay.push_back(row);
    }
  }
  return stay;
}

inline const uint32_t* const kAllRows = nullptr;

// The rows that stay, of all. The call has that status, with those words.
inline std::vector<uint32_t> Selected(const FilterBase& filter, const Columns& columns,
                                      StatusCode code = StatusCode::kOk, const char* words = "") {
  std::vector<uint32_t> rows(columns.of[0].size());
  size_t n = 0;
  EXPECT_TRUE(Says(code, SelectMaybes(filter, columns, kAllRows, rows.size(), rows.data(), &n), words));
  rows.resize(n);
  return rows;
}

// So many row numbers from `first` on.
inline std::vector<uint32_t> FirstRows(size_t n, uint32_t first = 0) {
  std::vector<uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_COLUMNS_COLUMNS_TEST_H_
