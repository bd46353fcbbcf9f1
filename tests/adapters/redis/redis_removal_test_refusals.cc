// A removal that a server refused may be repeated. One that nobody knows of may not.
#include <atomic>
#include <string>
#include <vector>

#include "tests/adapters/redis/redis_removal_test.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

class RedisRefusalsTest : public RedisRemovalTest {
 protected:
  // Whether a removal of all has this code and this outcome.
  testing::AssertionResult Removes(RedisFilter* filter, StatusCode code, RedisRemove expected) {
    std::vector<RedisRemove> outcomes(hashes_.size());
    const Status status = filter->RemoveHashes(hashes_.data(), hashes_.size(), outcomes.data());
    if (status.code() == code && CountOf(outcomes, expected) == hashes_.size()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << status.message() << ": " << CountOf(outcomes, expected) << " as expected";
  }
  // What is tried again takes the whole deadline. Then the last reply must be in time, so longer ones are tried, too.
  testing::AssertionResult FailsInTime(RedisServers servers, StatusCode code, RedisRemove expected) {
    testing::AssertionResult result = testing::AssertionFailure();
    (void)HoldsAtSomeScale([&](uint32_t scale) {
      servers.deadlines.request_ms = 200 * scale;
      RedisFilter filter = Opened(servers, "seen");
      refuses_ = true;
      result = Removes(&filter, code, expected);
      refuses_ = false;
      return static_cast<bool>(result);
    });
    return result;
  }

  const std::vector<uint64_t> hashes_ = RandomHashes(10, 30);
  std::atomic<bool> refuses_{false};
};

TEST_F(RedisRefusalsTest, AFullServerRemovesNothing) {
  RedisFilter filter = Create("seen", 100);
  (void)InsertAll(&filter, hashes_);
  client_->Do({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_TRUE(Removes(&filter, StatusCode::kOverLimit, RedisRemove::kFailed));
  client_->Do({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(Removes(&filter, StatusCode::kOk, RedisRemove::kRemoved));
  EXPECT_EQ(Body(), std::string(static_cast<size_t>(filter.body_bytes()), '\0'));
}

TEST_F(RedisRefusalsTest, AServerWithTooFewReplicasRemovesNothing) {
  RedisFilter filter = Create("seen", 100);
  (void)InsertAll(&filter, hashes_);
  client_->Do({"CONFIG", "SET", "min-replicas-to-write", "1"});
  EXPECT_TRUE(FailsInTime(servers_, StatusCode::kUnavailable, RedisRemove::kFailed));
  client_->Do({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_TRUE(Removes(&filter, StatusCode::kOk, RedisRemove::kRemoved));
}

// The server says the same again and again, and runs nothing.
TEST_F(RedisRefusalsTest, WhatSaysThatNothingRanMayBeRepeated) {
  const struct {
    const char* reply;
    StatusCode code;
    RedisRemove expected;
  } cases[] = {
      {"-OOM command not allowed when used memory > 'maxmemory'.", StatusCode::kOverLimit, RedisRemove::kFailed},
      {"-ERR Error running script (call to f_0a): @user_script:5: @user_script: 5: -OOM command not allowed",
       StatusCode::kOverLimit, RedisRemove::kFailed},
      {"-MISCONF Errors writing to the AOF file", StatusCode::kIoError, RedisRemove::kFailed},
      {"-NOPERM User has no permissions to run the 'eval' command", StatusCode::kInvalidArgument, RedisRemove::kFailed},
      {"-NOREPLICAS Not enough good replicas to write.", StatusCode::kUnavailable, RedisRemove::kFailed},
      {"-READONLY You can't write against a read only replica.", StatusCode::kUnavailable, RedisRemove::kFailed},
      {"-ERR something else", StatusCode::kIoError, RedisRemove::kUnknown},
      {"-UNKILLABLE Sorry", StatusCode::kIoError, RedisRemove::kUnknown},
  };
  for (const auto& each : cases) {
    SCOPED_TRACE(each.reply);
    client_->Do({"FLUSHALL"});
    RedisFilter direct = Create("seen", 100);
    (void)InsertAll(&direct, hashes_);
    RedisRelay relay(server_->port());
    relay.before = [&](const RedisRelay::Words& words) {
      return words[0] == "EVAL" && refuses_ ? RedisRelay::Act(std::string(each.reply) + "\r\n") : RedisRelay::Act();
    };
    RedisServers servers = servers_;
    servers.addresses = relay.address();
    EXPECT_TRUE(FailsInTime(servers, each.code, each.expected));
    EXPECT_EQ(CountMissing(&direct, hashes_), 0u);
  }
}

// The first script ran, and its reply does not count, because the server became a replica meanwhile. The second one was
// refused. Nobody knows of those behind it.
TEST_F(RedisRefusalsTest, OnlyTheScriptThatAReplicaRefusedMayBeRepeated) {
  for (const bool has_others : {false, true}) {
    client_->Do({"FLUSHALL"});
    RedisFilter direct = Create("seen", 2000, {64 * 4});  // a script for each shard
    const std::vector<uint64_t> hashes = RandomHashes(64, 31);
    (void)InsertAll(&direct, hashes);
    RedisRelay relay(server_->port());
    std::atomic<int> scripts{0};
    relay.before = [&](const RedisRelay::Words& words) {
      if (words[0] != "EVAL" || ++scripts != 2) return RedisRelay::Act();
      return RedisRelay::Act("-READONLY it is a replica now\r\n");
    };
    RedisServers servers = servers_;
    servers.addresses = relay.address();
    if (!has_others) servers.deadlines.admin_ms = 1;
    if (has_others) servers.addresses += "," + server_->address();
    RedisFilter filter = Opened(servers, "seen");
    scripts = 0;
    std::vector<RedisRemove> outcomes(hashes.size());
    EXPECT_EQ(filter.RemoveHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
    std::vector<uint64_t> failed;
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (outcomes[i] == RedisRemove::kFailed) failed.push_back(hashes[i]);
    }
    EXPECT_GT(failed.size(), 0u) << has_others;
    EXPECT_LT(failed.size(), hashes.size() / 2) << has_others;
    EXPECT_EQ(CountOf(outcomes, RedisRemove::kUnknown), hashes.size() - failed.size()) << has_others;
    EXPECT_EQ(CountOf(RemoveAll(&direct, failed), RedisRemove::kRemoved), failed.size());
  }
}

// Others change the block between each read and write. So no script of this client ever wrote, and all may be repeated.
TEST_F(RedisRefusalsTest, WhatOthersWereFasterThanMayBeRepeated) {
  RedisFilter other = Create("seen", 10);  // one block
  ASSERT_EQ(other.num_blocks(), 1u);
  (void)InsertAll(&other, hashes_);
  const std::vector<uint64_t> guest = RandomHashes(1, 32);
  RedisRelay relay(server_->port());
  std::atomic<bool> interferes{false};
  std::atomic<size_t> scripts{0};
  relay.before = [&](const RedisRelay::Words& words) {
    if (words[0] != "EVAL" || !interferes) return RedisRelay::Act();
    if (++scripts % 2 == 1) {
      (void)InsertAll(&other, guest);
    } else {
      (void)RemoveAll(&other, guest);
    }
    return RedisRelay::Act();
  };
  RedisServers servers = servers_;
  servers.addresses = relay.address();
  RedisFilter filter = Opened(servers, "seen");
  interferes = true;
  EXPECT_TRUE(Removes(&filter, StatusCode::kUnavailable, RedisRemove::kFailed));
  EXPECT_EQ(scripts, 101u) << "the first, and a hundred rounds";
  const std::vector<uint64_t> more = RandomHashes(10, 33);
  std::vector<RedisInsert> inserted(more.size());
  EXPECT_EQ(filter.InsertHashes(more.data(), more.size(), inserted.data()).code(), StatusCode::kUnavailable);
  EXPECT_EQ(CountOf(inserted, RedisInsert::kFailed), more.size());
  EXPECT_EQ(scripts, 202u);
  interferes = false;
  EXPECT_TRUE(Removes(&filter, StatusCode::kOk, RedisRemove::kRemoved));
  EXPECT_EQ(Body(), std::string(static_cast<size_t>(filter.body_bytes()), '\0'));
}

}  // namespace
}  // namespace linefilter::test
