// This reads the footer of a Parquet file, as far as Bloom filters need it: the columns with their types, and for each
// row group and column where its filter lies. A footer is Thrift's compact encoding of the struct FileMetaData.
#ifndef LINEFILTER_TOOLS_PROGRAM_PARQUET_FOOTER_H_
#define LINEFILTER_TOOLS_PROGRAM_PARQUET_FOOTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/parquet_types.h"
#include "linefilter/status.h"

namespace linefilter::tools {

struct ThriftReader;

// A leaf of the schema.
struct ParquetColumn {
  std::string path;  // the names from below the root, with points between them
  ParquetColumnType type;
};

// A column in a row group.
struct ParquetChunk {
  int64_t num_values = -1;  // nulls count; -1 if it is encrypted
  int64_t filter_offset = 0;
  int32_t filter_length = 0;  // header and bitset; 0 if it is not told, as old writers do
  bool has_filter = false;    // filter_offset was there
  bool is_encrypted = false;  // and so is its filter
  bool is_elsewhere = false;  // its bytes lie in another file
};

struct ParquetFooter {
  std::string created_by;
  int64_t num_rows = -1;
  std::vector<ParquetColumn> columns;
  uint64_t path_bytes = 0;           // of all columns together
  std::vector<int64_t> row_groups;   // how many rows each has
  std::vector<ParquetChunk> chunks;  // row group by row group, each with all columns

  const ParquetChunk& Chunk(size_t row_group, size_t column) const {
    return chunks[row_group * columns.size() + column];
  }
};

// No more is read, so that the footer of a hostile file takes no more memory than this times their size.
inline constexpr size_t kMostParquetColumns = size_t{1} << 17;
inline constexpr size_t kMostParquetChunks = size_t{1} << 18;
inline constexpr size_t kMostParquetPathBytes = size_t{1} << 24;  // of all paths together
// And of those of all chunks, for a listing names the column of each.
inline constexpr uint64_t kMostParquetListedBytes = uint64_t{1} << 26;
inline constexpr char kParquetTooLarge[] = "it has more row groups, columns or names than this version reads";

// Reads it. What is no such struct, or contradicts itself, is kCorrupt; what is beyond the limits is kUnsupported.
Status ReadParquetFooter(const uint8_t* bytes, size_t size, ParquetFooter* footer);

// Reads the list of SchemaElements into columns (schema.cc).
void ReadParquetSchema(int type, ThriftReader* reader, std::vector<ParquetColumn>* columns);

// A type in words, like "INT32 DECIMAL(9,2)".
std::string ParquetTypeName(const ParquetColumnType& type);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_PARQUET_FOOTER_H_
