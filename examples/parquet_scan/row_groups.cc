// row_groups: which row groups of a Parquet file may have one of the ids that a query asks for.
//
//   row_groups FILE < lines
//
// The lines are `filter OFFSET LENGTH` for the Bloom filter of each row group, as the footer tells them (0 0 for a row
// group without one), and `id NUMBER` for each id of the query, of a column of INT64. The answer is a line for each row
// group that may have one of the ids: its number, from 0. All others have none of them, and need not be read.
//
// An engine has offsets and ids at hand. Copy from MayHave: it opens all filters and asks them for a whole column of
// ids at once (MayContainAny). A filter that is damaged or missing keeps its row group.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "linefilter/column.h"
#include "linefilter/columns.h"
#include "linefilter/parquet.h"

namespace {

using linefilter::Column;
using linefilter::ParquetFilterView;

struct Place {  // of a filter in the file
  uint64_t offset, length;
};

std::vector<uint8_t> MayHave(std::ifstream* file, const std::vector<Place>& places, const std::vector<int64_t>& ids) {
  uint64_t size = 0;
  for (const Place& place : places) size += place.length;
  file->seekg(0, std::ios::end);
  if (size > static_cast<uint64_t>(file->tellg())) throw std::runtime_error("the filters are larger than the file");
  std::string bytes(static_cast<size_t>(size), '\0');  // of all filters
  std::vector<ParquetFilterView> views(places.size());
  std::vector<const linefilter::FilterBase*> filters;
  char* to = bytes.data();
  for (size_t i = 0; i < places.size(); ++i) {
    file->clear();  // the end of the file before
    file->seekg(static_cast<std::streamoff>(places[i].offset));
    file->read(to, static_cast<std::streamsize>(places[i].length));
    const linefilter::Status status = views[i].Open(to, static_cast<size_t>(file->gcount()));
    if (!status.ok()) fprintf(stderr, "row_groups: row group %zu stays: %s\n", i, status.message());
    filters.push_back(&views[i]);
    to += places[i].length;
  }
  std::vector<uint8_t> may_have(places.size(), 1);
  // A status that is not ok tells of filters that could not be asked, which have 1.
  (void)MayContainAny(filters.data(), filters.size(), Column::OfNumbers(ids.data(), ids.size()), may_have.data()).ok();
  return may_have;
}

int Run(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  std::vector<Place> places;
  std::vector<int64_t> ids;
  for (std::string word; std::cin >> word;) {
    Place place{};
    int64_t id = 0;
    if (word == "filter" && std::cin >> place.offset >> place.length &&
        place.length <= linefilter::kMaxParquetBitsetBytes) {
      places.push_back(place);
    } else if (word == "id" && std::cin >> id) {
      ids.push_back(id);
    } else {
      throw std::runtime_error("'" + word + "': lines are `filter OFFSET LENGTH` and `id NUMBER`");
    }
  }
  const std::vector<uint8_t> may_have = MayHave(&file, places, ids);
  for (size_t i = 0; i < may_have.size(); ++i) {
    if (may_have[i] != 0) printf("%zu\n", i);
  }
  if (fflush(stdout) != 0) throw std::runtime_error("cannot write standard output");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 2) return Run(argv[1]);
  fputs("usage: row_groups FILE < LINES, which are `filter OFFSET LENGTH` and `id NUMBER`\n", stderr);
  return 2;
} catch (const std::exception& error) {
  fprintf(stderr, "row_groups: %s\n", error.what());
  return 2;
}
