// The numbers are those of the fields in Parquet's definition of its metadata (parquet.thrift).
#include "tools/program/parquet/footer.h"

#include <string_view>

#include "tools/program/parquet/thrift.h"

namespace linefilter::tools {
namespace {

constexpr char kOtherColumns[] = "a row group has another number of columns than the schema";

// The columns of a row group stand in the order of the schema. If not, a filter would be asked for another column.
void ReadPath(int type, std::string_view expected, ThriftReader* reader) {
  bool is_first = true, is_so = true;
  reader->ListOf(type, [&](int element) {
    std::string name;
    reader->Read(element, &name);
    const size_t point = is_first ? 0 : 1;
    is_so = is_so && (is_first || expected.substr(0, 1) == ".") && expected.substr(point, name.size()) == name;
    if (is_so) expected.remove_prefix(point + name.size());
    is_first = false;
  });
  reader->Demand(is_so && expected.empty(), "the columns of a row group are not those of the schema");
}

void ReadMetadata(int type, const ParquetColumn& column, ThriftReader* reader, ParquetChunk* chunk) {
  int32_t physical = -1;
  chunk->num_values = -1;
  reader->StructOf(type, [&](int id, int inner) {
    if (id == 1) return reader->Read(inner, &physical);
    if (id == 3) return ReadPath(inner, column.path, reader);
    if (id == 5) return reader->Read(inner, &chunk->num_values);
    chunk->has_filter = chunk->has_filter || id == 14;
    if (id == 14) return reader->Read(inner, &chunk->filter_offset);
    if (id == 15) return reader->Read(inner, &chunk->filter_length);
    reader->SkipField(inner);
  });
  reader->Demand(physical == static_cast<int32_t>(column.type.physical),
                 "a column has another type in a row group than in the schema");
  reader->Demand(chunk->num_values >= 0, "a column of a row group tells no number of values");
}

void ReadChunk(int type, const ParquetColumn& column, ThriftReader* reader, ParquetFooter* footer) {
  ParquetChunk chunk;
  bool has_metadata = false;
  std::string file;
  reader->StructOf(type, [&](int id, int inner) {
    chunk.is_encrypted = chunk.is_encrypted || id == 8 || id == 9;  // how it is, and its encrypted metadata
    has_metadata = has_metadata || id == 3;
    if (id == 1) return reader->Read(inner, &file);
    if (id == 3) return ReadMetadata(inner, column, reader, &chunk);
    reader->SkipField(inner);
  });
  chunk.is_elsewhere = !file.empty();
  reader->Demand(has_metadata || chunk.is_encrypted, "a column of a row group has no metadata");
  reader->Demand(footer->chunks.size() < kMostParquetChunks, kParquetTooLarge);
  if (reader->is_sound) footer->chunks.push_back(chunk);
}

void ReadRowGroup(int type, ThriftReader* reader, ParquetFooter* footer) {
  size_t columns = 0;
  int64_t num_rows = -1;
  reader->StructOf(type, [&](int id, int inner) {
    if (id == 3) return reader->Read(inner, &num_rows);
    if (id != 1) return reader->SkipField(inner);
    reader->ListOf(inner, [&](int element) {
      reader->Demand(columns < footer->columns.size(), kOtherColumns);
      if (reader->is_sound) ReadChunk(element, footer->columns[columns++], reader, footer);
    });
  });
  reader->Demand(columns == footer->columns.size(), kOtherColumns);
  reader->Demand(num_rows >= 0, "a row group tells no number of rows");
  reader->Demand(footer->row_groups.size() < kMostParquetChunks, kParquetTooLarge);
  reader->Demand((footer->row_groups.size() + 1) * footer->path_bytes <= kMostParquetListedBytes, kParquetTooLarge);
  if (reader->is_sound) footer->row_groups.push_back(num_rows);
}

}  // namespace

Status ReadParquetFooter(const uint8_t* bytes, size_t size, ParquetFooter* footer) {
  ThriftReader reader(bytes, size);
  *footer = ParquetFooter();
  reader.Struct([&](int id, int type) {
    if (id == 2) {  // before the row groups, which are read by it, and once
      reader.Demand(footer->columns.empty() && footer->row_groups.empty(),
                    "its schema does not come once, and before the row groups");
      ReadParquetSchema(type, &reader, &footer->columns);
      for (const ParquetColumn& column : footer->columns) footer->path_bytes += column.path.size();
      return;
    }
    if (id == 3) return reader.Read(type, &footer->num_rows);
    if (id == 4) return reader.ListOf(type, [&](int element) { ReadRowGroup(element, &reader, footer); });
    if (id == 6) return reader.Read(type, &footer->created_by);
    reader.SkipField(type);
  });
  uint64_t rows = 0;  // a row group that is missing would be an answer "absent"
  for (const int64_t of_row_group : footer->row_groups) rows += static_cast<uint64_t>(of_row_group);
  reader.Demand(rows == static_cast<uint64_t>(footer->num_rows), "its row groups have not as many rows as it tells");
  if (reader.is_sound) return Status();
  const bool is_large = reader.wrong == kParquetTooLarge;
  return Status::Error(is_large ? StatusCode::kUnsupported : StatusCode::kCorrupt,
                       is_large ? "the footer is not read: %s (byte %llu of %llu)"
                                : "the footer is damaged: %s (byte %llu of %llu): get the file again",
                       reader.wrong == nullptr ? "it does not go on as a footer does" : reader.wrong,
                       static_cast<unsigned long long>(reader.at - bytes), static_cast<unsigned long long>(size));
}

}  // namespace linefilter::tools
