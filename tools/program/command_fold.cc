// linefilter fold makes an image smaller without its keys.
#include <memory>
#include <string>

#include "linefilter/fold.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/output.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Fold {
  std::string image, out;
  uint64_t factor = 0, bytes = 0;
  double fpr = 0;
  SecretOption secret;
  bool json = false;
};

int RunFold(Fold fold, const Arguments& arguments) {
  const bool by = arguments.Given("--by"), to_rate = arguments.Given("--fpr"), to_size = arguments.Given("--to-bytes");
  if (by + to_rate + to_size != 1) return Fail("fold: give one of --by, --fpr and --to-bytes");
  std::string reason;
  if (!CanCreate(fold.out, &reason)) return Fail("fold: --out %s %s", fold.out.c_str(), reason.c_str());
  Image file, made;
  if (!OpenImage(fold.image, fold.secret.OrNull(), &file)) return kExitBad;
  const FilterView& view = file.view();
  Status status;
  if (to_rate) status = FoldFactorForFpr(view, fold.fpr, &fold.factor);
  if (to_size) status = FoldFactorForBytes(view, fold.bytes, &fold.factor);
  if (!status.ok()) return FailImage(fold.image, status);
  const uint64_t blocks_before = view.num_blocks();
  const double fpr_before = view.ExpectedFpr();
  status = WriteImage(
      fold.out, "folding", 0, fold.secret.OrNull(),
      [&](const Sink& sink) { return FoldImage(view, fold.factor, sink); }, &made);
  if (status.code() == StatusCode::kInvalidArgument) return FailImage(fold.image, status);
  if (!status.ok()) return Fail("fold: %s: %s", fold.out.c_str(), status.message());
  Report report;
  report.Text("image", fold.out);
  report.Text("folded_from", fold.image);
  report.Count("factor", fold.factor);
  report.Count("num_blocks_before", blocks_before);
  report.Rate("expected_fpr_before", fpr_before);
  ReportImage(made.view(), &report);
  report.Print(fold.json, ReportStream(fold.out));
  return kExitGood;
}

std::function<int()> Declare(Arguments& arguments) {
  auto fold = std::make_shared<Fold>();
  arguments.Path("IMAGE", &fold->image, "The image to fold", Need::kRequired);
  arguments.Count("--by", &fold->factor, "How many times smaller: a divisor of num_blocks");
  arguments.Rate("--fpr", &fold->fpr, "Or the least size whose expected false-positive rate is at most P");
  arguments.Count("--to-bytes", &fold->bytes, "Or the largest image of at most N bytes");
  DeclareOut(&arguments, &fold->out, ", perhaps IMAGE");
  arguments.Secret(&fold->secret, SecretUse::kAsk);
  arguments.Json(&fold->json);
  return [fold, &arguments] { return RunFold(*fold, arguments); };
}

}  // namespace

const Command kFoldCommand = {
    "fold", "Make an image smaller, by a factor, to a rate or to a size, without its keys",
    "To the byte what build makes of the same keys with that size and num_probes: no key is lost, more absent keys\n"
    "answer maybe. Of layouts blocked, split_block and quotient; build --foldable gives num_blocks many\n"
    "divisors. The image is verified first.\n"
    "expected_fpr comes from the bits, exact up to 2^20 blocks, from a sample of so many above. Memory: 1 MiB.\n"
    "Exit code: 0 the image is written, 2 it is not.",
    &Declare};

}  // namespace linefilter::tools
