// linefilter add brings keys into an image, or takes them out: loaded, changed, and replaced as a whole.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/lines.h"
#include "tools/program/living_image.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

struct Add {
  std::string image, print;
  KeysOption keys;
  SecretOption secret;
  bool remove = false, json = false;
};

struct Counts {
  uint64_t read = 0, changed = 0;  // those that were new, or that were removed
};

int FailMissing(const Add& add) {
  return Fail("add: there is no image %s: \"linefilter create %s --num-keys N --fpr P\" makes one", add.image.c_str(),
              add.image.c_str());
}

bool CanBeChanged(const Add& add) {
  std::string reason;
  if (!LivingImage::CanBeAt(add.image, &reason)) {
    Fail("add: %s %s", add.image.c_str(), reason.c_str());
  } else if (access(add.image.c_str(), F_OK) != 0) {
    FailMissing(add);
  } else if (add.keys.Has(add.image)) {
    Fail("add: %s is a file of the keys, too: give the keys in another one", add.image.c_str());
  } else {
    return true;
  }
  return false;
}

// Tells why no key can be taken out of it, if that is so.
Status GivesBack(const FilterBase& filter) {
  const LayoutFacts facts = FactsOf(filter.layout(), filter.num_probes());
  if (facts.gives_back) return Status();
  if (facts.has_stages) {
    return Status::Error(StatusCode::kIncompatible,
                         "it has several stages and gives no key back: a stage that only takes the key for a member "
                         "would lose another key. Make one for all keys (create --removable)");
  }
  if (facts.chooses_removal) {
    return Status::Error(StatusCode::kIncompatible,
                         "it was made without --removable and gives no key back: make it with that (create or build)");
  }
  return Status::Error(StatusCode::kIncompatible,
                       "layout %s gives no key back: make it with --removable (create or build)",
                       LayoutName(filter.layout()));
}

// Loads the filter; false after saying why it cannot be changed so.
bool Load(const Add& add, LivingImage* image, OwnedFilter* filter) {
  Status status = image->Lock(add.image);
  if (status.ok() && !image->exists()) {
    FailMissing(add);
    return false;
  }
  if (status.ok()) status = image->Load("add", add.keys, add.secret.OrNull(), filter);
  if (status.ok() && add.remove) status = GivesBack(**filter);
  if (!status.ok()) FailImage(add.image, status);
  return status.ok();
}

// Brings all keys into the filter, and prints those lines that are asked for. They come before the image is written: a
// process that is killed between would else have swallowed them.
Status ChangeFilter(const Add& add, KeyReader* reader, const OwnedFilter& filter, Counts* counts) {
  const bool prints = !add.print.empty();
  const uint8_t wanted = add.print == "new";
  std::vector<uint64_t> hashes(KeyReader::kBatchKeys);
  std::vector<uint8_t> answers(KeyReader::kBatchKeys);
  const KeyHash key_hash = filter->key_hash();
  if (prints) BufferLines();
  return ReadKeys(reader, add.remove ? "removing keys" : "adding keys", [&](const std::vector<std::string_view>& keys) {
    const size_t n = keys.size();
    (void)key_hash.OfKeys(keys.data(), n, hashes.data());
    counts->read += n;
    counts->changed += add.remove ? filter.plain()->RemoveHashes(hashes.data(), n, answers.data())
                                  : filter->InsertHashes(hashes.data(), n, answers.data());
    if (prints) PrintLines(*reader, add.keys, answers.data(), wanted);
    return true;
  });
}

int RunAdd(const Add& add) {
  if (!CanBeChanged(add)) return kExitBad;
  KeyReader reader;
  const Status opened = reader.Open(add.keys);
  if (!opened.ok()) return Fail("%s", opened.message());
  LivingImage image;
  OwnedFilter filter;
  if (!Load(add, &image, &filter)) return kExitBad;
  Counts counts;
  const Status read = ChangeFilter(add, &reader, filter, &counts);
  if (!read.ok()) return Fail("%s\nThe image is as it was.", read.message());
  if (!add.print.empty() && !FlushLines()) {
    return Fail("add: cannot write to standard output: %s. The image is as it was.", strerror(errno));
  }
  const Status saved = image.Save(filter);
  if (!saved.ok()) return FailImage(add.image, saved);

  const Status grown = filter.growing() != nullptr ? filter.growing()->growth_status() : Status();
  const SizeEstimate size = filter->ApproximateSize();
  if (add.print.empty()) {
    Report report;
    report.Text("image", add.image);
    report.Count("keys_read", counts.read);
    report.Count(add.remove ? "keys_removed" : "keys_new", counts.changed);
    ReportSize(filter->capacity(), size, filter->OverCapacity(), &report);
    report.Rate("expected_fpr", filter->ExpectedFpr());
    if (!grown.ok()) report.Text("growth", grown.message());
    report.Print(add.json);
    fflush(stdout);  // before what standard error says of it
  }
  if (filter->OverCapacity()) WarnOfOverfull(add.image, filter->capacity(), size);
  return grown.ok() ? kExitGood : kExitNegative;
}

std::function<int()> Declare(Arguments& arguments) {
  auto add = std::make_shared<Add>();
  arguments.Path("IMAGE", &add->image, "The image to change", Need::kRequired);
  arguments.Keys(&add->keys);
  arguments.Flag("--remove", &add->remove, "Take the keys out instead, each once; for images made with --removable");
  arguments.Choice("--print", &add->print, {"new", "known"},
                   "Print only the lines whose keys were certainly new, or were known, as they were read");
  arguments.AtMostOneOf("--print", "--json");
  arguments.AtMostOneOf("--print", "--remove");
  arguments.Secret(&add->secret, SecretUse::kAsk, &add->keys);
  arguments.Json(&add->json);
  return [add] { return RunAdd(*add); };
}

}  // namespace

const Command kAddCommand = {
    "add", "Add keys to an image, and tell which were new",
    KEYS_NOTES
    "The image is loaded, changed and replaced as a whole: a reader sees the old or the new one, and whoever is "
    "killed\n"
    "leaves the old one. It is synced before the report, so what is reported is in the file. Others who add to it\n"
    "wait for their turn; IMAGE.lock, which stays, is their lock.\n"
    "keys_new were certainly new. A key that looks like others that are in (expected_fpr) is known, and needs no "
    "place.\n"
    "In an image that is removable each insertion takes a place, also that of a known key.\n"
    "--print prints while keys come, before the image is written: after a crash the same lines come again.\n"
    "--remove takes out only what was added, as often as it was; anything else may lose other keys.\n"
    "For every layout that takes keys (create, build), and for images of growing and rotating filters.\n"
    "Exit code: 0 all keys are in the image, 1 they are too, but it could not grow and its rate is above --fpr,\n"
    "2 it is as it was.",
    &Declare};

}  // namespace linefilter::tools
