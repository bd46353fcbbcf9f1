// This lists the filters of a file, row group by row group.
#include <utility>
#include <vector>

#include "tools/program/command.h"
#include "tools/program/parquet/file.h"
#include "tools/program/parquet/request.h"

namespace linefilter::tools {
namespace {

constexpr char kEncrypted[] = "the column is encrypted, and so is its filter: linefilter reads plain ones alone";
constexpr char kElsewhere[] = "the data of the column lie in another file: look there";

class Listing {
 public:
  explicit Listing(const ParquetRequest& request) : request_(request) {}

  Status Open() {
    const Status status = file_.Open(request_.path);
    return status.ok() ? file_.ReadFooter(&footer_) : status;
  }
  int Print() {
    for (size_t row_group = 0; row_group < footer_.row_groups.size(); ++row_group) {
      for (size_t column = 0; column < footer_.columns.size(); ++column) Add(row_group, column);
    }
    Report report;
    report.Text("file", request_.path);
    report.Text("created_by", ParquetName(footer_.created_by, request_.json));
    report.Count("num_rows", static_cast<uint64_t>(footer_.num_rows));
    report.Count("num_row_groups", footer_.row_groups.size());
    report.Count("num_columns", footer_.columns.size());
    report.Count("num_filters", num_filters_);
    report.Count("filter_bytes", filter_bytes_);
    report.Rate("wanted_fpr", request_.fpr);
    report.Table("column_chunks", std::move(rows_));
    report.Table("reasons", std::move(reasons_));
    report.Print(request_.json);
    fflush(stdout);  // before what standard error says of it
    return num_broken_ == 0 ? kExitGood : TellBroken();
  }

 private:
  void Add(size_t row_group, size_t column) {
    const ParquetChunk& chunk = footer_.Chunk(row_group, column);
    const std::string name = ParquetName(footer_.columns[column].path, request_.json);
    ParquetFilterView view;
    std::string reason;
    const char* const state = StateOf(chunk, &view, &reason);
    const bool has_none = footer_.columns[column].type.physical == ParquetPhysicalType::kBoolean;
    Report row;
    row.Text("column", name);
    row.Count("row_group", row_group);
    row.Text("type", ParquetTypeName(footer_.columns[column].type));
    row.Text("state", state);
    ReportParquetFilter(view, has_none ? -1 : chunk.num_values, request_.fpr, &row);
    rows_.push_back(std::move(row));
    if (reason.empty()) return;
    reasons_.emplace_back();
    reasons_.back().Text("column", name);
    reasons_.back().Count("row_group", row_group);
    reasons_.back().Text("reason", reason);
  }
  // Opens the filter, if there is one.
  const char* StateOf(const ParquetChunk& chunk, ParquetFilterView* view, std::string* reason) {
    if (chunk.is_encrypted) *reason = kEncrypted;
    if (chunk.is_elsewhere) *reason = kElsewhere;
    if (!reason->empty()) return chunk.is_elsewhere ? "elsewhere" : "encrypted";
    if (!chunk.has_filter) return "none";
    const Status status = file_.OpenFilter(chunk, &bytes_, view);
    num_filters_ += 1;
    filter_bytes_ += view->filter_bytes();
    if (status.ok()) return "ok";
    if (num_broken_++ == 0) first_ = status;
    *reason = status.message();
    return status.code() == StatusCode::kUnsupported ? "unknown" : "damaged";
  }
  int TellBroken() const {
    return Fail(
        "%s: %llu of %llu Bloom filters cannot be read (see reasons), so all answers are \"maybe\" there. The "
        "first one: %s",
        request_.path.c_str(), static_cast<unsigned long long>(num_broken_),
        static_cast<unsigned long long>(num_filters_), first_.message());
  }

  const ParquetRequest& request_;
  ParquetFile file_;
  ParquetFooter footer_;
  std::string bytes_;
  std::vector<Report> rows_, reasons_;
  Status first_;
  uint64_t num_filters_ = 0, num_broken_ = 0, filter_bytes_ = 0;
};

}  // namespace

int ListParquet(const ParquetRequest& request) {
  Listing listing(request);
  const Status status = listing.Open();
  return status.ok() ? listing.Print() : FailParquet(request.path, status);
}

}  // namespace linefilter::tools
