// Filters of linefilter in the places of DuckDB's.
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "linefilter/filter.h"
#include "tests/parquet/duckdb/checks.h"
#include "tests/parquet/duckdb/values.h"

namespace linefilter::duckdb {
namespace {

constexpr uint64_t kBlockBytes = 32;

std::vector<std::vector<uint64_t>> HashesOf(const std::string& folder, const Column& column) {
  std::vector<std::vector<uint64_t>> hashes(column.filters.size());
  ForEachStored(folder, column, column.forms.front(), [&](size_t row_group, std::string_view text) {
    hashes[row_group].push_back(StoredHash(column, text));
  });
  return hashes;
}

// Header and bitset, as they stand in a file.
std::string FilterOf(const std::vector<uint64_t>& hashes, uint64_t bitset_bytes) {
  Filter filter;
  std::string bytes;
  Status status = filter.Create(hashes.size(), ParquetFilterOptionsOfBytes(bitset_bytes));
  if (status.ok()) {
    filter.InsertHashes(hashes.data(), hashes.size());
    status = AppendParquetFilter(filter, &bytes);
  }
  if (!status.ok()) throw std::runtime_error(status.message());
  return bytes;
}

uint64_t CompareBytes(const Column& column, const File& file, const std::vector<std::vector<uint64_t>>& hashes) {
  uint64_t faults = 0;
  for (size_t i = 0; i < column.filters.size(); ++i) {
    const Place& place = column.filters[i];
    if (FilterOf(hashes[i], file.views[i].body_bytes()) == file.bytes.substr(place.offset, place.length)) continue;
    std::printf("FAILED: %s, row group %zu: our filter of %zu values has other bytes than DuckDB's\n",
                column.name.c_str(), i, hashes[i].size());
    ++faults;
  }
  return faults;
}

// What a shorter filter leaves at the end of its place is zeros.
void WriteOurs(const std::string& path, const Column& column, File* file,
               const std::vector<std::vector<uint64_t>>& hashes) {
  for (size_t i = 0; i < column.filters.size(); ++i) {
    const Place& place = column.filters[i];
    const uint64_t bitset_bytes = file->views[i].body_bytes();
    std::string filter = FilterOf(hashes[(i + 1) % hashes.size()],
                                  bitset_bytes == kBlockBytes ? bitset_bytes : bitset_bytes - kBlockBytes);
    filter.resize(place.length);
    file->bytes.replace(place.offset, place.length, filter);
  }
  std::ofstream stream(path, std::ios::binary);
  if (!stream.write(file->bytes.data(), static_cast<std::streamsize>(file->bytes.size())).flush()) {
    throw std::runtime_error(path + " cannot be written");
  }
}

}  // namespace

uint64_t CheckOurs(const std::string& folder, const std::vector<Column>& columns) {
  uint64_t faults = 0, filters = 0;
  for (const Column& column : columns) {
    File file = OpenFile(folder + "/" + column.name + ".parquet", column);
    const std::vector<std::vector<uint64_t>> hashes = HashesOf(folder, column);
    faults += CompareBytes(column, file, hashes);
    filters += column.filters.size();
    WriteOurs(folder + "/" + column.name + ".ours.parquet", column, &file, hashes);
  }
  std::printf("%llu of %llu filters have other bytes than DuckDB's\n", static_cast<unsigned long long>(faults),
              static_cast<unsigned long long>(filters));
  return faults;
}

}  // namespace linefilter::duckdb
