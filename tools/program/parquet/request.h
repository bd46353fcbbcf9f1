// `linefilter parquet` does one of three things, which share this. Each returns the exit code.
#ifndef LINEFILTER_TOOLS_PROGRAM_PARQUET_REQUEST_H_
#define LINEFILTER_TOOLS_PROGRAM_PARQUET_REQUEST_H_

#include <cstdint>
#include <string>

#include "linefilter/parquet.h"
#include "linefilter/status.h"
#include "tools/program/report.h"

namespace linefilter::tools {

struct ParquetRequest {
  std::string path;
  std::string ask;  // COLUMN=VALUE
  std::string at;   // OFFSET[:LENGTH]
  double fpr = 0.01;
  bool json = false;
};

// Lists all filters.
int ListParquet(const ParquetRequest& request);
// Tells which row groups may have a value.
int AskParquet(const ParquetRequest& request);
// Describes the one filter that begins at an offset, of a file without a footer, too.
int ShowParquetFilter(const ParquetRequest& request);

// Says on standard error what is wrong with the file; returns kExitBad.
int FailParquet(const std::string& path, const Status& status);

// Reports what the bits of a filter say, and what a filter of the right size would be: for as many distinct values as
// the bits tell, at most `num_values` (-1: not known), and the rate `fpr`. A broken view is one that was not made: then
// it is for num_values. What nobody knows is NaN.
void ReportParquetFilter(const ParquetFilterView& view, int64_t num_values, double fpr, Report* report);

// A name that a file told, for the report: a text for a terminal has no control characters, and is cut where it is
// long.
std::string ParquetName(const std::string& name, bool json);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_PARQUET_REQUEST_H_
