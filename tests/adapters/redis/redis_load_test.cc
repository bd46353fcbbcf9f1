// Images go into Redis and out of it: every layout as it was, whatever the shards, and damaged and foreign ones are
// refused. What is inserted meanwhile is not lost, and a download has every key that was acknowledged before it.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/redis.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/redis_client.h"
#include "tests/testing/redis_cluster.h"
#include "tests/testing/redis_generations.h"
#include "tests/testing/redis_patience.h"
#include "tests/testing/redis_server.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

constexpr size_t kNumKeys = 20000;

FilterOptions Options(Layout layout) { return BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout); }

std::string ImageOf(Layout layout, const std::vector<uint64_t>& hashes) {
  if (layout != Layout::kContainer) return Build(Options(layout), hashes);
  ScalableFilter filter = Created<ScalableFilter>(hashes.size() / 8, Fpr(0.01));
  filter.InsertHashes(hashes.data(), hashes.size());
  return test::ImageOf(filter);
}

std::string BodyOf(const std::string& image) {
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_TRUE(view.Verify().ok());
  return std::string(reinterpret_cast<const char*>(view.body()), static_cast<size_t>(view.body_bytes()));
}

class RedisLoad : public RedisServerTest {
 protected:
  const std::vector<uint64_t> hashes_ = RandomHashes(kNumKeys, 1);
};

std::vector<Layout> LayoutsAndContainer() {
  std::vector<Layout> layouts = EveryLayout();
  layouts.push_back(Layout::kContainer);
  return layouts;
}

TEST_F(RedisLoad, EveryLayoutComesBackAsItWas) {
  for (const Layout layout : LayoutsAndContainer()) {
    const std::string image = ImageOf(layout, hashes_);
    for (const uint64_t shard_bytes : {0u, 64u, 4096u}) {
      if (layout == Layout::kClassic && shard_bytes != 0) continue;
      if (shard_bytes == 64 && image.size() > 64 * 1024) continue;
      SCOPED_TRACE(std::string(LayoutName(layout)) + " " + std::to_string(shard_bytes));
      const std::string name = std::string(LayoutName(layout)) + std::to_string(shard_bytes);
      RedisFilter made, opened;
      ASSERT_TRUE(IsOk(made.CreateFromImage(servers_, name, image.data(), image.size(), nullptr, {shard_bytes})));
      ASSERT_TRUE(opened.Open(servers_, name).ok());
      EXPECT_EQ(opened.layout(), layout);
      EXPECT_EQ(CountMissing(&opened, hashes_), 0u);
      const std::string downloaded = Download(&opened);
      EXPECT_EQ(BodyOf(downloaded), BodyOf(image));
      if (layout == Layout::kRetrieval) {
        EXPECT_EQ(downloaded, image);  // it takes no keys, so even their number is right
      }
    }
  }
}

// The answers of Redis are those of the image, for keys that are not in it too.
TEST_F(RedisLoad, AnswersAsTheImage) {
  const std::vector<uint64_t> asked = RandomHashes(5000, 2);
  for (const Layout layout : LayoutsAndContainer()) {
    const std::string image = ImageOf(layout, hashes_);
    const std::string name = std::string("answers_") + LayoutName(layout);
    RedisFilter filter;
    ASSERT_TRUE(filter.CreateFromImage(servers_, name, image.data(), image.size()).ok());
    std::vector<uint8_t> expected(asked.size()), answers(asked.size());
    FilterView(image.data(), image.size(), VerifyMode::kWhole)
        .MayContainHashes(asked.data(), asked.size(), expected.data());
    ASSERT_TRUE(filter.MayContainHashes(asked.data(), asked.size(), answers.data()).ok());
    EXPECT_EQ(answers, expected) << LayoutName(layout);
  }
}

TEST_F(RedisLoad, AKeyedImageNeedsItsSecret) {
  FilterOptions options = Options(Layout::kBlocked);
  options.hash_id = HashId::kKeyed;
  for (size_t i = 0; i < sizeof(options.secret.bytes); ++i) options.secret.bytes[i] = static_cast<uint8_t>(i);
  const std::string image = Build(options, hashes_);
  RedisFilter filter;
  EXPECT_EQ(filter.CreateFromImage(servers_, "keyed", image.data(), image.size()).code(), StatusCode::kIncompatible);
  ASSERT_TRUE(filter.CreateFromImage(servers_, "keyed", image.data(), image.size(), &options.secret).ok());
  EXPECT_EQ(CountMissing(&filter, hashes_), 0u);
  ASSERT_TRUE(filter.Load(image.data(), image.size()).ok());
}

// What the object lets go meanwhile is not what it reads the name from; and an image that is none leaves it open.
TEST_F(RedisLoad, AnObjectIsMadeAnewUnderItsOwnName) {
  const std::string image = ImageOf(Layout::kBlocked, hashes_), name(150, 'n');
  RedisFilter filter = Created(servers_, name, 100, Options(Layout::kBlocked));
  ASSERT_TRUE(RedisFilter::Delete(servers_, filter.name()).ok());
  ASSERT_TRUE(IsOk(filter.CreateFromImage(servers_, filter.name(), image.data(), image.size())));
  EXPECT_EQ(filter.name(), name);
  ASSERT_TRUE(IsOk(filter.Open(servers_, filter.name())));
  EXPECT_EQ(CountMissing(&filter, hashes_), 0u);
  EXPECT_EQ(filter.CreateFromImage(servers_, filter.name(), image.data(), 10).code(), StatusCode::kCorrupt);
  EXPECT_EQ(CountMissing(&filter, hashes_), 0u);
}

// More than one piece of an upload, in shards that do not end where pieces do.
TEST_F(RedisLoad, ManyPieces) {
  BlockedFilter local;
  FilterOptions options = BitsPerKey(8);
  ASSERT_TRUE(local.Create(20 << 20, options).ok());  // 20 MiB
  const std::vector<uint64_t> hashes = RandomHashes(100000, 3);
  local.InsertHashes(hashes.data(), hashes.size());
  const std::string image = test::ImageOf(local);
  RedisFilter filter;
  const RedisLayout layout{9 * 1000 * 1000};
  ASSERT_TRUE(filter.CreateFromImage(servers_, "pieces", image.data(), image.size(), nullptr, layout).ok());
  EXPECT_EQ(BodyOf(Download(&filter)), BodyOf(image));
  RedisFilter empty = Created(servers_, "united", 20 << 20, options, layout);
  ASSERT_TRUE(empty.Load(image.data(), image.size()).ok());
  EXPECT_EQ(BodyOf(Download(&empty)), BodyOf(image));
  EXPECT_EQ(CountMissing(&empty, hashes), 0u);
}

TEST_F(RedisLoad, LoadIsTheUnion) {
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic}) {
    const std::string name = std::string("union_") + LayoutName(layout);
    FilterOptions options = Options(layout);
    RedisFilter filter = Created(servers_, name, kNumKeys, options, {layout == Layout::kClassic ? 0u : 4096u});
    RedisClient client(server_->address());
    for (const RedisReply& key : client.Do({"KEYS", "*{" + name + ":*"}).items) {
      EXPECT_EQ(client.Integer({"PEXPIRE", key.text, "600000"}), 1);
    }
    const std::vector<uint64_t> inserted = RandomHashes(1000, 4);
    ASSERT_TRUE(filter.InsertHashes(inserted.data(), inserted.size(), nullptr).ok());
    const std::string image = ImageOf(layout, hashes_);
    for (int i = 0; i < 2; ++i) {  // twice is once
      ASSERT_TRUE(IsOk(filter.Load(image.data(), image.size())));
    }
    std::vector<uint64_t> all = hashes_;
    all.insert(all.end(), inserted.begin(), inserted.end());
    EXPECT_EQ(CountMissing(&filter, all), 0u);
    std::string body = BodyOf(image);
    {
      RedisFilter alone = Created(servers_, "alone_" + name, kNumKeys, options);
      ASSERT_TRUE(alone.InsertHashes(inserted.data(), inserted.size(), nullptr).ok());
      const std::string other = BodyOf(Download(&alone));
      ASSERT_EQ(other.size(), body.size());
      for (size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(body[i] | other[i]);
    }
    EXPECT_EQ(BodyOf(Download(&filter)), body);
    // Nothing is left over, and the shards still end when they are to.
    for (const RedisReply& key : client.Do({"KEYS", "*{" + name + ":*"}).items) {
      EXPECT_EQ(key.text.find(":load"), std::string::npos) << key.text;
      EXPECT_GT(client.Integer({"PTTL", key.text}), 0) << key.text;
    }
  }
}

TEST_F(RedisLoad, WhatDoesNotFitIsRefused) {
  RedisFilter filter = Created(servers_, "fits", kNumKeys, Options(Layout::kBlocked));
  std::string image = ImageOf(Layout::kBlocked, hashes_);

  image[1000] = static_cast<char>(image[1000] ^ 1);
  EXPECT_EQ(filter.Load(image.data(), image.size()).code(), StatusCode::kCorrupt);
  RedisFilter other;
  EXPECT_EQ(other.CreateFromImage(servers_, "damaged", image.data(), image.size()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(other.Open(servers_, "damaged").code(), StatusCode::kNotFound);
  image[1000] = static_cast<char>(image[1000] ^ 1);

  const std::string classic = ImageOf(Layout::kClassic, hashes_);
  EXPECT_EQ(filter.Load(classic.data(), classic.size()).code(), StatusCode::kIncompatible);
  const std::string larger = ImageOf(Layout::kBlocked, RandomHashes(2 * kNumKeys, 5));
  EXPECT_EQ(filter.Load(larger.data(), larger.size()).code(), StatusCode::kIncompatible);
  FilterOptions seeded = Options(Layout::kBlocked);
  seeded.seed = 7;
  const std::string foreign = Build(seeded, hashes_);
  EXPECT_EQ(filter.Load(foreign.data(), foreign.size()).code(), StatusCode::kIncompatible);

  EXPECT_EQ(other.CreateFromImage(servers_, "fits", image.data(), image.size()).code(), StatusCode::kIncompatible);

  RedisFilter closed;
  EXPECT_EQ(closed.Load(image.data(), image.size()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(closed.ImageBytes(), 0u);
  EXPECT_EQ(CountMissing(&filter, {}), 0u);
  ASSERT_TRUE(filter.Load(image.data(), image.size()).ok());
}

// A lost shard is neither loaded into nor made whole by it, nor downloaded.
TEST_F(RedisLoad, ALostShardStaysLost) {
  RedisFilter filter;
  const std::string image = ImageOf(Layout::kBlocked, hashes_);
  ASSERT_TRUE(filter.CreateFromImage(servers_, "lost", image.data(), image.size(), nullptr, {4096}).ok());
  RedisClient client(server_->address());
  const std::vector<RedisReply> shards = client.Do({"KEYS", "{lost:*:1}"}).items;
  ASSERT_EQ(shards.size(), 1u);
  client.Do({"DEL", shards[0].text});
  EXPECT_EQ(filter.Load(image.data(), image.size()).code(), StatusCode::kCorrupt);
  Collector collector;
  EXPECT_EQ(filter.WriteImage(collector.sink()).code(), StatusCode::kCorrupt);
  const TempDir folder;
  EXPECT_EQ(filter.Save((folder.path() + "/lost").c_str()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(client.Integer({"EXISTS", shards[0].text}), 0);
  client.Do({"SETRANGE", shards[0].text, "4111", std::string(1, '\0')});  // as long as it was, of zeros
  EXPECT_EQ(filter.WriteImage(collector.sink()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(filter.Load(image.data(), image.size()).code(), StatusCode::kCorrupt);
  std::vector<uint8_t> answers(hashes_.size());
  EXPECT_EQ(filter.MayContainHashes(hashes_.data(), hashes_.size(), answers.data()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(answers, std::vector<uint8_t>(hashes_.size(), 1));
}

TEST_F(RedisLoad, SavesAFile) {
  const std::string image = ImageOf(Layout::kBlocked, hashes_);
  RedisFilter filter;
  ASSERT_TRUE(filter.CreateFromImage(servers_, "file", image.data(), image.size()).ok());
  const TempDir folder;
  const std::string path = folder.path() + "/filter";
  ASSERT_TRUE(filter.Save(path.c_str()).ok());
  FilterFile file;
  ASSERT_TRUE(file.Load(path.c_str()).ok());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(file.view().body()), static_cast<size_t>(filter.body_bytes())),
            BodyOf(image));
  EXPECT_EQ(filter.Save("/nowhere/filter").code(), StatusCode::kIoError);
}

// Two loaders, a writer and a download at once: nothing that was acknowledged is missing in what comes after.
TEST_F(RedisLoad, WhatIsInsertedMeanwhileIsNotLost) {
  RedisFilter filter = Created(servers_, "meanwhile", 4 * kNumKeys, Options(Layout::kBlocked), {16384});
  const std::vector<uint64_t> inserted = RandomHashes(40000, 6);
  std::atomic<bool> done{false};
  std::vector<std::vector<uint64_t>> loaded;
  std::vector<std::thread> loaders;
  for (uint64_t i = 0; i < 2; ++i) loaded.push_back(RandomHashes(4 * kNumKeys, 7 + i));
  for (const std::vector<uint64_t>& hashes : loaded) {
    loaders.emplace_back([this, &hashes, &done] {
      const std::string image = ImageOf(Layout::kBlocked, hashes);
      RedisFilter loader = Opened(servers_, "meanwhile");
      do {
        EXPECT_TRUE(IsOk(loader.Load(image.data(), image.size())));
      } while (!done);
    });
  }
  for (size_t i = 0; i < inserted.size(); i += 500) {
    ASSERT_TRUE(filter.InsertHashes(inserted.data() + i, 500, nullptr).ok());
    if (i % 5000 != 0) continue;
    const std::string image = Download(&filter);
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    EXPECT_EQ(view.CountMaybes(inserted.data(), i + 500), i + 500);
  }
  done = true;
  for (std::thread& loader : loaders) loader.join();
  EXPECT_EQ(CountMissing(&filter, inserted), 0u);
  for (const std::vector<uint64_t>& hashes : loaded) EXPECT_EQ(CountMissing(&filter, hashes), 0u);
}

TEST(RedisLoadLimits, AFullServerSaysSoAndWhatIsThereStays) {
  RedisServerOptions options;
  options.max_memory = 8 << 20;
  RedisServer server(options);
  ASSERT_TRUE(server.ok()) << server.why();
  const RedisServers servers = PatientServers(server.address());
  FilterOptions filter_options = BitsPerKey(8);
  BlockedFilter local;
  ASSERT_TRUE(local.Create(3 << 20, filter_options).ok());  // 3 MiB: once, but not with an upload and a union
  const std::vector<uint64_t> hashes = RandomHashes(10000, 1);
  local.InsertHashes(hashes.data(), hashes.size());
  const std::string image = test::ImageOf(local);
  RedisFilter filter;
  ASSERT_TRUE(filter.CreateFromImage(servers, "full", image.data(), image.size()).ok());
  Status status;
  for (int i = 0; i < 5 && status.ok(); ++i) {
    status = filter.BeginGeneration(3 << 20, filter_options);
    if (status.ok()) status = filter.LoadNext(image.data(), image.size());
  }
  EXPECT_EQ(status.code(), StatusCode::kOverLimit) << status.message();
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  RedisFilter other;
  status = other.CreateFromImage(servers, "too_much", image.data(), image.size());
  EXPECT_EQ(status.code(), StatusCode::kOverLimit) << status.message();
  EXPECT_EQ(RedisClient(server.address()).Do({"KEYS", "{too_much:*"}).items.size(), 0u);
}

TEST(RedisLoadCluster, ShardsOnThreeNodes) {
  RedisCluster cluster;
  ASSERT_TRUE(cluster.ok()) << cluster.why();
  const RedisServers servers = PatientServers(cluster.addresses());
  const std::vector<uint64_t> hashes = RandomHashes(kNumKeys, 1);
  const std::string image = ImageOf(Layout::kBlocked, hashes);
  RedisFilter filter;
  ASSERT_TRUE(filter.CreateFromImage(servers, "wide", image.data(), image.size(), nullptr, {1024}).ok());
  ASSERT_TRUE(filter.Load(image.data(), image.size()).ok());
  EXPECT_EQ(CountMissing(&filter, hashes), 0u);
  EXPECT_EQ(BodyOf(Download(&filter)), BodyOf(image));
  for (size_t i = 0; i < 3; ++i) EXPECT_GT(cluster.client(i).Integer({"DBSIZE"}), 3);
}

}  // namespace
}  // namespace linefilter::test
