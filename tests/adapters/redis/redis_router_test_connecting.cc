// Whoever connects comes to the server, the database and the user that were named; what is wrong with an address, a
// password or an option is said at once, with its code.
#include <utility>

#include "tests/adapters/redis/redis_router_test.h"

namespace linefilter::redis_internal {

TEST_F(RedisRouter, SpeaksThroughAUnixSocket) {
  RedisServerOptions options;
  options.unix_socket = true;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  ASSERT_TRUE(router_.Connect(PatientServers(server.address())).ok());
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok());
  EXPECT_EQ(RedisClient(server.address()).Text({"GET", "a"}), "1");
}

TEST_F(RedisRouter, SelectsItsDatabase) {
  RedisServers servers = PatientServers(Shared().address());
  servers.database = 3;
  ASSERT_TRUE(router_.Connect(servers).ok());
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "three"}).ok());
  EXPECT_EQ(RedisClient(Shared().address()).Do({"GET", "a"}).kind, test::RedisReply::Kind::kNil);
  for (const int wrong : {-1, 999}) {
    servers.database = wrong;
    const Status status = router_.Connect(servers);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();
    EXPECT_NE(std::string(status.message()).find("RedisServers::database"), std::string::npos) << status.message();
  }
  // What was connected before still is.
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(replies_.text(0), "three");
}

TEST_F(RedisRouter, SaysWhatIsWrongWithAnAddress) {
  for (const char* wrong : {"", ",", "host:", "host:0", "host:65536", "host:12x", ":6379", "unix:", "::1", "[::1",
                            "[::1]x", "127.0.0.1:1,"}) {
    const Status status = router_.Connect(PatientServers(wrong));
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << wrong << ": " << status.message();
    EXPECT_NE(std::string(status.message()).find("RedisServers::addresses"), std::string::npos) << status.message();
  }
  EXPECT_FALSE(router_.is_connected());
  EXPECT_EQ(router_.Connect(PatientServers("unix:/" + std::string(200, 'p'))).code(), StatusCode::kInvalidArgument)
      << "the system would cut it";
  const Status status = replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();
}

TEST_F(RedisRouter, APasswordInAnAddressIsRefusedAndNotShown) {
  for (const char* wrong : {"redis://:hunter2@127.0.0.1:6379", "hunter2@127.0.0.1", "redis://user:hunt,er2@h/0",
                            "unix:/no/such,hunter2@h:1"}) {
    const Status status = router_.Connect(PatientServers(wrong));
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << wrong;
    const std::string text = status.message();
    EXPECT_NE(text.find("RedisServers::user and password"), std::string::npos) << text;
    EXPECT_EQ(text.find("hunt"), std::string::npos) << text;
  }
  RedisServers servers = PatientServers("unix:/no/such/@socket");
  servers.patience_ms = 0;
  EXPECT_EQ(router_.Connect(servers).code(), StatusCode::kUnavailable) << "a path may have one";
}

TEST_F(RedisRouter, TakesTheFirstAddressThatAnswers) {
  EXPECT_TRUE(router_.Connect(PatientServers("unix:/no/such/socket, 127.0.0.1:1," + Shared().address())).ok());
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
}

TEST_F(RedisRouter, GivesUpOnWhatIsUnreachable) {
  for (const uint32_t patience_ms : {0u, 100u}) {
    RedisServers servers = PatientServers("127.0.0.1:1");
    servers.patience_ms = patience_ms;
    const Status status = router_.Connect(servers);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    const std::string text = status.message();
    EXPECT_NE(text.find("127.0.0.1:1"), std::string::npos) << text;
    EXPECT_NE(text.find("refused"), std::string::npos) << text;
    EXPECT_EQ(text.find("given up after 100 ms") != std::string::npos, patience_ms != 0) << text;
  }
}

TEST_F(RedisRouter, SaysAtOnceThatAPasswordIsMissingWrongOrTooMuch) {
  RedisServerOptions options;
  options.password = "secret";
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = PatientServers(server.address());
  EXPECT_EQ(router_.Connect(servers).code(), StatusCode::kInvalidArgument);
  servers.password = "wrong";
  Status status = router_.Connect(servers);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("RedisServers::user and password"), std::string::npos)
      << status.message();
  servers.password = "secret";
  EXPECT_TRUE(router_.Connect(servers).ok());

  servers.addresses = Shared().address();
  status = router_.Connect(servers);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.message();

  options.password.clear();
  options.more = {"--rename-command", "AUTH", "\"\""};
  RedisServer renamed(options);
  ASSERT_TRUE(renamed.ok()) << renamed.why();
  servers.addresses = renamed.address();
  status = router_.Connect(servers);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()).find("secret"), std::string::npos) << status.message();
}

// Whoever gives a certificate believes that the connection is encrypted.
TEST_F(RedisRouter, OptionsOfTlsAreRefusedWithoutTls) {
  const std::pair<const char*, std::string RedisServers::*> options[] = {
      {"tls_ca", &RedisServers::tls_ca},
      {"tls_certificate", &RedisServers::tls_certificate},
      {"tls_key", &RedisServers::tls_key},
      {"tls_server_name", &RedisServers::tls_server_name}};
  for (const auto& [name, option] : options) {
    RedisServers servers = PatientServers(Shared().address());
    servers.*option = "x";
    const Status status = router_.Connect(servers);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(std::string(status.message()).find("RedisServers::" + std::string(name) + " is given without"), 0u)
        << status.message();
  }
}

TEST_F(RedisRouter, SaysAtOnceWhatAUserMayNot) {
  RedisClient client(Shared().address());
  client.Do({"ACL", "SETUSER", "reader", "reset", "on", ">pw", "~a*", "+get", "+role", "+cluster|slots"});
  client.Do({"ACL", "SETUSER", "blind", "reset", "on", ">pw", "~a*", "+get"});
  RedisServers servers = PatientServers(Shared().address());
  servers.user = "reader";
  servers.password = "pw";
  ASSERT_TRUE(router_.Connect(servers).ok());
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(replies_.Run(&router_, "b", Kind::kRead, {"GET", "b"}).code(), StatusCode::kInvalidArgument);
  servers.user = "blind";  // who may not ask whether it is a replica
  const Status status = router_.Connect(servers);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("ACL"), std::string::npos) << status.message();
}

// A user without a password is named, too: who is not gets what the default user may.
TEST_F(RedisRouter, AUserMayHaveNoPassword) {
  RedisClient client(Shared().address());
  client.Do({"ACL", "SETUSER", "open", "reset", "on", "nopass", "~a*", "+get", "+role", "+cluster|slots"});
  client.Do({"ACL", "SETUSER", "closed", "reset", "on", ">pw", "~a*", "+get", "+role", "+cluster|slots"});
  RedisServers servers = PatientServers(Shared().address());
  servers.user = "open";
  const Status status = router_.Connect(servers);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(replies_.Run(&router_, "b", Kind::kRead, {"GET", "b"}).code(), StatusCode::kInvalidArgument);
  servers.user = "closed";
  EXPECT_EQ(router_.Connect(servers).code(), StatusCode::kInvalidArgument);
}

}  // namespace linefilter::redis_internal
