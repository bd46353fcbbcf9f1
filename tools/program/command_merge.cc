// linefilter merge makes the union of images, without their keys.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/fold.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Merge {
  std::vector<std::string> images;
  std::string out;
  SecretOption secret;
  bool json = false;
};

// Names the first image that does not go with the first one that has keys. Its sentence begins with the one of the two
// that was given first.
int FailMisfit(const Merge& merge, const std::vector<const FilterView*>& views, const Status& status) {
  const Sink nowhere{[](void*, const void*, size_t) noexcept { return false; }, nullptr};
  size_t model = 0;
  while (model + 1 < views.size() && views[model]->empty_set()) ++model;
  for (size_t i = 0; i < views.size(); ++i) {
    const size_t here = std::min(model, i), there = std::max(model, i);
    const FilterView* const both[] = {views[here], views[there]};
    const Status of_both = UniteImages(both, 2, nowhere);
    if (i == model || of_both.code() != StatusCode::kIncompatible) continue;
    return Fail("merge: %s and %s: %s", merge.images[here].c_str(), merge.images[there].c_str(), of_both.message());
  }
  return Fail("merge: %s", status.message());
}

int RunMerge(const Merge& merge) {
  std::string reason;
  if (!CanCreate(merge.out, &reason)) return Fail("merge: --out %s %s", merge.out.c_str(), reason.c_str());
  std::deque<FilterFile> files(merge.images.size());
  FilterFile made;
  std::vector<const FilterView*> views;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!OpenImage(merge.images[i], true, merge.secret.OrNull(), &files[i])) return kExitBad;
    views.push_back(&files[i].view());
  }
  std::vector<Report> rows(files.size());
  for (size_t i = 0; i < files.size(); ++i) {  // before --out may replace one of them
    rows[i].Text("merged", merge.images[i]);
    rows[i].Count("body_bytes", views[i]->body_bytes());
    rows[i].Rate("expected_fpr", views[i]->ExpectedFpr());
  }
  Status status = WriteFile(merge.out, "merging", 0,
                            [&](const Sink& sink) { return UniteImages(views.data(), views.size(), sink); });
  if (status.ok()) status = made.Map(merge.out.c_str(), MapAdvice::kWillNeed, merge.secret.OrNull());
  if (status.code() == StatusCode::kIncompatible) return FailMisfit(merge, views, status);
  if (!status.ok()) return Fail("merge: %s: %s", merge.out.c_str(), status.message());
  for (size_t i = 0; i < files.size(); ++i) {
    const uint64_t before = views[i]->body_bytes(), now = made.view().body_bytes();
    rows[i].Count("folded_by", before == 0 || now == 0 ? 1 : before / now);
  }
  Report report;
  report.Text("image", merge.out);
  report.Count("num_images", merge.images.size());
  ReportImage(made.view(), &report);
  report.Table("images", std::move(rows));
  report.Print(merge.json);
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto merge = std::make_shared<Merge>();
  arguments.Paths("IMAGES", &merge->images, "The images to unite");
  arguments.Path("--out", &merge->out,
                 "The image to write, perhaps one of IMAGES, which is replaced when it is complete", Need::kRequired);
  arguments.Secret(&merge->secret, SecretUse::kAsk);
  arguments.Json(&merge->json);
  return [merge] { return RunMerge(*merge); };
}

}  // namespace

const Command kMergeCommand = {
    "merge", "Unite images, also of unequal sizes, without their keys",
    "All keys of all images. They must have the same layout (blocked, counting or classic), num_probes and hash with "
    "seed\n"
    "or secret; classic, also the same size. Counters are added up. Of the others, images of unequal sizes are folded "
    "to\n"
    "the greatest common divisor of their num_blocks: large if they were folded from one size (build --foldable, "
    "fold); for\n"
    "sizes that have nothing to do with each other it may be one block, and nearly all keys answer maybe: see\n"
    "expected_fpr. All images are verified first. Memory: 1 MiB. Exit code: 0 the image is written, 2 it is not.",
    &Declare};

}  // namespace linefilter::tools
