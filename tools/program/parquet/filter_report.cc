// This describes one filter: in the listing, or alone with --at.
#include <cmath>

#include "linefilter/sizing.h"
#include "tools/program/command.h"
#include "tools/program/number.h"
#include "tools/program/parquet/file.h"
#include "tools/program/parquet/request.h"

namespace linefilter::tools {
namespace {

bool ParseAt(const std::string& text, uint64_t* offset, uint64_t* length, std::string* error) {
  const size_t colon = text.find(':');
  if (!ParseCount(text.substr(0, colon), offset, error)) return false;
  if (colon == std::string::npos) return true;
  if (!ParseCount(text.substr(colon + 1), length, error)) return false;
  *error = "has a length of 0: leave it out if you do not know it";
  return *length != 0;
}

}  // namespace

int FailParquet(const std::string& path, const Status& status) {
  return Fail("%s: %s", path.c_str(), status.message());
}

std::string ParquetName(const std::string& name, bool json) {
  constexpr size_t kMost = 200;  // bytes; a table is as wide as its longest name
  if (json) return name;
  std::string shown = name.size() <= kMost ? name : name.substr(0, kMost) + "...";
  for (size_t i = 0; i < shown.size(); ++i) {
    const uint8_t c = static_cast<uint8_t>(shown[i]), before = i == 0 ? 0 : static_cast<uint8_t>(shown[i - 1]);
    const bool is_c1 = before == 0xc2 && c >= 0x80 && c < 0xa0;  // in UTF-8: 0x9b is what ESC [ is
    if (c < 0x20 || c == 0x7f || is_c1) shown[i] = '?';
  }
  return shown;
}

void ReportParquetFilter(const ParquetFilterView& view, int64_t num_values, double fpr, Report* report) {
  const bool is_there = view.body_bytes() != 0;
  const SizeEstimate size = is_there ? view.ApproximateSize() : SizeEstimate{NAN, NAN};
  const double most = num_values < 0 ? HUGE_VAL : static_cast<double>(num_values);
  const double distinct = is_there && size.keys < most ? size.keys : most;
  Sizing sizing;
  const bool has_size =
      std::isfinite(distinct) &&
      SizeForFpr(ParquetFilterOptions(fpr).layout, static_cast<uint64_t>(std::fmax(distinct, 1) + 0.5), fpr, &sizing)
          .ok();
  report->Number("body_bytes", is_there ? static_cast<double>(view.body_bytes()) : NAN);
  report->Rate("fill_ratio", is_there ? view.FillRatio() : NAN);
  report->Rate("expected_fpr", is_there ? view.ExpectedFpr() : NAN);
  report->Number("approximate_size", size.keys);
  report->Number("sized_body_bytes", has_size ? static_cast<double>(sizing.body_bytes) : NAN);
  report->Rate("sized_fpr", has_size ? sizing.expected_fpr : NAN);
}

int ShowParquetFilter(const ParquetRequest& request) {
  uint64_t offset = 0, length = 0;
  std::string error, bytes;
  if (!ParseAt(request.at, &offset, &length, &error)) {
    return Fail("parquet: --at '%s' %s", request.at.c_str(), error.c_str());
  }
  ParquetFile file;
  ParquetFilterView view;
  Status status = file.Open(request.path);
  if (status.ok()) status = file.OpenFilter(offset, length, &bytes, &view);
  if (!status.ok()) return FailParquet(request.path, status);
  Report report;
  report.Text("file", request.path);
  report.Count("offset", offset);
  report.Count("header_bytes", view.header_bytes());
  report.Rate("wanted_fpr", request.fpr);
  ReportParquetFilter(view, -1, request.fpr, &report);
  report.Print(request.json);
  return kExitGood;
}

}  // namespace linefilter::tools
