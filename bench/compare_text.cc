// How a comparison is printed: a summary by layout and access first, then the rows that differ, or all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/compare.h"
#include "bench/memory.h"

namespace linefilter::bench {
namespace {

char Letter(size_t column) { return static_cast<char>('A' + std::min<size_t>(column, 25)); }

void PrintColumns(const Comparison& comparison, const std::vector<LoadedFile>& files) {
  if (files.size() == 1) {
    printf("the targets of %s: %s, %s\n", files[0].path.c_str(), files[0].cpu.c_str(), files[0].date.c_str());
    for (size_t i = 0; i < comparison.columns.size(); ++i) printf("%c  %s\n", Letter(i), comparison.columns[i].c_str());
    return;
  }
  for (size_t i = 0; i < files.size(); ++i) {
    const LoadedFile& file = files[i];
    printf("%c  %s: %s, %s, commit %s, ", Letter(i), file.path.c_str(), file.cpu.c_str(), file.date.c_str(),
           file.commit.c_str());
    if (file.passes > 0) {
      printf("%d passes, drift %.2f %%\n", file.passes, 100 * comparison.drifts[i]);
    } else {
      printf("not spread over its run, so taken for uncertain by %.0f %%\n", 100 * comparison.drifts[i]);
    }
    if (!comparison.shifts[i].empty())
      printf("   The same CPU: ratios are without what all rows of a size took longer:");
    for (const auto& [size, shift] : comparison.shifts[i]) printf(" %s %+.1f %%", size.c_str(), 100 * (shift - 1));
    if (!comparison.shifts[i].empty()) puts("");
    if (!file.complete) printf("   It was interrupted: rows are missing, or have few repetitions.\n");
    if (file.plan == "smoke") printf("   Made by --smoke, to see whether it runs: its times mean nothing.\n");
    if (file.least_huge_page_percent < kAlmostAllPages) {
      printf("   Of its memory only %.0f %% was in huge pages at worst: large sizes look slower than they are.\n",
             file.least_huge_page_percent);
    }
    if (!file.planted.empty()) printf("   Slower on purpose: LINEFILTER_BENCH_SLOW=%s\n", file.planted.c_str());
    for (const std::string& sentence : file.left_out) printf("   left out: %s\n", sentence.c_str());
  }
}

void PrintGroups(const Comparison& comparison) {
  printf("\n%-24s %-18s %-5s %12s %6s %6s %6s %6s\n", "layout", "access", "", "median ratio", "rows", "same", "faster",
         "slower");
  for (const ComparedGroup& group : comparison.groups) {
    const std::string columns = std::string(1, Letter(group.column + 1)) + " / A";
    printf("%-24s %-18s %-5s %12.3f %6zu %6zu %6zu %6zu\n", group.layout.c_str(), group.access.c_str(), columns.c_str(),
           group.ratio, group.rows, group.same, group.faster, group.slower);
  }
}

void PrintRows(const Comparison& comparison, bool all) {
  printf("\n%-62s %9s %9s %8s  %-18s %s\n", all ? "all rows" : "rows that differ", "A ns", "ns", "ratio", "interval",
         "");
  for (const ComparedRow& row : comparison.rows) {
    for (size_t i = 0; i < row.others.size(); ++i) {
      const Ratio& other = row.others[i];
      if (!other.measured || (!all && other.verdict == Verdict::kSame)) continue;
      printf("%-62s %9.4g %9.4g %8.3f  %.3f to %-7.3f %s %c\n", row.name.c_str(), row.first.ns, other.time.ns,
             other.ratio, other.low, other.high, VerdictName(other.verdict), Letter(i + 1));
    }
  }
}

void PrintMissing(const Comparison& comparison, bool all) {
  const auto print = [&](const std::vector<std::string>& names, const char* where) {
    if (names.empty()) return;
    printf("\n%zu rows are in %s alone%s\n", names.size(), where, all ? ":" : " (--all names them)");
    for (const std::string& name : names) {
      if (all) printf("  %s\n", name.c_str());
    }
  };
  print(comparison.only_first, "A");
  for (size_t i = 0; i < comparison.only_others.size(); ++i) {
    print(comparison.only_others[i], std::string(1, Letter(i + 1)).c_str());
  }
}

nlohmann::ordered_json ToJson(const ComparedRow& row) {
  nlohmann::ordered_json json = {{"row", row.name},           {"layout", row.layout},
                                 {"access", row.access},      {"size", row.size},
                                 {"ns", row.first.ns},        {"ns_low", row.first.low},
                                 {"ns_high", row.first.high}, {"others", nlohmann::ordered_json::array()}};
  for (const Ratio& other : row.others) {
    if (!other.measured) {
      json["others"].push_back(nullptr);
      continue;
    }
    json["others"].push_back({{"ns", other.time.ns},
                              {"ns_low", other.time.low},
                              {"ns_high", other.time.high},
                              {"ratio", other.ratio},
                              {"low", other.low},
                              {"high", other.high},
                              {"verdict", VerdictName(other.verdict)}});
  }
  return json;
}

}  // namespace

void PrintText(const Comparison& comparison, const std::vector<LoadedFile>& files, bool all) {
  PrintColumns(comparison, files);
  PrintGroups(comparison);
  if (all || comparison.different > 0) PrintRows(comparison, all);
  PrintMissing(comparison, all);
  printf("\n%zu of %zu rows are the same, %zu differ; the median interval of a ratio is %.1f %% wide\n",
         comparison.compared - comparison.different, comparison.compared, comparison.different,
         100 * comparison.interval_width);
}

void PrintJson(const Comparison& comparison, const std::vector<LoadedFile>& files) {
  nlohmann::ordered_json json;
  json["schema"] = "linefilter-comparison-1";
  json["columns"] = comparison.columns;
  for (const LoadedFile& file : files) {
    json["files"].push_back({{"path", file.path}, {"cpu", file.cpu}, {"date", file.date}, {"commit", file.commit}});
  }
  json["drifts"] = comparison.drifts;
  json["shifts"] = comparison.shifts;
  json["compared"] = comparison.compared;
  json["different"] = comparison.different;
  json["interval_width"] = comparison.interval_width;
  json["groups"] = nlohmann::ordered_json::array();
  for (const ComparedGroup& group : comparison.groups) {
    json["groups"].push_back({{"layout", group.layout},
                              {"access", group.access},
                              {"column", comparison.columns[group.column + 1]},
                              {"ratio", group.ratio},
                              {"rows", group.rows},
                              {"same", group.same},
                              {"faster", group.faster},
                              {"slower", group.slower}});
  }
  json["rows"] = nlohmann::ordered_json::array();
  for (const ComparedRow& row : comparison.rows) json["rows"].push_back(ToJson(row));
  json["only_first"] = comparison.only_first;
  json["only_others"] = comparison.only_others;
  puts(json.dump(1).c_str());
}

}  // namespace linefilter::bench
