#include "tools/program/completion.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace linefilter::tools {
namespace {

// Arguments names types so: PATH for a file, words with bars between them for a choice.
CompletionValue ValueOf(const std::string& type) {
  CompletionValue value;
  value.is_file = type == "PATH";
  if (type.find('|') == std::string::npos) return value;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = type.find('|', begin);
    value.choices.push_back(type.substr(begin, end - begin));
  }
  return value;
}

void Walk(const CLI::App& app, const std::string& parents, std::vector<CompletionCommand>* commands) {
  CompletionCommand command;
  command.path = parents + app.get_name();
  command.help = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    const CompletionValue value = ValueOf(option->get_type_name());
    if (option->get_positional()) {
      command.positionals.push_back(value);
      continue;
    }
    CompletionOption known = {{}, option->get_description(), option->get_items_expected_max() != 0, value};
    for (const std::string& name : option->get_snames()) known.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) known.names.push_back("--" + name);
    command.options.push_back(known);
  }
  commands->push_back(command);
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    Walk(*below, command.path + " ", commands);
  }
}

}  // namespace

std::vector<CompletionCommand> CompletionsOf(const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  std::vector<CompletionCommand> commands;
  Walk(*root, "", &commands);
  return commands;
}

}  // namespace linefilter::tools
