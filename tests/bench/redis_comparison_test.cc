// linefilter_bench_redis, end to end: three filters of one rate are compared, and nothing stays on the server. No test
// asserts how fast anything is.
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_relay.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/run_program.h"

namespace linefilter::test {
namespace {

class RedisComparisonTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(server_.ok()) << server_.why(); }
  static RunResult RunBench(const std::string& server, const std::string& num_keys) {
    std::vector<std::string> words = OurProgram(LINEFILTER_BENCH_REDIS);
    words.insert(words.end(), {"--server", server, "--num-keys", num_keys, "--rounds", "2", "--batch", "500"});
    words.insert(words.end(), {"--seconds", "0.01"});
    return RunProgram(words);
  }

  RedisServer server_;
};

TEST_F(RedisComparisonTest, ComparesFiltersOfOneRate) {
  const RunResult result = RunBench(server_.address(), "40000");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line, name;
  std::getline(lines, line);
  EXPECT_EQ(line.substr(0, 10), "per_second");
  for (const char* row : {"lookups_sync", "lookups_pipelined", "inserts_sync", "inserts_pipelined"}) {
    double blocked = 0, script = 0, bitfield = 0, quotient = 0, quotient_bitfield = 0;
    lines >> name >> blocked >> script >> bitfield >> quotient >> quotient_bitfield;
    EXPECT_EQ(name, row);
    EXPECT_GT(script, 0) << row;
    EXPECT_GT(bitfield, 0) << row;
    // The rates are printed as whole numbers, however few keys a slow machine asks in a second.
    EXPECT_NEAR(quotient, blocked / script, 0.01 * quotient + quotient * (1 / blocked + 1 / script)) << row;
    EXPECT_NEAR(quotient_bitfield, blocked / bitfield,
                0.01 * quotient_bitfield + quotient_bitfield * (1 / blocked + 1 / bitfield))
        << row;
  }
  std::getline(lines >> std::ws, line);
  for (const char* filter : {"blocked", "script", "bitfield"}) {
    int probes = 0;
    double bits = 0, expected = 0, measured = 0;
    lines >> name >> probes >> bits >> expected >> measured;
    EXPECT_EQ(name, filter);
    if (name != "blocked") {
      EXPECT_EQ(probes, 7) << "the classic filter of 1 %";
    }
    // 2e5 trials: within 4 standard deviations, and as many of the model.
    EXPECT_NEAR(expected, 0.01, 0.0011) << filter;
    EXPECT_NEAR(measured, 0.01, 0.0011) << filter;
  }
  EXPECT_EQ(RedisClient(server_.address()).Integer({"DBSIZE"}), 0) << "what it made is gone";
}

// Also of one that is lost in the midst of an upload, before the second megabyte of a string.
TEST_F(RedisComparisonTest, WhatIsHalfUploadedExpires) {
  RedisRelay relay(server_.port());
  relay.before = [](const RedisRelay::Words& words) {
    const bool is_second = words[0] == "SETRANGE" && words[1].find(":script-") != std::string::npos && words[2] != "0";
    return is_second ? RedisRelay::Act(RedisRelay::Act::kClose) : RedisRelay::Act();
  };
  EXPECT_EQ(RunBench(relay.address(), "2000000").exit_code, 1);
  RedisClient client(server_.address());
  const std::vector<RedisReply> keys = client.Do({"KEYS", "*:script-*"}).items;
  EXPECT_EQ(keys.size(), 1u);
  for (const RedisReply& key : keys) EXPECT_GT(client.Integer({"PTTL", key.text}), 0) << key.text;
}

TEST_F(RedisComparisonTest, RefusesWithASentence) {
  const RunResult result = RunBench(server_.address(), "10");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("--num-keys is outside"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace linefilter::test
