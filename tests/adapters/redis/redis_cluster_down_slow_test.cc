// One node of a cluster is down: keys of the others go in, by a new writer too and where blocks are read first, and are
// answered as ever; those of the node have failed, "maybe", and go in when it is back. While the record's node is down,
// nothing is decided.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_cluster.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kKeys = 400000;
constexpr RedisLayout kShards = {32768};  // 16

class RedisClusterDown : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.ok()) << cluster_.why();
    servers_.addresses = cluster_.addresses();
    servers_.patience_ms = 1000;  // a node that is killed refuses at once; who is slow has time
    servers_.connect_timeout_ms = servers_.timeout_ms = 10000;
    options_.bits_per_key = 10;
    keeper_ = cluster_.OwnerOf(cluster_.SlotOf("down"));
  }
  void Open(RedisFilter* filter) {
    const Status status = filter->Open(servers_, "down");
    ASSERT_TRUE(status.ok()) << status.message();
  }
  // On which nodes the shards of a generation are.
  std::vector<size_t> OwnersOf(uint64_t generation, uint64_t num_shards) {
    std::vector<size_t> owners;
    for (uint64_t i = 0; i < num_shards; ++i) {
      owners.push_back(cluster_.OwnerOf(cluster_.SlotOf(redis_internal::ShardName("down", generation, i))));
    }
    return owners;
  }
  void Kill(size_t node) { cluster_.node(node).Kill(); }

  static RedisServerOptions Options() {
    RedisServerOptions options;
    options.append_only = true;
    options.more = {"--cluster-require-full-coverage", "no"};  // else all nodes refuse when one has been gone for long
    return options;
  }

  RedisCluster cluster_{Options()};
  RedisServers servers_;
  FilterOptions options_;
  size_t keeper_ = 0;  // of the record
};

// What a batch does must be what a local filter does with those keys of it that are not `failing`.
void ExpectInserted(RedisFilter* filter, BlockedFilter* local, const std::vector<uint64_t>& hashes,
                    const std::vector<bool>& failing, const char* who) {
  const bool any = std::find(failing.begin(), failing.end(), true) != failing.end();
  std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
  const Status status = filter->InsertHashes(hashes.data(), hashes.size(), outcomes.data());
  EXPECT_EQ(status.code(), any ? StatusCode::kUnavailable : StatusCode::kOk) << who << ": " << status.message();
  size_t num_wrong = 0, num_failed = 0;
  for (size_t i = 0; i < hashes.size(); ++i) {
    uint8_t was_new = 0;
    if (!failing[i]) local->InsertHashes(&hashes[i], 1, &was_new);
    const RedisInsert expected = failing[i]     ? RedisInsert::kFailed
                                 : was_new != 0 ? RedisInsert::kNew
                                                : RedisInsert::kKnown;
    num_wrong += outcomes[i] == expected ? 0u : 1u;
    num_failed += outcomes[i] == RedisInsert::kFailed ? 1u : 0u;
  }
  EXPECT_EQ(num_wrong, 0u) << who << ": of " << hashes.size() << " keys " << num_failed << " failed";
}

TEST_F(RedisClusterDown, KeysOfTheOthersGoInAndAreAnswered) {
  RedisFilter first, warm, reading, fresh;
  ASSERT_TRUE(first.Create(servers_, "down", kKeys, options_, kShards).ok());
  BlockedFilter local;
  ASSERT_TRUE(local.Create(kKeys, options_).ok());
  const std::vector<size_t> owners = OwnersOf(first.generation(), 16);
  size_t dead = (keeper_ + 1) % RedisCluster::kNumNodes, other = (keeper_ + 2) % RedisCluster::kNumNodes;
  const auto num_shards = [&](size_t node) { return std::count(owners.begin(), owners.end(), node); };
  if (num_shards(dead) < num_shards(other)) std::swap(dead, other);
  const auto failing = [&](const std::vector<uint64_t>& hashes, const std::vector<size_t>& next_owners) {
    std::vector<bool> failing_keys;
    for (const uint64_t hash : hashes) {
      const size_t shard = BlockIndex(hash, local.num_blocks()) * 64 / kShards.shard_bytes;
      failing_keys.push_back(owners[shard] == dead || (!next_owners.empty() && next_owners[shard] == dead));
    }
    return failing_keys;
  };
  for (RedisFilter* filter : {&warm, &reading, &fresh}) Open(filter);
  const std::vector<uint64_t> old = RandomHashes(10000, 1);
  const std::vector<bool> none(old.size());
  ExpectInserted(&warm, &local, old, none, "warm");
  ExpectInserted(&reading, &local, old, none, "reading");  // all bits are set: it reads first from now on

  Kill(dead);
  const std::vector<std::pair<RedisFilter*, const char*>> writers = {
      {&warm, "warm"}, {&reading, "reading"}, {&fresh, "fresh"}};
  std::vector<std::vector<uint64_t>> batches;  // more than one of those that they are cut into
  for (size_t w = 0; w < writers.size(); ++w) {
    batches.push_back(RandomHashes(6000, 10 + w));
    std::copy(old.begin(), old.begin() + 3000, batches[w].begin());
  }
  for (size_t w = 0; w < writers.size(); ++w) {
    ExpectInserted(writers[w].first, &local, batches[w], failing(batches[w], {}), writers[w].second);
  }
  RedisFilter late;  // opened when the node is down already
  Open(&late);
  for (uint64_t hash : RandomHashes(6, 3)) ExpectInserted(&late, &local, {hash}, failing({hash}, {}), "late");

  const std::vector<uint64_t> asked = RandomHashes(6000, 4);
  std::vector<uint8_t> answers(asked.size()), expected(asked.size());
  EXPECT_EQ(late.MayContainHashes(asked.data(), asked.size(), answers.data()).code(), StatusCode::kUnavailable);
  local.MayContainHashes(asked.data(), asked.size(), expected.data());
  const std::vector<bool> unknown = failing(asked, {});
  for (size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(answers[i], unknown[i] ? 1 : expected[i]) << i;

  ASSERT_TRUE(cluster_.RestartNode(dead)) << cluster_.why();
  for (size_t w = 0; w < writers.size(); ++w) {
    ExpectInserted(writers[w].first, &local, batches[w], std::vector<bool>(batches[w].size()), writers[w].second);
  }
  EXPECT_TRUE(late.MayContainHashes(asked.data(), asked.size(), answers.data()).ok());
  local.MayContainHashes(asked.data(), asked.size(), expected.data());
  EXPECT_EQ(answers, expected);
  for (const std::vector<uint64_t>& batch : batches) {
    answers.assign(batch.size(), 0);
    EXPECT_TRUE(late.MayContainHashes(batch.data(), batch.size(), answers.data()).ok());
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(batch.size()));
  }

  // While another generation is filled, a key needs both of its nodes.
  ASSERT_TRUE(first.BeginGeneration(kKeys, options_, kShards).ok());
  RedisInfo info;
  ASSERT_TRUE(first.Info(&info).ok());
  const std::vector<size_t> next_owners = OwnersOf(info.next_generation, 16);
  for (RedisFilter* filter : {&fresh, &late}) Open(filter);
  Kill(dead);
  ExpectInserted(&fresh, &local, batches[0], failing(batches[0], next_owners), "fresh, two generations");
  const std::vector<uint64_t> more = RandomHashes(6000, 5);
  ExpectInserted(&late, &local, more, failing(more, next_owners), "late, two generations");
  ASSERT_TRUE(cluster_.RestartNode(dead)) << cluster_.why();
  ExpectInserted(&late, &local, more, std::vector<bool>(more.size()), "late, two generations");
}

TEST_F(RedisClusterDown, WithoutTheRecordsNodeNothingIsDecided) {
  RedisFilter filter, fresh;
  ASSERT_TRUE(filter.Create(servers_, "down", kKeys, options_, kShards).ok());
  Open(&fresh);
  const std::vector<uint64_t> hashes = RandomHashes(6000, 6);
  ASSERT_TRUE(filter.InsertHashes(hashes.data(), 3000, nullptr).ok());
  Kill(keeper_);
  for (RedisFilter* each : {&filter, &fresh}) {
    std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
    EXPECT_EQ(each->InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
    EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kFailed),
              static_cast<ptrdiff_t>(hashes.size()));
    std::vector<uint8_t> answers(hashes.size());
    EXPECT_EQ(each->MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kUnavailable);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(hashes.size()));
  }
  ASSERT_TRUE(cluster_.RestartNode(keeper_)) << cluster_.why();
  ASSERT_TRUE(fresh.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  std::vector<uint8_t> answers(hashes.size());
  EXPECT_TRUE(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).ok());
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(hashes.size()));
}

}  // namespace
}  // namespace linefilter::test
