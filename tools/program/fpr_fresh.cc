#include "tools/program/fpr_fresh.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/interval.h"
#include "linefilter/sizing.h"
#include "tools/measure/parallel.h"
#include "tools/program/command.h"
#include "tools/program/fpr_measure.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t kMaxSeeds = 100000;

double RateOf(const SeedCounts& counts) {
  return static_cast<double>(counts.false_positives) / static_cast<double>(counts.num_queries);
}

// The interval takes all answers for independent draws with one rate. For the questions to one filter that is so.
// Filters of several seeds differ a little in their rates. Pooled, the interval is that of these filters' mean rate,
// rather too wide than too narrow. The rows tell how far other filters lie from it.
void ReportSeeds(const FprMeasured& result, Report* report) {
  if (result.by_seed.size() < 2) return;
  std::vector<Report> rows;
  for (const SeedCounts& counts : result.by_seed) {
    Report row;
    row.Count("seed", counts.seed);
    row.Count("num_queries", counts.num_queries);
    row.Count("false_positives", counts.false_positives);
    row.Rate("measured_fpr", RateOf(counts));
    row.Rate("expected_fpr_of_bits", counts.expected_fpr_of_bits);
    row.Count("false_negatives", counts.false_negatives);
    rows.push_back(std::move(row));
  }
  report->Table("by_seed", std::move(rows));
}

// Tells whether --precision, given or the default, is reached; if not, how many questions would. A user who gives a
// number of questions alone has asked for no precision.
void ReportPrecision(const FprRequest& fpr, const SeedCounts& total, Report* report) {
  const double precision = RelativePrecision(total.false_positives, total.num_queries, fpr.confidence);
  report->Rate("precision", precision);
  if (fpr.num_queries != 0 && !fpr.precision_given) return;
  const bool reached = precision <= fpr.precision;
  report->Rate("precision_asked", fpr.precision);
  report->Bool("precision_reached", reached);
  if (reached) return;
  constexpr uint64_t kCounted = 100;  // with so many false positives the counted rate is the better one
  const double needed =
      QueriesForPrecision(fpr, total.false_positives >= kCounted ? RateOf(total) : total.expected_fpr_of_bits);
  if (needed > 0) report->Real("num_queries_needed", std::ceil(needed));
}

Guarded FoundOf(const FprRequest& fpr, const SeedCounts& total, double bits_per_key) {
  Guarded found;
  found.counts.num_members = fpr.num_keys * fpr.seeds;
  found.counts.num_lost = total.false_negatives;
  found.counts.num_queries = total.num_queries;
  found.counts.false_positives = total.false_positives;
  found.expected_fpr = total.expected_fpr_of_bits;
  found.counts.bits_per_key = bits_per_key;
  return found;
}

Report ReportOf(const FprRequest& fpr, bool is_guarded, const FprMeasured& measured, const Guarded& found,
                double expected_fpr) {
  const SeedCounts& total = measured.total;
  Report report;
  report.Text("layout", LayoutName(fpr.layout));
  report.Text("keys", fpr.keys);
  report.Real("bits_per_key", found.counts.bits_per_key);
  report.Count("num_probes", measured.num_probes);
  report.Count("num_keys", fpr.num_keys);
  ReportRate(found.counts, expected_fpr, fpr.confidence, &report);
  if (!is_guarded) ReportPrecision(fpr, total, &report);
  report.Rate("expected_fpr_of_bits", total.expected_fpr_of_bits);
  report.Count("false_negatives", total.false_negatives);
  report.Count("body_bytes", measured.body_bytes);
  report.Count("seed", fpr.seed);
  report.Count("seeds", fpr.seeds);
  report.Text("target", measured.target);
  ReportSeeds(measured, &report);
  return report;
}

// Says what is wrong, or nothing.
std::string Refuse(const FprRequest& fpr) {
  const auto text = [](const char* format, double value, double low, double high) {
    char sentence[200];
    snprintf(sentence, sizeof(sentence), format, value, low, high);
    return std::string(sentence);
  };
  if (!(fpr.bits_per_key >= kMinBitsPerKey && fpr.bits_per_key <= kMaxBitsPerKey)) {
    return text("--bits-per-key %g is outside %g to %g", fpr.bits_per_key, kMinBitsPerKey, kMaxBitsPerKey);
  }
  if (!(fpr.precision > 0 && fpr.precision < 1)) {
    return text("--precision %g is not between %g and %g: 0.01 asks for an interval of 1 %% on both sides",
                fpr.precision, 0, 1);
  }
  if (fpr.seeds < 1 || fpr.seeds > kMaxSeeds) {
    return text("--seeds %g is outside %g to %g", static_cast<double>(fpr.seeds), 1, kMaxSeeds);
  }
  if (fpr.threads < 1 || fpr.threads > kMaxThreads) {
    return text("--threads %g is outside %g to %g", static_cast<double>(fpr.threads), 1, kMaxThreads);
  }
  if (fpr.probes != 0 && FactsOf(fpr.layout).max_num_probes == 0) {
    return std::string("--num-probes: layout ") + LayoutName(fpr.layout) + " has none, leave the option out";
  }
  if (fpr.probes > FactsOf(fpr.layout).max_num_probes) {
    return text("--num-probes %g is too many: this layout takes %g to %g", static_cast<double>(fpr.probes), 1,
                FactsOf(fpr.layout).max_num_probes);
  }
  if (fpr.num_queries != 0 && fpr.num_queries < fpr.seeds) {
    return text("--num-queries %g is less than one for each of %g seeds", static_cast<double>(fpr.num_queries),
                static_cast<double>(fpr.seeds), 0);
  }
  return "";
}

// What is to be asked where nobody gives a number: what the limit of the guard needs, if there is one. A rate that is
// above the limit is found with fewer.
FprRequest Planned(FprRequest fpr, const FprGuard& guard, double fpr_of_filter) {
  if (fpr.num_queries != 0 || fpr.precision_given) return fpr;
  uint64_t queries = guard.NumQueries(fpr_of_filter);
  if (queries == 0) return fpr;
  // A line of a baseline is worth what is asked without a limit.
  if (guard.makes_baseline()) queries = std::max(queries, NumQueries(fpr, fpr_of_filter));
  if (guard.IsAbove(fpr_of_filter)) {
    const double enough = std::min(QueriesForPrecision(fpr, fpr_of_filter), 1e19);
    if (enough > 0) queries = std::min(queries, static_cast<uint64_t>(enough));
  }
  fpr.num_queries = std::max(queries, fpr.seeds);
  fpr.by_limit = true;
  return fpr;
}

// The name under which a baseline keeps such filters.
std::string NameOf(const FprRequest& fpr) {
  char bits[32];
  snprintf(bits, sizeof(bits), "%g", fpr.bits_per_key);
  return std::string(LayoutName(fpr.layout)) + ", " + bits + " bits per key";
}

}  // namespace

void DeclareFprOfFresh(Arguments* arguments, FprRequest* fpr) {
  fpr->threads = DefaultThreads();
  std::vector<std::string> families;
  for (const KeyFamily& family : KeyFamilies()) families.push_back(family.name);
  fpr->keys = families.front();
  arguments->LayoutName(&fpr->layout, false, "blocked by default");
  arguments->Real("--bits-per-key", &fpr->bits_per_key, "B", "Size of the filter, 1 to 64; 10 by default");
  arguments->Count("--num-keys", &fpr->num_keys, "How many keys to insert; 1e6 by default");
  arguments->Choice("--keys", &fpr->keys, families, "Which keys (see below); sequential by default");
  arguments->Count("--num-probes", &fpr->probes, "Number of probes; 0, the default, is the best for the size");
  arguments->Rate("--precision", &fpr->precision,
                  "Ask until the interval reaches P * fpr to both sides; by default 0.025, of 1e6 to 1e8 keys");
  arguments->Count("--num-queries", &fpr->num_queries,
                   "Absent keys to ask, over all seeds; 0, the default: what --precision or a limit needs");
  arguments->Seed(&fpr->seed, "Seed of the hash: another seed is another sample; 0 by default");
  arguments->Count("--seeds", &fpr->seeds,
                   "Measure as many filters, with the seeds S, S + 1, ..., and pool them; 1 by default");
  arguments->Count("--threads", &fpr->threads, "How many threads; all cores by default. Results do not depend on it");
}

int RunFprOfFresh(const FprRequest& fpr, const GuardOptions& options) {
  FprGuard guard(options, NameOf(fpr));
  if (!guard.Prepare()) return kExitBad;
  std::string refused = Refuse(fpr);
  if (!refused.empty()) return guard.EndRefused(refused);
  double bits_per_key = 0;
  const double expected_fpr = ModelFpr(fpr, &bits_per_key);
  FprRequest planned = Planned(fpr, guard, expected_fpr);
  refused = RefuseQueries(planned, expected_fpr);
  if (!refused.empty()) return guard.EndRefused(refused);
  // Small filters differ from the model's mean: they are filled once before, to know their own rate. That of more than
  // so many keys lies within 0.2 % of the model's.
  constexpr uint64_t kFewKeys = 10000000;
  double planned_fpr = expected_fpr;
  FprMeasured measured;
  if (fpr.num_queries == 0 && fpr.num_keys <= kFewKeys / fpr.seeds) {
    const Status status = MeasureFpr(fpr, 0, &measured);
    if (!status.ok()) return guard.EndRefused(status.message());
    planned_fpr = measured.total.expected_fpr_of_bits;
    planned = Planned(fpr, guard, planned_fpr);
    refused = RefuseQueries(planned, planned_fpr);
    if (!refused.empty()) return guard.EndRefused(refused);
    measured = FprMeasured();
  }
  const Status status = MeasureFpr(planned, std::max(NumQueries(planned, planned_fpr), fpr.seeds), &measured);
  if (!status.ok()) return guard.EndRefused(status.message());
  const Guarded found = FoundOf(planned, measured.total, bits_per_key);
  const int exit_code = guard.End(found, ReportOf(planned, options.has_limit(), measured, found, expected_fpr));
  if (found.counts.num_lost != 0) {
    Fail("fpr: FALSE NEGATIVES: this must never happen: please report the lines above and this CPU");
  }
  return exit_code;
}

}  // namespace linefilter::tools
