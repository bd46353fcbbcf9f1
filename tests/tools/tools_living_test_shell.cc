// What the program tells of itself: to shells that complete its commands, in its manual page, of this CPU.
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "linefilter/target.h"
#include "tests/testing/tools_fixture.h"
#include "tools/measure/layouts.h"

namespace linefilter::test {
namespace {

using nlohmann::json;
using Words = std::set<std::string>;

class ToolsShellTest : public ToolsTest {
 protected:
  // What bash offers for the last of these words.
  Words Completed(const std::string& words) {
    const RunResult result = RunProgram({"bash", "-c",
                                         "source " + Script("bash") +
                                             "; complete() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _linefilter; "
                                             "printf '%s\\n' \"${COMPREPLY[@]}\"; }; complete " +
                                             words});
    return In(result.out);
  }
  std::string Script(const std::string& shell) {
    const RunResult result = Run({"completion", shell});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return dir_.Write("completion." + shell, result.out);
  }
  static Words In(const std::string& text) {
    std::istringstream stream(text);
    Words words;
    for (std::string word; stream >> word;) words.insert(word);
    return words;
  }
};

TEST_F(ToolsShellTest, BashCompletesCommandsOptionsChoicesAndFiles) {
  EXPECT_EQ(Completed("linefilter ver"), Words{"verify"});
  EXPECT_EQ(Completed("linefilter completion ''"), (Words{"bash", "zsh"}));
  EXPECT_EQ(Completed("linefilter query image --pri"), Words{"--print"});
  EXPECT_EQ(Completed("linefilter query --print ''"), (Words{"maybe", "absent"}));
  EXPECT_EQ(Completed("linefilter query --print = m"), Words{"maybe"}) << "as bash splits --print=m";
  EXPECT_EQ(Completed("linefilter create image --layout ''").count("retrieval"), 0u);
  EXPECT_EQ(Completed("linefilter build --layout retr"), Words{"retrieval"});
  EXPECT_EQ(Completed("linefilter build --fpr ''"), Words{}) << "a number that nobody can guess";
  const std::string image = dir_.Write("image.filter", "");
  EXPECT_EQ(Completed("linefilter info " + dir_.File("image")), Words{image});
  EXPECT_EQ(Completed("linefilter build --out " + dir_.File("image")), Words{image});
  const bool has_redis = Run({"redis"}).err.find("was built without") == std::string::npos;
  EXPECT_EQ(!Completed("linefilter redis ''").empty(), has_redis);
}

// Every option that help shows is completed.
TEST_F(ToolsShellTest, CompletionKnowsWhatHelpShows) {
  for (const std::string& command : Completed("linefilter ''")) {
    const Words completed = Completed("linefilter " + command + " -");
    std::istringstream help(Run({command, "--help"}).out);
    size_t options = 0;
    for (std::string line; std::getline(help, line);) {
      if (line.compare(0, 3, "  -") != 0) continue;
      std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
      for (std::string name; std::getline(names, name, ',');) EXPECT_EQ(completed.count(name), 1u) << command << name;
      ++options;
    }
    EXPECT_GE(options, 1u) << command;
  }
}

TEST_F(ToolsShellTest, ZshCompletesTheSame) {
  if (RunProgram({"zsh", "-c", "exit"}).exit_code != 0) GTEST_SKIP() << "there is no zsh";
  const std::string offer = "compdef() { : }; source " + Script("zsh") +
                            "; _files() { print files }; compadd() { shift; print -- \"$@\" }; "
                            "_message() { : }; _describe() { for word in \"${(@P)2}\"; do print -r -- \"${word%%:*}\"; "
                            "done }; compset() { : }; "
                            "words=(linefilter WORDS); CURRENT=${#words}; PREFIX=$words[-1]; _linefilter";
  const auto completed = [&](const std::string& words) {
    std::string script = offer;
    return In(RunProgram({"zsh", "-fc", script.replace(script.find("WORDS"), 5, words)}).out);
  };
  EXPECT_EQ(completed("''"), Completed("linefilter ''"));
  EXPECT_EQ(completed("build -"), Completed("linefilter build -"));
  EXPECT_EQ(completed("query --print ''"), (Words{"maybe", "absent"}));
  EXPECT_EQ(completed("info ''"), Words{"files"});
}

TEST_F(ToolsShellTest, TheManualPageHasEveryCommand) {
  std::istringstream page(test::ReadFile(LINEFILTER_SOURCE_DIR "/tools/program/linefilter.1"));
  Words commands, of_redis;
  Words* into = nullptr;
  std::string before;
  for (std::string line; std::getline(page, line); before = line) {
    if (line == ".SH COMMANDS") into = &commands;
    if (line == ".SH EXIT STATUS" || line == ".RE") into = nullptr;
    if (line == ".RS") into = &of_redis;
    if (into != nullptr && before == ".TP" && line.compare(0, 3, ".B ") == 0) into->insert(line.substr(3));
  }
  EXPECT_EQ(commands, Completed("linefilter ''"));
  const Words built = Completed("linefilter redis ''");
  if (!built.empty()) {
    EXPECT_EQ(of_redis, built);
  }
}

TEST_F(ToolsShellTest, BenchMeasuresEveryLayout) {
  if (IsSlowBuild() || IsEmulated()) GTEST_SKIP() << "a measurement";
  const json report = Json({"bench", "--seconds", "50ms"}, 0);
  EXPECT_EQ(report["target"], ChosenTarget());
  for (const Layout layout : SupportedLayouts()) {
    Words places;
    for (const json& row : report["rows"]) {
      if (row["layout"] != LayoutName(layout) || row["fpr"] != 0.01) continue;
      places.insert(row["where"].get<std::string>());
      EXPECT_GT(row["bits_per_key"].get<double>(), 6) << row;
      EXPECT_NEAR(row["measured_fpr"].get<double>(), 0.01, 0.006) << row;
      for (const char* time : {"build_ns", "batch_hit_ns", "batch_miss_ns", "single_hit_ns", "single_miss_ns"}) {
        EXPECT_GT(row[time].get<double>(), 0) << time << row;
      }
    }
    EXPECT_EQ(places, (Words{"cache", "memory"})) << LayoutName(layout);
  }
  ExpectBadUsage({"bench", "--seconds", "0"});
}

}  // namespace
}  // namespace linefilter::test
