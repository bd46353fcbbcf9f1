// `query` and `redis query` print this: the answers to the keys of a file, or how many got which.
#ifndef LINEFILTER_TOOLS_PROGRAM_ANSWERS_H_
#define LINEFILTER_TOOLS_PROGRAM_ANSWERS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/key_reader.h"

namespace linefilter::tools {

struct AnswerOptions {
  std::string print;
  bool count = false, json = false;

  bool counts_only() const { return count || json; }
};

// Declares --print, --count, --json.
void DeclareAnswers(Arguments* arguments, AnswerOptions* options);

// It is false after saying why such keys cannot be printed so.
bool CanPrintAnswers(const char* command, const AnswerOptions& options, const KeysOption& keys);

// Asks the keys of a reader, batch after batch, by ask(keys, answers), which ends it all with an exit code that is not
// kExitGood. It prints the lines of the keys and returns the exit code.
int AskKeys(KeyReader* reader, const KeysOption& option, const AnswerOptions& options,
            const std::function<int(const std::vector<std::string_view>& keys, uint8_t* answers)>& ask);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_ANSWERS_H_
