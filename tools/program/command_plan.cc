// linefilter plan shows what every layout would cost, side by side; or, with --redis, what a filter in Redis would.
#include <memory>
#include <string>
#include <vector>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tools/measure/layouts.h"
#include "tools/measure/parallel.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/redis/plan_report.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Plan {
  RedisPlanRequest request;  // without --redis only its first three fields
  FilterOptions options;     // only whether keys are removed, and how often they turn over
  bool json = false, redis = false;
  std::string rates;
};

constexpr const char* kOfRedis[] = {"--lookups", "--inserts",     "--replicas", "--node-gb", "--gigabits",
                                    "--batch",   "--shard-bytes", "--rebuild",  "--rates"};

Status PlanLayout(const Plan& plan, bool by_fpr, Layout layout, Report* row) {
  FilterOptions options = plan.options;
  options.layout = layout;
  options.executor = Threads(DefaultThreads());  // as `build` does
  (by_fpr ? options.fpr : options.bits_per_key) = by_fpr ? plan.request.fpr : plan.request.bits_per_key;
  Sizing sizing;
  Status status = SizeForOptions(plan.request.num_keys, options, &sizing);
  if (!status.ok()) return status;
  uint64_t image_bytes = 0, build_memory = 0;
  status = FilterBuilder::EstimateBytes(options, plan.request.num_keys, &image_bytes, &build_memory);
  if (!status.ok()) return status;
  row->Text("layout", LayoutName(layout));
  row->Count("num_probes", sizing.num_probes);
  row->Real("bits_per_key", sizing.bits_per_key);
  row->Rate("expected_fpr", sizing.expected_fpr);
  row->Count("body_bytes", sizing.body_bytes);
  row->Count("image_bytes", image_bytes);
  row->Count("build_memory_bytes", build_memory);
  return Status();
}

int RunRedis(const Plan& plan, const Arguments& arguments) {
  const RedisPlanRequest& request = plan.request;
  // An option of 0 means "not given" to the planner; here it was given.
  if (arguments.Given("--fpr") && request.fpr == 0) return Fail("plan: --fpr 0 needs a list of the keys, no filter");
  if (arguments.Given("--batch") && request.batch == 0) return Fail("plan: --batch 0 asks nothing: give at least 1");
  return RunRedisPlan(request, plan.rates, plan.json);
}

int RunPlan(const Plan& plan, const Arguments& arguments) {
  const bool by_fpr = arguments.Given("--fpr");
  for (const char* option : kOfRedis) {
    if (arguments.Given(option)) return Fail("plan: %s goes with --redis: give both, or neither", option);
  }
  Report report;
  report.Count("num_keys", plan.request.num_keys);
  if (by_fpr) {
    report.Rate("wanted_fpr", plan.request.fpr);
  } else {
    report.Real("wanted_bits_per_key", plan.request.bits_per_key);
  }
  if (plan.options.removable) report.Count("turnovers", plan.options.turnovers);
  std::vector<Report> rows;
  for (const Layout layout : BuildableLayouts()) {
    Report row;
    const Status status = PlanLayout(plan, by_fpr, layout, &row);
    if (status.ok()) {
      rows.push_back(row);
    } else {
      Fail("plan: %s: %s", LayoutName(layout), status.message());
    }
  }
  if (rows.empty()) return kExitBad;
  report.Table("layouts", rows);
  report.Print(plan.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto plan = std::make_shared<Plan>();
  arguments.Count("--num-keys", &plan->request.num_keys, "How many distinct keys the set has", Need::kRequired);
  arguments.Rate("--fpr", &plan->request.fpr, "The highest acceptable false-positive rate, like 0.01");
  arguments.Real("--bits-per-key", &plan->request.bits_per_key, "B", "Or the size, 1 to 64");
  arguments.ExactlyOneOf({"--fpr", "--bits-per-key"});
  arguments.Removable(&plan->options);
  arguments.AtMostOneOf("--removable", "--redis");
  arguments.Flag("--redis", &plan->redis, "Of layout blocked in Redis or Redis Cluster: shards, memory, nodes");
  arguments.Count("--lookups", &plan->request.lookups, "With --redis: look-ups per second, 0 by default");
  arguments.Count("--inserts", &plan->request.inserts, "With --redis: inserts per second, 0 by default");
  arguments.Count("--replicas", &plan->request.replicas, "With --redis: replicas of each master, 1 by default");
  arguments.Real("--node-gb", &plan->request.node_gb, "GB",
                 "With --redis: memory of a node in 1e9 bytes, 16 by default");
  arguments.Real("--gigabits", &plan->request.gigabits, "G",
                 "With --redis: network of a node in 1e9 bits per second, 10 by default");
  arguments.Count("--batch", &plan->request.batch,
                  "With --redis: keys asked at once; as the rates were measured by default");
  arguments.Count("--shard-bytes", &plan->request.shard_bytes,
                  "With --redis: most bytes of one string of Redis; 64 MiB by default");
  arguments.Flag("--rebuild", &plan->request.rebuild,
                 "With --redis: room for the next generation beside the current one");
  arguments.Path("--rates", &plan->rates, "With --redis: what `linefilter redis bench --json` printed of your server");
  arguments.Json(&plan->json);
  return [plan, &arguments] { return plan->redis ? RunRedis(*plan, arguments) : RunPlan(*plan, arguments); };
}

}  // namespace

const Command kPlanCommand = {
    "plan", "Show bytes, probes and expected false-positive rate of every layout side by side",
    "body_bytes are the bits themselves, image_bytes the file, build_memory_bytes what `build` needs at most\n"
    "with all cores of this machine.\n"
    "A layout that cannot be had that way is named on standard error.\n"
    "--removable shows only the layouts that give keys back. With --turnovers expected_fpr is the rate after so many.\n"
    "--redis: a filter of layout blocked in shards of 64 MiB, several filters above 2^32 blocks (name:0, name:1, ...,\n"
    "chosen by ShardOf), on as few masters as memory (with the pages that are copied while Redis saves), time of its\n"
    "thread (60 %) and network (50 %) allow. ..._of_node is the fullest master: shards fall on nodes by chance.\n"
    "doc/SCALE.md explains each line.\n"
    "Exit code: 0 at least one layout can, 2 none can or bad usage.",
    &Declare};

}  // namespace linefilter::tools
