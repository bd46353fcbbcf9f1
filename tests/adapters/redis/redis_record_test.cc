// A client is told at once that its filter is gone, also while its shards are still whole, or were brought back empty.
// Not one key is acknowledged there, nor absent, beside the filter that has the name now.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/calls/upload.h"
#include "linefilter/redis.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_proxy.h"

namespace linefilter::test {
namespace {

class RedisRecord : public RedisServerTest {
 protected:
  void SetUp() override {
    RedisServerTest::SetUp();
    client_.Do({"FLUSHALL"});
  }

  void ExpectNothingCounts(RedisFilter* filter, const std::vector<uint64_t>& hashes, StatusCode why) {
    std::vector<uint8_t> answers(hashes.size(), 0);
    EXPECT_TRUE(Says(why, filter->MayContainHashes(hashes.data(), hashes.size(), answers.data())));
    EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
    std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
    EXPECT_TRUE(Says(why, filter->InsertHashes(hashes.data(), hashes.size(), outcomes.data())));
    EXPECT_EQ(static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kFailed)), hashes.size());
    bool maybe = false;
    EXPECT_EQ(filter->MayContainHash(hashes[0], &maybe).code(), why);
    EXPECT_TRUE(maybe);
    RedisInsert outcome = RedisInsert::kNew;
    EXPECT_EQ(filter->InsertHash(hashes[0], &outcome).code(), why);
    EXPECT_EQ(outcome, RedisInsert::kFailed);
  }
  std::vector<std::string> ShardsOf(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& key : client_.Do({"KEYS", "{" + name + ":*"}).items) names.push_back(key.text);
    std::sort(names.begin(), names.end());
    return names;
  }
  // The script `make` of doc/REDIS.md, as one that was sent again may come: when the shard is lost.
  void MakeLate(const std::string& shard, const std::string& offset) {
    client_.Do({"DEL", shard});
    EXPECT_EQ(client_.Integer({"EVAL",
                               "if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end\n"
                               "redis.call('SETRANGE', KEYS[1], ARGV[1], ARGV[2])\n"
                               "redis.call('PEXPIRE', KEYS[1], 86400000)\n"
                               "return 1",
                               "1", shard, offset, std::string("lfshard1\0\0\0\0\0\0\0\0", 16)}),
              1);
  }

  RedisClient client_{server_->address()};
  const std::vector<uint64_t> old_keys_ = RandomHashes(2000, 1), new_keys_ = RandomHashes(2000, 2),
                              later_keys_ = RandomHashes(2000, 3);
};

class RedisRecordOfLayout : public RedisRecord, public testing::WithParamInterface<Layout> {
 protected:
  // Where the layout has the choice, the filter is one that gives keys back.
  static FilterOptions Options(double bits_per_key) {
    FilterOptions options = RedisOptions(bits_per_key, GetParam());
    options.removable = FactsOf(GetParam()).chooses_removal;
    return options;
  }
};

INSTANTIATE_TEST_SUITE_P(Layouts, RedisRecordOfLayout,
                         testing::Values(Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient),
                         [](const testing::TestParamInfo<Layout>& layout) { return LayoutName(layout.param); });

// An eviction takes the record as any key, and DEL does: the shards stay.
TEST_P(RedisRecordOfLayout, ThatIsGoneIsNotFound) {
  RedisFilter filter = Created(servers_, "seen", 2000, Options(16));
  RedisFilter writer = Opened(servers_, "seen");
  Insert(&filter, old_keys_);
  client_.Do({"DEL", "seen"});
  ExpectNothingCounts(&filter, old_keys_, StatusCode::kNotFound);
  ExpectNothingCounts(&writer, later_keys_, StatusCode::kNotFound);
  EXPECT_EQ(ShardsOf("seen").size(), 1u);
}

// And somebody makes it anew, of the same parameters, before the old clients look.
TEST_P(RedisRecordOfLayout, ThatIsAnotherOneIsFollowed) {
  RedisFilter reader, writer, single, anew;
  const FilterOptions options = Options(64);
  ASSERT_TRUE(reader.Create(servers_, "seen", 2000, options).ok());
  ASSERT_TRUE(writer.Open(servers_, "seen").ok());
  ASSERT_TRUE(single.Open(servers_, "seen").ok());
  Insert(&writer, old_keys_);
  client_.Do({"DEL", "seen"});
  ASSERT_TRUE(anew.Create(servers_, "seen", 2000, options).ok());
  Insert(&anew, new_keys_);
  EXPECT_EQ(CountMissing(&reader, new_keys_), 0u);
  bool maybe = false;
  EXPECT_TRUE(single.MayContainHash(new_keys_[0], &maybe).ok());
  EXPECT_TRUE(maybe);
  EXPECT_EQ(reader.generation(), anew.generation());

  std::vector<RedisInsert> outcomes(new_keys_.size());
  ASSERT_TRUE(writer.InsertHashes(new_keys_.data(), new_keys_.size(), outcomes.data()).ok());
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kNew), 0) << "the other one was told";
  Insert(&writer, later_keys_);
  EXPECT_EQ(CountMissing(&anew, later_keys_), 0u);
}

TEST_F(RedisRecord, ThatIsAnotherOneIsFollowedByTheFirstInsertion) {
  for (const bool single : {false, true}) {
    client_.Do({"FLUSHALL"});
    RedisFilter writer, anew;
    ASSERT_TRUE(writer.Create(servers_, "seen", 2000, RedisOptions(64)).ok());
    Insert(&writer, old_keys_);
    client_.Do({"DEL", "seen"});
    ASSERT_TRUE(anew.Create(servers_, "seen", 2000, RedisOptions(64)).ok());
    const std::vector<uint64_t> keys(later_keys_.begin(), later_keys_.begin() + (single ? 1 : 2000));
    Insert(&writer, keys);
    EXPECT_EQ(CountMissing(&anew, keys), 0u);
  }
}

TEST_F(RedisRecord, ThatIsSomethingElseIsAnError) {
  RedisFilter filter = Created(servers_, "seen", 2000, RedisOptions(16));
  const std::string record = client_.Text({"GET", "seen"});
  client_.Do({"SET", "seen", "something else"});
  ExpectNothingCounts(&filter, later_keys_, StatusCode::kIncompatible);
  client_.Do({"DEL", "seen"});
  client_.Do({"HSET", "seen", "a", "b"});
  ExpectNothingCounts(&filter, later_keys_, StatusCode::kIncompatible);
  client_.Do({"DEL", "seen"});
  client_.Do({"SET", "seen", record});
  EXPECT_GT(CountMissing(&filter, RandomHashes(100, 4)), 0u);
}

TEST_F(RedisRecord, ThatIsGoneStopsLoadsAndDownloads) {
  RedisFilter filter = Created(servers_, "seen", 2000, RedisOptions(10), {512});
  const std::string image = ImageOf(2000, RedisOptions(10), old_keys_);
  FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  redis_internal::FilterRecord record;
  ASSERT_TRUE(record.Connect(servers_, "seen").ok());
  ASSERT_TRUE(record.ReadHeader().ok());
  // The record goes while they are at work.
  client_.Do({"RENAME", "seen", "kept"});
  EXPECT_EQ(redis_internal::UniteShards(&record, record.current(), view).code(), StatusCode::kNotFound);
  RedisFilter anew = Created(servers_, "seen", 2000, RedisOptions(10), {512});
  EXPECT_EQ(redis_internal::UniteShards(&record, record.current(), view).code(), StatusCode::kIncompatible);
  client_.Do({"RENAME", "kept", "seen"});
  const Sink sink = {[](void* context, const void*, size_t) noexcept {
                       static_cast<RedisClient*>(context)->Do({"DEL", "seen"});
                       return true;
                     },
                     &client_};
  EXPECT_EQ(filter.WriteImage(sink).code(), StatusCode::kNotFound);
}

TEST_F(RedisRecord, WhatALateMakeLeftOfALostShardIsLost) {
  RedisFilter filter = Created(servers_, "seen", 2000, RedisOptions(10));
  RedisFilter writer = Opened(servers_, "seen");
  Insert(&filter, old_keys_);
  const std::string shard = ShardsOf("seen").at(0), offset = std::to_string(filter.body_bytes());
  MakeLate(shard, offset);
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_EQ(info.num_lost_shards, 1u);
  const std::string image = ImageOf(2000, RedisOptions(10), old_keys_);
  EXPECT_EQ(filter.Load(image.data(), image.size()).code(), StatusCode::kCorrupt);
  const Sink sink = {[](void*, const void*, size_t) noexcept { return true; }, nullptr};
  EXPECT_EQ(filter.WriteImage(sink).code(), StatusCode::kCorrupt);
  ASSERT_TRUE(filter.BeginGeneration(2000, RedisOptions(10)).ok()) << "the cure";
  EXPECT_EQ(client_.Text({"GETRANGE", shard, "-8", "-1"}), std::string(8, '\0')) << "no step makes it whole";
  ExpectNothingCounts(&filter, old_keys_, StatusCode::kCorrupt);
  EXPECT_EQ(client_.Integer({"EXISTS", shard}), 0) << "no junk stays";
  MakeLate(shard, offset);
  ExpectNothingCounts(&writer, later_keys_, StatusCode::kCorrupt);
}

TEST_F(RedisRecord, NobodySwitchesToWhatALateMakeLeft) {
  RedisFilter filter = Created(servers_, "seen", 2000, RedisOptions(10));
  const std::vector<std::string> before = ShardsOf("seen");
  ASSERT_TRUE(filter.BeginGeneration(2000, RedisOptions(20)).ok());
  std::string shard = ShardsOf("seen").at(0);
  if (shard == before.at(0)) shard = ShardsOf("seen").at(1);
  const std::string image = ImageOf(2000, RedisOptions(20), old_keys_);
  MakeLate(shard, std::to_string(client_.Integer({"STRLEN", shard}) - 16));
  EXPECT_EQ(filter.LoadNext(image.data(), image.size()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(filter.SwitchGeneration().code(), StatusCode::kCorrupt);
  ASSERT_TRUE(filter.AbandonGeneration().ok());
}

// The reply to his last command is lost; when he asks again, somebody has made a new filter of the name.
TEST_F(RedisRecord, WhoDeletesLeavesTheNextFilterAlone) {
  int made = 0;
  for (size_t commands = 1; commands < 12; ++commands) {
    client_.Do({"FLUSHALL"});
    RedisFilter filter, anew;
    ASSERT_TRUE(filter.Create(servers_, "seen", 2000, RedisOptions(10)).ok());
    RedisProxy proxy(server_->port());
    RedisServers through = servers_;
    through.addresses = proxy.address() + "," + servers_.addresses;
    proxy.CutAfter(commands, RedisProxy::Last::kUnanswered);
    std::thread other([&] {
      RedisClient client(server_->address());
      const auto is_gone = [&] { return client.Integer({"EXISTS", "seen"}) == 0; };
      if (WaitUntil(is_gone) && anew.Create(servers_, "seen", 2000, RedisOptions(10)).ok()) ++made;
    });
    const Status status = RedisFilter::Delete(through, "seen");
    other.join();
    EXPECT_TRUE(status.ok() || status.code() == StatusCode::kNotFound) << status.message();
    bool maybe;
    EXPECT_TRUE(anew.MayContainHash(1, &maybe).ok()) << commands;
  }
  EXPECT_EQ(made, 11);
}

// Expire(0) takes the time from the shards that it knows; a switch has just left them, and gave them a minute.
TEST_F(RedisRecord, WhatIsLeftWhileTheFilterIsMadeImmortalStillGoes) {
  RedisFilter filter = Created(servers_, "seen", 2000, RedisOptions(10));
  RedisFilter rebuilder = Opened(servers_, "seen");
  for (int round = 0; round < 4; ++round) {
    std::atomic<bool> working{true};
    std::thread other([&] {
      for (int i = 0; i < 25; ++i) {  // fewer than make a slow Expire give up, which begins again after each
        EXPECT_TRUE(rebuilder.BeginGeneration(2000, RedisOptions(10)).ok());
        EXPECT_TRUE(rebuilder.SwitchGeneration().ok());
      }
      working = false;
    });
    while (working) EXPECT_TRUE(filter.Expire(0).ok());
    other.join();
  }
  const std::string id = IdOf(rebuilder.generation());
  for (const std::string& shard : ShardsOf("seen")) {
    const int64_t ms = client_.Integer({"PTTL", shard});
    EXPECT_EQ(ms == -1, shard.find(id) != std::string::npos) << shard << " " << ms;
  }
}

}  // namespace
}  // namespace linefilter::test
