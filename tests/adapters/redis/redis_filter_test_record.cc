// A record that changes, or comes back as it was, is read again, and in the middle of a switch of generations no key is
// lost and each new one is told.
#include <cstdio>

#include "tests/adapters/redis/redis_filter_test.h"

namespace linefilter::test {
namespace {

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
    const uint64_t bytes = redis_internal::ShardsOf("seen", header_, generation).BytesOfShard(shard);
    client_->Do({"SETRANGE", ShardOf(generation, shard), std::to_string(bytes), redis_internal::MarkOf(version)});
  }
  // A client that has seen all shards writes without a look first.
  void SeeAll(RedisFilter* filter) { InsertAll(filter, RandomHashes(50, 25)); }
  RedisInsert InsertOne(RedisFilter* filter, uint64_t hash) {
    RedisInsert outcome = RedisInsert::kFailed;
    EXPECT_TRUE(IsOk(filter->InsertHash(hash, &outcome)));
    return outcome;
  }
  bool Maybe(RedisFilter* filter, uint64_t hash) {
    bool maybe = true;
    EXPECT_TRUE(IsOk(filter->MayContainHash(hash, &maybe)));
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

// The next generation is only being filled, so neither its presence nor its absence says anything about a key.
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

}  // namespace
}  // namespace linefilter::test
