// Options that mean the same have one name in all commands, and names that are the same mean the same. A machine sees
// what --help says: one sentence under two names, or one name with two kinds of values.
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/testing/tools_fixture.h"

namespace linefilter::test {
namespace {

struct Option {
  std::string command, name, type, help;
};

class ToolsOptionsTest : public ToolsTest {
 protected:
  // The names of the subcommands in a help.
  static std::vector<std::string> CommandsIn(const std::string& help) {
    std::vector<std::string> names;
    const size_t begin = help.find("\nSubcommands:\n");
    if (begin == std::string::npos) return names;
    std::istringstream lines(help.substr(begin + 14));
    for (std::string line; std::getline(lines, line) && line.compare(0, 2, "  ") == 0;) {
      if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  }
  // Adds the options of a command, and of those below it.
  void Collect(const std::vector<std::string>& command, std::vector<Option>* options) const {
    std::vector<std::string> words = command;
    words.push_back("--help");
    const RunResult result = Run(words);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::regex line_of_option("  ((?:-\\S+,)?--[a-z0-9-]+) ?(\\S+)?.*?  +(\\S.*)");
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_match(line, match, line_of_option)) continue;
      std::string path;
      for (const std::string& word : command) path += word + " ";
      options->push_back({path, match[1], match[2], match[3]});
    }
    for (const std::string& name : CommandsIn(result.out)) {
      std::vector<std::string> below = command;
      below.push_back(name);
      Collect(below, options);
    }
  }
  // What a sentence says of the value, without when it counts and its default.
  static std::string Meaning(std::string help) {
    help = std::regex_replace(help, std::regex("^(With --[a-z-]+( or [A-Z]+)?|Of a new filter): |^(Or|Only) "), "");
    help = std::regex_replace(help, std::regex("[,;(].*$"), "");
    for (char& letter : help) letter = static_cast<char>(tolower(letter));
    return help;
  }
};

TEST_F(ToolsOptionsTest, WhatMeansTheSameHasOneName) {
  std::vector<Option> options;
  Collect({}, &options);
  ASSERT_GT(options.size(), 150u) << "the help is read";
  std::map<std::string, std::set<std::string>> names, types;
  for (const Option& option : options) {
    names[Meaning(option.help)].insert(option.name);
    if (option.type.find('|') == std::string::npos) types[option.name].insert(option.type);
  }
  for (const auto& [meaning, of_it] : names) {
    EXPECT_EQ(of_it.size(), 1u) << "\"" << meaning << "\" is " << *of_it.begin() << " and " << *of_it.rbegin();
  }
  for (const auto& [name, of_it] : types) {
    EXPECT_EQ(of_it.size(), 1u) << name << " takes " << *of_it.begin() << " and " << *of_it.rbegin();
  }
}

}  // namespace
}  // namespace linefilter::test
