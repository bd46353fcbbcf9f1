// What the tests of the program `linefilter` share: its runs, end to end.
#ifndef LINEFILTER_TESTS_TESTING_TOOLS_FIXTURE_H_
#define LINEFILTER_TESTS_TESTING_TOOLS_FIXTURE_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/file.h"
#include "nlohmann/json.hpp"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

#ifndef LINEFILTER_PROGRAM
#define LINEFILTER_PROGRAM LINEFILTER_BINARY_DIR "/linefilter"  // as linefilter_own() places programs
#endif

namespace linefilter::test {

// Sanitizers and emulators, where 1e6 keys take seconds: fewer of them, and fewer rows.
inline bool IsSlowBuild() { return Effort() < 1; }

// Emulators and sanitizers take 0.2 s to start a program. Where cases differ by no CPU, these builds try every fourth
// and the last one.
template <class Case>
std::vector<Case> Some(const std::vector<Case>& cases) {
  if (!IsSlowBuild()) return cases;
  std::vector<Case> some;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (i % 4 == 0 || i + 1 == cases.size()) some.push_back(cases[i]);
  }
  return some;
}
inline std::vector<const char*> SomeOf(const std::vector<const char*>& cases) { return Some(cases); }

class ToolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(std::filesystem::exists(LINEFILTER_PROGRAM)) << "build " << LINEFILTER_PROGRAM << " first";
  }

  // The program as the first word of a shell's line.
  static std::string ShellProgram() {
    std::string words;
    for (const std::string& word : OurProgram(LINEFILTER_PROGRAM)) words += "'" + word + "' ";
    return words;
  }
  RunResult Run(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    std::vector<std::string> all = OurProgram(LINEFILTER_PROGRAM);
    all.insert(all.end(), arguments.begin(), arguments.end());
    return RunProgram(all, input);
  }
  // Runs with --json; the one object on standard output.
  nlohmann::json Json(std::vector<std::string> arguments, int exit_code, std::string_view input = {}) const {
    arguments.push_back("--json");
    const RunResult result = Run(arguments, input);
    EXPECT_EQ(result.exit_code, exit_code) << arguments[0] << ": " << result.err;
    const nlohmann::json parsed = nlohmann::json::parse(result.out, nullptr, false);
    EXPECT_TRUE(parsed.is_object()) << arguments[0] << ": " << result.out;
    if (parsed.is_object()) {
      for (const auto& [name, value] : parsed.items()) {
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"), std::string::npos)
            << name << ": snake_case";
      }
    }
    return parsed;
  }
  // Bad usage: exit 2, a sentence on standard error, nothing on standard output, no file written.
  void ExpectBadUsage(const std::vector<std::string>& arguments, std::string_view input = {}) const {
    const RunResult result = Run(arguments, input);
    std::string line;
    for (const std::string& argument : arguments) line += argument.substr(0, 100) + " ";
    EXPECT_EQ(result.exit_code, 2) << line << result.out;
    EXPECT_GT(result.err.size(), 20u) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_FALSE(std::filesystem::exists(dir_.File("bad"))) << line;
  }
  std::string Build(const std::string& name, const std::string& keys,
                    std::vector<std::string> more = {"--bits-per-key", "12"}) {
    const std::string path = dir_.File(name);
    std::vector<std::string> arguments = {"build", dir_.Write(name + ".keys", keys), "--out", path};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const RunResult result = Run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return path;
  }
  bool Knows(const std::string& image, std::string_view key) const {
    FilterFile file;
    EXPECT_TRUE(file.Load(image.c_str()).ok());
    return file.view().MayContainKey(key);
  }

  TempDir dir_;
};

// key-`first` to key-(`last` - 1).
inline std::string Lines(int first, int last) {
  std::string lines;
  for (int i = first; i < last; ++i) lines += "key-" + std::to_string(i) + "\n";
  return lines;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_TOOLS_FIXTURE_H_
