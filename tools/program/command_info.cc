// linefilter info shows all that an image tells about itself.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Info {
  std::string image;
  SecretOption secret;
  double fpr = 0;
  bool json = false;
};

// Adds what the trailer of an image says that only its secret opens (doc/FORMAT.md section 2), and the check of that.
void AddTrailer(const std::string& path, Report* report) {
  report->Count("image_bytes", std::filesystem::file_size(path));
  std::ifstream file(path, std::ios::binary);
  unsigned char last[16];
  if (!file.seekg(-16, std::ios::end) || !file.read(reinterpret_cast<char*>(last), sizeof(last))) return;
  const unsigned char* const trailer = last + 8;
  report->Count("format_version", trailer[7] & 0x0f);
  report->Text("layout", LayoutName(static_cast<Layout>(trailer[4])));
  report->Count("num_probes", trailer[5]);
  uint64_t check = 0;
  for (int i = 7; i >= 0; --i) check = check << 8 | last[i];
  ReportHash(static_cast<HashId>(trailer[6] & 0x0f), check, report);
}

int ReportBroken(const Info& info, const Status& status) {
  Report report;
  report.Text("image", info.image);
  report.Text("state", "broken");
  report.Text("reason", status.message());
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
  AddTrailer(info.image, &report);
  report.Text("checksum", ChecksumState(verified));
  report.Print(info.json);
  return FailImage(info.image, worst);
}

int RunInfo(const Info& info, bool with_fpr) {
  if (with_fpr && !IsWantedFpr("info", info.fpr)) return kExitBad;
  FilterFile file;
  const Status opened = MapImage(info.image, VerifyMode::kTrusted, MapAdvice::kWillNeed, info.secret.OrNull(), &file);
  if (opened.code() == StatusCode::kInvalidArgument) return FailImage(info.image, opened);
  if (opened.code() == StatusCode::kIncompatible) return ReportWithoutSecret(info, opened);
  if (!opened.ok()) return ReportBroken(info, opened);
  const FilterView& view = file.view();
  const Status verified = VerifyBody(view);
  Report report;
  report.Text("image", info.image);
  report.Text("state", view.empty_set() ? "empty set" : ChecksumState(verified));
  report.Count("format_version", view.format_version());
  const SizeEstimate size = ReportImage(view, &report);
  if (info.fpr > 0) ReportRoom(view, info.fpr, &report);
  report.Text("checksum", verified.ok() ? "ok" : "damaged");
  if (!verified.ok()) report.Text("reason", verified.message());
  report.Text("target", view.target());
  ReportStages(view, &report);
  report.Print(info.json);
  if (!verified.ok()) return FailImage(info.image, verified);
  WarnIfOverfull(info.image, view, size);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto info = std::make_shared<Info>();
  arguments.Path("IMAGE", &info->image, "The image", Need::kRequired);
  arguments.Rate("--fpr", &info->fpr, "Tell how many more keys fit below this false-positive rate, like 0.01");
  arguments.Secret(&info->secret, SecretUse::kAsk);
  arguments.Json(&info->json);
  return [info, &arguments] { return RunInfo(*info, arguments.Given("--fpr")); };
}

}  // namespace

const Command kInfoCommand = {
    "info", "Show all that an image tells about itself",
    "Reads the whole image. expected_fpr and approximate_size come from its bits, size_error is the standard error of\n"
    "that. num_keys is what it was sized for, as its maker says. capacity is the same, and is also told of an image\n"
    "that grows. A warning tells of an image with more keys. --fpr P: room_for tells how many more it takes until its\n"
    "rate is P.\n"
    "stages (layout container): the filters that answer as one, the oldest first; num_keys is null if not counted.\n"
    "Images of a keyed hash have a secret_check in place of a seed: the same for all that one secret made.\n"
    "Exit code: 0 good, 2 broken, damaged or without its --secret (the report says why).",
    &Declare};

}  // namespace linefilter::tools
