#include "bench/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench/available.h"
#include "bench/counters.h"
#include "bench/machine.h"
#include "bench/memory.h"
#include "bench/passes.h"
#include "bench/peer.h"
#include "bench/portable.h"
#include "bench/results.h"
#include "bench/slow.h"

namespace linefilter::bench {
namespace {

double Seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

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

int RunRows(const RunOptions& options, std::vector<Group> groups, Results* results) {
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
    PrintSmallPages(group[0].huge_page_percent);
    for (const Measured& measured : group) {
      PrintRow(measured);
      results->Add(measured);
    }
    if (const std::string error = results->Save(); !error.empty()) return Fail(error);
  }
  printf("all rows are measured: %.1f minutes\n", (Seconds() - start) / 60);
  return 0;
}

nlohmann::json ContextOf(const RunOptions& options) {
  nlohmann::json context = MachineContext();
  context["effort"] = EffortText(options.effort);
  context["words"] = NumWords();
  context["missing_peers"] = MissingPeers();
  context["plan"] = PlanName(options.plan.plan);
  context["static"] = IsPortable();
  if (!Planted().empty()) context["planted"] = Planted();
  if (IsSpreadOverTheRun(options.plan.plan)) {
    context["pinned_cpu"] = PinToOneCpu();
    context["complete"] = false;
  }
  return context;
}

void PrintMachine(const nlohmann::json& context) {
  printf("CPU:        %s%s, %d in all\n", context["cpu"].get<std::string>().c_str(),
         context["virtual"].get<bool>() ? ", in a virtual machine" : "", context["cores"].get<int>());
  for (const char* list : {"caches", "targets"}) {
    printf("%-11s", (std::string(list) + ":").c_str());
    for (const auto& item : context[list]) printf(" %s", item.get<std::string>().c_str());
    printf("\n");
  }
  printf("huge pages: %s\n", context["huge_pages"].get<std::string>().c_str());
  const int cpu = context["pinned_cpu"].get<int>();
  printf("pinned to:  %s\n", cpu < 0 ? "no CPU, for the system refuses" : ("CPU " + std::to_string(cpu)).c_str());
  for (const std::string& missing : MissingPeers()) printf("without the peer %s\n", missing.c_str());
}

PassOptions PassOptionsOf(const RunOptions& options) {
  PassOptions passes;
  passes.effort = options.effort;
  passes.minutes = options.minutes;
  if (options.plan.plan == Plan::kSmoke) {
    passes.large_bytes = uint64_t{128} << 10;
    passes.large_rounds = 2;
  }
  return passes;
}

int RunInPasses(const RunOptions& options, std::vector<Group> groups, std::vector<std::string> left_out,
                const nlohmann::json& context, Results* results) {
  PrintMachine(context);
  printf("results go to %s, from the first pass on; whatever interrupts this, the last pass is there\n",
         options.out.c_str());
  return MeasureInPasses(PassOptionsOf(options), std::move(groups), std::move(left_out), results);
}

}  // namespace

int Fail(const std::string& what) {
  fprintf(stderr, "linefilter_bench: %s\n", what.c_str());
  return 2;
}

int RunPlan(RunOptions options) {
  const bool in_passes = IsSpreadOverTheRun(options.plan.plan);
  const nlohmann::json context = ContextOf(options);
  Results results;
  if (const std::string error = results.Open(options.out, context, options.fresh); !error.empty()) {
    return Fail(error);
  }
  options.plan.done = results.RowNames();
  if (in_passes && !options.plan.done.empty()) {
    return Fail(options.out + " is there, and passes cannot be added to: choose another --out, or --fresh");
  }
  std::vector<Group> groups = MakePlan(options.plan);
  const auto kept = [&](const Group& group) {
    return in_passes ? BytesKeptInPasses(PassOptionsOf(options), group) : 0;
  };
  const std::vector<std::string> left_out = LeaveOutTooLarge(AvailableMemory(), kept, &groups);
  for (const std::string& sentence : left_out)
    fprintf(options.list ? stderr : stdout, "left out: %s\n", sentence.c_str());
  size_t rows = 0, planted = 0;
  double seconds = 0;
  for (const Group& group : groups) {
    rows += group.rows.size();
    seconds += EstimatedSeconds(group, options.effort.repetitions, options.effort.min_seconds);
    for (const Row& row : group.rows) {
      if (options.list) puts(row.name.c_str());
      planted += PlantedSlowness(row.name) > 0;
    }
  }
  if (options.list) return 0;
  if (!options.plan.done.empty())
    printf("%zu rows stand in %s already\n", options.plan.done.size(), options.out.c_str());
  if (rows == 0) {
    if (!options.plan.done.empty()) return puts("nothing is left to measure"), 0;
    if (!left_out.empty())
      return Fail("no row fits into the free memory, as told above: free some, or raise its limit");
    return Fail("no row matches --rows '" + options.plan.rows + "': --list shows them");
  }
  if (!Planted().empty() && planted == 0)
    return Fail("LINEFILTER_BENCH_SLOW makes no row slower: --list shows their names");
  if (const std::string error = results.CheckThatItCanBeWritten(); !error.empty()) return Fail(error);
  if (in_passes) return RunInPasses(options, std::move(groups), left_out, context, &results);
  for (const std::string& missing : MissingPeers()) printf("without the peer %s\n", missing.c_str());
  printf("%zu rows, about %.0f minutes (on a slower machine more; after at most %g it ends, and can be gone on with)\n",
         rows, seconds / 60 + 0.5, options.minutes);
  return RunRows(options, std::move(groups), &results);
}

}  // namespace linefilter::bench
