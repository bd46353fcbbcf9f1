// A lone server answers for as long as it is a master, and a batch is of one master alone. And memory that runs out
// while connections are made: the next batch has its own answers.
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
#include "tests/adapters/redis/redis_master_server.h"
#include "tests/testing/redis_fake_server.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/status.h"

namespace {
thread_local int64_t allocations_left = -1;  // of this thread; below 0: no end
}  // namespace

[[gnu::noinline]] void* operator new(size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  void* const block = std::malloc(size == 0 ? 1 : size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void* operator new[](size_t size) { return operator new(size); }
[[gnu::noinline]] void* operator new(size_t size, const std::nothrow_t&) noexcept { return std::malloc(size); }
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, size_t) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete[](void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete[](void* block, size_t) noexcept { std::free(block); }

namespace linefilter::redis_internal {
namespace {

using test::PatientServers;
using test::RedisFakeServer;
using test::RedisReplies;

// It was a master when it was connected, and before what it answered, and is none behind it: another server is asked
// for all of it. If there is none, the checks fail, without which no answer counts; or the batch, where it has no
// checks.
TEST(RedisFaultsMaster, WhatAReplicaAnsweredDoesNotCount) {
  MasterServer other;
  for (const bool has_other : {false, true}) {
    for (const bool has_check : {true, false}) {
      MasterServer server(2);
      Router router;
      ASSERT_TRUE(router.Connect(PatientServers(server.address() + (has_other ? "," + other.address() : ""))).ok());
      RedisReplies replies;
      Batch batch = Gets({Kind::kCheck, Kind::kRead, has_check ? Kind::kCheck : Kind::kRead});
      const Status status = replies.Run(&router, batch);
      EXPECT_EQ(replies.code(1), StatusCode::kOk);
      if (has_other) {
        EXPECT_TRUE(test::IsOk(status));
        EXPECT_EQ(replies.code(2), StatusCode::kOk);
      } else {
        EXPECT_TRUE(test::Says(StatusCode::kUnavailable, status, "read-only replica"));
        EXPECT_EQ(replies.code(2), has_check ? StatusCode::kUnavailable : StatusCode::kOk);
      }
      EXPECT_EQ(replies.Run(&router, batch).ok(), has_other) << "asked is who is the master now";
    }
  }
  EXPECT_EQ(other.num_commands(), 12u) << "all commands of each batch";
}

// It is a master behind what it answered, and was none before: promoted between, it answered without what it lacked.
TEST(RedisFaultsMaster, WhatAReplicaAnsweredBeforeItWasPromotedDoesNotCount) {
  MasterServer other;
  for (const bool has_other : {false, true}) {
    MasterServer server;
    Router router;
    ASSERT_TRUE(router.Connect(PatientServers(server.address() + (has_other ? "," + other.address() : ""))).ok());
    server.BeLate();
    RedisReplies replies;
    const Batch batch = Gets({Kind::kRead, Kind::kRead, Kind::kCheck});
    const Status status = replies.Run(&router, batch);
    EXPECT_EQ(status.code(), has_other ? StatusCode::kOk : StatusCode::kUnavailable) << status.message();
    for (size_t i = 0; i < 3; ++i) EXPECT_EQ(replies.code(i), status.code());
    EXPECT_TRUE(replies.Run(&router, batch).ok());
  }
}

TEST(RedisFaultsMaster, WhoMayAskReplicasDoesNotAskForTheRole) {
  MasterServer server(0);
  RedisServers servers = PatientServers(server.address());
  servers.replica_reads = true;
  Router router;
  ASSERT_TRUE(router.Connect(servers).ok());
  RedisReplies replies;
  EXPECT_TRUE(replies.Run(&router, Gets({Kind::kRead, Kind::kCheck})).ok());
}

// The role behind the last answer was under way when the connection was lost. Who is there now, be it at the same
// address, cannot vouch for those answers: all is asked again.
TEST(RedisFaultsMaster, NoBatchIsDoneBeforeTheRoleIsKnown) {
  for (const bool stays : {true, false}) {
    MasterServer server;
    Router router;
    ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
    server.CloseAfter("GET 1");
    if (!stays) server.SetMasters(1);
    RedisReplies replies;
    EXPECT_EQ(replies.Run(&router, Gets({Kind::kRead, Kind::kRead})).code(),
              stays ? StatusCode::kOk : StatusCode::kUnavailable);
    EXPECT_EQ(server.num_commands(), stays ? 4u : 2u);
  }
}

// What the old master answered, and could not confirm any more, the new one is asked for: all of it, the checks too.
TEST(RedisFaultsMaster, ABatchIsAskedOfTheNewMasterAsAWhole) {
  MasterServer other, server;
  Router router;
  ASSERT_TRUE(router.Connect(PatientServers(server.address() + "," + other.address())).ok());
  server.CloseAfter("GET 0");
  server.SetMasters(1);
  RedisReplies replies;
  EXPECT_TRUE(test::IsOk(replies.Run(&router, Gets({Kind::kWrite, Kind::kRead, Kind::kCheck}))));
  EXPECT_EQ(server.num_commands(), 1u);
  EXPECT_EQ(other.num_commands(), 3u);
}

// What the old master did, and confirmed, the new one may not have: its checks say nothing of that.
TEST(RedisFaultsMaster, ABatchIsOfOneMasterAlone) {
  MasterServer other, server;
  Router router;
  ASSERT_TRUE(router.Connect(PatientServers(server.address() + "," + other.address())).ok());
  server.CloseAfter("GET 1");
  server.SetMasters(2);
  RedisReplies replies;
  const Batch batch = Gets({Kind::kWrite, Kind::kCheck, Kind::kCheck});
  EXPECT_TRUE(test::Says(StatusCode::kUnavailable, replies.Run(&router, batch), "in the midst of a batch"));
  EXPECT_EQ(replies.code(2), StatusCode::kUnavailable);
  EXPECT_TRUE(replies.Run(&router, batch).ok());
}

// It was a lone server when it was connected: nobody waits for the role that the lost connection did not tell.
TEST(RedisFaultsMaster, OfANodeOfAClusterNoRoleIsAwaited) {
  RedisFakeServer other([](const std::string& command) { return "+" + command + "\r\n"; }, false);
  RedisFakeServer server([&other](const std::string&) {
    RedisFakeServer::Answer answer("-MOVED 15495 " + other.address() + "\r\n");
    answer.closes = true;
    return answer;
  });
  const RedisServers servers = PatientServers(server.address());
  Router router;
  ASSERT_TRUE(router.Connect(servers).ok());
  RedisReplies replies;
  EXPECT_TRUE(test::IsOk(replies.Run(&router, Gets({Kind::kRead}))));
  EXPECT_EQ(replies.text(0), "GET 0");
}

TEST(RedisFaultsMaster, ALongerAnswerThanWasAskedForIsNone) {
  RedisFakeServer server([](const std::string& command) {
    return command == "GETRANGE a 0 63" ? "$64\r\n" + std::string(64, 'x') + "\r\n" : "$65\r\n";
  });
  Router router;
  ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
  RedisReplies replies;
  Batch batch;
  batch.AddGetRange(KeyOf("a"), Kind::kRead, 0, 64);
  EXPECT_TRUE(replies.Run(&router, batch).ok());
  batch.AddGetRange(KeyOf("a"), Kind::kRead, 64, 64);
  EXPECT_EQ(replies.Run(&router, batch).code(), StatusCode::kIoError);
}

// The first answer closes the breaker: what comes behind it has the time of any call, not that of a short trial.
TEST(RedisFaultsMaster, AShortTrialThatAnswersHasItsCallsTime) {
  std::atomic<bool> is_silent{false};
  std::atomic<size_t> num_asked{0};
  const auto answer = [&](const std::string& command) -> RedisFakeServer::Answer {
    if (is_silent) return "";
    if (command.substr(0, 3) != "GET") return command == "ROLE" ? kMaster : kNoCluster;
    ++num_asked;
    usleep(1000);
    return "+OK\r\n";
  };
  RedisFakeServer server(answer, false);
  RedisServers servers = PatientServers(server.address());
  servers.deadlines.pause_ms = 1;
  servers.deadlines.request_ms = 40;
  Router router;
  ASSERT_TRUE(router.Connect(servers).ok());
  RedisReplies replies;
  const auto run = [&](size_t n, uint32_t ms) {
    const Router::Call call(&router, Router::Call::kRequest, ms);
    return replies.Run(&router, Gets(std::vector<Kind>(n, Kind::kRead)));
  };
  const Breaker& breaker = *router.breakers()[0];
  is_silent = true;
  while (!breaker.is_open() || breaker.IsWholeTrial()) {
    EXPECT_FALSE(run(1, 0).ok());
    usleep(2000);
  }
  usleep(20000);
  is_silent = false;
  EXPECT_TRUE(test::IsOk(run(700, 2400)));  // at least 0.7 s, of which a short trial has 0.6
  EXPECT_EQ(num_asked, 700u) << "once each";
}

// While a node is connected, with AUTH and SELECT, each allocation fails once.
TEST(RedisFaultsMaster, WithoutMemoryNoReplyIsTakenForAnother) {
  const MasterServer owner;
  const MasterServer seed(owner);
  RedisServers servers = PatientServers(seed.address());
  servers.password = "a password that is longer than a short string";
  servers.database = 3;
  const Batch batch = Gets({Kind::kRead, Kind::kRead, Kind::kCheck});
  int num_thrown = 0;
  for (int64_t nth = 0; nth < 100; ++nth) {
    Router router;
    ASSERT_TRUE(router.Connect(servers).ok());
    class Nobody final : public ReplyHandler {
      void OnReply(size_t, const Reply&) override {}
      void OnError(size_t, const Status&) override {}
    } nobody;
    bool has_thrown = false;
    allocations_left = nth;
    try {
      (void)router.Run(batch, &nobody).ok();
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
    allocations_left = -1;
    if (!has_thrown) break;
    ++num_thrown;
    RedisReplies replies;
    ASSERT_TRUE(test::IsOk(replies.Run(&router, batch))) << nth;
    for (size_t i = 0; i < 3; ++i) ASSERT_EQ(replies.text(i), std::to_string(i)) << nth;
  }
  EXPECT_GT(num_thrown, 6);
  EXPECT_LT(num_thrown, 100);
}

TEST(RedisFaultsMaster, WithoutMemoryABatchThatGrowsIsNotTakenForAnother) {
  const MasterServer server;
  int num_thrown = 0;
  for (int64_t nth = 0; nth < 20000; nth += 1 + nth / 8) {
    Router router;
    ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
    GrowingGets cut(1500, 10);
    allocations_left = nth;
    try {
      (void)cut.Run(&router).ok();
    } catch (const std::bad_alloc&) {
      ++num_thrown;
    }
    allocations_left = -1;
    GrowingGets gets(1500, 100);
    ASSERT_TRUE(test::IsOk(gets.Run(&router))) << nth;
    gets.ExpectAll();
  }
  EXPECT_GT(num_thrown, 6);
}

// What promises not to throw says why it cannot answer even then.
TEST(RedisFaultsMaster, WithoutMemoryAKeyIsStillAnswered) {
  const std::string name = "a filter of the caller's own hashes, with a name that is longer than a short string";
  Header header;
  header.version = 1;
  header.hash_id = HashId::kCaller;
  header.current.id = 1;
  header.current.layout = Layout::kBlocked;
  header.current.num_probes = 7;
  header.current.body_bytes = header.current.shard_bytes = 64;
  const std::string record = FormatHeader(header);
  RedisFakeServer server([&](const std::string& command) -> RedisFakeServer::Answer {
    if (command.substr(0, 4) == "PTTL") return ":-1\r\n";
    return "$" + std::to_string(record.size()) + "\r\n" + record + "\r\n";
  });
  RedisFilter filter;
  ASSERT_TRUE(test::IsOk(filter.Open(PatientServers(server.address()), name)));
  bool maybe = false;
  RedisInsert outcome = RedisInsert::kNew;
  allocations_left = 0;
  const Status asked = filter.MayContainKey("alice", &maybe), inserted = filter.InsertKey("alice", &outcome);
  allocations_left = -1;
  EXPECT_TRUE(test::Says(StatusCode::kIncompatible, asked, name.substr(0, 60) + "... in Redis"));
  EXPECT_TRUE(maybe);
  EXPECT_EQ(inserted.code(), StatusCode::kIncompatible);
  EXPECT_EQ(outcome, RedisInsert::kFailed);
}

}  // namespace
}  // namespace linefilter::redis_internal
