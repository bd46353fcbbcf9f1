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

// A key of the store may be missing in a later generation, so its removal would take another key's entry.
TEST_F(ToolsRedisRemoval, IsOfTheGenerationThatHadTheKeys) {
  RedisJson({"add", "seen", "-"}, 0, Lines(0, 100));
  const std::string first = Generation();
  EXPECT_EQ(RedisJson({"add", "seen", "-", "--remove"}, 0, Lines(0, 10))["removed"], 10) << "there was no other one";
  EXPECT_EQ(RedisJson({"add", "seen", "-", "--remove", "--generation", first}, 0, Lines(10, 20))["removed"], 10);
  EXPECT_EQ(Begin({"--removable"}).exit_code, 0);
  RedisJson({"switch", "seen", "--add", dir_.Write("keys", Lines(20, 100))});
  RedisJson({"switch", "seen", "--commit"});
  const std::string second = Generation();
  ASSERT_NE(second, first);
  ExpectFailure(Redis({"add", "seen", "-", "--remove"}, Lines(20, 30)), "so give --generation");
  const json of_first = RedisJson({"add", "seen", "-", "--remove", "--generation", first}, 2, Lines(20, 30));
  EXPECT_EQ(of_first["unknown"], 10);
  EXPECT_EQ(RedisJson({"query", "seen", "-"}, 0, Lines(20, 100))["maybe"], 80) << "nothing was removed";
  EXPECT_EQ(RedisJson({"add", "seen", "-", "--remove", "--generation", second}, 0, Lines(20, 30))["removed"], 10);
}

TEST_F(ToolsRedisRemoval, PrintsTheKeysOfAnOutcome) {
  Redis({"add", "seen", "-"}, "a\nb\nc\n");
  EXPECT_EQ(Redis({"add", "seen", "-", "--remove", "--print", "removed"}, "a\nx\nb").out, "a\nb\n");
  EXPECT_EQ(Redis({"add", "seen", "-", "--remove", "--print", "absent"}, "a\nc\n").out, "a\n");
  EXPECT_EQ(Redis({"add", "seen", "-", "--remove", "--print", "failed"}, "c\n").out, "");
  const RunResult unknown =
      Redis({"add", "seen", "-", "--remove", "--print", "unknown", "--generation", "0123456789abcdef"}, "c\nd\n");
  EXPECT_EQ(unknown.out, "c\nd\n");
  EXPECT_EQ(unknown.exit_code, 2);
}

// It fails within the second batch of 4,096 keys. What failed is printed, and the sentence tells where the rest begins.
TEST_F(ToolsRedisRemoval, TellsWhereItEnded) {
  RedisJson({"add", "seen", "-"}, 0, Lines(0, 10000));
  RedisRelay relay(server_->port());
  std::atomic<int> looks{0};  // at the record: two for each 64 keys
  relay.after = [&](const RedisRelay::Words& words) {
    looks += words[0] == "GETRANGE" && words[1] == "seen";
    if (looks == 150) client_->Do({"CONFIG", "SET", "maxmemory", "1"});
  };
  const RunResult result =
      Run({"redis", "add", "seen", "-", "--remove", "--print", "failed", "--server", relay.address()}, Lines(0, 10000));
  client_->Do({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(result.exit_code, 2);
  const int failed = static_cast<int>(std::count(result.out.begin(), result.out.end(), '\n'));
  EXPECT_GT(failed, 3000);
  EXPECT_EQ(result.out, Lines(8192 - failed, 8192)) << "and no third batch";
  EXPECT_NE(result.err.find("after 8192 keys, "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find(", " + std::to_string(failed) + " failed, "), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("with --generation " + Generation() + "."), std::string::npos) << result.err;
  const json rest = RedisJson({"add", "seen", "-", "--remove"}, 0, result.out + Lines(8192, 10000));
  EXPECT_EQ(rest["removed"], failed + 1808);
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
  EXPECT_EQ(Begin({"--not-removable"}).exit_code, 0);
  RedisJson({"switch", "seen", "--commit"});
  EXPECT_EQ(RedisJson({"info", "seen"})["layout"], "blocked");
}

}  // namespace
}  // namespace linefilter::test
