// Shells complete the commands and options of the program by this: everything comes from CLI11's own data, so that it
// knows what the program knows.
#ifndef LINEFILTER_TOOLS_PROGRAM_COMPLETION_H_
#define LINEFILTER_TOOLS_PROGRAM_COMPLETION_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace linefilter::tools {

// What may stand in the place of a value: a file, one of some words, or something that nobody can guess.
struct CompletionValue {
  bool is_file = false;
  std::vector<std::string> choices;
};

struct CompletionOption {
  std::vector<std::string> names;  // "-0", "--null"
  std::string help;
  bool takes_value = false;
  CompletionValue value;
};

struct CompletionCommand {
  std::string path, help;  // "linefilter redis add"
  std::vector<CompletionOption> options;
  std::vector<CompletionValue> positionals;
};

// Every command of the program, each before those below it. `app` may be any of them.
std::vector<CompletionCommand> CompletionsOf(const CLI::App& app);

// The scripts that the shells read.
std::string BashCompletion(const std::vector<CompletionCommand>& commands);
std::string ZshCompletion(const std::vector<CompletionCommand>& commands);

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_COMPLETION_H_
