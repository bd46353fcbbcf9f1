// linefilter stats shows how images are filled, block by block, and how many more keys they take.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/sizing.h"
#include "tools/measure/layouts.h"
#include "tools/program/arguments.h"
#include "tools/program/block_load.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

constexpr uint64_t kLines = 10;  // lines of the distribution

struct Stats {
  std::vector<std::string> images;
  SecretOption secret;
  double fpr = 0, at_most = 0;
  bool json = false;
};

void AddLoad(const FilterView& view, Report* report) {
  const BlockLoad load = LoadOfBlocks(view);
  if (load.total == 0) return;
  const uint64_t least = load.AtRank(0), median = load.AtRank((load.total - 1) / 2), most = load.AtRank(load.total - 1);
  if (!load.of_levels) {
    report->Rate("block_fill_min", static_cast<double>(least) / load.Full());
    report->Rate("block_fill_median", static_cast<double>(median) / load.Full());
    report->Rate("block_fill_max", static_cast<double>(most) / load.Full());
  } else {
    report->Count("level_min", least);
    report->Count("level_median", median);
    report->Count("level_max", most);
  }
  std::vector<Report> rows;
  for (const LoadRange& range : RangesOf(load, kLines)) {
    rows.emplace_back();
    rows.back().Count(load.of_levels ? "level_from" : "one_bits_from", range.first);
    rows.back().Count(load.of_levels ? "level_to" : "one_bits_to", range.last);
    rows.back().Count("num_blocks", range.num_blocks);
    rows.back().Rate("share", static_cast<double>(range.num_blocks) / static_cast<double>(load.total));
  }
  report->Table("block_load", std::move(rows));
}

// What removals left behind: how many bits shorter entries are than those of a new filter of the same keys, and whether
// one pays. It does if it takes more than a turnover of its keys until it is as bad.
void AddDrift(const FilterView& view, const SizeEstimate& size, Report* report) {
  const LayoutFacts facts = FactsOf(view.layout(), view.num_probes());
  if (!facts.gives_back || !(size.keys >= 1) || !std::isfinite(size.keys)) return;
  const uint64_t keys = static_cast<uint64_t>(size.keys + 0.5);
  const double fpr = view.ExpectedFpr();
  const double rebuilt = ExpectedFpr(view.layout(), keys, view.body_bytes(), view.num_probes());
  report->Rate("rebuilt_fpr", rebuilt);
  report->Real("length_lost", std::max(0.0, std::log2(fpr / rebuilt)));
  report->Bool("rebuild_pays", fpr > ExpectedFprAfter(1, view.layout(), keys, view.body_bytes(), view.num_probes()));
}

// Describes an image. A secret is given to the images that ask for one, so that a list may be mixed.
Status Describe(const Stats& stats, const std::string& path, Report* report, Image* image, SizeEstimate* size) {
  report->Text("image", path);
  Status status = image->Open(path, VerifyMode::kTrusted, MapAdvice::kWillNeed, nullptr);
  if (status.code() == StatusCode::kIncompatible) {
    status = image->Open(path, VerifyMode::kTrusted, MapAdvice::kWillNeed, stats.secret.OrNull());
  }
  const FilterView& view = image->view();
  if (status.ok()) status = VerifyBody(view);
  if (!status.ok()) {  // the numbers of a damaged body would mislead
    report->Text("state", status.code() == StatusCode::kIncompatible ? SecretState(stats.secret.OrNull())
                          : status.code() == StatusCode::kCorrupt    ? "damaged"
                                                                     : "unknown");
    report->Text("reason", status.message());
    return status;
  }
  report->Text("state", view.empty_set() ? "empty set" : "ok");
  *size = ReportImage(view, report);
  if (view.num_keys() != 0) report->Real("size_per_num_keys", size->keys / static_cast<double>(view.num_keys()));
  if (stats.fpr > 0) ReportRoom(view, stats.fpr, report);
  AddDrift(view, *size, report);
  ReportStages(view, report);
  AddLoad(view, report);
  return status;
}

// Whether an image passes --at-most; it is false after saying why it does not.
bool IsBelow(const Stats& stats, const std::string& path, const FilterView& view, const SizeEstimate& size) {
  if (stats.at_most == 0) return true;
  const double rate = view.ExpectedFpr();
  if (rate > stats.at_most) {
    Fail("stats: %s has an expected false-positive rate of %.3g, above --at-most %g: make another one, larger",
         path.c_str(), rate, stats.at_most);
    return false;
  }
  return !IsOverCapacity(view, size);  // a warning tells of it
}

int TellOf(const Stats& stats, const std::string& path, ReportsOfImages* reports) {
  Report report;
  Image image;
  SizeEstimate size;
  const Status status = Describe(stats, path, &report, &image, &size);
  reports->Add(report);
  if (!status.ok()) return FailImage(path, status);
  WarnIfOverfull(path, image.view(), size);
  return IsBelow(stats, path, image.view(), size) ? kExitGood : kExitNegative;
}

int RunStats(const Stats& stats, bool with_fpr, bool with_most) {
  if (with_fpr && !IsWantedFpr("stats", stats.fpr)) return kExitBad;
  if (with_most && !(stats.at_most > 0 && stats.at_most < 1)) {
    return Fail("stats: --at-most %g is no rate: give one above 0 and below 1, like 0.01 or 1%%", stats.at_most);
  }
  ReportsOfImages reports(stats.json, true);
  int exit_code = kExitGood;
  for (const std::string& path : stats.images) exit_code = std::max(exit_code, TellOf(stats, path, &reports));
  reports.Finish();
  return exit_code;
}

std::function<int()> Declare(Arguments& arguments) {
  auto stats = std::make_shared<Stats>();
  arguments.Paths("IMAGE", &stats->images, "The images, one or more; - is standard input");
  arguments.Rate("--fpr", &stats->fpr, "Tell how many more keys fit below this false-positive rate, like 0.01");
  arguments.Rate("--at-most", &stats->at_most, "Exit with 1 if a rate is above P, or an image holds too many keys");
  arguments.Secret(&stats->secret, SecretUse::kAsk);
  arguments.Json(&stats->json);
  return [stats, &arguments] { return RunStats(*stats, arguments.Given("--fpr"), arguments.Given("--at-most")); };
}

}  // namespace

const Command kStatsCommand = {
    "stats", "Show how images are filled, block by block, and how many more keys they take",
    "Reads the whole of each image. num_keys is what it was sized for, as its maker says. capacity is the same, and\n"
    "is also told of an image that grows. approximate_size is what its bits say of different keys, size_error the\n"
    "standard error of that. An approximate_size far below num_keys means that fewer keys came, or that keys came\n"
    "again. A warning tells of an image with more keys than it was made for.\n"
    "expected_fpr is that of these very bits. --fpr P: keys_at_fpr is the most that a filter of this size and these\n"
    "probes holds at P, and room_for is what is left of that. An image of `retrieval` has no room, for it takes no\n"
    "key once it is made. The room of a `container` is that of its newest stage, the last row of stages.\n"
    "fill_ratio and block_fill are the share of bits that are 1, of all and of a block. block_load: how many of\n"
    "the 64-byte blocks have so many of their 512 bits set (`split_block`: 32 bytes, 256 bits). Blocks of\n"
    "`retrieval` and `quotient` are told by their levels (level_min, ...; 8 more halve the false-positive rate).\n"
    "`classic` has no blocks.\n"
    "`quotient` with removable keys: rebuilt_fpr is the rate of a new filter of the same keys and size, length_lost\n"
    "how many bits shorter the entries are than there, on average. rebuild_pays if the rate is above that of a new\n"
    "one after a turnover of its keys.\n"
    "With --json always one object with a list, images.\n"
    "--at-most P is for scripts: the exit code is 1 if an image's expected_fpr is above P, or if its over_capacity is\n"
    "true (more keys than it was made for, beyond four standard errors). Standard error says which.\n"
    "Exit code: 0 good, 1 an image fails --at-most, 2 bad usage, or one of the images is broken, damaged or without\n"
    "its --secret: the others are told all the same.",
    &Declare};

}  // namespace linefilter::tools
