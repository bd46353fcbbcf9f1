// Create, Delete and Expire while others go on with the filter, or make it anew, between two of their commands: what
// they use is left alone, and of one that was left nothing stays for ever.
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

using Act = RedisRelay::Act;
using Words = RedisRelay::Words;

class RedisLifetime : public RedisServerTest {
 protected:
  void SetUp() override {
    RedisServerTest::SetUp();
    client_.Do({"FLUSHALL"});
    through_ = PatientServers(relay_.address());
  }
  void Create(RedisFilter* filter) { ASSERT_TRUE(filter->Create(servers_, "seen", 1000, RedisOptions(16)).ok()); }
  void CreateAnew() {
    RedisFilter anew;
    Create(&anew);
    Insert(&anew, keys_);
  }
  // Rebuilt so often, from `keys`.
  void RebuildTimes(int times) {
    RedisFilter rebuilder;
    ASSERT_TRUE(rebuilder.Open(servers_, "seen").ok());
    for (int i = 0; i < times; ++i) EXPECT_TRUE(Rebuild(&rebuilder, 1000, RedisOptions(16), {}, keys_).ok());
  }
  // The filter that is there has all keys.
  void ExpectWhole() {
    RedisFilter filter;
    const Status status = filter.Open(servers_, "seen");
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(CountMissing(&filter, keys_), 0u);
  }
  static bool Deletes(const Words& words) { return words[0] == "EVAL" && words[1].find("'DEL'") != std::string::npos; }
  // Delete, of which the first reply about the record is lost, and `meanwhile` happens before it is asked again.
  Status DeleteWhile(const std::function<void()>& meanwhile) {
    bool is_first = true;
    relay_.before = [&](const Words& words) { return Deletes(words) && is_first ? Act::kRunAndClose : Act::kForward; };
    relay_.after = [&](const Words& words) {
      if (!Deletes(words) || !is_first) return;
      meanwhile();
      is_first = false;
    };
    return RedisFilter::Delete(through_, "seen");
  }

  // Create, of which the first reply to the record is lost, and `meanwhile` happens before it is sent again.
  Status CreateWhile(RedisFilter* filter, const std::function<void()>& meanwhile) {
    const auto names = [](const Words& words) { return words[0] == "SET" && words.back() == "NX"; };
    bool is_first = true;
    relay_.before = [=, &is_first](const Words& words) {
      return names(words) && is_first ? Act::kRunAndClose : Act::kForward;
    };
    relay_.after = [=, &is_first](const Words& words) {
      if (!names(words) || !is_first) return;
      meanwhile();
      is_first = false;
    };
    return filter->Create(through_, "seen", 1000, RedisOptions(16));
  }

  RedisClient client_{server_->address()};
  RedisRelay relay_{server_->port()};
  RedisServers through_;
  const std::vector<uint64_t> keys_ = RandomHashes(200, 1);
};

TEST_F(RedisLifetime, CreateIsDoneIfOthersWentOnFromItsRecord) {
  RedisFilter creator, other;
  const Status status = CreateWhile(&creator, [&] {
    ASSERT_TRUE(other.Open(servers_, "seen").ok());
    Insert(&other, keys_);
    EXPECT_TRUE(other.BeginGeneration(2000, RedisOptions(16)).ok());
  });
  EXPECT_TRUE(status.ok()) << status.message();
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

// Others are so fast that the generation was left when its shards are about to be kept.
TEST_F(RedisLifetime, CreateKeepsNothingThatWasLeft) {
  bool is_first = true;
  relay_.before = [&](const Words& words) {
    if (words[0] == "PERSIST" && is_first) {
      is_first = false;
      RebuildTimes(1);
    }
    return Act();
  };
  RedisFilter creator;
  const Status status = creator.Create(through_, "seen", 1000, RedisOptions(16));
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_FALSE(is_first);
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

// Expire gave the shards their times, and may be giving them others now.
TEST_F(RedisLifetime, CreateLeavesTheTimesOfWhatHasTheName) {
  RedisFilter filter, late;
  Create(&filter);
  ASSERT_TRUE(filter.Expire(1000000).ok());
  size_t num_times = 0;
  relay_.before = [&](const Words& words) {
    num_times += words[0] == "PEXPIRE" || words[0] == "PERSIST" ? 1 : 0;
    return Act();
  };
  EXPECT_EQ(late.Create(through_, "seen", 1000, RedisOptions(16)).code(), StatusCode::kIncompatible);
  EXPECT_EQ(num_times, 0u);
}

// The record is gone before the shards are kept: they go, too.
TEST_F(RedisLifetime, CreateKeepsNothingOfWhatWasDeleted) {
  bool is_first = true;
  relay_.before = [&](const Words& words) {
    if (words[0] == "PERSIST" && is_first) {
      is_first = false;
      client_.Do({"DEL", "seen"});  // his UNLINK of the shards comes later, or never
    }
    return Act();
  };
  RedisFilter creator;
  (void)creator.Create(through_, "seen", 1000, RedisOptions(16));
  EXPECT_FALSE(is_first);
  for (const auto& shard : client_.Do({"KEYS", "{seen:*"}).items) {
    EXPECT_GT(client_.Integer({"PTTL", shard.text}), 0) << "it goes by itself";
  }
}

TEST_F(RedisLifetime, DeleteLeavesANewFilterAlone) {
  RedisFilter filter;
  Create(&filter);
  const Status status = DeleteWhile([&] { CreateAnew(); });
  EXPECT_TRUE(status.ok()) << status.message();
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
  EXPECT_TRUE(status.ok()) << status.message();
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
  bool is_first = true;
  relay_.before = [&](const Words& words) {
    if (Deletes(words) && is_first) {
      is_first = false;
      EXPECT_TRUE(rebuilder.BeginGeneration(2000, RedisOptions(16)).ok());
    }
    return Act();
  };
  const Status status = RedisFilter::Delete(through_, "seen");
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(client_.Do({"KEYS", "*seen*"}).items.empty());
}

// And by steps that keep none: whose it is nobody knows.
TEST_F(RedisLifetime, DeleteLeavesAnotherGenerationAlone) {
  RedisFilter filter;
  Create(&filter);
  bool is_first = true;
  relay_.before = [&](const Words& words) {
    if (Deletes(words) && is_first) {
      is_first = false;
      RebuildTimes(1);
    }
    return Act();
  };
  EXPECT_EQ(RedisFilter::Delete(through_, "seen").code(), StatusCode::kUnavailable);
  ExpectWhole();
  relay_.before = [](const Words&) { return Act(); };
  EXPECT_TRUE(RedisFilter::Delete(through_, "seen").ok());
  EXPECT_EQ(client_.Integer({"EXISTS", "seen"}), 0);
}

// The record is the same be it that a Switch died or an Abandon: the number of what serves tells.
TEST_F(RedisLifetime, SwitchEndsAnAbandonThatDied) {
  RedisFilter filter, dies, other;
  Create(&filter);
  Insert(&filter, keys_);
  ASSERT_TRUE(filter.BeginGeneration(2000, RedisOptions(16)).ok());
  through_.patience_ms = 0;
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

// A switch has given the old shards their minute when PERSIST comes, and ends behind the last look at the record.
TEST_F(RedisLifetime, ExpireNeverLeavesTheMinuteToWhatASwitchLeft) {
  RedisFilter filter, rebuilder;
  Create(&filter);
  ASSERT_TRUE(filter.Open(through_, "seen").ok());
  ASSERT_TRUE(rebuilder.Open(servers_, "seen").ok());
  ASSERT_TRUE(rebuilder.BeginGeneration(1000, RedisOptions(16)).ok());
  char shard[64];
  snprintf(shard, sizeof(shard), "{seen:%016llx:0}", static_cast<unsigned long long>(filter.generation()));
  ASSERT_EQ(client_.Integer({"PTTL", shard}), -1);

  // The rebuilder's way: it is stopped before it takes the old generation out of the record, until Expire is done.
  RedisRelay slow(server_->port());
  RedisFilter switcher;
  ASSERT_TRUE(switcher.Open(PatientServers(slow.address()), "seen").ok());
  std::atomic<bool> has_switched{false}, may_finish{false};
  slow.before = [&](const Words& words) {
    if (words[0] == "EVAL" && words[1].find("KEEPTTL") != std::string::npos &&
        words.back().find("previous") == std::string::npos) {
      has_switched = true;
      EXPECT_TRUE(WaitUntil([&] { return may_finish.load(); }));
    }
    return Act();
  };
  std::thread switching;
  bool is_first = true;
  relay_.before = [&](const Words& words) {
    if (words[0] == "PERSIST" && is_first) {
      is_first = false;
      switching = std::thread([&] { EXPECT_TRUE(switcher.SwitchGeneration().ok()); });
      EXPECT_TRUE(WaitUntil([&] { return has_switched.load(); }));
    }
    return Act();
  };
  const Status status = filter.Expire(0);
  may_finish = true;
  if (switching.joinable()) switching.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(has_switched);
  EXPECT_GT(client_.Integer({"PTTL", shard}), 0);
  EXPECT_EQ(client_.Integer({"PTTL", "seen"}), -1);
}

// The time is over before the last look at the record.
TEST_F(RedisLifetime, ExpireOfAShortTimeIsNoError) {
  RedisFilter filter;
  Create(&filter);
  ASSERT_TRUE(filter.Open(through_, "seen").ok());
  bool was_told = false;
  relay_.before = [&](const Words& words) {
    was_told = was_told || (words[0] == "PEXPIRE" && words[1] == "seen");
    if (words[0] == "GETRANGE" && words[1] == "seen" && was_told) {
      EXPECT_TRUE(WaitUntil([&] { return client_.Integer({"PTTL", "seen"}) < 60000; }));
    }
    return Act();
  };
  const Status status = filter.Expire(1);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(filter.Open(servers_, "seen").code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace linefilter::test
