// linefilter redis bench, end to end: rates are measured, nothing stays on the server, and what comes
// out is what `linefilter plan --redis` takes. No test asserts how fast anything is.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <atomic>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/redis_relay.h"
#include "tests/testing/redis_tools_fixture.h"

namespace linefilter {
namespace {

using nlohmann::json;

class ToolsRedisBenchTest : public test::RedisToolsTest {
 protected:
  // One run for all who look at what comes out.
  const json& Measured();
  // One that would take minutes; what it says is in Err().
  pid_t StartBench(const char* num_keys, const std::string& server, const char* patience = "60s");
  std::string Err() const { return dir_.File("err"); }
};

const std::vector<std::string> kQuick = {"bench",   "--num-keys", "40000",     "--rounds", "2",
                                         "--batch", "500",        "--seconds", "0.01"};

const json& ToolsRedisBenchTest::Measured() {
  static const json measured = [this] {
    client_->Do({"SET", "mine", "kept"});
    json result = RedisJson(kQuick);
    EXPECT_EQ(Keys(), std::vector<std::string>{"mine"}) << "what it made is gone, what was there is not";
    return result;
  }();
  return measured;
}

pid_t ToolsRedisBenchTest::StartBench(const char* num_keys, const std::string& server, const char* patience) {
  std::vector<std::string> all = test::OurProgram(LINEFILTER_PROGRAM);
  all.insert(all.end(), {"redis", "bench", "--num-keys", num_keys, "--seconds", "100", "--server", server});
  all.insert(all.end(), {"--patience", patience, "--timeout", "60s"});
  const std::string err = dir_.Write("err", "");
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // of a test that is ended
#endif
    dup2(open("/dev/null", O_WRONLY), 1);
    dup2(open(err.c_str(), O_WRONLY), 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  return child;
}

TEST_F(ToolsRedisBenchTest, MeasuresWhatAServerDoes) {
  const json& result = Measured();
  // 2e5 trials: within 4 standard deviations, and as many of the model.
  for (const char* name : {"measured_fpr", "expected_fpr"}) {
    EXPECT_NEAR(result[name].get<double>(), 0.01, 0.0011) << name;
  }
  for (const char* name : {"lookups_sync", "lookups_pipelined", "inserts_sync", "inserts_pipelined"}) {
    EXPECT_GT(result[name], 0) << name;
  }
  EXPECT_EQ(result["hit_share"], 0.5) << "of the look-ups";
  EXPECT_EQ(result["new_share"], 1) << "of the inserts";
}

TEST_F(ToolsRedisBenchTest, ItsRatesAreThoseOfThePlan) {
  const json& measured = Measured();
  const std::string rates = dir_.Write("rates", measured.dump());
  const json plan = Json({"plan", "--redis", "--num-keys", "1e9", "--fpr", "0.01", "--rates", rates}, 0);
  EXPECT_EQ(plan["lookups_per_client"], measured["lookups_pipelined"]);
  EXPECT_EQ(plan["inserts_per_client"], measured["inserts_pipelined"]);
  EXPECT_EQ(plan["batch"], 500);
  EXPECT_EQ(plan["rates"], rates);
}

// The deadline is long, so that the second try of a slow machine comes in time.
TEST_F(ToolsRedisBenchTest, MeasuresCallsWhileTheServerIsIll) {
  std::vector<std::string> words = kQuick;
  words.insert(words.end(), {"--ill", "--deadline", "2s", "--rounds", "1"});
  words.erase(words.begin() + 3, words.begin() + 5);  // the rounds of kQuick
  const json result = RedisJson(words);
  EXPECT_EQ(result["deadline_ms"], 2000);
  const json& rows = result["when_ill"];
  ASSERT_EQ(rows.size(), 4u);
  const std::vector<std::string> servers = {"refuses connections", "is silent", "is silent on old connections",
                                            "has lost the filter"};
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool fails = i < 2;
    EXPECT_EQ(rows[i]["server"], servers[i]);
    EXPECT_EQ(rows[i]["answered"], i == 2 ? 1 : 0) << servers[i];
    EXPECT_GT(rows[i]["first_ms"], 0) << servers[i];
    EXPECT_EQ(rows[i]["first_ms"], rows[i]["slowest_first_ms"]) << "one round";
    for (const char* name : {"next_us", "back_ms"}) EXPECT_EQ(rows[i][name].is_null(), !fails) << servers[i] << name;
  }
  EXPECT_GT(rows[1]["first_ms"], 1000) << "nobody gives up sooner";
  EXPECT_GT(rows[2]["first_ms"], 1000) << "the old connection has most of the time";
  EXPECT_TRUE(Keys().empty()) << Keys()[0];
}

TEST_F(ToolsRedisBenchTest, CleansUpWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const pid_t child = StartBench("100000", server_->address());
    ASSERT_GT(child, 0);
    EXPECT_TRUE(test::WaitUntil([&] { return Keys().size() >= 4; })) << "two filters of two keys";
    kill(child, signal);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status;
    EXPECT_NE(test::ReadFile(Err()).find("all that was made on the server is removed"), std::string::npos);
    EXPECT_TRUE(Keys().empty()) << Keys()[0];
  }
}

// Whoever holds its removal up: what stays is said, and a second signal ends it.
TEST_F(ToolsRedisBenchTest, SaysWhatStaysWhenInterrupted) {
  std::atomic<int> removals{0};
  std::atomic<bool> is_dead{false}, holds{false}, asks_for_more{false};
  test::RedisRelay relay(server_->port());  // ends before what it looks at
  relay.before = [&](const test::RedisRelay::Words& words) {
    const bool removes = words[0] == "UNLINK" || (words[0] == "EVAL" && words[1].find("'DEL'") != std::string::npos);
    if (!removes) return test::RedisRelay::Act();
    ++removals;
    for (const std::string& word : words) asks_for_more = asks_for_more || word.find(":inserts") != std::string::npos;
    EXPECT_TRUE(!holds || test::WaitUntil([&] { return is_dead.load(); }));
    return test::RedisRelay::Act(test::RedisRelay::Act::kClose);
  };
  for (const bool twice : {false, true}) {
    holds = twice;
    is_dead = false;
    removals = 0;
    client_->Do({"FLUSHALL"});
    const pid_t child = StartBench("100000", relay.address(), "300ms");
    EXPECT_TRUE(test::WaitUntil([&] { return Keys().size() >= 4; }));
    kill(child, SIGINT);
    EXPECT_TRUE(test::WaitUntil([&] { return removals > 0; }));
    if (twice) kill(child, SIGINT);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    is_dead = true;
    const std::string err = test::ReadFile(Err());
    if (twice) {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status << err;
    } else {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 2) << status << err;
      EXPECT_NE(err.find("goes after an hour"), std::string::npos) << err;
      EXPECT_EQ(err.find("is removed"), std::string::npos) << err;
    }
    EXPECT_FALSE(Keys().empty());
  }
  EXPECT_FALSE(asks_for_more) << "each filter would be as long in vain as the first";
}

// Whom nobody could interrupt: the server removes what is left.
TEST_F(ToolsRedisBenchTest, WhatItMakesExpires) {
  const pid_t child = StartBench("100000", server_->address());
  EXPECT_TRUE(test::WaitUntil([&] {
    if (Keys().size() < 4) return false;
    for (const std::string& key : Keys()) {
      if (client_->Integer({"PTTL", key}) < 0) return false;
    }
    return true;
  })) << "each key goes by itself";
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
}

TEST_F(ToolsRedisBenchTest, RefusesWithASentence) {
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{{"--num-keys", "10"},
                                                                                    {"--num-keys", "1e10"},
                                                                                    {"--rounds", "0"},
                                                                                    {"--batch", "0"},
                                                                                    {"--batch", "1e6"},
                                                                                    {"--seconds", "0"},
                                                                                    {"--seconds", "-1"},
                                                                                    {"--fpr", "0"},
                                                                                    {"--fpr", "2"},
                                                                                    {"--wait-replicas", "1"},
                                                                                    {"NAME"}}) {
    std::vector<std::string> words = {"bench"};
    words.insert(words.end(), more.begin(), more.end());
    ExpectBadUsage(Words(words));
  }
  ExpectFailure(Run({"redis", "bench", "--ill", "--server", server_->address() + "," + server_->address()}),
                "--ill goes before one server");
  EXPECT_EQ(Run({"redis", "bench", "--server", "127.0.0.1:1", "--patience", "100ms", "--num-keys", "40000"}).exit_code,
            3);
  EXPECT_TRUE(Keys().empty());
}

}  // namespace
}  // namespace linefilter
