// A lone server is replaced by its replica, in the midst of a batch: nothing that was acknowledged is absent, and a key
// is new to one writer alone.
#include <algorithm>
#include <atomic>
#include <mutex>
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
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

using Act = RedisRelay::Act;
using Words = RedisRelay::Words;

RedisServers ServersOf(const std::string& addresses) {
  RedisServers servers;
  servers.addresses = addresses;
  return servers;
}

class RedisFailover : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(first_.ok()) << first_.why();
    ASSERT_TRUE(second_.ok()) << second_.why();
  }
  // Until it has what the other one has.
  static void Follow(RedisClient* replica, uint16_t port) {
    replica->Do({"REPLICAOF", "127.0.0.1", std::to_string(port)});
    ASSERT_TRUE(WaitUntil([&] { return replica->Fact({"INFO", "replication"}, "master_link_status") == "up"; }));
  }

  RedisServer first_, second_;
  RedisClient first_client_{first_.address()}, second_client_{second_.address()};
};

// The reader's server becomes a replica, which closes no connection; and is the master again, with every key, when it
// is asked for its role behind what it answered as a late replica.
TEST_F(RedisFailover, WhatALateReplicaAnsweredBeforeItWasPromotedDoesNotCount) {
  RedisRelay reads(first_.port()), replication(second_.port(), RedisRelay::Of::kBytes);
  RedisFilter filter, reader, writer;
  ASSERT_TRUE(filter.Create(ServersOf(first_.address()), "seen", 10000, RedisOptions(16)).ok());
  ASSERT_TRUE(reader.Open(ServersOf(reads.address()), "seen").ok());
  const std::vector<uint64_t> keys = RandomHashes(100, 1);
  EXPECT_GT(CountMissing(&reader, keys), 0u);
  Follow(&second_client_, first_.port());
  second_client_.Do({"REPLICAOF", "NO", "ONE"});
  Follow(&first_client_, replication.port());
  replication.stalls = true;
  ASSERT_TRUE(writer.Open(ServersOf(second_.address()), "seen").ok());
  Insert(&writer, keys);

  std::once_flag once;
  const auto put_back = [&] {
    std::call_once(once, [&] {
      replication.stalls = false;
      second_client_.Do({"FAILOVER"});
      EXPECT_TRUE(WaitUntil([&] { return first_client_.Fact({"INFO", "replication"}, "role") == "master"; }));
    });
  };
  std::atomic<bool> any_read{false};
  reads.before = [&](const Words& words) {
    if (words[0] == "GETRANGE") any_read = true;
    if (words[0] == "ROLE" && any_read) put_back();
    return Act();
  };
  std::vector<uint8_t> answers(keys.size());
  EXPECT_TRUE(Says(StatusCode::kUnavailable, reader.MayContainHashes(keys.data(), keys.size(), answers.data())));
  EXPECT_EQ(answers, std::vector<uint8_t>(keys.size(), 1));
  put_back();
  EXPECT_EQ(CountMissing(&reader, keys), 0u);
}

// Bits that were read to be set are left out, and the server that is written to has lost them. The next writer finds
// the keys new, so they are not new to the first one.
TEST_F(RedisFailover, AKeyOfWhichBitsWereLostIsNewToOneWriterAlone) {
  RedisRelay to_first(first_.port()), to_second(second_.port());
  RedisFilter filter, late;
  ASSERT_TRUE(filter.Create(ServersOf(first_.address()), "seen", 2000, RedisOptions(10)).ok());
  Follow(&second_client_, first_.port());
  second_client_.Do({"REPLICAOF", "NO", "ONE"});
  ASSERT_TRUE(late.Open(ServersOf(first_.address()), "seen").ok());
  Insert(&late, RandomHashes(800, 3));  // which it did not receive

  RedisFilter one = Opened(ServersOf(to_first.address() + "," + to_second.address()), "seen");
  const std::vector<uint64_t> keys = RandomHashes(100, 4);
  std::vector<RedisInsert> to_one(keys.size()), to_other(keys.size());
  std::atomic<int> step{0};
  to_first.before = [&](const Words& words) {
    if (words[0] != "BITFIELD") return Act();
    to_first.refuses = true;
    step = 1;
    return Act(Act::kClose);
  };
  to_second.before = [&](const Words& words) {
    if (step == 1 && words[0] == "BITFIELD") step = 2;
    if (step == 2 && words[0] == "GETRANGE" && words[2] == "0") {  // it has written, and looks at the record again
      step = 3;
      RedisFilter other = Opened(ServersOf(second_.address()), "seen");
      for (size_t i = 0; i < keys.size(); i += 50) {
        EXPECT_TRUE(other.InsertHashes(keys.data() + i, 50, to_other.data() + i).ok());
      }
    }
    return Act();
  };
  EXPECT_TRUE(one.InsertHashes(keys.data(), keys.size(), to_one.data()).ok());
  EXPECT_EQ(step, 3);
  size_t times[3] = {};  // told new, by both together
  for (size_t i = 0; i < keys.size(); ++i) {
    ++times[(to_one[i] == RedisInsert::kNew ? 1 : 0) + (to_other[i] == RedisInsert::kNew ? 1 : 0)];
  }
  EXPECT_EQ(times[2], 0u);
  EXPECT_GT(times[1], 90u);
}

// A pass that does not count has errors that do not count.
TEST_F(RedisFailover, TheStatusIsOfTheAnswersThatCount) {
  RedisRelay relay(first_.port());
  RedisFilter filter = Created(PatientServers(relay.address()), "seen", 10000, RedisOptions(16));
  const std::vector<uint64_t> keys = RandomHashes(40, 1);
  Insert(&filter, RandomHashes(1, 2));  // so that it does not look first
  std::atomic<int> step{0};
  relay.before = [&](const Words& words) {
    if (step == 0 && words[0] == "BITFIELD") {
      step = 1;
      return Act("-OOM command not allowed when used memory > 'maxmemory'.\r\n");
    }
    if (step == 1 && words[0] == "ROLE") {
      step = 2;
      return Act(Act::kClose);
    }
    return Act();
  };
  std::vector<RedisInsert> outcomes(keys.size());
  EXPECT_TRUE(IsOk(filter.InsertHashes(keys.data(), keys.size(), outcomes.data())));
  EXPECT_EQ(step, 2);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kFailed), 0);
}

// Whatever is wrong with another server of the list: the one that is away may come back.
TEST_F(RedisFailover, AServerThatIsAwayIsWaitedForBesideOneThatRefuses) {
  RedisServerOptions options;
  options.password = "another";
  RedisServer other(options);
  ASSERT_TRUE(other.ok()) << other.why();
  for (const bool is_first : {true, false}) {
    RedisRelay relay(first_.port());
    RedisFilter filter = Created(PatientServers(first_.address()), is_first ? "a" : "b", 1000, RedisOptions(16));
    RedisServers servers =
        PatientServers(is_first ? relay.address() + "," + other.address() : other.address() + "," + relay.address());
    ASSERT_TRUE(filter.Open(servers, is_first ? "a" : "b").ok());
    std::atomic<bool> is_away{false};
    relay.before = [&](const Words&) {
      if (is_away) return Act();
      is_away = relay.refuses = true;
      return Act(Act::kClose);
    };
    std::atomic<bool> is_done{false};
    Status status;
    std::thread asker([&] {
      bool may_contain = false;
      status = filter.MayContainHash(1, &may_contain);
      is_done = true;
    });
    EXPECT_TRUE(WaitUntil([&] { return relay.num_refused() >= 3 || is_done; }));
    EXPECT_FALSE(is_done) << status.message();
    relay.refuses = false;
    asker.join();
    EXPECT_TRUE(IsOk(status));
  }
}

TEST_F(RedisFailover, WhoReadsReplicasWritesToTheMaster) {
  RedisFilter filter, writer;
  ASSERT_TRUE(filter.Create(ServersOf(first_.address()), "seen", 1000, RedisOptions(16)).ok());
  Follow(&second_client_, first_.port());
  ASSERT_TRUE(WaitUntil([&] { return second_client_.Integer({"EXISTS", "seen"}) == 1; }));
  RedisServers servers = PatientServers(second_.address() + "," + first_.address());
  servers.replica_reads = true;
  ASSERT_TRUE(writer.Open(servers, "seen").ok());
  const std::vector<uint64_t> keys = RandomHashes(100, 1);
  Insert(&writer, keys);
  EXPECT_EQ(CountMissing(&filter, keys), 0u);
}

}  // namespace
}  // namespace linefilter::test
