// What the parts of tools_redis_test share: dumps of filters.
#ifndef LINEFILTER_TESTS_TOOLS_TOOLS_REDIS_TEST_H_
#define LINEFILTER_TESTS_TOOLS_TOOLS_REDIS_TEST_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/redis_tools_fixture.h"

namespace linefilter::test {

using nlohmann::json;

class ToolsRedisTest : public test::RedisToolsTest {
 protected:
  // Returns the path of a dump of the filter.
  std::string Dump(const std::string& name, const std::vector<std::string>& more = {}) {
    const std::string out = dir_.File("dump-" + name);
    std::vector<std::string> words = {"dump", name, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(Redis(words).exit_code, 0);
    return out;
  }
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TOOLS_TOOLS_REDIS_TEST_H_
