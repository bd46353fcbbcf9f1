// linefilter bench is a first look at how fast this CPU builds and asks filters; bench/ is the whole benchmark.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "linefilter/target.h"
#include "tools/program/arguments.h"
#include "tools/program/bench_rows.h"
#include "tools/program/command.h"
#include "tools/program/progress.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

// 62 KB at 10 bits per key: the second level of caches.
constexpr uint64_t kKeysInCache = 50000;
// For each second that the whole may take: 3e7 for half a minute, and 40 to 170 MB. It is little more than the caches
// of large servers, but building takes most of the time.
constexpr double kKeysPerSecond = 1e6;
// Keys asked in a pass, also for each second: a million in half a minute, of which 0.1 % are 1000 false positives.
constexpr double kQueriesPerSecond = 35000, kLeastQueries = 1 << 14, kMostQueries = 1 << 20;
// The share of the time for lookups; the rest goes to building.
constexpr double kShareOfLookups = 0.5, kLookupsOfRow = 5;
constexpr uint64_t kMostMilliseconds = 24 * 3600 * 1000;

struct Bench {
  uint64_t milliseconds = 30000;
  bool json = false;
};

Report ReportOf(const LayoutSpeed& row) {
  const auto tenths = [](double ns) { return std::round(10 * ns) / 10; };  // what runs differ by is more
  Report report;
  report.Text("layout", LayoutName(row.layout));
  report.Text("where", row.num_keys == kKeysInCache ? "cache" : "memory");
  report.Rate("fpr", row.fpr);
  report.Real("bits_per_key", std::round(100 * row.bits_per_key) / 100);
  report.Rate("measured_fpr", row.measured_fpr);
  report.Real("build_ns", tenths(row.build));
  report.Real("batch_hit_ns", tenths(row.batch_hit));
  report.Real("batch_miss_ns", tenths(row.batch_miss));
  report.Real("single_hit_ns", tenths(row.single_hit));
  report.Real("single_miss_ns", tenths(row.single_miss));
  return report;
}

int RunBench(const Bench& bench) {
  if (bench.milliseconds == 0 || bench.milliseconds > kMostMilliseconds) {
    return Fail("bench: --seconds %g is outside 0.001 to %g", static_cast<double>(bench.milliseconds) / 1000,
                static_cast<double>(kMostMilliseconds) / 1000);
  }
  const double seconds = static_cast<double>(bench.milliseconds) / 1000;
  const uint64_t large = std::max(2 * kKeysInCache, static_cast<uint64_t>(kKeysPerSecond * seconds));
  const double queries = std::clamp(kQueriesPerSecond * seconds, kLeastQueries, kMostQueries);
  std::vector<LayoutSpeed> plan = PlanBench(kKeysInCache);
  for (const LayoutSpeed& row : PlanBench(large)) plan.push_back(row);
  const double of_lookup = kShareOfLookups * seconds / (kLookupsOfRow * static_cast<double>(plan.size()));
  std::vector<Report> rows;
  {
    Progress progress("measuring", "rows", plan.size());
    for (LayoutSpeed& row : plan) {
      progress.Update(rows.size());
      const Status status = MeasureBench(of_lookup, static_cast<uint64_t>(queries), &row);
      if (!status.ok()) return Fail("bench: %s", status.message());
      rows.push_back(ReportOf(row));
    }
  }
  Report report;
  report.Text("target", ChosenTarget());
  report.Count("num_keys_in_cache", kKeysInCache);
  report.Count("num_keys_in_memory", large);
  report.Table("rows", std::move(rows));
  report.Print(bench.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto bench = std::make_shared<Bench>();
  arguments.Duration("--seconds", &bench->milliseconds,
                     "About how long it may take, 30 by default; large filters have 1e6 keys per second");
  arguments.Json(&bench->json);
  return [bench] { return RunBench(*bench); };
}

}  // namespace

const Command kBenchCommand = {
    "bench", "Measure on this CPU how fast every layout is built and asked",
    "ns per key, an 8-byte integer whose hashing is included, with one thread: medians. hit is for members, miss for\n"
    "absent keys; batch is for 4096 keys at once, single for one call each, of which none waits for another. build is\n"
    "by batches, too. fpr is what was asked for, measured_fpr what absent keys showed (in 30 seconds a million).\n"
    "cache: the filter lies in it; memory: it is larger than most. container grows from 4096 keys on, so it has "
    "several\n"
    "stages. The whole benchmark, with targets, threads and other libraries, is tools/bench.sh of the sources\n"
    "(BENCHMARKS.md).\n"
    "LINEFILTER_TARGET=NAME measures another target of `linefilter targets`.\n"
    "Exit code: 0 measured, 2 not.",
    &Declare};

}  // namespace linefilter::tools
