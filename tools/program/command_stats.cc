// linefilter stats shows how images are filled, block by block, and how many more keys they take.
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  double fpr = 0;
  bool json = false;
};

void AddLoad(const FilterView& view, Report* report) {
  const BlockLoad load = LoadOfBlocks(view);
  if (load.total == 0) return;
  const uint64_t least = load.AtRank(0), median = load.AtRank((load.total - 1) / 2), most = load.AtRank(load.total - 1);
  const bool of_levels = load.of == BlockLoad::Of::kLevels, of_counters = load.of == BlockLoad::Of::kCounters;
  if (load.of == BlockLoad::Of::kOneBits) {
    report->Rate("block_fill_min", static_cast<double>(least) / load.Full());
    report->Rate("block_fill_median", static_cast<double>(median) / load.Full());
    report->Rate("block_fill_max", static_cast<double>(most) / load.Full());
  } else {
    report->Count(of_levels ? "level_min" : "counters_min", least);
    report->Count(of_levels ? "level_median" : "counters_median", median);
    report->Count(of_levels ? "level_max" : "counters_max", most);
  }
  std::vector<Report> rows;
  for (const LoadRange& range : RangesOf(load, kLines)) {
    rows.emplace_back();
    rows.back().Count(of_levels ? "level_from" : of_counters ? "counters_from" : "one_bits_from", range.first);
    rows.back().Count(of_levels ? "level_to" : of_counters ? "counters_to" : "one_bits_to", range.last);
    rows.back().Count("num_blocks", range.num_blocks);
    rows.back().Rate("share", static_cast<double>(range.num_blocks) / static_cast<double>(load.total));
  }
  report->Table("block_load", std::move(rows));
}

// Describes the file. A secret is given to the images that ask for one, so that a list may be mixed.
Status Describe(const Stats& stats, const std::string& path, Report* report, FilterFile* file, SizeEstimate* size) {
  report->Text("image", path);
  Status status = file->Map(path.c_str(), VerifyMode::kTrusted);
  if (status.code() == StatusCode::kIncompatible) {
    status = MapImage(path, VerifyMode::kTrusted, MapAdvice::kWillNeed, stats.secret.OrNull(), file);
  }
  const FilterView& view = file->view();
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
  ReportStages(view, report);
  AddLoad(view, report);
  return status;
}

int RunStats(const Stats& stats, bool with_fpr) {
  if (with_fpr && !IsWantedFpr("stats", stats.fpr)) return kExitBad;
  int exit_code = kExitGood;
  std::vector<Report> reports;
  for (const std::string& path : stats.images) {
    reports.emplace_back();
    FilterFile file;
    SizeEstimate size;
    const Status status = Describe(stats, path, &reports.back(), &file, &size);
    if (!stats.json) {
      if (reports.size() > 1) printf("\n");
      reports.back().Print(false);
      fflush(stdout);  // before what standard error says of it
    }
    if (!status.ok()) exit_code = FailImage(path, status);
    WarnIfOverfull(path, file.view(), size);
  }
  Report all;
  all.Table("images", std::move(reports));
  if (stats.json) all.Print(true);
  return exit_code;
}

std::function<int()> Declare(Arguments& arguments) {
  auto stats = std::make_shared<Stats>();
  arguments.Paths("IMAGE", &stats->images, "The images, one or more");
  arguments.Rate("--fpr", &stats->fpr, "Tell how many more keys fit below this false-positive rate, like 0.01");
  arguments.Secret(&stats->secret, SecretUse::kAsk);
  arguments.Json(&stats->json);
  return [stats, &arguments] { return RunStats(*stats, arguments.Given("--fpr")); };
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
    "the 64-byte blocks have so many of their 512 bits set. Blocks of `counting` are told by how many of their 128\n"
    "counters are above 0 (counters_min, ...), those of `retrieval` by their levels (level_min, ...; 8 more halve the\n"
    "false-positive rate). `classic` has no blocks.\n"
    "With --json always one object with a list, images.\n"
    "Exit code: 0 good, 2 bad usage, or one of the images is broken, damaged or without its --secret: the others are\n"
    "told all the same.",
    &Declare};

}  // namespace linefilter::tools
