// Batches of commands against one server: each command has exactly one answer, in order, whatever happens to the server
// and the connection; and what cannot be done is said with its code.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "lib/adapters/redis/wire/slot.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/redis_server.h"

namespace linefilter::redis_internal {
namespace {

using test::PatientServers;
using test::RedisClient;
using test::RedisReplies;
using test::RedisServer;
using test::RedisServerOptions;

// All tests that do the server no harm.
RedisServer& Shared() {
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
  const Status status = replies_.Run(&router_, batch_);
  EXPECT_EQ(status.code(), StatusCode::kOverLimit);
  EXPECT_NE(std::string(status.message()).find("maxmemory"), std::string::npos) << status.message();
  EXPECT_EQ(replies_.code(0), StatusCode::kOk);
  EXPECT_EQ(replies_.code(19), StatusCode::kOverLimit);
  EXPECT_EQ(replies_.text(20), "1048576");
}

TEST_F(RedisRouter, AForeignKeyIsIncompatible) {
  RedisClient(Shared().address()).Do({"LPUSH", "list", "x"});
  ASSERT_TRUE(Connect().ok());
  EXPECT_EQ(replies_.Run(&router_, "list", Kind::kRead, {"GETRANGE", "list", "0", "9"}).code(),
            StatusCode::kIncompatible);
}

TEST_F(RedisRouter, NeverAsksAReplicaUnlessToldTo) {
  RedisServerOptions options;
  options.replica_of = Shared().port();
  RedisServer replica(options);
  ASSERT_TRUE(replica.ok()) << replica.why();
  RedisServers servers = PatientServers(replica.address());
  const Status status = router_.Connect(servers);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(std::string(status.message()).find("read-only replica"), std::string::npos) << status.message();
  EXPECT_EQ(std::string(status.message()).find("given up"), std::string::npos) << "waited for nothing";

  servers.addresses += "," + Shared().address();  // the master is the other one
  ASSERT_TRUE(router_.Connect(servers).ok());
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok());

  servers.addresses = replica.address();
  servers.replica_reads = true;
  ASSERT_TRUE(router_.Connect(servers).ok());
  RedisClient client(replica.address());
  ASSERT_TRUE(test::WaitUntil([&client] { return client.Ask({"GET", "a"}).text == "1"; }));
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  EXPECT_EQ(replies_.text(0), "1");
  EXPECT_EQ(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "2"}).code(), StatusCode::kUnavailable);
}

TEST_F(RedisRouter, NoticesThatAMasterBecameAReplica) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  ASSERT_TRUE(router_.Connect(PatientServers(server.address())).ok());
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
  RedisClient(server.address()).Do({"REPLICAOF", "127.0.0.1", std::to_string(Shared().port())});
  // The connection stays, and answers. (A write would be refused at once.)
  EXPECT_EQ(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).code(), StatusCode::kUnavailable);
  EXPECT_EQ(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "2"}).code(), StatusCode::kUnavailable);
}

TEST_F(RedisRouter, NoticesThatAMasterCameBackAsAReplica) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  ASSERT_TRUE(router_.Connect(PatientServers(server.address())).ok());
  RedisClient client(server.address());
  client.Do({"REPLICAOF", "127.0.0.1", std::to_string(Shared().port())});
  client.Do({"CLIENT", "KILL", "TYPE", "normal"});  // as Sentinel does; not the connection that says so
  EXPECT_EQ(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).code(), StatusCode::kUnavailable);
  EXPECT_NE(replies_.text(0).find("read-only replica"), std::string::npos) << replies_.text(0);
}

TEST_F(RedisRouter, WaitsForReplicas) {
  RedisServers servers = PatientServers(Shared().address());
  servers.wait_replicas = 1;
  servers.wait_ms = 50;
  ASSERT_TRUE(router_.Connect(servers).ok());
  const Status status = replies_.Run(&router_, "a", Kind::kInsert, {"SET", "a", "1"});
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(std::string(status.message()).find("0 of 1 replicas"), std::string::npos) << status.message();
  EXPECT_EQ(replies_.text(0), "OK");
  EXPECT_FALSE(router_.is_replicated());
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok()) << "nothing was written";
  EXPECT_TRUE(replies_.Run(&router_, "b", Kind::kWrite, {"SET", "b", "1"}).ok()) << "brings no keys";
  EXPECT_TRUE(router_.is_replicated());
  batch_.Add(KeyOf("a"), Kind::kInsert, 1);  // another error hides it, but does not make it true
  batch_.Arg("NONSENSE");
  batch_.Add(KeyOf("a"), Kind::kInsert, 3);
  for (const char* word : {"SET", "a", "1"}) batch_.Arg(word);
  EXPECT_EQ(replies_.Run(&router_, batch_).code(), StatusCode::kUnsupported);
  EXPECT_EQ(replies_.text(1), "OK");
  EXPECT_FALSE(router_.is_replicated());

  RedisServerOptions options;
  options.replica_of = Shared().port();
  RedisServer replica(options);
  ASSERT_TRUE(replica.ok()) << replica.why();
  servers.wait_ms = test::kLongMs;
  ASSERT_TRUE(router_.Connect(servers).ok());
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kInsert, {"SET", "a", "2"}).ok());
  EXPECT_TRUE(router_.is_replicated());
  EXPECT_EQ(RedisClient(replica.address()).Text({"GET", "a"}), "2");
}

TEST_F(RedisRouter, ASilentServerIsUnavailableAndAnswersAreNotMixedUpLater) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = PatientServers(server.address());
  servers.timeout_ms = 50;
  servers.connect_timeout_ms = 50;
  servers.patience_ms = 0;
  ASSERT_TRUE(test::WaitUntil([&] {  // a slow server is as silent for a while
    return router_.Connect(servers).ok() && replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok();
  }));
  server.Pause();
  for (int i = 0; i < 2; ++i) {
    const Status status = replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"});
    EXPECT_EQ(status.code(), StatusCode::kUnavailable);
    EXPECT_NE(std::string(status.message()).find("did not answer"), std::string::npos) << status.message();
  }
  server.Resume();
  ASSERT_TRUE(test::WaitUntil([this] { return replies_.Run(&router_, "a", Kind::kRead, {"STRLEN", "a"}).ok(); }));
  EXPECT_EQ(replies_.text(0), "1") << "and not the reply to GET";
}

TEST_F(RedisRouter, PatienceOutlastsAPause) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = PatientServers(server.address());
  servers.timeout_ms = 30;
  ASSERT_TRUE(router_.Connect(servers).ok());
  const uint64_t connections = router_.num_connections();
  EXPECT_TRUE(test::WaitUntil([&] {  // once, unless this thread is so late that the pause is over
    server.Pause();
    std::thread later([&server] {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      server.Resume();
    });
    EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SETBIT", "a", "1", "1"}).ok());
    later.join();
    return router_.num_connections() > connections;
  }));
}

TEST_F(RedisRouter, PatienceOutlastsARestart) {
  RedisServerOptions options;
  options.append_only = true;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  ASSERT_TRUE(router_.Connect(PatientServers(server.address())).ok());
  const RedisKey key = KeyOf("a");
  for (int i = 0; i < 20000; ++i) {
    batch_.Add(key, Kind::kWrite, 4);
    batch_.Arg("SETBIT");
    batch_.Arg(key.name);
    batch_.Arg(i);
    batch_.Arg(1);
  }
  batch_.Add(key, Kind::kCheck, 2);
  batch_.Arg("BITCOUNT");
  batch_.Arg(key.name);
  Status status;
  std::thread runner([&] { status = replies_.Run(&router_, batch_); });
  EXPECT_TRUE(server.Restart()) << server.why();
  runner.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(replies_.text(20000), "20000");
}

TEST_F(RedisRouter, WithoutPatienceAKilledServerIsUnavailable) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = PatientServers(server.address());
  servers.patience_ms = 0;
  ASSERT_TRUE(router_.Connect(servers).ok());
  server.Kill();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).code(), StatusCode::kUnavailable);
  }
  ASSERT_TRUE(server.Restart()) << server.why();
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
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

TEST_F(RedisRouter, CanBeMoved) {
  ASSERT_TRUE(Connect().ok());
  Router other = std::move(router_);
  EXPECT_TRUE(replies_.Run(&other, "a", Kind::kRead, {"GET", "a"}).ok());
  router_ = std::move(other);
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
}

}  // namespace
}  // namespace linefilter::redis_internal
