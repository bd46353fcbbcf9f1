// The demo's results, for people (a table) and for gnuplot (columns in a file).
#ifndef LINEFILTER_TOOLS_DEMO_TABLE_H_
#define LINEFILTER_TOOLS_DEMO_TABLE_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/demo/measure.h"

namespace linefilter::demo {

void PrintTable(const std::vector<Row>& rows, uint64_t num_absent, FILE* out);

// What plot.gp reads: fpr_LAYOUT.tsv (measured, with interval), model.tsv (the expected curves, one column
// per layout, named in its first line), ns.tsv (lookups at
// `bits_per_key`). False after saying why.
bool WritePlotData(const std::vector<Row>& rows, uint64_t num_absent, double bits_per_key, const std::string& folder);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_TABLE_H_
