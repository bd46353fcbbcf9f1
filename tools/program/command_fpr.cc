// linefilter fpr compares the measured false-positive rate with the expected one.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/interval.h"
#include "linefilter/sizing.h"
#include "tools/measure/key_families.h"
#include "tools/measure/parallel.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/fpr_measure.h"
#include "tools/program/fpr_request.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t kMaxSeeds = 100000;

double RateOf(const FprCounts& counts) {
  return static_cast<double>(counts.false_positives) / static_cast<double>(counts.num_queries);
}

// The interval takes all answers for independent draws with one rate. For the questions to one filter that is so.
// Filters of several seeds differ a little in their rates. Pooled, the interval is that of these filters' mean rate,
// rather too wide than too narrow. The rows tell how far other filters lie from it.
void ReportSeeds(const FprResult& result, Report* report) {
  if (result.by_seed.size() < 2) return;
  std::vector<Report> rows;
  for (const FprCounts& counts : result.by_seed) {
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
void ReportPrecision(const FprRequest& fpr, const FprCounts& total, Report* report) {
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

int ReportFpr(const FprRequest& fpr, const FprResult& result, double expected_fpr, double bits_per_key) {
  const FprCounts& total = result.total;
  const Interval interval = ClopperPearson(total.false_positives, total.num_queries, fpr.confidence);
  Report report;
  report.Text("layout", LayoutName(fpr.layout));
  report.Text("keys", fpr.keys);
  report.Real("bits_per_key", bits_per_key);
  report.Count("num_probes", result.num_probes);
  report.Count("num_keys", fpr.num_keys);
  report.Count("num_queries", total.num_queries);
  report.Count("false_positives", total.false_positives);
  report.Rate("measured_fpr", RateOf(total));
  report.Rate("expected_fpr", expected_fpr);
  report.Rate("fpr_low", interval.low);
  report.Rate("fpr_high", interval.high);
  report.Rate("confidence", fpr.confidence);
  ReportPrecision(fpr, total, &report);
  report.Rate("expected_fpr_of_bits", total.expected_fpr_of_bits);
  report.Count("false_negatives", total.false_negatives);
  report.Count("body_bytes", result.body_bytes);
  report.Count("seed", fpr.seed);
  report.Count("seeds", fpr.seeds);
  report.Text("target", result.target);
  ReportSeeds(result, &report);
  report.Print(fpr.json);
  if (total.false_negatives == 0) return kExitGood;
  Fail(
      "fpr: FALSE NEGATIVES: %llu of %llu members answered \"absent\". This must never happen: please report the lines "
      "above and this CPU",
      static_cast<unsigned long long>(total.false_negatives),
      static_cast<unsigned long long>(fpr.num_keys * fpr.seeds));
  return kExitNegative;
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
  if (!(fpr.confidence > 0 && fpr.confidence < 1)) {
    return text("--confidence %g is not between %g and %g: choose like 0.99", fpr.confidence, 0, 1);
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

int RunFpr(const FprRequest& fpr) {
  std::string refused = Refuse(fpr);
  if (!refused.empty()) return Fail("fpr: %s", refused.c_str());
  double bits_per_key = 0;
  const double expected_fpr = ModelFpr(fpr, &bits_per_key);
  refused = RefuseQueries(fpr, expected_fpr);
  if (!refused.empty()) return Fail("fpr: %s", refused.c_str());
  // Small filters differ from the model's mean: they are filled once before, to know their own rate. That of more than
  // so many keys lies within 0.2 % of the model's.
  constexpr uint64_t kFewKeys = 10000000;
  double planned_fpr = expected_fpr;
  FprResult result;
  if (fpr.num_queries == 0 && fpr.num_keys <= kFewKeys / fpr.seeds) {
    const Status status = MeasureFpr(fpr, 0, &result);
    if (!status.ok()) return Fail("fpr: %s", status.message());
    planned_fpr = result.total.expected_fpr_of_bits;
    refused = RefuseQueries(fpr, planned_fpr);
    if (!refused.empty()) return Fail("fpr: %s", refused.c_str());
    result = FprResult();
  }
  const Status status = MeasureFpr(fpr, std::max(NumQueries(fpr, planned_fpr), fpr.seeds), &result);
  if (!status.ok()) return Fail("fpr: %s", status.message());
  return ReportFpr(fpr, result, expected_fpr, bits_per_key);
}

std::function<int()> Declare(Arguments& arguments) {
  auto fpr = std::make_shared<FprRequest>();
  fpr->threads = DefaultThreads();
  std::vector<std::string> families;
  for (const KeyFamily& family : KeyFamilies()) families.push_back(family.name);
  fpr->keys = families.front();
  arguments.LayoutName(&fpr->layout, false, "blocked by default");
  arguments.Real("--bits-per-key", &fpr->bits_per_key, "B", "Size of the filter, 1 to 64; 10 by default");
  arguments.Count("--num-keys", &fpr->num_keys, "How many keys to insert; 1e6 by default");
  arguments.Choice("--keys", &fpr->keys, families, "Which keys (see below); sequential by default");
  arguments.Count("--num-probes", &fpr->probes, "Number of probes; 0, the default, is the best for the size");
  arguments.Rate("--precision", &fpr->precision,
                 "Ask until the interval reaches P * fpr to both sides; by default 0.025, of 1e6 to 1e8 keys");
  arguments.Count("--num-queries", &fpr->num_queries,
                  "How many absent keys to ask, over all seeds; 0, the default: as --precision needs");
  arguments.Rate("--confidence", &fpr->confidence, "Of the interval fpr_low to fpr_high; 0.99 by default");
  arguments.Seed(&fpr->seed, "Seed of the hash: another seed is another sample; 0 by default");
  arguments.Count("--seeds", &fpr->seeds,
                  "Measure as many filters, with the seeds S, S + 1, ..., and pool them; 1 by default");
  arguments.Count("--threads", &fpr->threads, "How many threads; all cores by default. Results do not depend on it");
  arguments.Json(&fpr->json);
  return [fpr, &arguments] {
    fpr->family = FindKeyFamily(fpr->keys);
    fpr->precision_given = arguments.Given("--precision");
    return RunFpr(*fpr);
  };
}

const char* Notes() {
  static const std::string* const notes = [] {
    auto* text = new std::string(
        "expected_fpr is the model's mean over all sets of num_keys keys, expected_fpr_of_bits that of the very bits "
        "measured;\n"
        "they differ where the filter is small.\n"
        "fpr_low to fpr_high is the Clopper-Pearson interval of the measured rate, of all seeds together;\n"
        "precision is half its width as a share of the rate; where it is more than precision_asked, "
        "num_queries_needed\n"
        "would suffice.\n"
        "A billion keys (1.25 GB, about a minute): linefilter fpr --num-keys 1e9 --bits-per-key 10 --num-queries 1e9\n"
        "(a layout that takes no key once it is made needs 8 bytes per key more)\n"
        "Keys:\n");
    for (const KeyFamily& family : KeyFamilies())
      *text += std::string("  ") + family.name + ": " + family.description + "\n";
    *text += "Exit code: 0 no false negative, 1 false negatives (a bug), 2 bad usage.";
    return text;
  }();
  return notes->c_str();
}

}  // namespace

const Command kFprCommand = {"fpr", "Measure the false-positive rate against the expected one", Notes(), &Declare};

}  // namespace linefilter::tools
