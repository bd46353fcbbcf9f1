// Joins of examples/join, by the example's own code: without a filter, with a ScanFilter, with the loop of engines.
#include <cstdio>
#include <string>
#include <vector>

#include "bench/columns/rows.h"
#include "examples/join/measure.h"
#include "examples/join/star.h"
#include "linefilter/options.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

// The join that issue 36 names, which is measured on each target.
constexpr uint64_t kAskedBuild = 1000000;
constexpr double kAskedPercent = 1;

std::string NameOf(uint64_t build_rows, double percent) {
  char name[64];
  snprintf(name, sizeof name, "join/%llu/%g", static_cast<unsigned long long>(build_rows), percent);
  return name;
}

nlohmann::ordered_json EntryOf(const join::Cost& cost, const FilterOptions& options) {
  nlohmann::ordered_json entry;
  entry["layout"] = LayoutName(options.layout);
  entry["bits_per_key"] = options.bits_per_key;
  entry["found_rows"] = cost.found.rows;
  entry["without_ns"] = cost.probe_ns[0];
  entry["columns_ns"] = cost.probe_ns[1];
  entry["one_by_one_ns"] = cost.probe_ns[2];
  entry["filter_ns"] = cost.filter_ns;
  entry["table_bytes"] = cost.table_bytes;
  entry["filter_bytes"] = cost.filter_bytes;
  return entry;
}

}  // namespace

std::vector<nlohmann::ordered_json> MeasureJoins(const JoinEffort& effort, const Choice& choice) {
  FilterOptions options = FilterOptions::AtBitsPerKey(kBitsPerKey);
  options.layout = Layout::kSplitBlock;
  std::vector<nlohmann::ordered_json> entries;
  join::Orders orders;
  for (const uint64_t build_rows : effort.build_rows) {
    const join::Customers customers = join::MakeCustomers(build_rows);
    for (const double percent : effort.percents) {
      if (!choice.wants(NameOf(build_rows, percent))) continue;
      join::MakeOrders(effort.probe_rows, build_rows, percent / 100, &orders);
      const bool is_asked = build_rows == kAskedBuild && percent == kAskedPercent;
      for (size_t i = 0; i < (is_asked ? choice.targets.size() : 1); ++i) {
        Check(ForceTarget(choice.targets[i].c_str()));
        const join::Cost cost = join::Measure(customers, orders, options, effort.rounds);
        Check(cost.status);
        if (!cost.all_agree) Die("the ways of %s found different rows", NameOf(build_rows, percent).c_str());
        nlohmann::ordered_json entry = {{"build_rows", build_rows},
                                        {"probe_rows", effort.probe_rows},
                                        {"percent", percent},
                                        {"target", choice.targets[i]}};
        entry.update(EntryOf(cost, options));
        entries.push_back(entry);
        printf("%-24s %-8s without %6.2f ns, columns %6.2f ns, one by one %6.2f ns; filter %.3f ns\n",
               NameOf(build_rows, percent).c_str(), choice.targets[i].c_str(), cost.probe_ns[0], cost.probe_ns[1],
               cost.probe_ns[2], cost.filter_ns);
        fflush(stdout);
      }
    }
  }
  return entries;
}

}  // namespace linefilter::bench
