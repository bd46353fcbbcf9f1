// One node of a cluster is down. Keys of the others go in, by a new writer too and where blocks are read first, and are
// answered as ever. Those of the node have failed, "maybe", and go in when it is back. While the record's node is down,
// nothing is decided.
#include <algorithm>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/names.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kKeys = 400000, kNumShards = 16;
constexpr RedisLayout kShards = {32768};
constexpr size_t kNumNodes = RedisCluster::kNumNodes;

class RedisClusterDown : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_.ok()) << cluster_.why();
    servers_.addresses = cluster_.addresses();
    test::SetPatience(0, &servers_);  // a node that is killed refuses at once; who is slow has time
    servers_.deadlines.admin_ms = 1000;
    servers_.deadlines.connect_ms = servers_.deadlines.reply_ms = 10000;
    options_.bits_per_key = 10;
    keeper_ = cluster_.OwnerOf(cluster_.SlotOf("down"));
  }
  void Open(RedisFilter* filter) { ASSERT_TRUE(IsOk(filter->Open(servers_, "down"))); }
  void Kill(size_t node) {
    cluster_.node(node).Kill();
    down_ = node;
  }
  void Restart() {
    ASSERT_TRUE(cluster_.RestartNode(down_)) << cluster_.why();
    down_ = kNumNodes;
  }
  void FindOwners(uint64_t generation) {
    owners_.emplace_back();
    for (uint64_t i = 0; i < kNumShards; ++i) {
      owners_.back().push_back(cluster_.OwnerOf(cluster_.SlotOf(redis_internal::ShardName("down", generation, i))));
    }
  }
  // A key fails while a node of it is down: while another generation is filled, it needs both of its nodes.
  bool Fails(uint64_t hash) const {
    const size_t shard = BlockIndex(hash, local_.num_blocks()) * 64 / kShards.shard_bytes;
    return std::any_of(owners_.begin(), owners_.end(), [&](const auto& owners) { return owners[shard] == down_; });
  }
  // What a batch does must be what a local filter does with those keys of it that do not fail.
  void ExpectInserted(RedisFilter* filter, const std::vector<uint64_t>& hashes, const char* who) {
    std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
    const Status status = filter->InsertHashes(hashes.data(), hashes.size(), outcomes.data());
    size_t num_wrong = 0, num_failed = 0;
    bool any_fails = false;
    for (size_t i = 0; i < hashes.size(); ++i) {
      const bool fails = Fails(hashes[i]);
      uint8_t was_new = 0;
      if (!fails) local_.InsertHashes(&hashes[i], 1, &was_new);
      const RedisInsert known = was_new != 0 ? RedisInsert::kNew : RedisInsert::kKnown;
      num_wrong += outcomes[i] == (fails ? RedisInsert::kFailed : known) ? 0u : 1u;
      num_failed += outcomes[i] == RedisInsert::kFailed ? 1u : 0u;
      any_fails |= fails;
    }
    EXPECT_EQ(status.code(), any_fails ? StatusCode::kUnavailable : StatusCode::kOk) << who << ": " << status.message();
    EXPECT_EQ(num_wrong, 0u) << who << ": of " << hashes.size() << " keys " << num_failed << " failed";
  }
  void ExpectKnown(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
    std::vector<uint8_t> answers(hashes.size());
    EXPECT_TRUE(filter->MayContainHashes(hashes.data(), hashes.size(), answers.data()).ok());
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(hashes.size()));
  }

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
  size_t down_ = kNumNodes;
  BlockedFilter local_;
  std::vector<std::vector<size_t>> owners_;  // on which nodes the shards are, of each generation that is filled
};

TEST_F(RedisClusterDown, KeysOfTheOthersGoInAndAreAnswered) {
  RedisFilter first, warm, reading, fresh;
  ASSERT_TRUE(first.Create(servers_, "down", kKeys, options_, kShards).ok());
  ASSERT_TRUE(local_.Create(kKeys, options_).ok());
  FindOwners(first.generation());
  size_t dead = (keeper_ + 1) % kNumNodes, other = (keeper_ + 2) % kNumNodes;
  const auto num_shards = [&](size_t node) { return std::count(owners_[0].begin(), owners_[0].end(), node); };
  if (num_shards(dead) < num_shards(other)) std::swap(dead, other);
  for (RedisFilter* filter : {&warm, &reading, &fresh}) Open(filter);
  const std::vector<uint64_t> old = RandomHashes(10000, 1);
  ExpectInserted(&warm, old, "warm");
  ExpectInserted(&reading, old, "reading");  // all bits are set: it reads first from now on

  Kill(dead);
  const std::vector<std::pair<RedisFilter*, const char*>> writers = {
      {&warm, "warm"}, {&reading, "reading"}, {&fresh, "fresh"}};
  std::vector<std::vector<uint64_t>> batches;  // more than one of those that they are cut into
  for (size_t w = 0; w < writers.size(); ++w) {
    batches.push_back(RandomHashes(6000, 10 + w));
    std::copy(old.begin(), old.begin() + 3000, batches[w].begin());
    ExpectInserted(writers[w].first, batches[w], writers[w].second);
  }
  RedisFilter late;  // opened when the node is down already
  Open(&late);
  for (uint64_t hash : RandomHashes(6, 3)) ExpectInserted(&late, {hash}, "late");

  const std::vector<uint64_t> asked = RandomHashes(6000, 4);
  std::vector<uint8_t> answers(asked.size()), answered(asked.size()), expected(asked.size());
  EXPECT_EQ(late.MayContainHashes(asked.data(), asked.size(), answers.data(), answered.data()).code(),
            StatusCode::kUnavailable);
  local_.MayContainHashes(asked.data(), asked.size(), expected.data());
  for (size_t i = 0; i < asked.size(); ++i) {
    ASSERT_EQ(answers[i], Fails(asked[i]) ? 1 : expected[i]) << i;
    ASSERT_EQ(answered[i], !Fails(asked[i])) << i;
  }

  ASSERT_NO_FATAL_FAILURE(Restart());
  for (size_t w = 0; w < writers.size(); ++w) ExpectInserted(writers[w].first, batches[w], writers[w].second);
  EXPECT_TRUE(late.MayContainHashes(asked.data(), asked.size(), answers.data()).ok());
  local_.MayContainHashes(asked.data(), asked.size(), expected.data());
  EXPECT_EQ(answers, expected);
  for (const std::vector<uint64_t>& batch : batches) ExpectKnown(&late, batch);

  ASSERT_TRUE(first.BeginGeneration(kKeys, options_, kShards).ok());
  RedisInfo info;
  ASSERT_TRUE(first.Info(&info).ok());
  FindOwners(info.next_generation);
  for (RedisFilter* filter : {&fresh, &late}) Open(filter);
  Kill(dead);
  ExpectInserted(&fresh, batches[0], "fresh, two generations");
  const std::vector<uint64_t> more = RandomHashes(6000, 5);
  ExpectInserted(&late, more, "late, two generations");
  ASSERT_NO_FATAL_FAILURE(Restart());
  ExpectInserted(&late, more, "late, two generations");
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
  ASSERT_NO_FATAL_FAILURE(Restart());
  ASSERT_TRUE(fresh.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  ExpectKnown(&filter, hashes);
}

}  // namespace
}  // namespace linefilter::test
