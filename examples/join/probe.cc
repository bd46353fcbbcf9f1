#include "examples/join/probe.h"

#include <algorithm>
#include <cstddef>

#include "linefilter/columns.h"

namespace join {
namespace {

using linefilter::Column;
using linefilter::Status;

// Looks up the rows of each batch that select(first row, n, rows, &num_rows) leaves; at first num_rows is n.
template <class Select>
Found ProbeBy(const HashTable& table, const Orders& orders, const Select& select) {
  uint32_t rows[kBatchRows];
  Match matches[kBatchRows];
  Found found;
  for (size_t first = 0; first < orders.customer_ids.size(); first += kBatchRows) {
    const size_t n = std::min(kBatchRows, orders.customer_ids.size() - first);
    size_t num_rows = n;
    select(first, n, rows, &num_rows);
    const uint32_t* const selected = num_rows < n ? rows : nullptr;  // where all stay, nobody needs their numbers
    const size_t num_matches = table.Probe(orders.customer_ids.data() + first, selected, num_rows, matches);
    found.rows += num_matches;
    for (size_t i = 0; i < num_matches; ++i) {
      const size_t row = first + matches[i].row;
      found.row_numbers += row;
      found.rebate += uint64_t{orders.amounts[row]} * matches[i].payload;
    }
  }
  return found;
}

}  // namespace

HashTable MakeTable(const Customers& customers) {
  HashTable table(customers.ids.size());
  for (size_t i = 0; i < customers.ids.size(); ++i) table.Insert(customers.ids[i], customers.discounts[i]);
  return table;
}

Status MakeFilter(const Customers& customers, const linefilter::FilterOptions& options, linefilter::Filter* filter) {
  const Column ids = Column::OfNumbers(customers.ids.data(), customers.ids.size());
  Status status = filter->Create(ids.size(), options);
  if (status.ok()) status = linefilter::AddColumn(ids, filter);
  return status;
}

Found ProbeAll(const HashTable& table, const Orders& orders) {
  return ProbeBy(table, orders, [](size_t, size_t, uint32_t*, size_t*) {});
}

Status ProbeSelected(const HashTable& table, const linefilter::Filter& filter, const Orders& orders, Found* found) {
  linefilter::ScanFilter scan(filter);  // an engine has one for each thread
  const Column ids = Column::OfNumbers(orders.customer_ids.data(), orders.customer_ids.size());
  const uint32_t* const all = nullptr;
  Status status;
  *found = ProbeBy(table, orders, [&](size_t first, size_t n, uint32_t* rows, size_t* num_rows) {
    Status here = scan.Select(ids.Slice(first, n), all, n, rows, num_rows);
    if (!here.ok()) status = here;  // all rows stay then, so the join is right
  });
  return status;
}

Found ProbeOneByOne(const HashTable& table, const linefilter::Filter& filter, const Orders& orders) {
  return ProbeBy(table, orders, [&](size_t first, size_t n, uint32_t* rows, size_t* num_rows) {
    const int64_t* const ids = orders.customer_ids.data() + first;
    size_t count = 0;
    for (size_t i = 0; i < n; ++i) {
      rows[count] = static_cast<uint32_t>(i);
      count += filter.MayContainKey(ids[i]);
    }
    *num_rows = count;
  });
}

}  // namespace join
