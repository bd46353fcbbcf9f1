// Columns in, row numbers out: this is how a scan or a join asks a filter, and how a build side fills one.
//
//   linefilter::Status status = linefilter::AddColumn(build_ids, &filter);  // Columns: linefilter/column.h
//   ...
//   uint32_t rows[2048];
//   size_t num_rows = 0;
//   status = linefilter::SelectMaybes(filter, probe_ids, nullptr, 2048, rows, &num_rows);
//   for (size_t i = 0; i < num_rows; ++i) Probe(rows[i]);  // in order; all others are certainly absent
//
// A row stays if its key may be in the filter. Rows come out in the order in which they went in, without a branch per
// row, and nothing is allocated. Where nothing can be told, all rows stay, and the status says why: a column of another
// form than the filter's keys, a filter of the caller's hashes, a column that is broken.
//
// Several columns are one key: pass an array of them. Their combined hash belongs to a filter of hash id kCaller, whose
// seed it takes, and whose image then names the forms of the columns (doc/FORMAT.md section 13).
//
// A call takes up to 90 KB of stack. A question takes no other memory, and an insertion what the filter or builder
// takes for its keys. All calls are thread-safe as the questions and insertions of the filter are. A ScanFilter is for
// one thread.
#ifndef LINEFILTER_COLUMNS_H_
#define LINEFILTER_COLUMNS_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/column.h"
#include "linefilter/executor.h"
#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/internal/export.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace linefilter {

class Filter;
class FilterBuilder;
class KeyFilter;

// The columns of a key, 1 to 8 with as many rows each; what takes it takes a Column, too.
struct Columns {
  // One column.
  Columns(const Column& column) noexcept : of(&column), count(1) {}
  // An array of them.
  Columns(const Column* columns, size_t num_columns) noexcept : of(columns), count(num_columns) {}

  const Column* of;  // they stay as long as this is used
  size_t count;      // how many
};
// The most columns of a key.
inline constexpr size_t kMaxColumns = 8;

// Makes the hash of each row: of one column that of its key, whatever the hash id; of several their combined hash, of
// hash id kXxh3 and its seed. With kParquet a value is what Parquet stores (4 bytes of an INT32), whatever its form.
// The hash of a null is that of a value unless Nulls::kAsValue says what it is: leave it out. On an error the hashes
// mean nothing.
LINEFILTER_EXPORT Status HashColumns(const Columns& columns, const KeyHash& key_hash, uint64_t* hashes) noexcept;

// Ok if the filter can be asked for these columns; else what is wrong, and what to do. All rows stay then.
LINEFILTER_EXPORT Status CanAsk(const FilterBase& filter, const Columns& columns) noexcept;

// Writes those of the n rows whose keys may be in the filter, in their order, and how many they are. `rows` are row
// numbers of the columns, or null for rows 0 to n - 1; `maybes` has room for n, and may be `rows` itself. Row numbers
// of 16 bits do for columns of up to 65,536 rows, those of 32 bits for 2^32: for null `rows` and more it is
// kInvalidArgument, and no row is written. On any other error all rows stay, or those of the 1,024 around the fault.
LINEFILTER_EXPORT Status SelectMaybes(const FilterBase& filter, const Columns& columns, const uint32_t* rows, size_t n,
                                      uint32_t* maybes, size_t* num_maybes) noexcept;
LINEFILTER_EXPORT Status SelectMaybes(const FilterBase& filter, const Columns& columns, const uint16_t* rows, size_t n,
                                      uint16_t* maybes, size_t* num_maybes) noexcept;
// The same for a bitmap: bit i & 7 of byte i >> 3 is that of row i. `rows` has a 1 for each row that is asked, or is
// null for all; `maybes` gets (n + 7) / 8 bytes for the n rows of the columns, and may be `rows` itself.
LINEFILTER_EXPORT Status SelectMaybesToBits(const FilterBase& filter, const Columns& columns, const uint8_t* rows,
                                            uint8_t* maybes, size_t* num_maybes) noexcept;

// Several filters, such as those of the partitions of a build side: a row stays if one of them may have its key.
LINEFILTER_EXPORT Status SelectMaybes(const FilterBase* const filters[], size_t num_filters, const Columns& columns,
                                      const uint32_t* rows, size_t n, uint32_t* maybes, size_t* num_maybes) noexcept;
// Several filters, such as those of the row groups of a file: may_contain[i] is 1 if filters[i] may have the key of any
// row, else 0. A filter that cannot be asked has 1, and the status is that of the first one.
LINEFILTER_EXPORT Status MayContainAny(const FilterBase* const filters[], size_t num_filters, const Columns& columns,
                                       uint8_t* may_contain) noexcept;

// Adds the key of each row that has one, and notes the form (FilterBase::key_forms). kIncompatible says that the filter
// has keys of another form, or cannot hash these columns: nothing was added then.
LINEFILTER_EXPORT Status AddColumn(const Columns& columns, KeyFilter* filter) noexcept;
LINEFILTER_EXPORT Status AddColumn(const Columns& columns, FilterBuilder* builder) noexcept;

// Unites filters of one shape, one filled by each thread of a build side, into filters[0]: give each the capacity of
// all keys (FilterOptions::SameSizeAs). Pairs are united at once by the threads of the executor. Options are those of
// Filter::Union, whose errors come back; then some may be united already, and all are as good to ask as before. A
// filter that comes twice is kInvalidArgument, and nothing was done.
LINEFILTER_EXPORT Status UniteFilters(Filter* const filters[], size_t num_filters, const Executor& executor = {},
                                      const UnionOptions& options = {}) noexcept;

// A filter in front of a scan: it sees how many rows it lets through, and does not ask where that does not pay.
//
//   linefilter::ScanFilter scan(filter);
//   status = scan.Select(probe_ids, nullptr, 2048, rows, &num_rows);  // for each vector of the scan
//
// It judges after each kRowsToJudge rows that it asked. If more than max_passed of them stayed, it lets the next rows
// through unasked: 8 times as many, then twice as many each time that it finds the same, up to kMostUnasked times. So a
// filter that does not help costs a thousandth of what it would, and one that begins to help is asked again soon. It is
// never wrong: rows that are not asked stay.
class LINEFILTER_EXPORT ScanFilter {
 public:
  static constexpr uint64_t kRowsToJudge = 4096;  // so many rows tell a share to 1 %
  static constexpr uint64_t kMostUnasked = 1024;  // times the rows that were judged: asking costs a thousandth then

  // The filter must stay as long as this is used. Asking takes some ns for a row, and a row that goes on costs a
  // probe of a hash table at least, 5 to 30 ns: it pays where at least one row of ten is left out.
  explicit ScanFilter(const FilterBase& filter, double max_passed = 0.9) noexcept;

  // SelectMaybes of the filter, or all rows.
  Status Select(const Columns& columns, const uint32_t* rows, size_t n, uint32_t* maybes, size_t* num_maybes) noexcept;
  Status Select(const Columns& columns, const uint16_t* rows, size_t n, uint16_t* maybes, size_t* num_maybes) noexcept;

  bool asks() const noexcept { return num_unasked_ == 0; }      // whether the next rows are asked
  uint64_t num_rows() const noexcept { return num_rows_; }      // that came
  uint64_t num_asked() const noexcept { return num_asked_; }    // of them
  uint64_t num_maybes() const noexcept { return num_maybes_; }  // of those that were asked

 private:
  template <class Row>
  LINEFILTER_LOCAL Status SelectOf(const Columns& columns, const Row* rows, size_t n, Row* maybes,
                                   size_t* num_maybes) noexcept;
  LINEFILTER_LOCAL void Judge(uint64_t asked, uint64_t maybes) noexcept;

  const FilterBase* filter_;
  double max_passed_;
  uint64_t num_rows_ = 0, num_asked_ = 0, num_maybes_ = 0;
  uint64_t asked_now_ = 0, maybes_now_ = 0;  // since it last judged
  uint64_t num_unasked_ = 0;                 // rows that go through before it asks again
  uint64_t pause_ = 0;                       // the last pause, in units of kRowsToJudge
};

}  // namespace linefilter

#endif  // LINEFILTER_COLUMNS_H_
