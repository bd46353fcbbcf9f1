// A filter in Redis is the filter of its layout: the same bits as a local one, the same answers; each new key is told
// to one writer; and what is lost, foreign, broken or from the future is an error, "maybe", and a failed insertion,
// never "absent".
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "lib/adapters/redis/record/header.h"
#include "lib/adapters/redis/record/shards.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_server.h"

namespace linefilter::test {
namespace {

using redis_internal::Header;

// One server for all; each test begins with nothing in it.
class RedisFilterTest : public RedisServerTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(RedisServerTest::SetUp());
    client_ = std::make_unique<RedisClient>(server_->address());
    client_->Do({"FLUSHALL"});
    options_.bits_per_key = 10;
  }

  RedisFilter Create(const std::string& name, uint64_t num_keys, const RedisLayout& layout = {}) {
    RedisFilter filter;
    const Status status = filter.Create(servers_, name, num_keys, options_, layout);
    EXPECT_TRUE(status.ok()) << status.message();
    return filter;
  }
  RedisFilter Open(const std::string& name) {
    RedisFilter filter;
    const Status status = filter.Open(servers_, name);
    EXPECT_TRUE(status.ok()) << status.message();
    return filter;
  }
  Header HeaderOf(const std::string& name) {
    Header header;
    const Status status = redis_internal::ParseHeader(name, client_->Text({"GET", name}), &header);
    EXPECT_TRUE(status.ok()) << status.message();
    return header;
  }
  // All keys but header records, in the order of their names.
  std::vector<std::string> Shards() {
    std::vector<std::string> names;
    for (const RedisReply& key : client_->Do({"KEYS", "{*"}).items) names.push_back(key.text);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return names;
  }
  // The bits of all shards, without their marks.
  std::string Body() {
    std::string body;
    for (const std::string& shard : Shards()) {
      const std::string bytes = client_->Text({"GET", shard});
      EXPECT_GE(bytes.size(), 16u);
      EXPECT_EQ(bytes.substr(bytes.size() - 16, 8), "lfshard1");
      body += bytes.substr(0, bytes.size() - 16);
    }
    return body;
  }

  int64_t NumCalls(const std::string& command) {
    const std::string fact = client_->Fact({"INFO", "commandstats"}, "cmdstat_" + command);  // calls=...
    return fact.empty() ? 0 : std::stoll(fact.substr(fact.find('=') + 1));
  }
  int64_t NumBitfields() { return NumCalls("bitfield"); }

  FilterOptions options_;
  std::unique_ptr<RedisClient> client_;
};

std::vector<RedisInsert> InsertAll(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kFailed);
  const Status status = filter->InsertHashes(hashes.data(), hashes.size(), outcomes.data());
  EXPECT_TRUE(status.ok()) << status.message();
  return outcomes;
}

size_t CountOf(const std::vector<RedisInsert>& outcomes, RedisInsert wanted) {
  return static_cast<size_t>(std::count(outcomes.begin(), outcomes.end(), wanted));
}

std::vector<uint8_t> AskAll(RedisFilter* filter, const std::vector<uint64_t>& hashes) {
  std::vector<uint8_t> answers(hashes.size(), 7);
  const Status status = filter->MayContainHashes(hashes.data(), hashes.size(), answers.data());
  EXPECT_TRUE(status.ok()) << status.message();
  return answers;
}

std::unique_ptr<MutableFilter> LocalFilter(Layout layout, uint64_t num_keys, const FilterOptions& options) {
  Status status;
  std::unique_ptr<MutableFilter> made;
  const auto create = [&](auto filter) {
    status = filter->Create(num_keys, options);
    made = std::move(filter);
  };
  if (layout == Layout::kClassic) {
    create(std::make_unique<ClassicFilter>());
  } else if (layout == Layout::kCounting) {
    create(std::make_unique<CountingBlockedFilter>());
  } else {
    create(std::make_unique<BlockedFilter>());
  }
  EXPECT_TRUE(status.ok()) << status.message();
  return made;
}

class RedisLayoutTest : public RedisFilterTest, public testing::WithParamInterface<Layout> {};

INSTANTIATE_TEST_SUITE_P(Layouts, RedisLayoutTest,
                         testing::Values(Layout::kBlocked, Layout::kClassic, Layout::kCounting),
                         [](const testing::TestParamInfo<Layout>& layout) { return LayoutName(layout.param); });

// Bit by bit, answer by answer, and "certainly new" in the same order.
TEST_P(RedisLayoutTest, IsTheLocalFilterOfItsLayout) {
  constexpr uint64_t kKeys = 2000;
  for (const double density : {6.0, 16.0, 40.0}) {
    client_->Do({"FLUSHALL"});
    options_.layout = GetParam();
    options_.bits_per_key = density;
    const std::unique_ptr<MutableFilter> local = LocalFilter(GetParam(), kKeys, options_);
    RedisLayout layout;
    if (GetParam() != Layout::kClassic) layout.shard_bytes = 64 * 5;
    RedisFilter filter = Create("seen", kKeys, layout);
    EXPECT_EQ(filter.layout(), GetParam());
    EXPECT_EQ(filter.num_probes(), local->num_probes());
    EXPECT_EQ(filter.body_bytes(), local->body_bytes());
    EXPECT_EQ(filter.num_blocks(), local->num_blocks());

    std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
    hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 300);  // again: known (of `counting` counted again)
    std::vector<uint8_t> were_new(hashes.size());
    local->InsertHashes(hashes.data(), hashes.size(), were_new.data());
    const std::vector<RedisInsert> outcomes = InsertAll(&filter, hashes);
    for (size_t i = 0; i < hashes.size(); ++i) {
      ASSERT_EQ(outcomes[i], were_new[i] != 0 ? RedisInsert::kNew : RedisInsert::kKnown) << i;
    }
    const std::string local_body(reinterpret_cast<const char*>(local->body()),
                                 static_cast<size_t>(local->body_bytes()));
    EXPECT_TRUE(Body() == local_body);

    const std::vector<uint64_t> asked = RandomHashes(20000, 2);
    std::vector<uint8_t> expected(asked.size());
    local->MayContainHashes(asked.data(), asked.size(), expected.data());
    EXPECT_EQ(AskAll(&filter, asked), expected);
    RedisFilter other = Open("seen");
    EXPECT_EQ(AskAll(&other, asked), expected);
    const std::vector<uint8_t> of_members = AskAll(&other, hashes);
    EXPECT_EQ(std::count(of_members.begin(), of_members.end(), 1), static_cast<ptrdiff_t>(hashes.size()));
  }
}

// Many times the same, one by one: saturation of `counting` included.
TEST_P(RedisLayoutTest, SingleCallsAreBatchesOfOne) {
  options_.layout = GetParam();
  const std::unique_ptr<MutableFilter> local = LocalFilter(GetParam(), 20, options_);
  RedisFilter filter = Create("seen", 20);
  for (int round = 0; round < 20; ++round) {
    for (const char* key : {"alice", "bob", ""}) {
      RedisInsert outcome;
      const Status status = filter.InsertKey(key, &outcome);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(outcome == RedisInsert::kNew, local->InsertKey(key)) << key;
      bool maybe = false;
      ASSERT_TRUE(filter.MayContainKey(key, &maybe).ok());
      EXPECT_TRUE(maybe);
    }
  }
  const std::string local_body(reinterpret_cast<const char*>(local->body()), static_cast<size_t>(local->body_bytes()));
  EXPECT_TRUE(Body() == local_body);
  int maybes = 0;
  for (uint64_t key = 0; key < 100; ++key) {
    bool maybe = true;
    ASSERT_TRUE(filter.MayContainKey(key, &maybe).ok());
    EXPECT_EQ(maybe, local->MayContainKey(key));
    maybes += maybe ? 1 : 0;
  }
  EXPECT_LT(maybes, 50);
  EXPECT_TRUE(filter.InsertKey(uint64_t{7}, nullptr).ok());
}

// Of writers of the same keys at the same time each key is told to exactly one.
TEST_P(RedisLayoutTest, SeveralWritersAreToldNewExactlyOnce) {
  constexpr size_t kKeys = 5000, kWriters = 4;
  options_.layout = GetParam();
  options_.bits_per_key = 64;  // hardly a false positive among them
  RedisLayout layout;
  if (GetParam() != Layout::kClassic) layout.shard_bytes = 8192;
  (void)Create("seen", kKeys, layout);
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 3);
  std::vector<std::atomic<int>> told(kKeys);
  std::vector<std::thread> writers;
  for (size_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      RedisFilter filter;
      ASSERT_TRUE(filter.Open(servers_, "seen").ok());
      // Each in an order of its own, in batches of another size.
      std::vector<size_t> order(kKeys);
      std::iota(order.begin(), order.end(), size_t{0});
      Random random(w);
      for (size_t i = kKeys - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
      const size_t at_once = 100 + 333 * w;
      for (size_t begin = 0; begin < kKeys; begin += at_once) {
        const size_t n = std::min(at_once, kKeys - begin);
        std::vector<uint64_t> part(n);
        for (size_t i = 0; i < n; ++i) part[i] = hashes[order[begin + i]];
        std::vector<RedisInsert> outcomes(n);
        ASSERT_TRUE(filter.InsertHashes(part.data(), n, outcomes.data()).ok());
        for (size_t i = 0; i < n; ++i) told[order[begin + i]] += outcomes[i] == RedisInsert::kNew ? 1 : 0;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  size_t once = 0, more = 0;
  for (const std::atomic<int>& times : told) {
    once += times == 1 ? 1u : 0u;
    more += times > 1 ? 1u : 0u;
  }
  EXPECT_EQ(more, 0u);
  EXPECT_GE(once, kKeys - kKeys / 20) << "the others would be false positives";
}

TEST_P(RedisLayoutTest, ALostShardIsNeverEmpty) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 4);
  for (const std::string& how : std::vector<std::string>{"DEL", "FLUSHALL", "one by another writer", "cut"}) {
    client_->Do({"FLUSHALL"});
    options_.layout = GetParam();
    RedisFilter filter = Create("seen", 1000), writer = Open("seen");
    InsertAll(&filter, hashes);
    const std::string record = client_->Text({"GET", "seen"}), shard = Shards().at(0);
    if (how == "FLUSHALL") {
      client_->Do({"FLUSHALL"});
      client_->Do({"SET", "seen", record});  // the worst case: the record came back
    } else if (how == "cut") {
      const std::string bytes = client_->Text({"GET", shard});
      client_->Do({"SET", shard, bytes.substr(0, bytes.size() - 1)});
    } else {
      client_->Do({"DEL", shard});
    }
    // Insertions make a string of zeros of what is missing: it must not be believed.
    if (how == "one by another writer")
      client_->Do({"SETBIT", shard, std::to_string(8 * filter.body_bytes() + 127), "0"});
    std::vector<uint8_t> answers(hashes.size(), 0);
    Status status = filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << how;
    EXPECT_NE(std::string(status.message()).find("shard 0 of filter seen"), std::string::npos) << status.message();
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 1000) << how;

    std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
    status = writer.InsertHashes(hashes.data(), hashes.size(), outcomes.data());
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << how;
    EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), hashes.size()) << how;
    EXPECT_EQ(client_->Integer({"EXISTS", shard}), 0) << "no junk stays";
    EXPECT_EQ(client_->Text({"GET", "seen"}), record);

    bool maybe = false;
    EXPECT_EQ(filter.MayContainHash(1, &maybe).code(), StatusCode::kCorrupt);
    EXPECT_TRUE(maybe);
  }
}

TEST_F(RedisFilterTest, AnswersAndInsertionsInOtherShardsCountWhereOneIsLost) {
  RedisLayout layout;
  layout.shard_bytes = 64 * 4;
  RedisFilter filter = Create("seen", 1000, layout);
  const std::vector<uint64_t> hashes = RandomHashes(1000, 5);
  InsertAll(&filter, hashes);
  const std::string lost = Shards().at(1);
  client_->Do({"DEL", lost});
  const auto is_lost = [&](uint64_t hash) { return BlockIndex(hash, filter.num_blocks()) / 4 == 1; };

  const std::vector<uint64_t> asked = RandomHashes(1000, 6);
  std::vector<uint8_t> answers(asked.size());
  EXPECT_EQ(filter.MayContainHashes(asked.data(), asked.size(), answers.data()).code(), StatusCode::kCorrupt);
  size_t absent = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    if (is_lost(asked[i])) {
      EXPECT_EQ(answers[i], 1);
    }
    absent += answers[i] == 0 ? 1u : 0u;
  }
  EXPECT_GT(absent, 800u);

  std::vector<RedisInsert> outcomes(asked.size());
  EXPECT_EQ(filter.InsertHashes(asked.data(), asked.size(), outcomes.data()).code(), StatusCode::kCorrupt);
  for (size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(outcomes[i] == RedisInsert::kFailed, is_lost(asked[i])) << i;
  }
  EXPECT_EQ(client_->Integer({"EXISTS", lost}), 0);
}

// Be it one that keys are only looked up in.
TEST_F(RedisFilterTest, AKeyFailsIfAnyShardOfAContainerIsLostThatItIsIn) {
  Header header;
  header.version = 1;
  header.current.id = 0xabc;
  header.current.layout = Layout::kContainer;
  header.current.stages = {{10, 100, 7}, {20, 0, 9}};
  header.current.body_bytes = 64 * 30;
  header.current.shard_bytes = 64 * 10;
  client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  for (int i = 1; i < 3; ++i) {  // 0 is that of the first stage
    client_->Do({"SET", "{seen:0000000000000abc:" + std::to_string(i) + "}",
                 std::string(640, '\0') + redis_internal::MarkOf(1)});
  }
  RedisFilter filter = Open("seen");
  std::vector<uint64_t> hashes = RandomHashes(100, 7);
  std::vector<RedisInsert> outcomes(hashes.size());
  EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(outcomes, std::vector<RedisInsert>(hashes.size(), RedisInsert::kFailed));
  for (const uint64_t hash : hashes) {
    RedisInsert outcome = RedisInsert::kNew;
    EXPECT_EQ(filter.InsertHash(hash, &outcome).code(), StatusCode::kCorrupt);
    EXPECT_EQ(outcome, RedisInsert::kFailed);
  }
}

TEST_F(RedisFilterTest, AContainerIsAskedInAllStagesAndTakesKeysInTheNewest) {
  // Made by hand: this test is of lookups and insertions alone.
  Header header;
  header.version = 1;
  header.current.id = 0xabc;
  header.current.layout = Layout::kContainer;
  header.current.stages = {{10, 100, 7}, {20, 0, 9}};
  header.current.body_bytes = 64 * 30;
  header.current.shard_bytes = 64 * 8;
  client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  BlockedFilter stages[2];
  std::string body;
  std::vector<uint64_t> hashes[2] = {RandomHashes(100, 7), RandomHashes(200, 8)};
  for (int s = 0; s < 2; ++s) {
    options_.bits_per_key = s == 0 ? 6.4 * 8 / 10 : 10.24 / 2;
    options_.num_probes = s == 0 ? 7 : 9;
    ASSERT_TRUE(stages[s].Create(s == 0 ? 1000 : 2000, options_).ok());
    ASSERT_GE(stages[s].num_blocks(), s == 0 ? 10u : 20u);
  }
  // Bodies of just so many blocks.
  for (int s = 0; s < 2; ++s) {
    const uint64_t blocks = s == 0 ? 10 : 20;
    FilterOptions options;
    options.bits_per_key = 8;
    options.num_probes = s == 0 ? 7 : 9;
    ASSERT_TRUE(stages[s].Create(64 * blocks, options).ok());
    ASSERT_EQ(stages[s].num_blocks(), blocks);
  }
  stages[0].InsertHashes(hashes[0].data(), hashes[0].size());
  body.append(reinterpret_cast<const char*>(stages[0].body()), 640);
  body.append(1280, '\0');
  for (int i = 0; i < 4; ++i) {
    std::string shard = body.substr(static_cast<size_t>(i) * 512, 512);
    client_->Do({"SET", "{seen:0000000000000abc:" + std::to_string(i) + "}", shard + redis_internal::MarkOf(1)});
  }

  RedisFilter filter = Open("seen");
  EXPECT_EQ(filter.layout(), Layout::kContainer);
  EXPECT_EQ(filter.num_blocks(), 30u);
  const std::vector<uint64_t> asked = RandomHashes(5000, 9);
  const auto expect_local = [&] {
    const std::vector<uint8_t> answers = AskAll(&filter, asked);
    for (size_t i = 0; i < asked.size(); ++i) {
      ASSERT_EQ(answers[i] != 0, stages[0].MayContainHash(asked[i]) || stages[1].MayContainHash(asked[i])) << i;
    }
  };
  expect_local();
  std::vector<uint64_t> inserted = hashes[1];
  inserted.insert(inserted.end(), hashes[0].begin(), hashes[0].end());
  const std::vector<RedisInsert> outcomes = InsertAll(&filter, inserted);
  for (size_t i = 0; i < inserted.size(); ++i) {
    const bool in_newest = !stages[1].InsertHash(inserted[i]);
    EXPECT_EQ(outcomes[i] == RedisInsert::kNew, !in_newest && !stages[0].MayContainHash(inserted[i])) << i;
  }
  expect_local();
  EXPECT_EQ(Body(), body.substr(0, 640) + std::string(reinterpret_cast<const char*>(stages[1].body()), 1280));

  client_->Do({"DEL", "{seen:0000000000000abc:0}"});  // of the older stage: nothing there is absent any more
  std::vector<uint8_t> answers(asked.size());
  EXPECT_EQ(filter.MayContainHashes(asked.data(), asked.size(), answers.data()).code(), StatusCode::kCorrupt);
  for (size_t i = 0; i < asked.size(); ++i) {
    if (BlockIndex(asked[i], 10) < 8) {
      EXPECT_EQ(answers[i], 1);
    }
  }
}

TEST_F(RedisFilterTest, ARetrievalFilterTakesNoKeys) {
  Header header;
  header.version = 1;
  header.current.id = 1;
  header.current.layout = Layout::kRetrieval;
  header.current.body_bytes = header.current.shard_bytes = 64;
  client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  client_->Do({"SET", "{seen:0000000000000001:0}", std::string(64, '\0') + redis_internal::MarkOf(1)});
  RedisFilter filter = Open("seen");
  RedisInsert outcome = RedisInsert::kNew;
  EXPECT_EQ(filter.InsertHash(1, &outcome).code(), StatusCode::kIncompatible);
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  bool maybe = false;
  EXPECT_TRUE(filter.MayContainHash(1, &maybe).ok());
  EXPECT_TRUE(maybe) << "T = 0 says maybe to all";
}

TEST_F(RedisFilterTest, NamesAreTakenOnce) {
  RedisFilter filter = Create("seen", 100), again;
  Status status = again.Create(servers_, "seen", 100, options_);
  EXPECT_EQ(status.code(), StatusCode::kIncompatible);
  EXPECT_NE(std::string(status.message()).find("seen is taken"), std::string::npos) << status.message();
  EXPECT_FALSE(again.is_open());
  EXPECT_EQ(Shards().size(), 1u);
  client_->Do({"SET", "text", "something else"});
  client_->Do({"HSET", "hash", "a", "b"});
  client_->Do({"SET", "large", std::string(3 << 20, 'x')});
  for (const char* foreign : {"text", "hash", "large"}) {
    EXPECT_EQ(again.Create(servers_, foreign, 100, options_).code(), StatusCode::kIncompatible) << foreign;
    EXPECT_EQ(again.Open(servers_, foreign).code(), StatusCode::kIncompatible) << foreign;
    EXPECT_EQ(RedisFilter::Delete(servers_, foreign).code(), StatusCode::kIncompatible) << foreign;
    EXPECT_EQ(client_->Integer({"EXISTS", foreign}), 1);
  }
  EXPECT_EQ(again.Open(servers_, "nothing").code(), StatusCode::kNotFound);
  EXPECT_EQ(again.Open(servers_, "a\nb").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(RedisFilter::Delete(servers_, "nothing").code(), StatusCode::kNotFound);
}

// Less than a minute to live is what an expired filter of ours has, and many a string of others: a session, a cache.
TEST_F(RedisFilterTest, WhatIsSomebodyElsesIsNoExpiredFilter) {
  for (const char* foreign : {"a session", "linefilter-redi", "linefilter-redis 2\nall is new\n"}) {
    client_->Do({"SET", "seen", foreign, "PX", "50000"});
    RedisFilter filter;
    EXPECT_EQ(filter.Create(servers_, "seen", 100, options_).code(), StatusCode::kIncompatible) << foreign;
    const StatusCode opened = filter.Open(servers_, "seen").code();
    EXPECT_TRUE(opened == StatusCode::kIncompatible || opened == StatusCode::kUnsupported) << foreign;
    EXPECT_EQ(client_->Text({"GET", "seen"}), foreign);
    EXPECT_EQ(client_->Integer({"DBSIZE"}), 1);
  }
}

// A damaged record of ours is told by its first line. Its shards go with it, as far as it still names them.
TEST_F(RedisFilterTest, AnExpiredFilterGivesWayEvenIfItsRecordIsDamaged) {
  (void)Create("seen", 100);
  std::string record = client_->Text({"GET", "seen"});
  record[record.size() - 2] ^= 1;
  client_->Do({"SET", "seen", record});
  RedisFilter filter;
  EXPECT_EQ(filter.Create(servers_, "seen", 100, options_).code(), StatusCode::kIncompatible) << "it is not over";
  client_->Do({"PEXPIRE", "seen", "50000"});
  EXPECT_EQ(filter.Open(servers_, "seen").code(), StatusCode::kNotFound);
  const Status status = filter.Create(servers_, "seen", 100, options_);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(Shards().size(), 1u);
}

TEST_F(RedisFilterTest, RequestsThatMakeNoSenseLeaveNothing) {
  RedisFilter filter;
  FilterOptions options;
  EXPECT_EQ(filter.Create(servers_, "seen", 100, options).code(), StatusCode::kInvalidArgument);
  options.bits_per_key = 10;
  options.layout = Layout::kRetrieval;
  EXPECT_EQ(filter.Create(servers_, "seen", 100, options).code(), StatusCode::kIncompatible);
  options.layout = Layout::kClassic;
  EXPECT_EQ(filter.Create(servers_, "seen", uint64_t{1} << 32, options).code(), StatusCode::kUnsupported);
  options.layout = Layout::kAuto;
  EXPECT_EQ(filter.Create(servers_, "seen", uint64_t{1} << 62, options).code(), StatusCode::kInvalidArgument);
  FilterOptions no_rate;  // below num_keys / 2^64 = 5.8e-11; above it there would be such a filter, too large for Redis
  no_rate.layout = Layout::kClassic;
  no_rate.fpr = 5e-11;
  const Status refused = filter.Create(servers_, "seen", uint64_t{1} << 30, no_rate);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(refused.message()).find("the same 64-bit hash"), std::string::npos) << refused.message();
  options.hash_id = HashId::kKeyed;  // and no secret
  EXPECT_EQ(filter.Create(servers_, "seen", 100, options).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(client_->Integer({"DBSIZE"}), 0);
}

TEST_F(RedisFilterTest, ASecretMustBeTheFiltersOwn) {
  HashSecret secret, other;
  secret.bytes[3] = 7;
  other.bytes[3] = 8;
  options_.hash_id = HashId::kKeyed;
  options_.secret = secret;
  RedisFilter made = Create("seen", 100), filter;
  RedisInsert outcome;
  ASSERT_TRUE(made.InsertKey("alice", &outcome).ok());
  EXPECT_EQ(client_->Text({"GET", "seen"}).find(std::string(reinterpret_cast<char*>(secret.bytes), 16)),
            std::string::npos);
  EXPECT_EQ(filter.Open(servers_, "seen").code(), StatusCode::kIncompatible);
  EXPECT_EQ(filter.Open(servers_, "seen", &other).code(), StatusCode::kIncompatible);
  bool maybe = false;
  EXPECT_FALSE(filter.MayContainKey("bob", &maybe).ok());
  EXPECT_TRUE(maybe);
  ASSERT_TRUE(filter.Open(servers_, "seen", &secret).ok());
  EXPECT_EQ(filter.seed(), CheckOfSecret(secret));
  ASSERT_TRUE(filter.MayContainKey("alice", &maybe).ok());
  EXPECT_TRUE(maybe);
  ASSERT_TRUE(filter.MayContainHash(KeyedHash("bob", secret), &maybe).ok());
  EXPECT_FALSE(maybe);
  options_ = FilterOptions();
  options_.bits_per_key = 10;
  (void)Create("open", 100);
  EXPECT_EQ(filter.Open(servers_, "open", &secret).code(), StatusCode::kIncompatible);
}

TEST_F(RedisFilterTest, CallersHashesAndSeedsAreKeptApart) {
  options_.hash_id = HashId::kCaller;
  RedisFilter filter = Create("caller", 100);
  EXPECT_EQ(filter.KeyStatus().code(), StatusCode::kIncompatible);
  bool maybe = false;
  EXPECT_EQ(filter.MayContainKey("alice", &maybe).code(), StatusCode::kIncompatible);
  EXPECT_TRUE(maybe);
  RedisInsert outcome = RedisInsert::kNew;
  EXPECT_EQ(filter.InsertKey("alice", &outcome).code(), StatusCode::kIncompatible);
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  EXPECT_TRUE(filter.InsertHash(1, &outcome).ok());
  EXPECT_EQ(outcome, RedisInsert::kNew);

  options_.hash_id = HashId::kXxh3;
  options_.seed = 99;
  (void)Create("seeded", 100);
  RedisFilter seeded = Open("seeded");
  EXPECT_EQ(seeded.seed(), 99u);
  ASSERT_TRUE(seeded.InsertKey("alice", &outcome).ok());
  ASSERT_TRUE(seeded.MayContainHash(HashKey("alice", 99), &maybe).ok());
  EXPECT_TRUE(maybe);
  ASSERT_TRUE(seeded.MayContainHash(HashKey("alice"), &maybe).ok());
  EXPECT_FALSE(maybe);
}

TEST_F(RedisFilterTest, ARecordThatChangesIsReadAgain) {
  RedisFilter filter = Create("seen", 1000);
  const std::vector<uint64_t> hashes = RandomHashes(1000, 10);
  InsertAll(&filter, hashes);
  // A shard says that the record has changed: to one from the future.
  Header header = HeaderOf("seen");
  const std::string shard = Shards().at(0);
  client_->Do({"SETRANGE", shard, std::to_string(filter.body_bytes()), redis_internal::MarkOf(2)});
  std::vector<uint8_t> answers(hashes.size(), 0);
  Status status = filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  EXPECT_EQ(status.code(), StatusCode::kCorrupt) << status.message();  // it has not
  EXPECT_NE(std::string(status.message()).find("put back"), std::string::npos) << status.message();
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 1000);
  std::vector<RedisInsert> outcomes(hashes.size());
  EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), hashes.size());

  header.version = 2;
  client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  EXPECT_EQ(AskAll(&filter, hashes), std::vector<uint8_t>(1000, 1));
  client_->Do({"SETRANGE", shard, std::to_string(filter.body_bytes()), redis_internal::MarkOf(3)});
  client_->Do({"SET", "seen", "linefilter-redis 2\n"});
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kUnsupported);
  client_->Do({"DEL", "seen"});
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kNotFound);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 1000);
}

// A server that was started with an older state has old marks, too: nothing there tells that the record went back.
TEST_F(RedisFilterTest, AfterAReconnectionTheRecordIsReadAgain) {
  RedisFilter filter = Create("seen", 1000);
  const std::string old_record = client_->Text({"GET", "seen"}), old_shard = Shards().at(0);
  (void)Create("other", 1000);
  Header header = HeaderOf("seen");
  header.version = 2;
  header.current.id = HeaderOf("other").current.id;
  const std::string shard = "{seen" + Shards().at(1).substr(6);
  client_->Do({"RENAME", Shards().at(1), shard});
  client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  RedisFilter later = Open("seen");
  bool maybe = true;
  ASSERT_TRUE(later.MayContainHash(1, &maybe).ok());
  EXPECT_FALSE(maybe);

  client_->Do({"SET", "seen", old_record});
  RedisInsert outcome;
  ASSERT_TRUE(filter.InsertHash(1, &outcome).ok());
  client_->Do({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  ASSERT_TRUE(later.MayContainHash(1, &maybe).ok());
  EXPECT_TRUE(maybe);
  client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  client_->Do({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
  ASSERT_TRUE(later.InsertHash(2, &outcome).ok());
  EXPECT_EQ(outcome, RedisInsert::kNew);
  RedisFilter newest = Open("seen");
  ASSERT_TRUE(newest.MayContainHash(2, &maybe).ok());
  EXPECT_TRUE(maybe);
}

// What is seen in the middle of a switch, made by hand: "seen" of one generation, then the record and marks of a step.
class RedisStepTest : public RedisFilterTest {
 protected:
  void SetUp() override {
    RedisFilterTest::SetUp();
    options_.bits_per_key = 64;
    layout_.shard_bytes = 64 * 64;
    old_ = Create("seen", 1000, layout_);
    next_ = Create("next", 1000, layout_);
    header_ = HeaderOf("seen");
    b_ = HeaderOf("next").current;
    num_shards_ = b_.num_shards();
    ASSERT_EQ(num_shards_, 2u);
  }
  std::string ShardOf(const redis_internal::Generation& generation, uint64_t shard) {
    char id[20];
    snprintf(id, sizeof(id), "%016llx", static_cast<unsigned long long>(generation.id));
    return std::string("{seen:") + id + ":" + std::to_string(shard) + "}";
  }
  // The shards of "next" become those of a generation of "seen".
  void TakeNext() {
    for (uint64_t i = 0; i < num_shards_; ++i) {
      const std::string to = ShardOf(b_, i);
      client_->Do({"RENAME", "{next" + to.substr(5), to});
    }
  }
  void Record(uint64_t version, const redis_internal::Generation& current, const redis_internal::Generation& next,
              const redis_internal::Generation& previous) {
    Header header = header_;
    header.version = version;
    header.current = current;
    header.next = next;
    header.previous = previous;
    client_->Do({"SET", "seen", redis_internal::FormatHeader(header)});
  }
  void Mark(const redis_internal::Generation& generation, uint64_t shard, uint64_t version) {
    client_->Do({"SETRANGE", ShardOf(generation, shard), std::to_string(generation.BytesOfShard(shard)),
                 redis_internal::MarkOf(version)});
  }
  // Who has seen all shards writes without looking first.
  void SeeAll(RedisFilter* filter) { InsertAll(filter, RandomHashes(50, 25)); }
  RedisInsert InsertOne(RedisFilter* filter, uint64_t hash) {
    RedisInsert outcome = RedisInsert::kFailed;
    const Status status = filter->InsertHash(hash, &outcome);
    EXPECT_TRUE(status.ok()) << status.message();
    return outcome;
  }
  bool Maybe(RedisFilter* filter, uint64_t hash) {
    bool maybe = true;
    const Status status = filter->MayContainHash(hash, &maybe);
    EXPECT_TRUE(status.ok()) << status.message();
    return maybe;
  }

  RedisLayout layout_;
  RedisFilter old_, next_;
  Header header_;
  redis_internal::Generation b_;
  redis_internal::Generation none_;
  uint64_t num_shards_ = 0;
};

// A key that the other writer has so far in one of the two generations alone is not new.
TEST_F(RedisStepTest, NewIsWhatIsNewInAllThatServedOrServe) {
  const std::vector<uint64_t> hashes = RandomHashes(3, 20);
  InsertOne(&old_, hashes[0]);
  InsertOne(&next_, hashes[1]);
  TakeNext();
  Record(2, b_, none_, header_.current);
  RedisFilter filter = Open("seen");
  EXPECT_EQ(InsertOne(&filter, hashes[0]), RedisInsert::kKnown);
  EXPECT_EQ(InsertOne(&filter, hashes[1]), RedisInsert::kKnown);
  EXPECT_EQ(InsertOne(&filter, hashes[2]), RedisInsert::kNew);
  Record(3, b_, none_, none_);  // in both, whoever is asked
  EXPECT_TRUE(Maybe(&filter, hashes[0]));
  Record(4, header_.current, none_, none_);
  RedisFilter again = Open("seen");
  for (const uint64_t hash : hashes) EXPECT_TRUE(Maybe(&again, hash));
}

// Of what is only being filled, that it is not there yet says nothing, nor that it is.
TEST_F(RedisStepTest, TheNextGenerationIsFilledButNotAsked) {
  const std::vector<uint64_t> hashes = RandomHashes(3, 21);
  InsertOne(&old_, hashes[0]);
  InsertOne(&next_, hashes[1]);
  TakeNext();
  Record(2, header_.current, b_, none_);
  RedisFilter filter = Open("seen");
  EXPECT_FALSE(Maybe(&filter, hashes[1]));
  EXPECT_EQ(InsertOne(&filter, hashes[0]), RedisInsert::kKnown);
  EXPECT_EQ(InsertOne(&filter, hashes[1]), RedisInsert::kNew);
  EXPECT_EQ(InsertOne(&filter, hashes[2]), RedisInsert::kNew);
  Record(3, b_, none_, none_);
  RedisFilter again = Open("seen");
  for (const uint64_t hash : hashes) EXPECT_TRUE(Maybe(&again, hash));
}

// The record changed between an insertion and the look at the mark: the second time it finds its own bits.
TEST_F(RedisStepTest, WhoIsSentToTheRecordIsStillToldNew) {
  SeeAll(&old_);
  TakeNext();
  Record(2, header_.current, b_, none_);
  for (uint64_t i = 0; i < num_shards_; ++i) Mark(header_.current, i, 2);
  EXPECT_EQ(InsertOne(&old_, 42), RedisInsert::kNew);  // it has the record of version 1
  EXPECT_EQ(InsertOne(&old_, 42), RedisInsert::kKnown);
  Record(3, b_, none_, none_);
  RedisFilter again = Open("seen");
  EXPECT_TRUE(Maybe(&again, 42));
}

// Another writer came between, first in the generation that served, second in the one that serves now: he was told.
TEST_F(RedisStepTest, WhoIsSentToTheRecordIsNewOnlyIfHeWasTheFirstEverywhere) {
  const std::vector<uint64_t> hashes = RandomHashes(2, 23);
  InsertOne(&old_, hashes[0]);
  TakeNext();
  Record(2, header_.current, b_, none_);
  RedisFilter filter = Open("seen"), other = Open("seen");
  SeeAll(&filter);
  SeeAll(&other);
  Record(3, b_, none_, none_);
  for (uint64_t i = 0; i < num_shards_; ++i) Mark(header_.current, i, 3);
  for (uint64_t i = 0; i < num_shards_; ++i) Mark(b_, i, 3);
  EXPECT_EQ(InsertOne(&filter, hashes[0]), RedisInsert::kKnown);
  EXPECT_TRUE(Maybe(&filter, hashes[0]));
  // What is left of a lost shard says "new" of every key.
  for (uint64_t i = 0; i < num_shards_; ++i) client_->Do({"DEL", ShardOf(header_.current, i)});
  EXPECT_EQ(InsertOne(&other, hashes[1]), RedisInsert::kKnown);
  EXPECT_TRUE(Maybe(&filter, hashes[1]));
}

// A record that names no other generations than those that were written to needs nothing written again.
TEST_F(RedisStepTest, WhatIsWrittenEverywhereIsNotWrittenAgain) {
  TakeNext();
  Record(2, header_.current, b_, none_);
  RedisFilter filter = Open("seen");
  SeeAll(&filter);
  Record(3, b_, none_, header_.current);
  const int64_t before = NumBitfields();
  EXPECT_EQ(InsertOne(&filter, 42), RedisInsert::kNew);
  EXPECT_EQ(NumBitfields(), before + 2);
  Record(4, b_, none_, none_);
  EXPECT_TRUE(Maybe(&filter, 42));
}

// A lost shard of what is only being filled stops no writer; of what serves it does.
TEST_F(RedisStepTest, ALostNextGenerationStopsNobody) {
  TakeNext();
  Record(2, header_.current, b_, none_);
  for (uint64_t i = 0; i < num_shards_; ++i) client_->Do({"DEL", ShardOf(b_, i)});
  RedisFilter filter = Open("seen");
  EXPECT_EQ(InsertOne(&filter, 42), RedisInsert::kNew);
  EXPECT_EQ(InsertOne(&filter, 42), RedisInsert::kKnown);
  EXPECT_EQ(client_->Integer({"EXISTS", ShardOf(b_, 0), ShardOf(b_, 1)}), 0);
  EXPECT_TRUE(Maybe(&filter, 42));
}

// The call is larger than what is asked at once, and only its last part meets a mark that tells of the switch.
TEST_F(RedisStepTest, AllAnswersOfACallAreOfOneGeneration) {
  std::vector<uint64_t> hashes;
  Random random(22);
  const auto shard_of = [&](uint64_t hash) {
    return BlockIndex(hash, header_.current.num_blocks()) * 64 / header_.current.shard_bytes;
  };
  while (hashes.size() < 5000) {
    const uint64_t hash = random();
    if (shard_of(hash) == (hashes.size() < 4990 ? 0u : 1u)) hashes.push_back(hash);
  }
  InsertAll(&next_, {hashes.begin(), hashes.begin() + 500});
  TakeNext();
  Record(2, b_, none_, header_.current);
  Mark(header_.current, 1, 2);
  const std::vector<uint8_t> answers = AskAll(&old_, hashes);
  EXPECT_GE(std::count(answers.begin(), answers.end(), 1), 500);
  EXPECT_EQ(std::count(answers.begin(), answers.begin() + 500, 1), 500);
}

TEST_F(RedisFilterTest, ADeletedFilterIsNotFoundAndANewOneOfItsNameIsFoundByItself) {
  RedisFilter filter = Create("seen", 1000);
  const std::vector<uint64_t> hashes = RandomHashes(1000, 11);
  InsertAll(&filter, hashes);
  const Status deleted = RedisFilter::Delete(servers_, "seen");
  ASSERT_TRUE(deleted.ok()) << deleted.message();
  EXPECT_EQ(client_->Integer({"DBSIZE"}), 0);
  bool maybe = false;
  EXPECT_EQ(filter.MayContainHash(1, &maybe).code(), StatusCode::kNotFound);
  EXPECT_TRUE(maybe);
  RedisInsert outcome;
  EXPECT_EQ(filter.InsertHash(1, &outcome).code(), StatusCode::kNotFound);
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  EXPECT_EQ(client_->Integer({"DBSIZE"}), 0) << "an insertion left a shard that nobody owns";
  (void)Create("seen", 5000);
  EXPECT_TRUE(filter.InsertHash(1, &outcome).ok());
  EXPECT_EQ(outcome, RedisInsert::kNew);
  options_.seed = 5;  // callers hash with another seed: that one must be opened
  ASSERT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
  (void)Create("seen", 1000);
  EXPECT_EQ(filter.MayContainHash(1, &maybe).code(), StatusCode::kIncompatible);
  EXPECT_TRUE(maybe);
}

TEST_F(RedisFilterTest, ADamagedRecordCanBeDeletedWithItsShards) {
  (void)Create("seen", 1000);
  std::string record = client_->Text({"GET", "seen"});
  record[record.size() - 2] ^= 1;
  client_->Do({"SET", "seen", record});
  RedisFilter filter;
  EXPECT_EQ(filter.Open(servers_, "seen").code(), StatusCode::kCorrupt);
  EXPECT_TRUE(RedisFilter::Delete(servers_, "seen").ok());
  EXPECT_EQ(client_->Integer({"DBSIZE"}), 0);
}

TEST_F(RedisFilterTest, ExpiresAsAWhole) {
  RedisLayout layout;
  layout.shard_bytes = 64;
  RedisFilter filter = Create("seen", 100, layout);
  ASSERT_TRUE(filter.Expire(5000000).ok());
  const auto ttl = [&](const std::string& key) { return client_->Integer({"PTTL", key}); };
  const auto end = [&](const std::string& key) { return client_->Integer({"PEXPIRETIME", key}); };
  EXPECT_LE(ttl("seen"), 5060000);
  for (const std::string& shard : Shards()) {  // which go just after the filter, and before the record
    EXPECT_GT(ttl(shard), 4000000);
    EXPECT_LE(ttl(shard), 5001000);
    EXPECT_GE(end(shard), end("seen") - 60000);
    EXPECT_LT(end(shard), end("seen"));
  }
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_GT(info.expires_in_ms, 4000000);
  EXPECT_LE(info.expires_in_ms, 5000000);
  ASSERT_TRUE(filter.Expire(0).ok());
  EXPECT_EQ(ttl("seen"), -1);
  for (const std::string& shard : Shards()) EXPECT_EQ(ttl(shard), -1);
  const StatusCode expired = filter.Expire(1).code();
  EXPECT_TRUE(expired == StatusCode::kOk || expired == StatusCode::kNotFound) << "it may be over when it looks again";
  RedisFilter other;
  ASSERT_TRUE(WaitUntil([&] { return other.Open(servers_, "seen").code() == StatusCode::kNotFound; }));
  EXPECT_TRUE(WaitUntil([&] { return Shards().empty(); }));
  bool maybe = false;
  EXPECT_EQ(filter.MayContainHash(1, &maybe).code(), StatusCode::kNotFound);
  EXPECT_TRUE(maybe);
  RedisInsert outcome;
  EXPECT_EQ(filter.InsertHash(1, &outcome).code(), StatusCode::kNotFound);
  EXPECT_EQ(filter.Expire(1).code(), StatusCode::kNotFound);
  // The name is free, and who has the old record comes to the new filter.
  RedisFilter anew = Create("seen", 5000);
  EXPECT_TRUE(anew.InsertHash(1, &outcome).ok());
  EXPECT_TRUE(filter.MayContainHash(1, &maybe).ok());
  EXPECT_TRUE(maybe);
  EXPECT_EQ(filter.generation(), anew.generation());
  EXPECT_EQ(ttl("seen"), -1);
  EXPECT_EQ(RedisFilter().MayContainHash(1, &maybe).code(), StatusCode::kInvalidArgument);
}

TEST_F(RedisFilterTest, ManyShardsAreOneFilter) {
  RedisLayout layout;
  layout.shard_bytes = 64 * 3;
  RedisFilter filter = Create("{tag}seen", 10000, layout);
  EXPECT_EQ(client_->Do({"KEYS", "{tag}seen:*"}).items.size(), (filter.num_blocks() + 2) / 3);
  const std::vector<uint64_t> hashes = RandomHashes(10000, 12);
  InsertAll(&filter, hashes);
  const std::vector<uint8_t> answers = AskAll(&filter, hashes);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 10000);
}

TEST_F(RedisFilterTest, BatchesAreOfAnySize) {
  RedisFilter filter = Create("seen", 100000);
  EXPECT_TRUE(filter.MayContainHashes(nullptr, 0, nullptr).ok());
  EXPECT_TRUE(filter.InsertHashes(nullptr, 0, nullptr).ok());
  const std::vector<uint64_t> hashes = RandomHashes(100000, 13);
  EXPECT_TRUE(filter.InsertHashes(hashes.data(), hashes.size(), nullptr).ok());
  const std::vector<uint8_t> answers = AskAll(&filter, hashes);
  EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 100000);
  const std::vector<uint64_t> same(5000, 42);
  EXPECT_EQ(CountOf(InsertAll(&filter, same), RedisInsert::kNew), 1u);
}

// However full the filter is, whether blocks are read first or not: the same bits, and each key new to one batch.
TEST_F(RedisFilterTest, ReadingFirstIsExact) {
  constexpr uint64_t kKeys = 20000;
  BlockedFilter local;
  ASSERT_TRUE(local.Create(kKeys, options_).ok());
  RedisLayout layout;
  layout.shard_bytes = 10000;
  RedisFilter filter = Create("seen", kKeys, layout);
  std::vector<uint64_t> hashes = RandomHashes(2 * kKeys, 17);
  Random random(18);
  for (size_t i = kKeys; i < 2 * kKeys; ++i) {
    if (random() % 2 == 0) hashes[i] = hashes[random() % i];  // again, often in the same batch
  }
  for (size_t begin = 0, n = 70; begin < hashes.size(); begin += n, n += n / 4) {
    n = std::min(n, hashes.size() - begin);
    std::vector<uint8_t> were_new(n);
    const uint64_t num_new = local.InsertHashes(hashes.data() + begin, n, were_new.data());
    const std::vector<RedisInsert> outcomes = InsertAll(
        &filter, {hashes.begin() + static_cast<ptrdiff_t>(begin), hashes.begin() + static_cast<ptrdiff_t>(begin + n)});
    EXPECT_EQ(CountOf(outcomes, RedisInsert::kNew), num_new);
    for (size_t i = 0; i < n; ++i) ASSERT_EQ(outcomes[i] == RedisInsert::kNew, were_new[i] != 0) << begin + i;
  }
  EXPECT_TRUE(Body() ==
              std::string(reinterpret_cast<const char*>(local.body()), static_cast<size_t>(local.body_bytes())));
  const int64_t before = NumBitfields();
  InsertAll(&filter, hashes);
  EXPECT_EQ(NumBitfields(), before) << "what is set is not written again";
  servers_.wait_replicas = 1;  // but where a replica may lack what others wrote
  servers_.wait_ms = 1;
  RedisFilter waits = Open("seen");
  std::vector<RedisInsert> outcomes(100);
  const Status status = waits.InsertHashes(hashes.data(), 100, outcomes.data());
  EXPECT_EQ(status.code(), StatusCode::kUnavailable) << status.message();
  EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), 100u);
  EXPECT_GT(NumBitfields(), before);
}

// Some keys fail for another reason: no replica has the rest, either.
TEST_F(RedisFilterTest, WhatNoReplicaHasIsNotAcknowledgedBesideALostShard) {
  RedisLayout layout;
  layout.shard_bytes = 64 * 4;
  (void)Create("seen", 1000, layout);
  servers_.wait_replicas = 1;
  servers_.wait_ms = 1;
  RedisFilter filter = Open("seen");
  client_->Do({"DEL", Shards().at(1)});
  const std::vector<uint64_t> hashes = RandomHashes(1000, 24);
  for (int i = 0; i < 2; ++i) {  // the second time it is known that a shard is lost, and the bits of the rest are set
    const int64_t before = NumBitfields();
    std::vector<RedisInsert> outcomes(hashes.size());
    EXPECT_FALSE(filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).ok());
    EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), hashes.size());
    EXPECT_GT(NumBitfields(), before);
  }
}

TEST_F(RedisFilterTest, ALostShardIsNotWrittenAgainAndAgain) {
  for (const bool seen : {false, true}) {
    client_->Do({"FLUSHALL"});
    RedisFilter filter = Create("seen", 1000);
    RedisInsert outcome;
    if (seen) {
      EXPECT_TRUE(filter.InsertHash(1, &outcome).ok());
    }
    client_->Do({"DEL", Shards().at(0)});
    const int64_t before = NumBitfields();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(filter.InsertHash(1, &outcome).code(), StatusCode::kCorrupt);
    EXPECT_EQ(NumBitfields(), before + (seen ? 1 : 0));
    EXPECT_EQ(client_->Do({"KEYS", "{*"}).items.size(), 0u);
  }
}

// Who does not touch it has no look more.
TEST_F(RedisFilterTest, ALostShardSlowsNobodyInOthers) {
  RedisLayout layout;
  layout.shard_bytes = 64 * 4;
  RedisFilter filter = Create("seen", 1000, layout);
  const std::vector<uint64_t> hashes = RandomHashes(1000, 25);
  InsertAll(&filter, hashes);
  const std::string lost = Shards().at(1);
  client_->Do({"DEL", lost});
  RedisInsert outcome;
  const auto num_looks = [&](uint64_t hash, StatusCode code) {
    const int64_t before = NumCalls("getrange");
    EXPECT_EQ(filter.InsertHash(hash, &outcome).code(), code);
    return NumCalls("getrange") - before;
  };
  const auto one_of = [&](bool is_lost) {
    return *std::find_if(hashes.begin(), hashes.end(),
                         [&](uint64_t hash) { return (BlockIndex(hash, filter.num_blocks()) / 4 == 1) == is_lost; });
  };
  for (int i = 0; i < 3; ++i) {
    num_looks(one_of(true), StatusCode::kCorrupt);
    EXPECT_EQ(num_looks(one_of(false), StatusCode::kOk), 2) << "mark and record";
  }
  EXPECT_EQ(client_->Integer({"EXISTS", lost}), 0);
}

// Something else has the place of a shard, or of its look, for a while: so errors are of that shard alone.
TEST_F(RedisFilterTest, AShardThatCannotBeAskedFailsItsOwnKeysAlone) {
  RedisLayout layout;
  layout.shard_bytes = 64 * 4;
  BlockedFilter local;
  ASSERT_TRUE(local.Create(1000, options_).ok());
  RedisFilter filter = Create("seen", 1000, layout), fresh = Open("seen");
  const std::vector<uint64_t> hashes = RandomHashes(600, 26);
  InsertAll(&filter, hashes);  // it reads first from now on
  const auto insert_all = [&](uint64_t hash) {
    uint8_t was_new = 0;
    local.InsertHashes(&hash, 1, &was_new);
    return was_new != 0 ? RedisInsert::kNew : RedisInsert::kKnown;
  };
  for (const uint64_t hash : hashes) insert_all(hash);
  InsertAll(&filter, hashes);
  const std::string shard = Shards().at(1);
  client_->Do({"RENAME", shard, "kept"});
  client_->Do({"RPUSH", shard, "x"});
  const auto is_there = [&](uint64_t hash) { return BlockIndex(hash, local.num_blocks()) / 4 != 1; };
  std::vector<uint64_t> all = hashes;
  for (RedisFilter* each : {&filter, &fresh}) {
    const std::vector<uint64_t> more = RandomHashes(200, 27 + all.size());
    all.insert(all.end(), more.begin(), more.end());
    std::vector<RedisInsert> outcomes(all.size());
    EXPECT_FALSE(each->InsertHashes(all.data(), all.size(), outcomes.data()).ok());
    for (size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(outcomes[i], is_there(all[i]) ? insert_all(all[i]) : RedisInsert::kFailed) << i;
    }
    std::vector<uint8_t> answers(all.size());
    EXPECT_FALSE(each->MayContainHashes(all.data(), all.size(), answers.data()).ok());
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), static_cast<ptrdiff_t>(all.size()));
  }
  client_->Do({"DEL", shard});
  client_->Do({"RENAME", "kept", shard});
  std::vector<RedisInsert> outcomes = InsertAll(&fresh, all);
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(outcomes[i], insert_all(all[i])) << i;
}

TEST_F(RedisFilterTest, InfoTellsParametersAndFill) {
  constexpr uint64_t kKeys = 400000;  // 500 KB: all of it; 5 MB: a sample
  for (const uint64_t made_for : {kKeys, 10 * kKeys}) {
    client_->Do({"FLUSHALL"});
    options_.seed = 3;
    RedisLayout layout;
    layout.shard_bytes = 100000;
    RedisFilter filter = Create("seen", made_for, layout);
    BlockedFilter local;
    ASSERT_TRUE(local.Create(made_for, options_).ok());
    const std::vector<uint64_t> hashes = RandomHashes(kKeys / 10, 14);
    local.InsertHashes(hashes.data(), hashes.size());
    InsertAll(&filter, hashes);
    RedisInfo info;
    const Status status = filter.Info(&info);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(info.layout, Layout::kBlocked);
    EXPECT_EQ(info.seed, 3u);
    EXPECT_EQ(info.num_probes, local.num_probes());
    EXPECT_EQ(info.num_blocks, local.num_blocks());
    EXPECT_EQ(info.body_bytes, local.body_bytes());
    EXPECT_EQ(info.num_keys, made_for);
    EXPECT_EQ(info.shard_bytes, 100032u);
    EXPECT_EQ(info.num_shards, (local.body_bytes() + 100031) / 100032);
    EXPECT_EQ(info.generation, filter.generation());
    EXPECT_EQ(info.version, 1u);
    EXPECT_EQ(info.expires_in_ms, -1);
    EXPECT_EQ(info.num_masters, 1u);
    EXPECT_FALSE(info.cluster);
    EXPECT_EQ(info.num_lost_shards, 0u);
    EXPECT_LE(info.sampled_bytes, uint64_t{1} << 20);
    EXPECT_NEAR(info.fill_ratio, local.FillRatio(), local.FillRatio() * 0.05);
    EXPECT_NEAR(info.estimated_keys, local.EstimatedKeys(), local.EstimatedKeys() * 0.05);
    EXPECT_NEAR(info.expected_fpr, local.ExpectedFpr(), local.ExpectedFpr() * 0.5);

    client_->Do({"DEL", Shards().at(2)});
    ASSERT_TRUE(filter.Info(&info).ok());
    EXPECT_EQ(info.num_lost_shards, 1u);
    EXPECT_EQ(info.expected_fpr, 1);
  }
}

TEST_F(RedisFilterTest, InfoSeesAllOfASmallFilter) {
  RedisLayout layout;
  layout.shard_bytes = 64;
  RedisFilter filter = Create("seen", 3000, layout);
  client_->Do({"DEL", Shards().at(3), Shards().at(30)});
  RedisInfo info;
  ASSERT_TRUE(filter.Info(&info).ok());
  EXPECT_EQ(info.num_lost_shards, 2u);
  EXPECT_EQ(info.sampled_bytes, filter.body_bytes() - 128);
}

TEST_F(RedisFilterTest, WhatIsNotOpenSaysMaybeAndWhy) {
  RedisFilter made = Create("seen", 100), filter;
  filter = std::move(made);
  EXPECT_EQ(filter.name(), "seen");
  for (RedisFilter* closed : {&made}) {
    EXPECT_FALSE(closed->is_open());
    EXPECT_EQ(closed->layout(), Layout::kAuto);
    EXPECT_EQ(closed->name(), "");
    EXPECT_EQ(closed->generation(), 0u);
    bool maybe = false;
    EXPECT_EQ(closed->MayContainKey("alice", &maybe).code(), StatusCode::kInvalidArgument);
    EXPECT_TRUE(maybe);
    RedisInsert outcome = RedisInsert::kNew;
    EXPECT_EQ(closed->InsertKey("alice", &outcome).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(outcome, RedisInsert::kFailed);
    RedisInfo info;
    EXPECT_EQ(closed->Info(&info).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(closed->Expire(1).code(), StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(filter.Open(servers_, "nothing").code(), StatusCode::kNotFound);
  EXPECT_EQ(filter.name(), "seen") << "what was open stays open when another one cannot be opened";
}

TEST_F(RedisFilterTest, AServerThatStopsIsUnavailableAndNothingIsAbsent) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  servers_.addresses = server.address();
  servers_.patience_ms = 200;  // it is refused, which needs no time-out
  RedisFilter filter = Create("seen", 1000);
  server.Kill();
  const std::vector<uint64_t> hashes = RandomHashes(10000, 15);
  std::vector<uint8_t> answers(hashes.size(), 0);
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kUnavailable);
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
  std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
  EXPECT_EQ(filter.InsertHashes(hashes.data(), hashes.size(), outcomes.data()).code(), StatusCode::kUnavailable);
  EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), hashes.size());
  // It comes back with nothing.
  ASSERT_TRUE(server.Restart()) << server.why();
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()).code(), StatusCode::kNotFound);
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
}

TEST_F(RedisFilterTest, AFullServerSaysSo) {
  RedisServerOptions full;
  full.max_memory = 4 << 20;
  RedisServer server(full);
  ASSERT_TRUE(server.ok()) << server.why();
  servers_.addresses = server.address();
  RedisFilter filter;
  const Status status = filter.Create(servers_, "seen", 50000000, options_);
  EXPECT_EQ(status.code(), StatusCode::kOverLimit) << status.message();
  EXPECT_FALSE(filter.is_open());
}

// While shards are made they have a time to live, by which volatile-* chooses; nothing is damaged, there is no room.
TEST_F(RedisFilterTest, AServerThatEvictsWhatIsBeingMadeIsFull) {
  RedisServerOptions evicts;
  evicts.max_memory = 8 << 20;
  evicts.max_memory_policy = "volatile-lru";
  RedisServer server(evicts);
  ASSERT_TRUE(server.ok()) << server.why();
  servers_.addresses = server.address();
  RedisLayout layout;
  layout.shard_bytes = 1 << 18;
  RedisFilter filter, next = Create("small", 1000);
  const std::string image = ImageOf(10000000, options_, {});
  for (const Status& status : {filter.Create(servers_, "seen", 10000000, options_, layout),
                               filter.CreateFromImage(servers_, "seen", image.data(), image.size(), nullptr, layout),
                               next.BeginGeneration(10000000, options_, layout)}) {
    EXPECT_EQ(status.code(), StatusCode::kOverLimit) << status.message();
    EXPECT_NE(std::string(status.message()).find("while it was made (evicted?)"), std::string::npos)
        << status.message();
  }
  EXPECT_EQ(RedisClient(server.address()).Do({"KEYS", "*seen*"}).items.size(), 0u);
}

// An eviction policy takes whole shards: their loss is told.
TEST_F(RedisFilterTest, AnEvictedShardIsAnError) {
  RedisServerOptions evicts;
  evicts.max_memory = 8 << 20;
  evicts.max_memory_policy = "allkeys-random";
  RedisServer server(evicts);
  ASSERT_TRUE(server.ok()) << server.why();
  servers_.addresses = server.address();
  RedisLayout layout;
  layout.shard_bytes = 1 << 18;
  RedisFilter filter = Create("seen", 1000000, layout);
  const std::vector<uint64_t> hashes = RandomHashes(20000, 16);
  InsertAll(&filter, hashes);
  RedisClient client(server.address());
  const std::string padding(1 << 20, 'x');
  ASSERT_TRUE(WaitUntil([&] {
    for (int i = 0; i < 12; ++i) client.Ask({"SET", "padding" + std::to_string(i), padding});
    return client.Do({"KEYS", "{seen*"}).items.size() < 5;
  }));
  std::vector<uint8_t> answers(hashes.size(), 0);
  const Status status = filter.MayContainHashes(hashes.data(), hashes.size(), answers.data());
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
}

}  // namespace
}  // namespace linefilter::test
