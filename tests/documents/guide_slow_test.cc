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

std::vector<fs::path> PagesIn(const std::string& folder) {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(kRoot + folder)) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::sort(pages.begin(), pages.end());
  return pages;
}

class Guide : public ::testing::TestWithParam<fs::path> {};

TEST_P(Guide, ItsCodeRuns) {
  const TempDir folder;
  const std::string name = GetParam().filename();
  int ran = 0, shown = 0;
#ifdef LINEFILTER_REDIS_LIBRARIES
  const auto redis = name == "redis.md" ? std::make_unique<RedisServer>() : nullptr;
  if (redis != nullptr) {
    ASSERT_TRUE(redis->ok()) << redis->why();
    setenv("REDIS", redis->address().c_str(), 1);
  }
#else
  if (name == "redis.md") GTEST_SKIP() << "this build has no linefilter::redis (Debian and Ubuntu: libhiredis-dev)";
#endif
  for (const CodeBlock& block : CodeBlocks(ReadFile(GetParam()))) {
    if (name == "python.md") {  // its blocks make one program, which python/tests/test_docs.py runs
      EXPECT_EQ(block.language, "python") << name << ":" << block.line << " is not run";
      EXPECT_EQ(block.output, "") << name << ":" << block.line << " is compared with nothing";
      continue;
    }
    if (!RunBlock(folder, name, block)) {
      EXPECT_TRUE(block.language == "text" || block.language == "cmake") << name << ":" << block.line << " is not run";
      continue;
    }
    ++ran;
    shown += !block.output.empty();
    if (HasFailure()) return;  // what follows may need what this one left
  }
  if (name == "README.md" || name == "python.md") return;  // the list of the others
  EXPECT_GE(ran, 1) << name << " has nothing to try";
  EXPECT_GE(shown, 1) << name << " does not show what comes out";
}

TEST_P(Guide, IsListed) {
  const std::string name = GetParam().filename();
  if (name != "README.md") {
    EXPECT_NE(ReadFile(kRoot + "doc/guide/README.md").find("](" + name + ")"), std::string::npos) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Pages, Guide, ::testing::ValuesIn(PagesIn("doc/guide")), [](const auto& page) {
  return std::regex_replace(page.param.stem().string(), std::regex("[^A-Za-z0-9]"), "_");
});

TEST(Documents, WhatTheyLeadToExists) {
  std::vector<fs::path> pages = PagesIn("");
  for (const char* folder : {"doc", "doc/guide", "bench/results", "tests/conformance", "examples/redis_dedup",
                             "examples/sst_reader", "examples/uses"}) {
    for (const fs::path& page : PagesIn(folder)) pages.push_back(page);
  }
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
