// What the parts of redis_c_test share: servers and a filter as C has them.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_C_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_C_TEST_H_

#include <cstring>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/c.h"
#include "linefilter/c/redis.h"
#include "tests/adapters/redis/redis_filter_test.h"

namespace linefilter::test {

class RedisC : public RedisFilterTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisFilterTest::SetUp());
    c_servers_ = linefilter_redis_servers_new(server_->address().c_str(), &status_);
    ASSERT_NE(c_servers_, nullptr) << status_.message;
    linefilter_redis_deadlines deadlines = linefilter_redis_servers_deadlines(c_servers_);
    deadlines.request_ms = deadlines.admin_ms = deadlines.reply_ms = deadlines.connect_ms = 60000;
    ASSERT_EQ(linefilter_redis_servers_set_deadlines(c_servers_, &deadlines, &status_), LINEFILTER_OK);
    linefilter_options_init(&c_options_, sizeof(c_options_));
    c_options_.bits_per_key = 12;
  }
  void TearDown() override {
    linefilter_redis_free(filter_);
    linefilter_redis_servers_free(c_servers_);
  }
  void CreateInC(uint64_t num_keys = 1000, const linefilter_redis_layout* layout = nullptr) {
    filter_ = linefilter_redis_create(c_servers_, "seen", num_keys, &c_options_, layout, &status_);
    ASSERT_NE(filter_, nullptr) << status_.message;
  }
  bool MaybeText(const std::string& key) {
    bool maybe = false;
    EXPECT_EQ(linefilter_redis_may_contain_key(filter_, key.data(), key.size(), &maybe, &status_), LINEFILTER_OK);
    return maybe;
  }
  bool Says(const char* words) const { return strstr(status_.message, words) != nullptr; }
  linefilter_redis_info InfoInC() {
    linefilter_redis_info info;
    EXPECT_EQ(linefilter_redis_read_info(filter_, &info, &status_), LINEFILTER_OK) << status_.message;
    return info;
  }

  linefilter_status status_ = {};
  linefilter_redis_servers* c_servers_ = nullptr;
  linefilter_redis* filter_ = nullptr;
  linefilter_options c_options_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_C_TEST_H_
