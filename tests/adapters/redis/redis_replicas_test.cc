// wait_replicas: what brings keys is acknowledged only when replicas have it, and nothing else waits for them. And
// replica_reads: who sets it asks the replica that he names, and what he writes goes to its master or is refused.
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

constexpr uint64_t kKeys = 1000;

class RedisReplicas : public RedisServerTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisServerTest::SetUp());
    client_.Do({"FLUSHALL"});
    waiting_ = servers_;
    waiting_.wait_replicas = 1;
    waiting_.wait_ms = 1;
    layout_.shard_bytes = 640;  // two shards
  }
  static void ExpectTooFew(const Status& status) {
    EXPECT_TRUE(Says(StatusCode::kUnavailable, status, "inserted, but only 0 of 1 replicas"));
  }
  size_t NumStrings() { return client_.Do({"KEYS", "*"}).items.size(); }

  RedisClient client_{server_->address()};
  RedisServers waiting_;
  RedisLayout layout_;
  const std::vector<uint64_t> keys_ = RandomHashes(kKeys, 1);
};

TEST_F(RedisReplicas, OnlyWhatBringsKeysWaitsForThem) {
  const FilterOptions options = RedisOptions(10);
  const std::string image = ImageOf(kKeys, options, keys_);
  const auto expect_ok = [](const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); };
  RedisFilter filter;
  expect_ok(filter.Create(waiting_, "seen", kKeys, options, layout_));
  RedisInsert outcome = RedisInsert::kNew;
  ExpectTooFew(filter.InsertHash(1, &outcome));
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  ExpectTooFew(filter.Load(image.data(), image.size()));

  expect_ok(filter.BeginGeneration(kKeys, options, layout_));
  ExpectTooFew(filter.LoadNext(image.data(), image.size()));
  ExpectTooFew(filter.InsertHashesIntoNext(keys_.data(), keys_.size()));
  expect_ok(filter.AbandonGeneration());
  expect_ok(filter.BeginGeneration(kKeys, options, layout_));
  expect_ok(filter.SwitchGeneration());
  expect_ok(filter.Expire(600000));
  expect_ok(filter.Expire(0));
  ExpectTooFew(filter.BeginGenerationFromImage(image.data(), image.size(), layout_));

  expect_ok(RedisFilter::Delete(waiting_, "seen"));
  RedisFilter gone;
  EXPECT_EQ(gone.Open(servers_, "seen").code(), StatusCode::kNotFound);
  ExpectTooFew(gone.CreateFromImage(waiting_, "of_an_image", image.data(), image.size(), nullptr, layout_));
  EXPECT_EQ(gone.Open(servers_, "of_an_image").code(), StatusCode::kNotFound);
}

TEST_F(RedisReplicas, DeleteLeavesNothingThoughNoReplicaIsThere) {
  RedisFilter filter = Created(servers_, "seen", kKeys, RedisOptions(10), layout_);
  EXPECT_EQ(NumStrings(), 3u);
  EXPECT_TRUE(IsOk(RedisFilter::Delete(waiting_, "seen")));
  EXPECT_EQ(NumStrings(), 0u);
}

// Where the master is another address, it goes there: redis_failover_test.
TEST_F(RedisReplicas, AReplicaAloneAnswersAndChangesNothing) {
  const FilterOptions options = RedisOptions(10);
  RedisFilter filter, reader;
  ASSERT_TRUE(filter.Create(servers_, "seen", kKeys, options, layout_).ok());
  Insert(&filter, keys_);
  RedisServerOptions of_replica;
  of_replica.replica_of = server_->port();
  RedisServer replica(of_replica);
  ASSERT_TRUE(replica.ok()) << replica.why();
  RedisServers servers = PatientServers(replica.address());
  servers.replica_reads = true;
  RedisClient client(replica.address());
  ASSERT_TRUE(WaitUntil([&] { return client.Do({"KEYS", "*"}).items.size() == 3; }));
  ASSERT_TRUE(reader.Open(servers, "seen").ok());
  EXPECT_EQ(CountMissing(&reader, keys_), 0u);

  const auto expect_refused = [](const Status& status) {
    EXPECT_TRUE(Says(StatusCode::kUnavailable, status, "read-only replica"));
  };
  RedisInsert outcome = RedisInsert::kNew;
  expect_refused(reader.InsertHash(1, &outcome));
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  const std::string image = ImageOf(kKeys, options, keys_);
  expect_refused(reader.Load(image.data(), image.size()));
  expect_refused(reader.BeginGeneration(kKeys, options, layout_));
  expect_refused(reader.Expire(600000));
  expect_refused(RedisFilter::Delete(servers, "seen"));
  ASSERT_TRUE(filter.BeginGeneration(kKeys, options, layout_).ok());
  ASSERT_TRUE(WaitUntil([&] { return client.Text({"GET", "seen"}) == client_.Text({"GET", "seen"}); }));
  expect_refused(reader.SwitchGeneration());
  expect_refused(reader.AbandonGeneration());
  RedisFilter other;
  expect_refused(other.Create(servers, "other", kKeys, options, layout_));
  EXPECT_EQ(CountMissing(&reader, keys_), 0u);
}

}  // namespace
}  // namespace linefilter::test
