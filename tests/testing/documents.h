// The code of our documents is what a reader copies: each block is run as the reader would, and what the page shows
// below it (a block ```text) is compared with what comes out. The blocks of a page share a folder, so that one may use
// what an earlier one left there.
#ifndef LINEFILTER_TESTS_TESTING_DOCUMENTS_H_
#define LINEFILTER_TESTS_TESTING_DOCUMENTS_H_

#include <unistd.h>

#include <cstdlib>
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
#ifndef LINEFILTER_CXX_LAUNCHER
#define LINEFILTER_CXX_LAUNCHER ""  // ccache
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

namespace linefilter::test {

struct CodeBlock {
  std::string language, code;
  std::string output;  // of the ```text that follows at once; "": none
  int line = 0;        // where it begins
};

// The pages "coming from" have tables whose second column, "here", is code. Each row goes to the block before it.
inline std::string CodeOfRow(const std::string& row) {
  std::smatch match;
  if (!std::regex_search(row, match, std::regex(R"(^\|(?:[^|`]|`[^`]*`)*\| *`([^`]+)` *\|)"))) return "";
  return std::regex_replace(match[1].str(), std::regex(R"(\\\|)"), "|") + "\n";
}

inline std::vector<CodeBlock> CodeBlocks(const std::string& markdown) {
  std::vector<CodeBlock> blocks;
  std::istringstream in(markdown);
  bool inside = false, is_output = false, is_next = false;  // is_next: nothing but empty lines since the last block
  bool is_here = false;                                     // within a table with the column "here"
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.compare(0, 3, "```") == 0) {
      inside = !inside;
      if (inside) {
        is_output = line == "```text" && is_next && !blocks.empty();
        if (!is_output) blocks.push_back({line.substr(3), "", "", number});
      }
      is_next = !inside && !is_output;
    } else if (inside) {
      (is_output ? blocks.back().output : blocks.back().code) += line + "\n";
    } else if (!line.empty()) {
      is_next = false;
      is_here = line[0] == '|' && (is_here || line.find(" | here | ") != std::string::npos);
      if (is_here) blocks.back().code += CodeOfRow(line);
    }
  }
  EXPECT_FALSE(inside) << "a block is not closed";
  return blocks;
}

// Where a page leads to within the tree: (*it)[1] of each match.
inline std::regex RelativeLink() { return std::regex(R"(\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\))"); }

// "..." in what a page shows stands for anything within its line; a line of "..." alone for any lines.
inline bool Matches(const std::string& shown, const std::string& got) {
  std::string pattern;
  std::istringstream in(shown);
  for (std::string line; std::getline(in, line);) {
    if (line == "...") {
      pattern += "(.*\n)*?";
      continue;
    }
    line = std::regex_replace(line, std::regex(R"([.^$*+?()\[\]{}|\\])"), R"(\$&)");
    pattern += std::regex_replace(line, std::regex(R"(\\\.\\\.\\\.)"), ".*") + "\n";
  }
  return std::regex_match(got, std::regex(pattern));
}

inline std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// A block with a main is a program as it is; others stand for statements inside one (after their own #includes).
inline std::string AsProgram(const std::string& block) {
  if (std::regex_search(block, std::regex(R"(\bint main\()"))) return block;
  std::string includes, statements;
  std::istringstream in(block);
  for (std::string line; std::getline(in, line);) (line.compare(0, 1, "#") == 0 ? includes : statements) += line + "\n";
  return includes + "int main() {\n" + statements + "}\n";
}

// In the folder of the page; the program `linefilter` in PATH, the sources in $LINEFILTER.
inline RunResult RunIn(const TempDir& folder, const std::vector<std::string>& command) {
  std::vector<std::string> run = {"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.path()};
  run.insert(run.end(), command.begin(), command.end());
  const char* const path = std::getenv("PATH");
  return RunProgram(run, {},
                    {{"PATH", std::string(LINEFILTER_BINARY_DIR) + ":" + (path == nullptr ? "" : path)},
                     {"LINEFILTER", LINEFILTER_SOURCE_DIR},
                     {"PYTHONDONTWRITEBYTECODE", "1"}});
}

// A command of a compiler for what is in the folder, by names within it: so the launcher knows a program that it has
// seen in another folder, where nothing that goes into it has changed since. It tells the compiler's warnings again,
// too.
inline RunResult RunCompiler(const TempDir& folder, std::vector<std::string> command) {
  const std::vector<std::string> launcher = Words(LINEFILTER_CXX_LAUNCHER);
  command.insert(command.begin(), launcher.begin(), launcher.end());
  for (const std::string& flag : Words(LINEFILTER_CXX_FLAGS)) {
    if (flag.compare(0, 4, "-Wl,") != 0) command.push_back(flag);  // an error to clang where nothing is linked
  }
  return RunIn(folder, command);
}

// Against the public headers and the built library. Linked by the C++ compiler: the library is C++ inside.
inline RunResult RunCompiled(const TempDir& folder, const std::string& compiler, const std::string& standard,
                             const std::string& source) {
  RunResult result =
      RunCompiler(folder, {compiler, standard, "-Wall", "-Wextra", "-Werror",
                           std::string("-I") + LINEFILTER_SOURCE_DIR + "/include", "-c", source, "-o", "program.o"});
  if (result.exit_code != 0) return result;
  const std::string program = folder.File("program");
  std::vector<std::string> link = {LINEFILTER_CXX, folder.File("program.o"), "-o", program};
#ifdef LINEFILTER_REDIS_LIBRARIES  // where there is linefilter::redis
  for (const std::string& library : Words(LINEFILTER_REDIS_LIBRARIES)) link.push_back(library);
#endif
  link.push_back(LINEFILTER_LIBRARY);
  if (std::string(LINEFILTER_HWY_LIBRARY) != "") link.push_back(LINEFILTER_HWY_LIBRARY);
  for (const std::string& flag : Words(LINEFILTER_CXX_FLAGS)) link.push_back(flag);
  result = RunProgram(link);
  return result.exit_code == 0 ? RunIn(folder, OurProgram(program)) : result;
}

inline RunResult RunCpp(const TempDir& folder, const std::string& code) {
  folder.Write("program.cc", AsProgram(code));
  return RunCompiled(folder, LINEFILTER_CXX, "-std=c++17", "program.cc");
}

inline RunResult RunC(const TempDir& folder, const std::string& code) {
  folder.Write("program.c", code);
  return RunCompiled(folder, LINEFILTER_CC, "-std=c99", "program.c");
}

// A command that fails ends it, in a pipe too.
inline RunResult RunShell(const TempDir& folder, const std::string& code) {
  return RunIn(folder, {"bash", "-euo", "pipefail", "-c", code});
}

inline RunResult RunPython(const TempDir& folder, const std::string& code) {
  folder.Write("program.py", code);
  return RunIn(folder, {"/usr/bin/python3", "program.py"});
}

struct Language {
  const char* name;
  RunResult (*run)(const TempDir& folder, const std::string& code);
};
inline constexpr Language kLanguages[] = {{"cpp", RunCpp}, {"c", RunC}, {"sh", RunShell}, {"python", RunPython}};

inline const Language* FindLanguage(const std::string& name) {
  for (const Language& language : kLanguages) {
    if (name == language.name) return &language;
  }
  return nullptr;
}

// Runs it if its language is one of ours; whether it was.
inline bool RunBlock(const TempDir& folder, const std::string& page, const CodeBlock& block) {
  const Language* const language = FindLanguage(block.language);
  if (language == nullptr) return false;
  const RunResult result = language->run(folder, block.code);
  EXPECT_EQ(result.exit_code, 0) << page << ":" << block.line << "\n" << block.code << result.out << result.err;
  if (!block.output.empty()) {
    EXPECT_TRUE(Matches(block.output, result.out)) << page << ":" << block.line << " shows\n"
                                                   << block.output << "but this comes out:\n"
                                                   << result.out;
  }
  return true;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_DOCUMENTS_H_
