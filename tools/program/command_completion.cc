// linefilter completion prints what a shell needs to complete the commands and options of this program.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/program/arguments.h"
#include "tools/program/command.h"
#include "tools/program/completion.h"

namespace linefilter::tools {
namespace {

std::function<int()> Declare(Arguments& arguments) {
  auto shell = std::make_shared<std::string>();
  arguments.Choice("SHELL", shell.get(), {"bash", "zsh"}, "The shell that shall complete", Need::kRequired);
  return [shell, &arguments] {
    const std::vector<CompletionCommand> commands = CompletionsOf(arguments.app());
    fputs((*shell == "bash" ? BashCompletion(commands) : ZshCompletion(commands)).c_str(), stdout);
    return kExitGood;
  };
}

}  // namespace

const Command kCompletionCommand = {"completion",
                                    "Print what bash or zsh needs to complete commands, options and choices",
                                    "An installed package has it already. Else, for this session:\n"
                                    "  source <(linefilter completion bash)\n"
                                    "  source <(linefilter completion zsh)     after compinit\n"
                                    "Exit code: 0.",
                                    &Declare};

}  // namespace linefilter::tools
