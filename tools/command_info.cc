// linefilter info: all that an image tells about itself.
#include <sys/stat.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/images.h"
#include "tools/report.h"

namespace linefilter::tools {
namespace {

struct Info {
  std::string image;
  SecretOption secret;
  bool json = false;
};

// What the last 8 bytes of a file that cannot be opened say (doc/FORMAT.md section 2): a hint, since they are
// not to be trusted.
void AddRawTrailer(const std::string& path, Report* report) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  report->Count("image_bytes", static_cast<uint64_t>(info.st_size));
  std::ifstream file(path, std::ios::binary);
  unsigned char trailer[8];
  if (info.st_size < 8 || !file.seekg(info.st_size - 8) || !file.read(reinterpret_cast<char*>(trailer), 8)) return;
  char hex[17];
  for (int i = 0; i < 8; ++i) snprintf(hex + 2 * i, 3, "%02x", trailer[i]);
  report->Text("last_8_bytes", hex);
  if ((trailer[7] & 0xf0) != 0xa0) return;
  report->Count("claimed_format_version", trailer[7] & 0x0f);
  report->Text("claimed_layout", LayoutName(static_cast<Layout>(trailer[4])));
  report->Count("claimed_num_probes", trailer[5]);
  report->Text("claimed_hash", HashIdName(static_cast<HashId>(trailer[6] & 0x0f)));
}

int ReportBroken(const Info& info, const Status& status) {
  Report report;
  report.Text("image", info.image);
  report.Text("state", status.code() == StatusCode::kIncompatible ? "closed" : "broken");
  report.Text("reason", status.message());
  AddRawTrailer(info.image, &report);
  report.Print(info.json);
  return FailImage(info.image, status);
}

// The histogram of the blocks' levels, where they have one.
void AddLevels(const FilterView& view, Report* report) {
  std::vector<uint64_t> counts(FilterBase::kMaxLevels);
  counts.resize(view.CountLevels(counts.data()));
  std::vector<Report> rows;
  for (size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] == 0) continue;
    rows.emplace_back();
    rows.back().Count("level", level);
    rows.back().Count("num_blocks", counts[level]);
    rows.back().Rate("share", static_cast<double>(counts[level]) / static_cast<double>(view.num_blocks()));
  }
  if (!rows.empty()) report->Table("levels", std::move(rows));
}

int RunInfo(const Info& info) {
  FilterFile file;
  const Status opened = file.Map(info.image.c_str(), MapAdvice::kWillNeed, info.secret.OrNull());
  if (!opened.ok()) return ReportBroken(info, opened);
  const FilterView& view = file.view();
  const Status verified = VerifyBody(view);
  const double estimated_keys = view.EstimatedKeys();
  Report report;
  report.Text("image", info.image);
  report.Text("state", view.empty_set() ? "empty set" : ChecksumState(verified));
  report.Count("format_version", view.format_version());
  report.Text("layout", LayoutName(view.layout()));
  report.Text("hash", HashIdName(view.hash_id()));
  report.Count("seed", view.seed());
  report.Count("num_probes", view.num_probes());
  if (view.num_blocks() != 0) report.Count("num_blocks", view.num_blocks());
  report.Count("body_bytes", view.body_bytes());
  report.Count("image_bytes", view.image_bytes());
  if (view.has_num_keys()) report.Count("num_keys", view.num_keys());
  if (std::isfinite(estimated_keys)) {
    report.Count("estimated_keys", static_cast<uint64_t>(std::llround(estimated_keys)));
  } else {
    report.Real("estimated_keys", estimated_keys);
  }
  const double keys = view.has_num_keys() ? static_cast<double>(view.num_keys()) : estimated_keys;
  report.Real("bits_per_key", keys > 0 ? 8 * static_cast<double>(view.body_bytes()) / keys : 0);
  report.Rate("fill_ratio", view.FillRatio());
  report.Rate("expected_fpr", view.ExpectedFpr());
  report.Text("checksum", verified.ok() ? "ok" : "damaged");
  if (!verified.ok()) report.Text("reason", verified.message());
  report.Text("target", view.target());
  AddLevels(view, &report);
  report.Print(info.json);
  return verified.ok() ? kExitGood : FailImage(info.image, verified);
}

std::function<int()> Declare(Arguments& arguments) {
  auto info = std::make_shared<Info>();
  arguments.Path("IMAGE", &info->image, "The image", Need::kRequired);
  arguments.Secret(&info->secret);
  arguments.Json(&info->json);
  return [info] { return RunInfo(*info); };
}

}  // namespace

const Command kInfoCommand = {
    "info", "Show all that an image tells about itself",
    "Reads the whole image. expected_fpr and estimated_keys come from its bits, num_keys is what its maker counted.\n"
    "levels (layout retrieval): how many blocks have each T of doc/FORMAT.md; 8 more halve the false-positive rate.\n"
    "Exit code: 0 good, 2 broken, damaged or closed without its --secret (the report says why; claimed_... fields are not to be trusted).",
    &Declare};

}  // namespace linefilter::tools
