// linefilter parquet, end to end: what it lists of each filter is what the bits say, and what is no file for it gets a
// sentence. --ask is in tools_parquet_test_ask.cc.
#include <sys/stat.h>

#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"
#include "tests/testing/parquet_file.h"
#include "tests/testing/random.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;
using Physical = ParquetPhysicalType;
using Type = ParquetColumnType;

const Type kInt64 = Type::Plain(Physical::kInt64);

class ToolsParquetTest : public ToolsTest {
 protected:
  std::string Write(const std::vector<TestColumn>& columns, const TestFaults& faults = {}) {
    return dir_.Write("file.parquet", ParquetFileOf(columns, faults));
  }
  json List(const std::string& file, int exit_code = 0, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"parquet", file});
    return Json(more, exit_code);
  }
  // No file for it: exit code 2, nothing on standard output, and these words in the sentence.
  void ExpectSentence(const std::string& file, const std::string& words, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"parquet", file});
    const RunResult result = Run(more);
    EXPECT_EQ(result.exit_code, 2) << words;
    EXPECT_EQ(result.out, "") << words;
    EXPECT_EQ(result.err.find("linefilter: "), 0u) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }
  // One chunk of one column.
  void ExpectState(const TestChunk& chunk, const std::string& state, int exit_code, const std::string& words,
                   const TestFaults& faults = {}) {
    const json all = List(Write({{"a", kInt64, -1, {chunk}}}, faults), exit_code);
    EXPECT_EQ(all["column_chunks"][0]["state"], state);
    ASSERT_EQ(all["reasons"].size(), words.empty() ? 0u : 1u) << all;
    if (words.empty()) return;
    const std::string reason = all["reasons"][0]["reason"];
    EXPECT_NE(reason.find(words), std::string::npos) << reason;
    EXPECT_EQ(all["reasons"][0]["column"], "a");
    EXPECT_EQ(all["reasons"][0]["row_group"], 0);
  }
};

std::string DuckDb() { return std::string(LINEFILTER_SOURCE_DIR) + "/tests/data/parquet/duckdb.parquet"; }

void ExpectBits(const json& row, const std::string& bytes, double fpr) {
  const ParquetFilterView view(bytes.data(), bytes.size());
  ASSERT_TRUE(view.status().ok());
  const double distinct = view.ApproximateSize().keys;
  EXPECT_EQ(row["state"], "ok");
  EXPECT_EQ(row["body_bytes"], view.body_bytes());
  EXPECT_DOUBLE_EQ(row["fill_ratio"], view.FillRatio());
  EXPECT_DOUBLE_EQ(row["expected_fpr"], view.ExpectedFpr());
  EXPECT_EQ(row["approximate_size"], std::llround(distinct));
  EXPECT_EQ(row["sized_body_bytes"], ParquetBitsetBytes(static_cast<uint64_t>(std::llround(distinct)), fpr));
  EXPECT_LE(row["sized_fpr"], fpr);
  EXPECT_GT(row["sized_fpr"], 0.8 * fpr);
}

TEST_F(ToolsParquetTest, ListsEachRowGroupAndColumn) {
  const std::string large = ParquetFilterOf(RandomHashes(1000, 1), 16384),
                    tight = ParquetFilterOf(RandomHashes(5000, 2));
  const std::string file =
      Write({{"a", kInt64, -1, {{large}, {""}}},
             {"b", Type::Of(ParquetLogicalType::kString), -1, {{""}, {tight, true, false, false, 9000}}},
             {"c", Type::Plain(Physical::kBoolean), -1, {{""}, {""}}}});
  const json all = List(file);
  EXPECT_EQ(all["file"], file);
  EXPECT_EQ(all["created_by"], "a test");
  EXPECT_EQ(all["num_rows"], 20);
  EXPECT_EQ(all["num_row_groups"], 2);
  EXPECT_EQ(all["num_columns"], 3);
  EXPECT_EQ(all["num_filters"], 2);
  EXPECT_EQ(all["filter_bytes"], large.size() + tight.size());
  EXPECT_EQ(all["wanted_fpr"], 0.01);
  EXPECT_TRUE(all["reasons"].is_array() && all["reasons"].empty());
  const json& rows = all["column_chunks"];
  ASSERT_EQ(rows.size(), 6u);
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(rows[i]["row_group"], i / 3);
    EXPECT_EQ(rows[i]["column"], std::string(1, "abc"[i % 3]));
    EXPECT_EQ(rows[i]["type"], std::vector<const char*>({"INT64", "BYTE_ARRAY STRING", "BOOLEAN"})[i % 3]);
  }
  ExpectBits(rows[0], large, 0.01);
  ExpectBits(rows[4], tight, 0.01);
  EXPECT_LT(10 * rows[0]["sized_body_bytes"].get<int>(), 16384) << "it is more than ten times too large";
  EXPECT_GT(rows[4]["sized_body_bytes"], 4096) << "and the other one is too small";
  // Without a filter: all values may be distinct. BOOLEAN has none.
  EXPECT_EQ(rows[1]["state"], "none");
  EXPECT_EQ(rows[1]["sized_body_bytes"], ParquetBitsetBytes(1000, 0.01));
  EXPECT_TRUE(rows[1]["body_bytes"].is_null() && rows[1]["expected_fpr"].is_null());
  EXPECT_TRUE(rows[2]["sized_body_bytes"].is_null());

  ExpectBits(List(file, 0, {"--fpr", "5%"})["column_chunks"][0], large, 0.05);
  const RunResult text = Run({"parquet", file});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_NE(text.out.find("sized_body_bytes"), std::string::npos);
}

// The bits tell no number, or one above the number of values.
TEST_F(ToolsParquetTest, NoMoreDistinctValuesThanValues) {
  std::string full = ParquetFilterOf({1}, 32);
  for (size_t i = full.size() - 32; i < full.size(); ++i) full[i] = '\xff';
  const json row = List(Write({{"a", kInt64, -1, {{full}}}}))["column_chunks"][0];
  EXPECT_EQ(row["expected_fpr"], 1);
  EXPECT_TRUE(row["approximate_size"].is_null());
  EXPECT_EQ(row["sized_body_bytes"], ParquetBitsetBytes(1000, 0.01));
  const TestChunk few = {ParquetFilterOf(RandomHashes(500, 3)), true, false, false, 300};
  EXPECT_EQ(List(Write({{"a", kInt64, -1, {few}}}))["column_chunks"][0]["sized_body_bytes"],
            ParquetBitsetBytes(300, 0.01));
}

TEST_F(ToolsParquetTest, OldWritersTellNoLength) {
  for (const uint64_t bytes : {uint64_t{32}, uint64_t{64}, uint64_t{1 << 20}}) {
    const std::string filter = ParquetFilterOf(RandomHashes(3, 4), bytes);
    const std::string with = Write({{"a", kInt64, -1, {{filter}}}});
    const json told = List(with)["column_chunks"];
    const json untold = List(Write({{"a", kInt64, -1, {{filter, false}}}}))["column_chunks"];
    EXPECT_EQ(told, untold);
    EXPECT_EQ(told[0]["body_bytes"], bytes);
  }
}

TEST_F(ToolsParquetTest, OneOfParquetMrByItsOffset) {
  const std::string mr = std::string(LINEFILTER_SOURCE_DIR) + "/tests/data/parquet/bloom_filter.xxhash.bin";
  const json alone = Json({"parquet", mr, "--at", "0"}, 0);
  EXPECT_EQ(alone["header_bytes"], 16);
  EXPECT_EQ(alone["body_bytes"], 1024);
  EXPECT_EQ(alone["approximate_size"], 4);
  EXPECT_EQ(alone["sized_body_bytes"], ParquetBitsetBytes(4, 0.01));
  EXPECT_EQ(Json({"parquet", mr, "--at", "0:1040"}, 0), alone);
  const std::string file = Write({{"a", Type::Of(ParquetLogicalType::kString), -1, {{ReadFile(mr), false}}}});
  const json row = List(file)["column_chunks"][0];
  for (const char* name : {"body_bytes", "fill_ratio", "expected_fpr"}) EXPECT_EQ(row[name], alone[name]) << name;

  ExpectSentence(mr, "is no Parquet file");
  ExpectSentence(mr, "is no Parquet file", {"--ask", "a=b"});
  ExpectSentence(mr, "check the offset", {"--at", "1"});
  ExpectSentence(mr, "the file ends at 1040", {"--at", "1040"});
  ExpectSentence(mr, "the file ends at 1040", {"--at", "0:1041"});
  ExpectSentence(mr, "from 5 to 18446744073709551615 cannot be", {"--at", "5:18446744073709551612"});
  ExpectSentence(mr, "asks for 1040 bytes, and there are 1039 by its length", {"--at", "0:1039"});
  ExpectSentence(dir_.Write("cut", ReadFile(mr).substr(0, 500)), "asks for 1040 bytes, and there are 500",
                 {"--at", "0"});
  for (const char* at : {"x", "0:", "0:x", "0:0", ":", "-1", "1e99"}) ExpectSentence(mr, "--at", {"--at", at});
}

TEST_F(ToolsParquetTest, OfDuckDb) {
  const json all = List(DuckDb());
  EXPECT_EQ(all["num_filters"], 48);
  EXPECT_EQ(all["num_rows"], 4096);
  for (const json& row : all["column_chunks"]) {
    const std::string column = row["column"];
    const bool has_none = column == "d38" || column == "flag";
    EXPECT_EQ(row["state"], has_none ? "none" : "ok") << row;
    if (has_none) continue;
    EXPECT_EQ(row["body_bytes"], 32) << row;
    EXPECT_NEAR(row["approximate_size"], column == "li.list.element" ? 20 : 10, 2) << row;
  }
}

TEST_F(ToolsParquetTest, FiltersThatCannotBeRead) {
  const std::string filter = ParquetFilterOf(RandomHashes(10, 5));
  TestChunk chunk = {filter};
  ExpectState(chunk, "ok", 0, "");
  ExpectState(chunk, "damaged", 2, "the footer begins at", {1 << 20});
  ExpectState(chunk, "damaged", 2, "check the offset", {4});
  chunk.has_length = false;
  ExpectState(chunk, "damaged", 2, "check the offset", {4});
  chunk.filter[chunk.filter.size() - 4096 - 4] = '\x2c';  // the next field is another member
  ExpectState(chunk, "unknown", 2, "upgrade linefilter");
  chunk = {filter.substr(0, 1000)};
  ExpectState(chunk, "damaged", 2, "there are 1000 by its length");
  chunk.has_length = false;
  ExpectState(chunk, "damaged", 2, "the file is cut");
  chunk = {filter, true, true};
  ExpectState(chunk, "encrypted", 0, "the column is encrypted");
  chunk = {filter, true, false, true};
  ExpectState(chunk, "elsewhere", 0, "in another file");

  const RunResult result = Run({"parquet", Write({{"a", kInt64, -1, {{filter.substr(0, 1000)}, {filter}}}})});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("1 of 2 Bloom filters cannot be read"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("damaged"), std::string::npos) << "the others are told all the same";
}

// In a hostile file each row group tells of the same large filter. To read it for each would take for ever.
TEST_F(ToolsParquetTest, FiltersThatLieInOneAnother) {
  const std::vector<uint64_t> one = {ParquetHashInt64(7)};
  const TestChunk large = {ParquetFilterOf(one, 16384), false}, small = {ParquetFilterOf(one, 32), false};
  const std::string file = Write({{"a", kInt64, -1, {large, small}}}, {9});
  const json all = List(file, 2);
  EXPECT_EQ(all["column_chunks"][0]["state"], "ok");
  EXPECT_EQ(all["column_chunks"][1]["state"], "damaged");
  const std::string reason = all["reasons"][0]["reason"];
  EXPECT_EQ(reason.find("its Bloom filters lie in one another"), 0u) << reason;
  const json asked = List(file, 2, {"--ask", "a=8"});
  EXPECT_EQ(asked["row_groups"][0]["answer"], "absent");
  EXPECT_EQ(asked["row_groups"][1]["answer"], "maybe");
  // Side by side they may fill the file, but for its first bytes.
  const std::vector<TestChunk> many(100, large);
  EXPECT_EQ(List(Write({{"a", kInt64, -1, many}}))["num_filters"], 100);
}

// A long header at the end of the file: there are fewer bytes than a header may have.
TEST_F(ToolsParquetTest, LongHeadersAreRead) {
  std::string filter = ParquetFilterOf({ParquetHashInt64(7)}, 32);
  filter.replace(filter.size() - 32 - 1, 1,
                 Thrift().Text(20, std::string(100, 'x')).Done());  // a field of later versions
  for (const bool has_length : {true, false}) ExpectState({filter, has_length}, "ok", 0, "");
}

TEST_F(ToolsParquetTest, FilesThatCannotBeRead) {
  const std::vector<TestColumn> columns = {{"a", kInt64, -1, {{ParquetFilterOf(RandomHashes(10, 6))}}}};
  const std::string good = ParquetFileOf(columns);
  const auto refused = [&](const std::string& bytes, const std::string& words) {
    ExpectSentence(dir_.Write("bad.parquet", bytes), words);
  };
  refused("", "it has 0 bytes");
  refused("PAR1PAR1", "it has 8 bytes");
  refused(ParquetFileOf(columns, {-1, "PARE", "PARE"}), "its footer is encrypted (magic PARE)");
  refused(good.substr(0, good.size() - 1), "it is cut at");
  refused(good.substr(0, 4000).replace(0, 4, "PARE"), "it is cut at");
  refused(good.substr(100), "its beginning is missing");
  refused("PAR1" + good.substr(good.size() - 8), "its beginning is cut");
  refused(std::string("PAR1\0\0\0\0PAR1", 12), "the footer is damaged");
  refused("no file of Parquet at all", "is no Parquet file");
  std::string other = good;  // the column has another name in the row group
  other[other.rfind("a", other.rfind("a test") - 1)] = 'b';
  refused(other, "not those of the schema");
  ExpectSentence(dir_.path(), "no regular file");
  ExpectSentence(dir_.File("nix"), "No such file");
  ExpectSentence("-", "name a file");
  const std::string pipe = dir_.File("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ExpectSentence(pipe, "no regular file");
}

// Through the program, for a few: parquet_footer_test has them all.
TEST_F(ToolsParquetTest, DamageIsAnErrorOrAnAnswer) {
  const std::string good = ReadFile(DuckDb());
  for (size_t bit = 0; bit < 8 * 4636; bit += IsSlowBuild() ? 3701 : 907) {
    std::string bytes = good;
    char& byte = bytes[bytes.size() - 4636 + bit / 8];
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    const std::string file = dir_.Write("flipped.parquet", bytes);
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"parquet", file}, {"parquet", file, "--ask", "str=k3"}}) {
      const RunResult result = Run(arguments);
      EXPECT_LE(result.exit_code, 2) << bit;
      EXPECT_EQ(result.exit_code == 2, !result.err.empty()) << bit << result.err;
    }
  }
}

TEST_F(ToolsParquetTest, NamesAreShownAsText) {
  const std::string file = Write({{"a\033[2Jb\u009b2J\u00e4", kInt64, -1, {{""}}}});
  EXPECT_NE(Run({"parquet", file}).out.find("a?[2Jb\xc2?2J\u00e4 "), std::string::npos);
  EXPECT_EQ(List(file)["column_chunks"][0]["column"], "a\033[2Jb\u009b2J\u00e4");
  const RunResult group = Run({"parquet", Write({{"a.\033[2Jb", kInt64, -1, {{""}}}}), "--ask", "a=1"});
  EXPECT_NE(group.err.find("like a.?[2Jb"), std::string::npos) << group.err;
  // A table is as wide as its longest name, and has as many lines as there are.
  const std::string name(300, 'n'), shown = name.substr(0, 200) + "...  ";
  const std::string wide = Write({{name, kInt64, -1, {{""}}}});
  EXPECT_NE(Run({"parquet", wide}).out.find("\n" + shown), std::string::npos);
  EXPECT_EQ(List(wide)["column_chunks"][0]["column"], name);
}

TEST_F(ToolsParquetTest, BadUsage) {
  const std::string file = Write({{"a", kInt64, -1, {{""}}}});
  ExpectBadUsage({"parquet"});
  ExpectBadUsage({"parquet", file, "--fpr", "2"});
  ExpectBadUsage({"parquet", file, "--ask", "a"});
  ExpectBadUsage({"parquet", file, "--ask", "a=1", "--at", "4"});
  ExpectBadUsage({"parquet", file, file});
}

}  // namespace
}  // namespace linefilter::test
