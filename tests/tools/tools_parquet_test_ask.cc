// linefilter parquet --ask: a value as people write it finds the row groups that store it, in every form. Each fault by
// which engines lost rows in 2026 (tests/parquet/parquet_faults_test.cc) is here once more, through the program.
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/testing/parquet_file.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;
using Physical = ParquetPhysicalType;
using Logical = ParquetLogicalType;
using Type = ParquetColumnType;
using Unit = ParquetTimeUnit;

uint64_t HashOf(const std::string& bytes) { return ParquetHashBytes(bytes.data(), bytes.size()); }

class ToolsParquetAskTest : public ToolsTest {
 protected:
  // A file whose row group 0 stores these values in column c, and whose row group 1 stores another one.
  void Store(const Type& type, const std::vector<uint64_t>& hashes, int converted = -1) {
    const TestChunk first = {ParquetFilterOf(hashes)}, second = {ParquetFilterOf({HashOf("another value")})};
    file_ = dir_.Write("file.parquet", ParquetFileOf({{"c", type, converted, {first, second}}}));
  }
  json Ask(const std::string& value, int exit_code) {
    return Json({"parquet", file_, "--ask", "c=" + value}, exit_code);
  }
  // Row group 0 may have it, 1 has not: the filters were asked.
  void Finds(const std::string& value) {
    const json all = Ask(value, 0);
    EXPECT_EQ(all["row_groups"][0]["answer"], "maybe") << value;
    EXPECT_EQ(all["row_groups"][1]["answer"], "absent") << value;
    EXPECT_EQ(all["maybe"], 1) << value;
    EXPECT_EQ(all["absent"], 1) << value;
  }
  void FindsNone(const std::string& value, const std::string& reason = "the filter was asked") {
    ExpectAll(value, "absent", reason, 1);
  }
  void CannotTell(const std::string& value, const std::string& reason) { ExpectAll(value, "maybe", reason, 0); }
  void ExpectAll(const std::string& value, const std::string& answer, const std::string& words, int exit_code) {
    const json all = Ask(value, exit_code);
    for (const json& row : all["row_groups"]) {
      EXPECT_EQ(row["answer"], answer) << value;
      const std::string reason = row["reason"];
      EXPECT_NE(reason.find(words), std::string::npos) << value << ": " << reason;
    }
  }
  void Refuses(const std::string& value, const std::string& words) {
    const RunResult result = Run({"parquet", file_, "--ask", "c=" + value});
    EXPECT_EQ(result.exit_code, 2) << value;
    EXPECT_EQ(result.out, "") << value;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }

  std::string file_;
};

constexpr char kOutside[] = "cannot hold the value", kInexact[] = "cannot be converted exactly",
               kNan[] = "NaN has many";
constexpr char kZone[] = "the other a local time";

TEST_F(ToolsParquetAskTest, ZeroHasTwoSigns) {
  for (const double stored : {0.0, -0.0}) {
    Store(Type::Plain(Physical::kDouble), {ParquetHashDouble(stored)});
    for (const char* zero : {"0", "-0", "0.0", "-0.0", "0e5"}) Finds(zero);
    FindsNone("1.0");
    Store(Type::Plain(Physical::kFloat), {ParquetHashFloat(static_cast<float>(stored))});
    for (const char* zero : {"0", "-0.0"}) Finds(zero);
    Store(Type::Of(Logical::kFloat16), {HashOf(std::string("\0", 1) + (std::signbit(stored) ? '\x80' : '\0'))});
    for (const char* zero : {"0", "-0.0"}) Finds(zero);
  }
}

TEST_F(ToolsParquetAskTest, RealNumbers) {
  Store(Type::Plain(Physical::kDouble), {ParquetHashDouble(0.1), ParquetHashDouble(HUGE_VAL), ParquetHashDouble(-3)});
  for (const char* value : {"0.1", "1e-1", "0.1000000000000000055", "inf", "-3", "-3.0", "+inf"}) Finds(value);
  FindsNone("-inf");
  for (const char* nan : {"nan", "NaN", "-nan"}) CannotTell(nan, kNan);
  // Between two numbers of the column, or beyond all: engines differ in what they make of it.
  for (const char* value : {"9007199254740993", "1e400", "1e-400"}) CannotTell(value, kInexact);
  for (const char* word : {"", "-", ".", "1e", "1e99999", "0x1p3", "1 ", "one", "1..2", "infinit"}) {
    Refuses(word, "is no number");
  }
  Store(Type::Plain(Physical::kFloat), {ParquetHashFloat(0.1f)});
  for (const char* value : {"0.1", "0.100000001490116"}) Finds(value);
  CannotTell("16777217", kInexact);
  CannotTell("1e39", kInexact);
  Store(Type::Of(Logical::kFloat16), {HashOf(std::string("\x00\x3e", 2))});
  Finds("1.5");
  CannotTell("0.1", kInexact);
}

TEST_F(ToolsParquetAskTest, BytesAreNotTheirPrintedForm) {
  Store(Type::Plain(Physical::kByteArray), {HashOf("\xff"), HashOf("plain"), HashOf("")});
  for (const char* bytes : {"0xff", "0xFF", "0x706c61696e", "0x"}) Finds(bytes);
  FindsNone("0x5c786666");  // \xff as it is printed
  for (const char* text : {"\\xff", "plain", ""}) CannotTell(text, "ask by the bytes that it stores");
  for (const char* wrong : {"0xf", "0xfg", "0xff0"}) Refuses(wrong, "two hexadecimal digits");
  Store(Type::Of(Logical::kBson), {HashOf("\xff")});
  Finds("0xff");
  Store(Type::Plain(Physical::kInt96), {HashOf(std::string(12, '\x01'))});
  Finds("0x010101010101010101010101");
  CannotTell("2024-01-01T00:00:00", "");
}

TEST_F(ToolsParquetAskTest, DecimalsHaveAWidthAndAnOrder) {
  const std::vector<std::string> forms = {std::string("\x04\xd2", 2), std::string("\0\0\x04\xd2", 4),
                                          std::string(14, '\0') + std::string("\x04\xd2", 2)};
  for (const std::string& form : forms) {
    const int32_t length = static_cast<int32_t>(form.size());
    for (const Type& type :
         {Type::Decimal(Physical::kFixedLenByteArray, 4, 2, length), Type::Decimal(Physical::kByteArray, 4, 2)}) {
      Store(type, {HashOf(form)});
      for (const char* value : {"12.34", "12.3400", "1234e-2", "0.01234e3", "+12.34"}) Finds(value);
      for (const char* value : {"12.35", "-12.34", "123.4"}) FindsNone(value);
      FindsNone("12.345", kOutside);
    }
  }
  Store(Type::Decimal(Physical::kFixedLenByteArray, 20, 0, 9), {HashOf(std::string(9, '\xff'))});
  Finds("-1");
  Store(Type::Decimal(Physical::kInt32, 4, 1), {ParquetHashInt32(15)});
  for (const char* value : {"1.5", "1.50"}) Finds(value);
  FindsNone("15");
  Store(Type::Decimal(Physical::kInt64, 4, 2), {ParquetHashInt64(200)});
  for (const char* value : {"2", "2.00"}) Finds(value);
  const std::string digits(76, '9');
  FindsNone(digits, kOutside);
  Refuses(digits + "99", "more digits");
}

TEST_F(ToolsParquetAskTest, SmallIntegersHaveASign) {
  Store(Type::Integer(8, true), {ParquetHashInt32(-56)});
  Finds("-56");
  FindsNone("200", kOutside);
  Store(Type::Integer(8, false), {ParquetHashInt32(200)});
  for (const char* value : {"200", "2e2", "200.0"}) Finds(value);
  FindsNone("-56", kOutside);
  Store(Type::Integer(16, false), {ParquetHashInt32(65534)});
  Finds("65534");
  Store(Type::Integer(32, false), {ParquetHashInt32(-1)});
  Finds("4294967295");
  Store(Type::Integer(64, false), {ParquetHashInt64(-1)});
  Finds("18446744073709551615");
  // The same, as old writers tell it: UINT_8 is 11.
  Store(Type::Plain(Physical::kInt32), {ParquetHashInt32(200)}, 11);
  Finds("200");
  FindsNone("-56", kOutside);
}

TEST_F(ToolsParquetAskTest, ConstantsOutsideOfTheType) {
  Store(Type::Plain(Physical::kInt32), {ParquetHashInt32(705032704)});
  FindsNone("5000000000", kOutside);  // its lower half is there
  FindsNone("1.5", kOutside);
  Store(Type::Integer(8, false), {ParquetHashInt32(44)});
  FindsNone("300", kOutside);
  Store(Type::Plain(Physical::kInt64), {ParquetHashInt64(-1)});
  FindsNone("18446744073709551615", kOutside);
  Finds("-1");
  Store(Type::Of(Logical::kDate), {ParquetHashInt32(0)});
  FindsNone("9999999-01-01", kOutside);
}

TEST_F(ToolsParquetAskTest, Dates) {
  const std::vector<std::pair<const char*, int32_t>> days = {
      {"1970-01-01", 0},       {"1969-12-31", -1},       {"2022-01-08", 19000},   {"2000-02-29", 11016},
      {"0001-01-01", -719162}, {"-0001-12-31", -719529}, {"0000-01-01", -719528}, {"9999-12-31", 2932896}};
  for (const auto& [text, stored] : Some(days)) {
    Store(Type::Of(Logical::kDate), {ParquetHashInt32(stored)});
    Finds(text);
  }
  for (const char* wrong : {"19000", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1",
                            "2024-01-01T00:00", "today", ""}) {
    Refuses(wrong, "is no date");
  }
}

TEST_F(ToolsParquetAskTest, TimesHaveAUnitAndAZone) {
  Store(Type::Timestamp(Unit::kMillis, true), {ParquetHashInt64(1700000000000)});
  for (const char* value : {"2023-11-14T22:13:20Z", "2023-11-14 22:13:20.000Z", "2023-11-14T22:13:20.000000000Z"}) {
    Finds(value);
  }
  FindsNone("2023-11-14T22:13:20.0001Z", kOutside);
  CannotTell("2023-11-14T22:13:20", kZone);
  Store(Type::Timestamp(Unit::kNanos, false), {ParquetHashInt64(-1)});
  Finds("1969-12-31T23:59:59.999999999");
  FindsNone("9999-12-31T00:00:00", kOutside);
  Refuses("9999-12-31T00:00:00.123456789", "beyond what 64 bits count");
  Store(Type::Timestamp(Unit::kNanos, false), {ParquetHashInt64(INT64_MIN), ParquetHashInt64(INT64_MAX)});
  for (const char* end : {"1677-09-21T00:12:43.145224192", "2262-04-11T23:47:16.854775807"}) Finds(end);
  for (const char* beyond : {"1677-09-21T00:12:43.145224191", "2262-04-11T23:47:16.854775808"}) {
    Refuses(beyond, "beyond what 64 bits count");
  }
  Store(Type::Time(Unit::kMillis, false), {ParquetHashInt32(86399999)});
  Finds("23:59:59.999");
  FindsNone("23:59");
  CannotTell("23:59:59.999Z", kZone);
  for (const char* wrong :
       {"24:00:00", "23:60:00", "23:59:60", "23", "23:59:", "23:59:59.", "23:59.5", "1:00:00", "08:00+01:00"}) {
    Refuses(wrong, "is no time");
  }
  // TIMESTAMP_MILLIS (9) of an old writer counts from an instant.
  Store(Type::Plain(Physical::kInt64), {ParquetHashInt64(1000)}, 9);
  Finds("1970-01-01T00:00:01Z");
  for (const char* wrong : {"2024-01-01", "2024-01-01T", "2024-01-01T08:00:00+01:00"})
    Refuses(wrong, "is no timestamp");
}

TEST_F(ToolsParquetAskTest, TextsAndBytesOfAnotherLength) {
  Store(Type::Of(Logical::kString), {HashOf("abc"), HashOf("0xff"), HashOf("")});
  for (const char* text : {"abc", "0xff", ""}) Finds(text);
  for (const char* text : {"abc ", "ab", "ABC", "\xff"}) FindsNone(text);
  Store(Type::Plain(Physical::kFixedLenByteArray, 3), {HashOf("abc")});
  Finds("0x616263");
  FindsNone("0x61626320", kOutside);
  Store(Type::Of(Logical::kUuid),
        {HashOf(std::string("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff", 16))});
  for (const char* uuid : {"00112233-4455-6677-8899-aabbccddeeff", "00112233445566778899AABBCCDDEEFF",
                           "0x00112233445566778899aabbccddeeff"}) {
    Finds(uuid);
  }
  CannotTell("00112233", "the text is no UUID: ask by its 16 bytes");
}

TEST_F(ToolsParquetAskTest, TypesThatNobodyAsks) {
  constexpr char kNoType[] = "or none that can be asked by value";
  Store(Type::Plain(Physical::kBoolean), {1});
  CannotTell("true", kNoType);
  Store(Type::Of(Logical::kInterval), {1}, 21);
  CannotTell("1 day", kNoType);
  Type variant = Type::Plain(Physical::kByteArray);
  variant.logical = static_cast<Logical>(16);
  Store(variant, {1});
  CannotTell("x", kNoType);
}

// Where nothing is known of a row group its answer is "maybe"; the other row groups are "absent" all the same.
TEST_F(ToolsParquetAskTest, RowGroupsWithoutAFilterThatAnswers) {
  const std::string filter = ParquetFilterOf({ParquetHashInt64(7)});
  const Type type = Type::Plain(Physical::kInt64);
  TestChunk none, encrypted = {filter, true, true}, elsewhere = {filter, true, false, true}, damaged = {filter};
  damaged.filter[0] = '\x7f';
  file_ = dir_.Write("file.parquet",
                     ParquetFileOf({{"c", type, -1, {{filter}, none, encrypted, elsewhere, {filter, false}}}}));
  const json all = Ask("8", 0);
  const std::vector<std::pair<std::string, std::string>> expected = {{"absent", "asked for every form"},
                                                                     {"maybe", "no filter in this row group"},
                                                                     {"maybe", "encrypted"},
                                                                     {"maybe", "in another file"},
                                                                     {"absent", "asked for every form"}};
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(all["row_groups"][i]["answer"], expected[i].first) << i;
    EXPECT_NE(all["row_groups"][i]["reason"].get<std::string>().find(expected[i].second), std::string::npos) << i;
    EXPECT_EQ(all["row_groups"][i]["num_rows"], 10);
  }
  file_ = dir_.Write("file.parquet", ParquetFileOf({{"c", type, -1, {{filter}, damaged}}}));
  const json broken = Ask("8", 2);
  EXPECT_EQ(broken["row_groups"][0]["answer"], "absent");
  EXPECT_EQ(broken["row_groups"][1]["answer"], "maybe");
}

TEST_F(ToolsParquetAskTest, ColumnsHaveAPath) {
  const Type type = Type::Plain(Physical::kInt64);
  const TestChunk seven = {ParquetFilterOf({ParquetHashInt64(7)})}, eight = {ParquetFilterOf({ParquetHashInt64(8)})};
  file_ =
      dir_.Write("file.parquet",
                 ParquetFileOf({{"c.d.e", type, -1, {seven}}, {"c.d=1", type, -1, {eight}}, {"f", type, -1, {seven}}}));
  const auto ask = [&](const std::string& ask, int exit_code) {
    const RunResult result = Run({"parquet", file_, "--ask", ask});
    EXPECT_EQ(result.exit_code, exit_code) << ask << result.out << result.err;
    return result;
  };
  ask("c.d.e=7", 0);
  ask("c.d.e=8", 1);
  EXPECT_NE(ask("c.d.e=7", 0).out.find("\nrow_group"), std::string::npos) << "as text, too";
  ask("c.d=1=8", 0);
  ask("c.d=1=7", 1);
  EXPECT_NE(ask("c.d=7", 2).err.find("'c.d' is a group of columns: ask for one of them by its path, like c.d.e"),
            std::string::npos);
  EXPECT_NE(ask("e=7", 2).err.find("no column 'e': its columns are c.d.e, c.d=1, f"), std::string::npos);
  EXPECT_EQ(ask("=7", 2).out, "");
  file_ = dir_.Write("file.parquet", ParquetFileOf({{"f", type, -1, {seven}}, {"f", type, -1, {eight}}}));
  EXPECT_NE(ask("f=7", 2).err.find("two columns are meant"), std::string::npos);
}

// Row group 0 of the file has the values of 0 to 9, row group 1 those of 10 to 19 (tests/data/parquet/README.md).
TEST_F(ToolsParquetAskTest, OfDuckDb) {
  file_ = std::string(LINEFILTER_SOURCE_DIR) + "/tests/data/parquet/duckdb.parquet";
  const std::vector<std::pair<std::string, std::string>> members = {
      {"i8=-7", "i8=3"},
      {"u8=203", "u8=213"},
      {"i16=-21000", "i16=9000"},
      {"u16=9000", "u16=39000"},
      {"i32=-699999991", "i32=300000039"},
      {"u32=600000009", "u32=2600000039"},
      {"i64=-3228180212899171534", "i64=1383505805528216366"},
      {"u64=18446744073709551612", "u64=18446744073709551602"},
      {"f32=-0.875", "f32=0.375"},
      {"f64=-1", "f64=0.42857142857142855"},
      {"d4=-1.75", "d4=0.75"},
      {"d18=-7000000000", "d18=3e9"},
      {"str=k3", "str=k13"},
      {"blb=0xaa4433", "blb=0xaa4e3133"},
      {"dt=2020-01-04", "dt=2020-01-14"},
      {"tm=00:00:04.500009", "tm=00:00:14.500039"},
      {"ts=2020-01-01T00:50:00.000021", "ts=2020-01-01T03:36:40.000091"},
      {"tsms=2020-01-01T00:05:00.021", "tsms=2020-01-01T00:21:40.091"},
      {"tsns=2020-09-13T12:26:43.000000027", "tsns=2020-09-13T12:26:53.000000117"},
      {"tstz=2020-01-01T00:50:00.000021Z", "tstz=2020-01-01T03:36:40.000091Z"},
      {"uid=00112233-4455-6677-8899-000000000003", "uid=00112233-4455-6677-8899-000000000013"},
      {"st.a=3", "st.a=13"},
      {"st.b.c=n3", "st.b.c=n13"},
      {"li.list.element=103", "li.list.element=113"}};
  for (const auto& [first, second] : Some(members)) {
    for (size_t i = 0; i < 2; ++i) {
      const json all = Json({"parquet", file_, "--ask", i == 0 ? first : second}, 0);
      EXPECT_EQ(all["row_groups"][i]["answer"], "maybe") << first;
      EXPECT_EQ(all["row_groups"][1 - i]["answer"], "absent") << first;
    }
  }
}

}  // namespace
}  // namespace linefilter::test
