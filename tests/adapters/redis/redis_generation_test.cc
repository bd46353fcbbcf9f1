// A filter in Redis that is made anew: begun, loaded, switched to or abandoned; refused where it makes no sense, also
// when two rebuild at once or a shard is lost.
#include <atomic>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/calls/upload.h"
#include "linefilter/redis.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

using RedisGeneration = RedisServerTest;

TEST_F(RedisGeneration, IsBegunLoadedAndSwitchedTo) {
  RedisFilter filter = Created(servers_, "plain", 1000, RedisOptions(10), {256});
  RedisFilter other = Opened(servers_, "plain");
  const std::vector<uint64_t> before = RandomHashes(500, 1), meanwhile = RandomHashes(100, 2),
                              after = RandomHashes(100, 3), direct = RandomHashes(100, 4);
  Insert(&other, before);
  ASSERT_TRUE(filter.BeginGeneration(2000, RedisOptions(16), {1024}).ok());
  Insert(&other, meanwhile);
  ASSERT_TRUE(filter.InsertHashesIntoNext(direct.data(), direct.size()).ok());
  EXPECT_GT(CountMissing(&filter, direct), 0u);
  const std::string image = ImageOf(2000, RedisOptions(16), before);
  ASSERT_TRUE(filter.LoadNext(image.data(), image.size()).ok());
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_NE(info.next_generation, 0u);
  const uint64_t next = info.next_generation;
  RedisClient client(server_->address());
  for (const auto& key : client.Do({"KEYS", "{plain:*"}).items) EXPECT_EQ(client.Integer({"PTTL", key.text}), -1);
  ASSERT_TRUE(filter.SwitchGeneration().ok());
  Insert(&other, after);
  for (RedisFilter* each : {&filter, &other}) {
    for (const auto& hashes : {before, meanwhile, after, direct}) EXPECT_EQ(CountMissing(each, hashes), 0u);
    EXPECT_EQ(each->generation(), next);
    EXPECT_EQ(each->num_blocks(), ImageOf(2000, RedisOptions(16), {}).size() / 64);
  }
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_EQ(info.next_generation, 0u);
  EXPECT_EQ(info.previous_generation, 0u);
}

TEST_F(RedisGeneration, MayHaveAnotherLayoutOrComeFromAnImage) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 5);
  RedisFilter filter = Created(servers_, "layouts", 1000, RedisOptions(10), {256});
  RedisFilter reader = Opened(servers_, "layouts");
  Insert(&filter, hashes);
  ASSERT_TRUE(Rebuild(&filter, 1000, RedisOptions(12, Layout::kClassic), {}, hashes).ok());
  EXPECT_EQ(CountMissing(&reader, hashes), 0u);
  EXPECT_EQ(reader.layout(), Layout::kClassic);
  std::string image = ImageOf(2000, RedisOptions(9), hashes);
  ASSERT_TRUE(IsOk(filter.BeginGenerationFromImage(image.data(), image.size(), {256})));
  ASSERT_TRUE(filter.SwitchGeneration().ok());
  EXPECT_EQ(CountMissing(&reader, hashes), 0u);
  EXPECT_EQ(reader.layout(), Layout::kBlocked);

  // Keys that are inserted meanwhile could not follow into a layout that takes none.
  image = Build(RedisOptions(8, Layout::kRetrieval), hashes);
  EXPECT_EQ(filter.BeginGenerationFromImage(image.data(), image.size()).code(), StatusCode::kIncompatible);
  RedisFilter fixed;
  ASSERT_TRUE(fixed.CreateFromImage(servers_, "fixed", image.data(), image.size(), nullptr, {256}).ok());
  ASSERT_TRUE(IsOk(fixed.BeginGenerationFromImage(image.data(), image.size(), {512})));
  ASSERT_TRUE(fixed.SwitchGeneration().ok());
  EXPECT_EQ(CountMissing(&fixed, hashes), 0u);
  ASSERT_TRUE(Rebuild(&fixed, 1000, RedisOptions(12), {}, hashes).ok());
  EXPECT_EQ(CountMissing(&fixed, hashes), 0u);
  ASSERT_TRUE(Rebuild(&filter, 1000, RedisOptions(12), {}, hashes).ok());
  EXPECT_EQ(CountMissing(&reader, hashes), 0u);

  FilterOptions seeded = RedisOptions(10);
  seeded.seed = 3;
  EXPECT_EQ(filter.BeginGeneration(1000, seeded).code(), StatusCode::kIncompatible);
  const std::string foreign = Build(seeded, hashes);
  EXPECT_EQ(filter.BeginGenerationFromImage(foreign.data(), foreign.size()).code(), StatusCode::kIncompatible);
}

TEST_F(RedisGeneration, IsAbandoned) {
  RedisFilter filter;
  const std::vector<uint64_t> before = RandomHashes(500, 6), meanwhile = RandomHashes(100, 7);
  ASSERT_TRUE(filter.Create(servers_, "abandoned", 1000, RedisOptions(10), {256}).ok());
  EXPECT_EQ(filter.AbandonGeneration().code(), StatusCode::kIncompatible);
  EXPECT_EQ(filter.SwitchGeneration().code(), StatusCode::kIncompatible);
  EXPECT_EQ(filter.InsertHashesIntoNext(before.data(), 1).code(), StatusCode::kIncompatible);
  Insert(&filter, before);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(filter.BeginGeneration(1000, RedisOptions(20)).ok());
    EXPECT_EQ(filter.BeginGeneration(1000, RedisOptions(20)).code(), StatusCode::kIncompatible);
    Insert(&filter, meanwhile);
    ASSERT_TRUE(IsOk(filter.AbandonGeneration()));
    EXPECT_EQ(CountMissing(&filter, before) + CountMissing(&filter, meanwhile), 0u);
  }
  const std::string image = ImageOf(1000, RedisOptions(10), before);
  EXPECT_EQ(filter.LoadNext(image.data(), image.size()).code(), StatusCode::kIncompatible);
}

TEST_F(RedisGeneration, LoadsTheNextOneWhileThereIsOne) {
  RedisFilter filter = Created(servers_, "between", 1000, RedisOptions(10));
  const std::string image = ImageOf(1000, RedisOptions(10), RandomHashes(1000, 8));
  ASSERT_TRUE(filter.Load(image.data(), image.size()).ok());
  ASSERT_TRUE(filter.BeginGeneration(1000, RedisOptions(20)).ok());
  EXPECT_EQ(filter.Load(image.data(), image.size()).code(), StatusCode::kIncompatible);
  EXPECT_EQ(filter.LoadNext(image.data(), image.size()).code(), StatusCode::kIncompatible);  // of another size
  ASSERT_TRUE(filter.AbandonGeneration().ok());
  ASSERT_TRUE(filter.Load(image.data(), image.size()).ok());
}

// Who abandons the generation of another one and begins his own is not switched under by him.
TEST_F(RedisGeneration, TwoRebuildersDoNotServeEachOthersHalves) {
  RedisFilter filter, first, second;
  const std::vector<uint64_t> hashes = RandomHashes(1000, 9);
  ASSERT_TRUE(filter.Create(servers_, "two", 1000, RedisOptions(10), {256}).ok());
  ASSERT_TRUE(first.Open(servers_, "two").ok());
  ASSERT_TRUE(second.Open(servers_, "two").ok());
  Insert(&filter, hashes);
  const std::string image = ImageOf(1000, RedisOptions(20), hashes);
  ASSERT_TRUE(first.BeginGeneration(1000, RedisOptions(20)).ok());
  ASSERT_TRUE(first.LoadNext(image.data(), image.size()).ok());
  EXPECT_EQ(second.BeginGeneration(1000, RedisOptions(20)).code(), StatusCode::kIncompatible);
  ASSERT_TRUE(second.AbandonGeneration().ok());
  EXPECT_EQ(first.SwitchGeneration().code(), StatusCode::kIncompatible);
  ASSERT_TRUE(second.BeginGeneration(1000, RedisOptions(20)).ok());
  EXPECT_EQ(first.LoadNext(image.data(), image.size()).code(), StatusCode::kIncompatible);
  EXPECT_EQ(first.InsertHashesIntoNext(hashes.data(), 1).code(), StatusCode::kIncompatible);
  EXPECT_EQ(first.SwitchGeneration().code(), StatusCode::kIncompatible);
  EXPECT_EQ(first.AbandonGeneration().code(), StatusCode::kIncompatible);
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  ASSERT_TRUE(second.LoadNext(image.data(), image.size()).ok());
  ASSERT_TRUE(second.SwitchGeneration().ok());
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  ASSERT_TRUE(Rebuild(&first, 1000, RedisOptions(8), {}, hashes).ok());
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
}

// The cure of a lost shard; and nobody switches to a generation that lost one.
TEST_F(RedisGeneration, LostShards) {
  RedisFilter filter, writer;
  RedisClient client(server_->address());
  const std::vector<uint64_t> hashes = RandomHashes(1000, 10);
  ASSERT_TRUE(filter.Create(servers_, "lost", 1000, RedisOptions(10), {256}).ok());
  ASSERT_TRUE(writer.Open(servers_, "lost").ok());
  Insert(&filter, hashes);
  ASSERT_TRUE(filter.BeginGeneration(1000, RedisOptions(20), {256}).ok());
  Insert(&writer, hashes);
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  client.Do({"DEL", "{lost:" + IdOf(info.next_generation) + ":1}"});
  EXPECT_EQ(filter.SwitchGeneration().code(), StatusCode::kCorrupt);
  const std::string image = ImageOf(1000, RedisOptions(20), hashes);
  EXPECT_EQ(filter.LoadNext(image.data(), image.size()).code(), StatusCode::kCorrupt);
  Insert(&writer, hashes);  // what serves is whole
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  ASSERT_TRUE(filter.AbandonGeneration().ok());
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);

  client.Do({"DEL", "{lost:" + IdOf(info.generation) + ":1}"});
  std::vector<uint8_t> answers(hashes.size());
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kCorrupt);
  ASSERT_TRUE(IsOk(Rebuild(&filter, 1000, RedisOptions(20), {256}, hashes)));
  EXPECT_EQ(CountMissing(&writer, hashes), 0u);
}

// A filter that ends by itself does so with the generation that it has then.
TEST_F(RedisGeneration, KeepsTheTimeToLive) {
  RedisFilter filter;
  RedisClient client(server_->address());
  ASSERT_TRUE(filter.Create(servers_, "mortal", 1000, RedisOptions(10), {256}).ok());
  ASSERT_TRUE(filter.Expire(1000000).ok());
  ASSERT_TRUE(Rebuild(&filter, 1000, RedisOptions(20), {256}, RandomHashes(100, 11)).ok());
  const int64_t record_ms = client.Integer({"PTTL", "mortal"});
  EXPECT_GT(record_ms, 1000000);
  for (const auto& key : client.Do({"KEYS", "{mortal:" + IdOf(filter.generation()) + ":*"}).items) {
    EXPECT_GT(client.Integer({"PTTL", key.text}), 900000) << key.text;
    EXPECT_LE(client.Integer({"PTTL", key.text}), 1001000) << key.text;
  }
}

// The record is read again after a reconnect; where it is the same and all shards are there, the insertion is done.
TEST_F(RedisGeneration, TakesInsertionsIntoTheNextOneAfterAReconnect) {
  RedisRelay relay(server_->port());
  RedisFilter filter = Created(PatientServers(relay.address()), "cut", 1000, RedisOptions(10), {256});
  ASSERT_TRUE(filter.BeginGeneration(1000, RedisOptions(20)).ok());
  std::atomic<bool> is_cut{false};
  relay.before = [&](const RedisRelay::Words& words) {
    if (words[0] != "BITFIELD" || is_cut) return RedisRelay::Act();
    is_cut = true;
    return RedisRelay::Act(RedisRelay::Act::kClose);
  };
  const std::vector<uint64_t> hashes = RandomHashes(100, 13);
  EXPECT_TRUE(IsOk(filter.InsertHashesIntoNext(hashes.data(), hashes.size())));
  EXPECT_TRUE(is_cut);
  EXPECT_GT(CountMissing(&filter, hashes), 0u) << "they are in the next one alone";
  ASSERT_TRUE(filter.SwitchGeneration().ok());
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
}

// A command whose reply was lost is sent again; then the first one may come when others insert already.
TEST_F(RedisGeneration, TakesNoPieceOfAnUploadThatComesLate) {
  RedisFilter filter;
  const std::vector<uint64_t> hashes = RandomHashes(1000, 12);
  ASSERT_TRUE(filter.Create(servers_, "late", 1000, RedisOptions(10), {256}).ok());
  Insert(&filter, hashes);
  redis_internal::FilterRecord record;
  ASSERT_TRUE(record.Connect(servers_, "late").ok());
  ASSERT_TRUE(record.ReadHeader().ok());
  const std::vector<uint8_t> zeros(static_cast<size_t>(filter.body_bytes()), 0);
  EXPECT_FALSE(redis_internal::FillShards(&record, record.current(), zeros.data()).ok());
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
}

}  // namespace
}  // namespace linefilter::test
