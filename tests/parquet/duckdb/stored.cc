// Values that DuckDB stored, asked for in its own form and in every equal one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "tests/parquet/duckdb/checks.h"
#include "tests/parquet/duckdb/values.h"

namespace linefilter::duckdb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kMostShown = 5;  // faults of a form that are printed

struct Counts {
  uint64_t told = 0;
  uint64_t asked = 0;  // of a filter; the others are "maybe" without it
  uint64_t lost = 0;
  uint64_t evaded = 0;  // not asked in the column's own form, though there is no reason
};

const char* ReasonName(ParquetReason reason) {
  switch (reason) {
    case ParquetReason::kAsked:
      return "asked";
    case ParquetReason::kNan:
      return "NaN";
    case ParquetReason::kInexact:
      return "inexact";
    case ParquetReason::kOtherKind:
      return "other kind";
    case ParquetReason::kOutOfRange:
      return "out of range";
    default:
      return "other";
  }
}

Counts AskForm(const std::string& folder, const Column& column, const File& file, const Form& form,
               std::map<std::string, uint64_t>* reasons) {
  Counts counts;
  const bool is_own = &form == &column.forms.front();
  std::string bytes;
  ForEachStored(folder, column, form, [&](size_t row_group, std::string_view text) {
    const ParquetAnswer answer = MayContain(file.views[row_group], column.type, ValueOf(form, text, &bytes));
    const bool is_asked = answer.reason == ParquetReason::kAsked;
    const bool evaded = is_own && !is_asked && !IsNeverAsked(form, text);
    ++counts.told;
    counts.asked += is_asked;
    counts.lost += !answer.may_contain;
    counts.evaded += evaded;
    ++(*reasons)[ReasonName(answer.reason)];
    if ((!answer.may_contain || evaded) && counts.lost + counts.evaded <= kMostShown) {
      std::printf("FAILED: %s, row group %zu, %s '%.*s' is %s: %s\n", column.name.c_str(), row_group, form.name.c_str(),
                  static_cast<int>(text.size()), text.data(), evaded ? "maybe" : "absent", answer.message);
    }
  });
  return counts;
}

// The mean of many, each time another one of the file, in nanoseconds: the least of some, as the machine may be busy.
double TimeToOpen(const Column& column, const File& file) {
  constexpr size_t kTimes = 2000, kRounds = 10;
  uint64_t bytes = 0;
  double least = 0;
  for (size_t round = 0; round < kRounds; ++round) {
    const Clock::time_point begun = Clock::now();
    for (size_t i = 0; i < kTimes; ++i) {
      const Place& place = column.filters[i % column.filters.size()];
      bytes += ParquetFilterView(&file.bytes[place.offset], place.length).filter_bytes();
    }
    const std::chrono::duration<double, std::nano> took = Clock::now() - begun;
    const double ns = took.count() / kTimes;
    least = round == 0 ? ns : std::min(least, ns);
  }
  if (bytes == 0) std::printf("nothing was opened\n");  // so that it is not optimized away
  return least;
}

uint64_t CheckPlaces(const Column& column, const File& file) {
  uint64_t faults = 0;
  for (size_t i = 0; i < column.filters.size(); ++i) {
    const Place& place = column.filters[i];
    const uint64_t needed = ParquetBytesNeeded(&file.bytes[place.offset], kParquetFirstRead);
    if (needed == place.length && file.views[i].filter_bytes() == place.length) continue;
    std::printf("FAILED: %s, row group %zu: bloom_filter_length is %llu, but %llu bytes are needed\n",
                column.name.c_str(), i, static_cast<unsigned long long>(place.length),
                static_cast<unsigned long long>(needed));
    ++faults;
  }
  return faults;
}

}  // namespace

uint64_t CheckStored(const std::string& folder, const std::vector<Column>& columns) {
  uint64_t members = 0, equals = 0, asked = 0, faults = 0;
  double slowest = 0;
  for (const Column& column : columns) {
    const File file = OpenFile(folder + "/" + column.name + ".parquet", column);
    faults += CheckPlaces(column, file);
    std::map<std::string, uint64_t> reasons;
    for (const Form& form : column.forms) {
      const Counts counts = AskForm(folder, column, file, form, &reasons);
      const bool is_own = &form == &column.forms.front();
      if (is_own && counts.told == 0) {
        std::printf("FAILED: %s has no value\n", column.name.c_str());
        ++faults;
      }
      (is_own ? members : equals) += counts.told;
      asked += counts.asked;
      faults += counts.lost + counts.evaded;
    }
    const double ns = TimeToOpen(column, file);
    slowest = std::max(slowest, ns);
    std::printf("%-13s %6llu to %6llu bytes, opened in %3.0f ns;", column.name.c_str(),
                static_cast<unsigned long long>(column.filters.front().length),
                static_cast<unsigned long long>(column.filters.back().length), ns);
    for (const auto& [reason, count] : reasons) {
      std::printf(" %s %llu", reason.c_str(), static_cast<unsigned long long>(count));
    }
    std::printf("\n");
  }
  std::printf(
      "lost or not asked: %llu of %llu members and %llu equal values (%.0f %% asked of a filter); opening one takes "
      "%.0f ns\n",
      static_cast<unsigned long long>(faults), static_cast<unsigned long long>(members),
      static_cast<unsigned long long>(equals),
      100.0 * static_cast<double>(asked) / static_cast<double>(members + equals), slowest);
  return faults;
}

}  // namespace linefilter::duckdb
