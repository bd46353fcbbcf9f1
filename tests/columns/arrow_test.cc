// linefilter/arrow.h: the rows of an array of every type answer what each of them answers by itself, with and without
// nulls, wherever the array begins. arrow_test_broken.cc has arrays that are refused.
#include "tests/columns/arrow_test.h"

#include <numeric>

#include "tests/testing/measure_fpr.h"

namespace linefilter::test {
namespace {

constexpr size_t kOffsets[] = {0, 1, 7, 8, 13}, kLengths[] = {0, 1, 17, 1100};

// Asks for all rows of an array, and for their hashes, under each meaning of nulls.
void RequireRows(const ArrowSample& made) {
  ArrowColumn opened;
  ASSERT_TRUE(IsOk(opened.Open(made.schema, made.array)));
  Sample sample;
  sample.keys = made.keys;
  sample.is_null = made.is_null;
  ASSERT_EQ(opened.column().size(), made.keys.size());
  EXPECT_EQ(opened.column().form(), made.form);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(1000, FilterOptions::AtBitsPerKey(12))));
  for (size_t i = 0; i < sample.size(); i += 2) filter.InsertKey(std::string_view(sample.keys[i]));
  filter.InsertKey("linefilter.null");
  std::vector<uint32_t> rows(sample.size());
  std::iota(rows.begin(), rows.end(), 0u);
  for (const Nulls nulls : {Nulls::kNever, Nulls::kAlways, Nulls::kAsValue}) {
    opened.SetNulls(nulls);
    sample.column = opened.column();
    std::vector<uint32_t> maybes(sample.size());
    size_t num_maybes = 0;
    ASSERT_TRUE(IsOk(SelectMaybes(filter, sample.column, nullptr, sample.size(), maybes.data(), &num_maybes)));
    maybes.resize(num_maybes);
    EXPECT_EQ(maybes, RowsThatStay(filter, sample, rows));
    std::vector<uint64_t> hashes(sample.size());
    ASSERT_TRUE(IsOk(HashColumns(sample.column, filter.key_hash(), hashes.data())));
    for (size_t i = 0; i < sample.size(); ++i) {
      if (sample.is_null[i] && nulls != Nulls::kAsValue) continue;
      const std::string_view key = sample.is_null[i] ? "linefilter.null" : std::string_view(sample.keys[i]);
      ASSERT_EQ(hashes[i], HashKey(key, filter.seed())) << i;
    }
  }
}

template <class Require>
void ForEveryShape(const Require& require) {
  for (const NullRows nulls : {NullRows::kNone, NullRows::kSome, NullRows::kAll}) {
    for (const size_t offset : kOffsets) {
      for (const size_t n : kLengths) {
        if (IsEmulated() && offset != 1) continue;
        SCOPED_TRACE("nulls " + std::to_string(static_cast<int>(nulls)) + ", offset " + std::to_string(offset) +
                     ", rows " + std::to_string(n));
        require(Shape{n, offset, nulls});
      }
    }
  }
}

TEST(Arrow, TypesOfFixedWidth) {
  for (const ArrowType& type : FixedArrowTypes()) {
    SCOPED_TRACE(type.format);
    ForEveryShape([&](const Shape& shape) { RequireRows(*FixedArrowSample(type, shape)); });
  }
}

TEST(Arrow, TextsAndViews) {
  for (const char* const format : {"u", "U", "z", "Z"}) {
    SCOPED_TRACE(format);
    ForEveryShape([&](const Shape& shape) { RequireRows(*TextArrowSample(format, shape)); });
  }
  for (const char* const format : {"vu", "vz"}) {
    SCOPED_TRACE(format);
    ForEveryShape([&](const Shape& shape) { RequireRows(*ViewArrowSample(format, shape)); });
  }
}

TEST(Arrow, DictionariesOfEveryIndex) {
  for (const ArrowType& type : FixedArrowTypes()) {
    if (type.form != KeyForm::kInteger || type.format[0] == 'd') continue;
    SCOPED_TRACE(type.format);
    ForEveryShape([&](const Shape& shape) { RequireRows(*DictionaryArrowSample(type, shape)); });
  }
}

TEST(Arrow, RunsOfEveryEnd) {
  for (const ArrowType& type : FixedArrowTypes()) {
    if (strchr("sil", type.format[0]) == nullptr) continue;
    SCOPED_TRACE(type.format);
    ForEveryShape([&](const Shape& shape) { RequireRows(*RunArrowSample(type, shape)); });
  }
}

TEST(Arrow, NullsAlone) {
  ArrowSample made;
  made.format = "n";
  made.array.length = made.array.null_count = 5;
  made.array.offset = 3;
  made.keys.assign(5, "");
  made.is_null.assign(5, true);
  made.Finish();
  RequireRows(made);
}

// A number of nulls of 0 is believed, and an unknown one without bits means none.
TEST(Arrow, NumbersOfNulls) {
  const ArrowType type = FixedArrowTypes()[6];
  auto made = FixedArrowSample(type, {40, 8, NullRows::kSome});
  made->array.null_count = 0;
  made->is_null.assign(40, false);
  RequireRows(*made);
  made->array.null_count = -1;
  made->buffers[0] = nullptr;
  RequireRows(*made);
}

// Texts without bytes, views without buffers, no rows and no buffers at all.
TEST(Arrow, BuffersThatNobodyNeeds) {
  auto texts = TextArrowSample("u", {2, 0, NullRows::kNone});
  std::memset(texts->Values<uint8_t>(1), 0, 3 * sizeof(int32_t));
  texts->buffers[2] = nullptr;
  texts->keys.assign(2, "");
  RequireRows(*texts);
  auto views = ViewArrowSample("vu", {2, 0, NullRows::kNone});
  std::memset(views->Values<uint8_t>(1), 0, 32);
  views->buffers.resize(3);
  views->buffers[2] = nullptr;
  views->array.n_buffers = 3;
  views->keys.assign(2, "");
  RequireRows(*views);
  for (const char* const format : {"u", "Z", "vz"}) {
    auto none = format[0] == 'v' ? ViewArrowSample(format, {0, 5, NullRows::kNone})
                                 : TextArrowSample(format, {0, 5, NullRows::kNone});
    for (const void*& buffer : none->buffers) buffer = nullptr;
    RequireRows(*none);
  }
}

// The form of a dictionary is that of its values; each side of a join takes the same.
TEST(Arrow, FormsAreSetThroughDictionaries) {
  const ArrowType index = FixedArrowTypes()[0], number = FixedArrowTypes()[4];
  auto made = DictionaryArrowSample(index, {30, 3, NullRows::kSome});
  const auto values = FixedArrowSample(number, {23, 0, NullRows::kNone});
  made->schema.dictionary = &values->schema;
  made->array.dictionary = &values->array;
  ArrowColumn ids, reals;
  ASSERT_TRUE(IsOk(ids.Open(made->schema, made->array)));
  EXPECT_EQ(ids.column().form(), KeyForm::kInteger);
  EXPECT_TRUE(Says(StatusCode::kIncompatible, ids.SetForm(KeyForm::kText)));
  ASSERT_TRUE(IsOk(ids.SetForm(KeyForm::kReal)));
  EXPECT_EQ(ids.column().form(), KeyForm::kReal);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(1000, FilterOptions::AtBitsPerKey(12))));
  ASSERT_TRUE(IsOk(AddColumn(ids.column(), &filter)));
  for (size_t i = 0; i < 30; ++i) {
    if (made->is_null[i]) continue;
    const double value = values->Values<int32_t>(1)[made->Values<int8_t>(1)[3 + i]];
    EXPECT_TRUE(filter.MayContainKey(std::string_view(RealBytes(value)))) << i;
  }
  const Canonicalizer none;
  EXPECT_FALSE(ids.SetCanonical(none).ok());
}

TEST(Arrow, CanonicalTextsOfRuns) {
  const auto made = RunArrowSample(FixedArrowTypes()[2], {60, 3, NullRows::kNone});
  ArrowColumn texts;
  ASSERT_TRUE(IsOk(texts.Open(made->schema, made->array)));
  Canonicalizer first_byte;
  first_byte.make = [](void*, const std::string_view* from, size_t n, std::string_view* to) noexcept {
    for (size_t i = 0; i < n; ++i) to[i] = from[i].substr(0, 1);
    return true;
  };
  ASSERT_TRUE(IsOk(texts.SetCanonical(first_byte)));
  EXPECT_EQ(texts.column().form(), KeyForm::kCanonicalText);
  std::vector<uint64_t> hashes(60);
  ASSERT_TRUE(IsOk(HashColumns(texts.column(), KeyHash(), hashes.data())));
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ(hashes[i], HashKey(made->keys[i].substr(0, 1), 0));
}

}  // namespace
}  // namespace linefilter::test
