// What the parts of redis_faults_test share: batches of GET, and a server that gives back what they ask for.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_FAULTS_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_FAULTS_TEST_H_

#include <atomic>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_fake_server.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {

using test::RedisFakeServer;
using test::RedisReplies;

inline RedisServers ServersOf(const RedisFakeServer& server, uint32_t patience_ms = 0) {
  RedisServers servers = test::PatientServers(server.address());
  servers.deadlines.admin_ms = patience_ms;
  return servers;
}

// n times GET i.
inline Batch Gets(size_t n) {
  Batch batch;
  for (size_t i = 0; i < n; ++i) {
    batch.Add(KeyOf("a"), Kind::kRead, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{i});
  }
  return batch;
}

inline std::string Bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

// What follows "GET ".
inline RedisFakeServer::Answer Echo(const std::string& command) { return Bulk(command.substr(4)); }

}  // namespace linefilter::redis_internal

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_FAULTS_TEST_H_
