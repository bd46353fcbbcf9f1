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
#include "tools/program/output.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Merge {
  std::vector<std::string> images;
  std::string out;
  double at_most = 0;
  bool any_rate = false, json = false;
  SecretOption secret;
};

// The command that makes images which can be united, in place of two that cannot.
std::string HowToUnite(const FilterView& one, const FilterView& other, const std::string& path) {
  if (one.layout() == other.layout() && FactsOf(one.layout()).unites) {
    return "`linefilter build KEYS --like " + path + " --out OTHER`";
  }
  const Layout better = FactsOf(one.layout()).folds ? one.layout() : other.layout();
  return std::string("`linefilter build KEYS --layout ") + (FactsOf(better).folds ? LayoutName(better) : "blocked") +
         " ...` for both";
}

// Names the first image that does not go with the first one that has keys. Its sentence begins with the one of the two
// that was given first.
int FailMisfit(const Merge& merge, const std::vector<const FilterView*>& views, const Status& status) {
  UnionPlan plan;
  size_t model = 0;
  while (model + 1 < views.size() && views[model]->empty_set()) ++model;
  for (size_t i = 0; i < views.size(); ++i) {
    const size_t here = std::min(model, i), there = std::max(model, i);
    const FilterBase* const both[] = {views[here], views[there]};
    const Status of_both = PlanUnion(both, 2, &plan);
    if (i == model || of_both.code() != StatusCode::kIncompatible) continue;
    const std::string& like = merge.images[views[here]->empty_set() ? there : here];
    return Fail("merge: %s and %s: %s\nThis makes what can be united: %s", merge.images[here].c_str(),
                merge.images[there].c_str(), of_both.message(), HowToUnite(*views[here], *views[there], like).c_str());
  }
  return Fail("merge: %s", status.message());
}

// The images go together, but they are too full, or what they have in common is too small.
int RefuseRate(const Merge& merge, const UnionPlan& plan) {
  const double most = merge.at_most != 0 ? merge.at_most : plan.default_max_fpr;
  if (plan.body_bytes == plan.largest_body_bytes) {
    Fail(
        "merge: the union would have an expected false-positive rate of %.3g, above %.3g. Nothing is written. Build "
        "larger images, or permit the rate by --at-most P or --any-rate",
        plan.expected_fpr, most);
    return kExitNegative;
  }
  Fail(
      "merge: sizes of up to %llu bytes have no more than %llu in common, where the union would have an expected "
      "false-positive rate of %.3g, above %.3g. Nothing is written. Build images to merge of one size (--like), or "
      "permit the rate by --at-most P or --any-rate",
      static_cast<unsigned long long>(plan.largest_body_bytes), static_cast<unsigned long long>(plan.body_bytes),
      plan.expected_fpr, most);
  return kExitNegative;
}

int RunMerge(const Merge& merge, const Arguments& arguments) {
  if (arguments.Given("--at-most") && !(merge.at_most > 0 && merge.at_most <= 1)) {
    return Fail("merge: --at-most %g is no rate: choose like 0.02 for 2 %%", merge.at_most);
  }
  std::string reason;
  if (!CanCreate(merge.out, &reason)) return Fail("merge: --out %s %s", merge.out.c_str(), reason.c_str());
  std::deque<Image> files(merge.images.size());
  Image made;
  std::vector<const FilterView*> views;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!OpenImage(merge.images[i], merge.secret.OrNull(), &files[i])) return kExitBad;
    views.push_back(&files[i].view());
  }
  std::vector<Report> rows(files.size());
  for (size_t i = 0; i < files.size(); ++i) {  // before --out may replace one of them
    rows[i].Text("merged", merge.images[i]);
    rows[i].Count("body_bytes", views[i]->body_bytes());
    rows[i].Rate("expected_fpr", views[i]->ExpectedFpr());
  }
  UnionOptions options;
  options.max_fpr = merge.any_rate ? 1 : merge.at_most;
  const Status status = WriteImage(
      merge.out, "merging", 0, merge.secret.OrNull(),
      [&](const Sink& sink) { return UniteImages(views.data(), views.size(), sink, options); }, &made);
  if (status.code() == StatusCode::kIncompatible) {
    UnionPlan plan;
    const std::vector<const FilterBase*> filters(views.begin(), views.end());
    const bool fit = PlanUnion(filters.data(), filters.size(), &plan).ok();
    return fit ? RefuseRate(merge, plan) : FailMisfit(merge, views, status);
  }
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
  report.Print(merge.json, ReportStream(merge.out));
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto merge = std::make_shared<Merge>();
  arguments.Paths("IMAGE", &merge->images, "The images to unite, one or more; - is standard input");
  DeclareOut(&arguments, &merge->out, ", perhaps an IMAGE");
  arguments.Rate("--at-most", &merge->at_most, "The highest expected false-positive rate of the union");
  arguments.Flag("--any-rate", &merge->any_rate, "Write the union whatever its rate will be");
  arguments.AtMostOneOf("--at-most", "--any-rate");
  arguments.Secret(&merge->secret, SecretUse::kAsk);
  arguments.Json(&merge->json);
  return [merge, &arguments] { return RunMerge(*merge, arguments); };
}

}  // namespace

const Command kMergeCommand = {
    "merge", "Unite images, also of unequal sizes, without their keys",
    "All keys of all images. They must have the same layout (blocked, classic, split_block or quotient),\n"
    "num_probes and hash with seed or secret; classic, also the same size. Where keys can be removed, a key of two\n"
    "images is removed twice. Images of unequal sizes are folded to the greatest common divisor of their num_blocks,\n"
    "which may be one block. So a union whose rate would be above --at-most is not written. Without that, one of\n"
    "unequal sizes is not if its rate would be above twice that of the same keys in the largest size, or its share of\n"
    "\"absent\" below half of theirs.\n"
    "All images are verified first. Memory: 1 MiB.\n"
    "Exit code: 0 the image is written, 1 its rate would be too high, 2 it is not written for another reason.",
    &Declare};

}  // namespace linefilter::tools
