// The reader of footers, with a small file of DuckDB: whatever its bytes become, it ends with an error or with a footer
// that fits together. Values that people write are read or refused.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/parquet_file.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"
#include "tools/program/parquet/footer.h"
#include "tools/program/parquet/value.h"

namespace linefilter::test {
namespace {

using tools::ParquetFooter;
using tools::ReadParquetFooter;

// Behind these bytes there is nothing that could be read by mistake: AddressSanitizer sees it.
Status Read(const std::string& bytes, ParquetFooter* footer) {
  const std::unique_ptr<uint8_t[]> alone(new uint8_t[bytes.size()]);
  for (size_t i = 0; i < bytes.size(); ++i) alone[i] = static_cast<uint8_t>(bytes[i]);
  return ReadParquetFooter(alone.get(), bytes.size(), footer);
}

std::string FooterOf(const std::string& file) {
  uint32_t length = 0;
  for (size_t i = 0; i < 4; ++i) {
    length |= static_cast<uint32_t>(static_cast<uint8_t>(file[file.size() - 8 + i])) << (8 * i);
  }
  return file.substr(file.size() - 8 - length, length);
}

std::string FooterOfDuckDb() {
  return FooterOf(ReadFile(std::string(LINEFILTER_SOURCE_DIR) + "/tests/data/parquet/duckdb.parquet"));
}

// True if it was read. Then all that is asked of it is there.
bool IsReadSoundly(const std::string& bytes) {
  ParquetFooter footer;
  const Status status = Read(bytes, &footer);
  if (!status.ok()) {
    EXPECT_GT(std::string(status.message()).size(), 40u);
    return false;
  }
  EXPECT_EQ(footer.chunks.size(), footer.columns.size() * footer.row_groups.size());
  int64_t rows = 0;
  for (const int64_t of_row_group : footer.row_groups) rows += of_row_group;
  EXPECT_EQ(rows, footer.num_rows);
  for (const tools::ParquetColumn& column : footer.columns) EXPECT_FALSE(tools::ParquetTypeName(column.type).empty());
  return true;
}

TEST(ParquetFooterTest, ReadsThatOfDuckDb) {
  ParquetFooter footer;
  ASSERT_TRUE(Read(FooterOfDuckDb(), &footer).ok());
  EXPECT_EQ(footer.num_rows, 4096);
  EXPECT_EQ(footer.row_groups, (std::vector<int64_t>{2048, 2048}));
  ASSERT_EQ(footer.columns.size(), 26u);
  EXPECT_EQ(footer.columns[0].path, "i8");
  EXPECT_EQ(footer.columns[24].path, "st.b.c");
  EXPECT_EQ(footer.columns[25].path, "li.list.element");
  EXPECT_EQ(footer.Chunk(1, 25).num_values, 4096);
  EXPECT_TRUE(footer.Chunk(1, 25).has_filter);
  EXPECT_FALSE(footer.Chunk(0, 12).has_filter) << "DECIMAL(38,5)";
}

TEST(ParquetFooterTest, NoTruncationIsRead) {
  const std::string footer = FooterOfDuckDb();
  for (size_t size = 0; size < footer.size(); ++size) {
    EXPECT_FALSE(IsReadSoundly(footer.substr(0, size))) << size;
  }
}

// Most flips are in statistics, which nobody reads, or in numbers that may be any.
TEST(ParquetFooterTest, AnyBitMayBeWrong) {
  std::string footer = FooterOfDuckDb();
  size_t read = 0, refused = 0;
  const size_t step = Effort() < 1 ? 7 : 1;
  for (size_t bit = 0; bit < 8 * footer.size(); bit += step) {
    const char before = footer[bit / 8];
    footer[bit / 8] = static_cast<char>(before ^ (1 << (bit % 8)));
    ++(IsReadSoundly(footer) ? read : refused);
    footer[bit / 8] = before;
  }
  EXPECT_GT(read, 8 * footer.size() / step / 10);
  EXPECT_GT(refused, 8 * footer.size() / step / 10);
}

TEST(ParquetFooterTest, AnyBytesMayBeWrong) {
  const std::string footer = FooterOfDuckDb();
  Random random(1);
  for (int i = Effort() < 1 ? 4000 : 0; i < 5000; ++i) {
    std::string bytes = footer;
    const uint64_t faults = 1 + random() % 4;
    for (uint64_t fault = 0; fault < faults; ++fault) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    IsReadSoundly(bytes);
  }
}

// A file with one column, in whose row groups something is told.
std::string WithRowGroups(const std::string& row_groups) {
  const std::string leaf = Thrift().Int32(1, 1).Text(4, "a").Done(), root = Thrift().Text(4, "r").Int32(5, 1).Done();
  Thrift footer;
  std::string bytes = footer.List(2, Thrift::kStruct, {root, leaf}).Int64(3, 0).Done();
  bytes.pop_back();
  return bytes + '\x19' + row_groups + '\0';
}

// Numbers of elements that the bytes do not have, and nesting without an end.
TEST(ParquetFooterTest, BombsAreRefused) {
  EXPECT_FALSE(IsReadSoundly(""));
  EXPECT_FALSE(IsReadSoundly(std::string(1, '\0'))) << "no number of rows";
  EXPECT_FALSE(IsReadSoundly(std::string(100000, '\x1c'))) << "structs in structs";
  EXPECT_FALSE(IsReadSoundly(std::string(100000, '\x19'))) << "lists in lists";
  EXPECT_FALSE(IsReadSoundly(WithRowGroups("\xfc" + Thrift::Varint(UINT64_MAX))));
  EXPECT_FALSE(IsReadSoundly(WithRowGroups("\xfc" + Thrift::Varint(1 << 20) + std::string(1 << 20, '\0'))));
  EXPECT_TRUE(IsReadSoundly(WithRowGroups(std::string("\x0c", 1)))) << "none";

  // More elements than are read; a group that says it has more children than come, and fewer.
  const auto schema = [](const std::vector<std::string>& elements) {
    return Thrift().List(2, Thrift::kStruct, elements).Int64(3, 0).Done();
  };
  const std::string leaf = Thrift().Int32(1, 1).Text(4, "a").Done();
  const auto group = [](int64_t children) { return Thrift().Text(4, "r").Int32(5, children).Done(); };
  EXPECT_TRUE(IsReadSoundly(schema({group(2), leaf, leaf})));
  for (const int64_t children : {int64_t{-1}, int64_t{0}, int64_t{1}, int64_t{3}, int64_t{INT32_MAX}}) {
    EXPECT_FALSE(IsReadSoundly(schema({group(children), leaf, leaf}))) << children;
  }
  EXPECT_TRUE(IsReadSoundly(schema({group(1), group(0)}))) << "a group without columns";
  EXPECT_FALSE(IsReadSoundly(schema({group(1), group(-1)})));
  std::vector<std::string> many(tools::kMostParquetColumns + 1, leaf);
  many[0] = group(static_cast<int64_t>(many.size() - 1));
  ParquetFooter footer;
  EXPECT_EQ(Read(schema(many), &footer).code(), StatusCode::kUnsupported);
  // Long names in deep groups: all paths together are bounded.
  const std::string deep = Thrift().Text(4, std::string(1000, 'n')).Int32(5, 1).Done();
  EXPECT_EQ(Read(schema(std::vector<std::string>(1000, deep)), &footer).code(), StatusCode::kUnsupported);
  // A long name, which many row groups do not repeat: a listing would.
  const auto named = [&](size_t row_groups) {
    const Thrift metadata = Thrift().Int32(1, 1).Int64(5, 0);
    const std::string row_group =
        Thrift().List(1, Thrift::kStruct, {Thrift().Struct(3, metadata).Done()}).Int64(3, 0).Done();
    Thrift all;
    all.List(2, Thrift::kStruct, {group(1), Thrift().Int32(1, 1).Text(4, std::string(1 << 20, 'n')).Done()});
    return all.Int64(3, 0).List(4, Thrift::kStruct, std::vector<std::string>(row_groups, row_group)).Done();
  };
  EXPECT_TRUE(IsReadSoundly(named(64)));
  EXPECT_EQ(Read(named(65), &footer).code(), StatusCode::kUnsupported);
}

// The column `a` of INT32 and its row group, where one thing is wrong.
TEST(ParquetFooterTest, ContradictionsAreRefused) {
  const std::string leaf = Thrift().Int32(1, 1).Text(4, "a").Done(), root = Thrift().Text(4, "r").Int32(5, 1).Done();
  const auto metadata = [](int64_t type, const std::string& path, int64_t num_values) {
    return Thrift().Int32(1, type).List(3, Thrift::kBinary, {Thrift::Bytes(path)}).Int64(5, num_values);
  };
  const auto footer = [&](int64_t rows, const std::vector<std::string>& chunks, int64_t rows_of_row_group) {
    const std::string row_group = Thrift().List(1, Thrift::kStruct, chunks).Int64(3, rows_of_row_group).Done();
    Thrift all;
    all.List(2, Thrift::kStruct, {root, leaf}).Int64(3, rows).List(4, Thrift::kStruct, {row_group});
    return all.Done();
  };
  const auto chunk = [](const Thrift& of) { return Thrift().Struct(3, of).Done(); };
  const std::string good = chunk(metadata(1, "a", 5));
  EXPECT_TRUE(IsReadSoundly(footer(5, {good}, 5)));
  EXPECT_FALSE(IsReadSoundly(footer(5, {chunk(metadata(2, "a", 5))}, 5))) << "another type";
  EXPECT_FALSE(IsReadSoundly(footer(5, {chunk(metadata((int64_t{1} << 32) + 1, "a", 5))}, 5))) << "more than 32 bits";
  EXPECT_FALSE(IsReadSoundly(footer(5, {chunk(metadata(1, "b", 5))}, 5))) << "another name";
  EXPECT_FALSE(IsReadSoundly(footer(5, {chunk(metadata(1, "", 5))}, 5))) << "no name";
  EXPECT_FALSE(IsReadSoundly(footer(5, {chunk(metadata(1, "a", -5))}, 5))) << "fewer values than none";
  EXPECT_FALSE(IsReadSoundly(footer(5, {Thrift().Done()}, 5))) << "no metadata";
  EXPECT_FALSE(IsReadSoundly(footer(5, {good, good}, 5))) << "a column more";
  EXPECT_FALSE(IsReadSoundly(footer(5, {}, 5))) << "a column less";
  EXPECT_FALSE(IsReadSoundly(footer(6, {good}, 5))) << "a row more";
  EXPECT_FALSE(IsReadSoundly(footer(-5, {good}, -5))) << "fewer rows than none";
}

// How a column is encrypted stands beside its metadata, or its encrypted metadata do, or both.
TEST(ParquetFooterTest, EncryptedColumns) {
  const std::string leaf = Thrift().Int32(1, 1).Text(4, "a").Done(), root = Thrift().Text(4, "r").Int32(5, 1).Done();
  const auto is_encrypted = [&](const Thrift& chunk) {
    const std::string row_group = Thrift().List(1, Thrift::kStruct, {chunk.Done()}).Int64(3, 5).Done();
    Thrift all;
    all.List(2, Thrift::kStruct, {root, leaf}).Int64(3, 5).List(4, Thrift::kStruct, {row_group});
    ParquetFooter footer;
    EXPECT_TRUE(Read(all.Done(), &footer).ok());
    return footer.chunks.size() == 1 && footer.Chunk(0, 0).is_encrypted;
  };
  Thrift metadata;
  metadata.Int32(1, 1).List(3, Thrift::kBinary, {Thrift::Bytes("a")}).Int64(5, 5);
  const Thrift with_footer_key = Thrift().Struct(1, Thrift());
  EXPECT_FALSE(is_encrypted(Thrift().Struct(3, metadata)));
  EXPECT_TRUE(is_encrypted(Thrift().Struct(3, metadata).Struct(8, with_footer_key)));
  EXPECT_TRUE(is_encrypted(Thrift().Struct(3, metadata).Text(9, "encrypted bytes")));
  EXPECT_TRUE(is_encrypted(Thrift().Struct(8, with_footer_key)));
}

// The schema comes once, and before the row groups: they are read by it, and each has all of its columns.
TEST(ParquetFooterTest, TheSchemaComesFirst) {
  const std::string leaf = Thrift().Int32(1, 1).Text(4, "a").Done(), root = Thrift().Text(4, "r").Int32(5, 1).Done();
  const std::string empty = Thrift().Int64(3, 5).Done();
  Thrift metadata;
  metadata.Int32(1, 1).List(3, Thrift::kBinary, {Thrift::Bytes("a")}).Int64(5, 5);
  const std::string full = Thrift().List(1, Thrift::kStruct, {Thrift().Struct(3, metadata).Done()}).Int64(3, 5).Done();
  const auto schema = [&](Thrift* to) { to->List(2, Thrift::kStruct, {root, leaf}); };
  Thrift behind, twice, around;
  behind.List(4, Thrift::kStruct, {empty}).Int64(3, 5);
  schema(&behind);
  EXPECT_FALSE(IsReadSoundly(behind.Done())) << "a row group of no columns, and then a column";
  schema(&twice);
  schema(&twice);
  EXPECT_FALSE(IsReadSoundly(twice.Int64(3, 0).Done()));
  schema(&around);
  around.List(4, Thrift::kStruct, {full}).Int64(3, 5);
  EXPECT_TRUE(IsReadSoundly(around.Done()));
  schema(&around);
  EXPECT_FALSE(IsReadSoundly(around.Done()));
}

// They are numbers of 16 bits, as Thrift's own: a footer of 150 MB would leave those of 32.
TEST(ParquetFooterTest, IdsOfFieldsWrap) {
  const std::string unknown(65535 / 15, '\xf1');  // booleans, each 15 ids further: the last one is -1
  EXPECT_TRUE(IsReadSoundly(unknown + std::string("\x46\0\0", 3))) << "4 further: no rows";
}

// A parameter that a type must have, and does not tell: nothing is asked, so the answer is "maybe".
TEST(ParquetFooterTest, TypesThatTellNotAllAreNotAsked) {
  const auto decided = [](int64_t physical, const Thrift& logical, const ParquetValue& value) {
    const std::string leaf = Thrift().Int32(1, physical).Text(4, "a").Struct(10, logical).Done();
    Thrift all;
    all.List(2, Thrift::kStruct, {Thrift().Text(4, "r").Int32(5, 1).Done(), leaf}).Int64(3, 0);
    ParquetFooter footer;
    EXPECT_TRUE(Read(all.Done(), &footer).ok());
    return footer.columns.size() == 1 ? ParquetQuestion(footer.columns[0].type, value).decided().reason
                                      : ParquetReason::kNull;
  };
  constexpr ParquetReason kAsked = ParquetReason::kAsked, kUnsupported = ParquetReason::kUnsupportedType;
  const ParquetValue one = ParquetValue::Integer(1);
  const ParquetValue time = ParquetValue::Timestamp(1, ParquetTimeUnit::kMillis, false);
  EXPECT_EQ(decided(1, Thrift().Struct(5, Thrift().Int32(1, 2).Int32(2, 9)), one), kAsked);
  EXPECT_EQ(decided(1, Thrift().Struct(5, Thrift().Int32(2, 9)), one), kUnsupported) << "no scale";
  EXPECT_EQ(decided(1, Thrift().Struct(10, Thrift().Byte(1, 8).Bool(2, true)), one), kAsked);
  EXPECT_EQ(decided(1, Thrift().Struct(10, Thrift().Byte(1, 8)), one), kUnsupported) << "no sign";
  EXPECT_EQ(decided(1, Thrift().Struct(10, Thrift().Bool(2, true)), one), kUnsupported) << "no width";
  const auto unit = [](int id) { return Thrift().Struct(id, Thrift()); };
  EXPECT_EQ(decided(2, Thrift().Struct(8, Thrift().Bool(1, false).Struct(2, unit(1))), time), kAsked);
  EXPECT_EQ(decided(2, Thrift().Struct(8, Thrift().Bool(1, false)), time), kUnsupported) << "no unit";
  EXPECT_EQ(decided(2, Thrift().Struct(8, Thrift().Bool(1, false).Struct(2, unit(4))), time), kUnsupported);
  EXPECT_EQ(decided(2, Thrift().Struct(8, Thrift().Bool(1, false).Struct(2, Thrift())), time), kUnsupported);
  EXPECT_EQ(decided(2, Thrift().Struct(8, Thrift().Struct(2, unit(1))), time), kUnsupported) << "instant or local?";
  for (const int id : {2, 3, 11, 16, 255, 256 + 5}) {
    EXPECT_EQ(decided(1, Thrift().Struct(id, Thrift()), one), kUnsupported) << id;
  }
  EXPECT_EQ(decided(1, Thrift(), one), kUnsupported) << "none at all";
  EXPECT_EQ(decided(8, Thrift().Struct(1, Thrift()), one), kUnsupported) << "a physical type of later versions";
}

// All that a text may be, for all types that a file may name: nothing crashes, and what is refused says why.
TEST(ParquetFooterTest, AnyTextIsAValueOrNone) {
  const std::string alphabet = "0123456789.eE+-:TZ xinfaNyu\\\xff";
  Random random(2);
  ParquetValue value;
  std::string bytes, error;
  size_t refused = 0;
  for (int i = Effort() < 1 ? 80000 : 0; i < 100000; ++i) {
    ParquetColumnType type;
    type.physical = static_cast<ParquetPhysicalType>(random() % 9);
    type.logical = static_cast<ParquetLogicalType>(random() % 18);
    std::string text;
    for (uint64_t size = random() % 30; size != 0; --size) text += alphabet[random() % alphabet.size()];
    error.clear();
    const bool is_value = tools::ParseParquetValue(type, text, &bytes, &value, &error);
    refused += !is_value;
    EXPECT_TRUE(is_value || error.size() > 10) << text;
    if (is_value) (void)ParquetQuestion(type, value);
  }
  EXPECT_GT(refused, 2000u);
}

}  // namespace
}  // namespace linefilter::test
