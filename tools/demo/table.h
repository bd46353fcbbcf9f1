// The demo's results: a table, a verdict in sentences, and columns in a file for gnuplot.
#ifndef LINEFILTER_TOOLS_DEMO_TABLE_H_
#define LINEFILTER_TOOLS_DEMO_TABLE_H_

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tools/demo/measure.h"

namespace linefilter::demo {

// The density that most rows share; others are marked.
inline constexpr double kBitsPerKey = 10;

void PrintTable(const std::vector<Row>& rows, uint64_t num_members, uint64_t num_absent, FILE* out);

// At the same bytes: how many of the false positives, and how much of the time. The other is the best known that is
// there.
void PrintVerdict(const std::vector<Row>& rows, uint64_t num_absent, FILE* out);

// folder/points.tsv for plot.gp: name, whose it is, ns of one word, ns in a batch, rate in percent. Exact rows, and
// those of unlike bytes, are left out. False after saying why.
bool WritePlotData(const std::vector<Row>& rows, uint64_t num_absent, const std::string& folder);

}  // namespace linefilter::demo

#endif  // LINEFILTER_TOOLS_DEMO_TABLE_H_
