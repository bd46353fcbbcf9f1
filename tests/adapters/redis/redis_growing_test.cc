// A filter in Redis that grows (RedisLayout::grows): it keeps its bound however many keys come, whoever inserts them,
// and it loses none.
#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "linefilter/redis.h"
#include "linefilter/remote_body.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "tests/adapters/redis/redis_filter_test.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

class RedisGrowing : public RedisFilterTest {
 protected:
  RedisFilter Grown(const std::string& name, uint64_t first_capacity, double fpr = 0.01, uint64_t max_growth = 0) {
    options_ = FilterOptions::AtFpr(fpr);
    RedisLayout layout;
    layout.grows = true;
    layout.max_growth = max_growth;
    return Create(name, first_capacity, layout);
  }
  static RedisInfo InfoOf(RedisFilter* filter) {
    RedisInfo info;
    EXPECT_TRUE(IsOk(filter->Info(&info)));
    return info;
  }
  // Than a ScalableFilter, for fewer probes.
  static void ExpectUpToATenthMore(uint64_t bytes, uint64_t local_bytes) {
    EXPECT_GE(bytes, local_bytes);
    EXPECT_LE(static_cast<double>(bytes), 1.1 * static_cast<double>(local_bytes));
  }
  static uint64_t CountAbsent(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
    const std::vector<uint8_t> answers = AskAll(filter, hashes);
    return static_cast<uint64_t>(std::count(answers.begin(), answers.end(), uint8_t{0}));
  }
  static double Rate(RedisFilter* filter) {
    constexpr size_t kAsked = 20000;
    return 1 - static_cast<double>(CountAbsent(filter, RandomHashes(kAsked, 999))) / kAsked;
  }
};

TEST_F(RedisGrowing, BeginsWithOneStageForItsFirstKeys) {
  RedisFilter filter = Grown("seen", 5000), tiny = Grown("tiny", 20);
  const RedisInfo info = InfoOf(&filter);
  EXPECT_EQ(InfoOf(&tiny).capacity, 4096u) << "writers must know of each other before it is full";
  ScalableFilter local;
  ASSERT_TRUE(local.Create(5000, FilterOptions::AtFpr(0.01)).ok());
  EXPECT_EQ(info.layout, Layout::kContainer);
  EXPECT_EQ(info.num_stages, 1u);
  EXPECT_EQ(info.capacity, 5000u);
  ExpectUpToATenthMore(info.body_bytes, local.body_bytes());
  EXPECT_TRUE(IsOk(filter.growth_status()));
}

TEST_F(RedisGrowing, KeepsItsBoundAtEveryMomentAndLosesNothing) {
  RedisFilter filter = Grown("seen", 4096), reader = Open("seen");
  const std::vector<uint64_t> hashes = RandomHashes(240000, 1);
  size_t num_new = 0;
  for (size_t begin = 0, count = 1; begin < hashes.size(); begin += count, count = std::min(2 * count, size_t{16000})) {
    count = std::min(count, hashes.size() - begin);
    const std::vector<uint64_t> batch(hashes.begin() + static_cast<ptrdiff_t>(begin),
                                      hashes.begin() + static_cast<ptrdiff_t>(begin + count));
    const std::vector<RedisInsert> outcomes = InsertAll(&filter, batch);
    num_new += static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kNew));
    ASSERT_LE(InfoOf(&filter).expected_fpr, 0.01) << begin;
    ASSERT_EQ(CountAbsent(&reader, batch), 0u) << "a reader that opened it before it grew";
  }
  EXPECT_EQ(CountAbsent(&reader, hashes), 0u);
  EXPECT_LE(Rate(&reader), 0.0125);
  EXPECT_GE(num_new, hashes.size() * 985 / 1000) << "but for those that are false positives when they come";
  EXPECT_TRUE(IsOk(filter.growth_status()));

  const RedisInfo info = InfoOf(&filter);
  ScalableFilter local;
  ASSERT_TRUE(local.Create(4096, FilterOptions::AtFpr(0.01)).ok());
  local.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(info.num_stages, local.num_stages());
  ExpectUpToATenthMore(info.body_bytes, local.body_bytes());
  EXPECT_GE(info.capacity, hashes.size());
}

// Keys that older stages have are not written again.
TEST_F(RedisGrowing, KnownKeysDoNotFillIt) {
  RedisFilter filter = Grown("seen", 4096);
  const std::vector<uint64_t> hashes = RandomHashes(20000, 1);
  (void)InsertAll(&filter, hashes);
  const std::string before = Download(&filter);
  for (int i = 0; i < 3; ++i) {
    const std::vector<RedisInsert> outcomes = InsertAll(&filter, hashes);
    EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kKnown), 20000);
  }
  EXPECT_TRUE(Download(&filter) == before);
}

TEST_F(RedisGrowing, SingleInsertionsGrowIt) {
  RedisFilter filter = Grown("seen", 20);
  const std::vector<uint64_t> hashes = RandomHashes(6000, 1);
  for (const uint64_t hash : hashes) {
    RedisInsert outcome;
    ASSERT_TRUE(IsOk(filter.InsertHash(hash, &outcome)));
    ASSERT_NE(outcome, RedisInsert::kFailed);
  }
  EXPECT_EQ(InfoOf(&filter).num_stages, 2u);
  EXPECT_LE(InfoOf(&filter).expected_fpr, 0.01);
  EXPECT_EQ(CountAbsent(&filter, hashes), 0u);
}

// Each key is inserted by two of eight writers, at about the same time: one of them is told that it is new.
TEST_F(RedisGrowing, OfTwoWritersOfAKeyOneIsToldThatItIsNew) {
  constexpr size_t kWriters = 8, kKeys = 40000, kBatch = 250;
  (void)Grown("seen", 500);
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
  std::vector<std::atomic<int>> times_new(kKeys);
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (size_t w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      RedisFilter filter;
      if (!filter.Open(servers_, "seen").ok()) ++failures;
      std::vector<RedisInsert> outcomes(kBatch);
      for (size_t begin = w / 2 * kBatch; begin < kKeys; begin += kWriters / 2 * kBatch) {
        if (!filter.InsertHashes(hashes.data() + begin, kBatch, outcomes.data()).ok()) ++failures;
        for (size_t i = 0; i < kBatch; ++i) times_new[begin + i] += outcomes[i] == RedisInsert::kNew;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  size_t never = 0;
  for (size_t i = 0; i < kKeys; ++i) {
    ASSERT_LE(times_new[i], 1) << i;
    never += times_new[i] == 0;
  }
  EXPECT_LE(never, kKeys * 15 / 1000) << "false positives";
  RedisFilter filter = Open("seen");
  EXPECT_EQ(CountAbsent(&filter, hashes), 0u);
  const RedisInfo info = InfoOf(&filter);
  EXPECT_EQ(info.num_stages, 4u);
  EXPECT_LE(info.expected_fpr, 0.01);
  EXPECT_LE(info.capacity, 4 * kKeys);
}

// Where nobody asks which keys are new, a sample of them tells whether older stages have them.
TEST_F(RedisGrowing, KnownKeysDoNotFillItWhereNobodyAsksForOutcomes) {
  RedisFilter filter = Grown("seen", 4096);
  const std::vector<uint64_t> hashes = RandomHashes(20000, 1);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(IsOk(filter.InsertHashes(hashes.data(), hashes.size(), nullptr)));
  EXPECT_EQ(InfoOf(&filter).num_stages, 3u);
  EXPECT_NEAR(InfoOf(&filter).approximate_size.keys, 20000, 3200);
  EXPECT_EQ(CountAbsent(&filter, hashes), 0u);
}

// What it is, an image of it goes on to be.
TEST_F(RedisGrowing, ItsImageGoesOnGrowing) {
  RedisFilter filter = Grown("seen", 1000);
  const std::vector<uint64_t> first = RandomHashes(9000, 1), then = RandomHashes(10000, 2);
  (void)InsertAll(&filter, first);
  ScalableFilter local = FromImage<ScalableFilter>(Download(&filter));
  EXPECT_EQ(local.num_stages(), InfoOf(&filter).num_stages);
  EXPECT_NEAR(static_cast<double>(local.num_keys()), 9000, 360);
  local.InsertHashes(then.data(), then.size());
  EXPECT_TRUE(local.growth_status().ok());
  EXPECT_EQ(local.CountMaybes(first.data(), first.size()), first.size());

  RedisFilter up;
  const std::string image = ImageOf(local);
  ASSERT_TRUE(IsOk(up.CreateFromImage(servers_, "up", image.data(), image.size())));
  const uint32_t stages = InfoOf(&up).num_stages;
  const std::vector<uint64_t> more = RandomHashes(40000, 3);
  (void)InsertAll(&up, more);
  EXPECT_GT(InfoOf(&up).num_stages, stages);
  EXPECT_LE(InfoOf(&up).expected_fpr, 0.01);
  for (const auto* hashes : {&first, &then, &more}) EXPECT_EQ(CountAbsent(&up, *hashes), 0u);
}

// The moment at which nothing is in the newest stage.
TEST_F(RedisGrowing, AnImageMayHaveANewestStageWithoutAKey) {
  RedisFilter filter = Grown("seen", 1000);
  std::vector<uint64_t> inserted;
  for (uint64_t i = 0; InfoOf(&filter).num_stages == 1; ++i) {
    ASSERT_LT(i, 5000u);
    inserted.push_back(HashKey(i));
    ASSERT_TRUE(IsOk(filter.InsertHash(inserted.back(), nullptr)));
  }
  ScalableFilter local = FromImage<ScalableFilter>(Download(&filter));
  EXPECT_EQ(local.CountMaybes(inserted.data(), inserted.size()), inserted.size());
  EXPECT_EQ(local.num_stages(), 2u);
}

TEST_F(RedisGrowing, AtTheEndOfItsGrowthItTellsWhyAndLosesNothing) {
  RedisFilter filter = Grown("seen", 1000, 0.01, 3);  // two stages
  const std::vector<uint64_t> hashes = RandomHashes(60000, 1);
  (void)InsertAll(&filter, hashes);
  EXPECT_EQ(InfoOf(&filter).num_stages, 2u);
  EXPECT_TRUE(Says(StatusCode::kOverLimit, filter.growth_status(), "end of its max_growth, 3"));
  EXPECT_EQ(CountAbsent(&filter, hashes), 0u);
  EXPECT_TRUE(InfoOf(&filter).OverCapacity());
}

// Whoever was about to open a large stage died: the others go on, and open it when its claim is over.
TEST_F(RedisGrowing, ADeadWriterHoldsItUpForTheTimeOfItsClaim) {
  RedisFilter filter = Grown("seen", 400000);
  char claim[40];
  snprintf(claim, sizeof(claim), "{seen}:opening:%016llx",
           static_cast<unsigned long long>(HeaderOf("seen").current.stages[0].id));
  client_->Do({"SET", claim, "1", "PX", "600000"});
  const std::vector<uint64_t> hashes = RandomHashes(400000, 1);
  (void)InsertAll(&filter, hashes);
  EXPECT_EQ(InfoOf(&filter).num_stages, 1u);
  client_->Do({"DEL", claim});
  const std::vector<uint64_t> more = RandomHashes(10000, 2);
  (void)InsertAll(&filter, more);
  EXPECT_EQ(InfoOf(&filter).num_stages, 2u);
  EXPECT_EQ(CountAbsent(&filter, hashes), 0u);
  EXPECT_EQ(CountAbsent(&filter, more), 0u);
}

// All bits are ones: no number of keys can be told, but it is full.
TEST_F(RedisGrowing, ASaturatedStageIsFull) {
  RedisFilter filter = Grown("seen", 4096);
  const std::string shard = Shards()[0];
  const auto bytes = static_cast<size_t>(InfoOf(&filter).body_bytes);
  client_->Do({"SETRANGE", shard, "0", std::string(bytes, '\xff')});
  const std::vector<uint64_t> hashes = RandomHashes(100, 1);
  const std::vector<RedisInsert> outcomes = InsertAll(&filter, hashes);
  EXPECT_EQ(InfoOf(&filter).num_stages, 2u);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), RedisInsert::kKnown), 100) << "each may be in the first stage";
  (void)Open("seen");  // others read its record
}

// The connection of a writer was closed while it was idle. An insertion connects anew, as into any filter.
TEST_F(RedisGrowing, AClosedConnectionFailsNoInsertion) {
  RedisFilter filter = Grown("seen", 4096);
  for (int i = 0; i < 10; ++i) {
    client_->Do({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    ASSERT_TRUE(IsOk(filter.InsertHash(HashKey(uint64_t(i)), nullptr))) << i;
  }
}

// A filter that forgets does not grow: a key that is inserted again lives on from then, so its newest stage has it.
TEST_F(RedisGrowing, AFilterThatForgetsHasKeysThatComeAgainInItsNewestStage) {
  RotatingFilter local;
  ASSERT_TRUE(IsOk(local.Create(2000, 3, FilterOptions::AtFpr(0.01))));
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  local.InsertHashes(hashes.data(), hashes.size());
  local.Rotate();
  const std::string image = ImageOf(local);
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, "forgets", image.data(), image.size())));
  ASSERT_TRUE(IsOk(filter.InsertHashes(hashes.data(), hashes.size(), nullptr)));
  RotatingFilter back;
  const std::string down = Download(&filter);
  ASSERT_TRUE(IsOk(back.CreateFromImage(down.data(), down.size())));
  back.Rotate();
  back.Rotate();
  EXPECT_EQ(back.CountMaybes(hashes.data(), hashes.size()), hashes.size());
}

// Numbers of keys that an image made up are no reason for a record that nobody can read.
TEST_F(RedisGrowing, NumbersThatDoNotFitDamageNoRecord) {
  BodyFacts facts;
  ASSERT_TRUE(IsOk(FactsOfGrowing(1000, FilterOptions::AtFpr(0.01), {}, &facts)));
  facts.has_num_keys = false;
  facts.stages[0].num_keys = 5000;
  const std::string body(static_cast<size_t>(facts.body_bytes), '\0');
  Collector image;
  BodyImageWriter writer;
  ASSERT_TRUE(IsOk(writer.Start(facts, image.sink())));
  ASSERT_TRUE(IsOk(writer.Append(body.data(), body.size())));
  ASSERT_TRUE(IsOk(writer.Finish()));
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, "claims", image.bytes.data(), image.bytes.size())));
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  (void)InsertAll(&filter, hashes);
  RedisFilter other = Open("claims");
  EXPECT_EQ(InfoOf(&other).num_stages, 3u);
  EXPECT_EQ(CountAbsent(&other, hashes), 0u);
}

// Each was alone when it looked, and took the room for its own. Then all insert at once.
TEST_F(RedisGrowing, WritersThatComeOneAfterTheOtherKeepTheBoundTogether) {
  (void)Grown("seen", 20000);
  std::vector<RedisFilter> writers;
  for (int i = 0; i < 16; ++i) writers.push_back(Open("seen"));
  const std::vector<uint64_t> hashes = RandomHashes(16 * 4000, 1);
  size_t at = 0;
  for (const size_t count : {200u, 1000u, 1000u, 1800u}) {
    for (RedisFilter& writer : writers) {
      ASSERT_TRUE(IsOk(writer.InsertHashes(hashes.data() + at, count, nullptr)));
      at += count;
    }
    EXPECT_LE(InfoOf(&writers[0]).expected_fpr, 0.01) << at;
  }
  EXPECT_EQ(CountAbsent(&writers[1], hashes), 0u);
}

TEST_F(RedisGrowing, ItsShardsLiveAsLongAsTheFilter) {
  RedisFilter filter = Grown("seen", 1000);
  ASSERT_TRUE(IsOk(filter.Expire(100000)));
  (void)InsertAll(&filter, RandomHashes(40000, 1));
  const std::vector<std::string> shards = Shards();
  EXPECT_EQ(shards.size(), InfoOf(&filter).num_stages);
  for (const std::string& shard : shards) {
    const int64_t ms = client_->Integer({"PTTL", shard});
    EXPECT_GT(ms, 50000);
    EXPECT_LE(ms, 101000);
  }
  ASSERT_TRUE(IsOk(RedisFilter::Delete(servers_, "seen")));
  EXPECT_EQ(client_->Integer({"DBSIZE"}), 0);
}

// The writer that opened a stage died before its shards got the time of the filter. The next one that meets it does
// that.
TEST_F(RedisGrowing, AWriterThatMeetsANewStageKeepsIt) {
  RedisFilter opener = Grown("seen", 1000), other = Open("seen");
  (void)InsertAll(&other, RandomHashes(10, 1));
  (void)InsertAll(&opener, RandomHashes(6000, 2));
  const Header header = HeaderOf("seen");
  ASSERT_EQ(header.current.stages.size(), 2u);
  char id[17];
  snprintf(id, sizeof(id), "%016llx", static_cast<unsigned long long>(header.current.stages[1].id));
  const std::string shard = "{seen:" + std::string(id) + ":0}";
  client_->Do({"PEXPIRE", shard, "86400000"});
  (void)InsertAll(&other, RandomHashes(10, 3));
  (void)InsertAll(&other, RandomHashes(10, 4));
  EXPECT_EQ(client_->Integer({"PTTL", shard}), -1);
}

TEST_F(RedisGrowing, GenerationsGrowToo) {
  RedisFilter filter = Grown("seen", 1000), writer = Open("seen");
  const std::vector<uint64_t> before = RandomHashes(20000, 1), meanwhile = RandomHashes(20000, 2);
  (void)InsertAll(&filter, before);
  RedisLayout layout;
  layout.grows = true;
  ASSERT_TRUE(IsOk(filter.BeginGeneration(500, options_, layout)));
  (void)InsertAll(&writer, meanwhile);
  ASSERT_TRUE(IsOk(filter.InsertHashesIntoNext(before.data(), before.size())));
  ASSERT_TRUE(IsOk(filter.SwitchGeneration()));
  for (const auto* hashes : {&before, &meanwhile}) EXPECT_EQ(CountAbsent(&writer, *hashes), 0u);
  const RedisInfo info = InfoOf(&writer);
  EXPECT_EQ(info.num_stages, 4u);
  EXPECT_LE(info.expected_fpr, 0.01);
}

TEST_F(RedisGrowing, WhatCannotGrowIsRefused) {
  RedisFilter filter = Grown("seen", 1000);
  (void)InsertAll(&filter, RandomHashes(100, 1));
  RedisRemove outcome;
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.RemoveHash(1, &outcome), "has stages"));
  RedisLayout layout;
  layout.grows = true;
  const auto refuses = [&](const FilterOptions& options, const char* says) {
    RedisFilter other;
    const Status status = other.Create(servers_, "other", 1000, options, layout);
    EXPECT_FALSE(status.ok());
    EXPECT_NE(std::string(status.message()).find(says), std::string::npos) << status.message();
  };
  refuses(BitsPerKey(10), "sized by its bound");
  refuses(FilterOptions(), "fpr is not set");
  layout.followed_keys = 1000;
  refuses(FilterOptions::AtFpr(0.01), "cannot be");
  layout = RedisLayout();
  layout.max_growth = 10;
  refuses(FilterOptions::AtFpr(0.01), "max_growth");
}

}  // namespace
}  // namespace linefilter::test
