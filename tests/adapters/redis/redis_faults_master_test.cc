// A lone server answers for as long as it is a master, and a batch is of one master alone. And memory that runs out
// while connections are made: the next batch has its own answers.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "linefilter/redis.h"
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

constexpr char kMaster[] = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n";
constexpr char kReplica[] = "*5\r\n$5\r\nslave\r\n$9\r\n127.0.0.1\r\n:1\r\n$9\r\nconnected\r\n:1\r\n";

// Answers GET x by x; a replica after so many ROLEs, or at the next one.
class Server {
 public:
  explicit Server(int masters = 1000000) : masters_(masters) {}
  // A cluster, all of whose slots another one has.
  explicit Server(const Server& owner)
      : masters_(0), map_("*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + owner.server_.port() + "\r\n") {}
  std::string address() const { return server_.address(); }
  void SetMasters(int masters) { masters_ = masters; }
  // Promoted before the ROLE after the next one.
  void BeLate() { is_late_ = true; }
  // Closes the connection after that command, once.
  void CloseAfter(const std::string& command) {
    const std::lock_guard<std::mutex> lock(mutex_);
    last_ = command;
  }
  size_t num_commands() const { return num_commands_; }

 private:
  RedisFakeServer::Answer Answer(const std::string& command) {
    if (command == "CLUSTER SLOTS") return map_;
    if (command == "ROLE") return is_late_.exchange(false) || masters_-- <= 0 ? kReplica : kMaster;
    if (command.substr(0, 3) != "GET") return "+OK\r\n";
    ++num_commands_;
    RedisFakeServer::Answer answer("+" + command.substr(4) + "\r\n");
    const std::lock_guard<std::mutex> lock(mutex_);
    answer.closes = command == last_;
    if (answer.closes) last_.clear();
    return answer;
  }

  std::atomic<int> masters_;
  std::atomic<bool> is_late_{false};
  const std::string map_ = "-ERR This instance has cluster support disabled\r\n";
  std::atomic<size_t> num_commands_{0};
  std::mutex mutex_;
  std::string last_;
  RedisFakeServer server_{[this](const std::string& command) { return Answer(command); }, false};
};

// GET 0, GET 1, ... of these kinds.
Batch Gets(const std::vector<Kind>& kinds) {
  Batch batch;
  for (const Kind kind : kinds) {
    batch.Add(KeyOf("a"), kind, 2);
    batch.Arg("GET");
    batch.Arg(uint64_t{batch.size() - 1});
  }
  return batch;
}

// It was a master when it was connected, and before what it answered, and is none behind it: another server is asked
// for all of it. If there is none, the checks fail, without which no answer counts; or the batch, where it has no
// checks.
TEST(RedisFaultsMaster, WhatAReplicaAnsweredDoesNotCount) {
  Server other;
  for (const bool has_other : {false, true}) {
    for (const bool has_check : {true, false}) {
      Server server(2);
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
  Server other;
  for (const bool has_other : {false, true}) {
    Server server;
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
  Server server(0);
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
    Server server;
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
  Server other, server;
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
  Server other, server;
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

// While a node is connected, with AUTH and SELECT, each allocation fails once.
TEST(RedisFaultsMaster, WithoutMemoryNoReplyIsTakenForAnother) {
  const Server owner;
  const Server seed(owner);
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

// GET 0, GET 1, ... with a check at the end, in pieces.
class GrowingGets final : public ReplyHandler {
 public:
  GrowingGets(size_t n, size_t piece) : n_(n), piece_(piece), texts_(n), num_told_(n) {}

  Status Run(Router* router) {
    Batch batch;
    if (!AddMore(&batch)) return router->Run(batch, this);
    return router->RunGrowing(&batch, batch.num_bytes() * n_ / batch.size(), this);
  }
  bool AddMore(Batch* batch) override {
    EXPECT_LT(batch->size(), n_) << "it said that this is all";
    const size_t end = std::min(n_, batch->size() + piece_);
    while (batch->size() < end) {
      const size_t i = batch->size();
      batch->Add(KeyOf("a"), i + 1 == n_ ? Kind::kCheck : Kind::kRead, 2);
      batch->Arg("GET");
      batch->Arg(uint64_t{i});
    }
    num_added_ = end;
    return end < n_;
  }
  void OnReply(size_t command, const Reply& reply) override { Tell(command, std::string(reply.text())); }
  void OnError(size_t command, const Status&) override { Tell(command, "error"); }

  void ExpectAll() const {
    ASSERT_EQ(num_added_, n_);
    for (size_t i = 0; i < n_; ++i) ASSERT_TRUE(texts_[i] == std::to_string(i) && num_told_[i] > 0) << i << texts_[i];
  }
  void ExpectNoneIsForgotten() const {
    for (size_t i = 0; i < n_; ++i) ASSERT_EQ(num_told_[i] > 0, i < num_added_) << i;
    EXPECT_NE(texts_[n_ - 1], std::to_string(n_ - 1)) << "the check did not run";
  }

 private:
  void Tell(size_t command, const std::string& text) {
    texts_[command] = text;
    ++num_told_[command];
  }

  const size_t n_, piece_;
  std::vector<std::string> texts_;
  std::vector<int> num_told_;
  size_t num_added_ = 0;
};

TEST(RedisFaultsMaster, ABatchThatGrowsIsAnsweredAsAWhole) {
  Server server;
  Router router;
  ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
  for (const size_t n : {1, 2, 3000}) {
    for (const size_t piece : {1, 100, 2999, 3000}) {
      const size_t before = server.num_commands();
      GrowingGets gets(n, piece);
      ASSERT_TRUE(test::IsOk(gets.Run(&router))) << n << " by " << piece;
      gets.ExpectAll();
      EXPECT_EQ(server.num_commands() - before, n);
    }
  }
}

// Wherever the connection is lost.
TEST(RedisFaultsMaster, ABatchThatGrowsOutlivesItsConnection) {
  for (const char* const last : {"GET 0", "GET 99", "GET 700", "GET 1500", "GET 2998", "GET 2999"}) {
    for (const size_t piece : {1, 100, 2999}) {
      Server other, server;
      Router router;
      ASSERT_TRUE(router.Connect(PatientServers(server.address() + "," + other.address())).ok());
      server.CloseAfter(last);
      GrowingGets lost(3000, piece);
      ASSERT_TRUE(test::IsOk(lost.Run(&router))) << last << " by " << piece;
      lost.ExpectAll();
      server.CloseAfter(last);
      server.SetMasters(1);
      GrowingGets moved(3000, piece);
      ASSERT_TRUE(test::IsOk(moved.Run(&router))) << last << " by " << piece;
      moved.ExpectAll();
      EXPECT_EQ(other.num_commands(), 3000u) << "all of it, of the new master";
    }
    Server server;
    Router router;
    ASSERT_TRUE(router.Connect(PatientServers(server.address())).ok());
    server.CloseAfter(last);
    server.SetMasters(1);
    GrowingGets gone(3000, 100);
    ASSERT_EQ(gone.Run(&router).code(), StatusCode::kUnavailable) << last;
    gone.ExpectNoneIsForgotten();
  }
}

TEST(RedisFaultsMaster, WithoutMemoryABatchThatGrowsIsNotTakenForAnother) {
  const Server server;
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
