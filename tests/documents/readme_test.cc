// The code of README.md is what a reader copies: each block is run, and must succeed (tests/testing/documents.h).
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/documents.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

const std::string kRoot = std::string(LINEFILTER_SOURCE_DIR) + "/";

// The commands alone that use the program: the others install packages and build what is tested here.
std::string UsingTheProgram(const std::string& code) {
  std::string kept;
  std::istringstream in(code);
  for (std::string line; std::getline(in, line);) {
    if (line.find("build/release/linefilter ") != std::string::npos) kept += line + "\n";
  }
  return std::regex_replace(kept, std::regex("build/release/linefilter "), "linefilter ");
}

TEST(Readme, ItsCodeRuns) {
  std::map<std::string, int> num_run;
  for (CodeBlock block : CodeBlocks(ReadFile(kRoot + "README.md"))) {
    if (block.language == "sh") {
#ifdef LINEFILTER_PROGRAM
      block.code = UsingTheProgram(block.code);
#else
      block.code.clear();
#endif
      if (block.code.empty()) continue;
    }
    if (block.language == "python") continue;  // python/tests/test_docs.py runs these, with our module
    // In a folder of its own: what the code saves ends with it.
    num_run[block.language] += RunBlock(TempDir(), "README.md", block);
  }
  EXPECT_GE(num_run["cpp"], 1) << "a README without code that works";
#ifdef LINEFILTER_PROGRAM
  EXPECT_GE(num_run["sh"], 1);
#endif
}

TEST(Readme, WhatItNamesExists) {
  const std::string readme = ReadFile(kRoot + "README.md");
  // And the scripts it tells to run.
  const std::regex script(R"(\b(tools/[a-z_]+\.sh)\b)");
  int found = 0;
  for (const std::regex& pattern : {RelativeLink(), script}) {
    for (auto it = std::sregex_iterator(readme.begin(), readme.end(), pattern); it != std::sregex_iterator(); ++it) {
      ++found;
      EXPECT_TRUE(std::filesystem::exists(kRoot + (*it)[1].str())) << "README.md names " << (*it)[1];
    }
  }
  EXPECT_GE(found, 2) << "tools/demo.sh and tools/test.sh at least";
}

// The documented installation has a folder of its own. In build/release it would leave tests and benchmark switched off
// for the scripts that come later.
TEST(Readme, InstallingLeavesTheReleaseBuildAlone) {
  const std::string page = ReadFile(kRoot + "doc/INSTALL.md"), presets = ReadFile(kRoot + "CMakePresets.json");
  EXPECT_NE(page.find("cmake --preset package"), std::string::npos);
  EXPECT_NE(page.find("cmake --install build/package"), std::string::npos);
  EXPECT_EQ(page.find("release"), std::string::npos);
  const std::regex preset(R"re("name": "package",[^{}]*"cacheVariables": \{([^{}]*)\})re");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(presets, found, preset));
  for (const char* left_out : {R"("LINEFILTER_BUILD_TESTS": "OFF")", R"("LINEFILTER_BUILD_BENCH": "OFF")"}) {
    EXPECT_NE(found[1].str().find(left_out), std::string::npos) << left_out;
  }
}

// The extraction itself: what is tested is what stands there.
TEST(Readme, CodeBlocksAreFound) {
  const std::vector<CodeBlock> blocks = CodeBlocks(
      "a\n```cpp\nint x;\n```\n```sh\nls\n```\n\n```text\na\nb\n```\n```cpp\nint y;\nint z;\n```\nIt "
      "is:\n```text\nc\n```\n");
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0].language + blocks[0].code + blocks[0].output, "cppint x;\n");
  EXPECT_EQ(blocks[1].language + blocks[1].code + blocks[1].output, "shls\na\nb\n");
  EXPECT_EQ(blocks[1].line, 5);
  EXPECT_EQ(blocks[2].language + blocks[2].code + blocks[2].output, "cppint y;\nint z;\n");
  EXPECT_EQ(blocks[3].language + blocks[3].code, "textc\n") << "a text that does not follow at once is no output";
  EXPECT_EQ(AsProgram("#include <a>\nf();\n"), "#include <a>\nint main() {\nf();\n}\n");
  EXPECT_EQ(AsProgram("int main() {}\n"), "int main() {}\n");
  EXPECT_EQ(UsingTheProgram("tools/a.sh && b\nseq 3 | build/release/linefilter query -\n"),
            "seq 3 | linefilter query -\n");
}

TEST(Readme, OutputsAreCompared) {
  EXPECT_TRUE(Matches("a 1.5 (x)\n", "a 1.5 (x)\n"));
  EXPECT_FALSE(Matches("a 1.5 (x)\n", "a 1x5 (x)\n"));
  EXPECT_FALSE(Matches("a\n", "a\nb\n"));
  EXPECT_FALSE(Matches("a\nb\n", "a\n"));
  EXPECT_TRUE(Matches("a ... c\n", "a 1 2 c\n"));
  EXPECT_FALSE(Matches("a ... c\n", "a 1\n2 c\n"));
  EXPECT_TRUE(Matches("a\n...\nd\n", "a\nb\nc\nd\n"));
  EXPECT_TRUE(Matches("a\n...\nd\n", "a\nd\n"));
}

TEST(Readme, FailuresAreSeen) {
  const TempDir folder;
  EXPECT_NE(RunShell(folder, "false | true\n").exit_code, 0);
  EXPECT_NE(RunShell(folder, "false\ntrue\n").exit_code, 0);
  EXPECT_NE(RunPython(folder, "raise SystemExit(3)\n").exit_code, 0);
  EXPECT_NE(RunCpp(folder, "int unused;\n").exit_code, 0) << "warnings are errors";
  EXPECT_EQ(RunC(folder, "int main(void) { return 0; }\n").exit_code, 0);
  EXPECT_NE(RunC(folder, "int main(void) { int unused; return 0; }\n").exit_code, 0) << "warnings are errors";
}

}  // namespace
}  // namespace linefilter::test
