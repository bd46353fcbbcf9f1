// Whatever happens to the server and the connection, no answer is mixed up or made up. Replicas are told from masters,
// and what is silent, paused or killed is waited for as long as patience lasts.
#include <chrono>
#include <thread>

#include "tests/adapters/redis/redis_router_test.h"

namespace linefilter::redis_internal {

TEST_F(RedisRouter, NeverAsksAReplicaUnlessToldTo) {
  RedisServerOptions options;
  options.replica_of = Shared().port();
  RedisServer replica(options);
  ASSERT_TRUE(replica.ok()) << replica.why();
  RedisServers servers = PatientServers(replica.address());
  const Status status = router_.Connect(servers);
  EXPECT_TRUE(test::Says(StatusCode::kUnavailable, status, "read-only replica"));
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
  EXPECT_TRUE(test::Says(StatusCode::kUnavailable, replies_.Run(&router_, "a", Kind::kInsert, {"SET", "a", "1"}),
                         "0 of 1 replicas"));
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
  servers.deadlines.reply_ms = 50;
  servers.deadlines.connect_ms = 50;
  servers.deadlines.admin_ms = 0;
  ASSERT_TRUE(test::WaitUntil([&] {  // a slow server is as silent for a while
    return router_.Connect(servers).ok() && replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok();
  }));
  server.Pause();
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(
        test::Says(StatusCode::kUnavailable, replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}), "did not answer"));
  }
  server.Resume();
  ASSERT_TRUE(test::WaitUntil([this] { return replies_.Run(&router_, "a", Kind::kRead, {"STRLEN", "a"}).ok(); }));
  EXPECT_EQ(replies_.text(0), "1") << "and not the reply to GET";
}

TEST_F(RedisRouter, PatienceOutlastsAPause) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = PatientServers(server.address());
  servers.deadlines.reply_ms = 30;
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
  EXPECT_TRUE(test::IsOk(status));
  EXPECT_EQ(replies_.text(20000), "20000");
}

TEST_F(RedisRouter, WithoutPatienceAKilledServerIsUnavailable) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  RedisServers servers = PatientServers(server.address());
  servers.deadlines.admin_ms = 0;
  ASSERT_TRUE(router_.Connect(servers).ok());
  server.Kill();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).code(), StatusCode::kUnavailable);
  }
  ASSERT_TRUE(server.Restart()) << server.why();
  EXPECT_TRUE(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"}).ok());
}

}  // namespace linefilter::redis_internal
