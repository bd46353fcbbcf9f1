// linefilter fpr measures a false-positive rate, compares it with the expected one, and holds it to a limit.
#include <memory>
#include <string>

#include "tools/measure/key_families.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/fpr_fresh.h"
#include "tools/program/fpr_guard.h"
#include "tools/program/fpr_image.h"
#include "tools/program/fpr_request.h"

namespace linefilter::tools {
namespace {

struct Fpr {
  FprRequest fresh;
  FprOfImage of_image;
  GuardOptions guard;
};

std::function<int()> Declare(Arguments& arguments) {
  auto fpr = std::make_shared<Fpr>();
  DeclareFprOfFresh(&arguments, &fpr->fresh);
  DeclareFprOfImage(&arguments, &fpr->of_image);
  DeclareGuard(&arguments, &fpr->guard);
  return [fpr, &arguments] {
    fpr->guard.has_at_most = arguments.Given("--at-most");
    for (const char* const option : {"--resolution", "--name", "--junit"}) {
      if (arguments.Given(option)) fpr->guard.needs_limit = option;
    }
    if (!fpr->of_image.image.empty()) return RunFprOfImage(fpr->of_image, fpr->guard);
    fpr->fresh.family = FindKeyFamily(fpr->fresh.keys);
    fpr->fresh.precision_given = arguments.Given("--precision");
    fpr->fresh.confidence = fpr->guard.confidence;
    return RunFprOfFresh(fpr->fresh, fpr->guard);
  };
}

const char* Notes() {
  static const std::string* const notes = [] {
    auto* text = new std::string(
        "expected_fpr is the model's mean over all sets of num_keys keys, expected_fpr_of_bits that of the very bits "
        "measured;\n"
        "they differ where the filter is small. (With --filter, expected_fpr is that of the bits.)\n"
        "fpr_low to fpr_high is the Clopper-Pearson interval of the measured rate, of all seeds together;\n"
        "precision is half its width as a share of the rate; where it is more than precision_asked, "
        "num_queries_needed\n"
        "would suffice.\n"
        "A billion keys (1.25 GB, about a minute): linefilter fpr --num-keys 1e9 --bits-per-key 10 --num-queries 1e9\n"
        "(a layout that takes no key once it is made needs 8 bytes per key more)\n"
        "A limit (--at-most, --expected, --baseline) makes the exit code a verdict, for scripts and CI:\n"
        "  1 above: a member is lost (the first ten are named), or fpr_low is above the limit;\n"
        "  2 undecided: absent keys are members (named), or num_queries_needed absent keys are needed to decide;\n"
        "  0 within: fpr_high is at most R times the limit.\n"
        "--filter IMAGE --members FILE --absent FILE asks an image for keys of yours. --u64, --field and so on tell "
        "how\n"
        "both files are written. An absent key that is repeated counts once (num_repeats). Memory: 8 bytes per absent\n"
        "key, 24 more for each that answers maybe. bits_per_key counts the keys of --members. position is the place "
        "in\n"
        "the file, from 0.\n"
        "--baseline FILE has one line of JSON per filter, to be committed. A filter with a line is compared with it: "
        "the\n"
        "rate, and bits_per_key, which may be 1 % more. A new filter gets a line if enough absent keys were asked. To\n"
        "accept new figures, remove the old line.\n"
        "Keys:\n");
    for (const KeyFamily& family : KeyFamilies())
      *text += std::string("  ") + family.name + ": " + family.description + "\n";
    *text +=
        "Exit code: 0 within the limit, or there is none; 1 above it, or members are lost; 2 undecided, or bad usage, "
        "bad\n"
        "image or bad keys: then there is no verdict.";
    return text;
  }();
  return notes->c_str();
}

}  // namespace

const Command kFprCommand = {"fpr", "Measure the false-positive rate, and hold it to a limit", Notes(), &Declare};

}  // namespace linefilter::tools
