// linefilter redis switch, end to end: in one go and step by step, while others add, and what it advises where it
// failed.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/redis_relay.h"
#include "tests/testing/redis_tools_fixture.h"

namespace linefilter::test {
namespace {

using nlohmann::json;

using ToolsRedisSwitch = RedisToolsTest;

TEST_F(ToolsRedisSwitch, InOneGo) {
  const std::string one = Build("one", Lines(0, 4000)), two = Build("two", Lines(3000, 5000), {"--fpr", "0.001"});
  Redis({"load", "set", one});
  const json before = RedisJson({"info", "set"});
  const json after = RedisJson({"switch", "set", two, "--no-writers"});
  EXPECT_EQ(after["step"], "switched");
  EXPECT_NE(after["generation"], before["generation"]);
  const RunResult here = Run({"query", two, "-"}, Lines(0, 6000));
  EXPECT_EQ(Redis({"query", "set", "-"}, Lines(0, 6000)).out, here.out) << "the new one alone";
}

TEST_F(ToolsRedisSwitch, StepByStepWhileOthersAdd) {
  Redis({"create", "set", "--num-keys", "1e4", "--fpr", "0.01"});
  Redis({"add", "set", "-"}, Lines(0, 1000));
  const json begun = RedisJson({"switch", "set", "--begin", "--num-keys", "2e4", "--fpr", "0.001"});
  EXPECT_EQ(begun["step"], "begun");
  EXPECT_NE(begun["writers"].get<std::string>().find("both"), std::string::npos);
  EXPECT_TRUE(begun.contains("next_generation"));
  const RunResult twice = Redis({"switch", "set", "--begin", "--num-keys", "2e4", "--fpr", "0.001"});
  ExpectFailure(twice, begun["next_generation"].get<std::string>() + " was begun, perhaps by somebody else");
  ExpectFailure(twice, "with all keys, then --commit");
  Redis({"add", "set", "-"}, "meanwhile\n");
  EXPECT_EQ(RedisJson({"query", "set", "-"}, 0, Lines(0, 1000))["maybe"], 1000) << "the old one serves";
  EXPECT_EQ(RedisJson({"switch", "set", "--add", "-"}, 0, Lines(500, 1500))["step"], "added");
  EXPECT_EQ(RedisJson({"query", "set", "-", "--count"}, 1, "key-1400\n")["absent"], 1);
  const json done = RedisJson({"switch", "set", "--commit"});
  EXPECT_EQ(done["generation"], begun["next_generation"]);
  EXPECT_FALSE(done.contains("next_generation"));
  EXPECT_EQ(Redis({"query", "set", "-", "--print", "maybe"}, "key-0\nmeanwhile\nkey-500\nkey-1499\n").out,
            "meanwhile\nkey-500\nkey-1499\n");
  ExpectFailure(Redis({"switch", "set", "--commit"}), "redis switch: ");
  ExpectFailure(Redis({"switch", "set", "--abandon"}), "redis switch: ");
}

TEST_F(ToolsRedisSwitch, Abandoned) {
  Redis({"create", "set", "--num-keys", "1e4", "--fpr", "0.01"});
  Redis({"add", "set", "-"}, "a\n");
  Redis({"switch", "set", "--begin", "--num-keys", "1e4", "--fpr", "0.01"});
  EXPECT_EQ(RedisJson({"switch", "set", "--abandon"})["step"], "abandoned");
  EXPECT_EQ(Redis({"query", "set", "-"}, "a\nb\n").out, "maybe\ta\nabsent\tb\n");
  EXPECT_FALSE(RedisJson({"info", "set"}).contains("next_generation"));
}

// An option that a step would not heed is no option of it.
TEST_F(ToolsRedisSwitch, TakesOnlyTheOptionsOfItsStep) {
  Redis({"create", "set", "--num-keys", "10", "--fpr", "0.1"});
  ExpectFailure(Redis({"switch", "set", "--begin", "--num-keys", "10", "--fpr", "0.1", "--u64"}), "--u64 goes with");
  Redis({"switch", "set", "--begin", "--num-keys", "10", "--fpr", "0.1"});
  for (const char* step : {"--commit", "--abandon"}) {
    ExpectFailure(Redis({"switch", "set", step, "--u64"}), "--u64 goes with --add");
    ExpectFailure(Redis({"switch", "set", step, "--shard-bytes", "1e6"}), "--shard-bytes goes with --begin or IMAGE");
    ExpectFailure(Redis({"switch", "set", step, "--foldable"}), "--foldable goes with --begin");
  }
}

// A key that was added since the image's were read would be in neither generation.
TEST_F(ToolsRedisSwitch, InOneGoLosesNoKeyUnasked) {
  Redis({"load", "set", Build("one", Lines(0, 4000))});
  const std::string two = Build("two", Lines(0, 4000));
  Redis({"add", "set", "-"}, "meanwhile\n");
  const RunResult refused = Redis({"switch", "set", two});
  for (const char* step : {"--no-writers", "--begin", "--add", "--load", "--commit"}) ExpectFailure(refused, step);
  EXPECT_EQ(RedisJson({"query", "set", "-"}, 0, "meanwhile\n")["maybe"], 1);
  EXPECT_FALSE(RedisJson({"info", "set"}).contains("next_generation")) << "nothing was begun";
  const std::string fixed = Build("fixed", "a\n", {"--fpr", "0.01", "--layout", "retrieval"});
  Redis({"load", "fixed", fixed});
  EXPECT_EQ(RedisJson({"switch", "fixed", fixed})["step"], "switched") << "to retrieval nobody adds";
}

// A generation that was begun is whose who began it.
TEST_F(ToolsRedisSwitch, WithAGenerationBegun) {
  Redis({"load", "set", Build("one", Lines(0, 4000))});
  const std::string id =
      RedisJson({"switch", "set", "--begin", "--num-keys", "4000", "--bits-per-key", "12"})["next_generation"];
  Redis({"add", "set", "-"}, "meanwhile\n");
  const std::string two = Build("two", Lines(4000, 8000));
  for (const char* more : {"--no-writers", "--json"}) {
    const RunResult refused = Redis({"switch", "set", two, more});
    for (const std::string& word : {id, std::string("--load"), std::string("--abandon")}) ExpectFailure(refused, word);
  }
  EXPECT_EQ(RedisJson({"info", "set"})["next_generation"], id) << "neither filled nor committed";
  const std::string other = "0123456789abcdef", keys = dir_.Write("keys", "a\n");
  for (const std::vector<std::string>& step :
       std::vector<std::vector<std::string>>{{"--load", two}, {"--add", keys}, {"--commit"}, {"--abandon"}}) {
    std::vector<std::string> words = {"switch", "set", "--generation", other};
    words.insert(words.end(), step.begin(), step.end());
    ExpectFailure(Redis(words), id);
  }
  ExpectFailure(Redis({"switch", "set", "--load", Build("small", "a\n"), "--generation", id}), "redis switch");
  EXPECT_EQ(RedisJson({"switch", "set", "--load", two, "--generation", id})["step"], "loaded");
  EXPECT_EQ(RedisJson({"switch", "set", "--commit", "--generation", id})["generation"], id);
  EXPECT_EQ(RedisJson({"query", "set", "-"}, 0, Lines(4000, 8000) + "meanwhile\n")["maybe"], 4001);
  ExpectFailure(Redis({"switch", "set", "--commit", "--generation", id}), "none");
}

// What a switch in one go advises where it failed: to let a generation serve that has not the keys of IMAGE would be to
// answer "absent" of them. So --commit is told with the number of the own one, and not at all where none was begun.
class ToolsRedisSwitchAdvice : public ToolsRedisSwitch {
 protected:
  using Act = RedisRelay::Act;

  void SetUp() override {
    ToolsRedisSwitch::SetUp();
    Redis({"load", "set", Build("one", Lines(0, 1000))});
    image_ = Build("two", Lines(1000, 2000));
    relay_.before = [this](const RedisRelay::Words& words) {
      if (words[0] != "EVAL" || words[3] != "set") return on_other_(words), Act();
      return on_change_(++changes_);
    };
  }
  // `on_change` comes before the record is written: 1 begins the generation, 2 lets it serve, 3 ends the old one.
  std::string Fail(std::function<Act(int)> on_change, const std::string& image) {
    on_change_ = std::move(on_change);
    changes_ = 0;
    const RunResult result = Run({"redis", "switch", "set", image, "--no-writers", "--server", relay_.address()});
    ExpectFailure(result, "redis switch");
    return result.err;
  }
  std::string Fail(std::function<Act(int)> on_change) { return Fail(std::move(on_change), image_); }
  static std::function<Act(int)> Refuse(int change) {
    return [change](int now) { return now == change ? Act("-ERR not now\r\n") : Act(); };
  }
  std::string Begin() {
    return RedisJson({"switch", "set", "--begin", "--num-keys", "10", "--fpr", "0.1"})["next_generation"];
  }
  static bool Has(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

  std::string image_;
  int changes_ = 0;
  std::function<Act(int)> on_change_;
  std::function<void(const RedisRelay::Words&)> on_other_ = [](const RedisRelay::Words&) {};
  RedisRelay relay_{server_->port()};  // ends before what it looks at
};

TEST_F(ToolsRedisSwitchAdvice, TellsTheCommandThatGoesOn) {
  for (const int change : {2, 3}) {
    const std::string err = Fail(Refuse(change));
    const json info = RedisJson({"info", "set"});
    const std::string id = info[change == 2 ? "next_generation" : "generation"];
    EXPECT_TRUE(Has(err, "Generation " + id + " has all keys of IMAGE: --commit --generation " + id)) << err;
    EXPECT_EQ(RedisJson({"switch", "set", "--commit", "--generation", id})["generation"], id);
    EXPECT_EQ(RedisJson({"query", "set", "-"}, 0, Lines(1000, 2000))["maybe"], 1000);
    EXPECT_FALSE(RedisJson({"info", "set"}).contains("previous_generation"));
  }
}

TEST_F(ToolsRedisSwitchAdvice, SaysThatItMayNotHaveBegun) {
  for (const bool is_begun : {false, true}) {
    const std::string err = Fail([&](int change) {
      if (is_begun && change == 1) Begin();
      return Act("-ERR not now\r\n");
    });
    EXPECT_TRUE(Has(err, "not --commit it") && Has(err, "--abandon --generation ID")) << err;
  }
  RedisJson({"switch", "set", "--abandon"});
}

TEST_F(ToolsRedisSwitchAdvice, LeavesTheGenerationOfWhoWasFaster) {
  std::string id;
  const std::string err = Fail([&](int change) {
    if (change == 1) id = Begin();
    return Act();
  });
  EXPECT_TRUE(Has(err, "generation " + id + " was begun, perhaps by somebody else")) << err;
  EXPECT_FALSE(Has(err, "all keys of IMAGE")) << err;
  EXPECT_EQ(RedisJson({"info", "set"})["next_generation"], id);
}

// --generation holds to the end of the step: another one that comes in between is not let serve.
TEST_F(ToolsRedisSwitchAdvice, CommitsNoGenerationThatCameInBetween) {
  const std::string id = Begin();
  std::string other;
  bool has_sampled = false;
  on_other_ = [&](const RedisRelay::Words& words) {
    if (words[0] != "GETRANGE" || !other.empty()) return;
    if (words[1] != "set") has_sampled = true;  // it has read the record, and found `id`
    if (words[1] != "set" || !has_sampled) return;
    RedisJson({"switch", "set", "--abandon"});
    other = Begin();
  };
  on_change_ = [](int) { return Act(); };
  ExpectFailure(Run({"redis", "switch", "set", "--commit", "--generation", id, "--server", relay_.address()}), "set");
  EXPECT_EQ(RedisJson({"info", "set"})["next_generation"], other);
}

TEST_F(ToolsRedisSwitchAdvice, AdvisesNothingWhereItWasRefused) {
  const std::string other = Build("other", Lines(0, 10), {"--bits-per-key", "12", "--seed", "7"});
  const std::string err = Fail([](int) { return Act(); }, other);
  for (const char* step : {"--commit", "--abandon", "next_generation"}) EXPECT_FALSE(Has(err, step)) << err;
}

TEST_F(ToolsRedisSwitchAdvice, GivesUpWhatLostAPart) {
  on_other_ = [&](const RedisRelay::Words& words) {
    if (changes_ != 1 || words[0] != "GETRANGE" || words[1] == "set") return;
    const std::string served = words[1];
    for (const std::string& key : Keys()) {
      if (key != "set" && key != served) client_->Do({"DEL", key});
    }
  };
  const std::string err = Fail([](int) { return Act(); });
  const std::string id = RedisJson({"info", "set"})["next_generation"];
  EXPECT_TRUE(Has(err, "no longer whole: --abandon --generation " + id)) << err;
  EXPECT_EQ(RedisJson({"switch", "set", "--abandon", "--generation", id})["step"], "abandoned");
}

}  // namespace
}  // namespace linefilter::test
