// A copy that follows a filter in Redis answers as the filter did at most T ago, and what it inserted itself at once.
// Whatever happens to the stream, the filter or the server, no key that was acknowledged earlier is "absent".
#include "tests/adapters/redis/redis_cached_test.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace linefilter::test {
namespace {

class RedisCachedFilterTest : public RedisCachedTest {
 protected:
  // The copy as it is now is the filter as it is now.
  void ExpectSame(const RedisCachedFilter& cached, RedisFilter* filter) {
    const std::vector<uint64_t> asked = RandomHashes(20000, 99);
    std::vector<uint8_t> here(asked.size()), there(asked.size());
    cached.MayContainHashes(asked.data(), asked.size(), here.data());
    EXPECT_TRUE(IsOk(filter->MayContainHashes(asked.data(), asked.size(), there.data())));
    EXPECT_TRUE(here == there);
    EXPECT_LT(std::count(here.begin(), here.end(), 1), 5000) << "nearly all is \"maybe\"";
  }
};

TEST_F(RedisCachedFilterTest, HasWhatWasInsertedByRefreshesOfSomeBytes) {
  for (const Layout layout : {Layout::kBlocked, Layout::kSplitBlock}) {
    client_->Do({"FLUSHALL"});
    options_ = BitsPerKey(10, layout);
    constexpr size_t kKeys = 200000;
    RedisFilter filter = Create("seen", kKeys, layout_);
    const std::vector<uint64_t> before = RandomHashes(1000, 1), after = RandomHashes(10000, 2);
    Insert(&filter, before);
    RedisCachedFilter cached;
    OpenCached(&cached);
    EXPECT_EQ(NumMaybes(cached, before), before.size());
    EXPECT_LT(NumMaybes(cached, after), after.size() / 10);
    const uint64_t downloaded = cached.Info().num_bytes;
    EXPECT_GT(downloaded, kKeys);

    Insert(&filter, Part(after, 0, 9000));
    for (size_t i = 9000; i < after.size(); ++i) EXPECT_TRUE(IsOk(filter.InsertHash(after[i], nullptr)));
    EXPECT_LT(NumMaybes(cached, after), after.size() / 10) << "nobody has told it yet";
    EXPECT_TRUE(IsOk(cached.Refresh()));
    EXPECT_EQ(NumMaybes(cached, after), after.size());
    EXPECT_LT(cached.Info().num_bytes, downloaded + 8 * after.size() + 20000) << "8 bytes for each, some for each call";
    EXPECT_EQ(cached.Info().num_downloads, 1u);
    EXPECT_EQ(cached.Info().num_failures, 0u);
    ExpectSame(cached, &filter);
  }
}

TEST_F(RedisCachedFilterTest, HasItsOwnInsertionsAtOnceAndOthersGetThem) {
  (void)Create("seen", 10000, layout_);
  RedisCachedFilter one, other;
  OpenCached(&one);
  OpenCached(&other);
  RedisInsert outcome = RedisInsert::kFailed;
  EXPECT_FALSE(one.MayContainKey("alice"));
  EXPECT_TRUE(IsOk(one.InsertKey("alice", &outcome)));
  EXPECT_EQ(outcome, RedisInsert::kNew);
  EXPECT_TRUE(one.MayContainKey("alice"));
  EXPECT_FALSE(other.MayContainKey("alice"));
  const std::vector<uint64_t> hashes = RandomHashes(5000, 3);
  EXPECT_TRUE(IsOk(one.InsertHashes(hashes.data(), hashes.size(), nullptr)));
  EXPECT_EQ(NumMaybes(one, hashes), hashes.size());
  EXPECT_TRUE(IsOk(other.Refresh()));
  EXPECT_TRUE(other.MayContainKey("alice"));
  EXPECT_EQ(NumMaybes(other, hashes), hashes.size());
  EXPECT_TRUE(IsOk(other.InsertKey("alice", &outcome)));
  EXPECT_EQ(outcome, RedisInsert::kKnown);
}

// Whoever comes later than the stream reaches back downloads the filter.
TEST_F(RedisCachedFilterTest, DownloadsTheFilterWhereTheStreamWasCut) {
  layout_.followed_keys = 1000;
  RedisFilter filter = Create("seen", 100000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached);
  const std::vector<uint64_t> hashes = RandomHashes(40000, 4);
  for (size_t begin = 0; begin < hashes.size(); begin += 100) Insert(&filter, Part(hashes, begin, 100));
  EXPECT_LT(client_->Do({"XLEN", "{seen}:stream"}).integer, 300) << "the stream grows";
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(cached.Info().num_downloads, 2u);
  EXPECT_EQ(NumMaybes(cached, hashes), hashes.size());
  ExpectSame(cached, &filter);
}

TEST_F(RedisCachedFilterTest, LosesNothingWithTheStream) {
  RedisFilter filter = Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached);
  const std::vector<uint64_t> hashes = RandomHashes(600, 5);
  Insert(&filter, Part(hashes, 0, 200));
  client_->Do({"UNLINK", "{seen}:stream"});
  Insert(&filter, Part(hashes, 200, 200));
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, Part(hashes, 0, 400)), 400u);
  EXPECT_EQ(cached.Info().num_downloads, 2u);

  // Made anew meanwhile, by another follower, with an entry of the same id.
  const std::string id = client_->Do({"XREVRANGE", "{seen}:stream", "+", "-", "COUNT", "1"}).items[0].items[0].text;
  Insert(&filter, Part(hashes, 400, 200));
  client_->Do({"UNLINK", "{seen}:stream"});
  client_->Do({"XADD", "{seen}:stream", id, "h", "12345678"});
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, hashes), hashes.size());
  EXPECT_EQ(cached.Info().num_downloads, 3u);
  client_->Do({"XADD", "{seen}:stream", "*", "h", "no hash"});
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(cached.Info().num_downloads, 4u) << "what makes no sense is not followed";
  client_->Do({"UNLINK", "{seen}:stream"});
  client_->Do({"SET", "{seen}:stream", "somebody's"});
  RedisInsert outcome = RedisInsert::kNew;
  EXPECT_FALSE(filter.InsertHash(1, &outcome).ok()) << "those who follow would not hear of it";
  EXPECT_EQ(outcome, RedisInsert::kFailed);
  EXPECT_FALSE(cached.Refresh().ok());
}

TEST_F(RedisCachedFilterTest, TakesImagesAndGenerations) {
  RedisFilter filter = Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached);
  const std::vector<uint64_t> loaded = RandomHashes(3000, 6), inserted = RandomHashes(500, 7);
  const std::string image = ImageOf(10000, options_, loaded);
  EXPECT_TRUE(IsOk(filter.Load(image.data(), image.size())));
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, loaded), loaded.size()) << "they are in no stream";

  EXPECT_TRUE(IsOk(filter.BeginGeneration(20000, options_)));
  Insert(&filter, inserted);
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, inserted), inserted.size());
  EXPECT_EQ(cached.Info().num_downloads, 2u);
  EXPECT_TRUE(IsOk(filter.SwitchGeneration()));
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_EQ(NumMaybes(cached, inserted), inserted.size());
  EXPECT_LT(NumMaybes(cached, loaded), loaded.size() / 10) << "they went with the old generation";
  ExpectSame(cached, &filter);
}

TEST_F(RedisCachedFilterTest, IsMaybeWhereItCannotBeKeptYoung) {
  constexpr uint32_t kWithinMs = 300;
  RedisFilter filter = Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached, kWithinMs);
  const uint64_t absent = RandomHashes(1, 8)[0];
  EXPECT_TRUE(WaitUntil([&] { return !cached.MayContainHash(absent); }));
  server_->Pause();
  EXPECT_TRUE(WaitUntil([&] { return cached.MayContainHash(absent); }));
  EXPECT_GT(cached.Info().age_ms, int64_t{kWithinMs} - 50);
  EXPECT_TRUE(WaitUntil([&] { return cached.status().code() == StatusCode::kUnavailable; }));
  server_->Resume();
  EXPECT_TRUE(WaitUntil([&] { return !cached.MayContainHash(absent); })) << cached.status().message();
  EXPECT_GE(cached.Info().num_refreshes, 2u);
}

TEST_F(RedisCachedFilterTest, ForgetsAFilterThatIsGone) {
  (void)Create("seen", 10000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached);
  EXPECT_TRUE(IsOk(cached.InsertKey("alice", nullptr)));
  EXPECT_FALSE(cached.MayContainKey("bob"));
  EXPECT_TRUE(IsOk(RedisFilter::Delete(servers_, "seen")));
  EXPECT_EQ(client_->Do({"DBSIZE"}).integer, 0) << "the stream goes, too";
  EXPECT_EQ(cached.Refresh().code(), StatusCode::kNotFound);
  EXPECT_TRUE(cached.MayContainKey("bob"));
  EXPECT_EQ(cached.Info().age_ms, -1);
  (void)Create("seen", 500, layout_);
  EXPECT_TRUE(IsOk(cached.Refresh()));
  EXPECT_FALSE(cached.MayContainKey("alice"));
  EXPECT_TRUE(IsOk(cached.InsertKey("bob", nullptr)));
  EXPECT_TRUE(cached.MayContainKey("bob"));
}

TEST_F(RedisCachedFilterTest, TheStreamLivesAsLongAsTheFilter) {
  RedisFilter filter = Create("seen", 10000, layout_);
  EXPECT_TRUE(IsOk(filter.Expire(1000000)));
  Insert(&filter, RandomHashes(10, 1));
  EXPECT_EQ(client_->Do({"EXISTS", "{seen}:stream"}).integer, 0) << "nobody follows yet";
  RedisCachedFilter cached;
  OpenCached(&cached);
  EXPECT_NEAR(static_cast<double>(client_->Do({"PTTL", "{seen}:stream"}).integer), 1060000, 60000);
  EXPECT_TRUE(IsOk(filter.Expire(0)));
  EXPECT_EQ(client_->Do({"PTTL", "{seen}:stream"}).integer, -1);
  EXPECT_TRUE(IsOk(filter.Expire(5000000)));
  EXPECT_NEAR(static_cast<double>(client_->Do({"PTTL", "{seen}:stream"}).integer), 5060000, 60000);
}

TEST_F(RedisCachedFilterTest, RefusesWhatCannotBeFollowed) {
  RedisCachedFilter cached;
  EXPECT_TRUE(cached.MayContainKey("alice")) << "closed";
  EXPECT_EQ(cached.InsertKey("alice", nullptr).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(cached.Refresh().code(), StatusCode::kInvalidArgument);
  (void)Create("plain", 100);
  EXPECT_TRUE(Says(StatusCode::kIncompatible, cached.Open(servers_, "plain", 1000), "followed_keys"));
  EXPECT_EQ(cached.Open(servers_, "none", 1000).code(), StatusCode::kNotFound);
  RedisFilter filter = Create("seen", 100, layout_);
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, cached.Open(servers_, "seen", 49), "50 ms or more"));
  RedisServers replicas = servers_;
  replicas.replica_reads = true;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, cached.Open(replicas, "seen", 1000), "replica"));
  EXPECT_FALSE(cached.is_open());
  RedisFilter other;
  for (const Layout layout : {Layout::kClassic, Layout::kQuotient}) {
    EXPECT_TRUE(Says(StatusCode::kIncompatible, other.Create(servers_, "x", 100, BitsPerKey(10, layout), layout_),
                     "take blocked or split_block"));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.BeginGeneration(100, BitsPerKey(10, layout)),
                     "take blocked or split_block"));
  }
  RedisInfo info;
  EXPECT_TRUE(IsOk(filter.Info(&info)));
  EXPECT_EQ(info.followed_keys, layout_.followed_keys);
  EXPECT_EQ(HeaderOf("seen").followed_keys, layout_.followed_keys);
}

// It has no thread, and its connections are the parent's.
TEST_F(RedisCachedFilterTest, AForkedChildIsToldSoAndEnds) {
  (void)Create("seen", 1000, layout_);
  auto cached = std::make_unique<RedisCachedFilter>();
  OpenCached(cached.get(), 100);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    const bool is_refused = cached->InsertKey("a", nullptr).code() == StatusCode::kInvalidArgument &&
                            cached->Refresh().code() == StatusCode::kInvalidArgument;
    const bool is_maybe = WaitUntil([&] { return cached->MayContainKey("nobody's"); });
    cached.reset();
    _exit(is_refused && is_maybe ? 0 : 1);
  }
  int ended = 0;
  EXPECT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_EQ(ended, 0);
  EXPECT_TRUE(WaitUntil([&] { return !cached->MayContainKey("nobody's"); })) << "the parent's goes on";
}

// What was acknowledged more than T ago is not "absent", whoever inserts and asks meanwhile.
TEST_F(RedisCachedFilterTest, KeepsItsPromiseBesideEightWriters) {
  constexpr size_t kWriters = 8, kBatches = 12, kBatch = 500;
  constexpr uint32_t kWithinMs = 400;
  RedisFilter rebuilder = Create("seen", 100000, layout_);
  RedisCachedFilter cached;
  OpenCached(&cached, kWithinMs);
  std::atomic<size_t> missing{0}, too_old{0}, asked{0};
  const uint64_t absent = RandomHashes(1, 77)[0];
  std::vector<std::thread> writers;
  for (size_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      RedisFilter filter = Open("seen");
      for (size_t batch = 0; batch < kBatches; ++batch) {
        const std::vector<uint64_t> hashes = RandomHashes(kBatch, 1000 + w * kBatches + batch);
        const bool is_own = w == 0;
        if (is_own) {
          EXPECT_TRUE(IsOk(cached.InsertHashes(hashes.data(), hashes.size(), nullptr)));
        } else {
          Insert(&filter, hashes);
          std::this_thread::sleep_for(std::chrono::milliseconds(kWithinMs));
        }
        missing += kBatch - NumMaybes(cached, hashes);
        too_old += cached.MayContainHash(absent);
        ++asked;
      }
    });
  }
  EXPECT_TRUE(IsOk(rebuilder.BeginGeneration(200000, options_)));
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(missing, 0u);
  EXPECT_LT(too_old, asked) << "it was always too old, so nothing was tried";
}

}  // namespace
}  // namespace linefilter::test
