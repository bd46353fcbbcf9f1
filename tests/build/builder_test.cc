// linefilter/builder.h: (Add)* Finish. The same keys give the same bytes by every way in and every way out, and
// whatever fails is answered by a status while the keys stay.
#include "linefilter/builder.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

TEST(FilterBuilder, MakesAnImageOfItsKeys) {
  for (const Layout layout : {Layout::kAuto, Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
    for (const size_t n : {1u, 2u, 63u, 64u, 65u, 1000u, 100000u}) {
      FilterOptions options = BitsPerKey(10, layout);
      options.seed = n;
      FilterBuilder builder(options);
      for (size_t i = 0; i < n; ++i) builder.AddKey("key " + std::to_string(i));
      EXPECT_EQ(builder.num_keys(), n);
      const uint64_t promised = builder.ImageBytes();
      std::string image;
      ASSERT_TRUE(IsOk(builder.Finish(&image)));
      EXPECT_EQ(image.size(), promised);
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      ASSERT_TRUE(view.status().ok()) << view.status().message();
      EXPECT_TRUE(view.Verify().ok());
      EXPECT_EQ(view.layout(), builder.sizing().layout);
      EXPECT_EQ(view.num_probes(), builder.sizing().num_probes);
      EXPECT_EQ(view.body_bytes(), builder.sizing().body_bytes);
      EXPECT_EQ(builder.sizing().num_keys, n);
      EXPECT_EQ(view.seed(), n);
      for (size_t i = 0; i < n; ++i) ASSERT_TRUE(view.MayContainKey("key " + std::to_string(i))) << i << " of " << n;
    }
  }
}

TEST(FilterBuilder, SizesFromTheKeysThatCame) {
  const std::vector<uint64_t> hashes = RandomHashes(50000, 1);
  const std::string image = Build(Fpr(0.01, Layout::kBlocked), hashes);
  Sizing sizing;
  ASSERT_TRUE(SizeForFpr(Layout::kBlocked, hashes.size(), 0.01, &sizing).ok());
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_EQ(view.body_bytes(), sizing.body_bytes);
  EXPECT_EQ(view.num_probes(), sizing.num_probes);
  EXPECT_TRUE(view.has_num_keys());
  EXPECT_EQ(view.num_keys(), hashes.size());
  const std::vector<uint64_t> absent = RandomHashes(1000000, 2);
  // At most 10,000 on average; between filters of 1000 blocks this varies by 3 %, and by 1 % in itself: 6 such
  // deviations.
  EXPECT_LT(view.CountMaybes(absent.data(), absent.size()), 12000u);
  EXPECT_GT(view.CountMaybes(absent.data(), absent.size()), 8000u) << "nothing is wasted";
}

TEST(FilterBuilder, StartsAnewAfterFinish) {
  FilterBuilder builder(BitsPerKey(12));
  const std::vector<uint64_t> first = RandomHashes(5000, 1), second = RandomHashes(300, 2);
  std::string image, again;
  builder.AddHashes(first.data(), first.size());
  ASSERT_TRUE(builder.Finish(&image).ok());
  EXPECT_EQ(builder.num_keys(), 0u);
  EXPECT_EQ(image, Build(BitsPerKey(12), first));
  builder.AddHashes(second.data(), second.size());
  ASSERT_TRUE(builder.Finish(&again).ok());
  EXPECT_EQ(again, Build(BitsPerKey(12), second)) << "nothing of the first image is left";
  builder.AddHashes(first.data(), first.size());
  builder.Reset();
  EXPECT_EQ(builder.num_keys(), 0u);
  builder.AddHashes(second.data(), second.size());
  again.clear();
  ASSERT_TRUE(builder.Finish(&again).ok());
  EXPECT_EQ(again, Build(BitsPerKey(12), second));
}

TEST(FilterBuilder, CountsEveryKeyAndSizesForDistinctOnes) {
  FilterBuilder builder(BitsPerKey(10));
  for (const uint64_t hash : {0u, 0u, 5u, 5u, 5u, 0u, 7u}) builder.AddHash(hash);
  EXPECT_EQ(builder.num_keys(), 7u);
  const std::vector<uint64_t> batch = {7, 7, 8, 8, 7};
  builder.AddHashes(batch.data(), batch.size());
  EXPECT_EQ(builder.num_keys(), 12u);
  builder.AddHashes(nullptr, 0);
  EXPECT_EQ(builder.num_keys(), 12u);
  EXPECT_EQ(Finish(&builder), Build(BitsPerKey(10), {0, 5, 7, 8}));
  EXPECT_EQ(builder.sizing().num_keys, 4u) << "also a first hash of 0 is a key";
  builder.AddHash(7);
  EXPECT_EQ(Finish(&builder), Build(BitsPerKey(10), {7})) << "the last key of the image before is not adjacent";

  // Long runs across the chunks of the builder's memory.
  std::vector<uint64_t> runs;
  for (const uint64_t hash : RandomHashes(60000, 3)) runs.insert(runs.end(), 1 + hash % 3, hash);
  std::vector<uint64_t> distinct = runs;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  EXPECT_EQ(Build(BitsPerKey(10), runs), Build(BitsPerKey(10), distinct));
}

TEST(FilterBuilder, TakesTheSameKeysByEveryWayIn) {
  FilterOptions options = BitsPerKey(10);
  options.seed = 99;
  std::vector<uint64_t> hashes;
  FilterBuilder by_key(options), by_hash(options), mixed(options);
  for (uint64_t i = 0; i < 30000; ++i) {
    const std::string key = std::to_string(i * i);
    hashes.push_back(HashKey(key, 99));
    by_key.AddKey(key);
    by_hash.AddHash(hashes.back());
    if (i % 3 == 0) mixed.AddKey(std::string_view(key));
    if (i % 3 == 1) mixed.AddHash(hashes.back());
    if (i % 3 == 2) mixed.AddHashes(&hashes.back(), 1);
  }
  const std::string expected = Build(options, hashes);
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 30000; ++i) keys.push_back(std::to_string(i * i));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  FilterBuilder by_strings(options), by_views(options);
  by_strings.AddKeys(keys.data(), keys.size());
  by_views.AddKeys(views.data(), 1000);
  by_views.AddKeys(views.data() + 1000, views.size() - 1000);
  for (FilterBuilder* builder : {&by_key, &by_hash, &mixed, &by_strings, &by_views}) {
    const std::string image = Finish(builder);
    EXPECT_EQ(image, expected);
  }
  std::reverse(hashes.begin(), hashes.end());
  EXPECT_EQ(Build(options, hashes), expected) << "in any order";
}

TEST(FilterBuilder, TakesIntegersOneByOneOrAllAtOnce) {
  std::vector<uint64_t> keys = RandomHashes(20000, 9);
  keys.insert(keys.begin() + 5000, 700, keys[4999]);
  FilterBuilder one_by_one(BitsPerKey(10)), at_once(BitsPerKey(10));
  for (const uint64_t key : keys) one_by_one.AddKey(key);
  at_once.AddKeys(keys.data(), keys.size());
  at_once.AddKeys(keys.data(), 0);
  EXPECT_EQ(at_once.num_keys(), keys.size());
  EXPECT_EQ(Finish(&at_once), Finish(&one_by_one));
}

TEST(FilterBuilder, GivesTheSameBytesByEveryWayOut) {
  const test::TempDir dir;
  for (const size_t n : {0u, 3u, 500u, 20000u, 3000000u}) {
    const std::vector<uint64_t> hashes = RandomHashes(n, n);
    const std::string expected = Build(BitsPerKey(10), hashes);
    FilterBuilder builder(BitsPerKey(10));
    const auto fill = [&] { builder.AddHashes(hashes.data(), hashes.size()); };

    fill();
    std::string appended = "what was there before";
    ASSERT_TRUE(builder.Finish(&appended).ok());
    EXPECT_EQ(appended, "what was there before" + expected);

    fill();
    ASSERT_EQ(builder.ImageBytes(), expected.size());
    std::string buffer(expected.size() + 100, 'x');
    size_t written = 0;
    ASSERT_TRUE(builder.FinishTo(&buffer[1], expected.size(), &written).ok()) << "an odd address";
    EXPECT_EQ(written, expected.size());
    EXPECT_EQ(buffer, "x" + expected + std::string(99, 'x')) << "not a byte too many";
    fill();
    ASSERT_TRUE(builder.FinishTo(&buffer[0], buffer.size(), nullptr).ok()) << "more room than needed";
    EXPECT_EQ(buffer.substr(0, expected.size()), expected);

    fill();
    Collector collector;
    ASSERT_TRUE(builder.FinishToSink(collector.sink()).ok());
    EXPECT_TRUE(collector.bytes == expected);

    fill();
    ASSERT_TRUE(builder.FinishToFile(dir.File("image").c_str()).ok());
    EXPECT_TRUE(test::ReadFile(dir.File("image")) == expected);
    EXPECT_EQ(dir.Names().size(), 1u) << "no temporary name remains";
  }
}

TEST(FilterBuilder, KeepsTheKeysWhenAWayOutFails) {
  const std::vector<uint64_t> hashes = RandomHashes(300000, 5);
  const std::string expected = Build(BitsPerKey(10), hashes);
  FilterBuilder builder(BitsPerKey(10));
  builder.AddHashes(hashes.data(), hashes.size());

  std::string small(expected.size() - 1, 'x');
  const std::string untouched = small;
  size_t written = 7;
  EXPECT_EQ(builder.FinishTo(&small[0], small.size(), &written).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(small, untouched);

  for (const size_t refuse_from : {size_t{0}, size_t{1000}, expected.size() - 1}) {
    Collector refusing;
    refusing.refuse_from = refuse_from;
    EXPECT_TRUE(Says(StatusCode::kIoError, builder.FinishToSink(refusing.sink())));
    EXPECT_TRUE(expected.compare(0, refusing.bytes.size(), refusing.bytes) == 0) << "a part, in order";
  }
  EXPECT_EQ(builder.FinishToSink(Sink{}).code(), StatusCode::kInvalidArgument) << "a sink without a function";
  const Status no_folder = builder.FinishToFile("/no/such/folder/image");
  EXPECT_EQ(no_folder.code(), StatusCode::kIoError);
  EXPECT_NE(std::strstr(no_folder.message(), "/no/such/folder"), nullptr) << no_folder.message();

  std::string image = "head";
  EXPECT_EQ(builder.num_keys(), hashes.size());
  ASSERT_TRUE(builder.Finish(&image).ok()) << "and now it works";
  EXPECT_TRUE(image == "head" + expected);
}

TEST(FilterBuilder, OfTheCallersHashesTakesNoKeys) {
  FilterOptions options = BitsPerKey(10);
  options.hash_id = HashId::kCaller;
  FilterBuilder builder(options);
  builder.AddHash(1);
  builder.AddKey("a key whose hash the caller alone knows");
  EXPECT_FALSE(builder.status().ok()) << "a key that would be lost is not dropped silently";
  EXPECT_EQ(builder.status().code(), StatusCode::kIncompatible);
  std::string image;
  EXPECT_EQ(builder.Finish(&image).code(), StatusCode::kIncompatible);
  EXPECT_TRUE(image.empty());
  builder.Reset();
  EXPECT_TRUE(builder.status().ok());
  const uint64_t key = 1;
  builder.AddKeys(&key, 0);
  EXPECT_TRUE(builder.status().ok()) << "no key was added";
  builder.AddKeys(&key, 1);
  EXPECT_EQ(builder.status().code(), StatusCode::kIncompatible);
  builder.Reset();
  builder.AddHash(1);
  ASSERT_TRUE(builder.Finish(&image).ok());
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_EQ(view.hash_id(), HashId::kCaller);
  EXPECT_TRUE(view.MayContainHash(1));
  EXPECT_FALSE(view.MayContainHash(MixHash(2)));
}

TEST(FilterBuilder, OfNoKeysIsTheEmptySet) {
  for (const Layout layout : {Layout::kAuto, Layout::kBlocked, Layout::kClassic, Layout::kRetrieval}) {
    const std::string image = Build(BitsPerKey(10, layout), {});
    EXPECT_EQ(image.size(), 8u) << "the fixed trailer alone";
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    EXPECT_TRUE(view.empty_set()) << view.status().message();
    EXPECT_FALSE(view.MayContainKey("anything"));
  }
}

TEST(FilterBuilder, PicksTheLayoutBySize) {
  for (const auto& [n, layout] : {std::pair<size_t, Layout>{1, Layout::kClassic},
                                  {8, Layout::kClassic},
                                  {20, Layout::kClassic},
                                  {100000, Layout::kBlocked},
                                  {1000003, Layout::kBlocked}}) {
    const std::string image = Build(BitsPerKey(10), RandomHashes(n, n));
    EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).layout(), layout) << n;
    EXPECT_LE(image.size(), n * 10 / 8 + 64 + n / 1000 + 32) << n;
  }
  EXPECT_LE(Build(BitsPerKey(10), RandomHashes(8, 8)).size(), 10u + 8) << "LevelDB's smallest: 8 keys";
}

}  // namespace
}  // namespace linefilter::test
