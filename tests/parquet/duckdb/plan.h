// What write.mjs left in its folder: the columns, their files, and the texts of values.
#ifndef LINEFILTER_TESTS_PARQUET_DUCKDB_PLAN_H_
#define LINEFILTER_TESTS_PARQUET_DUCKDB_PLAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "linefilter/parquet.h"

namespace linefilter::duckdb {

// How values are told in a file: forms.mjs has the words.
struct Form {
  std::string name;  // DuckDB's type, or what was done to one
  std::string kind;  // integer, decimal, float, double, text, bytes, uuid, date, time, timestamp, interval
  int32_t scale = 0;
  ParquetTimeUnit unit = ParquetTimeUnit::kMicros;
  bool is_utc = false;
  std::string file;  // lines of row group and text
};

struct Place {
  uint64_t offset = 0;
  uint64_t length = 0;  // header and bitset
};

struct Column {
  std::string name;
  bool is_asked = false;  // DuckDB can be asked
  ParquetColumnType type;
  std::vector<Place> filters;  // of each row group
  std::vector<Form> forms;     // the first one is that of the column itself
};

// A file, and a view of the filter of each row group.
struct File {
  std::string bytes;
  std::vector<ParquetFilterView> views;
};

// All of these throw std::runtime_error, with the name of the file.
std::vector<Column> ReadPlan(const std::string& folder);
File OpenFile(const std::string& path, const Column& column);
std::vector<std::string> ReadLines(const std::string& path);
// Calls `each` with row group and text.
void ForEachStored(const std::string& folder, const Column& column, const Form& form,
                   const std::function<void(size_t row_group, std::string_view text)>& each);

}  // namespace linefilter::duckdb

#endif  // LINEFILTER_TESTS_PARQUET_DUCKDB_PLAN_H_
