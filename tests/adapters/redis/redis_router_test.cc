// Batches of commands against one server: each command has exactly one answer, in order, whatever becomes of the
// handler, the process or the router. Whoever connects comes to the server, the database and the user that were named;
// what is wrong with an address, a password or an option is said at once, with its code.
#include "tests/adapters/redis/redis_router_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "lib/adapters/redis/wire/slot.h"

namespace linefilter::redis_internal {
namespace {

TEST_F(RedisRouter, AnswersInOrderWithEveryKindOfReply) {
  ASSERT_TRUE(Connect().ok());
  EXPECT_FALSE(router_.is_cluster());
  EXPECT_EQ(router_.num_masters(), 1u);
  const RedisKey key = KeyOf("a");
  batch_.Add(key, Kind::kRead, 2);
  batch_.Arg("GET");
  batch_.Arg(key.name);
  batch_.Add(key, Kind::kWrite, 4);
  batch_.Arg("SETRANGE");
  batch_.Arg(key.name);
  batch_.Arg(3);
  batch_.Arg(std::string_view("x\0\r\ny", 5));
  batch_.AddGetRange(key, Kind::kRead, 2, 6);
  batch_.AddGetRange(key, Kind::kRead, 3, 1);
  batch_.Add(key, Kind::kWrite, 8);
  for (const char* word : {"BITFIELD", "a", "SET", "u1", "7", "1", "GET", "u64"}) batch_.Arg(word);
  batch_.Add(key, Kind::kWrite, 9);
  for (const char* word : {"BITFIELD", "a", "SET", "u1", "7", "1", "GET", "i64"}) batch_.Arg(word);
  batch_.Arg(uint64_t{0});
  batch_.Add(key, Kind::kRead, 5);
  for (const char* word : {"EVAL", "return {1,'two',{3,{}},false,-4}", "1", "a", ""}) batch_.Arg(word);
  batch_.Add(key, Kind::kCheck, 2);
  batch_.Arg("STRLEN");
  batch_.Arg(key.name);
  const Status status = replies_.Run(&router_, batch_);
  EXPECT_EQ(replies_.text(0), "nil");
  EXPECT_EQ(replies_.text(1), "8");
  EXPECT_EQ(replies_.text(2), std::string("\0x\0\r\ny", 6));
  EXPECT_EQ(replies_.text(3), "x");
  EXPECT_EQ(replies_.code(4), StatusCode::kIoError) << replies_.text(4);  // a word is missing
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_STREQ(status.message(), replies_.text(4).c_str());
  EXPECT_EQ(replies_.text(5), "[0 72058109434858105]");
  EXPECT_EQ(replies_.text(6), "[1 two [3 []] nil -4]");
  EXPECT_EQ(replies_.text(7), "8");
}

TEST_F(RedisRouter, RunsHugeBatches) {
  ASSERT_TRUE(Connect().ok());
  const RedisKey key = KeyOf("a");
  constexpr int kCommands = 50000;
  for (int i = 0; i < kCommands; ++i) {
    batch_.Add(key, Kind::kWrite, 2);
    batch_.Arg("INCR");
    batch_.Arg(key.name);
  }
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (int i = 0; i < kCommands; ++i) ASSERT_EQ(replies_.text(static_cast<size_t>(i)), std::to_string(i + 1));
  batch_.Clear();
  EXPECT_EQ(batch_.size(), 0u);
  EXPECT_TRUE(replies_.Run(&router_, batch_).ok());
}

TEST_F(RedisRouter, CarriesLargeStringsBothWays) {
  ASSERT_TRUE(Connect().ok());
  const RedisKey key = KeyOf("a");
  std::string large(20 << 20, 'x');
  for (size_t i = 0; i < large.size(); i += 4093) large[i] = static_cast<char>(i);
  for (int i = 0; i < 3; ++i) {
    batch_.Add(key, Kind::kWrite, 3);
    batch_.Arg("SET");
    batch_.Arg(key.name);
    batch_.Arg(large);
    batch_.Add(key, Kind::kRead, 2, kMostStringBytes);
    batch_.Arg("GET");
    batch_.Arg(key.name);
  }
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (size_t i = 1; i < 6; i += 2) EXPECT_TRUE(replies_.text(i) == large);
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GETRANGE", "a", "0", "4"}).ok());
  EXPECT_EQ(replies_.text(0), large.substr(0, 5));
}

TEST_F(RedisRouter, AFullServerIsOverItsLimitAndOthersCommandsRun) {
  RedisServerOptions options;
  options.max_memory = 8 << 20;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  ASSERT_TRUE(router_.Connect(PatientServers(server.address())).ok());
  const std::string mebibyte(1 << 20, 'x');
  const RedisKey small = KeyOf("small");
  for (int i = 0; i < 20; ++i) {
    const RedisKey key = KeyOf("k" + std::to_string(i));
    batch_.Add(key, Kind::kWrite, 3);
    batch_.Arg("SET");
    batch_.Arg(key.name);
    batch_.Arg(mebibyte);
  }
  batch_.Add(small, Kind::kRead, 2);
  batch_.Arg("STRLEN");
  batch_.Arg("k0");
  EXPECT_TRUE(test::Says(StatusCode::kOverLimit, replies_.Run(&router_, batch_), "maxmemory"));
  EXPECT_EQ(replies_.code(0), StatusCode::kOk);
  EXPECT_EQ(replies_.code(19), StatusCode::kOverLimit);
  EXPECT_EQ(replies_.text(20), "1048576");
}

// A handler that throws at the n-th answer, as one may that allocates.
class Thrower final : public ReplyHandler {
 public:
  void OnReply(size_t command, const Reply&) override {
    if (command == 3) throw std::runtime_error("no memory");
  }
  void OnError(size_t, const Status&) override {}
};

TEST_F(RedisRouter, IsUsableAfterAnExceptionOfTheHandler) {
  ASSERT_TRUE(Connect().ok());
  for (int i = 0; i < 10; ++i) {
    batch_.Add(KeyOf("a"), Kind::kRead, 2);
    batch_.Arg("ECHO");
    batch_.Arg(i);
  }
  Thrower thrower;
  EXPECT_THROW((void)router_.Run(batch_, &thrower), std::runtime_error);
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(replies_.text(i), std::to_string(i));
}

// Two processes on one connection would read each other's replies.
TEST_F(RedisRouter, AChildHasConnectionsOfItsOwn) {
  ASSERT_TRUE(Connect().ok());
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok());
  const uint64_t connections = router_.num_connections();
  const pid_t child = fork();
  if (child == 0) {
    const bool is_right = replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok() && replies_.text(0) == "1";
    _exit(is_right && router_.num_connections() > connections ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(router_.num_connections(), connections);
}

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
    EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, router_.Connect(servers), "RedisServers::database"));
  }
  // What was connected before still is.
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(replies_.text(0), "three");
}

TEST_F(RedisRouter, SaysWhatIsWrongWithAnAddress) {
  for (const char* wrong : {"", ",", "host:", "host:0", "host:65536", "host:12x", ":6379", "unix:", "::1", "[::1",
                            "[::1]x", "127.0.0.1:1,"}) {
    EXPECT_TRUE(
        test::Says(StatusCode::kInvalidArgument, router_.Connect(PatientServers(wrong)), "RedisServers::addresses"))
        << wrong;
  }
  EXPECT_EQ(router_.Connect(PatientServers("unix:/" + std::string(200, 'p'))).code(), StatusCode::kInvalidArgument)
      << "the system would cut it";
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
  servers.deadlines.admin_ms = 0;
  EXPECT_EQ(router_.Connect(servers).code(), StatusCode::kUnavailable) << "a path may have one";
}

TEST_F(RedisRouter, TakesTheFirstAddressThatAnswers) {
  EXPECT_TRUE(router_.Connect(PatientServers("unix:/no/such/socket, 127.0.0.1:1," + Shared().address())).ok());
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
}

TEST_F(RedisRouter, GivesUpOnWhatIsUnreachable) {
  for (const uint32_t patience_ms : {0u, 100u}) {
    RedisServers servers = PatientServers("127.0.0.1:1");
    servers.deadlines.admin_ms = patience_ms;
    const Status status = router_.Connect(servers);
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    const std::string text = status.message();
    EXPECT_NE(text.find("127.0.0.1:1"), std::string::npos) << text;
    EXPECT_NE(text.find("refused"), std::string::npos) << text;
    EXPECT_EQ(text.find("given up within 100 ms") != std::string::npos, patience_ms != 0) << text;
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
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, status, "RedisServers::user and password"));
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
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, router_.Connect(servers), "ACL"));
}

// A user without a password is named, too: who is not gets what the default user may.
TEST_F(RedisRouter, AUserMayHaveNoPassword) {
  RedisClient client(Shared().address());
  client.Do({"ACL", "SETUSER", "open", "reset", "on", "nopass", "~a*", "+get", "+role", "+cluster|slots"});
  client.Do({"ACL", "SETUSER", "closed", "reset", "on", ">pw", "~a*", "+get", "+role", "+cluster|slots"});
  RedisServers servers = PatientServers(Shared().address());
  servers.user = "open";
  ASSERT_TRUE(test::IsOk(router_.Connect(servers)));
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(replies_.Run(&router_, "b", Kind::kRead, {"GET", "b"}).code(), StatusCode::kInvalidArgument);
  servers.user = "closed";
  EXPECT_EQ(router_.Connect(servers).code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace linefilter::redis_internal
