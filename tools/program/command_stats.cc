// linefilter stats shows how images are filled, block by block, and how many more keys they take.
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
  double fpr = 0;
  bool json = false;
};

// Finds the most keys for which this very body, with its number of probes, is expected to stay at or below `fpr`.
// (MaxKeysForFpr is free to choose another number of probes.)
uint64_t KeysAtFpr(Layout layout, uint64_t body_bytes, uint32_t num_probes, double fpr) {
  uint64_t good = 0, bad = 8 * body_bytes + 1;  // beyond kMinBitsPerKey no filter is of use
  while (body_bytes != 0 && bad - good > 1) {
    const uint64_t middle = good + (bad - good) / 2;
    const bool fits = ExpectedFpr(layout, middle, body_bytes, num_probes) <= fpr;
    (fits ? good : bad) = middle;
  }
  return good;
}

// `keys` are those in the filter, or in the newest of its stages, which alone takes more.
struct Room {
  double keys, keys_at_fpr;
};

// The newest stage has what the older ones leave of the rate.
Room RoomOfNewest(const FilterView& view, double fpr) {
  double none = 1;  // the share of absent keys for which all older stages say so
  const uint32_t last = view.num_stages() - 1;
  for (uint32_t i = 0; i < last; ++i) none *= 1 - view.stage(i).ExpectedFpr();
  const StageInfo newest = view.stage(last);
  const double rest = none > 1 - fpr ? 1 - (1 - fpr) / none : 0;
  const uint64_t most = rest > 0 ? KeysAtFpr(newest.layout, 64 * newest.num_blocks, newest.num_probes, rest) : 0;
  return {newest.num_keys == 0 ? NAN : static_cast<double>(newest.num_keys), static_cast<double>(most)};
}

void AddRoom(const FilterView& view, double fpr, double keys, Report* report) {
  Room room = {keys, 0};
  if (view.num_stages() != 0) {
    room = RoomOfNewest(view, fpr);
  } else {
    room.keys_at_fpr = static_cast<double>(KeysAtFpr(view.layout(), view.body_bytes(), view.num_probes(), fpr));
  }
  report->Rate("wanted_fpr", fpr);
  const double more = room.keys_at_fpr - room.keys;
  if (view.num_stages() == 0) report->Count("keys_at_fpr", static_cast<uint64_t>(room.keys_at_fpr));
  report->Number("more_keys", IsBuiltAtOnce(view.layout()) || std::isinf(keys) || more < 0 ? 0 : std::floor(more));
}

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
Status Describe(const Stats& stats, const std::string& path, Report* report) {
  FilterFile file;
  report->Text("image", path);
  Status status = file.Map(path.c_str(), MapAdvice::kWillNeed);
  if (status.code() == StatusCode::kIncompatible) {
    status = MapImage(path, MapAdvice::kWillNeed, stats.secret.OrNull(), &file);
  }
  const FilterView& view = file.view();
  if (status.ok()) status = VerifyBody(view);
  if (!status.ok()) {  // the numbers of a damaged body would mislead
    report->Text("state", status.code() == StatusCode::kIncompatible ? SecretState(stats.secret.OrNull())
                          : status.code() == StatusCode::kCorrupt    ? "damaged"
                                                                     : "unknown");
    report->Text("reason", status.message());
    return status;
  }
  report->Text("state", view.empty_set() ? "empty set" : "ok");
  ReportImage(view, report);
  const double estimated = view.EstimatedKeys(), counted = static_cast<double>(view.num_keys());
  if (counted > 0) report->Real("estimated_per_num_keys", estimated / counted);
  if (stats.fpr > 0) AddRoom(view, stats.fpr, estimated, report);  // counts different keys
  ReportStages(view, report);
  AddLoad(view, report);
  return status;
}

int RunStats(const Stats& stats, bool with_fpr) {
  if (with_fpr && !(stats.fpr > 0 && stats.fpr < 1)) {
    return Fail("stats: --fpr %g is no rate: give one above 0 and below 1, like 0.01", stats.fpr);
  }
  int exit_code = kExitGood;
  std::vector<Report> reports;
  for (const std::string& path : stats.images) {
    reports.emplace_back();
    const Status status = Describe(stats, path, &reports.back());
    if (!stats.json) {
      if (reports.size() > 1) printf("\n");
      reports.back().Print(false);
      fflush(stdout);  // before what standard error says of it
    }
    if (!status.ok()) exit_code = FailImage(path, status);
  }
  Report all;
  all.Table("images", std::move(reports));
  if (stats.json) all.Print(true);
  return exit_code;
}

std::function<int()> Declare(Arguments& arguments) {
  auto stats = std::make_shared<Stats>();
  arguments.Paths("IMAGE", &stats->images, "The images, one or more");
  arguments.Real("--fpr", &stats->fpr, "P", "Tell how many more keys fit below this false-positive rate, like 0.01");
  arguments.Secret(&stats->secret, SecretUse::kAsk);
  arguments.Json(&stats->json);
  return [stats, &arguments] { return RunStats(*stats, arguments.Given("--fpr")); };
}

}  // namespace

const Command kStatsCommand = {
    "stats", "Show how images are filled, block by block, and how many more keys they take",
    "Reads the whole of each image. num_keys is what it was sized for, estimated_keys what its bits say of\n"
    "different keys: far fewer estimated means that fewer came, or that keys came again.\n"
    "expected_fpr is that of these very bits. --fpr P: keys_at_fpr is the most that a filter of this size and these\n"
    "probes holds at P, more_keys what is left of that (of `retrieval` 0: it takes none once it is made; of a\n"
    "`container` in its newest stage, the last row of stages).\n"
    "fill_ratio and block_fill are the share of bits that are 1, of all and of a block. block_load: how many of\n"
    "the 64-byte blocks have so many of their 512 bits set. Blocks of `counting` are told by how many of their 128\n"
    "counters are above 0 (counters_min, ...), those of `retrieval` by their levels (level_min, ...; 8 more halve the\n"
    "false-positive rate). `classic` has no blocks.\n"
    "With --json always one object with a list, images.\n"
    "Exit code: 0 good, 2 bad usage, or one of the images is broken, damaged or without its --secret: the others are\n"
    "told all the same.",
    &Declare};

}  // namespace linefilter::tools
