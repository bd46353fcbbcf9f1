// What tests of how long a filter is there share: a client whose commands pass a relay, so that others do something
// between two of them; and the names of those commands.
#ifndef LINEFILTER_TESTS_TESTING_REDIS_LIFETIME_H_
#define LINEFILTER_TESTS_TESTING_REDIS_LIFETIME_H_

#include <atomic>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {

class RedisLifetimeTest : public RedisServerTest {
 protected:
  using Act = RedisRelay::Act;
  using Words = RedisRelay::Words;

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
    RedisFilter rebuilder = Opened(servers_, "seen");
    for (int i = 0; i < times; ++i) EXPECT_TRUE(Rebuild(&rebuilder, 1000, RedisOptions(16), {}, keys_).ok());
  }
  // The filter that is there has all keys.
  void ExpectWhole() {
    RedisFilter filter = Opened(servers_, "seen");
    EXPECT_EQ(CountMissing(&filter, keys_), 0u);
  }
  // `meanwhile` happens before the first command that `is_it` says; then has_happened_.
  template <class Is, class Work>
  void Before(const Is& is_it, const Work& meanwhile) {
    has_happened_ = false;
    relay_.before = [this, is_it, meanwhile](const Words& words) {
      if (is_it(words) && !has_happened_.exchange(true)) meanwhile();
      return Act();
    };
  }
  // The reply to that command is lost, and `meanwhile` happens before it is sent again.
  template <class Is, class Work>
  void AfterLostReply(const Is& is_it, const Work& meanwhile) {
    has_happened_ = false;
    relay_.before = [this, is_it](const Words& words) {
      return is_it(words) && !has_happened_ ? Act::kRunAndClose : Act::kForward;
    };
    relay_.after = [this, is_it, meanwhile](const Words& words) {
      if (!is_it(words) || has_happened_) return;
      meanwhile();
      has_happened_ = true;
    };
  }
  // The scripts that give a shard, or the record, a time to live or for ever.
  static bool TimesShard(const Words& words) { return Times(words) && words[3].front() == '{'; }
  static bool TimesRecord(const Words& words) { return Times(words) && words[3] == "seen"; }
  static bool Times(const Words& words) {
    return words[0] == "EVAL" && words[1].find("'PERSIST'") != std::string::npos;
  }
  static bool Deletes(const Words& words) { return words[0] == "EVAL" && words[1].find("'DEL'") != std::string::npos; }
  std::atomic<bool> has_happened_{false};
  RedisClient client_{server_->address()};
  RedisRelay relay_{server_->port()};
  RedisServers through_;
  const std::vector<uint64_t> keys_ = RandomHashes(200, 1);
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_REDIS_LIFETIME_H_
