// Results beside each other by ratio: files of several runs or CPUs, or the SIMD targets of one file.
#ifndef LINEFILTER_BENCH_COMPARE_H_
#define LINEFILTER_BENCH_COMPARE_H_

#include <map>
#include <string>
#include <vector>

#include "bench/loaded.h"
#include "bench/noise.h"

namespace linefilter::bench {

enum class Verdict { kSame, kFaster, kSlower };  // of the other against the first
const char* VerdictName(Verdict verdict);        // "same", "faster", "slower"

struct Ratio {
  bool measured = false;  // in the other, too
  Estimate time;  // of the other
  double ratio = 0, low = 0, high = 0;
  Verdict verdict = Verdict::kSame;
};

// A row of the first column, and the same of each other one.
struct ComparedRow {
  std::string name, layout, access, size;
  Estimate first;
  std::vector<Ratio> others;
};

// By size of the filters: the factor that all rows of it took longer in another run on the same CPU, which is the
// machine's. Ratios are without it.
using Shifts = std::map<std::string, double>;

// Rows of one layout and access.
struct ComparedGroup {
  std::string layout, access;
  size_t column = 0;  // of the others
  size_t rows = 0, same = 0, faster = 0, slower = 0;
  double ratio = 0;  // the median
};

struct Comparison {
  std::vector<std::string> columns;  // the first, and the others: files or targets
  std::vector<double> drifts;        // Noise::drift of each column's file
  std::vector<Shifts> shifts;        // of each column against the first
  std::vector<ComparedRow> rows;
  std::vector<ComparedGroup> groups;
  std::vector<std::string> only_first;                // rows that no other column has
  std::vector<std::vector<std::string>> only_others;  // of each other: rows that the first lacks
  size_t compared = 0, different = 0;
  double interval_width = 0;  // the median of (high - low) / ratio
};

Comparison CompareFiles(const std::vector<LoadedFile>& files);
// Each target of the file against its best one. Rows of a layout with one target are left out.
Comparison CompareTargets(const LoadedFile& file);

struct CompareOptions {
  std::vector<std::string> files;
  bool targets = false, all = false, json = false;
};

// The subcommand `compare`: prints, and returns 0: all rows are the same, 1: some differ, 2: it cannot compare.
int RunCompare(const CompareOptions& options);

// compare_text.cc
void PrintText(const Comparison& comparison, const std::vector<LoadedFile>& files, bool all);
void PrintJson(const Comparison& comparison, const std::vector<LoadedFile>& files);

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_COMPARE_H_
