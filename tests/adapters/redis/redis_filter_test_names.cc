// A name has one filter, from Create to Delete or its expiry, which tells what it is. Who asks for it with another
// secret or seed, or asks what is not open, is refused. What is somebody else's, broken or from the future stays.
#include <atomic>
#include <thread>
#include <utility>

#include "tests/adapters/redis/redis_filter_test.h"

namespace linefilter::test {

TEST_F(RedisFilterTest, NamesAreTakenOnce) {
  RedisFilter filter = Create("seen", 100), again;
  EXPECT_TRUE(Says(StatusCode::kIncompatible, again.Create(servers_, "seen", 100, options_), "seen is taken"));
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
TEST_F(RedisFilterTest, IsReservedByOneOfMany) {
  constexpr size_t kPrograms = 8;
  std::atomic<size_t> num_new{0};
  std::vector<std::thread> programs;
  for (size_t i = 0; i < kPrograms; ++i) {
    programs.emplace_back([&] {
      RedisFilter filter;
      bool is_new = false;
      EXPECT_TRUE(IsOk(filter.Reserve(servers_, "seen", 1000, options_, {}, &is_new)));
      EXPECT_TRUE(IsOk(filter.InsertKey("alice", nullptr)));
      num_new += is_new;
    });
  }
  for (std::thread& program : programs) program.join();
  EXPECT_EQ(num_new, 1u);
  RedisFilter filter;
  bool is_new = true;
  EXPECT_TRUE(IsOk(filter.Reserve(servers_, "seen", 777777, BitsPerKey(20, Layout::kClassic), {}, &is_new)));
  EXPECT_FALSE(is_new);
  EXPECT_EQ(filter.layout(), Layout::kBlocked) << "what is there stays as it is";
  FilterOptions other = options_;
  other.seed = 5;
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Reserve(servers_, "seen", 1000, other), "another seed"));
  EXPECT_EQ(filter.seed(), 0u) << "what was open stays open";
  client_->Do({"SET", "taken", "somebody's"});
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Reserve(servers_, "taken", 1000, options_), "something else"));
  EXPECT_EQ(filter.Reserve(servers_, "bad\n", 1000, options_).code(), StatusCode::kInvalidArgument);
}

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
  EXPECT_TRUE(IsOk(filter.Create(servers_, "seen", 100, options_)));
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
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Create(servers_, "seen", uint64_t{1} << 30, no_rate),
                   "the same 64-bit hash"));
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

TEST_F(RedisFilterTest, TheHashOfParquetIsThatOfTheFilterAndHasNoSeed) {
  RedisFilter filter;
  options_.hash_id = HashId::kParquet;
  options_.seed = 5;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Create(servers_, "columns", 100, options_), "leave seed 0"));
  options_.seed = 0;
  (void)Create("columns", 100);
  RedisFilter opened = Open("columns");
  EXPECT_EQ(opened.hash_id(), HashId::kParquet);
  RedisInsert outcome;
  ASSERT_TRUE(opened.InsertKey(42, &outcome).ok());
  bool maybe = false;
  ASSERT_TRUE(opened.MayContainHash(ParquetHash(42), &maybe).ok());
  EXPECT_TRUE(maybe);
  ASSERT_TRUE(opened.MayContainHash(HashKey(42), &maybe).ok());
  EXPECT_FALSE(maybe);
}

TEST_F(RedisFilterTest, ADeletedFilterIsNotFoundAndANewOneOfItsNameIsFoundByItself) {
  RedisFilter filter = Create("seen", 1000);
  const std::vector<uint64_t> hashes = RandomHashes(1000, 11);
  InsertAll(&filter, hashes);
  ASSERT_TRUE(IsOk(RedisFilter::Delete(servers_, "seen")));
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
  RedisFilter filter = Create("seen", 100, {64});
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

TEST_F(RedisFilterTest, InfoTellsParametersAndFill) {
  constexpr uint64_t kKeys = 400000;  // 500 KB: all of it; 5 MB: a sample
  for (const uint64_t made_for : {kKeys, 10 * kKeys}) {
    client_->Do({"FLUSHALL"});
    options_.seed = 3;
    RedisFilter filter = Create("seen", made_for, {100000});
    BlockedFilter local = Created<BlockedFilter>(made_for, options_);
    const std::vector<uint64_t> hashes = RandomHashes(kKeys / 10, 14);
    local.InsertHashes(hashes.data(), hashes.size());
    InsertAll(&filter, hashes);
    RedisInfo info;
    ASSERT_TRUE(IsOk(filter.Info(&info)));
    EXPECT_EQ(info.layout, Layout::kBlocked);
    EXPECT_EQ(info.seed, 3u);
    EXPECT_EQ(info.num_probes, local.num_probes());
    EXPECT_EQ(info.num_blocks, local.num_blocks());
    EXPECT_EQ(info.body_bytes, local.body_bytes());
    EXPECT_EQ(info.capacity, made_for);
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
    EXPECT_NEAR(info.approximate_size.keys, local.ApproximateSize().keys, local.ApproximateSize().keys * 0.05);
    EXPECT_GE(info.approximate_size.error, local.ApproximateSize().error * 0.99) << "more, where it is a sample";
    EXPECT_NEAR(info.approximate_size.keys, local.ApproximateSize().keys, 5 * info.approximate_size.error);
    EXPECT_EQ(info.OverCapacity(), local.OverCapacity());
    EXPECT_NEAR(static_cast<double>(info.RoomFor(0.5)), static_cast<double>(local.RoomFor(0.5)),
                0.05 * static_cast<double>(local.RoomFor(0.5)) + 5 * info.approximate_size.error);
    EXPECT_EQ(info.RoomFor(0), 0u);
    EXPECT_NEAR(info.expected_fpr, local.ExpectedFpr(), local.ExpectedFpr() * 0.5);

    client_->Do({"DEL", Shards().at(2)});
    ASSERT_TRUE(filter.Info(&info).ok());
    EXPECT_EQ(info.num_lost_shards, 1u);
    EXPECT_EQ(info.expected_fpr, 1);
  }
}

TEST_F(RedisFilterTest, InfoSeesAllOfASmallFilter) {
  RedisFilter filter = Create("seen", 3000, {64});
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

}  // namespace linefilter::test
