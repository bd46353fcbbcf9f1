// Columns of C have the hashes, the rows and the image bytes of those of C++.
#include <atomic>
#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/c.h"
#include "linefilter/columns.h"
#include "linefilter/filter.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

constexpr size_t kRows = 3000;

struct Pair {
  std::string name;
  Column cpp;
  linefilter_column c;
};

// What the columns are made of: words, most of which are met twice, and texts within bytes.
struct Arrays {
  Arrays() : words(RandomHashes(kRows + 1, 5)), bytes(40 * kRows, 'x'), validity(kRows / 8 + 1) {
    for (size_t i = 0; i < kRows; ++i) {
      words[i] %= 1000;
      indices.push_back(static_cast<uint16_t>(words[i]));
      ends.push_back(static_cast<int32_t>(2 * i + 1));
      const auto begin = static_cast<int32_t>(i / 2 * 29);
      offsets.push_back(begin);
      large_offsets.push_back(begin);
      bytes[static_cast<size_t>(begin)] = static_cast<char>(i);
      const uint32_t view[4] = {static_cast<uint32_t>(i % 12), static_cast<uint32_t>(i / 2), 0, 0};
      views.insert(views.end(), view, view + 4);
    }
    offsets.push_back(offsets.back() + 29);
    large_offsets.push_back(offsets.back());
    for (size_t i = 0; i < validity.size(); ++i) validity[i] = static_cast<uint8_t>(i * 37 | 3);
  }

  std::vector<uint64_t> words;
  std::string bytes;
  std::vector<uint8_t> validity;
  std::vector<uint16_t> indices;
  std::vector<int32_t> ends, offsets;
  std::vector<int64_t> large_offsets;
  std::vector<uint32_t> views;
};

template <class T>
void AddNumbers(const Arrays& arrays, linefilter_number type, std::vector<Pair>* pairs) {
  const void* const values = arrays.words.data();
  pairs->push_back({"number " + std::to_string(type), Column::OfNumbers(static_cast<const T*>(values), kRows),
                    linefilter_column_of_numbers(type, values, kRows)});
}

template <class T>
void AddInstantsAndDecimals(const Arrays& arrays, linefilter_number type, std::vector<Pair>* pairs) {
  const T* const values = reinterpret_cast<const T*>(arrays.words.data());
  for (int unit = 0; unit < 5; ++unit) {
    pairs->push_back({"unit " + std::to_string(unit), Column::OfInstants(values, kRows, static_cast<TimeUnit>(unit)),
                      linefilter_column_of_instants(type, values, kRows, unit)});
  }
  pairs->push_back(
      {"decimal", Column::OfDecimals(values, kRows, 2), linefilter_column_of_decimals(type, values, kRows, 2)});
  pairs->push_back(pairs->back());
  EXPECT_TRUE(IsOk(pairs->back().cpp.SetForm(DecimalForm(5))));
  EXPECT_EQ(linefilter_column_set_form(&pairs->back().c, linefilter_key_form_of_decimals(5), nullptr), LINEFILTER_OK);
}

void AddAllNumbers(const Arrays& arrays, std::vector<Pair>* pairs) {
  AddNumbers<int8_t>(arrays, LINEFILTER_NUMBER_INT8, pairs);
  AddNumbers<int16_t>(arrays, LINEFILTER_NUMBER_INT16, pairs);
  AddNumbers<int32_t>(arrays, LINEFILTER_NUMBER_INT32, pairs);
  AddNumbers<int64_t>(arrays, LINEFILTER_NUMBER_INT64, pairs);
  AddNumbers<uint8_t>(arrays, LINEFILTER_NUMBER_UINT8, pairs);
  AddNumbers<uint16_t>(arrays, LINEFILTER_NUMBER_UINT16, pairs);
  AddNumbers<uint32_t>(arrays, LINEFILTER_NUMBER_UINT32, pairs);
  AddNumbers<uint64_t>(arrays, LINEFILTER_NUMBER_UINT64, pairs);
  AddNumbers<float>(arrays, LINEFILTER_NUMBER_FLOAT, pairs);
  AddNumbers<double>(arrays, LINEFILTER_NUMBER_DOUBLE, pairs);
  AddInstantsAndDecimals<int32_t>(arrays, LINEFILTER_NUMBER_INT32, pairs);
  AddInstantsAndDecimals<int64_t>(arrays, LINEFILTER_NUMBER_INT64, pairs);
  const void* const wide = arrays.words.data();
  pairs->push_back({"int128", Column::OfDecimals128(wide, kRows / 2, 3),
                    linefilter_column_of_decimals(LINEFILTER_NUMBER_INT128, wide, kRows / 2, 3)});
}

void AddTexts(const Arrays& arrays, std::vector<Pair>* pairs) {
  const char* const bytes = arrays.bytes.data();
  const uint32_t* const views = arrays.views.data();
  pairs->push_back({"texts", Column::OfTexts(arrays.offsets.data(), bytes, kRows),
                    linefilter_column_of_texts(arrays.offsets.data(), bytes, kRows)});
  pairs->push_back(pairs->back());
  EXPECT_TRUE(IsOk(pairs->back().cpp.SetForm(KeyForm::kPaddedText)));
  linefilter_column_set_form(&pairs->back().c, LINEFILTER_KEY_FORM_PADDED_TEXT, nullptr);
  pairs->push_back({"large texts", Column::OfTexts(arrays.large_offsets.data(), bytes, kRows),
                    linefilter_column_of_large_texts(arrays.large_offsets.data(), bytes, kRows)});
  pairs->push_back(
      {"fixed bytes", Column::OfFixedBytes(bytes, 29, kRows), linefilter_column_of_fixed_bytes(bytes, 29, kRows)});
  pairs->push_back(
      {"views", Column::OfViews(views, nullptr, 0, kRows), linefilter_column_of_views(views, nullptr, 0, kRows)});
  pairs->push_back(
      {"pointer views", Column::OfPointerViews(views, kRows), linefilter_column_of_pointer_views(views, kRows)});
}

// This makes what lies around each plain column with some nulls. `values` are kept as long as the pairs.
void AddAround(const Arrays& arrays, const Pair& values, std::vector<Pair>* pairs) {
  const Column indices = Column::OfNumbers(arrays.indices.data(), kRows);
  const Column ends = Column::OfNumbers(arrays.ends.data(), 1000);
  const linefilter_column c_indices =
      linefilter_column_of_numbers(LINEFILTER_NUMBER_UINT16, arrays.indices.data(), kRows);
  const linefilter_column c_ends = linefilter_column_of_numbers(LINEFILTER_NUMBER_INT32, arrays.ends.data(), 1000);
  pairs->push_back({"dictionary of " + values.name, Column::OfDictionary(indices, &values.cpp),
                    linefilter_column_of_dictionary(&c_indices, &values.c)});
  pairs->push_back({"runs of " + values.name, Column::OfRuns(ends, &values.cpp, 1999),
                    linefilter_column_of_runs(&c_ends, &values.c, 1999)});
  pairs->push_back({"constant of " + values.name, Column::OfConstant(&values.cpp, 99),
                    linefilter_column_of_constant(&values.c, 99)});
}

template <class Handle, class Image>
std::string TakenImage(Handle* handle, const Image& make) {
  size_t size = 0;
  void* const image = make(handle, &size, nullptr);
  const std::string bytes(static_cast<char*>(image), size);
  linefilter_image_free(image);
  return bytes;
}

// A filter of every third row is asked for all of them.
void ExpectTheSame(const Pair& pair) {
  SCOPED_TRACE(pair.name);
  const size_t n = pair.cpp.size(), third = n / 3;
  ASSERT_EQ(linefilter_column_size(&pair.c), n);
  EXPECT_EQ(linefilter_column_form(&pair.c), static_cast<linefilter_key_form>(pair.cpp.form()));
  EXPECT_EQ(linefilter_column_nulls(&pair.c), static_cast<linefilter_nulls>(pair.cpp.nulls()));
  std::vector<uint64_t> hashes(n), of_c(n);
  ASSERT_TRUE(IsOk(HashColumns(pair.cpp, KeyHash(), hashes.data())));
  ASSERT_EQ(linefilter_hash_columns(&pair.c, 1, LINEFILTER_HASH_XXH3, 0, nullptr, of_c.data(), nullptr), LINEFILTER_OK);
  EXPECT_EQ(of_c, hashes);

  linefilter_options options;
  linefilter_options_init(&options, sizeof(options));
  options.bits_per_key = 12;
  Filter filter = Created<Filter>(third, FilterOptions::AtBitsPerKey(12));
  linefilter_filter* const c_filter = linefilter_filter_new(third, &options, nullptr);
  linefilter_builder* const builder = linefilter_builder_new(&options, nullptr);
  const linefilter_column slice = linefilter_column_slice(&pair.c, third, third);
  ASSERT_TRUE(IsOk(AddColumn(pair.cpp.Slice(third, third), &filter)));
  ASSERT_EQ(linefilter_filter_add_column(c_filter, &slice, 1, nullptr), LINEFILTER_OK);
  ASSERT_EQ(linefilter_builder_add_column(builder, &slice, 1, nullptr), LINEFILTER_OK);
  EXPECT_TRUE(TakenImage(c_filter, linefilter_filter_image) == ImageOf(filter));
  FilterBuilder cpp_builder(FilterOptions::AtBitsPerKey(12));
  ASSERT_TRUE(IsOk(AddColumn(pair.cpp.Slice(third, third), &cpp_builder)));
  EXPECT_TRUE(TakenImage(builder, linefilter_builder_finish) == Finish(&cpp_builder));

  std::vector<uint32_t> rows(n), c_rows(n);
  size_t num_rows = 0, num_c_rows = 0;
  const uint32_t* const all = nullptr;
  ASSERT_TRUE(IsOk(SelectMaybes(filter, pair.cpp, all, n, rows.data(), &num_rows)));
  const linefilter_view* const view = linefilter_filter_view(c_filter);
  ASSERT_EQ(linefilter_view_select_maybes(view, &pair.c, 1, nullptr, n, c_rows.data(), &num_c_rows, nullptr),
            LINEFILTER_OK);
  EXPECT_EQ(num_c_rows, num_rows);
  EXPECT_EQ(c_rows, rows);
  EXPECT_EQ(linefilter_view_key_forms(view), filter.key_forms());
  linefilter_builder_free(builder);
  linefilter_filter_free(c_filter);
}

TEST(CApi, ColumnsAreThoseOfTheCppApi) {
  const Arrays arrays;
  std::vector<Pair> plain, around;
  AddAllNumbers(arrays, &plain);
  AddTexts(arrays, &plain);
  plain.push_back({"nulls", Column::OfNulls(kRows), linefilter_column_of_nulls(kRows)});
  for (size_t i = 0; i < plain.size(); ++i) {
    plain[i].cpp.SetValidity(arrays.validity.data(), i % 3);
    linefilter_column_set_validity(&plain[i].c, arrays.validity.data(), i % 3);
    plain[i].cpp.SetNulls(static_cast<Nulls>(i % 3));
    linefilter_column_set_nulls(&plain[i].c, static_cast<linefilter_nulls>(i % 3));
  }
  for (const Pair& pair : plain) AddAround(arrays, pair, &around);
  EXPECT_GE(plain.size(), 30u);
  for (const Pair& pair : plain) ExpectTheSame(pair);
  for (const Pair& pair : around) ExpectTheSame(pair);
}

// A collation without case, for any thread.
bool Lower(void* context, const linefilter_text* texts, size_t n, linefilter_text* canonical) noexcept {
  thread_local std::vector<std::string> lower(LINEFILTER_MAX_TEXTS);
  for (size_t i = 0; i < n; ++i) {
    lower[i].assign(texts[i].data, texts[i].size);
    for (char& c : lower[i]) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    canonical[i] = {lower[i].data(), lower[i].size()};
  }
  static_cast<std::atomic<size_t>*>(context)->fetch_add(n);
  return true;
}

bool LowerInCpp(void* context, const std::string_view* texts, size_t n, std::string_view* canonical) noexcept {
  std::vector<linefilter_text> in, out(n);
  for (size_t i = 0; i < n; ++i) in.push_back({texts[i].data(), texts[i].size()});
  Lower(context, in.data(), n, out.data());
  for (size_t i = 0; i < n; ++i) canonical[i] = std::string_view(out[i].data, out[i].size);
  return true;
}

TEST(CApi, CanonicalTextsAreThoseOfTheCppApiForSeveralThreads) {
  std::string bytes(8 * kRows, 'x');
  const std::vector<uint64_t> random = RandomHashes(kRows, 6);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>((i % 3 == 0 ? 'a' : 'A') + random[i / 8] % (i % 8 + 5));
  }
  std::atomic<size_t> num_texts{0};
  Pair texts = {"canonical", Column::OfFixedBytes(bytes.data(), 8, kRows),
                linefilter_column_of_fixed_bytes(bytes.data(), 8, kRows)};
  ASSERT_TRUE(IsOk(texts.cpp.SetCanonical({LowerInCpp, &num_texts})));
  ASSERT_EQ(linefilter_column_set_canonical(&texts.c, Lower, &num_texts, nullptr), LINEFILTER_OK);
  const Arrays arrays;
  std::vector<Pair> around;
  AddAround(arrays, texts, &around);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back([&texts] { ExpectTheSame(texts); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(num_texts.load(), kRows);
  ExpectTheSame(around.back());
}

}  // namespace
}  // namespace linefilter::test
