// linefilter query: which keys may be in the set?
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/images.h"
#include "tools/key_reader.h"
#include "tools/progress.h"
#include "tools/report.h"

namespace linefilter::tools {
namespace {

struct Query {
  std::string filter, keys, print;
  SecretOption secret;
  bool count = false, no_verify = false, u64 = false, json = false;

  bool counts_only() const { return count || json; }
};

void PrintAnswers(const Query& query, const std::vector<std::string_view>& keys, const std::vector<uint8_t>& answers) {
  const bool all = query.print.empty(), wanted = query.print == "maybe";
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!all && (answers[i] != 0) != wanted) continue;
    if (all) fputs(answers[i] != 0 ? "maybe\t" : "absent\t", stdout);
    fwrite(keys[i].data(), 1, keys[i].size(), stdout);
    // Integers come out as they went in, fit for another --u64; next to an answer they are a line like any other.
    if (all || !query.u64) putchar('\n');
  }
}

int RunQuery(const Query& query) {
  if (query.u64 && query.print.empty() && !query.counts_only()) {
    return Fail(
        "query: --u64 keys are no text to print next to an answer: add --print maybe, --print absent or --count");
  }
  FilterFile file;
  if (!OpenImage(query.filter, !query.no_verify, query.secret.OrNull(), &file)) return kExitBad;
  KeyReader reader;
  if (!reader.Open(query.keys, query.u64 ? KeyFormat::kU64 : KeyFormat::kLines).ok()) {
    return Fail("%s", reader.status().message());
  }
  std::vector<std::string_view> keys;
  std::vector<uint8_t> answers;
  uint64_t num_queries = 0, maybe = 0;
  {
    Progress progress("asking keys", reader.bytes_total() != 0 ? "bytes" : "keys", reader.bytes_total());
    while (reader.Next(&keys)) {
      answers.resize(keys.size());
      file.view().MayContainKeys(keys.data(), keys.size(), answers.data());
      for (const uint8_t answer : answers) maybe += answer;
      num_queries += keys.size();
      if (!query.counts_only()) PrintAnswers(query, keys, answers);
      progress.Update(reader.bytes_total() != 0 ? reader.bytes_done() : num_queries);
    }
  }
  if (!reader.status().ok()) return Fail("%s", reader.status().message());
  if (query.counts_only()) {
    Report report;
    report.Count("num_queries", num_queries);
    report.Count("maybe", maybe);
    report.Count("absent", num_queries - maybe);
    report.Print(query.json);
  }
  return maybe != 0 ? kExitGood : kExitNegative;
}

std::function<int()> Declare(Arguments& arguments) {
  auto query = std::make_shared<Query>();
  arguments.Path("--filter", &query->filter, "The image to ask", Need::kRequired);
  arguments.Path("--keys", &query->keys, kKeysHelp, Need::kRequired);
  arguments.Choice("--print", &query->print, {"maybe", "absent"},
                   "Print only the keys with this answer, as they were read");
  arguments.Flag("--count", &query->count, "Print only how many keys got which answer");
  arguments.AtMostOneOf("--print", "--count");
  arguments.AtMostOneOf("--print", "--json");
  arguments.Flag("--u64", &query->u64, kU64Help);
  arguments.Flag("--no-verify", &query->no_verify, "Do not read the whole image first to see that it is undamaged");
  arguments.Secret(&query->secret, SecretUse::kAsk, &query->keys);
  arguments.Json(&query->json);
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
