// linefilter query tells which keys may be in the set.
#include <memory>
#include <string>
#include <vector>

#include "tools/program/answers.h"
#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/images.h"
#include "tools/program/key_reader.h"

namespace linefilter::tools {
namespace {

struct Query {
  std::string image;
  KeysOption keys;
  AnswerOptions answers;
  SecretOption secret;
  std::string verify;
};

VerifyMode ModeOf(const std::string& name) {
  return name == "whole"     ? VerifyMode::kWhole
         : name == "lazy"    ? VerifyMode::kLazy
         : name == "trusted" ? VerifyMode::kTrusted
                             : VerifyMode::kAuto;
}

bool Open(const Query& query, Image* image) {
  const VerifyMode verify = ModeOf(query.verify);
  if (verify == VerifyMode::kWhole) return OpenImage(query.image, query.secret.OrNull(), image);
  const MapAdvice advice = verify == VerifyMode::kTrusted ? MapAdvice::kRandom : MapAdvice::kWillNeed;
  const Status status = image->Open(query.image, verify, advice, query.secret.OrNull());
  if (!status.ok()) FailImage(query.image, status);
  return status.ok();
}

int RunQuery(const Query& query) {
  if (!CanPrintAnswers("query", query.answers, query.keys)) return kExitBad;
  if (query.keys.Has(query.image)) {
    return Fail("query: IMAGE %s is where the keys come from, too: name a file of keys", query.image.c_str());
  }
  Image image;
  if (!Open(query, &image)) return kExitBad;
  Status status = CanBeAsked(image.view());
  if (status.ok()) status = AreOfItsKind("query", query.image, image.view(), query.keys);
  if (!status.ok()) return FailImage(query.image, status);
  KeyReader reader;
  const Status opened = reader.Open(query.keys);
  if (!opened.ok()) return Fail("%s", opened.message());
  const FilterView& view = image.view();
  const int answered =
      AskKeys(&reader, query.keys, query.answers, [&view](const std::vector<std::string_view>& keys, uint8_t* answers) {
        view.MayContainKeys(keys.data(), keys.size(), answers);
        return kExitGood;
      });
  const Status found = view.status();  // of an image that is verified while it is asked
  return found.ok() ? answered : FailImage(query.image, found);
}

std::function<int()> Declare(Arguments& arguments) {
  auto query = std::make_shared<Query>();
  arguments.Path("IMAGE", &query->image, "The image to ask", Need::kRequired);
  arguments.Keys(&query->keys);
  arguments.Choice("--verify", &query->verify, {"whole", "lazy", "trusted"},
                   "How damage is found (see below); default: whole up to 64 MiB, lazy above");
  arguments.Secret(&query->secret, SecretUse::kAsk, &query->keys);
  DeclareAnswers(&arguments, &query->answers);
  return [query] { return RunQuery(*query); };
}

}  // namespace

const Command kQueryCommand = {
    "query", "Ask an image which keys may be in its set",
    KEYS_NOTES
    "Without --print, --count or --json: a line per key, \"maybe\" or \"absent\", a tab, the key. --json counts, as "
    "--count does.\n"
    "--verify whole reads all of the image first, and asks no damaged one. lazy verifies each 64 KiB before the first\n"
    "absent that comes from it; in a damaged part all is maybe, and the exit code is 2. trusted verifies nothing.\n"
    "\"maybe\" is wrong for a share of the absent keys (expected_fpr of info). \"absent\" is never wrong, but with\n"
    "trusted, of a damaged image.\n"
    "Exit code: 0 at least one key answered maybe, 1 none did (or there was none), 2 bad usage, bad image or bad keys.",
    &Declare};

}  // namespace linefilter::tools
