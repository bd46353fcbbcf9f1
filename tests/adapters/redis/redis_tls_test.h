// What the parts of redis_tls_test share: authorities with their certificates, and servers that have some.
#ifndef LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_TLS_TEST_H_
#define LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_TLS_TEST_H_

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/testing/certificates.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_fake_server.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/tls_tunnel.h"

namespace linefilter::test {

using redis_internal::Batch;
using redis_internal::KeyOf;
using redis_internal::Kind;
using redis_internal::Router;

inline bool Has(const Status& status, const std::string& words) {
  return std::string(status.message()).find(words) != std::string::npos;
}

// One authority, and servers that are started when a test wants them.
class RedisTls : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TempDir;
    ours_ = new Authority(folder_->path(), "ours");
    theirs_ = new Authority(folder_->path(), "theirs");
    server_ = new RedisServer(WithTls(ours_->Issue({"127.0.0.1"})));
  }
  static void TearDownTestSuite() {
    delete server_;
    delete theirs_;
    delete ours_;
    delete folder_;
  }
  void SetUp() override {
    ASSERT_TRUE(server_->ok()) << server_->why();
    servers_ = ServersOf(server_->address());
  }

  static RedisServerOptions WithTls(const Certificate& certificate) {
    RedisServerOptions options;
    options.tls_certificate = certificate.certificate;
    options.tls_key = certificate.key;
    options.tls_ca = ours_->file();
    return options;
  }
  static RedisServers ServersOf(const std::string& address) {
    RedisServers servers;
    servers.addresses = address;
    servers.tls = true;
    servers.tls_ca = ours_->file();
    servers.deadlines.reply_ms = 20000;  // a machine that stands still is no fault
    servers.deadlines.connect_ms = servers.deadlines.request_ms = 20000;
    servers.deadlines.pause_ms = 0;
    return servers;
  }
  // Through a tunnel with this certificate.
  static Status ConnectTo(const Certificate& certificate, RedisServers servers) {
    const TlsTunnel tunnel(plain_().address(), certificate);
    servers.addresses = tunnel.address();
    Router router;
    return router.Connect(servers);
  }
  // It refuses at once, with such a sentence.
  static void ExpectRefused(const Status& status, const std::string& words) {
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, status, words));
    EXPECT_FALSE(Has(status, "given up")) << status.message();
  }
  static RedisFakeServer& plain_() {
    static RedisFakeServer server(
        [](const std::string& command) { return "$" + std::to_string(command.size()) + "\r\n" + command + "\r\n"; });
    return server;
  }

  static inline test::TempDir* folder_ = nullptr;
  static inline Authority *ours_ = nullptr, *theirs_ = nullptr;
  static inline RedisServer* server_ = nullptr;
  RedisServers servers_;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_ADAPTERS_REDIS_REDIS_TLS_TEST_H_
