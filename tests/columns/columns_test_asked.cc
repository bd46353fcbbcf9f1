// What else is asked of columns: several columns as one key, several filters, builders, and forms that do not fit.
#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/columns/columns_test.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

TEST(Columns, SeveralAreOneKeyByTheirCombinedHash) {
  constexpr size_t kRows = 2500;
  std::vector<int32_t> numbers(kRows);
  std::vector<std::string> texts(kRows);
  std::vector<std::string_view> views(kRows);
  for (size_t i = 0; i < kRows; ++i) {
    numbers[i] = static_cast<int32_t>(i % 50);
    views[i] = texts[i] = "text " + std::to_string(i / 50);
  }
  const Column key[] = {Column::OfNumbers(numbers.data(), kRows), Column::OfTexts(views.data(), kRows)};
  KeyHash key_hash;
  key_hash.seed = 3;
  std::vector<uint64_t> hashes(kRows);
  ASSERT_TRUE(IsOk(HashColumns(Columns(key, 2), key_hash, hashes.data())));
  for (size_t i = 0; i < kRows; ++i) {
    const uint64_t first = HashKey(numbers[i], 3), second = HashKey(views[i], 3);
    ASSERT_EQ(hashes[i], HashKey(first * 0x9e3779b97f4a7c15u + second, 3)) << i;
  }

  Filter filter;
  FilterOptions options = FilterOptions::AtBitsPerKey(20);
  options.hash_id = HashId::kCaller;
  options.seed = 3;
  ASSERT_TRUE(IsOk(filter.Create(kRows, options)));
  const Column members[] = {key[0].Slice(0, 1000), key[1].Slice(0, 1000)};
  ASSERT_TRUE(IsOk(AddColumn(Columns(members, 2), &filter)));
  const std::vector<uint32_t> rows = Selected(filter, Columns(key, 2));
  EXPECT_EQ(std::vector<uint32_t>(rows.begin(), rows.begin() + 1000), FirstRows(1000));
  EXPECT_LT(rows.size(), 1010u);
}

TEST(Columns, ANullInOneOfSeveralIsWhatThatColumnSays) {
  const int64_t values[] = {1, 2, 3};
  const uint8_t validity = 0b101;
  Column key[] = {Column::OfNumbers(values, 3), Column::OfNumbers(values, 3)};
  Filter filter;
  FilterOptions options = FilterOptions::AtBitsPerKey(20);
  options.hash_id = HashId::kCaller;
  ASSERT_TRUE(IsOk(filter.Create(100, options)));
  ASSERT_TRUE(IsOk(AddColumn(Columns(key, 2), &filter)));
  key[1].SetValidity(&validity);
  EXPECT_EQ(Selected(filter, Columns(key, 2)), (std::vector<uint32_t>{0, 2}));
  key[1].SetNulls(Nulls::kAlways);
  EXPECT_EQ(Selected(filter, Columns(key, 2)), (std::vector<uint32_t>{0, 1, 2}));
  key[0].SetValidity(&validity);  // which never stays
  EXPECT_EQ(Selected(filter, Columns(key, 2)), (std::vector<uint32_t>{0, 2}));
}

TEST(Columns, SeveralFiltersKeepARowThatOneOfThemMayHave) {
  std::vector<int64_t> values(3000);
  std::iota(values.begin(), values.end(), 0);
  std::deque<Filter> filters;
  std::vector<const FilterBase*> pointers;
  for (const uint64_t seed : {0u, 0u, 9u}) {
    FilterOptions options = FilterOptions::AtBitsPerKey(30);
    options.seed = seed;
    ASSERT_TRUE(IsOk(filters.emplace_back().Create(1000, options)));
    const size_t part = filters.size() - 1;
    ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(values.data() + 500 * part, 500), &filters.back())));
    pointers.push_back(&filters.back());
  }
  std::vector<uint32_t> rows(values.size());
  size_t n = 0;
  const Column all = Column::OfNumbers(values.data(), values.size());
  ASSERT_TRUE(IsOk(SelectMaybes(pointers.data(), 3, all, kAllRows, values.size(), rows.data(), &n)));
  rows.resize(n);
  EXPECT_EQ(std::vector<uint32_t>(rows.begin(), rows.begin() + 1500), FirstRows(1500));
  EXPECT_LT(n, 1510u);

  uint8_t may_contain[3];
  ASSERT_TRUE(IsOk(MayContainAny(pointers.data(), 3, all.Slice(500, 3), may_contain)));
  EXPECT_EQ(std::vector<int>(may_contain, may_contain + 3), (std::vector<int>{0, 1, 0}));
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, SelectMaybes(pointers.data(), 0, all, kAllRows, 1, rows.data(), &n),
                   "no filter"));
  EXPECT_EQ(n, 1u);
}

TEST(Columns, ABuilderMakesTheImageOfTheirKeys) {
  std::vector<int64_t> values(5000);
  std::iota(values.begin(), values.end(), -100);
  const FilterOptions options = FilterOptions::AtBitsPerKey(12);
  FilterBuilder by_column(options), by_key(options);
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(values.data(), values.size()), &by_column)));
  for (const int64_t value : values) by_key.AddKey(value);
  EXPECT_EQ(by_column.num_keys(), by_key.num_keys());
  std::string image, expected;
  ASSERT_TRUE(IsOk(by_column.Finish(&image)));
  ASSERT_TRUE(IsOk(by_key.Finish(&expected)));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_EQ(std::string(image, 0, view.body_bytes()), std::string(expected, 0, view.body_bytes()));
  EXPECT_EQ(Selected(view, Column::OfNumbers(values.data(), values.size())), FirstRows(values.size()));
}

// Up to 1,024 values, up to 2^18 and more are looked up in three ways.
TEST(Columns, OfDictionariesOfAnySizeAnswerAsTheirValues) {
  for (const size_t num_values : {1000u, 1024u, 1025u, 30000u, 300000u}) {
    std::vector<int64_t> values(num_values);
    std::iota(values.begin(), values.end(), 0);
    std::vector<uint32_t> indices(num_values + 77), expected;
    for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<uint32_t>(i * 7919 % num_values);
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(num_values, FilterOptions::AtBitsPerKey(20))));
    for (size_t i = 0; i < num_values; i += 3) filter.InsertKey(values[i]);
    for (size_t i = 0; i < indices.size(); ++i) {
      if (filter.MayContainKey(values[indices[i]])) expected.push_back(static_cast<uint32_t>(i));
    }
    const Column inner = Column::OfNumbers(values.data(), num_values);
    const Column column = Column::OfDictionary(Column::OfNumbers(indices.data(), indices.size()), &inner);
    OnEveryTarget([&](const char*) { ASSERT_EQ(Selected(filter, column), expected) << num_values; });
  }
}

template <class Index>
void ExpectSlicesOfADictionary() {
  std::vector<int64_t> values(100);
  std::iota(values.begin(), values.end(), 0);
  std::vector<Index> indices(2500);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<Index>(i * 37 % 100);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(40))));
  for (size_t i = 0; i < values.size(); i += 2) filter.InsertKey(values[i]);
  const Column inner = Column::OfNumbers(values.data(), values.size());
  const Column column = Column::OfDictionary(Column::OfNumbers(indices.data(), indices.size()), &inner);
  for (const size_t first : {0u, 1u, 2u, 17u, 1023u, 1024u}) {
    std::vector<uint32_t> expected;
    for (size_t i = first; i < indices.size(); ++i) {
      if (indices[i] % 2 == 0) expected.push_back(static_cast<uint32_t>(i - first));
    }
    ASSERT_EQ(Selected(filter, column.Slice(first, indices.size())), expected) << "from row " << first;
  }
}

// Every second value is a member, so a row off by one is seen.
TEST(Columns, OfADictionaryAreSlicedAnywhere) {
  OnEveryTarget([](const char*) {
    ExpectSlicesOfADictionary<int32_t>();
    ExpectSlicesOfADictionary<uint32_t>();
    ExpectSlicesOfADictionary<int8_t>();
    ExpectSlicesOfADictionary<uint64_t>();
  });
}

// A filter remembers the forms of its columns, in its image, too: a column of another form would lose members.
TEST(Columns, OfAnotherFormThanTheFiltersAreRefused) {
  const int64_t integers[] = {1, 2};
  const double reals[] = {1, 2};
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(10, FilterOptions::AtBitsPerKey(20))));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(reals, 2), &filter)));
  Column as_real = Column::OfNumbers(integers, 2), with_nulls = Column::OfNumbers(reals, 2);
  ASSERT_TRUE(IsOk(as_real.SetForm(KeyForm::kReal)));
  with_nulls.SetNulls(Nulls::kAsValue);
  std::string image;
  ASSERT_TRUE(IsOk(filter.AppendImage(&image)));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  const FilterBase* const both[] = {&filter, &view};
  for (const FilterBase* asked : both) {
    EXPECT_EQ(asked->key_forms(), static_cast<uint64_t>(KeyForm::kReal));
    EXPECT_EQ(Selected(*asked, as_real), FirstRows(2));
    EXPECT_EQ(Selected(*asked, Column::OfNumbers(integers, 2), StatusCode::kIncompatible, "'real'"), FirstRows(2));
    EXPECT_EQ(Selected(*asked, with_nulls, StatusCode::kIncompatible, "both sides"), FirstRows(2));
    EXPECT_EQ(Selected(*asked, Column::OfNulls(2)), FirstRows(0));
  }
  EXPECT_TRUE(Says(StatusCode::kIncompatible, AddColumn(Column::OfNumbers(integers, 2), &filter), "SetForm"));
  FilterBuilder builder(FilterOptions::AtBitsPerKey(20));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(reals, 2), &builder)));
  EXPECT_TRUE(Says(StatusCode::kIncompatible, AddColumn(Column::OfNumbers(integers, 2), &builder), "SetForm"));
}

// Where forms were mixed, a column of one form would miss keys of the others; also after an image.
TEST(Columns, AskNoFilterOfMixedForms) {
  const int64_t integers[] = {1, 2};
  const double reals[] = {3, 4};
  Filter one, other;
  ASSERT_TRUE(IsOk(one.Create(10, FilterOptions::AtBitsPerKey(20))));
  ASSERT_TRUE(IsOk(other.Create(10, FilterOptions::AtBitsPerKey(20))));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(integers, 2), &one)));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(reals, 2), &other)));
  ASSERT_TRUE(IsOk(one.Union(other)));
  std::string image;
  ASSERT_TRUE(IsOk(one.AppendImage(&image)));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  const FilterBase* const both[] = {&one, &view};
  for (const FilterBase* asked : both) {
    EXPECT_EQ(Selected(*asked, Column::OfNumbers(integers, 2), StatusCode::kIncompatible, "that differ"), FirstRows(2));
    EXPECT_EQ(Selected(*asked, Column::OfNumbers(reals, 2), StatusCode::kIncompatible, "that differ"), FirstRows(2));
  }
  FilterOptions options = FilterOptions::AtBitsPerKey(20);
  options.key_kind = KeyKind::kInteger;
  FilterBuilder builder(options);
  EXPECT_TRUE(Says(StatusCode::kIncompatible, AddColumn(Column::OfNumbers(reals, 2), &builder), "SetForm"));
  ASSERT_TRUE(IsOk(AddColumn(Column::OfNumbers(integers, 2), &builder)));
}

// Text and integers are never equal, so either is asked of a filter of both.
TEST(Columns, AskAFilterOfTextAndIntegersForEither) {
  const int64_t integers[] = {1, 2};
  const std::string_view texts[] = {"a", "b"};
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(10, FilterOptions::AtBitsPerKey(20))));
  filter.NoteKeyKind(KeyKind::kMixed);
  filter.InsertKey(1);
  filter.InsertKey("b");
  EXPECT_EQ(Selected(filter, Column::OfNumbers(integers, 2)), FirstRows(1));
  EXPECT_EQ(Selected(filter, Column::OfTexts(texts, 2)), std::vector<uint32_t>{1});
}

// A batch of nulls alone adds nothing, and tells nothing of forms.
TEST(Columns, OfNullsAloneLeaveTheFormsOfAFilter) {
  const int64_t values[] = {1, 2};
  const Column key[] = {Column::OfNumbers(values, 2), Column::OfNumbers(values, 2)};
  const Column nulls[] = {Column::OfNumbers(values, 2), Column::OfNulls(2)};
  FilterOptions options = FilterOptions::AtBitsPerKey(20);
  options.hash_id = HashId::kCaller;
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(10, options)));
  ASSERT_TRUE(IsOk(AddColumn(Columns(nulls, 2), &filter)));
  ASSERT_TRUE(IsOk(AddColumn(Columns(key, 2), &filter)));
  ASSERT_TRUE(IsOk(AddColumn(Columns(nulls, 2), &filter)));
  EXPECT_EQ(Selected(filter, Columns(key, 2)), FirstRows(2));
}

TEST(Columns, OfADictionaryWhoseValuesChangedTheirFormAreRefused) {
  const int64_t values[] = {1, 2};
  const uint8_t indices[] = {0, 1};
  Column inner = Column::OfNumbers(values, 2);
  const Column column = Column::OfDictionary(Column::OfNumbers(indices, 2), &inner);
  ASSERT_TRUE(IsOk(inner.SetForm(KeyForm::kReal)));
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(10, FilterOptions::AtBitsPerKey(20))));
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, AddColumn(column, &filter), "before it is made"));
}

// The hashes of a filter of hash id kCaller may be anybody's, unless columns were added to it.
TEST(Columns, SeveralAskOnlyAFilterOfAsMany) {
  const int64_t values[] = {1, 2};
  const Column key[] = {Column::OfNumbers(values, 2), Column::OfNumbers(values, 2), Column::OfNumbers(values, 2)};
  FilterOptions options = FilterOptions::AtBitsPerKey(20);
  options.hash_id = HashId::kCaller;
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(10, options)));
  EXPECT_EQ(Selected(filter, Columns(key, 2), StatusCode::kIncompatible, "nobody knows"), FirstRows(2));
  ASSERT_TRUE(IsOk(AddColumn(Columns(key, 2), &filter)));
  EXPECT_EQ(Selected(filter, Columns(key, 2)), FirstRows(2));
  EXPECT_EQ(Selected(filter, Columns(key, 3), StatusCode::kIncompatible, "another number of columns"), FirstRows(2));
}

TEST(Columns, NullsAreNotAddedUnlessTheyAreValues) {
  const int64_t values[] = {1, 2, 3};
  const uint8_t validity = 0b101;
  Column column = Column::OfNumbers(values, 3);
  column.SetValidity(&validity);
  for (const Nulls nulls : {Nulls::kNever, Nulls::kAlways, Nulls::kAsValue}) {
    column.SetNulls(nulls);
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(30))));
    ASSERT_TRUE(IsOk(AddColumn(column, &filter)));
    EXPECT_TRUE(filter.MayContainKey(1) && filter.MayContainKey(3));
    EXPECT_FALSE(filter.MayContainKey(2));
    EXPECT_EQ(filter.MayContainKey("linefilter.null"), nulls == Nulls::kAsValue);
  }
}

// A filter of Parquet's hash takes what Parquet stores: 4 bytes of integers that have no more, and floats as they are.
TEST(Columns, OfParquetsHashAreWhatParquetStores) {
  const int32_t narrow[] = {-1, 7};
  const int16_t narrower[] = {-1, 7};
  const int64_t wide[] = {-1, 7};
  const float real[] = {-0.0f, 1.5f};
  const std::string_view text[] = {"a", ""};
  KeyHash parquet;
  parquet.id = HashId::kParquet;
  const auto hash = [&](const Column& column) {
    std::vector<uint64_t> hashes(2);
    EXPECT_TRUE(IsOk(HashColumns(column, parquet, hashes.data())));
    return hashes;
  };
  const auto bytes = [](const auto& value) {  // in Parquet's order, which is little-endian
    uint64_t word = 0;
    std::string stored;
    if constexpr (sizeof(value) == sizeof(uint32_t)) {
      uint32_t half;
      std::memcpy(&half, &value, sizeof(half));
      word = half;
    } else {
      std::memcpy(&word, &value, sizeof(word));
    }
    AppendLittleEndian(&stored, word, sizeof(value));
    return ParquetHash(stored);
  };
  EXPECT_EQ(hash(Column::OfNumbers(narrow, 2)), (std::vector<uint64_t>{bytes(narrow[0]), bytes(narrow[1])}));
  EXPECT_EQ(hash(Column::OfNumbers(narrower, 2)), (std::vector<uint64_t>{bytes(narrow[0]), bytes(narrow[1])}));
  EXPECT_EQ(hash(Column::OfNumbers(wide, 2)), (std::vector<uint64_t>{bytes(wide[0]), bytes(wide[1])}));
  EXPECT_EQ(hash(Column::OfNumbers(real, 2)), (std::vector<uint64_t>{bytes(real[0]), bytes(real[1])}));
  EXPECT_EQ(hash(Column::OfTexts(text, 2)), (std::vector<uint64_t>{ParquetHash("a"), ParquetHash("")}));
  EXPECT_EQ(hash(Column::OfInstants(wide, 2, TimeUnit::kMicrosecond)),
            (std::vector<uint64_t>{bytes(wide[0]), bytes(wide[1])}));
  EXPECT_EQ(hash(Column::OfDecimals(wide, 2, 2)), (std::vector<uint64_t>{bytes(wide[0]), bytes(wide[1])}));
  Column in_form = Column::OfNumbers(narrow, 2);
  ASSERT_TRUE(IsOk(in_form.SetForm(KeyForm::kReal)));
  uint64_t unused[2];
  EXPECT_TRUE(Says(StatusCode::kIncompatible, HashColumns(in_form, parquet, unused), "keeps the form"));
  EXPECT_TRUE(Says(StatusCode::kIncompatible,
                   HashColumns(Column::OfInstants(wide, 2, TimeUnit::kSecond), parquet, unused), "no seconds"));
  Filter of_parquet;
  FilterOptions options = FilterOptions::AtBitsPerKey(20);
  options.hash_id = HashId::kParquet;
  ASSERT_TRUE(IsOk(of_parquet.Create(10, options)));
  EXPECT_EQ(Selected(of_parquet, Column::OfNumbers(real, 2), StatusCode::kIncompatible, "ParquetQuestion"),
            FirstRows(2));
  Column with_nulls = Column::OfNumbers(narrow, 2);
  with_nulls.SetNulls(Nulls::kAsValue);
  EXPECT_TRUE(Says(StatusCode::kIncompatible, HashColumns(with_nulls, parquet, unused), "no nulls"));
}

}  // namespace
}  // namespace linefilter::test
