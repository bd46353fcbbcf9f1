// Keys leave a filter in Redis by the program: only from the generation that had them, and whoever is interrupted knows
// how to go on.
#include <algorithm>

#include "tests/testing/redis_relay.h"
#include "tests/tools/tools_redis_test.h"

namespace linefilter::test {
namespace {

class ToolsRedisRemoval : public ToolsRedisTest {
 protected:
  void SetUp() override {
    ToolsRedisTest::SetUp();
    if (!HasFatalFailure()) made_ = RedisJson(With("create", {"--removable"}));
  }
  static std::vector<std::string> With(const char* command, const std::vector<std::string>& more) {
    std::vector<std::string> words = {command, "seen", "--num-keys", "1e4"};
    if (std::find(more.begin(), more.end(), "--fpr") == more.end()) words.insert(words.end(), {"--fpr", "0.0001"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string Generation() const { return RedisJson({"info", "seen"})["generation"]; }
  RunResult Begin(std::vector<std::string> more) const {
    more.push_back("--begin");
    return Redis(With("switch", more));
  }

  json made_;
};

TEST_F(ToolsRedisRemoval, IsToldByAllThatTellOfTheFilter) {
  EXPECT_EQ(made_["removable"], true);
  EXPECT_EQ(RedisJson({"info", "seen"})["removable"], true);
  const std::string set = Build("set", Lines(0, 10), {"--fpr", "0.01", "--layout", "quotient"});
  EXPECT_EQ(RedisJson({"load", "set", set})["removable"], false);
  EXPECT_FALSE(RedisJson({"create", "bits", "--num-keys", "10", "--fpr", "0.1"}).contains("removable"));
  EXPECT_GT(RedisJson({"create", "old", "--num-keys", "1e4", "--fpr", "0.0001", "--removable", "--turnovers",
                       "20"})["body_bytes"],
            made_["body_bytes"]);
}

// Without a word of it, removals would begin to be refused after the switch.
TEST_F(ToolsRedisRemoval, EndsWithAGenerationOnlyIfThatIsSaid) {
  for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--layout", "quotient"}}) {
    ExpectFailure(Begin(more), "--not-removable if nobody removes keys any more");
  }
  const std::string set = Build("set", Lines(0, 10), {"--fpr", "0.01", "--layout", "quotient"});
  ExpectFailure(Redis({"switch", "seen", set, "--no-writers"}), "an image that was made with --removable");
  EXPECT_EQ(Begin({"--removable", "--turnovers", "5"}).exit_code, 0);
  RedisJson({"switch", "seen", "--commit"});
  const json turned = RedisJson({"info", "seen"});
  EXPECT_EQ(turned["removable"], true);
  EXPECT_GT(turned["body_bytes"], made_["body_bytes"]);
  EXPECT_EQ(Begin({"--layout", "counting", "--fpr", "0.01"}).err, "") << "that gives them back, too";
  RedisJson({"switch", "seen", "--abandon"});
  EXPECT_EQ(Begin({"--not-removable"}).exit_code, 0);
  RedisJson({"switch", "seen", "--commit"});
  EXPECT_EQ(RedisJson({"info", "seen"})["layout"], "blocked");
}

}  // namespace
}  // namespace linefilter::test
