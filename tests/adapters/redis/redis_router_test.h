// What the parts of redis_router_test share: a router, and a server for all tests that do it no harm.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_ROUTER_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_ROUTER_TEST_H_

#include <string>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {

using test::PatientServers;
using test::RedisClient;
using test::RedisReplies;
using test::RedisServer;
using test::RedisServerOptions;

// All tests that do the server no harm.
inline RedisServer& Shared() {
  static RedisServer server;
  return server;
}

class RedisRouter : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Shared().ok()) << Shared().why();
    RedisClient(Shared().address()).Do({"FLUSHALL"});
  }

  // A router of the shared server.
  Status Connect() { return router_.Connect(PatientServers(Shared().address())); }

  Router router_;
  Batch batch_;
  RedisReplies replies_;
};

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_ROUTER_TEST_H_
