// DuckDB's own answers, beside ours.
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/parquet/duckdb/checks.h"
#include "tests/parquet/duckdb/values.h"

namespace linefilter::duckdb {
namespace {

constexpr uint64_t kMostShown = 5;

struct Counts {
  uint64_t values = 0;
  uint64_t answers = 0;  // of a row group of one of two files
  uint64_t absent = 0;   // both say so
  uint64_t differ = 0;
  uint64_t lost = 0;  // one of the two says "absent" of what is there
  std::map<std::string, uint64_t> named;
};

// The file that DuckDB wrote, and the one with our filters.
struct Asked {
  File file;
  size_t shift;  // row group i has the filter of values of row group i + shift
};

using Members = std::vector<std::set<std::string, std::less<>>>;  // texts of each row group

Members MembersOf(const std::string& folder, const Column& column) {
  Members members(column.filters.size());
  ForEachStored(folder, column, column.forms.front(),
                [&](size_t row_group, std::string_view text) { members[row_group].emplace(text); });
  return members;
}

// Where the two may differ, and why; else null.
const char* NameOfDifference(const Form& form, std::string_view text, bool maybe) {
  if (!maybe) return form.kind == "uuid" ? "DuckDB asks for no UUID" : nullptr;
  if (IsNeverAsked(form, text)) return "we ask for no NaN, infinity, interval";
  return IsZero(form, text) ? "we ask for both zeros" : nullptr;
}

// One of the two says "maybe" to all values.
bool IsNeverAbsent(const Column& column) {
  const std::string& kind = column.forms.front().kind;
  return kind == "uuid" || kind == "interval";
}

void Compare(const Column& column, const Asked& asked, const Members& members, const std::string& text,
             const std::string& theirs, Counts* counts) {
  const Form& form = column.forms.front();
  std::string bytes;
  const ParquetQuestion question(column.type, ValueOf(form, text, &bytes));
  if (theirs.size() != members.size()) throw std::runtime_error(column.name + ": answers.tsv is cut off");
  for (size_t i = 0; i < members.size(); ++i) {
    const bool maybe = question.MayContain(asked.file.views[i]), they_say_maybe = theirs[i] == 'm';
    const bool is_member = members[(i + asked.shift) % members.size()].count(text) != 0;
    const char* const name = maybe != they_say_maybe ? NameOfDifference(form, text, maybe) : nullptr;
    const bool lost = is_member && !(maybe && they_say_maybe), differ = maybe != they_say_maybe && name == nullptr;
    ++counts->answers;
    counts->absent += !maybe && !they_say_maybe;
    counts->lost += lost;
    counts->differ += differ;
    if (name != nullptr) ++counts->named[name];
    if ((lost || differ) && counts->lost + counts->differ <= kMostShown) {
      std::printf("FAILED: %s, row group %zu of the file with %s filters, '%s': DuckDB says %s, we say %s%s\n",
                  column.name.c_str(), i, asked.shift == 0 ? "its own" : "our", text.c_str(),
                  they_say_maybe ? "maybe" : "absent", maybe ? "maybe" : "absent", is_member ? "; it is there" : "");
    }
  }
}

Counts CompareColumn(const std::string& folder, const Column& column) {
  const std::string path = folder + "/" + column.name;
  const Members members = MembersOf(folder, column);
  const Asked theirs{OpenFile(path + ".parquet", column), 0}, ours{OpenFile(path + ".ours.parquet", column), 1};
  const std::vector<std::string> texts = ReadLines(path + "/asked.tsv"), answers = ReadLines(path + "/answers.tsv");
  if (texts.empty() || texts.size() != answers.size()) throw std::runtime_error(path + "/answers.tsv is cut off");
  Counts counts;
  counts.values = texts.size();
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t tab = answers[i].find('\t');
    if (tab == std::string::npos) throw std::runtime_error(path + "/answers.tsv is cut off");
    Compare(column, theirs, members, texts[i], answers[i].substr(0, tab), &counts);
    const std::string of_ours = answers[i].substr(tab + 1);
    if (of_ours.empty() && i != 0) continue;  // DuckDB was not asked
    Compare(column, ours, members, texts[i], of_ours, &counts);
  }
  return counts;
}

}  // namespace

uint64_t CheckAnswers(const std::string& folder, const std::vector<Column>& columns) {
  uint64_t faults = 0, values = 0, answers = 0;
  for (const Column& column : columns) {
    if (!column.is_asked) continue;
    const Counts counts = CompareColumn(folder, column);
    std::printf("%-13s %6llu values, %7llu answers, %2.0f %% absent; differ %llu, lost %llu", column.name.c_str(),
                static_cast<unsigned long long>(counts.values), static_cast<unsigned long long>(counts.answers),
                100.0 * static_cast<double>(counts.absent) / static_cast<double>(counts.answers),
                static_cast<unsigned long long>(counts.differ), static_cast<unsigned long long>(counts.lost));
    for (const auto& [name, count] : counts.named) {
      std::printf("; %s: %llu", name.c_str(), static_cast<unsigned long long>(count));
    }
    std::printf("\n");
    values += counts.values;
    answers += counts.answers;
    faults += counts.differ + counts.lost;
    if (counts.absent == 0 && !IsNeverAbsent(column)) {
      std::printf("FAILED: %s: no answer is absent\n", column.name.c_str());
      ++faults;
    }
  }
  std::printf("%llu of %llu answers for %llu values differ from DuckDB's, or lose a member\n",
              static_cast<unsigned long long>(faults), static_cast<unsigned long long>(answers),
              static_cast<unsigned long long>(values));
  return answers == 0 ? 1 : faults;
}

}  // namespace linefilter::duckdb
