// A filter in a Redis Cluster is the same filter: its shards lie on all masters, its bits and answers are those of a
// local one, while slots move too. A lost shard, and a node without its data, are errors and "maybe".
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/filter.h"
#include "linefilter/redis_cached.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

class RedisFilterClusterTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new RedisCluster; }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }
  void SetUp() override {
    ASSERT_TRUE(cluster_->ok()) << cluster_->why();
    for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) cluster_->client(i).Do({"FLUSHALL"});
    servers_ = PatientServers(cluster_->node(1).address());
    options_.bits_per_key = 10;
  }

  static RedisCluster* cluster_;
  RedisServers servers_;
  FilterOptions options_;
};

RedisCluster* RedisFilterClusterTest::cluster_ = nullptr;

TEST_F(RedisFilterClusterTest, IsTheLocalFilterOverAllMasters) {
  constexpr uint64_t kKeys = 900000;
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(servers_, "seen", kKeys, options_)));
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_TRUE(info.cluster);
  EXPECT_EQ(info.num_masters, 3u);
  EXPECT_EQ(info.num_shards, 12u);
  std::set<size_t> owners;
  for (uint64_t i = 0; i < info.num_shards; ++i) {
    owners.insert(cluster_->OwnerOf(cluster_->SlotOf(redis_internal::ShardName("seen", info.generation, i))));
  }
  EXPECT_GT(owners.size(), 1u);

  BlockedFilter local;
  ASSERT_TRUE(local.Create(kKeys, options_).ok());
  const std::vector<uint64_t> hashes = RandomHashes(20000, 1), asked = RandomHashes(20000, 2);
  std::vector<uint8_t> were_new(hashes.size()), expected(asked.size()), answers(asked.size());
  local.InsertHashes(hashes.data(), hashes.size(), were_new.data());
  local.MayContainHashes(asked.data(), asked.size(), expected.data());

  // Slots move while keys are inserted and asked.
  std::vector<RedisInsert> outcomes(hashes.size());
  const size_t half = hashes.size() / 2;
  ASSERT_TRUE(filter.InsertHashes(hashes.data(), half, outcomes.data()).ok());
  const uint32_t slot = cluster_->SlotOf(redis_internal::ShardName("seen", info.generation, 0));
  const size_t to = (cluster_->OwnerOf(slot) + 1) % RedisCluster::kNumNodes;
  cluster_->StartMove(slot, to);
  cluster_->MoveKeys(slot, to, 100);
  ASSERT_TRUE(filter.InsertHashes(hashes.data() + half, half, outcomes.data() + half).ok());
  cluster_->FinishMove(slot, to);
  for (size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(outcomes[i] == RedisInsert::kNew, were_new[i] != 0) << i;
  }
  ASSERT_TRUE(IsOk(filter.MayContainHashes(asked.data(), asked.size(), answers.data())));
  EXPECT_EQ(answers, expected);

  std::string body;
  for (uint64_t i = 0; i < info.num_shards; ++i) {
    const std::string shard = redis_internal::ShardName("seen", info.generation, i);
    const std::string bytes = cluster_->client(cluster_->OwnerOf(cluster_->SlotOf(shard))).Text({"GET", shard});
    ASSERT_GE(bytes.size(), 16u);
    body += bytes.substr(0, bytes.size() - 16);
  }
  EXPECT_TRUE(body ==
              std::string(reinterpret_cast<const char*>(local.body()), static_cast<size_t>(local.body_bytes())));
  ASSERT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
  for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) EXPECT_EQ(cluster_->client(i).Integer({"DBSIZE"}), 0);
}

// A script that is sent to another node (MOVED, ASK) did not run: each removal runs once.
// Bits lie on all masters, and the stream beside the record on one: it is told after all bits are set.
TEST_F(RedisFilterClusterTest, IsFollowedByACopy) {
  RedisLayout layout;
  layout.followed_keys = 10000000;
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(servers_, "seen", 900000, options_, layout)));
  RedisCachedFilter cached;
  ASSERT_TRUE(IsOk(cached.Open(servers_, "seen", 600000)));
  const std::vector<uint64_t> hashes = RandomHashes(6000, 3);
  ASSERT_TRUE(IsOk(filter.InsertHashes(hashes.data(), 5000, nullptr)));
  for (size_t i = 5000; i < 5500; ++i) ASSERT_TRUE(IsOk(filter.InsertHash(hashes[i], nullptr)));
  ASSERT_TRUE(IsOk(cached.InsertHashes(hashes.data() + 5500, 500, nullptr)));
  ASSERT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(std::count_if(hashes.begin(), hashes.end(), [&](uint64_t hash) { return cached.MayContainHash(hash); }),
            6000);
  EXPECT_EQ(cached.Info().num_downloads, 1u);
  EXPECT_TRUE(IsOk(RedisFilter::Delete(servers_, "seen")));
  for (size_t i = 0; i < RedisCluster::kNumNodes; ++i) EXPECT_EQ(cluster_->client(i).Do({"DBSIZE"}).integer, 0) << i;
}

TEST_F(RedisFilterClusterTest, KeysAreRemovedWhileASlotMoves) {
  constexpr size_t kKeys = 20000;
  options_.removable = true;
  options_.layout = Layout::kQuotient;
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(servers_, "seen", kKeys, options_, {2048})));
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 4);
  for (int times = 0; times < 2; ++times) {  // a second removal would find something
    ASSERT_TRUE(IsOk(filter.InsertHashes(hashes.data(), kKeys, nullptr)));
  }
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  const auto remove = [&](size_t begin, size_t n) {
    std::vector<RedisRemove> outcomes(n);
    EXPECT_TRUE(IsOk(filter.RemoveHashes(hashes.data() + begin, n, outcomes.data())));
    EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisRemove::kRemoved), static_cast<ptrdiff_t>(n));
  };
  const uint32_t slot = cluster_->SlotOf(redis_internal::ShardName("seen", info.generation, 0));
  const size_t to = (cluster_->OwnerOf(slot) + 1) % RedisCluster::kNumNodes;
  cluster_->StartMove(slot, to);
  cluster_->MoveKeys(slot, to, 100);
  remove(0, kKeys / 2);  // ASK
  cluster_->FinishMove(slot, to);
  remove(kKeys / 2, kKeys / 2);  // MOVED
  std::vector<uint8_t> answers(kKeys);
  ASSERT_TRUE(IsOk(filter.MayContainHashes(hashes.data(), kKeys, answers.data())));
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(kKeys));
  remove(0, kKeys);
  for (uint64_t i = 0; i < info.num_shards; ++i) {
    const std::string shard = redis_internal::ShardName("seen", info.generation, i);
    const std::string bytes = cluster_->client(cluster_->OwnerOf(cluster_->SlotOf(shard))).Text({"GET", shard});
    ASSERT_GE(bytes.size(), 16u);
    EXPECT_EQ(bytes.find_first_not_of('\0'), bytes.size() - 16) << i;
  }
  ASSERT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
}

TEST_F(RedisFilterClusterTest, ANodeThatLostItsDataIsNotBelieved) {
  RedisFilter filter;
  ASSERT_TRUE(filter.Create(servers_, "seen", 900000, options_).ok());
  const std::vector<uint64_t> hashes = RandomHashes(20000, 3);
  ASSERT_TRUE(filter.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  const size_t keeper = cluster_->OwnerOf(cluster_->SlotOf("seen"));
  const size_t loser = (keeper + 1) % RedisCluster::kNumNodes;
  cluster_->client(loser).Do({"FLUSHALL"});
  const auto is_lost = [&](uint64_t hash) {
    RedisInfo info;
    EXPECT_TRUE(filter.Info(&info).ok());
    const uint64_t shard = BlockIndex(hash, info.num_blocks) * 64 / info.shard_bytes;
    return cluster_->OwnerOf(cluster_->SlotOf(redis_internal::ShardName("seen", info.generation, shard))) == loser;
  };
  std::vector<uint8_t> answers(hashes.size());
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
  std::vector<RedisInsert> outcomes(hashes.size());
  EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kCorrupt);
  for (size_t i = 0; i < 50; ++i) EXPECT_EQ(outcomes[i] == RedisInsert::kFailed, is_lost(hashes[i])) << i;
  EXPECT_EQ(cluster_->client(loser).Integer({"DBSIZE"}), 0) << "no junk stays";
}

// The record's node comes back empty, or evicts it: the shards on others are whole, and count no more.
TEST_F(RedisFilterClusterTest, WhereTheRecordIsLostNothingCounts) {
  const RedisLayout layout = {1 << 16};
  RedisFilter filter, anew;
  ASSERT_TRUE(filter.Create(servers_, "seen", 900000, options_, layout).ok());
  const std::vector<uint64_t> hashes = RandomHashes(20000, 5);
  ASSERT_TRUE(filter.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  cluster_->client(cluster_->OwnerOf(cluster_->SlotOf("seen"))).Do({"DEL", "seen"});
  std::vector<uint8_t> answers(hashes.size());
  const std::vector<uint64_t> asked = RandomHashes(20000, 6);
  EXPECT_EQ(filter.MayContainHashes(asked.data(), asked.size(), answers.data()).code(), StatusCode::kNotFound);
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), asked.size());
  ASSERT_TRUE(anew.Create(servers_, "seen", 900000, options_, layout).ok());
  ASSERT_TRUE(filter.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  ASSERT_TRUE(anew.MayContainHashes(hashes.data(), hashes.size(), answers.data()).ok());
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
}

TEST_F(RedisFilterClusterTest, AHashTagKeepsAFilterInOneSlot) {
  RedisFilter filter;
  ASSERT_TRUE(filter.Create(servers_, "{users}seen", 900000, options_).ok());
  const size_t owner = cluster_->OwnerOf(cluster_->SlotOf("users"));
  EXPECT_EQ(cluster_->client(owner).Integer({"DBSIZE"}), 13);
  const std::vector<uint64_t> hashes = RandomHashes(5000, 4);
  ASSERT_TRUE(filter.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  std::vector<uint8_t> answers(hashes.size());
  ASSERT_TRUE(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).ok());
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
}

}  // namespace
}  // namespace linefilter::test
