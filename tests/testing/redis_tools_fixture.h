// What the tests of `linefilter redis` share: a server for all of them, emptied before each.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_TOOLS_FIXTURE_H_
#define LINEFILTER_TESTS_TESTING_REDIS_TOOLS_FIXTURE_H_

#include <stdlib.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/tools_fixture.h"

namespace linefilter::test {

class RedisToolsTest : public ToolsTest {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RedisServer>(); }
  static void TearDownTestSuite() { server_.reset(); }
  void SetUp() override {
    ToolsTest::SetUp();
    unsetenv("LINEFILTER_REDIS_PASSWORD");  // of whoever runs the tests: our servers have none
    ASSERT_TRUE(server_->ok()) << server_->why();
    client_ = std::make_unique<RedisClient>(server_->address());
    client_->Do({"FLUSHALL"});
  }

  // linefilter redis COMMAND ... --server ours, which has all the time it needs
  static std::vector<std::string> Words(std::vector<std::string> words) {
    words.insert(words.begin(), "redis");
    words.insert(words.end(), {"--server", server_->address()});
    for (const char* option : {"--patience", "--timeout"}) {
      if (std::find(words.begin(), words.end(), option) == words.end()) words.insert(words.end(), {option, "60s"});
    }
    return words;
  }
  RunResult Redis(const std::vector<std::string>& words, std::string_view input = {}) const {
    return Run(Words(words), input);
  }
  nlohmann::json RedisJson(const std::vector<std::string>& words, int exit_code = 0,
                           std::string_view input = {}) const {
    return Json(Words(words), exit_code, input);
  }
  // Exit code 2 with a sentence that has these words, and nothing on standard output.
  void ExpectFailure(const RunResult& result, const std::string& words, int exit_code = 2) const {
    EXPECT_EQ(result.exit_code, exit_code) << words << ": " << result.out;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "") << words;
    EXPECT_EQ(result.err.find("::"), std::string::npos) << "names of C++ are not for this reader: " << result.err;
  }
  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (const RedisReply& key : client_->Do({"KEYS", "*"}).items) keys.push_back(key.text);
    return keys;
  }
  // The one shard of the only filter.
  std::string ShardOf(const std::string& name) const {
    for (const std::string& key : Keys()) {
      if (key.compare(0, name.size() + 2, "{" + name + ":") == 0) return key;
    }
    ADD_FAILURE() << name << " has no shard";
    return "";
  }

  static inline std::unique_ptr<RedisServer> server_;
  std::unique_ptr<RedisClient> client_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_TOOLS_FIXTURE_H_
