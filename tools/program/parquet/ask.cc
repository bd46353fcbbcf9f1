// This asks the filters of one column for one value.
#include <utility>
#include <vector>

#include "tools/program/command.h"
#include "tools/program/parquet/file.h"
#include "tools/program/parquet/request.h"
#include "tools/program/parquet/value.h"

namespace linefilter::tools {
namespace {

constexpr size_t kNotFound = ~size_t{0};

// The answer for a row group, and why.
struct Answer {
  bool may_contain = true;
  std::string reason;
};

// Names of columns may have an '=', so the schema tells where the name ends. If no column or several are meant, it says
// so and returns kNotFound.
size_t FindColumn(const ParquetFooter& footer, const std::string& path, const std::string& ask, std::string* value) {
  const size_t equals = ask.find('=');
  size_t found = kNotFound;
  std::string below, all;
  for (size_t i = 0; i < footer.columns.size(); ++i) {
    const std::string& name = footer.columns[i].path;
    if (all.size() < 200) all += (all.empty() ? "" : ", ") + ParquetName(name, false);
    if (below.empty() && name.compare(0, equals + 1, ask.substr(0, equals) + ".") == 0) below = name;
    if (ask.compare(0, name.size(), name) != 0 || ask[name.size()] != '=') continue;
    if (found != kNotFound) {
      Fail("%s: --ask %s: two columns are meant, %s and %s: this file cannot be asked by their names", path.c_str(),
           ask.c_str(), footer.columns[found].path.c_str(), name.c_str());
      return kNotFound;
    }
    found = i;
    *value = ask.substr(name.size() + 1);
  }
  if (found != kNotFound) return found;
  const std::string name = ask.substr(0, equals);
  if (!below.empty()) {
    Fail("%s: '%s' is a group of columns: ask for one of them by its path, like %s", path.c_str(), name.c_str(),
         ParquetName(below, false).c_str());
  } else {
    Fail("%s: there is no column '%s': its columns are %s%s", path.c_str(), name.c_str(), all.c_str(),
         all.size() < 200 ? "" : ", ...");
  }
  return kNotFound;
}

class Asking {
 public:
  Asking(const ParquetRequest& request, const ParquetQuestion& question, ParquetFile* file)
      : request_(request), question_(question), file_(file) {}

  Answer Ask(const ParquetChunk& chunk) {
    if (question_.decided().reason != ParquetReason::kAsked) {
      return {question_.decided().may_contain, question_.decided().message};
    }
    if (chunk.is_elsewhere) return {true, "the data of the column lie in another file"};
    if (chunk.is_encrypted) return {true, "the column is encrypted, and so is its filter"};
    if (!chunk.has_filter) return {true, "the column has no filter in this row group"};
    ParquetFilterView view;
    const Status status = file_->OpenFilter(chunk, &bytes_, &view);
    if (!status.ok()) {
      if (broken_.ok()) broken_ = status;
      return {true, status.message()};
    }
    const ParquetAnswer answer = question_.Ask(view);
    return {answer.may_contain, answer.message};
  }
  int ExitCode(bool may_contain) const {
    if (broken_.ok()) return may_contain ? kExitGood : kExitNegative;
    return FailParquet(request_.path, broken_);
  }

 private:
  const ParquetRequest& request_;
  const ParquetQuestion& question_;
  ParquetFile* file_;
  std::string bytes_;
  Status broken_;  // why a filter could not be read
};

// Prints what is known, and asks all row groups.
int AskAll(const ParquetRequest& request, const ParquetFooter& footer, size_t column, const std::string& value,
           Asking* asking) {
  std::vector<Report> rows;
  uint64_t maybe = 0;
  for (size_t i = 0; i < footer.row_groups.size(); ++i) {
    const Answer answer = asking->Ask(footer.Chunk(i, column));
    maybe += answer.may_contain ? 1 : 0;
    rows.emplace_back();
    rows.back().Count("row_group", i);
    rows.back().Count("num_rows", static_cast<uint64_t>(footer.row_groups[i]));
    rows.back().Text("answer", answer.may_contain ? "maybe" : "absent");
    rows.back().Text("reason", answer.reason);
  }
  Report report;
  report.Text("file", request.path);
  report.Text("column", ParquetName(footer.columns[column].path, request.json));
  report.Text("type", ParquetTypeName(footer.columns[column].type));
  report.Text("value", ParquetName(value, request.json));
  report.Count("num_row_groups", footer.row_groups.size());
  report.Count("maybe", maybe);
  report.Count("absent", footer.row_groups.size() - maybe);
  report.Table("row_groups", std::move(rows));
  report.Print(request.json);
  fflush(stdout);  // before what standard error says of it
  return asking->ExitCode(maybe != 0);
}

}  // namespace

int AskParquet(const ParquetRequest& request) {
  if (request.ask.find('=') == std::string::npos) {
    return Fail("parquet: --ask '%s' has no '=': write COLUMN=VALUE, like city=berlin", request.ask.c_str());
  }
  ParquetFile file;
  ParquetFooter footer;
  Status status = file.Open(request.path);
  if (status.ok()) status = file.ReadFooter(&footer);
  if (!status.ok()) return FailParquet(request.path, status);
  std::string text, bytes, error;
  const size_t column = FindColumn(footer, request.path, request.ask, &text);
  if (column == kNotFound) return kExitBad;
  const ParquetColumnType& type = footer.columns[column].type;
  ParquetValue value;
  if (!ParseParquetValue(type, text, &bytes, &value, &error)) {
    return Fail("parquet: --ask: '%s' %s (the column is %s)", text.c_str(), error.c_str(),
                ParquetTypeName(type).c_str());
  }
  const ParquetQuestion question(type, value);
  Asking asking(request, question, &file);
  return AskAll(request, footer, column, text, &asking);
}

}  // namespace linefilter::tools
