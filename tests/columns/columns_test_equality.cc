// Equality: values that an SQL join takes for equal are one key, whatever the types of the two columns, as soon as both
// have the form of the comparison. What cannot be told is refused.
#include <cmath>
#include <limits>

#include "linefilter/builder.h"
#include "linefilter/view.h"
#include "tests/columns/columns_test.h"

namespace linefilter::test {
namespace {

// A column of one type that holds some values of the comparison, in their order.
struct Side {
  std::string name;
  Column column;
};

void ExpectNoRowLost(const Side& build, const Side& probe) {
  SCOPED_TRACE(build.name + " = " + probe.name);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(16))));
  ASSERT_TRUE(IsOk(AddColumn(build.column, &filter)));
  std::vector<uint32_t> rows(probe.column.size());
  size_t n = 0;
  ASSERT_TRUE(
      IsOk(SelectMaybes(filter, probe.column, static_cast<const uint32_t*>(nullptr), rows.size(), rows.data(), &n)));
  ASSERT_EQ(n, rows.size());
}

void ExpectNoPairLoses(const std::vector<Side>& sides) {
  for (const Side& build : sides) {
    for (const Side& probe : sides) ASSERT_NO_FATAL_FAILURE(ExpectNoRowLost(build, probe));
  }
}

Column InForm(Column column, KeyForm form) {
  EXPECT_TRUE(IsOk(column.SetForm(form)));
  return column;
}

template <class T>
std::vector<T> Cast(const std::vector<int>& values) {
  std::vector<T> cast;
  for (const int value : values) cast.push_back(static_cast<T>(value));
  return cast;
}

// Integers of every width, with the values that all of them have, and the negative ones of those with a sign.
TEST(Equality, IntegersOfEveryWidthAreOneKey) {
  const std::vector<int> unsigned_values = {0, 1, 2, 100, 127}, signed_values = {-128, -1, 0, 1, 127};
  const auto i8 = Cast<int8_t>(signed_values);
  const auto i16 = Cast<int16_t>(signed_values);
  const auto i32 = Cast<int32_t>(signed_values);
  const auto i64 = Cast<int64_t>(signed_values);
  ExpectNoPairLoses({{"int8", Column::OfNumbers(i8.data(), 5)},
                     {"int16", Column::OfNumbers(i16.data(), 5)},
                     {"int32", Column::OfNumbers(i32.data(), 5)},
                     {"int64", Column::OfNumbers(i64.data(), 5)},
                     {"decimal of scale 0", Column::OfDecimals(i64.data(), 5, 0)}});
  const auto u8 = Cast<uint8_t>(unsigned_values);
  const auto u16 = Cast<uint16_t>(unsigned_values);
  const auto u32 = Cast<uint32_t>(unsigned_values);
  const auto u64 = Cast<uint64_t>(unsigned_values);
  const auto s8 = Cast<int8_t>(unsigned_values);
  ExpectNoPairLoses({{"uint8", Column::OfNumbers(u8.data(), 5)},
                     {"uint16", Column::OfNumbers(u16.data(), 5)},
                     {"uint32", Column::OfNumbers(u32.data(), 5)},
                     {"uint64", Column::OfNumbers(u64.data(), 5)},
                     {"int8", Column::OfNumbers(s8.data(), 5)}});
}

// 2^53 + 1 is no double: engines round it, so as doubles it equals 2^53.
TEST(Equality, IntegersAndDoublesAreComparedAsDoubles) {
  const int64_t big = int64_t{1} << 53;
  const std::vector<int64_t> integers = {0, 0, -1, 7, big, big + 1};
  const std::vector<double> doubles = {0.0, -0.0, -1.0, 7.0, 9007199254740992.0, 9007199254740992.0};
  ExpectNoPairLoses({{"int64", InForm(Column::OfNumbers(integers.data(), 6), KeyForm::kReal)},
                     {"double", Column::OfNumbers(doubles.data(), 6)}});
  const std::vector<float> floats = {0.0f, -0.0f, 0.1f, -2.5f, std::numeric_limits<float>::denorm_min(), INFINITY};
  const std::vector<double> widened(floats.begin(), floats.end());
  ExpectNoPairLoses({{"float", Column::OfNumbers(floats.data(), 6)}, {"double", Column::OfNumbers(widened.data(), 6)}});
}

TEST(Equality, AllNansAreOneKeyAndBothZerosAre) {
  const std::vector<double> one = {NAN, 0.0}, other = {-std::nan("77"), -0.0};
  const std::vector<float> third = {-std::nanf("5"), -0.0f};
  ExpectNoPairLoses({{"NaN", Column::OfNumbers(one.data(), 2)},
                     {"another NaN", Column::OfNumbers(other.data(), 2)},
                     {"one of float", Column::OfNumbers(third.data(), 2)}});
}

// A denormal float is the double of its value, to the bit, whatever the mode of the CPU.
TEST(Equality, DenormalFloatsAreTheirDoubles) {
  const uint32_t patterns[] = {1, 2, 0x7fffff, 0x80000001, 0x807fffff, 0x00800000};
  float floats[6];
  std::memcpy(floats, patterns, sizeof(patterns));
  double doubles[6];
  for (int i = 0; i < 6; ++i) doubles[i] = floats[i];
  uint64_t of_floats[6], of_doubles[6];
  ASSERT_TRUE(IsOk(HashColumns(Column::OfNumbers(floats, 6), KeyHash(), of_floats)));
  ASSERT_TRUE(IsOk(HashColumns(Column::OfNumbers(doubles, 6), KeyHash(), of_doubles)));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(of_floats[i], of_doubles[i]) << i;
}

TEST(Equality, DecimalsOfAnyScaleAreComparedAtTheLargest) {
  const std::vector<int32_t> tenths = {15, -20, 0, 99999};
  const std::vector<int64_t> thousandths = {1500, -2000, 0, 9999900};
  constexpr uint64_t kOne = 1;
  std::vector<uint8_t> wide(4 * 16);  // millionths, in the order of the machine
  for (size_t i = 0; i < 4; ++i) {
    const int64_t value = thousandths[i] * 1000, halves[] = {value, value < 0 ? -1 : 0};
    const bool is_little = WordBytes(1) == std::string_view(reinterpret_cast<const char*>(&kOne), sizeof(kOne));
    std::memcpy(wide.data() + 16 * i, &halves[is_little ? 0 : 1], 8);
    std::memcpy(wide.data() + 16 * i + 8, &halves[is_little ? 1 : 0], 8);
  }
  ExpectNoPairLoses({{"tenths", InForm(Column::OfDecimals(tenths.data(), 4, 1), DecimalForm(6))},
                     {"thousandths", InForm(Column::OfDecimals(thousandths.data(), 4, 3), DecimalForm(6))},
                     {"millionths", Column::OfDecimals128(wide.data(), 4, 6)}});
  const std::vector<int32_t> integers = {7, -7};
  const std::vector<int64_t> hundredths = {700, -700};
  ExpectNoPairLoses({{"integers", InForm(Column::OfNumbers(integers.data(), 2), DecimalForm(2))},
                     {"hundredths", Column::OfDecimals(hundredths.data(), 2, 2)}});
}

TEST(Equality, InstantsOfEveryUnitAreOneKey) {
  const int64_t days = 20000;
  const int32_t day32 = 20000;
  const std::vector<int64_t> of_day = {days}, of_second = {days * 86400}, of_ms = {days * 86400000},
                             of_us = {days * 86400000000}, of_ns = {days * 86400000000000};
  ExpectNoPairLoses({{"date", Column::OfInstants(&day32, 1, TimeUnit::kDay)},
                     {"days", Column::OfInstants(of_day.data(), 1, TimeUnit::kDay)},
                     {"seconds", Column::OfInstants(of_second.data(), 1, TimeUnit::kSecond)},
                     {"milliseconds", Column::OfInstants(of_ms.data(), 1, TimeUnit::kMillisecond)},
                     {"microseconds", Column::OfInstants(of_us.data(), 1, TimeUnit::kMicrosecond)},
                     {"nanoseconds", Column::OfInstants(of_ns.data(), 1, TimeUnit::kNanosecond)}});
}

// The year 294,247 has too many nanoseconds for 64 bits: it is still one key in each unit.
TEST(Equality, InstantsBeyond64BitsOfNanosecondsAreOneKey) {
  const int64_t seconds = 9223372036854, microseconds = 9223372036854000000;
  ExpectNoPairLoses({{"seconds", Column::OfInstants(&seconds, 1, TimeUnit::kSecond)},
                     {"microseconds", Column::OfInstants(&microseconds, 1, TimeUnit::kMicrosecond)}});
}

TEST(Equality, PaddedTextsAreComparedWithoutTheSpacesAtTheirEnd) {
  const std::string_view varchar[] = {"ab", "", "a b "}, padded[] = {"ab      ", "        ", "a b     "};
  ExpectNoPairLoses({{"VARCHAR", InForm(Column::OfTexts(varchar, 3), KeyForm::kPaddedText)},
                     {"CHAR(8)", InForm(Column::OfTexts(padded, 3), KeyForm::kPaddedText)},
                     {"bytes", InForm(Column::OfFixedBytes("ab              a b     ", 8, 3), KeyForm::kPaddedText)}});
}

// A collation without case, as a caller makes it.
bool LowerCase(void* context, const std::string_view* texts, size_t n, std::string_view* canonical) noexcept {
  auto& memory = *static_cast<std::deque<std::string>*>(context);
  for (size_t i = 0; i < n; ++i) {
    std::string& text = memory.emplace_back(texts[i]);
    for (char& c : text) c = static_cast<char>(std::tolower(c));
    canonical[i] = text;
  }
  return true;
}

TEST(Equality, ACollationIsWhatTheCallerMakesCanonical) {
  std::deque<std::string> memory;
  const std::string_view one[] = {"Berlin", "PARIS"}, other[] = {"BERLIN", "paris"};
  Column build = Column::OfTexts(one, 2), probe = Column::OfTexts(other, 2);
  ASSERT_TRUE(IsOk(build.SetCanonical({LowerCase, &memory})));
  ASSERT_TRUE(IsOk(probe.SetCanonical({LowerCase, &memory})));
  ExpectNoPairLoses({{"mixed case", build}, {"another", probe}});
}

TEST(Equality, ANullIsAKeyWhereItIsAValueHoweverItIsStored) {
  const int64_t values[] = {5, 6};
  const uint8_t second_is_null = 1, first_index_is_null = 2;
  Column plain = Column::OfNumbers(values, 2);
  plain.SetValidity(&second_is_null);
  const uint8_t indices[] = {0, 1};
  Column inner_null = Column::OfDictionary(Column::OfNumbers(indices, 2), &plain);
  const Column no_nulls = Column::OfNumbers(values, 2);
  Column keys = Column::OfNumbers(indices, 2);
  keys.SetValidity(&first_index_is_null);
  Column of_index = Column::OfDictionary(keys, &no_nulls);
  for (Column* column : {&plain, &inner_null, &of_index}) column->SetNulls(Nulls::kAsValue);
  Column nulls = Column::OfNulls(2);
  nulls.SetNulls(Nulls::kAsValue);
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, FilterOptions::AtBitsPerKey(20))));
  ASSERT_TRUE(IsOk(AddColumn(nulls, &filter)));
  const auto selected = [&](const Column& column) {
    std::vector<uint32_t> rows(2);
    size_t n = 0;
    EXPECT_TRUE(IsOk(SelectMaybes(filter, column, static_cast<const uint32_t*>(nullptr), 2, rows.data(), &n)));
    rows.resize(n);
    return rows;
  };
  EXPECT_EQ(selected(plain), std::vector<uint32_t>{1});
  EXPECT_EQ(selected(inner_null), std::vector<uint32_t>{1});
  EXPECT_EQ(selected(of_index), std::vector<uint32_t>{0});
}

TEST(Equality, RefusesAFormThatTheValuesCannotTake) {
  const int64_t integer = 1;
  const double real = 1;
  const std::string_view text = "a";
  const auto refused = [](Column column, KeyForm form, const char* words) {
    return Says(StatusCode::kIncompatible, column.SetForm(form), words);
  };
  EXPECT_TRUE(refused(Column::OfNumbers(&real, 1), KeyForm::kInteger, "compare both sides as kReal"));
  EXPECT_TRUE(refused(Column::OfNumbers(&real, 1), DecimalForm(2), "compare both sides as kReal"));
  EXPECT_TRUE(refused(Column::OfNumbers(&integer, 1), KeyForm::kInstant, "OfInstants"));
  EXPECT_TRUE(refused(Column::OfNumbers(&integer, 1), KeyForm::kText, "it has numbers"));
  EXPECT_TRUE(refused(Column::OfDecimals(&integer, 1, 3), DecimalForm(2), "take the larger"));
  EXPECT_TRUE(refused(Column::OfDecimals(&integer, 1, 3), KeyForm::kInteger, "take the larger"));
  EXPECT_TRUE(refused(Column::OfDecimals(&integer, 1, 3), KeyForm::kReal, "compare them as decimals"));
  EXPECT_TRUE(refused(Column::OfInstants(&integer, 1, TimeUnit::kDay), KeyForm::kReal, "instants"));
  EXPECT_TRUE(refused(Column::OfTexts(&text, 1), KeyForm::kInteger, "it has texts"));
  EXPECT_TRUE(refused(Column::OfTexts(&text, 1), KeyForm::kCanonicalText, "SetCanonical"));
  EXPECT_TRUE(refused(Column::OfNumbers(&integer, 1), DecimalForm(39), "'unknown'"));
  Column column = Column::OfNumbers(&integer, 1);
  EXPECT_TRUE(Says(StatusCode::kIncompatible, column.SetCanonical({LowerCase, nullptr}), "of texts"));
  Column texts = Column::OfTexts(&text, 1);
  EXPECT_TRUE(Says(StatusCode::kIncompatible, texts.SetCanonical({}), "a function"));
}

}  // namespace
}  // namespace linefilter::test
