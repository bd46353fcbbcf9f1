// linefilter info shows all that an image tells about itself.
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Info {
  std::string image;
  SecretOption secret;
  bool json = false;
};

// Adds what the last bytes of a file that cannot be opened say (doc/FORMAT.md section 2). It is a hint, because they
// are not to be trusted, unless only the secret was missing.
void AddRawTrailer(const std::string& path, bool trusted, Report* report) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  report->Count("image_bytes", static_cast<uint64_t>(info.st_size));
  std::ifstream file(path, std::ios::binary);
  const int size = trusted ? 16 : 8;  // with the seed field: in a keyed image, the check of its secret
  unsigned char last[16];
  if (info.st_size < size || !file.seekg(info.st_size - size)) return;
  if (!file.read(reinterpret_cast<char*>(last), size)) return;
  const unsigned char* const trailer = last + size - 8;
  char hex[17];
  for (int i = 0; i < 8; ++i) snprintf(hex + 2 * i, 3, "%02x", trailer[i]);
  report->Text("last_8_bytes", hex);
  if ((trailer[7] & 0xf0) != 0xa0) return;
  report->Count(trusted ? "format_version" : "claimed_format_version", trailer[7] & 0x0f);
  report->Text(trusted ? "layout" : "claimed_layout", LayoutName(static_cast<Layout>(trailer[4])));
  report->Count(trusted ? "num_probes" : "claimed_num_probes", trailer[5]);
  report->Text(trusted ? "hash" : "claimed_hash", HashIdName(static_cast<HashId>(trailer[6] & 0x0f)));
  uint64_t check = 0;
  for (int i = 7; i >= 0; --i) check = check << 8 | last[i];
  if (trusted) report->Text("secret_check", SecretCheckText(check));
}

int ReportBroken(const Info& info, const Status& status) {
  Report report;
  report.Text("image", info.image);
  report.Text("state", "broken");
  report.Text("reason", status.message());
  AddRawTrailer(info.image, false, &report);
  report.Print(info.json);
  return FailImage(info.image, status);
}

// Tells of an image of a keyed hash whose secret was not given: its trailer, and whether it is undamaged.
int ReportWithoutSecret(const Info& info, const Status& status) {
  const Status verified = VerifyFile(info.image);
  const Status& worst = verified.ok() ? status : verified;
  Report report;
  report.Text("image", info.image);
  report.Text("state", verified.ok() ? SecretState(info.secret.OrNull()) : ChecksumState(verified));
  report.Text("reason", worst.message());
  AddRawTrailer(info.image, true, &report);
  report.Text("checksum", ChecksumState(verified));
  report.Print(info.json);
  return FailImage(info.image, worst);
}

// Adds the histogram of the blocks' levels, where they have one.
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
  const Status opened = MapImage(info.image, MapAdvice::kWillNeed, info.secret.OrNull(), &file);
  if (opened.code() == StatusCode::kInvalidArgument) return FailImage(info.image, opened);
  if (opened.code() == StatusCode::kIncompatible) return ReportWithoutSecret(info, opened);
  if (!opened.ok()) return ReportBroken(info, opened);
  const FilterView& view = file.view();
  const Status verified = VerifyBody(view);
  const double estimated_keys = view.EstimatedKeys();
  Report report;
  report.Text("image", info.image);
  report.Text("state", view.empty_set() ? "empty set" : ChecksumState(verified));
  report.Count("format_version", view.format_version());
  report.Text("layout", LayoutName(view.layout()));
  ReportHash(view.hash_id(), view.seed(), &report);
  report.Count("num_probes", view.num_probes());
  if (view.num_blocks() != 0) report.Count("num_blocks", view.num_blocks());
  report.Count("body_bytes", view.body_bytes());
  report.Count("image_bytes", view.image_bytes());
  if (view.has_num_keys()) report.Count("num_keys", view.num_keys());
  report.Number("estimated_keys", estimated_keys);
  const double keys = view.has_num_keys() ? static_cast<double>(view.num_keys()) : estimated_keys;
  report.Real("bits_per_key", keys > 0 ? 8 * static_cast<double>(view.body_bytes()) / keys : 0);
  report.Rate("fill_ratio", view.FillRatio());
  report.Rate("expected_fpr", view.ExpectedFpr());
  report.Text("checksum", verified.ok() ? "ok" : "damaged");
  if (!verified.ok()) report.Text("reason", verified.message());
  report.Text("target", view.target());
  AddLevels(view, &report);
  ReportStages(view, &report);
  report.Print(info.json);
  return verified.ok() ? kExitGood : FailImage(info.image, verified);
}

std::function<int()> Declare(Arguments& arguments) {
  auto info = std::make_shared<Info>();
  arguments.Path("IMAGE", &info->image, "The image", Need::kRequired);
  arguments.Secret(&info->secret, SecretUse::kAsk);
  arguments.Json(&info->json);
  return [info] { return RunInfo(*info); };
}

}  // namespace

const Command kInfoCommand = {
    "info", "Show all that an image tells about itself",
    "Reads the whole image. expected_fpr and estimated_keys come from its bits, num_keys is what its maker counted.\n"
    "levels (layout retrieval): how many blocks have each T of doc/FORMAT.md; 8 more halve the false-positive rate.\n"
    "stages (layout container): the filters that answer as one, the oldest first; num_keys is null if not counted.\n"
    "Images of a keyed hash have a secret_check in place of a seed: the same for all that one secret made.\n"
    "Exit code: 0 good, 2 broken, damaged or without its --secret (the report says why; claimed_... fields are not to\n"
    "be trusted).",
    &Declare};

}  // namespace linefilter::tools
