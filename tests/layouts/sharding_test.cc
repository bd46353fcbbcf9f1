// A filter over one shard of a service has the rate of any other filter, however the service shards: by the low bits of
// HashKey, by plain XXH3, by CRC-32. Sharding by what chooses the block or the bits within it is bad, and
// doc/guide/sharding.md says so: its table is made here.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/keys_of_hashes.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/savers.h"
#include "tests/testing/temp_dir.h"

namespace linefilter {
namespace {

using Hashes = std::vector<uint64_t>;

// --- Shards: an integer key of one, from a random number ------------------------------------------------------------

enum class By { kNothing, kHashKey, kFoldedHashKey, kXxh3, kCrc32 };

struct Sharding {
  const char* name;
  By by;
  uint64_t fixed;  // the bits that are the same for all keys of the shard
  bool is_even;    // promised: the rate is at most 1.1 times that without shards
};

constexpr uint64_t Low(int n) { return (uint64_t{1} << n) - 1; }
constexpr uint64_t Top(int n, int width) { return Low(n) << (width - n); }

constexpr Sharding kShardings[] = {
    {"no shards", By::kNothing, 0, true},
    {"`HashKey` % 2", By::kHashKey, Low(1), true},
    {"`HashKey` % 8", By::kHashKey, Low(3), true},
    {"`HashKey` % 16", By::kHashKey, Low(4), true},
    {"`HashKey` % 256", By::kHashKey, Low(8), true},
    {"`HashKey` % 65536", By::kHashKey, Low(16), true},
    {"`HashKey` % 2^24", By::kHashKey, Low(24), true},
    {"XXH3 % 2", By::kXxh3, Low(1), true},
    {"XXH3 % 8", By::kXxh3, Low(3), true},
    {"XXH3 % 16", By::kXxh3, Low(4), true},
    {"XXH3 % 256", By::kXxh3, Low(8), true},
    {"XXH3 % 65536", By::kXxh3, Low(16), true},
    {"XXH3 % 2^24", By::kXxh3, Low(24), true},
    {"XXH3, top bit", By::kXxh3, Top(1, 64), true},
    {"XXH3, top 4 bits", By::kXxh3, Top(4, 64), true},
    {"XXH3, top 16 bits", By::kXxh3, Top(16, 64), true},
    {"CRC-32 % 2", By::kCrc32, Low(1), true},
    {"CRC-32 % 16", By::kCrc32, Low(4), true},
    {"CRC-32 % 65536", By::kCrc32, Low(16), true},
    {"CRC-32, top 4 bits", By::kCrc32, Top(4, 32), true},
    {"CRC-32, top 16 bits", By::kCrc32, Top(16, 32), true},
    {"`HashKey`, top 4 bits", By::kHashKey, Top(4, 64), false},
    {"`HashKey`, top 16 bits", By::kHashKey, Top(16, 64), false},
    {"(`HashKey` ^ `HashKey` >> 32) % 16", By::kFoldedHashKey, Low(4), false},
    {"`HashKey` % 16, and its high half % 16", By::kHashKey, Low(4) | Low(4) << 32, false},
    {"`HashKey`, top 4 bits of the low half", By::kHashKey, Top(4, 32), false},
};

// The number with the fixed bits of the shard, which are those of a constant, in place of its own.
uint64_t WithFixedBits(uint64_t number, uint64_t fixed) {
  constexpr uint64_t kShard = 0xa5c3a5c3a5c3a5c3;
  return (number & ~fixed) | (kShard & fixed);
}

// Takes the hash itself, not the key, where the key's hash is what is chosen.
uint64_t HashOfKeyIn(const Sharding& sharding, test::Random* random) {
  const uint64_t number = (*random)();
  switch (sharding.by) {
    case By::kNothing:
      return HashKey(number);
    case By::kHashKey:
      return WithFixedBits(number, sharding.fixed);
    case By::kFoldedHashKey:
      return WithFixedBits(number ^ (number >> 32), sharding.fixed) ^ (number >> 32);
    case By::kXxh3:
      return HashKey(test::KeyWithXxh3(WithFixedBits(number, sharding.fixed), 0));
    case By::kCrc32:
      break;
  }
  const uint32_t crc = static_cast<uint32_t>(WithFixedBits(number >> 32, sharding.fixed));
  return HashKey(test::KeyWithCrc32(static_cast<uint32_t>(number), crc));
}

Hashes HashesOf(const Sharding& sharding, size_t n, uint64_t seed) {
  test::Random random(seed);
  Hashes hashes(n);
  for (uint64_t& hash : hashes) hash = HashOfKeyIn(sharding, &random);
  return hashes;
}

TEST(Sharding, ItsKeysHaveTheHashesTheyAreMadeFor) {
  EXPECT_EQ(test::Crc32(0x3837363534333231), 0x9ae0daafu) << "of the text 12345678";
  test::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t hash = random(), seed = random();
    ASSERT_EQ(HashKey(test::KeyWithHash(hash, seed), seed), hash);
    ASSERT_EQ(test::KeyWithXxh3(hash, seed ^ test::kSeedOfKeys), test::KeyWithHash(hash, seed));
    const uint64_t key = test::KeyWithCrc32(static_cast<uint32_t>(seed), static_cast<uint32_t>(hash));
    ASSERT_EQ(test::Crc32(key), static_cast<uint32_t>(hash));
    ASSERT_EQ(static_cast<uint32_t>(key), static_cast<uint32_t>(seed));
  }
  EXPECT_EQ(WithFixedBits(0, Low(8) | Top(4, 64)), 0xa0000000000000c3u);
  EXPECT_EQ(WithFixedBits(~uint64_t{0}, Low(8) | Top(4, 64)), 0xafffffffffffffc3u);
  const Sharding folded = {"folded", By::kFoldedHashKey, Low(4), false};
  for (int i = 0; i < 100; ++i) {
    const uint64_t hash = HashOfKeyIn(folded, &random);
    ASSERT_EQ((hash ^ hash >> 32) % 16, 3u);
  }
}

// --- Each way of making a filter: how many of the questions are "maybe" ---------------------------------------------

// Of the image, by a view; no member may be lost.
uint64_t MaybesOf(const std::string& image, const Hashes& members, const Hashes& questions) {
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  EXPECT_TRUE(view.status().ok()) << view.status().message();
  EXPECT_EQ(view.CountMaybes(members.data(), members.size()), members.size());
  return view.CountMaybes(questions.data(), questions.size());
}

// The images of one layout by each way to make them.
std::map<std::string, std::string> ImagesOf(Layout layout, const Hashes& members) {
  const FilterOptions options = test::BitsPerKey(10, layout);
  std::map<std::string, std::string> images;
  images["builder"] = test::Build(options, members);
  test::HashesInMemory memory{&members};
  test::Collector collected;
  EXPECT_TRUE(test::IsOk(BuildFromSource(options, memory.source(), collected.sink())));
  images["source"] = collected.bytes;
  if (layout == Layout::kRetrieval) return images;

  Filter filter = test::Created<Filter>(members.size(), test::WithLayout(layout, options));
  for (const uint64_t hash : members) filter.InsertHash(hash);
  images["single"] = test::ImageOf(filter);
  filter.Clear();
  filter.InsertHashes(members.data(), members.size());
  images["batch"] = test::ImageOf(filter);
  if (FactsOf(layout).shares) {
    ConcurrentFilter concurrent;
    EXPECT_TRUE(test::IsOk(concurrent.Create(members.size(), options)));
    concurrent.InsertHashes(members.data(), members.size());
    images["concurrent"] = test::ImageOf(concurrent);
  }
  return images;
}

// Filters of several parts, whose bound is 1 %.
std::map<std::string, std::string> ImagesOfContainers(const Hashes& members) {
  FilterOptions options = test::Fpr(0.01);
  std::map<std::string, std::string> images;
  ScalableFilter scalable;
  EXPECT_TRUE(scalable.Create(members.size() / 20, options, GrowthOptions{31}).ok());
  scalable.InsertHashes(members.data(), members.size());
  EXPECT_TRUE(scalable.growth_status().ok()) << scalable.growth_status().message();
  images["scalable"] = test::ImageOf(scalable);
  RotatingFilter rotating;
  EXPECT_TRUE(test::IsOk(rotating.Create(members.size(), 4, options)));
  for (size_t i = 0; i < 4; ++i) {
    if (i != 0) rotating.Rotate();
    rotating.InsertHashes(members.data() + i * members.size() / 4, members.size() / 4);
  }
  images["rotating"] = test::ImageOf(rotating);
  return images;
}

// --- The rates ------------------------------------------------------------------------------------------------------

constexpr size_t kMembers = 100000;

// Enough that some 2,000 are "maybe": a standard error of 2 %.
size_t QuestionsOf(Layout layout) { return layout == Layout::kRetrieval ? 1250000 : 250000; }

// By the way they were made; ways that give the same bytes are asked once.
std::map<std::string, double> RatesOf(Layout layout, const Sharding& sharding) {
  const Hashes members = HashesOf(sharding, kMembers, 1), questions = HashesOf(sharding, QuestionsOf(layout), 2);
  const auto images = layout == Layout::kContainer ? ImagesOfContainers(members) : ImagesOf(layout, members);
  std::map<std::string, double> rates;
  std::map<std::string, double> of_bytes;
  for (const auto& [way, image] : images) {
    const auto known = of_bytes.find(image);
    const double rate = known != of_bytes.end() ? known->second
                                                : static_cast<double>(MaybesOf(image, members, questions)) /
                                                      static_cast<double>(questions.size());
    of_bytes[image] = rates[way] = rate;
  }
  return rates;
}

constexpr Layout kLayouts[] = {Layout::kBlocked, Layout::kRetrieval, Layout::kClassic, Layout::kSplitBlock,
                               Layout::kContainer};

// Three digits, as percents.
std::string Percent(double rate) {
  char text[32];
  const double percent = 100 * rate;
  snprintf(text, sizeof(text), percent < 1 ? "%.3f" : percent < 10 ? "%.2f" : "%.1f", percent);
  return text;
}

TEST(Sharding, KeepsTheRateOfEveryLayoutByEveryWayToMakeIt) {
  if (test::Effort() < 1) GTEST_SKIP() << "the same bytes, hence the same rates, in every build";
  std::string table =
      "| a shard by | `blocked` | `retrieval` | `classic` | `split_block` | growing |\n"
      "|---|---|---|---|---|---|\n";
  std::map<std::string, double> without;  // by layout and way
  for (const Sharding& sharding : kShardings) {
    table += std::string("| ") + sharding.name;
    for (const Layout layout : kLayouts) {
      double shown = 0;
      for (const auto& [way, rate] : RatesOf(layout, sharding)) {
        const std::string name = std::string(LayoutName(layout)) + " by " + way;
        if (sharding.by == By::kNothing) without[name] = rate;
        if (sharding.is_even) {
          EXPECT_LE(rate, 1.1 * without[name]) << name << ", a shard by " << sharding.name;
        }
        if (way == "builder" || way == "scalable") shown = rate;
      }
      table += " | " + Percent(shown);
    }
    table += " |\n";
  }
  const std::string page = test::ReadFile(std::string(LINEFILTER_SOURCE_DIR) + "/doc/guide/sharding.md");
  EXPECT_NE(page.find(table), std::string::npos) << "doc/guide/sharding.md has another table than\n" << table;
}

// What the guide offers instead: the keys of one of 16 shards by ShardOf, found by trying.
TEST(Sharding, ByShardOfKeepsTheRate) {
  const auto hashes_of = [](size_t n, uint64_t seed) {
    test::Random random(seed);
    Hashes hashes;
    while (hashes.size() < n) {
      const uint64_t hash = HashKey(random());
      if (ShardOf(hash, 16) == 3) hashes.push_back(hash);
    }
    return hashes;
  };
  const Hashes members = hashes_of(20000, 1), questions = hashes_of(100000, 2);
  for (const Layout layout : {Layout::kBlocked, Layout::kQuotient, Layout::kClassic, Layout::kSplitBlock}) {
    const std::string image = test::Build(test::BitsPerKey(10, layout), members);
    const double rate = static_cast<double>(MaybesOf(image, members, questions)) / 100000;
    EXPECT_LT(rate, 1.15 * FprForBitsPerKey(layout, 10)) << LayoutName(layout);
  }
}

}  // namespace
}  // namespace linefilter
