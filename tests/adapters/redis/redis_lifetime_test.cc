// Create and Delete while others go on with the filter, or make it anew, between two of their commands: what they use
// is left alone, and of one that was left nothing stays for ever.
#include "tests/testing/redis_lifetime.h"

#include <atomic>
#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_earlier.h"
#include "tests/testing/redis_generations.h"

namespace linefilter::test {
namespace {

class RedisLifetime : public RedisLifetimeTest {
 protected:
  // Delete, of which the first reply about the record is lost, and `meanwhile` happens before it is asked again.
  Status DeleteWhile(const std::function<void()>& meanwhile) {
    AfterLostReply(Deletes, meanwhile);
    return RedisFilter::Delete(through_, "seen");
  }

  // Create, of which the first reply to the record is lost, and `meanwhile` happens before it is sent again.
  Status CreateWhile(RedisFilter* filter, const std::function<void()>& meanwhile) {
    AfterLostReply([](const Words& words) { return words[0] == "SET" && words.back() == "NX"; }, meanwhile);
    return filter->Create(through_, "seen", 1000, RedisOptions(16));
  }
};

TEST_F(RedisLifetime, CreateIsDoneIfOthersWentOnFromItsRecord) {
  RedisFilter creator, other;
  const Status status = CreateWhile(&creator, [&] {
    ASSERT_TRUE(other.Open(servers_, "seen").ok());
    Insert(&other, keys_);
    EXPECT_TRUE(other.BeginGeneration(2000, RedisOptions(16)).ok());
  });
  EXPECT_TRUE(IsOk(status));
  ExpectWhole();
  EXPECT_EQ(CountMissing(&creator, keys_), 0u);
  EXPECT_TRUE(other.AbandonGeneration().ok());
  Insert(&creator, RandomHashes(10, 2));
}

TEST_F(RedisLifetime, CreateLeavesWhatARecordMayNameThatItDoesNotUnderstand) {
  RedisFilter creator;
  const Status status = CreateWhile(&creator, [&] { client_.Do({"APPEND", "seen", "of a later library\n"}); });
  EXPECT_EQ(status.code(), StatusCode::kIncompatible) << status.message();
  EXPECT_EQ(client_.Do({"KEYS", "{seen:*"}).items.size(), 1u);
}

TEST_F(RedisLifetime, CreateLeavesNoShardsOfItsOwnWhereTheNameIsTaken) {
  RedisFilter creator;
  const Status status = CreateWhile(&creator, [&] {
    EXPECT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
    CreateAnew();
  });
  EXPECT_EQ(status.code(), StatusCode::kIncompatible) << status.message();
  ExpectWhole();
  EXPECT_EQ(client_.Do({"KEYS", "{seen:*"}).items.size(), 1u);
}

// The first SET NX was a filter that somebody deleted; the second one names shards that are gone.
TEST_F(RedisLifetime, CreateSaysSoIfItsShardsWereDeletedMeanwhile) {
  RedisFilter creator;
  EXPECT_TRUE(Says(StatusCode::kCorrupt,
                   CreateWhile(&creator, [&] { EXPECT_TRUE(RedisFilter::Delete(servers_, "seen").ok()); })));
}

// Others are so fast that the generation was left when its shards are about to be kept.
TEST_F(RedisLifetime, CreateKeepsNothingThatWasLeft) {
  Before(TimesShard, [&] { RebuildTimes(1); });
  RedisFilter creator = Created(through_, "seen", 1000, RedisOptions(16));
  EXPECT_TRUE(has_happened_);
  const auto shards = client_.Do({"KEYS", "{seen:*"}).items;
  ASSERT_EQ(shards.size(), 2u);
  EXPECT_NE(client_.Integer({"PTTL", shards[0].text}) == -1, client_.Integer({"PTTL", shards[1].text}) == -1);
  ExpectWhole();
}

// Somebody made it and died before its shards were kept; the record of a later step would not show that.
TEST_F(RedisLifetime, BeginKeepsWhatACreatorWhoDiedDidNot) {
  RedisFilter filter;
  Create(&filter);
  client_.Do({"PEXPIRE", client_.Do({"KEYS", "{seen:*"}).items[0].text, "80000000"});
  ASSERT_TRUE(filter.BeginGeneration(2000, RedisOptions(16)).ok());
  const auto shards = client_.Do({"KEYS", "{seen:*"}).items;
  EXPECT_EQ(shards.size(), 2u);
  for (const auto& shard : shards) EXPECT_EQ(client_.Integer({"PTTL", shard.text}), -1);
}

TEST_F(RedisLifetime, BeginLeavesNoShardsIfItCannotKeepTheOthers) {
  RedisFilter filter;
  Create(&filter);
  client_.Do({"PEXPIRE", client_.Do({"KEYS", "{seen:*"}).items[0].text, "80000000"});
  test::SetPatience(0, &through_);
  relay_.before = [](const Words& words) { return TimesShard(words) ? Act::kClose : Act::kForward; };
  ASSERT_TRUE(filter.Open(through_, "seen").ok());
  EXPECT_EQ(filter.BeginGeneration(1000, RedisOptions(16)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(client_.Do({"KEYS", "{seen:*"}).items.size(), 1u);
}

// Expire gave the shards their times, and may be giving them others now.
TEST_F(RedisLifetime, CreateLeavesTheTimesOfWhatHasTheName) {
  RedisFilter filter, late;
  Create(&filter);
  ASSERT_TRUE(filter.Expire(1000000).ok());
  std::atomic<size_t> num_times{0};
  relay_.before = [&](const Words& words) {
    num_times += words[0] == "PEXPIRE" || Times(words) ? 1u : 0u;
    return Act();
  };
  EXPECT_EQ(late.Create(through_, "seen", 1000, RedisOptions(16)).code(), StatusCode::kIncompatible);
  EXPECT_EQ(num_times, 0u);
}

// The record is gone before the shards are kept: they go, too.
TEST_F(RedisLifetime, CreateKeepsNothingOfWhatWasDeleted) {
  Before(TimesShard, [&] { client_.Do({"DEL", "seen"}); });  // his UNLINK of the shards comes later, or never
  RedisFilter creator;
  (void)creator.Create(through_, "seen", 1000, RedisOptions(16));
  EXPECT_TRUE(has_happened_);
  for (const auto& shard : client_.Do({"KEYS", "{seen:*"}).items) {
    EXPECT_GT(client_.Integer({"PTTL", shard.text}), 0) << "it goes by itself";
  }
}

TEST_F(RedisLifetime, DeleteLeavesANewFilterAlone) {
  RedisFilter filter;
  Create(&filter);
  EXPECT_TRUE(IsOk(DeleteWhile([&] { CreateAnew(); })));
  ExpectWhole();
}

TEST_F(RedisLifetime, DeleteLeavesANewFilterWithANextGenerationAlone) {
  RedisFilter filter;
  Create(&filter);
  const Status status = DeleteWhile([&] {
    RedisFilter anew;
    Create(&anew);
    Insert(&anew, keys_);
    EXPECT_TRUE(anew.BeginGeneration(2000, RedisOptions(16)).ok());
  });
  EXPECT_TRUE(IsOk(status));
  ExpectWhole();
}

// It may be the same filter, too, for all that its record tells.
TEST_F(RedisLifetime, DeleteLeavesANewFilterAloneThatWasRebuilt) {
  RedisFilter filter;
  Create(&filter);
  const Status status = DeleteWhile([&] {
    CreateAnew();
    RebuildTimes(1);
  });
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.message();
  ExpectWhole();
}

// The record is changed between the look at it and its removal, by steps that keep a generation.
TEST_F(RedisLifetime, DeleteFollowsASwitch) {
  RedisFilter filter, rebuilder;
  Create(&filter);
  ASSERT_TRUE(rebuilder.Open(servers_, "seen").ok());
  Before(Deletes, [&] { EXPECT_TRUE(rebuilder.BeginGeneration(2000, RedisOptions(16)).ok()); });
  EXPECT_TRUE(IsOk(RedisFilter::Delete(through_, "seen")));
  EXPECT_TRUE(client_.Do({"KEYS", "*seen*"}).items.empty());
}

// And by steps that keep none: whose it is nobody knows.
TEST_F(RedisLifetime, DeleteLeavesAnotherGenerationAlone) {
  RedisFilter filter;
  Create(&filter);
  Before(Deletes, [&] { RebuildTimes(1); });
  EXPECT_EQ(RedisFilter::Delete(through_, "seen").code(), StatusCode::kUnavailable);
  ExpectWhole();
  relay_.before = [](const Words&) { return Act(); };
  EXPECT_TRUE(RedisFilter::Delete(through_, "seen").ok());
  EXPECT_EQ(client_.Integer({"EXISTS", "seen"}), 0);
}

// Nobody works with it, no key is absent, and it goes with its shards: on Delete, or when a new one takes its name.
TEST_F(RedisLifetime, AFilterOfAnEarlierStateIsRefusedAndGoesWhole) {
  const auto write = [&] {
    client_.Do({"SET", "seen", kEarlierRecord});
    for (const char* shard : kEarlierShards) client_.Do({"SET", shard, std::string(64, '\0') + "lfshard1\1"});
  };
  write();
  RedisFilter filter;
  EXPECT_TRUE(Says(StatusCode::kCorrupt, filter.Open(servers_, "seen"), "written before linefilter 0.1.0"));
  bool maybe = false;
  EXPECT_FALSE(filter.MayContainKey("a", &maybe).ok());
  EXPECT_TRUE(maybe);
  EXPECT_EQ(filter.Create(servers_, "seen", 1000, RedisOptions(16)).code(), StatusCode::kIncompatible);
  EXPECT_EQ(client_.Text({"GET", "seen"}), kEarlierRecord) << "the name is taken";
  EXPECT_TRUE(IsOk(RedisFilter::Delete(servers_, "seen")));
  EXPECT_EQ(client_.Integer({"DBSIZE"}), 0);

  write();
  client_.Do({"PEXPIRE", "seen", "50000"});  // as it is when its time is over: the shards follow
  EXPECT_TRUE(IsOk(filter.Create(servers_, "seen", 1000, RedisOptions(16))));
  for (const char* shard : kEarlierShards) EXPECT_EQ(client_.Integer({"EXISTS", shard}), 0);
  EXPECT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
  EXPECT_EQ(client_.Integer({"DBSIZE"}), 0);
}

// The record is the same be it that a Switch died or an Abandon: the number of what serves tells.
TEST_F(RedisLifetime, SwitchEndsAnAbandonThatDied) {
  RedisFilter filter, dies, other;
  Create(&filter);
  Insert(&filter, keys_);
  ASSERT_TRUE(filter.BeginGeneration(2000, RedisOptions(16)).ok());
  test::SetPatience(0, &through_);
  ASSERT_TRUE(dies.Open(through_, "seen").ok());
  relay_.before = [](const Words& words) { return words[0] == "PEXPIRE" ? Act::kClose : Act::kForward; };
  EXPECT_EQ(dies.AbandonGeneration().code(), StatusCode::kUnavailable);
  RedisInfo info;
  ASSERT_TRUE(other.Open(servers_, "seen").ok());
  ASSERT_TRUE(other.Info(&info).ok());
  EXPECT_EQ(info.next_generation, 0u);
  EXPECT_NE(info.previous_generation, 0u);
  EXPECT_TRUE(other.SwitchGeneration().ok());
  EXPECT_EQ(other.generation(), info.generation) << "nothing was switched to";
  EXPECT_EQ(other.SwitchGeneration().code(), StatusCode::kIncompatible) << "it is ended";
  ExpectWhole();
}

}  // namespace
}  // namespace linefilter::test
