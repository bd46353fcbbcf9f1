// doc/SCALE.md: its plans are those that the program computes.
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/documents.h"
#include "tests/testing/temp_dir.h"

namespace linefilter {
namespace {

const std::string kDocs = std::string(LINEFILTER_SOURCE_DIR) + "/doc/";

TEST(Scale, ItsPlansAreThoseOfTheProgram) {
  const test::TempDir folder;
  int plans = 0;
  for (const test::CodeBlock& block : test::CodeBlocks(test::ReadFile(kDocs + "SCALE.md"))) {
    if (!test::RunBlock(folder, "SCALE.md", block)) continue;
    EXPECT_NE(block.code.find("linefilter plan --redis"), std::string::npos) << block.code;
    EXPECT_NE(block.output, "") << "SCALE.md:" << block.line << " does not show what comes out";
    ++plans;
  }
  EXPECT_GE(plans, 3) << "1e8, 1e10 and 1e12 keys";
}

// Each example names how many keys it is about.
TEST(Scale, HasTheThreeSizes) {
  const std::string page = test::ReadFile(kDocs + "SCALE.md");
  for (const char* keys : {"1e8", "1e10", "1e12"}) {
    EXPECT_NE(page.find(std::string("linefilter plan --redis --num-keys ") + keys + " "), std::string::npos) << keys;
  }
}

}  // namespace
}  // namespace linefilter
