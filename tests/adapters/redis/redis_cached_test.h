// What the parts of redis_cached_test share: a filter that can be followed, and a copy that does.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_CACHED_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_CACHED_TEST_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "linefilter/redis_cached.h"
#include "tests/adapters/redis/redis_filter_test.h"

namespace linefilter::test {

class RedisCachedTest : public RedisFilterTest {
 protected:
  static constexpr uint32_t kNeverMs = 600000;  // nothing is refreshed by itself, and nothing is too old

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisFilterTest::SetUp());
    layout_.followed_keys = 100000;
  }
  void OpenCached(RedisCachedFilter* cached, uint32_t within_ms = kNeverMs) {
    ASSERT_TRUE(IsOk(cached->Open(servers_, "seen", within_ms)));
  }
  RedisServers By(const std::string& address) const {
    RedisServers servers = servers_;
    servers.addresses = address;
    return servers;
  }
  static size_t NumMaybes(const RedisCachedFilter& cached, const std::vector<uint64_t>& hashes) {
    std::vector<uint8_t> answers(hashes.size());
    cached.MayContainHashes(hashes.data(), hashes.size(), answers.data());
    return static_cast<size_t>(std::count(answers.begin(), answers.end(), 1));
  }

  RedisLayout layout_;
  const std::vector<uint64_t> hashes_ = RandomHashes(300, 5);
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_CACHED_TEST_H_
