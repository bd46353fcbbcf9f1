#include "bench/compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "bench/results.h"
#include "bench/run.h"

namespace linefilter::bench {
namespace {

// `shift`: by what factor rows like this one took longer in the other run, whatever they are.
Ratio RatioOf(const Estimate& first, const Estimate& other, double shift) {
  Ratio ratio;
  ratio.measured = true;
  ratio.time = other;
  if (first.high <= 0 && other.high <= 0) {  // an empty loop may take 0 ns
    ratio.ratio = ratio.low = ratio.high = 1;
    return ratio;
  }
  constexpr double kLeast = 1e-9;
  ratio.ratio = other.ns / std::max(first.ns, kLeast) / shift;
  ratio.low = other.low / std::max(first.high, kLeast) / shift;
  ratio.high = other.high / std::max(first.low, kLeast) / shift;
  if (ratio.low > 1) ratio.verdict = Verdict::kSlower;
  if (ratio.high < 1) ratio.verdict = Verdict::kFaster;
  return ratio;
}

// What rows that are compared have in common; it is their name.
using Column = std::map<std::string, std::pair<const LoadedRow*, Estimate>>;

// The median of what the rows of `other` took longer than those of `first`, as a logarithm: by size, and of the floors.
struct Slowness {
  std::map<std::string, double> of_size;
  double of_floors = 0;

  Slowness(const Column& first, const Column& other) {
    std::map<std::string, std::vector<double>> by_size;
    std::vector<double> floors;
    for (const auto& [name, row] : other) {
      const auto found = first.find(name);
      if (found == first.end()) continue;
      const double was = found->second.second.ns, is = row.second.ns;
      if (was <= 0 || is <= 0) continue;
      by_size[row.first->size].push_back(std::log(is / was));
      if (row.first->floor) floors.push_back(by_size[row.first->size].back());
    }
    constexpr size_t kFewestRows = 8;  // of which a few that were changed do not move the median
    for (auto& [size, rows] : by_size) {
      if (rows.size() >= kFewestRows) of_size[size] = Median(std::move(rows));
    }
    if (!floors.empty()) of_floors = Median(std::move(floors));
  }
};

// A machine is not the same in each run: all rows of a size took 1 to 2 % longer in one of two runs, floors and filters
// of other libraries too (Zen 5, ten minutes each). That much, and what the floors took longer, for they ask no filter,
// is the machine's: what rows of a size have in common is left out of their ratios up to that, and else no shift is.
Shifts ShiftsOf(const Column& first, const Column& other) {
  constexpr double kMost = 0.03;
  const Slowness slowness(first, other);
  Shifts shifts;
  for (const auto& [size, of_rows] : slowness.of_size) {
    if (std::abs(of_rows) <= kMost + std::abs(slowness.of_floors)) shifts[size] = std::exp(of_rows);
  }
  return shifts;
}

ComparedRow RowOf(const std::string& name, const LoadedRow& row, const Estimate& first) {
  ComparedRow compared;
  compared.name = name;
  compared.layout = row.layout;
  compared.access = row.access;
  compared.size = row.size;
  compared.first = first;
  return compared;
}

void AddGroups(Comparison* comparison) {
  for (size_t column = 0; column + 1 < comparison->columns.size(); ++column) {
    std::map<std::pair<std::string, std::string>, std::vector<const Ratio*>> groups;
    for (const ComparedRow& row : comparison->rows) {
      if (row.others[column].measured) groups[{row.layout, row.access}].push_back(&row.others[column]);
    }
    for (const auto& [name, ratios] : groups) {
      ComparedGroup group;
      group.layout = name.first;
      group.access = name.second;
      group.column = column;
      std::vector<double> values;
      for (const Ratio* ratio : ratios) {
        values.push_back(ratio->ratio);
        ++group.rows;
        ++(ratio->verdict == Verdict::kSame     ? group.same
           : ratio->verdict == Verdict::kFaster ? group.faster
                                                : group.slower);
      }
      group.ratio = Median(std::move(values));
      comparison->groups.push_back(std::move(group));
    }
  }
}

// `order`: the names of the first column's rows as they stand in the file.
void CompareColumns(const std::vector<std::string>& order, const std::vector<Column>& columns, Comparison* comparison) {
  std::vector<double> widths;
  for (const std::string& name : order) {
    const auto& [row, first] = columns[0].at(name);
    ComparedRow compared = RowOf(name, *row, first);
    bool has_other = false;
    for (size_t i = 1; i < columns.size(); ++i) {
      const auto found = columns[i].find(name);
      compared.others.emplace_back();
      if (found == columns[i].end()) continue;
      const auto shift = comparison->shifts[i].find(row->size);
      compared.others.back() =
          RatioOf(first, found->second.second, shift == comparison->shifts[i].end() ? 1 : shift->second);
      const Ratio& ratio = compared.others.back();
      has_other = true;
      ++comparison->compared;
      comparison->different += ratio.verdict != Verdict::kSame;
      if (ratio.ratio > 0) widths.push_back((ratio.high - ratio.low) / ratio.ratio);
    }
    if (has_other) {
      comparison->rows.push_back(std::move(compared));
    } else {
      comparison->only_first.push_back(name);
    }
  }
  for (size_t i = 1; i < columns.size(); ++i) {
    comparison->only_others.emplace_back();
    for (const auto& [name, row] : columns[i]) {
      if (columns[0].count(name) == 0) comparison->only_others.back().push_back(name);
    }
  }
  if (!widths.empty()) comparison->interval_width = Median(std::move(widths));
  AddGroups(comparison);
}

}  // namespace

const char* VerdictName(Verdict verdict) {
  return verdict == Verdict::kSame ? "same" : verdict == Verdict::kFaster ? "faster" : "slower";
}

Comparison CompareFiles(const std::vector<LoadedFile>& files) {
  Comparison comparison;
  std::vector<Column> columns;
  std::vector<std::string> order;
  for (const LoadedFile& file : files) {
    const Noise noise(file);
    comparison.shifts.emplace_back();
    comparison.columns.push_back(file.path);
    comparison.drifts.push_back(noise.drift());
    columns.emplace_back();
    for (const LoadedRow& row : file.rows) {
      columns.back()[row.name] = {&row, noise.Of(row)};
      if (columns.size() == 1) order.push_back(row.name);
    }
    if (columns.size() == 1 || file.cpu != files[0].cpu) continue;
    comparison.shifts.back() = ShiftsOf(columns[0], columns.back());
  }
  CompareColumns(order, columns, &comparison);
  return comparison;
}

Comparison CompareTargets(const LoadedFile& file) {
  Comparison comparison;
  const Noise noise(file);
  comparison.drifts.push_back(noise.drift());
  // A target's name is a part of the row's name: without it rows of all targets are called the same.
  const auto name_of = [](const LoadedRow& row) {
    std::string name = row.name;
    const std::string part = "/" + row.target + "/";
    if (const size_t at = name.find(part); at != std::string::npos) name.erase(at, part.size() - 1);
    return name;
  };
  std::map<std::string, std::set<std::string>> targets_of;  // rows
  for (const LoadedRow& row : file.rows) targets_of[name_of(row)].insert(row.target);
  std::vector<Column> columns;
  std::vector<std::string> order;
  for (const std::string& target : file.targets) {
    Column column;
    for (const LoadedRow& row : file.rows) {
      const std::string name = name_of(row);
      if (row.target != target || targets_of[name].size() < 2) continue;
      column[name] = {&row, noise.Of(row)};
      if (columns.empty()) order.push_back(name);
    }
    if (column.empty()) continue;
    columns.push_back(std::move(column));
    comparison.shifts.emplace_back();
    comparison.columns.push_back(target);
  }
  if (!columns.empty()) CompareColumns(order, columns, &comparison);
  return comparison;
}

int RunCompare(const CompareOptions& options) {
  if (options.targets && options.files.size() != 1) {
    return Fail("compare --targets takes one file, whose targets it compares");
  }
  if (!options.targets && options.files.size() < 2) {
    return Fail("compare takes two files or more, or one with --targets");
  }
  std::vector<LoadedFile> files(options.files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    if (const std::string error = Load(options.files[i], &files[i]); !error.empty()) return Fail(error);
  }
  const Comparison comparison = options.targets ? CompareTargets(files[0]) : CompareFiles(files);
  if (comparison.compared == 0) {
    return Fail(options.targets ? options.files[0] + " has no row of two targets: measure --plan cpus"
                                : "the files have no row in common: measure the same --plan for both");
  }
  if (options.json) {
    PrintJson(comparison, files);
  } else {
    PrintText(comparison, files, options.all);
  }
  return comparison.different == 0 ? 0 : 1;
}

}  // namespace linefilter::bench
