// Servers that speak plainly, die or stand still, in the handshake or in a batch, are an error that tells what to do.
// It is never "absent", never a hang, and no SIGPIPE (which would end this program).
#include <sys/socket.h>

#include "tests/adapters/redis/redis_tls_test.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/redis_proxy.h"

namespace linefilter::test {

// A plain server takes the handshake for a command that does not end yet, or says in plain words what it thinks of it.
TEST_F(RedisTls, APlainServerIsNamed) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = ServersOf(server.address());
  servers.deadlines.reply_ms = 300;
  servers.deadlines.admin_ms = 0;
  Router router;
  Status status = router.Connect(servers);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(Has(status, "tls-port")) << status.message();

  const LoopbackServer speaks([](int fd) {
    char bytes[4096];
    if (recv(fd, bytes, sizeof(bytes), 0) > 0) (void)send(fd, "-ERR unknown command\r\n", 22, MSG_NOSIGNAL);
    while (recv(fd, bytes, sizeof(bytes), 0) > 0) {
    }
  });
  ExpectRefused(router.Connect(ServersOf(speaks.address())), "tls-port");
}

TEST_F(RedisTls, APlainClientIsTold) {
  RedisServers servers = servers_;
  servers.tls = false;
  servers.tls_ca.clear();
  servers.deadlines.admin_ms = 0;
  Router router;
  const Status status = router.Connect(servers);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(Has(status, "TLS")) << status.message();
}

TEST_F(RedisTls, AServerMayDieInTheHandshake) {
  const auto dies_after = [](size_t bytes, bool resets) {
    return [bytes, resets](int fd) {
      char byte;
      for (size_t i = 0; i < bytes && recv(fd, &byte, 1, 0) == 1; ++i) {
      }
      const linger at_once = {1, 0};
      if (resets) (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    };
  };
  for (const size_t bytes : {0u, 1u, 100u}) {
    const LoopbackServer server(dies_after(bytes, bytes == 1));
    RedisServers servers = ServersOf(server.address());
    servers.deadlines.admin_ms = 100;
    Router router;
    const Status status = router.Connect(servers);
    EXPECT_TRUE(Says(StatusCode::kUnavailable, status, server.address()));
    EXPECT_TRUE(Has(status, "given up within 100 ms")) << "it may come back: " << status.message();
  }
}

// Before our first word: writing fails, and nothing is to be waited for.
TEST_F(RedisTls, AServerMayResetBeforeTheHandshake) {
  const LoopbackServer server([](int fd) {
    sockaddr nobody = {};
    nobody.sa_family = AF_UNSPEC;
    (void)connect(fd, &nobody, sizeof(nobody));
  });
  RedisServers servers = ServersOf(server.address());
  servers.deadlines.admin_ms = 0;
  for (int i = 0; i < 5; ++i) {
    Router router;
    const Status status = router.Connect(servers);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.message();
    EXPECT_FALSE(Has(status, "did not finish")) << status.message();
  }
}

TEST_F(RedisTls, NobodyWaitsForeverForAHandshake) {
  const LoopbackServer server([](int fd) {
    char bytes[4096];
    while (recv(fd, bytes, sizeof(bytes), 0) > 0) {
    }
  });
  RedisServers servers = ServersOf(server.address());
  servers.deadlines.reply_ms = 100;
  servers.deadlines.admin_ms = 0;
  Router router;
  EXPECT_TRUE(Says(StatusCode::kUnavailable, router.Connect(servers), "TLS handshake within 100 ms"));
}

// A connection that ends after any number of bytes, in the midst of a record's reply or between two, with and without
// TLS' own word for an end.
TEST_F(RedisTls, AServerMayDieInABatch) {
  TlsTunnel tunnel(plain_().address(), ours_->Issue({"127.0.0.1"}));
  RedisServers servers = ServersOf(tunnel.address());
  servers.deadlines.admin_ms = 0;
  servers.replica_reads = true;  // else what was answered counts only when all is
  Batch batch;
  for (size_t i = 0; i < 5000; ++i) {
    batch.Add(KeyOf("a"), Kind::kRead, 1);
    batch.Arg(uint64_t{i});
  }
  for (const size_t bytes : {200u, 201u, 1000u, 16384u, 20000u}) {
    for (const bool says_so : {false, true}) {
      tunnel.CutAfter(SIZE_MAX, false);
      Router router;
      ASSERT_TRUE(router.Connect(servers).ok());
      tunnel.CutAfter(bytes, says_so);
      RedisReplies replies;
      const Status status = replies.Run(&router, batch);
      EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.message();
      EXPECT_TRUE(Has(status, "lost") || Has(status, "no connection")) << status.message();
      for (size_t i = 0; i < batch.size(); ++i) {
        if (replies.code(i) == StatusCode::kOk) {
          ASSERT_EQ(replies.text(i), std::to_string(i));
        }
      }
    }
  }
  tunnel.CutAfter(SIZE_MAX, false);
  Router router;
  ASSERT_TRUE(router.Connect(servers).ok());
  RedisReplies replies;
  EXPECT_TRUE(replies.Run(&router, batch).ok());
}

// The way is cut after each of the commands of an insertion of many keys. The call goes on when it is there again, or
// fails. What was acknowledged is there, and what could not be asked is "maybe".
TEST_F(RedisTls, NoKeyIsLostWhenConnectionsAre) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  const std::vector<uint64_t> hashes = RandomHashes(2000, 5);
  RedisServers plain;
  plain.addresses = server.address();
  RedisFilter filter = Created(plain, "cut", 20000, test::RedisOptions(12));
  for (const size_t commands : {1u, 2u, 5u, 100u, 1500u}) {
    test::RedisProxy proxy(server.port());
    const TlsTunnel tunnel(proxy.address(), ours_->Issue({"127.0.0.1"}));
    RedisServers servers = ServersOf(tunnel.address());
    test::SetPatience(0, &servers);
    RedisFilter cut;
    ASSERT_TRUE(IsOk(cut.Open(servers, "cut")));
    proxy.CutAfter(commands, test::RedisProxy::Last::kUnanswered);
    std::vector<RedisInsert> outcomes(hashes.size());
    EXPECT_EQ(cut.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
    std::vector<uint8_t> answers(hashes.size());
    ASSERT_TRUE(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).ok());
    for (size_t i = 0; i < hashes.size(); ++i) {
      EXPECT_TRUE(outcomes[i] == RedisInsert::kFailed || answers[i] == 1);
    }
    answers.assign(hashes.size(), 0);
    EXPECT_EQ(cut.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kUnavailable);
    for (const uint8_t answer : answers) ASSERT_EQ(answer, 1);
  }
}

TEST_F(RedisTls, AStalledServerIsWaitedForNoLongerThanSaid) {
  RedisServer server(WithTls(ours_->Issue({"127.0.0.1"})));
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = ServersOf(server.address());
  const std::vector<uint64_t> hashes = RandomHashes(5000, 6);
  RedisFilter patient = Created(servers, "stalled", hashes.size(), test::RedisOptions(12));
  test::Insert(&patient, hashes);
  servers.deadlines.admin_ms = 0;
  servers.deadlines.request_ms = 200;
  RedisFilter filter;
  Status status;
  ASSERT_TRUE(test::WaitUntil([&] { return (status = filter.Open(servers, "stalled")).ok(); })) << status.message();
  server.Pause();
  // First on the connection that there is, then in handshakes.
  for (int i = 0; i < 2; ++i) {
    std::vector<uint8_t> answers(hashes.size(), 0);
    status = filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
    EXPECT_TRUE(Says(StatusCode::kUnavailable, status, "given up within 200 ms (Deadlines::request_ms)"));
    for (const uint8_t answer : answers) ASSERT_EQ(answer, 1);
  }
  bool maybe = false;
  EXPECT_FALSE(filter.MayContainHash(7, &maybe).ok());
  EXPECT_TRUE(maybe);
  server.Resume();
  EXPECT_EQ(CountMissing(&patient, hashes), 0u);
}

TEST_F(RedisTls, AServerThatWasKilledComesBack) {
  RedisServerOptions options = WithTls(ours_->Issue({"127.0.0.1"}));
  options.append_only = true;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = ServersOf(server.address());
  servers.deadlines.admin_ms = 60000;
  const std::vector<uint64_t> hashes = RandomHashes(5000, 7);
  RedisFilter filter = Created(servers, "back", hashes.size(), test::RedisOptions(12));
  test::Insert(&filter, hashes);
  ASSERT_TRUE(server.Restart()) << server.why();
  test::Insert(&filter, hashes);  // sent into what is closed: no SIGPIPE
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
}

}  // namespace linefilter::test
