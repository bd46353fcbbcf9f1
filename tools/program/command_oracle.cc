// linefilter oracle shows the model's false-positive rate of every layout, as a table. Sizing uses the same model.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "tools/measure/layouts.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Oracle {
  Layout layout = Layout::kAuto;  // = all
  uint64_t num_keys = 1000000;
  double from = 6, to = 24, step = 1;
  FilterOptions options;  // only whether keys are removed, and how often they turn over
  bool all_probes = false, json = false;
};

// The num_probes of rows: 0 where the layout has none, but for one that tells by it whether keys can be removed.
struct ProbesOfRows {
  uint32_t least, most;
};
ProbesOfRows ProbesOf(const Oracle& oracle, const LayoutFacts& facts) {
  if (facts.chooses_removal) return {oracle.options.removable, oracle.options.removable};
  return {std::min(1u, facts.max_num_probes), facts.max_num_probes};
}

constexpr double kMaxRows = 10000;

// This set is so large that one more key changes nothing, and no layout ends below it: 256 MiB.
constexpr uint64_t kLargeBody = uint64_t{1} << 28;

double LimitFpr(const Oracle& oracle, Layout layout, double bits_per_key, uint32_t num_probes) {
  const double num_keys = std::round(8 * static_cast<double>(kLargeBody) / bits_per_key);
  const double fpr =
      ExpectedFprAfter(oracle.options.turnovers, layout, static_cast<uint64_t>(num_keys), kLargeBody, num_probes);
  if (FactsOf(layout).block_bytes != 0) return fpr;
  const double equal = num_keys / 18446744073709551616.0;  // whole hashes that agree: a rate that has no limit
  return (fpr - equal) / (1 - equal);
}

Status AddRows(const Oracle& oracle, Layout layout, double bits_per_key, std::vector<Report>* rows) {
  Sizing sizing;
  const Status status = SizeForBitsPerKey(layout, oracle.num_keys, bits_per_key, &sizing);
  if (!status.ok()) return status;
  const ProbesOfRows probes = ProbesOf(oracle, FactsOf(layout));
  const uint32_t best = std::max(probes.least, NumProbesForBitsPerKey(layout, bits_per_key));
  sizing.num_probes = std::max(probes.least, sizing.num_probes);
  for (uint32_t k = probes.least; k <= probes.most; ++k) {
    if (!oracle.all_probes && k != best) continue;
    const uint32_t k_of_set = oracle.all_probes ? k : sizing.num_probes;
    Report row;
    row.Text("layout", LayoutName(layout));
    row.Real("bits_per_key", bits_per_key);
    row.Count("num_probes", k);
    row.Bool("best", k == best);
    row.Rate("limit_fpr", LimitFpr(oracle, layout, bits_per_key, k));
    row.Rate("limit_error", ModelError(layout, bits_per_key, k == best, true));
    row.Real("real_bits_per_key", sizing.bits_per_key);
    row.Count("num_probes_of_set", k_of_set);
    row.Rate("expected_fpr",
             ExpectedFprAfter(oracle.options.turnovers, layout, oracle.num_keys, sizing.body_bytes, k_of_set));
    row.Rate("expected_error", ModelError(layout, sizing.bits_per_key, k_of_set == sizing.num_probes, false));
    rows->push_back(std::move(row));
  }
  return status;
}

int RunOracle(const Oracle& oracle) {
  if (!(oracle.from >= kMinBitsPerKey && oracle.to <= kMaxBitsPerKey && oracle.from <= oracle.to)) {
    return Fail("oracle: --from %g and --to %g must rise and lie within %g to %g bits per key", oracle.from, oracle.to,
                kMinBitsPerKey, kMaxBitsPerKey);
  }
  if (!(oracle.step > 0) || (oracle.to - oracle.from) / oracle.step > kMaxRows) {
    return Fail("oracle: --step %g must be above 0 and give at most %g rows", oracle.step, kMaxRows);
  }
  if (oracle.num_keys == 0) return Fail("oracle: --num-keys 0: the empty set has no false positives; give 1 or more");
  Report report;
  report.Count("num_keys", oracle.num_keys);
  if (oracle.options.removable) report.Count("turnovers", oracle.options.turnovers);
  std::vector<Report> rows;
  for (const Layout layout : BuildableLayouts()) {
    if (oracle.layout != Layout::kAuto && oracle.layout != layout) continue;
    if (oracle.options.removable && !FactsOf(layout).chooses_removal) continue;
    for (int i = 0; oracle.from + i * oracle.step <= oracle.to * (1 + 1e-12); ++i) {
      const Status status = AddRows(oracle, layout, std::min(oracle.from + i * oracle.step, oracle.to), &rows);
      if (!status.ok()) return Fail("oracle: %s", status.message());
    }
  }
  if (rows.empty()) {
    return Fail("oracle: no key can be removed from layout %s: choose quotient, or leave out --removable",
                LayoutName(oracle.layout));
  }
  report.Table("rows", std::move(rows));
  report.Print(oracle.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto oracle = std::make_shared<Oracle>();
  arguments.LayoutName(&oracle->layout, false, "all by default");
  arguments.Count("--num-keys", &oracle->num_keys, "Size of the set of expected_fpr; 1e6 by default");
  arguments.Real("--from", &oracle->from, "B", "First row, in bits per key; 6 by default");
  arguments.Real("--to", &oracle->to, "B", "Last row; 24 by default");
  arguments.Real("--step", &oracle->step, "B", "From row to row; 1 by default");
  arguments.Flag("--all-probes", &oracle->all_probes, "A row for every number of probes, not only for the best");
  arguments.Removable(&oracle->options);
  arguments.Json(&oracle->json);
  return [oracle] { return RunOracle(*oracle); };
}

}  // namespace

const Command kOracleCommand = {
    "oracle", "Print the false-positive rate that the model of every layout expects",
    "limit_fpr is that of large sets, expected_fpr that of num_keys keys, whose bits are "
    "rounded up to whole blocks (or\n"
    "bytes) and whose best num_probes may differ. The errors are the most by which the "
    "model is off the exact rate of its\n"
    "layout from 4 to 24 (real) bits per key, relative; the tests hold it to them. Outside they are not "
    "stated (JSON: null).\n"
    "Keys whose 64-bit hashes agree, num_keys / 2^64, grow with the set: limit_fpr of `classic` leaves them out.\n"
    "--removable shows only the layouts that give keys back. With --turnovers the rates are those after so many, which "
    "are\n"
    "right to 2 % more where keys are removed at random.\n"
    "Sizing (build, plan) uses the same model. Measured beside it: linefilter fpr.\n"
    "Exit code: 0, 2 bad usage.",
    &Declare};

}  // namespace linefilter::tools
