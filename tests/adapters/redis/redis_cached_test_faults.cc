// What may come between the steps of a refresh: downloads that fail, generations that are switched, bits that are tried
// again, filters that are made anew. In the end the copy has every key that was acknowledged.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "tests/adapters/redis/redis_cached_test.h"
#include "tests/testing/nightly.h"
#include "tests/testing/redis_relay.h"

namespace linefilter::test {
namespace {

class RedisCachedFaultsTest : public RedisCachedTest {};

TEST_F(RedisCachedFaultsTest, ADownloadThatFailsIsBegunAgain) {
  RedisFilter filter = Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached);
  Insert(&filter, hashes_);
  client_->Do({"UNLINK", "{seen}:stream"});
  const std::string shard = Shards()[0];
  client_->Do({"RENAME", shard, "{away}" + shard});
  EXPECT_EQ(cached.Refresh().code(), StatusCode::kCorrupt);
  client_->Do({"RENAME", "{away}" + shard, shard});
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, hashes_), hashes_.size());
}

TEST_F(RedisCachedFaultsTest, ADownloadThatFailsBehindASwitchIsBegunAgain) {
  RedisRelay relay(server_->port());
  std::atomic<bool> fails{false};
  relay.before = [&](const RedisRelay::Words& words) {
    return fails && words[0] == "XREVRANGE" ? RedisRelay::Act(std::string("-NOPERM no\r\n")) : RedisRelay::Act();
  };
  RedisFilter filter = Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  ASSERT_TRUE(IsOk(cached.Open(By(relay.address()), "seen", kNeverMs)));
  EXPECT_TRUE(IsOk(filter.BeginGeneration(20000, options_)));
  EXPECT_TRUE(IsOk(filter.InsertHashesIntoNext(hashes_.data(), hashes_.size())));
  EXPECT_TRUE(IsOk(filter.SwitchGeneration()));
  fails = true;
  EXPECT_FALSE(cached.Refresh().ok());
  fails = false;
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, hashes_), hashes_.size());
}

TEST_F(RedisCachedFaultsTest, ASwitchWithinADownloadIsSeen) {
  RedisRelay relay(server_->port());
  RedisFilter filter = Create("seen", 10000, layout_);
  std::atomic<bool> switches{true};
  relay.after = [&](const RedisRelay::Words& words) {  // the mark of a shard was read, and not yet the record
    const bool is_mark = words[0] == "GETRANGE" && words[1].size() > 10 && words[3] != "-1";
    if (!is_mark || !switches.exchange(false)) return;
    EXPECT_TRUE(IsOk(filter.BeginGeneration(20000, options_)));
    EXPECT_TRUE(IsOk(filter.InsertHashesIntoNext(hashes_.data(), hashes_.size())));
    EXPECT_TRUE(IsOk(filter.SwitchGeneration()));
  };
  RedisCachedFilter cached;
  (void)cached.Open(By(relay.address()), "seen", kNeverMs).ok();  // it may say that this was too fast
  if (!cached.is_open()) (void)cached.Open(By(relay.address()), "seen", kNeverMs).ok();
  ASSERT_TRUE(cached.is_open());
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, hashes_), hashes_.size());
}

// What was meant for the next generation is written into the one that serves by now.
TEST_F(RedisCachedFaultsTest, AFillerBesideASwitchTellsThoseWhoFollow) {
  RedisRelay relay(server_->port());
  RedisFilter filter = Create("seen", 10000, layout_), other, filler;
  RedisCachedFilter cached;
  std::atomic<bool> switches{false};
  relay.before = [&](const RedisRelay::Words& words) {
    if (words[0] == "BITFIELD" && switches.exchange(false)) {
      EXPECT_TRUE(IsOk(other.SwitchGeneration()));
      EXPECT_TRUE(IsOk(cached.Refresh()));
    }
    return RedisRelay::Act();
  };
  ASSERT_TRUE(IsOk(filler.Open(By(relay.address()), "seen")));
  OpenCached(&cached);
  EXPECT_TRUE(IsOk(filler.BeginGeneration(20000, options_)));
  ASSERT_TRUE(IsOk(other.Open(servers_, "seen")));
  switches = true;
  EXPECT_TRUE(IsOk(filler.InsertHashesIntoNext(hashes_.data(), hashes_.size())));
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(CountMissing(&filter, hashes_), 0u);
  EXPECT_EQ(NumMaybes(cached, hashes_), hashes_.size());
}

// Bits that were refused for now are set behind the XADD of their pipeline; a copy is made between the two.
TEST_F(RedisCachedFaultsTest, BitsThatAreTriedAgainAreToldAgain) {
  for (const char* error : {"-BUSY x\r\n", "-LOADING x\r\n", "-NOREPLICAS x\r\n", "-TRYAGAIN x\r\n"}) {
    client_->Do({"FLUSHALL"});
    RedisRelay relay(server_->port());
    (void)Create("seen", 10000, layout_);
    RedisCachedFilter first, cached;
    OpenCached(&first);  // the stream is there
    std::atomic<int> writes{0};
    relay.before = [&](const RedisRelay::Words& words) {
      if (words[0] != "BITFIELD") return RedisRelay::Act();
      if (++writes == 1) return RedisRelay::Act(std::string(error));
      if (writes == 2) OpenCached(&cached);
      return RedisRelay::Act();
    };
    RedisFilter writer = Opened(By(relay.address()), "seen");
    EXPECT_TRUE(IsOk(writer.InsertHash(hashes_[0], nullptr))) << error;
    ASSERT_TRUE(cached.is_open()) << error;
    EXPECT_TRUE(IsOk(cached.Refresh()));
    EXPECT_TRUE(cached.MayContainHash(hashes_[0])) << error;
  }
}

TEST_F(RedisCachedFaultsTest, AKeyedFilterIsFollowedWithItsSecret) {
  HashSecret secret = {};
  reinterpret_cast<unsigned char*>(&secret)[3] = 77;
  options_.hash_id = HashId::kKeyed;
  options_.secret = secret;
  RedisFilter filter = Create("seen", 1000, layout_);
  RedisCachedFilter cached;
  EXPECT_EQ(cached.Open(servers_, "seen", kNeverMs).code(), StatusCode::kIncompatible);
  ASSERT_TRUE(IsOk(cached.Open(servers_, "seen", kNeverMs, &secret)));
  EXPECT_TRUE(IsOk(filter.InsertKey("alice", nullptr)));
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_TRUE(cached.MayContainKey("alice"));
  EXPECT_FALSE(cached.MayContainKey("bob"));
}

// The two connections of an object read the record one after the other.
TEST_F(RedisCachedFaultsTest, IsOfOneHashThoughTheFilterIsMadeAnew) {
  for (int nth = 2; nth < 8; ++nth) {
    client_->Do({"FLUSHALL"});
    RedisRelay relay(server_->port());
    (void)Create("seen", 10000, layout_);
    std::atomic<int> reads{0};
    relay.before = [&](const RedisRelay::Words& words) {
      if (words[0] != "GETRANGE" || words[1] != "seen" || words[2] != "0" || ++reads != nth) return RedisRelay::Act();
      EXPECT_TRUE(IsOk(RedisFilter::Delete(servers_, "seen")));
      FilterOptions other = options_;
      other.seed = 12345;
      RedisFilter again = Created(servers_, "seen", 10000, other, layout_);
      EXPECT_TRUE(IsOk(again.InsertKey("alice", nullptr)));
      return RedisRelay::Act();
    };
    RedisCachedFilter cached;
    if (!cached.Open(By(relay.address()), "seen", kNeverMs).ok()) continue;
    EXPECT_TRUE(reads < nth || cached.MayContainHash(cached.HashOf("alice"))) << nth;
  }
}

TEST_F(RedisCachedFaultsTest, WhoFollowsWhileAFilterIsDeletedLeavesNothing) {
  RedisRelay relay(server_->port());
  (void)Create("seen", 10000, layout_);
  std::atomic<bool> opens{true};
  RedisCachedFilter cached;
  relay.before = [&](const RedisRelay::Words& words) {
    const bool deletes = words[0] == "EVAL" && words[1].find("DEL") != std::string::npos;
    if (deletes && opens.exchange(false)) (void)cached.Open(servers_, "seen", kNeverMs).ok();
    return RedisRelay::Act();
  };
  EXPECT_TRUE(IsOk(RedisFilter::Delete(By(relay.address()), "seen")));
  EXPECT_FALSE(opens) << "nothing was deleted by a script";
  EXPECT_EQ(client_->Do({"DBSIZE"}).integer, 0);
}

// A download waits for leases, and insertions do not wait for it.
TEST_F(RedisCachedFaultsTest, InsertsWithinALeaseThatADownloadWaitsFor) {
  RedisFilter filter = Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached, 300);
  std::atomic<bool> is_refreshed{false};
  std::thread refresher;
  {
    const SwappableFilter::Lease lease = cached.Read();
    client_->Do({"UNLINK", "{seen}:stream"});
    refresher = std::thread([&] {
      EXPECT_TRUE(IsOk(cached.Refresh()));
      is_refreshed = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_TRUE(IsOk(cached.InsertHash(hashes_[0], nullptr)));
    EXPECT_FALSE(is_refreshed) << "the lease was not waited for";
  }
  refresher.join();
  EXPECT_TRUE(cached.MayContainHash(hashes_[0])) << "it is in the new copy, too";
}

// Replies fail, connections are lost, streams are lost and generations switched, at random. Members are those of the
// exact source, so that a rebuild brings them all.
TEST_F(RedisCachedFaultsTest, KeepsItsPromiseWhateverHappens) {
  constexpr uint32_t kWithinMs = 500;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(IsNightly() ? 60 : 6);
  layout_.followed_keys = 3000;
  RedisFilter rebuilder = Create("seen", 200000, layout_);
  std::atomic<uint64_t> dice{1};
  std::atomic<bool> fails{false};
  const auto fault = [&](const RedisRelay::Words& words) {
    const uint64_t roll = HashKey(dice.fetch_add(1)) % 1000;
    if (!fails || roll >= 10 || words[0] == "ROLE") return RedisRelay::Act();
    if (roll < 5) return RedisRelay::Act(roll < 3 ? RedisRelay::Act::kClose : RedisRelay::Act::kRunAndClose);
    return RedisRelay::Act(std::string(roll < 8 ? "-LOADING x\r\n" : "-BUSY x\r\n"));
  };
  RedisRelay to_writer(server_->port()), to_cached(server_->port());
  to_writer.before = fault;
  to_cached.before = fault;
  RedisCachedFilter cached;
  ASSERT_TRUE(IsOk(cached.Open(By(to_cached.address()), "seen", kWithinMs)));
  std::atomic<size_t> num_members{0}, absent{0}, asked{0};
  const std::vector<uint64_t> source = RandomHashes(200000, 9);
  std::vector<std::atomic<bool>> acknowledged(source.size());
  std::thread writer([&] {
    RedisFilter filter = Opened(By(to_writer.address()), "seen");
    constexpr size_t kBatch = 20;
    for (size_t i = 0; i + kBatch <= source.size() && std::chrono::steady_clock::now() < end; i += kBatch) {
      num_members = i + kBatch;  // the exact source has them before they are inserted
      std::vector<RedisInsert> outcomes(kBatch, RedisInsert::kFailed);
      (void)filter.InsertHashes(source.data() + i, kBatch, outcomes.data()).ok();
      for (size_t k = 0; k < kBatch; ++k) acknowledged[i + k] = outcomes[k] != RedisInsert::kFailed;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  });
  std::thread asker([&] {
    while (std::chrono::steady_clock::now() < end) {
      std::vector<uint64_t> members;
      const size_t n = num_members;
      for (size_t i = n > 3000 ? n - 3000 : 0; i < n; ++i) {
        if (acknowledged[i]) members.push_back(source[i]);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(kWithinMs + 1));
      absent += members.size() - NumMaybes(cached, members);
      asked += members.size();
    }
  });
  fails = true;
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    client_->Do({"UNLINK", "{seen}:stream"});
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    EXPECT_TRUE(IsOk(rebuilder.BeginGeneration(200000, options_)));
    const size_t n = num_members;
    EXPECT_TRUE(IsOk(rebuilder.InsertHashesIntoNext(source.data(), n)));
    EXPECT_TRUE(IsOk(rebuilder.SwitchGeneration()));
  }
  writer.join();
  asker.join();
  EXPECT_EQ(absent, 0u);
  EXPECT_GT(asked, 1000u);
  EXPECT_GT(cached.Info().num_refreshes, 3u) << cached.status().message();
}

}  // namespace
}  // namespace linefilter::test
