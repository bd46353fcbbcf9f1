// What the library keeps in Redis and what doc/REDIS.md says are the same: a plain reader and writer, made from the
// document, agrees with it in both directions, byte by byte and answer by answer.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/redis.h"
#include "linefilter/scalable.h"
#include "tests/reference/redis.h"
#include "tests/reference/reference.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

class RedisFormatTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.ok()) << server_.why();
    servers_ = PatientServers(server_.address());
    client_ = std::make_unique<RedisClient>(server_.address());
    run_ = [this](const std::vector<std::string>& words) {
      const RedisReply reply = client_->Do(words);
      return reply.kind == RedisReply::Kind::kInteger ? std::to_string(reply.integer) : reply.text;
    };
    Random random(1);
    for (int i = 0; i < 1000; ++i) keys_.push_back(random());
    for (int i = 0; i < 3000; ++i) asked_.push_back(random());
  }

  // What is in Redis by the document, and by the library.
  void ExpectTheSame(RedisFilter* filter, const std::string& name) {
    reference::Filter by_document;
    ASSERT_TRUE(reference::ReadRedisFilter(run_, name, &by_document));
    std::vector<uint64_t> all = asked_;
    all.insert(all.end(), keys_.begin(), keys_.end());
    std::vector<uint8_t> answers(all.size());
    ASSERT_TRUE(IsOk(filter->MayContainHashes(all.data(), all.size(), answers.data())));
    for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(answers[i] != 0, by_document.MayContain(all[i])) << name << i;
    EXPECT_EQ(by_document.seed, filter->seed());
    EXPECT_EQ(by_document.hash_id, static_cast<int>(filter->hash_id()));
  }

  RedisServer server_;
  RedisServers servers_;
  std::unique_ptr<RedisClient> client_;
  reference::RedisCommand run_;
  std::vector<uint64_t> keys_, asked_;
};

TEST_F(RedisFormatTest, WhatTheLibraryWritesTheDocumentReads) {
  FilterOptions options = BitsPerKey(12);
  options.seed = 0x123456789abcdef0u;
  for (const char* name : {"seen", "{tag}seen", "a{b}c{", "x{y"}) {
    for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient}) {
      options.layout = layout;
      options.removable = FactsOf(layout).chooses_removal;
      RedisLayout shards;
      if (layout != Layout::kClassic) shards.shard_bytes = 320;
      RedisFilter filter;
      ASSERT_TRUE(IsOk(filter.Create(servers_, name, keys_.size(), options, shards)));
      ASSERT_TRUE(filter.InsertHashes(keys_.data(), keys_.size(), nullptr).ok());
      ExpectTheSame(&filter, name);
      reference::Filter by_document, filled;
      ASSERT_TRUE(reference::ReadRedisFilter(run_, name, &by_document));
      filled = by_document;
      filled.Fill(keys_);
      EXPECT_EQ(by_document.body, filled.body) << LayoutName(layout);
      ASSERT_TRUE(RedisFilter::Delete(servers_, name).ok());
    }
  }
}

TEST_F(RedisFormatTest, WhatTheDocumentWritesTheLibraryReadsAndFills) {
  std::vector<std::pair<int, int>> kinds;  // layout and hash id
  for (const int layout : reference::kLayoutsOfOneBody) kinds.emplace_back(layout, reference::kXxh3);
  for (const int layout : {reference::kBlocked, reference::kSplitBlock}) {
    kinds.emplace_back(layout, reference::kParquet);
  }
  for (const auto& [layout, hash_id] : kinds) {
    reference::Filter by_document;
    by_document.layout = layout;
    by_document.hash_id = hash_id;
    by_document.num_probes = reference::LayoutAccepts(layout, 0, 0) ? 0 : 6;
    by_document.seed = hash_id == reference::kXxh3 ? 77 : 0;
    by_document.body.assign(64 * 23, 0);
    by_document.Fill(keys_);
    const bool one_shard = layout == reference::kClassic;
    reference::WriteRedisFilter(run_, "seen", by_document, one_shard ? by_document.body.size() : 64 * 4);
    RedisFilter filter;
    ASSERT_TRUE(IsOk(filter.Open(servers_, "seen")));
    ExpectTheSame(&filter, "seen");
    if (layout == reference::kRetrieval) continue;

    for (size_t i = 0; i < 200; ++i) {
      RedisInsert outcome;
      ASSERT_TRUE(filter.InsertHash(asked_[i], &outcome).ok());
      EXPECT_EQ(outcome == RedisInsert::kNew, by_document.Insert(asked_[i])) << i;
    }
    reference::Filter now;
    ASSERT_TRUE(reference::ReadRedisFilter(run_, "seen", &now));
    EXPECT_EQ(now.body, by_document.body);
    if (layout == reference::kQuotient) continue;  // its keys are no bits
    for (size_t i = 200; i < 300; ++i) {
      reference::SetBitsInRedis(run_, "seen", by_document, asked_[i]);
      RedisInsert outcome;
      ASSERT_TRUE(filter.InsertHash(asked_[i], &outcome).ok());
      EXPECT_EQ(outcome, RedisInsert::kKnown);
    }
  }
}

// One writer goes by the document, the other one is the library. Both change the same blocks.
TEST_F(RedisFormatTest, WholeBlocksAreChangedByBoth) {
  for (const int num_probes : {0, 1}) {
    reference::Filter expected;
    expected.layout = reference::kQuotient;
    expected.num_probes = num_probes;
    expected.body.assign(64 * 23, 0);
    expected.Fill(keys_);
    reference::WriteRedisFilter(run_, "seen", expected, 64 * 4);
    RedisFilter filter;
    ASSERT_TRUE(IsOk(filter.Open(servers_, "seen")));
    for (size_t i = 0; i < 200; ++i) {
      reference::ChangeBlockInRedis(run_, "seen", asked_[i], reference::Change::kInsert);
      expected.Insert(asked_[i]);
      RedisInsert inserted;
      ASSERT_TRUE(IsOk(filter.InsertHash(asked_[i + 200], &inserted)));
      EXPECT_EQ(inserted == RedisInsert::kNew, expected.Insert(asked_[i + 200])) << i;
      if (num_probes == 0) continue;  // a set
      reference::ChangeBlockInRedis(run_, "seen", keys_[i], reference::Change::kRemove);
      expected.Remove(keys_[i]);
      RedisRemove removed;
      const uint64_t hash = i % 2 == 0 ? keys_[i + 200] : asked_[i];  // and what the other one inserted
      ASSERT_TRUE(IsOk(filter.RemoveHash(hash, &removed)));
      EXPECT_EQ(removed == RedisRemove::kRemoved, expected.Remove(hash)) << i;
    }
    reference::Filter now;
    ASSERT_TRUE(reference::ReadRedisFilter(run_, "seen", &now));
    EXPECT_EQ(now.body, expected.body) << num_probes;
    ExpectTheSame(&filter, "seen");
  }
}

TEST_F(RedisFormatTest, AContainerToo) {
  ScalableFilter grown = Created<ScalableFilter>(100, Fpr(0.02));
  for (size_t i = 0; i < 500; ++i) grown.InsertHash(keys_[i]);
  const std::string image = ImageOf(grown);
  RedisFilter filter;
  ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, "seen", image.data(), image.size(), nullptr, {192})));
  ASSERT_EQ(filter.layout(), Layout::kContainer);
  ExpectTheSame(&filter, "seen");
  ASSERT_TRUE(filter.InsertHashes(keys_.data(), keys_.size(), nullptr).ok());
  ExpectTheSame(&filter, "seen");
}

}  // namespace
}  // namespace linefilter::test
