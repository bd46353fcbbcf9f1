#include "tools/program/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace linefilter::tools {

struct Report::Json {
  static nlohmann::ordered_json Of(const Report& report) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    for (const Field& field : report.fields_) {
      nlohmann::ordered_json& value = json[field.name];
      switch (field.kind) {
        case Kind::kText:
          value = field.text;
          break;
        case Kind::kCount:
          value = field.count;
          break;
        case Kind::kBool:
          value = field.count != 0;
          break;
        case Kind::kReal:
        case Kind::kRate:
          value = field.real;
          break;  // null if not finite
      }
    }
    for (size_t i = 0; i < report.tables_.size(); ++i) {
      nlohmann::ordered_json rows = nlohmann::ordered_json::array();
      for (const Report& row : report.tables_[i]) rows.push_back(Of(row));
      json[report.table_names_[i]] = std::move(rows);
    }
    return json;
  }
};

void Report::Number(const char* name, double value) {
  if (std::isfinite(value)) {
    Count(name, static_cast<uint64_t>(std::llround(value)));
  } else {
    Real(name, value);
  }
}

Report::Field& Report::Add(const char* name, Kind kind) {
  fields_.push_back({name, kind, "", 0, 0});
  return fields_.back();
}

std::string Report::TextOf(const Field& field, bool in_table) {
  if (field.kind == Kind::kText) return field.text;
  if (field.kind == Kind::kCount) return std::to_string(field.count);
  if (field.kind == Kind::kBool) return field.count != 0 ? "yes" : "no";
  const double real = field.real;
  if (std::isnan(real)) return "not stated";
  char text[64];
  if (field.kind == Kind::kRate && in_table) {
    snprintf(text, sizeof(text), "%.4g %%", 100 * real);
  } else if (field.kind == Kind::kRate) {
    snprintf(text, sizeof(text), "%.6g  (%.4g %%)", real, 100 * real);
  } else {
    snprintf(text, sizeof(text), in_table ? "%.4f" : "%.10g", real);
  }
  return text;
}

void Report::PrintTable(const std::vector<Report>& rows, FILE* to) {
  const size_t columns = rows.front().fields_.size();
  std::vector<std::vector<std::string>> cells(1);
  for (const Field& field : rows.front().fields_) cells[0].push_back(field.name);
  for (const Report& row : rows) {
    cells.emplace_back();
    for (const Field& field : row.fields_) cells.back().push_back(TextOf(field, true));
  }
  std::vector<size_t> widths(columns, 0);
  for (const auto& row : cells) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  for (const auto& row : cells) {
    for (size_t c = 0; c < row.size(); ++c) {
      // The first column is a name; numbers end at the right.
      fprintf(to, c == 0 ? "%-*s" : "  %*s", static_cast<int>(widths[c]), row[c].c_str());
    }
    fprintf(to, "\n");
  }
}

void Report::Print(bool json, FILE* to) const {
  if (json) {
    // Names of files may hold any bytes, so those that are no UTF-8 are replaced.
    fprintf(to, "%s\n", Json::Of(*this).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
    return;
  }
  int width = 0;
  for (const Field& field : fields_) width = std::max(width, static_cast<int>(std::string(field.name).size()));
  for (const Field& field : fields_) fprintf(to, "%-*s  %s\n", width, field.name, TextOf(field, false).c_str());
  for (const std::vector<Report>& rows : tables_) {
    if (rows.empty()) continue;
    fprintf(to, "\n");
    PrintTable(rows, to);
  }
}

void ReportsOfImages::Add(const Report& report) {
  if (!json_) {
    if (!reports_.empty()) printf("\n");
    report.Print(false);
    fflush(stdout);  // before what standard error says of it
  }
  reports_.push_back(report);
}

void ReportsOfImages::Finish() {
  if (!json_) return;
  if (reports_.size() == 1 && !always_list_) return reports_[0].Print(true);
  Report all;
  all.Table("images", std::move(reports_));
  all.Print(true);
}

}  // namespace linefilter::tools
