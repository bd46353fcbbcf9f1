// linefilter_bench_columns: what a row of a column costs, from values to row numbers (linefilter/columns.h), and what a
// join gains (examples/join).
//
//   taskset -c 1 linefilter_bench_columns [--rows REGEX] [--rounds 9] [--target AVX2]
//   taskset -c 1 linefilter_bench_columns --out bench/results/columns.json [--quick]
//   taskset -c 1 linefilter_bench_columns --joins --out bench/results/joins.json [--quick]
//
// A number is the median of the rounds, in ns of CPU time per row. Vectors have 2,048 rows. A filter of 512 KB lies in
// the L2, one of 256 MB in memory. A file has the best target of this CPU, and AVX2.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/columns/rows.h"
#include "bench/engines/rows_file.h"
#include "bench/engines/turns.h"
#include "bench/memory.h"
#include "bench/results.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kProgram[] = "linefilter_bench_columns";
constexpr int kRounds = 9, kQuickRounds = 3;

struct Options {
  std::string rows = ".", target, out;
  int rounds = 0;  // 0: as many as usual
  bool joins = false, quick = false;
};

// Each row runs once more before it is timed, for the one before had other data in the caches. It is timed over so many
// rows that its caches have settled: 2^18 rows of a ScanFilter took now 0.50 and now 0.65 ns. The first round is not
// counted.
void Measure(int rounds, std::vector<ColumnRow>* rows) {
  for (int round = -1; round < rounds; ++round) {
    for (size_t turn = 0; turn < rows->size(); ++turn) {
      ColumnRow& row = (*rows)[InTurn(turn, static_cast<uint64_t>(std::max(round, 0)), rows->size())];
      Check(ForceTarget(row.name.target.c_str()));
      row.run();
      const size_t times = std::max(kManyRows / row.num_rows, size_t{1});
      const double ns = Ns(times * row.num_rows, [&] {
        for (size_t i = 0; i < times; ++i) row.run();
      });
      if (round >= 0) row.ns_each.push_back(ns);
    }
  }
}

void Tell(const std::vector<ColumnRow>& rows, Json* entries) {
  for (const ColumnRow& row : rows) {
    const auto [least, most] = std::minmax_element(row.ns_each.begin(), row.ns_each.end());
    const double ns = Median(row.ns_each);
    printf("%-36s %-8s %7.2f ns  (%.2f to %.2f)\n", row.name.Text().c_str(), row.name.target.c_str(), ns, *least,
           *most);
    entries->push_back({{"what", row.name.what},
                        {"layout", row.name.layout},
                        {"size", row.name.size},
                        {"percent", row.name.percent},
                        {"target", row.name.target},
                        {"ns", ns},
                        {"ns_each", row.ns_each}});
  }
  fflush(stdout);
}

// All rows are measured in the same rounds: so a machine that is slow for some seconds spoils one round of each, and
// not the rounds of some.
void MeasureRows(const Options& options, const Choice& choice, Json* entries) {
  const int rounds = options.rounds > 0 ? options.rounds : options.quick ? kQuickRounds : kRounds;
  const uint64_t large = options.quick ? uint64_t{2} << 20 : uint64_t{256} << 20;
  std::vector<ColumnRow> rows;
  for (const uint64_t bytes : {uint64_t{512} << 10, large}) {
    std::vector<int64_t> members;
    for (const Layout layout : {Layout::kSplitBlock, Layout::kBlocked, Layout::kRetrieval}) {
      std::vector<ColumnRow> some = Selections(layout, bytes, choice, &members);
      rows.insert(rows.end(), some.begin(), some.end());
    }
  }
  if (!rows.empty()) PrintSmallPages(HugePagePercent());
  const std::vector<ColumnRow> others = OtherRows(choice);
  rows.insert(rows.end(), others.begin(), others.end());
  Measure(rounds, &rows);
  Tell(rows, entries);
}

void MeasureAllJoins(const Options& options, const Choice& choice, Json* entries) {
  JoinEffort effort;
  if (options.quick) effort = {200000, {1000, 1000000}, {1, 50, 100}, 1};
  if (options.rounds > 0) effort.rounds = options.rounds;
  for (Json& entry : MeasureJoins(effort, choice)) entries->push_back(std::move(entry));
}

// The target that was asked for. Otherwise it is the best one, and for a file AVX2 beside it.
std::vector<std::string> TargetsOf(const Options& options) {
  Check(ForceTarget(options.target.c_str()));
  std::vector<std::string> targets = {ChosenTarget()};
  if (!options.target.empty() || options.out.empty()) return targets;
  const TargetList supported = SupportedTargets();
  for (size_t i = 0; i < supported.size; ++i) {
    if (std::string(supported.names[i]) == "AVX2" && targets[0] != "AVX2") targets.emplace_back("AVX2");
  }
  return targets;
}

int Run(const Options& options) {
  const std::regex pattern(options.rows);
  const Choice choice{TargetsOf(options), [&](const std::string& text) { return std::regex_search(text, pattern); }};
  const auto measure = [&](Json* entries) {
    options.joins ? MeasureAllJoins(options, choice, entries) : MeasureRows(options, choice, entries);
  };
  if (options.out.empty()) {
    Json entries = Json::array();
    measure(&entries);
    return 0;
  }
  return WriteRows(kProgram, options.joins ? "linefilter-joins-1" : "linefilter-columns-1", options.out, {}, measure);
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  linefilter::bench::Options options;
  linefilter::bench::Arguments arguments(
      linefilter::bench::kProgram, "What a row of a column costs, from values to row numbers, and what a join gains");
  arguments.Add("--rows", &options.rows, "Rows whose name, what/layout/size/percent, has this expression");
  arguments.AddNumber("--rounds", &options.rounds, "Rounds, of which the median is told: 9, of joins 3");
  arguments.Add("--target", &options.target, "The target, of those of this CPU; the best one without it");
  arguments.Add("--out", &options.out, "Results file (JSON), over one that is there: on the best target and AVX2");
  arguments.AddFlag("--joins", &options.joins,
                    "The joins of examples/join instead; rows are named join/build rows/percent");
  arguments.AddFlag("--quick", &options.quick, "Small filters and few rounds, some seconds: for a first look and CI");
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(options); });
}
