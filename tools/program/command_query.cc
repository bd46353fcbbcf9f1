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
  std::string filter, keys;
  AnswerOptions answers;
  SecretOption secret;
  bool no_verify = false;
};

int RunQuery(const Query& query) {
  if (!CanPrintAnswers("query", query.answers)) return kExitBad;
  FilterFile file;
  if (!OpenImage(query.filter, !query.no_verify, query.secret.OrNull(), &file)) return kExitBad;
  const Status status = CanBeAsked(file.view());
  if (!status.ok()) return FailImage(query.filter, status);
  KeyReader reader;
  const Status opened = reader.Open(query.keys, KeyFormatOf(query.answers.u64));
  if (!opened.ok()) return Fail("%s", opened.message());
  return AskKeys(&reader, query.answers, [&file](const std::vector<std::string_view>& keys, uint8_t* answers) {
    file.view().MayContainKeys(keys.data(), keys.size(), answers);
    return kExitGood;
  });
}

std::function<int()> Declare(Arguments& arguments) {
  auto query = std::make_shared<Query>();
  arguments.Path("--filter", &query->filter, "The image to ask", Need::kRequired);
  arguments.Path("--keys", &query->keys, kKeysHelp, Need::kRequired);
  arguments.Flag("--no-verify", &query->no_verify, "Do not read the whole image first to see that it is undamaged");
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
    "\"maybe\" is wrong for a share of the absent keys (expected_fpr of info); \"absent\" is never wrong.\n"
    "Exit code: 0 at least one key answered maybe, 1 none did (or there was none), 2 bad usage, bad image or bad keys.",
    &Declare};

}  // namespace linefilter::tools
