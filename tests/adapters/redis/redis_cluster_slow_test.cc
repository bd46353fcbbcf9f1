// Batches of commands against a cluster of three nodes: what moves is followed, what is down is waited for or said to
// be unavailable, and nothing that was acknowledged is ever read as missing.
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/servers/router.h"
#include "lib/adapters/redis/wire/batch.h"
#include "lib/adapters/redis/wire/slot.h"
#include "linefilter/redis.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_replies.h"
#include "tests/testing/status.h"

namespace linefilter::redis_internal {
namespace {

using test::RedisCluster;
using test::RedisReplies;
using test::RedisServerOptions;

// One for all tests: a new one needs seconds. What was acknowledged is kept by a restart.
RedisCluster& Shared() {
  static RedisCluster cluster([] {
    RedisServerOptions options;
    options.append_only = true;
    return options;
  }());
  return cluster;
}

void Add(Batch* batch, const std::string& key, Kind kind, std::initializer_list<std::string_view> words) {
  batch->Add(KeyOf(key), kind, static_cast<uint32_t>(words.size()));
  for (const std::string_view word : words) batch->Arg(word);
}

class RedisClusterRouter : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Shared().ok()) << Shared().why();
    servers_ = test::PatientServers(Shared().addresses());
    for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) Shared().client(i).Do({"FLUSHALL"});
    ASSERT_TRUE(router_.Connect(servers_).ok());
  }
  void Reconnect(uint32_t patience_ms) {
    test::SetPatience(patience_ms, &servers_);
    ASSERT_TRUE(router_.Connect(servers_).ok());
  }

  RedisServers servers_;
  Router router_;
  Batch batch_;
  RedisReplies replies_;
};

TEST_F(RedisClusterRouter, FindsTheClusterFromOneNodeAndAsksAllInOneBatch) {
  servers_.addresses = Shared().node(1).address();
  Reconnect(0);
  EXPECT_TRUE(router_.is_cluster());
  EXPECT_EQ(router_.num_masters(), 3u);
  constexpr size_t kKeys = 5000;
  for (size_t i = 0; i < kKeys; ++i) {
    const std::string key = "key" + std::to_string(i);
    Add(&batch_, key, Kind::kWrite, {"SET", key, std::to_string(i)});
    Add(&batch_, key, Kind::kRead, {"GET", key});
  }
  ASSERT_TRUE(test::IsOk(replies_.Run(&router_, batch_)));
  for (size_t i = 0; i < kKeys; ++i) ASSERT_EQ(replies_.text(2 * i + 1), std::to_string(i));
  for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) {
    EXPECT_GT(Shared().client(i).Integer({"DBSIZE"}), 1000) << "a third or so";
  }
}

TEST_F(RedisClusterRouter, HasDatabaseZeroAlone) {
  servers_.database = 1;
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, router_.Connect(servers_)));
}

TEST_F(RedisClusterRouter, FollowsASlotThatHasMovedWithoutPatience) {
  Reconnect(0);
  const uint32_t slot = Shared().SlotOf("a");
  ASSERT_TRUE(replies_.Run(&router_, "a", Kind::kWrite, {"SET", "a", "1"}).ok());
  for (int i = 0; i < 3; ++i) {
    Shared().MoveSlot(slot, (Shared().OwnerOf(slot) + 1) % RedisCluster::kNumNodes);
    ASSERT_TRUE(test::IsOk(replies_.Run(&router_, "a", Kind::kRead, {"GET", "a"})));
    EXPECT_EQ(replies_.text(0), "1");
  }
}

// While a slot moves, half of its keys are here, half there; checks come after what was redirected.
TEST_F(RedisClusterRouter, FollowsKeysOfASlotThatMoves) {
  Reconnect(0);
  constexpr size_t kKeys = 20;
  const uint32_t slot = Shared().SlotOf("{t}");
  const size_t to = (Shared().OwnerOf(slot) + 1) % RedisCluster::kNumNodes;
  const auto add_all = [this] {
    batch_.Clear();
    for (size_t i = 0; i < kKeys; ++i) {
      const std::string key = "{t}" + std::to_string(i);
      Add(&batch_, key, Kind::kWrite, {"INCR", key});
      Add(&batch_, key, Kind::kCheck, {"GET", key});
    }
  };
  add_all();
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  Shared().StartMove(slot, to);
  int expected = 1;
  for (const size_t moved : {size_t{0}, kKeys / 2, kKeys - kKeys / 2}) {
    EXPECT_EQ(Shared().MoveKeys(slot, to, moved), moved);
    add_all();
    ASSERT_TRUE(test::IsOk(replies_.Run(&router_, batch_)));
    ++expected;
    for (size_t i = 0; i < 2 * kKeys; ++i) EXPECT_EQ(replies_.text(i), std::to_string(expected)) << i;
  }
  Shared().FinishMove(slot, to);
  add_all();
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  for (size_t i = 0; i < 2 * kKeys; ++i) EXPECT_EQ(replies_.text(i), std::to_string(expected + 1)) << i;
}

// A command of two keys, one here, one there, is possible only later.
TEST_F(RedisClusterRouter, WaitsForAllKeysOfACommand) {
  const uint32_t slot = Shared().SlotOf("{two}");
  const size_t to = (Shared().OwnerOf(slot) + 1) % RedisCluster::kNumNodes;
  ASSERT_TRUE(replies_.Run(&router_, "{two}1", Kind::kWrite, {"SET", "{two}1", "a"}).ok());
  ASSERT_TRUE(replies_.Run(&router_, "{two}2", Kind::kWrite, {"SET", "{two}2", "b"}).ok());
  Shared().StartMove(slot, to);
  EXPECT_EQ(Shared().MoveKeys(slot, to, 1), 1u);
  Add(&batch_, "{two}", Kind::kWrite, {"BITOP", "OR", "{two}1", "{two}1", "{two}2"});
  Add(&batch_, "{two}", Kind::kCheck, {"GET", "{two}1"});
  Reconnect(0);
  Status status = replies_.Run(&router_, batch_);
  EXPECT_TRUE(test::Says(StatusCode::kUnavailable, status, "TRYAGAIN"));
  EXPECT_EQ(replies_.text(1), "a");
  Reconnect(test::kLongMs);
  std::thread runner([&] { status = replies_.Run(&router_, batch_); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(Shared().MoveKeys(slot, to, 1), 1u);
  runner.join();
  Shared().FinishMove(slot, to);
  EXPECT_TRUE(test::IsOk(status));
  EXPECT_EQ(replies_.text(0), "1");
  EXPECT_EQ(replies_.text(1), "c") << "the check came after what was tried again";
}

// Threads that set bits and read all bits that were acknowledged, in many keys, until they are told to stop.
class Traffic {
 public:
  Traffic(const RedisServers& servers, int num_threads) {
    for (int t = 0; t < num_threads; ++t) threads_.emplace_back([this, servers, t] { Run(servers, t); });
  }
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  ~Traffic() { Stop(); }

  uint64_t wrong() const { return wrong_; }
  uint64_t errors() const { return errors_; }
  uint64_t rounds() const { return rounds_; }
  std::string last_error() const { return last_error_; }

 private:
  static constexpr int kKeys = 64;

  void Run(const RedisServers& servers, int t) {
    Router router;
    if (!router.Connect(servers).ok()) ++errors_;
    RedisReplies replies;
    Batch batch;
    for (int round = 0; !stop_; ++round) {
      batch.Clear();
      const std::string bit = std::to_string(round), last = std::to_string(round == 0 ? 0 : round - 1);
      for (int k = 0; k < kKeys; ++k) {  // a few keys to a slot
        const std::string key = "{" + std::to_string(k % 16) + "}:" + std::to_string(t) + ":" + std::to_string(k);
        Add(&batch, key, Kind::kRead, {"GETBIT", key, last});
        Add(&batch, key, Kind::kWrite, {"SETBIT", key, bit, "1"});
        Add(&batch, key, Kind::kCheck, {"GETBIT", key, bit});
        Add(&batch, key, Kind::kCheck, {"BITCOUNT", key});
      }
      const Status status = replies.Run(&router, batch);
      if (!status.ok()) {
        ++errors_;
        const std::lock_guard<std::mutex> lock(mutex_);
        last_error_ = status.message();
        return;
      }
      for (size_t i = 0; i < 4 * kKeys; i += 4) {
        if (round > 0 && replies.text(i) != "1") ++wrong_;
        if (replies.text(i + 2) != "1") ++wrong_;
        if (replies.text(i + 3) != std::to_string(round + 1)) ++wrong_;
      }
      ++rounds_;
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> wrong_{0}, errors_{0}, rounds_{0};
  std::mutex mutex_;
  std::string last_error_;
  std::vector<std::thread> threads_;
};

TEST_F(RedisClusterRouter, LosesNothingWhileSlotsMove) {
  Traffic traffic(servers_, 2);
  for (int round = 0; round < 2 || (round < 200 && traffic.rounds() <= 20 && traffic.errors() == 0); ++round) {
    for (int k = 0; k < 16; ++k) {
      const uint32_t slot = Shared().SlotOf("{" + std::to_string(k) + "}");
      const size_t to = (Shared().OwnerOf(slot) + 1) % RedisCluster::kNumNodes;
      Shared().StartMove(slot, to);
      while (Shared().MoveKeys(slot, to, 1) != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      Shared().FinishMove(slot, to);
    }
  }
  traffic.Stop();
  EXPECT_EQ(traffic.wrong(), 0u);
  EXPECT_EQ(traffic.errors(), 0u) << traffic.last_error();
  EXPECT_GT(traffic.rounds(), 20u);
}

TEST_F(RedisClusterRouter, LosesNothingWhileANodeStartsAgain) {
  Traffic traffic(servers_, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ASSERT_TRUE(Shared().RestartNode(1));
  const uint64_t rounds = traffic.rounds();
  EXPECT_TRUE(test::WaitUntil([&] { return traffic.rounds() > rounds + 10 || traffic.errors() != 0; }));
  traffic.Stop();
  EXPECT_EQ(traffic.wrong(), 0u);
  EXPECT_EQ(traffic.errors(), 0u) << traffic.last_error();
}

TEST(RedisClusterReplicas, LosesNothingWhileReplicasBecomeMasters) {
  RedisCluster cluster({}, true);
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const RedisServers servers = test::PatientServers(cluster.node(0).address());  // which is a replica then
  Traffic traffic(servers, 2);
  for (const size_t replica : {3u, 5u, 0u}) {
    const uint64_t rounds = traffic.rounds();
    ASSERT_TRUE(cluster.FailOver(replica));
    EXPECT_TRUE(test::WaitUntil([&] { return traffic.rounds() > rounds + 10 || traffic.errors() != 0; }));
  }
  traffic.Stop();
  EXPECT_EQ(traffic.wrong(), 0u);
  EXPECT_EQ(traffic.errors(), 0u) << traffic.last_error();
  // A master dies: its replica takes over when the others have noticed.
  Router router;
  ASSERT_TRUE(router.Connect(servers).ok());
  RedisReplies replies;
  EXPECT_TRUE(replies.Run(&router, "a", Kind::kWrite, {"SET", "a", "1"}).ok());
  cluster.SetNodeTimeout(2000);
  cluster.node(cluster.OwnerOf(KeyOf("a").slot)).Kill();
  EXPECT_TRUE(test::IsOk(replies.Run(&router, "a", Kind::kWrite, {"SET", "a", "2"})));
}

TEST_F(RedisClusterRouter, WithoutPatienceADeadNodeIsUnavailableAndOthersAnswer) {
  Reconnect(0);
  constexpr size_t kKeys = 300;
  const auto add_all = [this](const char* command, const char* value) {
    batch_.Clear();
    for (size_t i = 0; i < kKeys; ++i) {
      const std::string key = "key" + std::to_string(i);
      if (value != nullptr) Add(&batch_, key, Kind::kWrite, {command, key, value});
      if (value == nullptr) Add(&batch_, key, Kind::kRead, {command, key});
    }
  };
  add_all("SET", "1");
  ASSERT_TRUE(replies_.Run(&router_, batch_).ok());
  Shared().node(2).Kill();
  add_all("GET", nullptr);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(replies_.Run(&router_, batch_).code(), StatusCode::kUnavailable);
    size_t num_answered = 0;
    for (size_t i = 0; i < kKeys; ++i) {
      const size_t owner = Shared().OwnerOf(KeyOf("key" + std::to_string(i)).slot);
      if (owner == 2) {
        EXPECT_EQ(replies_.code(i), StatusCode::kUnavailable);
      }
      if (replies_.code(i) != StatusCode::kOk) continue;
      EXPECT_EQ(replies_.text(i), "1");
      ++num_answered;
    }
    if (round == 0) {  // later the others may notice that the cluster is down
      EXPECT_GT(num_answered, kKeys / 3);
      Shared().SetNodeTimeout(2000);
    }
  }
  Shared().SetNodeTimeout(5000);
  ASSERT_TRUE(Shared().RestartNode(2));
  ASSERT_TRUE(test::IsOk(replies_.Run(&router_, batch_)));
  for (size_t i = 0; i < kKeys; ++i) EXPECT_EQ(replies_.text(i), "1");
}

}  // namespace
}  // namespace linefilter::redis_internal
