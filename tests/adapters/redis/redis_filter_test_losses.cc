// What is lost is never empty: where a shard is lost, or a server stops, is full or evicts, there is an error, "maybe",
// and a failed insertion. Keys in other shards are served as before.
#include "tests/adapters/redis/redis_filter_test.h"

namespace linefilter::test {

TEST_P(RedisLayoutTest, ALostShardIsNeverEmpty) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 4);
  for (const std::string& how : std::vector<std::string>{"DEL", "FLUSHALL", "one by another writer", "cut"}) {
    client_->Do({"FLUSHALL"});
    options_ = GetParam();
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
    EXPECT_TRUE(Says(StatusCode::kCorrupt, filter.MayContainHashes(hashes.data(), hashes.size(), answers.data()),
                     "shard 0 of filter seen"))
        << how;
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 1000) << how;

    std::vector<RedisInsert> outcomes(hashes.size(), RedisInsert::kNew);
    EXPECT_TRUE(Says(StatusCode::kCorrupt, writer.InsertHashes(hashes.data(), hashes.size(), outcomes.data()))) << how;
    EXPECT_EQ(CountOf(outcomes, RedisInsert::kFailed), hashes.size()) << how;
    EXPECT_EQ(client_->Integer({"EXISTS", shard}), 0) << "no junk stays";
    EXPECT_EQ(client_->Text({"GET", "seen"}), record);

    bool maybe = false;
    EXPECT_EQ(filter.MayContainHash(1, &maybe).code(), StatusCode::kCorrupt);
    EXPECT_TRUE(maybe);
  }
}

TEST_F(RedisFilterTest, AnswersAndInsertionsInOtherShardsCountWhereOneIsLost) {
  RedisFilter filter = Create("seen", 1000, {64 * 4});
  const std::vector<uint64_t> hashes = RandomHashes(1000, 5);
  InsertAll(&filter, hashes);
  const std::string lost = Shards().at(1);
  client_->Do({"DEL", lost});
  const auto is_lost = [&](uint64_t hash) { return BlockIndex(hash, filter.num_blocks()) / 4 == 1; };

  const std::vector<uint64_t> asked = RandomHashes(1000, 6);
  std::vector<uint8_t> answers(asked.size()), answered(asked.size(), 7);
  EXPECT_EQ(filter.MayContainHashes(asked.data(), asked.size(), answers.data(), answered.data()).code(),
            StatusCode::kCorrupt);
  size_t absent = 0;
  for (size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(answered[i], !is_lost(asked[i])) << i;
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
  client_->Do({"SET", "seen", redis_internal::FormatHeader(HeaderOfTwoStages(64 * 10))});
  for (const char* shard : {"{seen:0000000000000def:0}", "{seen:0000000000000def:1}"}) {  // not that of the first stage
    client_->Do({"SET", shard, std::string(640, '\0') + redis_internal::MarkOf(1)});
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

// Some keys fail for another reason: no replica has the rest, either.
TEST_F(RedisFilterTest, WhatNoReplicaHasIsNotAcknowledgedBesideALostShard) {
  (void)Create("seen", 1000, {64 * 4});
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

// A call that does not touch the lost shard needs no further look.
TEST_F(RedisFilterTest, ALostShardSlowsNobodyInOthers) {
  RedisFilter filter = Create("seen", 1000, {64 * 4});
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
  BlockedFilter local = Created<BlockedFilter>(1000, options_);
  RedisFilter filter = Create("seen", 1000, {64 * 4}), fresh = Open("seen");
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

TEST_F(RedisFilterTest, AServerThatStopsIsUnavailableAndNothingIsAbsent) {
  RedisServer server;
  ASSERT_TRUE(server.ok()) << server.why();
  servers_.addresses = server.address();
  test::SetPatience(200, &servers_);  // it is refused, which needs no time-out
  RedisFilter filter = Create("seen", 1000);
  server.Kill();
  const std::vector<uint64_t> hashes = RandomHashes(10000, 15);
  std::vector<uint8_t> answers(hashes.size(), 0), answered(hashes.size(), 1);
  EXPECT_EQ(filter.MayContainHashes(hashes.data(), hashes.size(), answers.data(), answered.data()).code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(static_cast<size_t>(std::count(answers.begin(), answers.end(), 1)), hashes.size());
  EXPECT_EQ(static_cast<size_t>(std::count(answered.begin(), answered.end(), 0)), hashes.size());
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
  EXPECT_TRUE(Says(StatusCode::kOverLimit, filter.Create(servers_, "seen", 50000000, options_)));
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
  const RedisLayout layout = {1 << 18};
  RedisFilter filter, next = Create("small", 1000);
  const std::string image = ImageOf(10000000, options_, {});
  for (const Status& status : {filter.Create(servers_, "seen", 10000000, options_, layout),
                               filter.CreateFromImage(servers_, "seen", image.data(), image.size(), nullptr, layout),
                               next.BeginGeneration(10000000, options_, layout)}) {
    EXPECT_TRUE(Says(StatusCode::kOverLimit, status, "while it was made (evicted?)"));
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
  RedisFilter filter = Create("seen", 1000000, {1 << 18});
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

}  // namespace linefilter::test
