// What linefilter_bench_columns measures: rows of columns, from values to row numbers (linefilter/columns.h).
//
// The rows of a group read the same values and the same filter, each on every target. All are measured in the same
// rounds, so their ratios are taken round by round.
#ifndef LINEFILTER_BENCH_COLUMNS_ROWS_H_
#define LINEFILTER_BENCH_COLUMNS_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/peer.h"
#include "linefilter/column.h"
#include "linefilter/filter_base.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter::bench {

inline constexpr size_t kRows = size_t{1} << 18, kVector = 2048;
// A filter in memory is asked for so many rows: their lines, 256 MB, are in no cache when the row runs again.
inline constexpr size_t kManyRows = size_t{1} << 22;
inline constexpr double kBitsPerKey = 10;

inline void Check(const Status& status) {
  if (!status.ok()) Die("%s", status.message());
}

struct ColumnRowName {
  // "select", "batch", "engine_loop", "hash", "text", "text_nulls", "dictionary", "no_filter", "scan_filter"
  std::string what;
  std::string layout = "none", size = "none";  // of the filter
  int percent = -1;                            // of the rows are members; -1: no filter is asked
  std::string target;

  // What --rows searches: what/layout/size/percent.
  std::string Text() const;
};

struct ColumnRow {
  ColumnRowName name;
  size_t num_rows;            // that `run` goes through
  std::function<void()> run;  // while the target of the name is forced
  std::vector<double> ns_each;
};

// Which rows are to be measured, and where.
struct Choice {
  std::vector<std::string> targets;
  std::function<bool(const std::string& text)> wants;  // by the text of a name
};

std::vector<int64_t> RandomValues(size_t n, uint64_t seed);

// Selects all rows in vectors of `vector` rows, and counts those that stay.
size_t SelectAll(const FilterBase& filter, const Column& column, size_t vector);

// The selection of integers, a batch whose hashes are ready, and the loop of engines: of one layout in so many bytes.
// `members` is made if it is empty, and is of that size.
std::vector<ColumnRow> Selections(Layout layout, uint64_t bytes, const Choice& choice, std::vector<int64_t>* members);

// Hashes, texts, a dictionary, and a ScanFilter where all rows stay beside no filter.
std::vector<ColumnRow> OtherRows(const Choice& choice);

struct JoinEffort {
  uint64_t probe_rows = 100000000;
  std::vector<uint64_t> build_rows = {1000, 10000, 100000, 1000000, 10000000};
  std::vector<double> percents = {0.1, 1, 5, 20, 50, 80, 100};
  int rounds = 3;
};

// The joins of examples/join as entries of a results file: all on the first target, that of the issue on each.
std::vector<nlohmann::ordered_json> MeasureJoins(const JoinEffort& effort, const Choice& choice);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_COLUMNS_ROWS_H_
