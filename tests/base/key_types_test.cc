// What is a key is the same in every standard, by every compiler, with and without GNU extensions: key_types_part.cc,
// which hash_test contains, is compiled in all of them.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/run_program.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

const std::string kRoot = LINEFILTER_SOURCE_DIR;
const std::string kPart = kRoot + "/tests/base/key_types_part.cc";

// The one of this build, and the newest of the other kind that is installed.
std::vector<std::string> Compilers() {
  const bool is_clang = RunProgram({LINEFILTER_CXX, "--version"}).out.find("clang") != std::string::npos;
  std::vector<std::string> others = {"clang++-19", "clang++-16", "clang++"};
  if (is_clang) others = {"g++"};
  for (const std::string& other : others) {
    if (RunProgram({"/bin/sh", "-c", "command -v " + other}).exit_code == 0) return {LINEFILTER_CXX, other};
  }
  return {LINEFILTER_CXX};
}

RunResult Compile(const std::string& compiler, const std::string& standard, const std::string& source) {
  return RunProgram({compiler, "-std=" + standard, "-fsyntax-only", "-w", "-DLINEFILTER_TEST_ONE_CALL", "-I" + kRoot,
                     "-I" + kRoot + "/include", source});
}

TEST(KeyTypes, AreTheSameInEveryStandardByEveryCompiler) {
  int num_compiled = 0;
  for (const std::string& compiler : Compilers()) {
    for (const std::string standard : {"c++17", "c++20", "c++2b", "gnu++17", "gnu++20", "gnu++2b"}) {
      const RunResult result = Compile(compiler, standard, kPart);
      EXPECT_EQ(result.exit_code, 0) << compiler << " -std=" << standard << "\n" << result.err;
      ++num_compiled;
    }
    printf("%s: 6 modes\n", compiler.c_str());  // for whoever wonders which ones it was
  }
  const char* const wanted = std::getenv("LINEFILTER_TEST_COMPILERS");
  EXPECT_GE(num_compiled, 6 * (wanted == nullptr ? 1 : std::atoi(wanted)));
}

// Else all of the above would be green whatever is in the file.
TEST(KeyTypes, AKeyThatIsNoneIsSeen) {
  const TempDir folder;
  const std::string part = "#include \"" + kPart + "\"\n";
  const std::string fine = folder.Write("fine.cc", part + "static_assert(linefilter::AreKeys<int>());\n");
  const std::string wrong = folder.Write("wrong.cc", part + "static_assert(linefilter::AreKeys<double>());\n");
  EXPECT_EQ(Compile(LINEFILTER_CXX, "c++17", fine).exit_code, 0);
  EXPECT_NE(Compile(LINEFILTER_CXX, "c++17", wrong).exit_code, 0);
}

}  // namespace
}  // namespace linefilter::test
