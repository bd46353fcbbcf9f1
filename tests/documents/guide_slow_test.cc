// doc/guide: every page ends a task, and every command and program of it is run (tests/testing/documents.h). And what
// the documents lead to exists. The page of Redis has a server of its own.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/documents.h"
#ifdef LINEFILTER_REDIS_LIBRARIES
#include "tests/testing/redis_server.h"
#endif
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = std::string(LINEFILTER_SOURCE_DIR) + "/";

std::vector<fs::path> PagesIn(const std::vector<std::string>& folders) {
  std::vector<fs::path> pages;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::directory_iterator(kRoot + folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

// The blocks of such a page make one program, which python/tests/test_docs.py runs.
bool IsInPython(const std::vector<CodeBlock>& blocks) {
  const auto is_python = [](const CodeBlock& block) { return block.language == "python"; };
  return !blocks.empty() && std::all_of(blocks.begin(), blocks.end(), is_python);
}

// A block that needs the Python module, which python/tests/test_docs.py runs, too.
bool NeedsTheModule(const CodeBlock& block) {
  return block.language == "python" && std::regex_search(block.code, std::regex("(import|from) linefilter\\b"));
}

class Guide : public ::testing::TestWithParam<fs::path> {};

TEST_P(Guide, ItsCodeRuns) {
  const TempDir folder;
  const std::string name = fs::relative(GetParam(), kRoot + "doc/guide"), text = ReadFile(GetParam());
  const std::vector<CodeBlock> blocks = CodeBlocks(text);
  if (IsInPython(blocks) || GetParam().filename() == "README.md") {
    for (const CodeBlock& block : blocks) {
      EXPECT_EQ(block.output, "") << name << ":" << block.line << " is compared with nothing";
    }
    return;
  }
  const bool needs_redis = text.find("$REDIS") != std::string::npos;
#ifdef LINEFILTER_REDIS_LIBRARIES
  const auto redis = needs_redis ? std::make_unique<RedisServer>() : nullptr;
  if (redis != nullptr) {
    ASSERT_TRUE(redis->ok()) << redis->why();
    setenv("REDIS", redis->address().c_str(), 1);
  }
#else
  if (needs_redis) GTEST_SKIP() << "this build has no linefilter::redis (Debian and Ubuntu: libhiredis-dev)";
#endif
  int ran = 0, shown = 0;
  for (const CodeBlock& block : blocks) {
    if (NeedsTheModule(block)) {
      const std::string listed = "GUIDE / \"" + GetParam().filename().string() + "\"";
      EXPECT_NE(ReadFile(kRoot + "python/tests/test_docs.py").find(listed), std::string::npos) << name << " is not run";
      EXPECT_EQ(block.output, "") << name << ":" << block.line << " is compared with nothing";
      continue;
    }
    if (!RunBlock(folder, name, block)) {
      EXPECT_TRUE(block.language == "text" || block.language == "cmake" || block.language == "yaml")
          << name << ":" << block.line << " is not run";
      continue;
    }
    ++ran;
    shown += !block.output.empty();
    if (HasFailure()) return;  // what follows may need what this one left
  }
  EXPECT_GE(ran, 1) << name << " has nothing to try";
  const bool is_table = text.find(" | here | ") != std::string::npos;
  EXPECT_TRUE(is_table || shown >= 1) << name << " does not show what comes out";
}

TEST_P(Guide, IsListed) {
  const std::string name = GetParam().filename();
  if (name != "README.md") {
    EXPECT_NE(ReadFile(GetParam().parent_path() / "README.md").find("](" + name + ")"), std::string::npos) << name;
  }
}

const std::vector<std::string> kGuide = {"doc/guide", "doc/guide/coming-from"};

INSTANTIATE_TEST_SUITE_P(Pages, Guide, ::testing::ValuesIn(PagesIn(kGuide)), [](const auto& page) {
  const std::string name = fs::relative(page.param, kRoot + "doc/guide").replace_extension();
  return std::regex_replace(name, std::regex("[^A-Za-z0-9]"), "_");
});

// What a stranger types first, from the documents alone; each line once stopped or misled somebody. (data_engineer.py
// is run by python/tests/test_docs.py.)
TEST(FirstTry, OfTheShell) {
  const TempDir folder;
  const RunResult result = RunShell(folder, ReadFile(kRoot + "tests/first_try/shell.sh"));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(FirstTry, OfAnEngineer) {
  const TempDir folder;
  const RunResult result = RunCpp(folder, ReadFile(kRoot + "tests/first_try/engine_user.cc"));
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(result.out, "all good\n");
}

TEST(Documents, WhatTheyLeadToExists) {
  const std::vector<fs::path> pages =
      PagesIn({"", "doc", "doc/guide", "doc/guide/coming-from", "bench/results", "tests/conformance",
               "examples/redis_dedup", "examples/sst_reader", "examples/uses"});
  const std::regex link = RelativeLink();
  int found = 0;
  for (const fs::path& page : pages) {
    const std::string text = std::regex_replace(ReadFile(page), std::regex("```[^`]*```"), "");
    for (auto it = std::sregex_iterator(text.begin(), text.end(), link); it != std::sregex_iterator(); ++it) {
      ++found;
      EXPECT_TRUE(fs::exists(page.parent_path() / (*it)[1].str())) << page << " leads to " << (*it)[1];
    }
  }
  EXPECT_GE(found, 30);
}

}  // namespace
}  // namespace linefilter::test
