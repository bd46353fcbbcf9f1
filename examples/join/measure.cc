#include "examples/join/measure.h"

#include <time.h>

#include <algorithm>
#include <vector>

namespace join {
namespace {

double NowNs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

}  // namespace

Cost Measure(const Customers& customers, const Orders& orders, const linefilter::FilterOptions& options, int rounds) {
  const auto num_rows = static_cast<double>(orders.customer_ids.size());
  const HashTable table = MakeTable(customers);
  linefilter::Filter filter;
  Cost cost;
  std::vector<double> filter_times, probe_times[kWays];
  for (int round = 0; round < rounds && cost.status.ok(); ++round) {
    double start = NowNs();
    cost.status = MakeFilter(customers, options, &filter);
    filter_times.push_back((NowNs() - start) / num_rows);
    Found found[kWays];
    for (int way = 0; way < kWays && cost.status.ok(); ++way) {
      start = NowNs();
      if (way == 0) found[way] = ProbeAll(table, orders);
      if (way == 1) cost.status = ProbeSelected(table, filter, orders, &found[way]);
      if (way == 2) found[way] = ProbeOneByOne(table, filter, orders);
      probe_times[way].push_back((NowNs() - start) / num_rows);
    }
    if (!cost.status.ok()) return cost;
    cost.found = found[0];
    cost.all_agree = cost.all_agree && found[1] == found[0] && found[2] == found[0];
  }
  for (int way = 0; way < kWays; ++way) cost.probe_ns[way] = Median(probe_times[way]);
  cost.filter_ns = Median(filter_times);
  cost.table_bytes = table.bytes();
  cost.filter_bytes = filter.body_bytes();
  return cost;
}

}  // namespace join
