// linefilter plan: what every layout would cost, side by side.
#include <memory>
#include <string>
#include <vector>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/layouts.h"
#include "tools/parallel.h"
#include "tools/report.h"

namespace linefilter::tools {
namespace {

struct Plan {
  uint64_t num_keys = 0;
  double fpr = 0, bits_per_key = 0;
  bool json = false;
};

Status PlanLayout(const Plan& plan, bool by_fpr, Layout layout, Report* row) {
  Sizing sizing;
  Status status = by_fpr ? SizeForFpr(layout, plan.num_keys, plan.fpr, &sizing)
                         : SizeForBitsPerKey(layout, plan.num_keys, plan.bits_per_key, &sizing);
  if (!status.ok()) return status;
  FilterOptions options;
  options.layout = layout;
  options.executor = Threads(DefaultThreads());  // as `build`
  (by_fpr ? options.fpr : options.bits_per_key) = by_fpr ? plan.fpr : plan.bits_per_key;
  uint64_t image_bytes = 0, build_memory = 0;
  status = FilterBuilder::EstimateBytes(options, plan.num_keys, &image_bytes, &build_memory);
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

int RunPlan(const Plan& plan, bool by_fpr) {
  Report report;
  report.Count("num_keys", plan.num_keys);
  if (by_fpr) {
    report.Rate("wanted_fpr", plan.fpr);
  } else {
    report.Real("wanted_bits_per_key", plan.bits_per_key);
  }
  std::vector<Report> rows;
  for (const Layout layout : ImplementedLayouts()) {
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
  arguments.Count("--num-keys", &plan->num_keys, "How many keys the set has", Need::kRequired);
  arguments.Real("--fpr", &plan->fpr, "P", "The highest acceptable false-positive rate, like 0.01");
  arguments.Real("--bits-per-key", &plan->bits_per_key, "B", "Or the size, 1 to 64");
  arguments.ExactlyOneOf("--fpr", "--bits-per-key");
  arguments.Json(&plan->json);
  return [plan, &arguments] { return RunPlan(*plan, arguments.Given("--fpr")); };
}

}  // namespace

const Command kPlanCommand = {
    "plan", "Show bytes, probes and expected false-positive rate of every layout side by side",
    "body_bytes are the bits themselves, image_bytes the file, build_memory_bytes what `build` needs at most\n"
    "with all cores of this machine.\n"
    "A layout that cannot be had that way is named on standard error.\n"
    "Exit code: 0 at least one layout can, 2 none can or bad usage.",
    &Declare};

}  // namespace linefilter::tools
