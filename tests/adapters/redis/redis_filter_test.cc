// A filter in Redis is the filter of its layout: the same bits as a local one, the same answers, in batches of any
// size; and each new key is told to one writer.
#include "tests/adapters/redis/redis_filter_test.h"

#include <atomic>
#include <numeric>
#include <thread>
#include <utility>

namespace linefilter::test {
namespace {

std::unique_ptr<Filter> LocalFilter(uint64_t num_keys, const FilterOptions& options) {
  auto filter = std::make_unique<Filter>();
  EXPECT_TRUE(IsOk(filter->Create(num_keys, options)));
  return filter;
}

INSTANTIATE_TEST_SUITE_P(Layouts, RedisLayoutTest,
                         testing::Values(RedisOptions(10, Layout::kBlocked), RedisOptions(10, Layout::kClassic),
                                         RedisOptions(10, Layout::kSplitBlock), RedisOptions(10, Layout::kQuotient),
                                         Removable(10)),
                         [](const testing::TestParamInfo<FilterOptions>& options) {
                           return std::string(options.param.removable ? "removable_" : "") +
                                  LayoutName(options.param.layout);
                         });

// Bit by bit, answer by answer, and "certainly new" in the same order.
TEST_P(RedisLayoutTest, IsTheLocalFilterOfItsLayout) {
  constexpr uint64_t kKeys = 2000;
  for (const double density : {6.0, 16.0, 40.0}) {
    client_->Do({"FLUSHALL"});
    options_ = GetParam();
    options_.bits_per_key = density;
    options_.foldable = density == 6.0 && FactsOf(options_.layout).folds;
    const std::unique_ptr<Filter> local = LocalFilter(kKeys, options_);
    RedisLayout layout;
    if (options_.layout != Layout::kClassic) layout.shard_bytes = 64 * 5;
    RedisFilter filter = Create("seen", kKeys, layout);
    EXPECT_EQ(filter.layout(), options_.layout);
    EXPECT_EQ(filter.num_probes(), local->num_probes());
    EXPECT_EQ(filter.body_bytes(), local->body_bytes());
    EXPECT_EQ(filter.num_blocks(), local->num_blocks());

    std::vector<uint64_t> hashes = RandomHashes(kKeys, 1);
    hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 300);  // known by then; a multiset has them twice
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

// Many times the same, one by one.
TEST_P(RedisLayoutTest, SingleCallsAreBatchesOfOne) {
  options_ = GetParam();
  const std::unique_ptr<Filter> local = LocalFilter(20, options_);
  RedisFilter filter = Create("seen", 20);
  for (int round = 0; round < 20; ++round) {
    for (const char* key : {"alice", "bob", ""}) {
      RedisInsert outcome;
      ASSERT_TRUE(IsOk(filter.InsertKey(key, &outcome)));
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

// Several writers insert the same keys at the same time, and exactly one of them is told that a key is new.
TEST_P(RedisLayoutTest, SeveralWritersAreToldNewExactlyOnce) {
  constexpr size_t kKeys = 5000, kWriters = 4;
  options_ = GetParam();
  options_.bits_per_key = 64;  // hardly a false positive among them
  RedisLayout layout;
  if (options_.layout != Layout::kClassic) layout.shard_bytes = 8192;
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

TEST_F(RedisFilterTest, AContainerIsAskedInAllStagesAndTakesKeysInTheNewest) {
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
  WriteTwoStages(body);

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

TEST_F(RedisFilterTest, ManyShardsAreOneFilter) {
  RedisFilter filter = Create("{tag}seen", 10000, {64 * 3});
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
  BlockedFilter local = Created<BlockedFilter>(kKeys, options_);
  RedisFilter filter = Create("seen", kKeys, {10000});
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
  EXPECT_TRUE(Says(StatusCode::kUnavailable, waits.InsertHashes(hashes.data(), 100, outcomes.data())));
  EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), 100u);
  EXPECT_GT(NumBitfields(), before);
}

}  // namespace
}  // namespace linefilter::test
