#include "tools/program/answers.h"

#include <cstdio>

#include "tools/program/command.h"
#include "tools/program/key_reader.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

void PrintAnswers(const AnswerOptions& options, const std::vector<std::string_view>& keys,
                  const std::vector<uint8_t>& answers) {
  const bool all = options.print.empty(), wanted = options.print == "maybe";
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!all && (answers[i] != 0) != wanted) continue;
    if (all) fputs(answers[i] != 0 ? "maybe\t" : "absent\t", stdout);
    fwrite(keys[i].data(), 1, keys[i].size(), stdout);
    // Integers come out as they went in, fit for another --u64. Next to an answer they are a line like any other.
    if (all || !options.u64) putchar('\n');
  }
}

}  // namespace

void DeclareAnswers(Arguments* arguments, AnswerOptions* options) {
  arguments->Choice("--print", &options->print, {"maybe", "absent"},
                    "Print only the keys with this answer, as they were read");
  arguments->Flag("--count", &options->count, "Print only how many keys got which answer");
  arguments->AtMostOneOf("--print", "--count");
  arguments->AtMostOneOf("--print", "--json");
  arguments->Flag("--u64", &options->u64, kU64Help);
  arguments->Json(&options->json);
}

bool CanPrintAnswers(const char* command, const AnswerOptions& options) {
  if (!options.u64 || !options.print.empty() || options.counts_only()) return true;
  Fail("%s: --u64 keys are no text to print next to an answer: add --print maybe, --print absent or --count", command);
  return false;
}

int AskKeys(KeyReader* reader, const AnswerOptions& options,
            const std::function<int(const std::vector<std::string_view>& keys, uint8_t* answers)>& ask) {
  std::vector<uint8_t> answers;
  uint64_t num_queries = 0, maybe = 0;
  int code = kExitGood;
  const Status read = ReadKeys(reader, "asking keys", [&](const std::vector<std::string_view>& keys) {
    answers.resize(keys.size());
    code = ask(keys, answers.data());
    if (code != kExitGood) return false;
    for (const uint8_t answer : answers) maybe += answer;
    num_queries += keys.size();
    if (!options.counts_only()) PrintAnswers(options, keys, answers);
    return true;
  });
  if (code != kExitGood) return code;
  if (!read.ok()) return Fail("%s", read.message());
  if (options.counts_only()) {
    Report report;
    report.Count("num_queries", num_queries);
    report.Count("maybe", maybe);
    report.Count("absent", num_queries - maybe);
    report.Print(options.json);
  }
  return maybe != 0 ? kExitGood : kExitNegative;
}

}  // namespace linefilter::tools
