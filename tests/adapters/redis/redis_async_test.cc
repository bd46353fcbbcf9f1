// Calls of a RedisAsyncFilter return at once, and each is answered once.
#include "linefilter/redis_async.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "linefilter/redis_metrics.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

// What one call was told, and how often.
struct Told {
  std::atomic<int> times{0};
  std::atomic<bool> maybe{false};
  std::atomic<int> outcome{-1};
  std::atomic<int> code{-1};
};

void TakeMaybe(void* context, bool maybe, const Status& status) noexcept {
  auto* const told = static_cast<Told*>(context);
  told->maybe = maybe;
  told->code = static_cast<int>(status.code());
  ++told->times;
}
void TakeInsert(void* context, RedisInsert outcome, const Status& status) noexcept {
  auto* const told = static_cast<Told*>(context);
  told->outcome = static_cast<int>(outcome);
  told->code = static_cast<int>(status.code());
  ++told->times;
}
void TakeRemove(void* context, RedisRemove outcome, const Status& status) noexcept {
  auto* const told = static_cast<Told*>(context);
  told->outcome = static_cast<int>(outcome);
  told->code = static_cast<int>(status.code());
  ++told->times;
}

constexpr int kOk = static_cast<int>(StatusCode::kOk);

class RedisAsync : public RedisFilterTest {
 protected:
  void OpenAsync(RedisAsyncFilter* filter, const std::string& name, size_t most_waiting = 65536) {
    ASSERT_TRUE(IsOk(filter->Open(servers_, name, nullptr, most_waiting)));
  }
};

TEST_F(RedisAsync, EveryCallOfManyCallersIsAnsweredOnce) {
  constexpr size_t kKeys = 4000, kThreads = 4;
  RedisFilter direct = Create("seen", 2 * kKeys);
  const std::vector<uint64_t> hashes = RandomHashes(2 * kKeys, 1);
  (void)InsertAll(&direct, std::vector<uint64_t>(hashes.begin(), hashes.begin() + kKeys));
  RedisMetrics metrics;
  metrics.Watch(&servers_);
  RedisAsyncFilter filter;
  OpenAsync(&filter, "seen");
  std::vector<Told> told(2 * kKeys);
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = t; i < hashes.size(); i += kThreads) {
        refused += !filter.MayContainHash(hashes[i], &TakeMaybe, &told[i]).ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  filter.Close();
  EXPECT_EQ(refused, 0);
  size_t false_positives = 0;
  for (size_t i = 0; i < told.size(); ++i) {
    ASSERT_EQ(told[i].times, 1) << i;
    ASSERT_EQ(told[i].code, kOk) << i;
    ASSERT_TRUE(i >= kKeys || told[i].maybe) << i;
    false_positives += i >= kKeys && told[i].maybe;
  }
  EXPECT_LT(false_positives, kKeys / 50);
  EXPECT_LT(metrics.num_calls(), told.size() / 4) << "what waits goes in one pipeline";
}

TEST_F(RedisAsync, InsertionsAndRemovalsHaveTheirOutcomes) {
  options_ = Removable(12);
  (void)Create("ids", 1000);
  RedisAsyncFilter filter;
  OpenAsync(&filter, "ids");
  Told first, maybe, absent, removed, gone;
  ASSERT_TRUE(IsOk(filter.InsertKey("alice", &TakeInsert, &first)));
  ASSERT_TRUE(IsOk(filter.MayContainKey("alice", &TakeMaybe, &maybe)));  // behind its insertion
  ASSERT_TRUE(IsOk(filter.MayContainKey("bob", &TakeMaybe, &absent)));
  while (maybe.times == 0 || absent.times == 0) std::this_thread::yield();
  EXPECT_TRUE(maybe.maybe);
  EXPECT_FALSE(absent.maybe);
  EXPECT_EQ(first.outcome, static_cast<int>(RedisInsert::kNew));
  ASSERT_TRUE(IsOk(filter.RemoveKey("alice", &TakeRemove, &removed)));
  ASSERT_TRUE(IsOk(filter.RemoveKey("carol", &TakeRemove, &gone)));
  filter.Close();
  EXPECT_EQ(removed.outcome, static_cast<int>(RedisRemove::kRemoved));
  EXPECT_EQ(gone.outcome, static_cast<int>(RedisRemove::kAbsent));
}

// Calls of many hashes wait together, and each context gets the answer of its hash.
TEST_F(RedisAsync, CallsOfManyHashesAreAnsweredEach) {
  RedisMetrics metrics;
  metrics.Watch(&servers_);
  options_ = Removable(12);
  (void)Create("ids", 1000);
  RedisAsyncFilter filter;
  OpenAsync(&filter, "ids", 300);
  std::vector<uint64_t> hashes(300);
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i] = filter.HashOf(uint64_t{i});
  std::vector<Told> added(100), found(200), removed(100);
  const auto contexts = [](std::vector<Told>* told) {
    std::vector<void*> all;
    for (Told& each : *told) all.push_back(&each);
    return all;
  };
  const uint64_t calls_before = metrics.num_calls();
  ASSERT_TRUE(IsOk(filter.InsertHashes(hashes.data(), 100, &TakeInsert, contexts(&added).data())));
  ASSERT_TRUE(IsOk(filter.MayContainHashes(hashes.data(), 200, &TakeMaybe, contexts(&found).data())));
  for (const Told& each : found) {
    while (each.times == 0) std::this_thread::yield();
  }
  ASSERT_TRUE(IsOk(filter.RemoveHashes(hashes.data() + 50, 100, &TakeRemove, contexts(&removed).data())));
  ASSERT_TRUE(IsOk(filter.MayContainHashes(hashes.data(), 0, &TakeMaybe, nullptr)));
  std::vector<Told> untold(301);
  const std::vector<uint64_t> too_many(301);
  EXPECT_TRUE(Says(StatusCode::kOverLimit,
                   filter.MayContainHashes(too_many.data(), 301, &TakeMaybe, contexts(&untold).data()),
                   "301 calls at once, of which 300 may wait: make several calls"));
  filter.Close();
  EXPECT_LE(metrics.num_calls() - calls_before, 3u) << "each is one pipeline";
  size_t num_new = 0, num_absent = 0;
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(added[i].times + removed[i].times + untold[i].times, 2);
    EXPECT_TRUE(found[i].maybe) << i;
    num_new += added[i].outcome == static_cast<int>(RedisInsert::kNew);
    num_absent += !found[100 + i].maybe;
    EXPECT_EQ(removed[i].outcome == static_cast<int>(RedisRemove::kRemoved), i < 50 || found[50 + i].maybe) << i;
  }
  EXPECT_GT(num_new, 90u);
  EXPECT_GT(num_absent, 90u);
}

// A key that is removed and then inserted is in, though insertions of a round come first.
TEST_F(RedisAsync, WhatIsInsertedBehindARemovalIsIn) {
  options_ = Removable(12);
  RedisFilter direct = Create("ids", 1000);
  RedisAsyncFilter filter;
  OpenAsync(&filter, "ids");
  std::vector<Told> told(300);
  for (uint64_t key = 0; key < 100; ++key) {
    ASSERT_TRUE(IsOk(filter.RemoveKey(key, &TakeRemove, &told[3 * key])));
    ASSERT_TRUE(IsOk(filter.InsertKey(key, &TakeInsert, &told[3 * key + 1])));
    ASSERT_TRUE(IsOk(filter.MayContainKey(key, &TakeMaybe, &told[3 * key + 2])));
  }
  filter.Close();
  for (uint64_t key = 0; key < 100; ++key) {
    EXPECT_EQ(told[3 * key].outcome, static_cast<int>(RedisRemove::kAbsent)) << key;
    EXPECT_TRUE(told[3 * key + 2].maybe) << key;
    bool maybe = false;
    EXPECT_TRUE(IsOk(direct.MayContainKey(key, &maybe)));
    EXPECT_TRUE(maybe) << key;
  }
}

// An answer may call again: this goes on until it has been told a hundred times.
struct Chain {
  RedisAsyncFilter* filter = nullptr;
  std::atomic<int> left{100};
  std::promise<void> done;
};
void Again(void* context, bool, const Status&) noexcept {
  auto* const chain = static_cast<Chain*>(context);
  if (--chain->left == 0) return chain->done.set_value();
  (void)chain->filter->MayContainKey(chain->left.load(), &Again, chain).ok();
}

TEST_F(RedisAsync, AnAnswerMayCallAgain) {
  (void)Create("seen", 1000);
  RedisAsyncFilter filter;
  OpenAsync(&filter, "seen");
  Chain chain;
  chain.filter = &filter;
  ASSERT_TRUE(IsOk(filter.MayContainKey(100, &Again, &chain)));
  EXPECT_EQ(chain.done.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_F(RedisAsync, TheQueueTakesAllOfACallOrNone) {
  (void)Create("seen", 1000);
  RedisAsyncFilter filter;
  OpenAsync(&filter, "seen", 50);
  server_->Pause();
  std::vector<Told> told(61);
  std::vector<uint64_t> hashes(30);
  std::vector<void*> first, second;
  for (size_t i = 0; i < 30; ++i) first.push_back(&told[i]), second.push_back(&told[30 + i]);
  ASSERT_TRUE(IsOk(filter.InsertHash(1, &TakeInsert, &told[60])));
  ASSERT_TRUE(WaitUntil([&] { return filter.num_waiting() == 0; })) << "it is under way";
  ASSERT_TRUE(IsOk(filter.MayContainHashes(hashes.data(), 30, &TakeMaybe, first.data())));
  EXPECT_TRUE(Says(StatusCode::kOverLimit, filter.MayContainHashes(hashes.data(), 30, &TakeMaybe, second.data()),
                   "30 calls wait"));
  EXPECT_EQ(filter.num_waiting(), 30u);
  server_->Resume();
  filter.Close();
  for (size_t i = 0; i < 61; ++i) EXPECT_EQ(told[i].times, i < 30 || i == 60 ? 1 : 0) << i;
}

// Callers do not wait for a server that hangs, the queue ends somewhere, and all are told.
TEST_F(RedisAsync, TheQueueIsBoundedAndASilentServerIsTold) {
  RedisFilter direct = Create("seen", 1000);
  servers_.deadlines.request_ms = 200;
  servers_.deadlines.pause_ms = 0;
  RedisAsyncFilter filter;
  OpenAsync(&filter, "seen", 50);
  server_->Pause();
  std::vector<Told> told(200);
  size_t taken = 0;
  Status refusal;
  for (Told& each : told) {
    const Status status = filter.InsertKey(taken, &TakeInsert, &each);
    taken += status.ok();
    if (!status.ok()) refusal = status;
  }
  EXPECT_TRUE(Says(StatusCode::kOverLimit, refusal, "50 calls wait")) << "nobody waited";
  EXPECT_GE(taken, 50u);
  EXPECT_LT(taken, told.size());
  filter.Close();
  server_->Resume();
  size_t answered = 0;
  for (const Told& each : told) {
    if (each.times == 0) continue;
    ++answered;
    EXPECT_EQ(each.times, 1);
    EXPECT_EQ(each.outcome, static_cast<int>(RedisInsert::kFailed));
    EXPECT_EQ(each.code, static_cast<int>(StatusCode::kUnavailable));
  }
  EXPECT_EQ(answered, taken);
}

TEST_F(RedisAsync, WhatIsClosedOrForkedTakesNothing) {
  RedisAsyncFilter filter;
  Told told;
  EXPECT_EQ(filter.MayContainKey("bob", &TakeMaybe, &told).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(filter.InsertHash(1, &TakeInsert, &told).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(filter.Open(servers_, "nobody").code(), StatusCode::kNotFound);
  options_.hash_id = HashId::kCaller;
  (void)Create("hashes", 100);
  OpenAsync(&filter, "hashes");
  EXPECT_EQ(filter.MayContainKey("bob", &TakeMaybe, &told).code(), StatusCode::kIncompatible);
  const pid_t child = fork();
  if (child == 0) {
    const bool refused =
        filter.MayContainHash(7, &TakeMaybe, &told).code() == StatusCode::kUnavailable && filter.num_waiting() == 0;
    filter.Close();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ASSERT_TRUE(IsOk(filter.MayContainHash(7, &TakeMaybe, &told)));
  filter.Close();
  EXPECT_EQ(told.times, 1);
  EXPECT_FALSE(filter.is_open());
}

}  // namespace
}  // namespace linefilter::test
