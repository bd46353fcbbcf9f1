// linefilter info shows all that an image tells about itself.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Info {
  std::vector<std::string> images;
  SecretOption secret;
  double fpr = 0;
  bool json = false;
};

// Adds what the trailer of an image says that only its secret opens (doc/FORMAT.md section 2), and the check of that.
void AddTrailer(Image* image, Report* report) {
  size_t size = 0;
  const uint8_t* const bytes = image->AllBytes(&size);
  if (bytes == nullptr) return;
  report->Count("image_bytes", size);
  if (size < 16) return;
  const uint8_t* const trailer = bytes + size - 8;
  report->Count("format_version", trailer[7] & 0x0f);
  report->Text("layout", LayoutName(static_cast<Layout>(trailer[4])));
  report->Count("num_probes", trailer[5]);
  ReportRemovable(static_cast<Layout>(trailer[4]), trailer[5], report);
  uint64_t check = 0;
  for (int i = 1; i <= 8; ++i) check = check << 8 | trailer[-i];
  ReportHash(static_cast<HashId>(trailer[6] & 0x0f), check, report);
}

// Describes an image of a keyed hash whose secret was not given: its trailer, and whether it is undamaged. It returns
// what is wrong.
Status DescribeWithoutSecret(const Info& info, Image* image, const Status& status, Report* report) {
  const Status verified = image->VerifyBytes();
  const Status& worst = verified.ok() ? status : verified;
  report->Text("state", verified.ok() ? SecretState(info.secret.OrNull()) : ChecksumState(verified));
  report->Text("reason", worst.message());
  AddTrailer(image, report);
  report->Text("checksum", ChecksumState(verified));
  return worst;
}

// Returns what is wrong with the image.
Status Describe(const Info& info, Image* image, Report* report, SizeEstimate* size) {
  const FilterView& view = image->view();
  const Status verified = VerifyBody(view);
  report->Text("state", view.empty_set() ? "empty set" : ChecksumState(verified));
  report->Count("format_version", view.format_version());
  *size = ReportImage(view, report);
  if (info.fpr > 0) ReportRoom(view, info.fpr, report);
  report->Text("checksum", verified.ok() ? "ok" : "damaged");
  if (!verified.ok()) report->Text("reason", verified.message());
  report->Text("target", view.target());
  ReportStages(view, report);
  return verified;
}

int TellOf(const Info& info, const std::string& path, ReportsOfImages* reports) {
  Image image;
  Status status = image.Open(path, VerifyMode::kTrusted, MapAdvice::kWillNeed, info.secret.OrNull());
  if (status.code() == StatusCode::kInvalidArgument) return FailImage(path, status);
  Report report;
  SizeEstimate size;
  report.Text("image", path);
  if (status.code() == StatusCode::kIncompatible) {
    status = DescribeWithoutSecret(info, &image, status, &report);
  } else if (status.ok()) {
    status = Describe(info, &image, &report, &size);
  } else {
    report.Text("state", "broken");
    report.Text("reason", status.message());
  }
  reports->Add(report);
  if (!status.ok()) return FailImage(path, status);
  WarnIfOverfull(path, image.view(), size);
  return kExitGood;
}

int RunInfo(const Info& info, bool with_fpr) {
  if (with_fpr && !IsWantedFpr("info", info.fpr)) return kExitBad;
  ReportsOfImages reports(info.json, false);
  int exit_code = kExitGood;
  for (const std::string& path : info.images) exit_code = std::max(exit_code, TellOf(info, path, &reports));
  reports.Finish();
  return exit_code;
}

std::function<int()> Declare(Arguments& arguments) {
  auto info = std::make_shared<Info>();
  arguments.Paths("IMAGE", &info->images, "The images, one or more; - is standard input");
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
    "over_capacity: whether it has more keys than capacity. JSON is one object, of several images one with a list,\n"
    "images.\n"
    "Exit code: 0 good, 2 broken, damaged or without its --secret (the report says why).",
    &Declare};

}  // namespace linefilter::tools
