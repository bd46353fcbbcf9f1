// examples/fpr_test is linked with this program, so its tests run, too. Here: its README shows what the judge says.
#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/fpr_judge.h"

namespace linefilter::test {
namespace {

TEST(FprExample, ReadmeShowsWhatTheJudgeSays) {
  std::ifstream in(LINEFILTER_SOURCE_DIR "/examples/fpr_test/README.md");
  const std::string readme((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  FprLimit limit;
  limit.at_most = 0.01;
  FprCounts counts;
  counts.num_queries = QueriesForLimit(limit);
  counts.false_positives = 284;
  EXPECT_NE(readme.find(JudgeFpr(counts, limit).sentence), std::string::npos) << JudgeFpr(counts, limit).sentence;
  EXPECT_EQ(counts.num_queries, 12285u);
  EXPECT_NE(readme.find("12,285"), std::string::npos);
}

}  // namespace
}  // namespace linefilter::test
