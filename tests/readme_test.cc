// The code of README.md is what a reader copies: each ```cpp and ```c block is compiled against the public headers and
// the built library, as its own program, run, and must succeed.
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

// tests/CMakeLists.txt may tell all of these; what follows is right for a build with the system's compiler.
#ifndef LINEFILTER_CXX
#define LINEFILTER_CXX "c++"
#endif
#ifndef LINEFILTER_CC
#define LINEFILTER_CC "cc"
#endif
#ifndef LINEFILTER_LIBRARY
#define LINEFILTER_LIBRARY LINEFILTER_BINARY_DIR "/lib/liblinefilter.a"
#endif
#ifndef LINEFILTER_HWY_LIBRARY
#define LINEFILTER_HWY_LIBRARY "-lhwy"
#endif
#ifndef LINEFILTER_CXX_FLAGS
#define LINEFILTER_CXX_FLAGS ""  // sanitizers, a sysroot
#endif

namespace linefilter {
namespace {

using test::RunProgram;
using test::RunResult;

std::vector<std::string> CodeBlocks(const std::string& markdown, const std::string& language) {
  std::vector<std::string> blocks;
  std::istringstream in(markdown);
  bool inside = false, wanted = false;
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, 3, "```") == 0) {
      inside = !inside;
      wanted = inside && line == "```" + language;
      if (wanted) blocks.emplace_back();
    } else if (wanted) {
      blocks.back() += line + "\n";
    }
  }
  EXPECT_FALSE(inside) << "a block is not closed";
  return blocks;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// A block with a main is a program as it is; others stand for statements inside one (after their own #includes).
std::string AsProgram(const std::string& block) {
  if (std::regex_search(block, std::regex(R"(\bint main\()"))) return block;
  std::string includes, statements;
  std::istringstream in(block);
  for (std::string line; std::getline(in, line);) (line.compare(0, 1, "#") == 0 ? includes : statements) += line + "\n";
  return includes + "int main() {\n" + statements + "}\n";
}

const char kReadme[] = LINEFILTER_SOURCE_DIR "/README.md";

// A compiler as a reader would call it. (To clang, linker flags are an error where nothing is linked.)
std::vector<std::string> Compiler(const std::string& compiler, const std::string& standard, bool links) {
  std::vector<std::string> command = {compiler, standard, "-Wall", "-Wextra", "-Werror"};
  for (const std::string& flag : Words(LINEFILTER_CXX_FLAGS)) {
    if (links || flag.compare(0, 4, "-Wl,") != 0) command.push_back(flag);
  }
  return command;
}

// Runs a program in a folder of its own: what the code saves ends with it.
void ExpectSuccess(const std::string& block, const std::string& program, const test::TempDir& dir) {
  std::vector<std::string> run = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", dir.path()};
  for (const std::string& word : test::OurProgram(program)) run.push_back(word);
  const RunResult result = RunProgram(run);
  EXPECT_EQ(result.exit_code, 0) << block << result.out << result.err;
}

// Compiled by `compile`, linked by the C++ compiler: the library is C++ inside.
void CompileAndRun(const std::string& block, const std::string& suffix, std::vector<std::string> compile) {
  const test::TempDir dir;
  const std::string source = dir.Write("readme" + suffix, block), object = dir.File("readme.o");
  const std::string program = dir.File("readme");
  compile.insert(compile.end(), {std::string("-I") + LINEFILTER_SOURCE_DIR + "/include", "-c", source, "-o", object});
  const RunResult compiled = RunProgram(compile);
  ASSERT_EQ(compiled.exit_code, 0) << block << compiled.err;
  std::vector<std::string> link = Compiler(LINEFILTER_CXX, "-std=c++17", true);
  link.insert(link.end(), {object, "-o", program, LINEFILTER_LIBRARY});
  if (std::string(LINEFILTER_HWY_LIBRARY) != "") link.push_back(LINEFILTER_HWY_LIBRARY);
  const RunResult linked = RunProgram(link);
  ASSERT_EQ(linked.exit_code, 0) << block << linked.err;
  ExpectSuccess(block, program, dir);
}

TEST(Readme, ItsCodeCompilesAndRuns) {
  const std::vector<std::string> blocks = CodeBlocks(test::ReadFile(kReadme), "cpp");
  ASSERT_GE(blocks.size(), 1u) << "a README without code that works";
  for (const std::string& block : blocks) {
    CompileAndRun(AsProgram(block), ".cc", Compiler(LINEFILTER_CXX, "-std=c++17", false));
  }
}

TEST(Readme, ItsCodeInCCompilesAndRuns) {
  const std::vector<std::string> blocks = CodeBlocks(test::ReadFile(kReadme), "c");
  ASSERT_GE(blocks.size(), 1u) << "a README without a program in C";
  for (const std::string& block : blocks) CompileAndRun(block, ".c", Compiler(LINEFILTER_CC, "-std=c99", false));
}

TEST(Readme, WhatItNamesExists) {
  const std::string root = std::string(LINEFILTER_SOURCE_DIR) + "/", readme = test::ReadFile(kReadme);
  // Relative links of Markdown, and the scripts it tells to run.
  const std::regex link(R"(\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\))"), script(R"(\b(tools/[a-z_]+\.sh)\b)");
  int found = 0;
  for (const std::regex& pattern : {link, script}) {
    for (auto it = std::sregex_iterator(readme.begin(), readme.end(), pattern); it != std::sregex_iterator(); ++it) {
      ++found;
      EXPECT_TRUE(std::filesystem::exists(root + (*it)[1].str())) << "README.md names " << (*it)[1];
    }
  }
  EXPECT_GE(found, 2) << "tools/demo.sh and tools/test.sh at least";
}

// The extraction itself: what is tested is what stands there.
TEST(Readme, CodeBlocksAreFound) {
  const std::string text = "a\n```cpp\nint x;\n```\n```sh\nls\n```\n```cpp\nint y;\nint z;\n```\n";
  EXPECT_EQ(CodeBlocks(text, "cpp"), (std::vector<std::string>{"int x;\n", "int y;\nint z;\n"}));
  EXPECT_EQ(CodeBlocks(text, "sh"), std::vector<std::string>{"ls\n"});
  EXPECT_EQ(AsProgram("#include <a>\nf();\n"), "#include <a>\nint main() {\nf();\n}\n");
  EXPECT_EQ(AsProgram("int main() {}\n"), "int main() {}\n");
}

}  // namespace
}  // namespace linefilter
