// This makes Parquet files by hand, in the words of Thrift's compact protocol: filters and a footer without pages, as a
// test wants them. It shares nothing with the program.
#ifndef LINEFILTER_TESTS_TESTING_PARQUET_FILE_H_
#define LINEFILTER_TESTS_TESTING_PARQUET_FILE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/parquet.h"

namespace linefilter::test {

// A struct, field by field.
class Thrift {
 public:
  enum Type : int { kTrue = 1, kFalse, kByte, kI32 = 5, kI64, kBinary = 8, kList, kStruct = 12 };

  Thrift& Bool(int id, bool value) { return Field(id, value ? kTrue : kFalse, ""); }
  Thrift& Byte(int id, int value) { return Field(id, kByte, std::string(1, static_cast<char>(value))); }
  Thrift& Int32(int id, int64_t value) { return Field(id, kI32, Varint(Zigzag(value))); }
  Thrift& Int64(int id, int64_t value) { return Field(id, kI64, Varint(Zigzag(value))); }
  Thrift& Text(int id, const std::string& text) { return Field(id, kBinary, Bytes(text)); }
  Thrift& Struct(int id, const Thrift& inner) { return Field(id, kStruct, inner.Done()); }
  // Elements as Done or Bytes make them.
  Thrift& List(int id, Type type, const std::vector<std::string>& elements) {
    const bool is_short = elements.size() < 15;
    std::string bytes(1, static_cast<char>((is_short ? elements.size() : 15) << 4 | static_cast<size_t>(type)));
    if (!is_short) bytes += Varint(elements.size());
    for (const std::string& element : elements) bytes += element;
    return Field(id, kList, bytes);
  }
  std::string Done() const { return bytes_ + '\0'; }

  static std::string Bytes(const std::string& text) { return Varint(text.size()) + text; }
  static std::string Varint(uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
    return bytes + static_cast<char>(value);
  }
  static uint64_t Zigzag(int64_t value) {
    return (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : uint64_t{0});
  }

 private:
  Thrift& Field(int id, int type, const std::string& value) {
    const int delta = id - last_;
    const bool is_short = delta >= 1 && delta <= 15;
    bytes_ += static_cast<char>(is_short ? delta << 4 | type : type);
    if (!is_short) bytes_ += Varint(Zigzag(id));
    last_ = id;
    bytes_ += value;
    return *this;
  }

  std::string bytes_;
  int last_ = 0;
};

// A column in a row group.
struct TestChunk {
  std::string filter;  // header and bitset; empty: none
  bool has_length = true, is_encrypted = false, is_elsewhere = false;
  int64_t num_values = 1000;
};

struct TestColumn {
  std::string path;  // points make groups
  ParquetColumnType type;
  int converted = -1;  // in place of the logical type
  std::vector<TestChunk> chunks;
};

// What a file says wrongly.
struct TestFaults {
  int64_t filter_offset = -1;                // of all filters
  std::string begin = "PAR1", end = "PAR1";  // the magic
};

// A filter of these hashes, made for as many or for more, header and bitset.
inline std::string ParquetFilterOf(const std::vector<uint64_t>& hashes, uint64_t bytes = 4096) {
  Filter filter;
  std::string out;
  EXPECT_TRUE(filter.Create(hashes.size(), ParquetFilterOptionsOfBytes(bytes)).ok());
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_TRUE(AppendParquetFilter(filter, &out).ok());
  return out;
}

namespace parquet_file {

inline Thrift LogicalType(const ParquetColumnType& type) {
  Thrift members;
  const int member = static_cast<int>(type.logical);
  if (type.logical == ParquetLogicalType::kDecimal) members.Int32(1, type.scale).Int32(2, type.precision);
  if (type.logical == ParquetLogicalType::kInteger) members.Byte(1, type.bit_width).Bool(2, type.is_signed);
  if (type.logical == ParquetLogicalType::kTime || type.logical == ParquetLogicalType::kTimestamp) {
    members.Bool(1, type.is_utc).Struct(2, Thrift().Struct(static_cast<int>(type.unit), Thrift()));
  }
  return Thrift().Struct(member, members);
}

// The elements of a column, with the groups around it.
inline std::vector<std::string> Elements(const TestColumn& column) {
  std::vector<std::string> elements;
  size_t begin = 0;
  for (size_t point = 0; (point = column.path.find('.', begin)) != std::string::npos; begin = point + 1) {
    elements.push_back(Thrift().Text(4, column.path.substr(begin, point - begin)).Int32(5, 1).Done());
  }
  Thrift leaf;
  leaf.Int32(1, static_cast<int>(column.type.physical));
  if (column.type.type_length != 0) leaf.Int32(2, column.type.type_length);
  leaf.Int32(3, 1).Text(4, column.path.substr(begin));
  if (column.converted >= 0) {
    leaf.Int32(6, column.converted).Int32(7, column.type.scale).Int32(8, column.type.precision);
  } else if (column.type.logical != ParquetLogicalType::kNone) {
    leaf.Struct(10, LogicalType(column.type));
  }
  elements.push_back(leaf.Done());
  return elements;
}

inline std::string Chunk(const TestColumn& column, const TestChunk& chunk, int64_t offset) {
  std::vector<std::string> path;
  size_t begin = 0;
  for (size_t point = 0; point != std::string::npos; begin = point + 1) {
    point = column.path.find('.', begin);
    path.push_back(Thrift::Bytes(column.path.substr(begin, point - begin)));
  }
  Thrift metadata;
  metadata.Int32(1, static_cast<int>(column.type.physical)).List(2, Thrift::kI32, {Thrift::Varint(0)});
  metadata.List(3, Thrift::kBinary, path).Int32(4, 0).Int64(5, chunk.num_values).Int64(6, 1).Int64(7, 1).Int64(9, 4);
  metadata.Struct(12, Thrift().Int64(3, 0));  // statistics, which are skipped
  if (!chunk.filter.empty()) metadata.Int64(14, offset);
  if (!chunk.filter.empty() && chunk.has_length) metadata.Int32(15, static_cast<int64_t>(chunk.filter.size()));
  Thrift all;
  if (chunk.is_elsewhere) all.Text(1, "part-2.parquet");
  all.Int64(2, 4);
  if (!chunk.is_encrypted) all.Struct(3, metadata);
  if (chunk.is_encrypted) all.Struct(8, Thrift().Struct(2, Thrift().List(1, Thrift::kBinary, path)));
  if (chunk.is_encrypted) all.Text(9, "encrypted bytes");
  return all.Done();
}

}  // namespace parquet_file

// All columns have as many row groups, of 10 rows each.
inline std::string ParquetFileOf(const std::vector<TestColumn>& columns, const TestFaults& faults = {}) {
  std::string file = faults.begin + "pages";
  std::vector<std::string> schema = {Thrift().Text(4, "schema").Int32(5, static_cast<int64_t>(columns.size())).Done()};
  for (const TestColumn& column : columns) {
    for (std::string& element : parquet_file::Elements(column)) schema.push_back(std::move(element));
  }
  std::vector<std::string> row_groups;
  for (size_t i = 0; i < columns.front().chunks.size(); ++i) {
    std::vector<std::string> chunks;
    for (const TestColumn& column : columns) {
      const int64_t offset = faults.filter_offset >= 0 ? faults.filter_offset : static_cast<int64_t>(file.size());
      chunks.push_back(parquet_file::Chunk(column, column.chunks[i], offset));
      file += column.chunks[i].filter;
    }
    row_groups.push_back(Thrift().List(1, Thrift::kStruct, chunks).Int64(2, 1).Int64(3, 10).Done());
  }
  Thrift footer;
  footer.Int32(1, 2).List(2, Thrift::kStruct, schema).Int64(3, static_cast<int64_t>(10 * row_groups.size()));
  const std::string bytes = footer.List(4, Thrift::kStruct, row_groups).Text(6, "a test").Done();
  file += bytes;
  for (int i = 0; i < 4; ++i) file += static_cast<char>(bytes.size() >> (8 * i));
  return file + faults.end;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_PARQUET_FILE_H_
