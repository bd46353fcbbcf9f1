// The probe side of the join in three ways: without a filter, with columns.h, and as engines write it by hand.
#ifndef LINEFILTER_EXAMPLES_JOIN_PROBE_H_
#define LINEFILTER_EXAMPLES_JOIN_PROBE_H_

#include <cstdint>

#include "examples/join/hash_table.h"
#include "examples/join/star.h"
#include "linefilter/filter.h"
#include "linefilter/options.h"
#include "linefilter/status.h"

namespace join {

// What the join found: SELECT count(*), sum(row number), sum(amount * discount).
struct Found {
  uint64_t rows = 0, row_numbers = 0, rebate = 0;

  bool operator==(const Found& other) const {
    return rows == other.rows && row_numbers == other.row_numbers && rebate == other.rebate;
  }
};

HashTable MakeTable(const Customers& customers);
// The filter of the build side, by AddColumn.
linefilter::Status MakeFilter(const Customers& customers, const linefilter::FilterOptions& options,
                              linefilter::Filter* filter);

// Each row is looked up in the table.
Found ProbeAll(const HashTable& table, const Orders& orders);
// A ScanFilter selects the rows of each batch that are looked up.
linefilter::Status ProbeSelected(const HashTable& table, const linefilter::Filter& filter, const Orders& orders,
                                 Found* found);
// The loop of engines selects them: hash one value, ask for it, append its row.
Found ProbeOneByOne(const HashTable& table, const linefilter::Filter& filter, const Orders& orders);

}  // namespace join

#endif  // LINEFILTER_EXAMPLES_JOIN_PROBE_H_
