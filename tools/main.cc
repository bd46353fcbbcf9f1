// The program `linefilter`: one line per command here, one file per command beside.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "linefilter/target.h"
#include "tools/arguments.h"
#include "tools/command.h"

namespace linefilter::tools {

int Fail(const char* format, ...) {
  fputs("linefilter: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return kExitBad;
}

namespace {

const Command* const kCommands[] = {&kBuildCommand,  &kQueryCommand, &kInfoCommand,   &kStatsCommand,
                                    &kVerifyCommand, &kFoldCommand,  &kMergeCommand,  &kFprCommand,
                                    &kOracleCommand, &kPlanCommand,  &kTargetsCommand};

void WarnOfUnsupportedTarget() {
  const char* wanted = getenv("LINEFILTER_TARGET");
  if (wanted == nullptr || *wanted == '\0' || strcmp(wanted, ChosenTarget()) == 0) return;
  std::string known;
  const TargetList list = SupportedTargets();
  for (size_t i = 0; i < list.size; ++i) known += std::string(i == 0 ? "" : ", ") + list.names[i];
  fprintf(stderr, "linefilter: warning: LINEFILTER_TARGET=%s is no target of this CPU and program (%s); %s is used\n",
          wanted, known.c_str(), ChosenTarget());
}

std::string CommandNames() {
  std::string names;
  for (const Command* command : kCommands) names += (names.empty() ? "" : ", ") + std::string(command->name);
  return names;
}

int Run(int argc, char** argv) {
  CLI::App app("Approximate membership: may this key be in the set? One cache line per lookup.", "linefilter");
  app.set_version_flag("--version", "linefilter " LINEFILTER_VERSION);
  app.require_subcommand(1);
  app.footer(
      "linefilter COMMAND --help explains a command. Numbers may be written like 1e6.\n"
      "Exit codes: 0 good, 1 the answer is negative, 2 bad usage or bad file.");
  std::deque<Arguments> arguments;  // stay where they are: the actions refer to them
  std::function<int()> action;
  const Arguments* chosen = nullptr;
  for (const Command* command : kCommands) {
    CLI::App* sub = app.add_subcommand(command->name, command->summary);
    sub->footer(command->notes);
    arguments.emplace_back(sub);
    const Arguments* own = &arguments.back();
    sub->final_callback([&action, &chosen, own, declared = command->declare(arguments.back())] {
      action = declared;
      chosen = own;
    });
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string command = app.get_subcommands().empty() ? "COMMAND" : app.get_subcommands()[0]->get_name();
    if (command == "COMMAND" && argc > 1 && argv[1][0] != '-') {
      return Fail("'%s' is no command: choose %s", argv[1], CommandNames().c_str());
    }
    if (argc <= 1) return Fail("give a command: %s\n\n%s", CommandNames().c_str(), app.help().c_str());
    // A misspelt option is the better explanation of a required one that is missing.
    const std::vector<std::string> extras = app.remaining(true);
    const std::string what = extras.empty() ? error.what() : "'" + extras[0] + "' is no option or argument here";
    return Fail("%s\n\"linefilter %s --help\" explains.", what.c_str(), command.c_str());
  }
  const std::string broken_rule = chosen->Check();
  if (!broken_rule.empty()) {
    return Fail("%s\n\"linefilter %s --help\" explains.", broken_rule.c_str(),
                app.get_subcommands()[0]->get_name().c_str());
  }
  WarnOfUnsupportedTarget();
  const int code = action();
  if (fflush(stdout) != 0 || ferror(stdout) != 0) return Fail("cannot write to standard output: %s", strerror(errno));
  return code;
}

}  // namespace
}  // namespace linefilter::tools

int main(int argc, char** argv) {
  try {
    return linefilter::tools::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    return linefilter::tools::Fail("memory ran out");
  } catch (const std::exception& error) {
    return linefilter::tools::Fail("%s", error.what());
  }
}
