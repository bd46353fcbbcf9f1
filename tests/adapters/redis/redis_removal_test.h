// What tests of removals from filters in Redis share.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_REMOVAL_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_REMOVAL_TEST_H_

#include <algorithm>
#include <string>
#include <vector>

#include "tests/adapters/redis/redis_filter_test.h"

namespace linefilter::test {

class RedisRemovalTest : public RedisFilterTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisFilterTest::SetUp());
    options_ = Removable(12);
  }
};

inline std::vector<RedisRemove> RemoveAll(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<RedisRemove> outcomes(hashes.size(), RedisRemove::kFailed);
  EXPECT_TRUE(IsOk(filter->RemoveHashes(hashes.data(), hashes.size(), outcomes.data())));
  return outcomes;
}

inline size_t CountOf(const std::vector<RedisRemove>& outcomes, RedisRemove wanted) {
  return static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), wanted));
}

inline std::string BodyOf(const Filter& filter) {
  return std::string(reinterpret_cast<const char*>(filter.body()), static_cast<size_t>(filter.body_bytes()));
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_REMOVAL_TEST_H_
