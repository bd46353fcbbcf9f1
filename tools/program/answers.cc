#include "tools/program/answers.h"

#include <cstdio>

#include "tools/program/command.h"
#include "tools/program/key_reader.h"
#include "tools/program/report.h"

namespace linefilter::tools {
namespace {

constexpr size_t kTextBytes = size_t{1} << 16;

void Print(std::string_view text) { fwrite(text.data(), 1, text.size(), stdout); }

// `end` follows a line; integers come out as they went in, fit for another --u64. Lines go to a text of our own first:
// three calls of stdio for each would take several times as long as its answer.
void PrintAnswers(const AnswerOptions& options, const std::vector<std::string_view>& lines,
                  const std::vector<uint8_t>& answers, std::string_view end) {
  const bool all = options.print.empty(), wanted = options.print == "maybe";
  std::string text;
  text.reserve(kTextBytes);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!all && (answers[i] != 0) != wanted) continue;
    if (all) text += answers[i] != 0 ? "maybe\t" : "absent\t";
    if (text.size() + lines[i].size() + end.size() > kTextBytes) {
      Print(text);
      text.clear();
    }
    if (lines[i].size() + end.size() > kTextBytes) {
      Print(lines[i]);  // a long line is not copied
    } else {
      text += lines[i];
    }
    text += end;
  }
  Print(text);
}

}  // namespace

void DeclareAnswers(Arguments* arguments, AnswerOptions* options) {
  arguments->Choice("--print", &options->print, {"maybe", "absent"},
                    "Print only the lines whose keys have this answer, as they were read");
  arguments->Flag("--count", &options->count, "Print only how many keys got which answer");
  arguments->AtMostOneOf("--print", "--count");
  arguments->AtMostOneOf("--print", "--json");
  arguments->Json(&options->json);
}

bool CanPrintAnswers(const char* command, const AnswerOptions& options, const KeysOption& keys) {
  if (!keys.u64 || !options.print.empty() || options.counts_only()) return true;
  Fail("%s: --u64 keys are no text to print next to an answer: add --print maybe, --print absent or --count", command);
  return false;
}

int AskKeys(KeyReader* reader, const KeysOption& option, const AnswerOptions& options,
            const std::function<int(const std::vector<std::string_view>& keys, uint8_t* answers)>& ask) {
  std::vector<uint8_t> answers;
  uint64_t num_queries = 0, maybe = 0;
  int code = kExitGood;
  const char line_end = option.line_end();
  const std::string_view end(&line_end, option.u64 ? 0 : 1);
  const Status read = ReadKeys(reader, "asking keys", [&](const std::vector<std::string_view>& keys) {
    answers.resize(keys.size());
    code = ask(keys, answers.data());
    if (code != kExitGood) return false;
    for (const uint8_t answer : answers) maybe += answer;
    num_queries += keys.size();
    if (!options.counts_only()) PrintAnswers(options, reader->lines(), answers, end);
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
