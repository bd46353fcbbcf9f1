// Expire while others work on the filter, and what is left by who died before all of it was to live for ever.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_lifetime.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

class RedisExpire : public RedisLifetimeTest {
 protected:
  // Expire(ms), and `meanwhile` happens before its first command that gives a time to what `is_it` says.
  template <class Is, class Work>
  Status ExpireWhile(RedisFilter* filter, uint64_t ms, const Is& is_it, const Work& meanwhile) {
    EXPECT_TRUE(filter->Open(through_, "seen").ok());
    Before(is_it, meanwhile);
    const Status status = filter->Expire(ms);
    EXPECT_TRUE(has_happened_);
    return status;
  }
  // A rebuilder switches, and dies before the first command of `at`.
  template <class At>
  void DieInSwitch(const At& at) {
    test::SetPatience(0, &through_);
    RedisFilter dies = Opened(through_, "seen");
    ASSERT_TRUE(dies.BeginGeneration(1000, RedisOptions(16)).ok());
    relay_.before = [&](const Words& words) { return at(words) ? Act::kClose : Act::kForward; };
    EXPECT_EQ(dies.SwitchGeneration().code(), StatusCode::kUnavailable);
  }
  void ExpectShardsGoJustAfterTheFilter(bool mortal) {
    const int64_t before = client_.Integer({"PTTL", "seen"});
    const std::vector<int64_t> times = TimesOfShards();
    const int64_t after = client_.Integer({"PTTL", "seen"});
    EXPECT_EQ(before != -1, mortal);
    for (const int64_t ms : times) {
      EXPECT_EQ(ms != -1, mortal);
      EXPECT_TRUE(!mortal || (ms < before && ms >= after - 60000)) << before << " " << ms << " " << after;
    }
  }
  std::vector<int64_t> TimesOfShards() {
    std::vector<int64_t> times;
    for (const auto& shard : client_.Do({"KEYS", "{seen:*"}).items) {
      times.push_back(client_.Integer({"PTTL", shard.text}));
    }
    return times;
  }
};

// A switch has given the old shards their minute when they are to stay for ever, and ends behind the last look at the
// record.
TEST_F(RedisExpire, NeverLeavesTheMinuteToWhatASwitchLeft) {
  RedisFilter filter, rebuilder;
  Create(&filter);
  ASSERT_TRUE(filter.Open(through_, "seen").ok());
  ASSERT_TRUE(rebuilder.Open(servers_, "seen").ok());
  ASSERT_TRUE(rebuilder.BeginGeneration(1000, RedisOptions(16)).ok());
  const std::string shard = "{seen:" + IdOf(filter.generation()) + ":0}";
  ASSERT_EQ(client_.Integer({"PTTL", shard}), -1);

  // The rebuilder's way: it is stopped before it takes the old generation out of the record, until Expire is done.
  RedisRelay slow(server_->port());
  RedisFilter switcher = Opened(PatientServers(slow.address()), "seen");
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
  Before(TimesShard, [&] {
    switching = std::thread([&] { EXPECT_TRUE(switcher.SwitchGeneration().ok()); });
    EXPECT_TRUE(WaitUntil([&] { return has_switched.load(); }));
  });
  const Status status = filter.Expire(0);
  may_finish = true;
  if (switching.joinable()) switching.join();
  EXPECT_TRUE(IsOk(status));
  EXPECT_TRUE(has_switched);
  EXPECT_GT(client_.Integer({"PTTL", shard}), 0);
  EXPECT_EQ(client_.Integer({"PTTL", "seen"}), -1);
}

// The time is over before the last look at the record.
TEST_F(RedisExpire, OfAShortTimeIsNoError) {
  RedisFilter filter;
  Create(&filter);
  ASSERT_TRUE(filter.Open(through_, "seen").ok());
  std::atomic<bool> was_told{false};
  relay_.before = [&](const Words& words) {
    was_told = was_told || TimesRecord(words);
    if (words[0] == "PTTL" && words[1] == "seen" && was_told) {
      EXPECT_TRUE(WaitUntil([&] { return client_.Integer({"PTTL", "seen"}) < 60000; }));
    }
    return Act();
  };
  EXPECT_TRUE(IsOk(filter.Expire(1)));
  EXPECT_EQ(filter.Open(servers_, "seen").code(), StatusCode::kNotFound);
}

// Somebody deletes the filter meanwhile, and what has the name now is another key, of the same version or no filter.
TEST_F(RedisExpire, LeavesANewFilterWhole) {
  for (const uint64_t ms : {uint64_t{0}, uint64_t{500000}}) {
    client_.Do({"FLUSHALL"});
    RedisFilter filter;
    Create(&filter);
    const auto anew = [&] {
      EXPECT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
      CreateAnew();
    };
    // It is made anew before the record is read again, so the new one is the filter of that name.
    EXPECT_TRUE(IsOk(ExpireWhile(&filter, ms, TimesRecord, anew)));
    ExpectWhole();
    for (const int64_t shard_ms : TimesOfShards()) EXPECT_EQ(shard_ms == -1, client_.Integer({"PTTL", "seen"}) == -1);
  }
}

TEST_F(RedisExpire, LeavesWhatIsNoFilterAlone) {
  for (const uint64_t ms : {uint64_t{0}, uint64_t{1000}}) {
    client_.Do({"FLUSHALL"});
    RedisFilter filter;
    Create(&filter);
    const Status status = ExpireWhile(&filter, ms, TimesRecord, [&] {
      EXPECT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
      client_.Do({"SET", "seen", "somebody else's", "PX", "500000"});
    });
    EXPECT_EQ(status.code(), StatusCode::kIncompatible) << status.message();
    EXPECT_GT(client_.Integer({"PTTL", "seen"}), 400000);
  }
}

// Its time is over when it is given another: whoever makes a new filter may be taking it away.
TEST_F(RedisExpire, ComesTooLateForWhatHasExpired) {
  for (const uint64_t ms : {uint64_t{0}, uint64_t{900000}}) {
    client_.Do({"FLUSHALL"});
    RedisFilter filter;
    Create(&filter);
    ASSERT_TRUE(filter.Expire(500000).ok());
    const Status status = ExpireWhile(&filter, ms, TimesRecord, [&] { client_.Do({"PEXPIRE", "seen", "59000"}); });
    EXPECT_EQ(status.code(), StatusCode::kNotFound) << status.message();
    EXPECT_GT(client_.Integer({"PTTL", "seen"}), 0);
    EXPECT_LE(client_.Integer({"PTTL", "seen"}), 59000);
  }
}

// The record was told, the reply was lost, and the time is over when it is told again: the shards go, too.
TEST_F(RedisExpire, OfAShortTimeWhoseReplyIsLostLeavesNothing) {
  RedisFilter filter;
  Create(&filter);
  ASSERT_TRUE(filter.Open(through_, "seen").ok());
  AfterLostReply(TimesRecord, [&] {
    EXPECT_TRUE(WaitUntil([&] { return client_.Integer({"PTTL", "seen"}) < 60000; }));
  });
  EXPECT_TRUE(IsOk(filter.Expire(1)));
  EXPECT_TRUE(has_happened_);
  for (const int64_t ms : TimesOfShards()) EXPECT_NE(ms, -1);
}

// Two at once: the shards of the one who comes later are not those of the other one's time.
TEST_F(RedisExpire, OfTwoAtOnceTheLaterCounts) {
  for (const uint64_t other_ms : {uint64_t{500500}, uint64_t{499000}, uint64_t{900000}, uint64_t{0}}) {
    RedisFilter filter, other;
    client_.Do({"FLUSHALL"});
    Create(&other);
    EXPECT_TRUE(ExpireWhile(&filter, 500000, TimesShard, [&] { EXPECT_TRUE(other.Expire(other_ms).ok()); }).ok());
    ExpectShardsGoJustAfterTheFilter(other_ms != 0);
  }
}

// What a command takes on its way is no change of the record's time.
TEST_F(RedisExpire, ComesToItsEndWhereRepliesAreLate) {
  RedisFilter filter;
  Create(&filter);
  std::atomic<size_t> num_times{0};
  ASSERT_TRUE(IsOk(ExpireWhile(&filter, 500000, TimesShard, [] {})));
  relay_.before = [&](const Words& words) {
    if (TimesShard(words)) {
      ++num_times;
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    }
    return Act();
  };
  EXPECT_TRUE(filter.Expire(400000).ok());
  EXPECT_EQ(num_times, 1u);
}

// A record that was put back is older than the marks: no time fits, and a new generation is the cure.
TEST_F(RedisExpire, OfARecordThatWasPutBackIsAnError) {
  RedisFilter filter, other;
  Create(&filter);
  const std::string record = client_.Text({"GET", "seen"});
  ASSERT_TRUE(filter.BeginGeneration(1000, RedisOptions(16)).ok());
  client_.Do({"SET", "seen", record});
  ASSERT_TRUE(other.Open(servers_, "seen").ok());
  EXPECT_TRUE(Says(StatusCode::kCorrupt, other.Expire(500000)));
  EXPECT_TRUE(other.BeginGeneration(1000, RedisOptions(16)).ok());
  EXPECT_TRUE(other.SwitchGeneration().ok());
  EXPECT_TRUE(other.Expire(0).ok());
}

TEST_F(RedisExpire, EndsASwitchThatDied) {
  RedisFilter filter;
  Create(&filter);
  DieInSwitch([](const Words& words) { return words[0] == "PEXPIRE"; });
  ASSERT_EQ(TimesOfShards(), (std::vector<int64_t>{-1, -1}));
  ASSERT_TRUE(filter.Expire(500000).ok());
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_EQ(info.previous_generation, 0u);
  for (const int64_t ms : TimesOfShards()) EXPECT_GT(ms, 0);
}

// He died, or a node did not answer, when some of the shards had their time: the record tells what all are to have.
TEST_F(RedisExpire, OpenGivesAllShardsTheTimeOfTheRecord) {
  RedisFilter dies, filter;
  ASSERT_TRUE(dies.Create(servers_, "seen", 5000, RedisOptions(16), {64}).ok());
  const size_t num_shards = TimesOfShards().size();
  ASSERT_GT(num_shards, 100u);
  test::SetPatience(0, &through_);
  ASSERT_TRUE(dies.Open(through_, "seen").ok());
  std::atomic<size_t> num_timed{0};
  relay_.before = [&](const Words& words) {
    return TimesShard(words) && ++num_timed > 40 ? Act::kClose : Act::kForward;
  };
  for (const uint64_t ms : {uint64_t{900000}, uint64_t{400000}, uint64_t{0}, uint64_t{600000}}) {
    num_timed = 0;
    EXPECT_EQ(dies.Expire(ms).code(), StatusCode::kUnavailable);
    if (ms == 400000) continue;  // and another one before anybody looks
    ASSERT_TRUE(filter.Open(servers_, "seen").ok());
    ExpectShardsGoJustAfterTheFilter(ms != 0);
  }
}

// He made the record immortal, and died before its shards; or before the shards of a new filter were kept.
TEST_F(RedisExpire, OpenKeepsWhatWhoDiedDidNot) {
  test::SetPatience(0, &through_);
  for (const bool in_create : {false, true}) {
    client_.Do({"FLUSHALL"});
    RedisFilter dies, filter;
    if (!in_create) {
      Create(&dies);
      ASSERT_TRUE(dies.Expire(500000).ok());
      ASSERT_TRUE(dies.Open(through_, "seen").ok());
    }
    relay_.before = [](const Words& words) { return TimesShard(words) ? Act::kClose : Act::kForward; };
    EXPECT_TRUE(Says(StatusCode::kUnavailable,
                     in_create ? dies.Create(through_, "seen", 1000, RedisOptions(16)) : dies.Expire(0)));
    EXPECT_EQ(client_.Integer({"PTTL", "seen"}), -1);
    ASSERT_EQ(TimesOfShards().size(), 1u);
    EXPECT_GT(TimesOfShards()[0], 0);

    // Who may not, opens it nevertheless.
    client_.Do({"ACL", "SETUSER", "reader", "on", ">word", "~*", "+@read", "+@connection", "+role", "+cluster|slots"});
    RedisServers reader = servers_;
    reader.user = "reader";
    reader.password = "word";
    EXPECT_TRUE(filter.Open(reader, "seen").ok());
    EXPECT_GT(TimesOfShards()[0], 0);
    ASSERT_TRUE(filter.Open(servers_, "seen").ok());
    EXPECT_EQ(TimesOfShards(), std::vector<int64_t>{-1});
  }
}

// A generation that is left was given its minute, which is over, and the record still names it, for who left it died:
// it cannot say any more whether a key is new. The first insertion ends that.
TEST_F(RedisExpire, InsertionsEndASwitchThatDied) {
  RedisFilter writer;
  Create(&writer);
  std::atomic<bool> has_minute{false};
  DieInSwitch([&](const Words& words) {
    has_minute = has_minute || words[0] == "PEXPIRE";
    return has_minute && words[0] == "EVAL";
  });
  for (const auto& shard : client_.Do({"KEYS", "{seen:*"}).items) {
    if (client_.Integer({"PTTL", shard.text}) > 0) client_.Do({"DEL", shard.text});
  }
  ASSERT_EQ(TimesOfShards(), std::vector<int64_t>{-1});
  Insert(&writer, keys_);
  std::vector<RedisInsert> outcomes(100);
  ASSERT_TRUE(writer.InsertHashes(RandomHashes(100, 9).data(), 100, outcomes.data()).ok());
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kNew), 100);
  ExpectWhole();
}

}  // namespace
}  // namespace linefilter::test
