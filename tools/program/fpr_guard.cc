#include "tools/program/fpr_guard.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "linefilter/interval.h"
#include "tools/program/command.h"
#include "tools/program/output.h"
#include "tools/program/same_file.h"

namespace linefilter::tools {
namespace {

// Where there is no limit, only what is wrong at any rate counts: no rate is above this one.
const double kAnyRate = std::nextafter(1.0, 0.0);

const char* NameOf(FprVerdict verdict) {
  return verdict == FprVerdict::kWithin ? "within" : verdict == FprVerdict::kAbove ? "above" : "undecided";
}

// A name that JSON can hold: bytes that are no UTF-8 are replaced.
std::string AsUtf8(const std::string& name) {
  using nlohmann::json;
  return json::parse(json(name).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

// Lost members outrank what is undecided.
int RankOf(FprVerdict verdict) { return verdict == FprVerdict::kAbove ? 2 : verdict == FprVerdict::kUndecided ? 1 : 0; }

void ReportKeys(const char* table, const char* column, const FprKeys& keys, Report* report) {
  std::vector<Report> rows;
  for (size_t i = 0; i < keys.size; ++i) {
    rows.emplace_back();
    rows.back().Text(column, keys.named[i].text);
    rows.back().Count("position", keys.named[i].position);
  }
  if (!rows.empty()) report->Table(table, std::move(rows));
}

// What Print prints.
std::string TextOf(const Report& report, bool json) {
  char* text = nullptr;
  size_t size = 0;
  FILE* const to = open_memstream(&text, &size);
  if (to == nullptr) return "";
  report.Print(json, to);
  fclose(to);
  const std::string printed(text, size);
  free(text);
  return printed;
}

}  // namespace

void DeclareGuard(Arguments* arguments, GuardOptions* options) {
  arguments->Rate("--at-most", &options->at_most, "Exit with 1 if the rate is above P, with 2 if that is not decided");
  arguments->Flag("--expected", &options->expected, "Or if it is above the rate that the filter's own bits expect");
  arguments->Path("--baseline", &options->baseline,
                  "Or above what this file says was counted before; a filter that it does not know is added");
  arguments->AtMostOneOf("--at-most", "--expected");
  arguments->Rate("--confidence", &options->confidence, "Of the interval fpr_low to fpr_high; 0.99 by default");
  arguments->Real("--resolution", &options->resolution, "R",
                  "An interval that ends below R times the limit is good; 1.5 by default");
  arguments->Text("--name", &options->name, "NAME",
                  "Name in --baseline and --junit; that of the file by default, or layout and bits");
  arguments->Path("--junit", &options->junit, "Write the verdict as JUnit XML, too; - is standard output");
  arguments->Json(&options->json);
}

void ReportRate(const FprCounts& counts, double expected_fpr, double confidence, Report* report) {
  const Interval interval = ClopperPearson(counts.false_positives, counts.num_queries, confidence);
  report->Count("num_queries", counts.num_queries);
  report->Count("false_positives", counts.false_positives);
  report->Rate("measured_fpr", static_cast<double>(counts.false_positives) / static_cast<double>(counts.num_queries));
  report->Rate("expected_fpr", expected_fpr);
  report->Rate("fpr_low", interval.low);
  report->Rate("fpr_high", interval.high);
  report->Rate("confidence", confidence);
}

FprGuard::FprGuard(const GuardOptions& options, const std::string& name)
    : options_(options),
      name_(AsUtf8(options.name.empty() ? name : options.name)),
      begin_(std::chrono::steady_clock::now()) {}

bool FprGuard::Prepare() {
  std::string refused = RefuseJunit();
  if (!refused.empty()) {
    Fail("fpr: %s", refused.c_str());
    return false;
  }
  refused = RefuseOptions();
  if (refused.empty() && !options_.baseline.empty()) refused = PrepareBaseline();
  if (refused.empty()) return true;
  EndRefused(refused);
  return false;
}

std::string FprGuard::RefuseJunit() const {
  std::string reason;
  if (options_.junit.empty() || options_.junit == "-") return "";
  if (SameFile(options_.junit, options_.baseline)) {
    return "--junit " + options_.junit + " is the file of --baseline: give another one";
  }
  return CanCreate(options_.junit, &reason) ? "" : "--junit " + options_.junit + " " + reason;
}

std::string FprGuard::RefuseOptions() const {
  const auto text = [](const char* format, double value) {
    char sentence[200];
    snprintf(sentence, sizeof(sentence), format, value);
    return std::string(sentence);
  };
  if (options_.has_at_most && !(options_.at_most > 0 && options_.at_most < 1)) {
    return text("--at-most %g is no rate: give one above 0 and below 1, like 0.01 or 1%%", options_.at_most);
  }
  if (!(options_.confidence > 0 && options_.confidence < 1)) {
    return text("--confidence %g is not between 0 and 1: choose like 0.99", options_.confidence);
  }
  if (!(options_.resolution > 1) || std::isinf(options_.resolution)) {
    return text("--resolution %g is not above 1: 1.5 lets rates of up to 1.5 times the limit pass",
                options_.resolution);
  }
  if (options_.needs_limit == nullptr || options_.has_limit()) return "";
  return std::string(options_.needs_limit) + " goes with a limit: give --at-most, --expected or --baseline";
}

std::string FprGuard::PrepareBaseline() {
  if (options_.baseline == "-") return "--baseline - is no file: name one to read, or to create";
  const std::string file = "--baseline " + options_.baseline;
  std::string reason;
  if (!baseline_.Read(options_.baseline, &reason)) return file + " " + reason;
  before_ = baseline_.Find(name_);
  if (before_ != nullptr || CanCreate(options_.baseline, &reason)) return "";  // one that has a row is only read
  return file + " has no row '" + name_ + "', and " + reason;
}

FprLimit FprGuard::LimitOf(double at_most, const FprBaseline* baseline) const {
  FprLimit limit;
  limit.at_most = at_most;
  limit.confidence = options_.confidence;
  limit.resolution = options_.resolution;
  limit.baseline = baseline;
  return limit;
}

uint64_t FprGuard::NumQueries(double expected_fpr) const {
  uint64_t queries = 0;
  if (options_.has_at_most || options_.expected) {
    queries = QueriesForLimit(LimitOf(options_.expected ? expected_fpr : options_.at_most, nullptr));
  }
  if (before_ != nullptr) queries = std::max(queries, QueriesForLimit(LimitOf(0, &before_->counted)));
  return queries;
}

FprResult FprGuard::Judge(const Guarded& found) const {
  const auto judge = [&](double at_most, const FprBaseline* baseline) {
    return JudgeFpr(found.counts, LimitOf(at_most, baseline), found.lost, found.absent_members);
  };
  const double rate = options_.expected ? found.expected_fpr : options_.has_at_most ? options_.at_most : kAnyRate;
  FprResult worst = judge(rate, nullptr);
  if (options_.expected && !(rate > 0 && rate < 1) && worst.verdict == FprVerdict::kUndecided) {
    snprintf(worst.sentence, sizeof(worst.sentence),
             "the filter expects a rate of %g, to which none can be held: it is %s; give --at-most", rate,
             rate > 0 ? "full" : "empty");
  }
  if (before_ == nullptr) {
    if (!options_.baseline.empty()) JudgeAsBaseline(&worst);
    return worst;
  }
  const FprResult by_baseline = judge(0, &before_->counted);
  const bool is_only_limit = !options_.has_at_most && !options_.expected;
  return is_only_limit || RankOf(by_baseline.verdict) > RankOf(worst.verdict) ? by_baseline : worst;
}

// A baseline of few counts would decide nothing, and one that chance made low would stop good filters from then on. As
// many questions to a filter of the same rate must pass in 99 of 100 cases. Then the second count is at most 2.33
// standard deviations of the difference above the first.
void FprGuard::JudgeAsBaseline(FprResult* result) const {
  if (result->verdict != FprVerdict::kWithin) return;
  FprCounts counts = result->counts;
  const double rate = static_cast<double>(counts.false_positives) / static_cast<double>(counts.num_queries);
  const auto is_enough = [&] {
    const FprBaseline itself = {counts.num_queries, counts.false_positives, counts.bits_per_key};
    const auto hits = static_cast<double>(counts.false_positives);
    FprCounts again = counts;
    again.false_positives += static_cast<uint64_t>(std::ceil(2.33 * std::sqrt(2 * hits)));
    again.false_positives = std::min(again.false_positives, again.num_queries);
    return JudgeFpr(again, LimitOf(0, &itself)).ok();
  };
  if (counts.false_positives != 0 && is_enough()) return;
  result->verdict = FprVerdict::kUndecided;
  constexpr uint64_t kMost = uint64_t{1} << 50;
  while (counts.false_positives != 0 && counts.num_queries < kMost && !is_enough()) {
    counts.num_queries += counts.num_queries / 16 + 1;
    counts.false_positives = static_cast<uint64_t>(rate * static_cast<double>(counts.num_queries));
  }
  if (counts.false_positives == 0 || counts.num_queries >= kMost) {
    snprintf(result->sentence, sizeof(result->sentence),
             "%s of the absent keys answered \"maybe\", so there is no rate for a baseline: ask more of them",
             counts.false_positives == 0 ? "none" : "too few");
    return;
  }
  result->num_queries_needed = counts.num_queries;
  snprintf(result->sentence, sizeof(result->sentence),
           "%llu false positives are too few for a baseline, which is not written: ask about %llu absent keys",
           static_cast<unsigned long long>(result->counts.false_positives),
           static_cast<unsigned long long>(counts.num_queries));
}

bool FprGuard::AddToBaseline(const FprCounts& counts) {
  std::string error;
  const BaselineRow row = {
      name_, counts.num_members, 0, {counts.num_queries, counts.false_positives, counts.bits_per_key}};
  if (baseline_.Add(row, &error)) return true;
  Fail("fpr: --baseline %s %s", options_.baseline.c_str(), error.c_str());
  return false;
}

bool FprGuard::LeaveJunit(JunitCase test_case) const {
  if (options_.junit.empty()) return true;
  test_case.name = name_;
  test_case.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const Status status = WriteJunit(options_.junit, test_case);
  if (!status.ok()) Fail("fpr: --junit %s: %s", options_.junit.c_str(), status.message());
  return status.ok();
}

bool FprGuard::LeaveJunit(const FprResult& result, const std::string& output) const {
  JunitCase test_case;
  test_case.outcome = result.verdict == FprVerdict::kWithin  ? JunitCase::Outcome::kPassed
                      : result.verdict == FprVerdict::kAbove ? JunitCase::Outcome::kFailure
                                                             : JunitCase::Outcome::kError;
  test_case.type = NameOf(result.verdict);
  test_case.message = result.sentence;
  test_case.output = output;
  return LeaveJunit(test_case);
}

int FprGuard::End(const Guarded& found, Report report) {
  const FprResult result = Judge(found);
  const bool is_new = !options_.baseline.empty() && before_ == nullptr && result.ok();
  bool is_kept = !is_new || AddToBaseline(found.counts);
  if (options_.has_limit()) {
    if (result.limit > 0 && result.limit < kAnyRate) report.Rate("limit", result.limit);
    report.Real("resolution", options_.resolution);
    if (!options_.baseline.empty()) {
      report.Text("baseline", is_new && is_kept ? "new" : before_ == nullptr ? "not written" : "compared");
    }
    report.Text("verdict", NameOf(result.verdict));
    if (result.num_queries_needed != 0) report.Count("num_queries_needed", result.num_queries_needed);
    if (options_.json) report.Text("sentence", result.sentence);
  }
  ReportKeys("lost", "lost_key", found.lost, &report);
  ReportKeys("absent_members", "absent_member", found.absent_members, &report);
  is_kept = LeaveJunit(result, TextOf(report, false)) && is_kept;
  fputs(TextOf(report, options_.json).c_str(), options_.junit.empty() ? stdout : ReportStream(options_.junit));
  if (!result.ok()) {
    fflush(stdout);  // before what standard error says of it
    Fail("fpr: %s: %s: %s", name_.c_str(), NameOf(result.verdict), result.sentence);
  }
  return is_kept || result.verdict == FprVerdict::kAbove ? static_cast<int>(result.verdict) : kExitBad;
}

int FprGuard::EndRefused(const std::string& reason) {
  Fail("fpr: %s", reason.c_str());
  return EndBroken(reason);
}

int FprGuard::EndBroken(const std::string& reason) {
  JunitCase test_case;
  test_case.outcome = JunitCase::Outcome::kError;
  test_case.type = "broken";
  test_case.message = reason;
  LeaveJunit(test_case);
  return kExitBad;
}

}  // namespace linefilter::tools
