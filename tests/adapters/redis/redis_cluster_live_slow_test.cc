// A filter on a cluster of three nodes is read and written while its shards move from node to node, and while a node is
// killed and comes back: no acknowledged key is ever "absent".
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_switching.h"

namespace linefilter::test {
namespace {

RedisServerOptions Durable() {
  RedisServerOptions options;
  options.append_only = true;
  options.append_fsync = "always";
  return options;
}

// Two writers and two readers, who ask for all that was acknowledged so far, or the newest of it.
class Users {
 public:
  Users(const RedisServers& servers, const std::string& name) {
    for (uint64_t i = 0; i < 2; ++i) {
      threads_.emplace_back([this, servers, name, i] { Write(servers, name, i); });
      threads_.emplace_back([this, servers, name] { Read(servers, name); });
    }
  }
  ~Users() { Stop(); }

  void Stop() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::vector<uint64_t> acknowledged() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return acknowledged_;
  }

  std::atomic<uint64_t> num_wrong{0}, num_asked{0}, num_reported{0};

 private:
  void Write(const RedisServers& servers, const std::string& name, uint64_t seed) {
    RedisFilter filter = Opened(servers, name);
    Random random(seed + 77);
    std::vector<uint64_t> hashes(100);
    std::vector<RedisInsert> outcomes(hashes.size());
    while (!done_) {
      for (uint64_t& hash : hashes) hash = random();
      num_reported += !filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).ok();
      const std::lock_guard<std::mutex> lock(mutex_);
      for (size_t i = 0; i < hashes.size(); ++i) {
        if (outcomes[i] != RedisInsert::kFailed) acknowledged_.push_back(hashes[i]);
      }
      if (acknowledged_.size() > 150000) std::this_thread::yield();
    }
  }
  void Read(const RedisServers& servers, const std::string& name) {
    RedisFilter filter = Opened(servers, name);
    Random random(5);
    std::vector<uint8_t> answers;
    while (!done_) {
      std::vector<uint64_t> asked = acknowledged();
      if (asked.size() > 3000 && random.Below(4) != 0) asked.erase(asked.begin(), asked.end() - 3000);
      answers.assign(asked.size(), 0);
      num_reported += !filter.MayContainHashes(asked.data(), asked.size(), answers.data()).ok();
      for (const uint8_t answer : answers) num_wrong += answer == 0;
      num_asked += asked.size();
    }
  }

  std::atomic<bool> done_{false};
  std::mutex mutex_;
  std::vector<uint64_t> acknowledged_;
  std::vector<std::thread> threads_;
};

TEST(RedisClusterLive, SlotsMoveAndANodeRestarts) {
  RedisCluster cluster(Durable());
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const RedisServers servers = PatientServers(cluster.addresses());
  RedisFilter filter;
  ASSERT_TRUE(filter.Create(servers, "live", 400000, BitsPerKey(10), {32768}).ok());  // 16 shards
  std::vector<std::string> keys;
  for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) {
    for (const auto& key : cluster.client(i).Do({"KEYS", "*live*"}).items) keys.push_back(key.text);
  }
  ASSERT_GT(keys.size(), 16u);

  Users users(servers, "live");
  for (int round = 0; round < 2; ++round) {
    for (const std::string& key : keys) {  // the header record's slot, too
      const uint32_t slot = cluster.SlotOf(key);
      const size_t to = (cluster.OwnerOf(slot) + 1) % RedisCluster::kNumNodes;
      cluster.StartMove(slot, to);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cluster.MoveKeys(slot, to, 100);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cluster.FinishMove(slot, to);
    }
    const size_t node = static_cast<size_t>(round);
    cluster.node(node).Kill();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_TRUE(cluster.RestartNode(node)) << cluster.why();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_TRUE(WaitUntil([&users] { return users.acknowledged().size() > 10000; }));
  users.Stop();
  const std::vector<uint64_t> acknowledged = users.acknowledged();
  EXPECT_EQ(users.num_wrong, 0u);
  EXPECT_GT(acknowledged.size(), 10000u);
  EXPECT_EQ(CountMissing(&filter, acknowledged), 0u);
  printf("%zu keys acknowledged, %llu questions, 0 wrong; errors reported: %llu\n", acknowledged.size(),
         static_cast<unsigned long long>(users.num_asked), static_cast<unsigned long long>(users.num_reported));
}

TEST(RedisClusterLive, GenerationsSwitchUnderReadersAndWriters) {
  RedisCluster cluster;
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const RedisServers servers = PatientServers(cluster.addresses());
  SwitchUnderUse(servers, "used", 9);
}

}  // namespace
}  // namespace linefilter::test
