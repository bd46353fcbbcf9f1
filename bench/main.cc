// linefilter_bench: what a lookup costs, ours and others', on this CPU. `--help` tells the rest.
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>
#include <regex>
#include <string>
#include <vector>

#include "bench/accuracy.h"
#include "bench/counters.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/plan.h"
#include "bench/results.h"

namespace linefilter::bench {
namespace {

struct Options {
  PlanOptions plan;
  Effort effort;
  std::string out;
  double minutes = 90;
  bool fresh = false, list = false, accuracy = false, slug = false;
};

int Fail(const std::string& what) {
  fprintf(stderr, "linefilter_bench: %s\n", what.c_str());
  return 2;
}

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// A number in a file of a control group; the most there is where it does not say ("max").
uint64_t GroupBytes(const char* file) {
  uint64_t bytes = 0;
  return std::ifstream(std::string("/sys/fs/cgroup/") + file) >> bytes ? bytes : UINT64_MAX;
}

// Bytes that can be had without swapping; a guess of 4 GiB where the system does not say.
uint64_t AvailableMemory() {
  const uint64_t most = GroupBytes("memory.max"), used = GroupBytes("memory.current");
  const uint64_t of_group = most == UINT64_MAX || used == UINT64_MAX ? UINT64_MAX : most - std::min(used, most);
  std::ifstream in("/proc/meminfo");
  for (std::string word; in >> word;) {
    uint64_t kib = 0;
    if (word == "MemAvailable:" && in >> kib) return std::min(kib << 10, of_group);
  }
  return std::min(uint64_t{4} << 30, of_group);
}

std::string EffortText(const Effort& effort) {
  char text[128];
  snprintf(text, sizeof(text), "%d repetitions of %g s, %llu queries for a rate", effort.repetitions,
           effort.min_seconds, static_cast<unsigned long long>(effort.fpr_queries));
  return text;
}

void PrintRow(const Measured& measured) {
  const Row& row = *measured.row;
  char fpr[32] = "";
  if (!row.peer->is_floor) snprintf(fpr, sizeof(fpr), "%.4g %%", 100 * measured.fpr);
  printf("  %-72s %9.2f ns  %6.2f bits  %s\n", row.name.c_str(), Median(measured.ns),
         8 * static_cast<double>(measured.image_bytes) / static_cast<double>(measured.spec.num_keys), fpr);
}

// Leaves out, with a sentence, what this machine cannot hold.
void DropTooLarge(std::vector<Group>* groups) {
  const uint64_t available = AvailableMemory();
  std::vector<Group> kept;
  for (Group& group : *groups) {
    if (MostBytes(group) + (uint64_t{1} << 30) <= available) {
      kept.push_back(std::move(group));
    } else {
      printf("left out: %s: needs %llu MiB, %llu are free\n", group.name.c_str(),
             static_cast<unsigned long long>((MostBytes(group) >> 20) + 1024),
             static_cast<unsigned long long>(available >> 20));
    }
  }
  groups->swap(kept);
}

int RunRows(const Options& options, std::vector<Group> groups, Results* results) {
  Counters counters;
  printf("hardware counters: %s\n", counters.available() ? "yes" : counters.why().c_str());
  const double start = Seconds();
  for (size_t i = 0; i < groups.size(); ++i) {
    const double minutes = (Seconds() - start) / 60;
    const double needed = EstimatedSeconds(groups[i], options.effort.repetitions, options.effort.min_seconds) / 60;
    if (i > 0 && minutes + needed > options.minutes) {
      printf("%g minutes do not suffice: %zu of %zu groups are measured. The same command%s goes on from here.\n",
             options.minutes, i, groups.size(), options.fresh ? " without --fresh" : "");
      return 3;
    }
    printf("[%zu/%zu, %.1f min] %s\n", i + 1, groups.size(), minutes, groups[i].name.c_str());
    fflush(stdout);
    const std::vector<Measured> group = MeasureGroup(groups[i], options.effort, &counters);
    if (const double percent = group[0].huge_page_percent; percent >= 0 && percent < 95) {
      printf(
          "only %.0f %% of the filters' memory is in huge pages: large sizes look slower than they are. Free some "
          "memory, or allow them: echo madvise >/sys/kernel/mm/transparent_hugepage/enabled\n",
          percent);
    }
    for (const Measured& measured : group) {
      PrintRow(measured);
      results->Add(measured);
    }
    if (const std::string error = results->Save(); !error.empty()) return Fail(error);
  }
  printf("all rows are measured: %.1f minutes\n", (Seconds() - start) / 60);
  return 0;
}

int Run(Options options) {
  if (options.slug) {
    puts(CpuSlug().c_str());
    return 0;
  }
  if (options.accuracy && options.out.empty()) {
    return Fail("--accuracy writes a file: name it with --out, like --out bench/results/accuracy.json");
  }
  if (options.accuracy) return RunAccuracy(options.out, options.plan.quick);
  Results results;
  nlohmann::json context = MachineContext();
  context["effort"] = EffortText(options.effort);
  context["words"] = NumWords();
  context["missing_peers"] = MissingPeers();
  if (const std::string error = results.Open(options.out, context, options.fresh); !error.empty()) {
    return Fail(error);
  }
  options.plan.done = results.RowNames();
  std::vector<Group> groups;
  try {
    groups = MakePlan(options.plan);
  } catch (const std::regex_error& error) {
    return Fail("--rows '" + options.plan.rows + "' is no regular expression: " + error.what());
  }
  DropTooLarge(&groups);
  size_t rows = 0;
  double seconds = 0;
  for (const Group& group : groups) {
    rows += group.rows.size();
    seconds += EstimatedSeconds(group, options.effort.repetitions, options.effort.min_seconds);
    if (options.list) {
      for (const Row& row : group.rows) puts(row.name.c_str());
    }
  }
  if (options.list) return 0;
  for (const std::string& missing : MissingPeers()) printf("without the peer %s\n", missing.c_str());
  if (!options.plan.done.empty())
    printf("%zu rows stand in %s already\n", options.plan.done.size(), options.out.c_str());
  if (rows == 0) {
    if (!options.plan.done.empty()) return puts("nothing is left to measure"), 0;
    return Fail("no row matches --rows '" + options.plan.rows + "': --list shows them");
  }
  printf("%zu rows, about %.0f minutes (on a slower machine more; after at most %g it ends, and can be gone on with)\n",
         rows, seconds / 60 + 0.5, options.minutes);
  return RunRows(options, std::move(groups), &results);
}

void Declare(CLI::App* app, Options* options) {
  app->add_flag("--quick", options->plan.quick,
                "Every kind of row, few sizes, short: under a minute, for a first look and CI");
  app->add_option("--out", options->out, "Results file (JSON). If it exists, only the rows that it lacks are measured");
  app->add_flag("--accuracy", options->accuracy, "False-positive rates of all peers instead of times, to --out");
  app->add_flag("--fresh", options->fresh, "Start --out anew: the rows that stand in it are lost");
  app->add_option(
      "--rows", options->plan.rows,
      "Only rows whose name matches this regular expression anywhere: access/keys/hits/layout/target/size/bits");
  app->add_option("--repetitions", options->effort.repetitions, "Of each row; the median counts")
      ->check(CLI::Range(1, 1000));
  app->add_option("--min-time", options->effort.min_seconds, "Seconds per repetition, about; a build is made once")
      ->check(CLI::Range(1e-6, 60.0));
  app->add_option("--minutes", options->minutes,
                  "End before these are over, after a group of rows; the first is measured in any case")
      ->check(CLI::PositiveNumber);
  app->add_flag("--list", options->list, "Only print the names of the rows");
  app->add_flag("--print-cpu-slug", options->slug, "Only print this CPU's name as a file name");
  app->footer(
      "Pin it to one CPU (taskset -c 0) and keep the others idle. tools/bench.sh does all that and draws the plots.");
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) try {
  using namespace linefilter::bench;
  Options options;
  CLI::App app("What a lookup costs: linefilter and its peers, interleaved in one process");
  Declare(&app, &options);
  CLI11_PARSE(app, argc, argv);
  if (options.plan.quick) {
    options.effort.fpr_queries = 1000000;
    if (app.count("--repetitions") == 0) options.effort.repetitions = 3;
    if (app.count("--min-time") == 0) options.effort.min_seconds = 0.002;
  }
  // It would take options from the environment: a filter would leave rows without a time.
  for (const char* name : {"BENCHMARK_FILTER", "BENCHMARK_REPETITIONS", "BENCHMARK_MIN_TIME", "BENCHMARK_DRY_RUN",
                           "BENCHMARK_LIST_TESTS", "BENCHMARK_ENABLE_RANDOM_INTERLEAVING"}) {
    unsetenv(name);
  }
  int count = 1;  // our arguments are not Google Benchmark's
  benchmark::Initialize(&count, argv);
  return Run(options);
} catch (const std::bad_alloc&) {
  return linefilter::bench::Fail("memory ran out: leave out the largest sizes, by --rows");
} catch (const std::exception& error) {
  return linefilter::bench::Fail(error.what());
}
