// linefilter_bench: what a lookup costs, ours and others', on this CPU. `--help` tells the rest.
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <map>
#include <new>
#include <regex>
#include <string>
#include <vector>

#include "bench/accuracy.h"
#include "bench/churn.h"
#include "bench/compare.h"
#include "bench/cpu.h"
#include "bench/portable.h"
#include "bench/run.h"

namespace linefilter::bench {
namespace {

struct Options {
  std::string plan = IsPortable() ? "cpus" : "full";
  RunOptions run;
  CompareOptions compare;
  bool quick = false, smoke = false, accuracy = false, churn = false, slug = false;
};

const std::map<std::string, Plan> kPlans = {
    {"full", Plan::kFull},     {"quick", Plan::kQuick},     {"cpus", Plan::kCpus},        {"smoke", Plan::kSmoke},
    {"builds", Plan::kBuilds}, {"parquet", Plan::kParquet}, {"quotient", Plan::kQuotient}};

int Run(const Options& options) {
  if (options.slug) return puts(CpuSlug().c_str()), 0;
  if (options.accuracy && options.run.out.empty()) {
    return Fail("--accuracy writes a file: name it with --out, like --out bench/results/accuracy.json");
  }
  if (options.accuracy) return RunAccuracy(options.run.out, options.quick);
  if (options.churn && options.run.out.empty()) {
    return Fail("--churn writes a file: name it with --out, like --out bench/results/churn.json");
  }
  if (options.churn) return RunChurn(options.run.out, options.quick);
  try {
    return RunPlan(options.run);
  } catch (const std::regex_error& error) {
    return Fail("--rows '" + options.run.plan.rows + "' is no regular expression: " + error.what());
  }
}

// What the plan says where the caller does not.
void Complete(const CLI::App& app, Options* options) {
  RunOptions& run = options->run;
  run.plan.plan = options->quick ? Plan::kQuick : options->smoke ? Plan::kSmoke : kPlans.at(options->plan);
  const auto unless_given = [&](const char* option, auto* value, auto by_plan) {
    if (app.count(option) == 0) *value = by_plan;
  };
  switch (run.plan.plan) {
    case Plan::kFull:
    case Plan::kBuilds:
      return;
    case Plan::kParquet:
    case Plan::kQuotient:
      unless_given("--repetitions", &run.effort.repetitions, 5);
      return;
    case Plan::kQuick:
      run.effort.fpr_queries = 1000000;
      unless_given("--repetitions", &run.effort.repetitions, 3);
      unless_given("--min-time", &run.effort.min_seconds, 0.002);
      return;
    case Plan::kCpus:
      unless_given("--repetitions", &run.effort.repetitions, 30);
      unless_given("--min-time", &run.effort.min_seconds, 0.004);
      unless_given("--minutes", &run.minutes, 10);
      break;
    case Plan::kSmoke:
      run.effort.fpr_queries = 10000;
      unless_given("--repetitions", &run.effort.repetitions, 2);
      unless_given("--min-time", &run.effort.min_seconds, 1e-5);
      unless_given("--minutes", &run.minutes, 10);
      break;
  }
  if (run.out.empty() && !run.list) run.out = FreshResultsFile();
}

void Declare(CLI::App* app, Options* options) {
  app->add_option(
         "--plan", options->plan,
         "full: all that BENCHMARKS.md is made of, in 90 minutes. quick: as --quick. cpus: what tells CPUs apart, "
         "in passes that are spread over ten minutes, for `compare`. smoke: as --smoke. builds: what filters of 1e5 to "
         "1e8 keys cost to make. parquet: split_block beside the loops of engines over the same filter, for "
         "bench/results/parquet.json. quotient: quotient beside layouts of the same bytes and cuckoo filters, for "
         "bench/results/quotient.json")
      ->check(CLI::IsMember({"full", "quick", "cpus", "smoke", "builds", "parquet", "quotient"}))
      ->capture_default_str();
  app->add_flag("--quick", options->quick,
                "Every kind of row, few sizes, short: under a minute, for a first look and CI");
  app->add_flag("--smoke", options->smoke, "Rows like those of --plan cpus, in seconds: whether it runs, no times");
  app->add_option(
      "--out", options->run.out,
      "Results file (JSON). If it exists, full and quick measure only the rows that it lacks. Without this, cpus "
      "and smoke choose a new name, linefilter-<cpu>.json");
  app->add_flag("--accuracy", options->accuracy, "False-positive rates of all peers instead of times, to --out");
  app->add_flag("--churn", options->churn,
                "Filters whose keys are removed and inserted again: their rates, times and lost keys, to --out");
  app->add_flag("--fresh", options->run.fresh, "Start --out anew: the rows that stand in it are lost");
  app->add_option(
      "--rows", options->run.plan.rows,
      "Only rows whose name matches this regular expression anywhere: access/keys/hits/layout/target/size/bits");
  app->add_option("--repetitions", options->run.effort.repetitions, "Of each row; the median counts")
      ->check(CLI::Range(1, 1000));
  app->add_option("--min-time", options->run.effort.min_seconds,
                  "Seconds per repetition, about; a build may take longer")
      ->check(CLI::Range(1e-6, 60.0));
  app->add_option(
         "--minutes", options->run.minutes,
         "full, quick: end before these are over, after a group of rows; the first is measured in any case. cpus: "
         "leave out the last large filters, and say so; the small ones take two minutes and more in any case")
      ->check(CLI::PositiveNumber);
  app->add_flag("--list", options->run.list, "Only print the names of the rows");
  app->add_flag("--print-cpu-slug", options->slug, "Only print this CPU's name as a file name");
  app->footer(
      IsPortable()
          ? "Without options it measures this CPU in ten minutes: keep the machine idle. It needs no library, stays on "
            "one CPU by itself, and leaves one file. `compare` sets two files beside each other."
          : "Pin it to one CPU (taskset -c 0) and keep the others idle. tools/bench.sh does all that and draws the "
            "plots.");
}

// Our arguments are not Google Benchmark's. It has taken options from the environment before main: these undo what
// would leave rows without a time, or with another one.
void InitializeBenchmark(char* program) {
  std::string words[] = {"--benchmark_filter=all", "--benchmark_repetitions=1", "--benchmark_list_tests=false",
                         "--benchmark_min_warmup_time=0", "--benchmark_enable_random_interleaving=false"};
  std::vector<char*> arguments = {program};
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
}

CLI::App* DeclareCompare(CLI::App* app, CompareOptions* options) {
  CLI::App* const compare =
      app->add_subcommand("compare", "Results beside each other by ratio: of runs, of CPUs, or of one CPU's targets");
  compare->add_option("files", options->files, "Results files; each is compared with the first")->required();
  compare->add_flag("--targets", options->targets, "The SIMD targets of one file, each with its best");
  compare->add_flag("--all", options->all, "All rows, not those alone that differ");
  compare->add_flag("--json", options->json, "JSON instead of tables: everything");
  compare->footer(
      "Rows are \"same\" where their intervals overlap (bench/noise.h). Exit codes: 0 all rows are the same, 1 some "
      "differ, 2 it cannot compare.");
  return compare;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) try {
  using namespace linefilter::bench;
  Options options;
  CLI::App app("What a lookup costs: linefilter and its peers, interleaved in one process");
  Declare(&app, &options);
  const CLI::App* const compare = DeclareCompare(&app, &options.compare);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (compare->parsed()) return RunCompare(options.compare);
  Complete(app, &options);
  if (options.run.plan.plan == Plan::kCpus && !options.run.list) FixAddresses(argv);
  InitializeBenchmark(argv[0]);
  return Run(options);
} catch (const std::bad_alloc&) {
  return linefilter::bench::Fail("memory ran out: leave out the largest sizes, by --rows");
} catch (const std::exception& error) {
  return linefilter::bench::Fail(error.what());
}
