// Folding: a filter of num_blocks blocks that becomes factor times smaller is to the byte the filter that would have
// been made with num_blocks / factor blocks and the same num_probes; so no key is lost, and the rate is that of such a
// filter. A union of unequal sizes is the filter of all keys of the common size. Whatever is refused, or fails, changes
// nothing.
#include "linefilter/fold.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/concurrent.h"
#include "linefilter/file.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/savers.h"
#include "tests/testing/test_allocator.h"

namespace linefilter {
namespace {

using test::BitsPerKey;
using test::RandomHashes;
using test::TestAllocator;

// An empty image of so many blocks: from it a filter of that very size is made.
std::string EmptyImage(uint64_t num_blocks, uint32_t num_probes) {
  const reference::Bytes image =
      reference::WriteImage(test::EmptyReference(Layout::kBlocked, num_probes, static_cast<size_t>(64 * num_blocks)));
  return std::string(reinterpret_cast<const char*>(image.data()), image.size());
}

BlockedFilter Make(uint64_t num_blocks, uint32_t num_probes, const std::vector<uint64_t>& hashes,
                   const FilterOptions& options = {}) {
  BlockedFilter filter;
  const std::string image = EmptyImage(num_blocks, num_probes);
  const Status status = filter.CreateFromImage(image.data(), image.size(), options);
  EXPECT_TRUE(status.ok()) << status.message();
  filter.InsertHashes(hashes.data(), hashes.size());
  return filter;
}

template <class Filter>
std::string ImageOf(const Filter& filter) {
  std::string image;
  EXPECT_TRUE(filter.AppendImage(&image).ok());
  return image;
}

std::vector<uint64_t> DivisorsOf(uint64_t number) {
  std::vector<uint64_t> divisors;
  for (uint64_t i = 1; i <= number; ++i) {
    if (number % i == 0) divisors.push_back(i);
  }
  return divisors;
}

struct Collector {
  std::string bytes;
  uint64_t stop_after = ~uint64_t{0};
  Sink sink() {
    return {[](void* context, const void* data, size_t size) noexcept {
              auto* const to = static_cast<Collector*>(context);
              EXPECT_LE(size, size_t{1} << 20) << "pieces of at most 1 MiB";
              to->bytes.append(static_cast<const char*>(data), size);
              return to->bytes.size() < to->stop_after;
            },
            this};
  }
};

// Primes, powers of two, one block, and what has many divisors; 65536 blocks and more are folded where they lie.
constexpr uint64_t kSizes[] = {1, 2, 3, 7, 12, 64, 97, 100, 360, 1024, 5040, 65536, 65537, 98304};

TEST(Fold, IsToTheByteAFilterMadeOfThatSize) {
  for (const uint64_t num_blocks : kSizes) {
    const uint32_t num_probes = 1 + static_cast<uint32_t>(num_blocks % 16);
    const std::vector<uint64_t> hashes =
        test::SpecialAndRandomHashes(static_cast<size_t>((num_blocks > 10000 ? 2 : 20) * num_blocks + 13), 1);
    std::vector<uint64_t> factors = DivisorsOf(num_blocks);
    if (num_blocks > 10000) factors = {1, 2, factors[factors.size() / 2], num_blocks};
    if (num_blocks == 65537) factors = {1, num_blocks};
    const std::string image = ImageOf(Make(num_blocks, num_probes, hashes));
    const FilterView view(image.data(), image.size());
    for (const uint64_t factor : factors) {
      SCOPED_TRACE(std::to_string(num_blocks) + " blocks by " + std::to_string(factor));
      const std::string expected = ImageOf(Make(num_blocks / factor, num_probes, hashes));
      BlockedFilter filter;
      ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
      const Status status = filter.Fold(factor);
      ASSERT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(filter.num_blocks(), num_blocks / factor);
      EXPECT_EQ(filter.body_bytes(), 64 * num_blocks / factor);
      EXPECT_TRUE(ImageOf(filter) == expected);
      EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size()) << "no key is lost";
      Collector written;
      ASSERT_TRUE(FoldImage(view, factor, written.sink()).ok());
      EXPECT_TRUE(written.bytes == expected) << "nor by the way through an image";
    }
  }
}

// The independent reference, told of the keys one by one, has the last word.
TEST(Fold, IsWhatTheReferenceMakes) {
  const std::vector<uint64_t> hashes = test::SpecialAndRandomHashes(3000, 2);
  reference::Filter expected = test::EmptyReference(Layout::kBlocked, 7, 64 * 20);
  for (const uint64_t hash : hashes) expected.Insert(hash);
  BlockedFilter filter = Make(300, 7, hashes);
  ASSERT_TRUE(filter.Fold(5).ok() && filter.Fold(3).ok()) << "folding twice is folding by the product";
  EXPECT_EQ(std::vector<uint8_t>(filter.body(), filter.body() + filter.body_bytes()),
            std::vector<uint8_t>(expected.body.begin(), expected.body.end()));
}

TEST(Fold, TakesKeysAfterwards) {
  const std::vector<uint64_t> before = RandomHashes(2000, 1), after = RandomHashes(2000, 2);
  BlockedFilter filter = Make(96, 5, before), expected = Make(32, 5, before);
  ASSERT_TRUE(filter.Fold(3).ok());
  EXPECT_EQ(filter.InsertHashes(after.data(), after.size()), expected.InsertHashes(after.data(), after.size()));
  EXPECT_EQ(ImageOf(filter), ImageOf(expected));
}

TEST(Fold, KeepsSeedSecretAndHashOfTheFilter) {
  FilterOptions options = BitsPerKey(20);
  options.foldable = true;
  options.seed = 77;
  BlockedFilter seeded, keyed;
  ASSERT_TRUE(seeded.Create(1000, options).ok());
  options.seed = 0;
  options.hash_id = HashId::kKeyed;
  options.secret.bytes[3] = 9;
  ASSERT_TRUE(keyed.Create(1000, options).ok());
  for (BlockedFilter* filter : {&seeded, &keyed}) {
    const uint64_t seed = filter->seed();
    filter->InsertKey("a key");
    ASSERT_TRUE(filter->Fold(2).ok());
    EXPECT_EQ(filter->seed(), seed);
    EXPECT_TRUE(filter->MayContainKey("a key"));
    EXPECT_FALSE(filter->MayContainKey("another one"));
    filter->InsertKey("another one");
    EXPECT_TRUE(filter->MayContainKey("another one"));
  }
}

TEST(Fold, RefusesOtherFactorsAndNamesTheNearest) {
  BlockedFilter filter = Make(100, 5, RandomHashes(500, 1));
  const std::string before = ImageOf(filter);
  const auto message = [&](uint64_t factor) {
    const Status status = filter.Fold(factor);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(ImageOf(filter), before) << factor;
    return std::string(status.message());
  };
  EXPECT_EQ(message(7).rfind("100 blocks cannot be folded by 7: by 5 or 10", 0), 0u) << message(7);
  EXPECT_NE(message(3).find("by 2 or 4"), std::string::npos) << message(3);
  EXPECT_NE(message(99).find("by 50 or 100"), std::string::npos) << message(99);
  EXPECT_EQ(message(0), "100 blocks cannot be folded by 0: by 1 to 100");
  EXPECT_EQ(message(101), "100 blocks cannot be folded by 101: by 1 to 100");
  EXPECT_NE(message(~uint64_t{0}).find("by 18446744073709551615: by 1 to 100"), std::string::npos);
  filter = Make(1, 5, {});
  EXPECT_STREQ(filter.Fold(2).message(), "1 block cannot be folded by 2: by 1 to 1");
  filter = Make(97, 5, {});
  EXPECT_NE(std::string(filter.Fold(10).message()).find("by 1 or 97"), std::string::npos);
}

TEST(Fold, RefusesWhatHasNoBlocksToFold) {
  BlockedFilter broken;
  EXPECT_EQ(broken.Fold(1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(broken.FoldToFpr(0.5).code(), StatusCode::kInvalidArgument);
  ClassicFilter classic;
  ASSERT_TRUE(classic.Create(1000, BitsPerKey(10)).ok());
  const std::string before = ImageOf(classic);
  for (const Status& status : {classic.Fold(2), classic.FoldToFpr(0.5)}) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(status.message()).find("layout classic cannot be folded"), std::string::npos);
  }
  EXPECT_EQ(ImageOf(classic), before);
}

TEST(Fold, GivesTheMemoryBackOrChangesNothing) {
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  TestAllocator allocator;
  FilterOptions options;
  options.allocator = allocator.hooks();
  BlockedFilter filter = Make(120, 6, hashes, options);
  const std::string before = ImageOf(filter);
  allocator.FailFrom(0);
  const Status status = filter.Fold(4);
  EXPECT_EQ(status.code(), StatusCode::kOutOfMemory);
  EXPECT_NE(std::string(status.message()).find("1920 bytes"), std::string::npos) << status.message();
  EXPECT_EQ(filter.FoldToFpr(0.9999).code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(filter.Union(Make(90, 6, hashes)).code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(ImageOf(filter), before);
  EXPECT_EQ(allocator.live_bytes(), 120u * 64);
  allocator.FailFrom(TestAllocator::kNever);
  ASSERT_TRUE(filter.Fold(4).ok());
  EXPECT_TRUE(allocator.Owns(filter.body()));
  EXPECT_EQ(allocator.live_bytes(), 30u * 64);
  EXPECT_EQ(filter.MemoryUse(), 30u * 64 + sizeof(filter));
  EXPECT_EQ(ImageOf(filter), ImageOf(Make(30, 6, hashes)));
}

// --- Counters -----------------------------------------------------------------------------------------------------

CountingBlockedFilter MakeCounting(uint64_t num_blocks, uint32_t num_probes, const std::vector<uint64_t>& hashes) {
  const reference::Bytes image =
      reference::WriteImage(test::EmptyReference(Layout::kCounting, num_probes, static_cast<size_t>(64 * num_blocks)));
  CountingBlockedFilter filter;
  const Status status = filter.CreateFromImage(image.data(), image.size());
  EXPECT_TRUE(status.ok()) << status.message();
  filter.InsertHashes(hashes.data(), hashes.size());
  return filter;
}

// Also of counters that are saturated, before or by folding.
TEST(FoldCounting, IsToTheByteAFilterMadeOfThatSize) {
  for (const uint64_t num_blocks : {1u, 2u, 97u, 100u, 360u}) {
    for (const size_t keys_per_block : {3u, 20u, 300u}) {
      std::vector<uint64_t> hashes = RandomHashes(keys_per_block * num_blocks, 1);
      for (size_t i = 0; i < 20; ++i) hashes.push_back(hashes[0]);
      const std::string image = ImageOf(MakeCounting(num_blocks, 7, hashes));
      const FilterView view(image.data(), image.size());
      for (const uint64_t factor : DivisorsOf(num_blocks)) {
        SCOPED_TRACE(std::to_string(num_blocks) + " blocks by " + std::to_string(factor));
        const std::string expected = ImageOf(MakeCounting(num_blocks / factor, 7, hashes));
        CountingBlockedFilter filter;
        ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok() && filter.Fold(factor).ok());
        EXPECT_TRUE(ImageOf(filter) == expected);
        EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size()) << "no key is lost";
        Collector written;
        ASSERT_TRUE(FoldImage(view, factor, written.sink()).ok());
        EXPECT_TRUE(written.bytes == expected);
      }
    }
  }
}

TEST(FoldCounting, KeysCanBeRemovedAfterwards) {
  const std::vector<uint64_t> hashes = RandomHashes(200, 1);
  CountingBlockedFilter filter = MakeCounting(120, 6, hashes);
  ASSERT_TRUE(filter.Fold(4).ok());
  EXPECT_EQ(filter.RemoveHashes(hashes.data(), hashes.size()), hashes.size());
  EXPECT_EQ(ImageOf(filter), ImageOf(MakeCounting(30, 6, {}))) << "nothing is left";
}

TEST(FoldCounting, FoldsToTheLeastSizeOfAll) {
  for (const size_t keys_per_block : {2u, 10u}) {
    const std::string image = ImageOf(MakeCounting(360, 5, RandomHashes(360 * keys_per_block, 1)));
    for (const double fpr : {1e-4, 0.01, 0.2}) {
      CountingBlockedFilter filter;
      ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
      uint64_t expected = 0;
      for (const uint64_t factor : DivisorsOf(360)) {
        CountingBlockedFilter folded;
        ASSERT_TRUE(folded.CreateFromImage(image.data(), image.size()).ok() && folded.Fold(factor).ok());
        if (folded.ExpectedFpr() <= fpr) expected = factor;
      }
      EXPECT_EQ(filter.FoldToFpr(fpr).ok(), expected != 0);
      EXPECT_EQ(filter.num_blocks(), expected == 0 ? 360 : 360 / expected);
    }
  }
}

TEST(FoldCounting, AUnionOfUnequalSizesAddsUp) {
  const std::vector<uint64_t> mine = RandomHashes(300, 1), theirs = RandomHashes(200, 2);
  std::vector<uint64_t> all = mine;
  all.insert(all.end(), theirs.begin(), theirs.end());
  all.insert(all.end(), mine.begin(), mine.begin() + 50);
  std::vector<uint64_t> other = theirs;
  other.insert(other.end(), mine.begin(), mine.begin() + 50);
  CountingBlockedFilter filter = MakeCounting(96, 6, mine);
  const std::string my_image = ImageOf(filter), other_image = ImageOf(MakeCounting(36, 6, other));
  ASSERT_TRUE(filter.Union(MakeCounting(36, 6, other)).ok());
  EXPECT_EQ(ImageOf(filter), ImageOf(MakeCounting(12, 6, all)));
  const FilterView one(my_image.data(), my_image.size()), two(other_image.data(), other_image.size());
  const FilterView* const both[] = {&one, &two};
  Collector written;
  ASSERT_TRUE(UniteImages(both, 2, written.sink()).ok());
  EXPECT_EQ(written.bytes, ImageOf(MakeCounting(12, 6, all)));
}

TEST(FoldCounting, CanBeMadeFoldable) {
  FilterOptions options = BitsPerKey(40);
  options.foldable = true;
  CountingBlockedFilter filter;
  ASSERT_TRUE(filter.Create(1000, options).ok());
  EXPECT_EQ(filter.num_blocks(), 128u);
}

// --- The factor for a rate or a size ------------------------------------------------------------------------------

// The largest factor of which the folded filter itself says that it is good enough.
uint64_t BruteForce(const std::string& image, double fpr) {
  const FilterView view(image.data(), image.size());
  uint64_t best = 0;
  for (const uint64_t factor : DivisorsOf(view.num_blocks())) {
    BlockedFilter filter;
    EXPECT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok() && filter.Fold(factor).ok());
    if (filter.ExpectedFpr() <= fpr) best = factor;
  }
  return best;
}

TEST(FoldToFpr, FindsTheLeastSizeOfAll) {
  for (const uint64_t num_blocks : {1u, 64u, 97u, 100u, 360u, 720u, 1155u, 5040u}) {
    for (const double bits_per_key : {12.0, 40.0, 400.0}) {
      const size_t num_keys = static_cast<size_t>(512 * static_cast<double>(num_blocks) / bits_per_key);
      const std::vector<uint64_t> hashes = RandomHashes(num_keys, num_blocks);
      const std::string image = ImageOf(Make(num_blocks, 5, hashes));
      for (const double fpr : {1e-9, 1e-4, 0.003, 0.01, 0.05, 0.3, 0.999}) {
        SCOPED_TRACE(std::to_string(num_blocks) + " blocks, fpr " + std::to_string(fpr));
        const uint64_t expected = BruteForce(image, fpr);
        BlockedFilter filter;
        ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok());
        const Status status = filter.FoldToFpr(fpr);
        if (expected == 0) {
          EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
          EXPECT_NE(std::string(status.message()).find("before any folding"), std::string::npos) << status.message();
          EXPECT_EQ(ImageOf(filter), image);
        } else {
          ASSERT_TRUE(status.ok()) << status.message();
          EXPECT_EQ(filter.num_blocks(), num_blocks / expected);
          EXPECT_LE(filter.ExpectedFpr(), fpr);
        }
      }
    }
  }
}

// Keys in one place: there a factor can be worse than a larger one which does not contain it.
TEST(FoldToFpr, FindsItWhereRatesDoNotRiseWithTheFactor) {
  test::Random random(5);
  for (int round = 0; round < 200; ++round) {
    const uint64_t num_blocks = round % 2 == 0 ? 36 : 60;
    std::vector<uint64_t> hashes;
    for (uint64_t cluster = random.Below(6) + 1; cluster-- != 0;) {
      const uint64_t block = random.Below(num_blocks);
      for (uint64_t i = random.Below(300); i-- != 0;) {
        // Somewhere in that block.
        hashes.push_back((~uint64_t{0} / num_blocks) * block + random.Below(~uint64_t{0} / num_blocks));
      }
    }
    const std::string image = ImageOf(Make(num_blocks, 3, hashes));
    const FilterView view(image.data(), image.size());
    for (const double fpr : {0.02, 0.05, 0.1, 0.2, 0.4, 0.7}) {
      const uint64_t expected = BruteForce(image, fpr);
      uint64_t factor = 0;
      EXPECT_EQ(FoldFactorForFpr(view, fpr, &factor).ok(), expected != 0);
      if (expected != 0) {
        EXPECT_EQ(factor, expected) << round << ", " << fpr;
      }
    }
  }
}

// Blocks 5 and 6 of 36 are full: by 6 they lie apart (2 of 6 blocks say "maybe"), by 9 in one (1 of 4).
TEST(FoldToFpr, FindsAFactorBehindOneThatFails) {
  constexpr uint64_t kShare = ~uint64_t{0} / 36;
  test::Random random(6);
  std::vector<uint64_t> hashes;
  for (uint64_t i = 0; i < 6000; ++i) hashes.push_back(kShare * (5 + i % 2) + 1000 + random.Below(kShare - 1000));
  const std::string image = ImageOf(Make(36, 3, hashes));
  EXPECT_EQ(BruteForce(image, 0.3), 9u);
  uint64_t factor = 0;
  ASSERT_TRUE(FoldFactorForFpr(FilterView(image.data(), image.size()), 0.3, &factor).ok());
  EXPECT_EQ(factor, 9u);
}

TEST(FoldToFpr, RefusesRatesThatAreNone) {
  BlockedFilter filter = Make(64, 5, {});
  for (const double fpr : {0.0, 1.0, -0.1, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(filter.FoldToFpr(fpr).code(), StatusCode::kInvalidArgument) << fpr;
  }
  EXPECT_EQ(filter.num_blocks(), 64u);
  EXPECT_TRUE(filter.FoldToFpr(1e-9).ok());
  EXPECT_EQ(filter.num_blocks(), 1u) << "what holds no key is good enough in any size";
}

TEST(FoldFactorForBytes, FindsTheLargestImageThatFits) {
  const std::string image = ImageOf(Make(1200, 5, RandomHashes(1000, 1)));
  const FilterView view(image.data(), image.size());
  for (const uint64_t bytes : {uint64_t{72}, uint64_t{600}, uint64_t{4096}, uint64_t{4104}, uint64_t{38000},
                               uint64_t{view.image_bytes()} - 1, uint64_t{view.image_bytes()}, ~uint64_t{0}}) {
    uint64_t factor = 0;
    ASSERT_TRUE(FoldFactorForBytes(view, bytes, &factor).ok()) << bytes;
    for (const uint64_t other : DivisorsOf(1200)) {
      Collector written;
      ASSERT_TRUE(FoldImage(view, other, written.sink()).ok());
      EXPECT_EQ(written.bytes.size() <= bytes, other >= factor) << bytes << ", " << other;
    }
  }
  uint64_t factor = 5;
  const Status status = FoldFactorForBytes(view, 71, &factor);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(std::string(status.message()).find("of 72"), std::string::npos) << status.message();
  EXPECT_EQ(factor, 5u);
}

// --- foldable -----------------------------------------------------------------------------------------------------

FilterOptions Foldable(double bits_per_key) {
  FilterOptions options = BitsPerKey(bits_per_key);
  options.foldable = true;
  return options;
}

TEST(Foldable, HasBlocksThatSixtyFourDivides) {
  for (const uint64_t num_keys : {0u, 1u, 100u, 3000u, 50000u, 1000000u}) {
    BlockedFilter plain, filter;
    ConcurrentBlockedFilter shared;
    ASSERT_TRUE(plain.Create(num_keys, BitsPerKey(10)).ok() && filter.Create(num_keys, Foldable(10)).ok());
    ASSERT_TRUE(shared.Create(num_keys, Foldable(10)).ok());
    EXPECT_EQ(filter.num_blocks() % 64, 0u);
    EXPECT_LT(filter.num_blocks() - plain.num_blocks(), 64u) << "the least such number";
    EXPECT_EQ(shared.num_blocks(), filter.num_blocks());
    const std::vector<uint64_t> hashes = RandomHashes(static_cast<size_t>(num_keys), 1);
    filter.InsertHashes(hashes.data(), hashes.size());
    FilterBuilder builder(Foldable(10));  // kAuto
    builder.AddHashes(hashes.data(), hashes.size());
    std::string image;
    ASSERT_TRUE(builder.Finish(&image).ok());
    test::HashesInMemory memory{&hashes};
    Collector streamed;
    ASSERT_TRUE(BuildFromSource(Foldable(10), memory.source(), streamed.sink()).ok());
    EXPECT_TRUE(streamed.bytes == image);
    if (num_keys == 0) continue;  // the empty set
    const FilterView view(image.data(), image.size());
    EXPECT_EQ(builder.sizing().body_bytes, filter.body_bytes());
    EXPECT_EQ(builder.sizing().expected_fpr,
              ExpectedFpr(Layout::kBlocked, num_keys, filter.body_bytes(), filter.num_probes()));
    EXPECT_DOUBLE_EQ(builder.sizing().bits_per_key,
                     8.0 * static_cast<double>(filter.body_bytes()) / static_cast<double>(num_keys));
    ASSERT_EQ(view.layout(), Layout::kBlocked);
    EXPECT_EQ(memcmp(view.body(), filter.body(), static_cast<size_t>(filter.body_bytes())), 0);
  }
}

TEST(Foldable, HasTheSameProbesForAnyNumberOfKeysAndKeepsTheRate) {
  for (const double fpr : {0.3, 0.05, 0.01, 0.0013, 1e-5}) {
    FilterOptions options;
    options.fpr = fpr;
    options.foldable = true;
    for (const uint64_t num_keys : {1u, 10u, 333u, 5000u, 77777u, 3000000u}) {
      BlockedFilter filter;
      ASSERT_TRUE(filter.Create(num_keys, options).ok());
      EXPECT_EQ(filter.num_blocks() % 64, 0u);
      EXPECT_EQ(filter.num_probes(), NumProbesForBitsPerKey(Layout::kBlocked, BitsPerKeyForFpr(Layout::kBlocked, fpr)));
      EXPECT_LE(ExpectedFpr(Layout::kBlocked, num_keys, filter.body_bytes(), filter.num_probes()), fpr);
    }
  }
  // Where one probe more or less is as good, the best of a small set is not that of all.
  for (uint32_t k = 2; k <= 14; ++k) {
    const double edge = FprForBitsPerKey(Layout::kBlocked, MinBitsPerKeyForNumProbes(Layout::kBlocked, k));
    for (const double fpr : {edge * 0.999, edge * 1.001}) {
      for (uint64_t num_keys = 200; num_keys < 2000000; num_keys = num_keys * 3 / 2) {
        FilterOptions options;
        options.fpr = fpr;
        options.foldable = true;
        uint64_t image_bytes = 0;
        ASSERT_TRUE(FilterBuilder::EstimateBytes(options, num_keys, &image_bytes).ok());
        const uint32_t num_probes = NumProbesForBitsPerKey(Layout::kBlocked, BitsPerKeyForFpr(Layout::kBlocked, fpr));
        EXPECT_LE(ExpectedFpr(Layout::kBlocked, num_keys, image_bytes / 4096 * 4096, num_probes), fpr)
            << num_keys << " keys, " << fpr;
      }
    }
  }
  FilterOptions options = Foldable(10);
  options.num_probes = 3;
  BlockedFilter filter;
  ASSERT_TRUE(filter.Create(10, options).ok());
  EXPECT_EQ(filter.num_probes(), 3u);
}

TEST(Foldable, IsRefusedWhereNothingCanBeFolded) {
  for (const Layout layout : {Layout::kClassic, Layout::kRetrieval}) {
    FilterOptions options = Foldable(10);
    options.layout = layout;
    const FilterBuilder builder(options);
    EXPECT_EQ(builder.status().code(), StatusCode::kInvalidArgument);
    EXPECT_NE(std::string(builder.status().message()).find("cannot be folded: leave out foldable"), std::string::npos);
  }
  ClassicFilter classic;
  EXPECT_EQ(classic.Create(100, Foldable(10)).code(), StatusCode::kInvalidArgument);
}

// --- Unions -------------------------------------------------------------------------------------------------------

TEST(Union, OfUnequalSizesIsTheFilterOfTheCommonSize) {
  const std::vector<uint64_t> mine = RandomHashes(700, 1), theirs = RandomHashes(900, 2);
  std::vector<uint64_t> all = mine;
  all.insert(all.end(), theirs.begin(), theirs.end());
  const uint64_t sizes[][2] = {{64, 64}, {64, 32}, {32, 64}, {96, 64},      {60, 84},
                               {7, 11},  {1, 100}, {100, 1}, {98304, 65536}};
  for (const auto& [mine_blocks, theirs_blocks] : sizes) {
    SCOPED_TRACE(std::to_string(mine_blocks) + " and " + std::to_string(theirs_blocks) + " blocks");
    const std::string expected = ImageOf(Make(std::gcd(mine_blocks, theirs_blocks), 4, all));
    const BlockedFilter other = Make(theirs_blocks, 4, theirs);
    const std::string image = ImageOf(other), my_image = ImageOf(Make(mine_blocks, 4, mine));
    const FilterView view(image.data(), image.size()), my_view(my_image.data(), my_image.size());
    BlockedFilter one = Make(mine_blocks, 4, mine), two = Make(mine_blocks, 4, mine);
    ASSERT_TRUE(one.Union(other).ok() && two.Union(view).ok());
    EXPECT_TRUE(ImageOf(one) == expected);
    EXPECT_TRUE(ImageOf(two) == expected);
    EXPECT_TRUE(ImageOf(other) == image) << "the other one is as it was";
    EXPECT_EQ(one.CountMaybes(all.data(), all.size()), all.size());
    const FilterView* const views[] = {&my_view, &view};
    Collector written;
    ASSERT_TRUE(UniteImages(views, 2, written.sink()).ok());
    EXPECT_TRUE(written.bytes == expected);
  }
}

TEST(Union, RefusesOtherProbesAndChangesNothing) {
  BlockedFilter filter = Make(64, 4, RandomHashes(100, 1));
  const std::string before = ImageOf(filter);
  EXPECT_EQ(filter.Union(Make(32, 5, {})).code(), StatusCode::kIncompatible);
  EXPECT_EQ(ImageOf(filter), before);
}

TEST(UniteImages, TakesManyAndEmptySetsAndClassicOfOneSize) {
  FilterOptions options = BitsPerKey(10);
  const auto build = [&](const std::vector<uint64_t>& hashes, Layout layout) {
    options.layout = layout;
    FilterBuilder builder(options);
    builder.AddHashes(hashes.data(), hashes.size());
    std::string image;
    EXPECT_TRUE(builder.Finish(&image).ok());
    return image;
  };
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic}) {
    std::vector<std::string> images = {build({}, layout)};
    std::vector<uint64_t> all;
    for (uint64_t i = 0; i < 5; ++i) {
      const std::vector<uint64_t> hashes = RandomHashes(6000, i);
      images.push_back(build(hashes, layout));
      all.insert(all.end(), hashes.begin(), hashes.end());
    }
    std::vector<FilterView> views;
    std::vector<const FilterView*> pointers;
    for (const std::string& image : images) views.emplace_back(image.data(), image.size());
    for (const FilterView& view : views) pointers.push_back(&view);
    Collector written, nothing;
    const Status status = UniteImages(pointers.data(), pointers.size(), written.sink());
    ASSERT_TRUE(status.ok()) << status.message();
    const FilterView united(written.bytes.data(), written.bytes.size());
    ASSERT_TRUE(united.Verify().ok());
    EXPECT_EQ(united.CountMaybes(all.data(), all.size()), all.size());
    EXPECT_EQ(united.body_bytes(), views[1].body_bytes());
    EXPECT_FALSE(united.has_num_keys()) << "keys may be in several: nobody counted";
    ASSERT_TRUE(UniteImages(pointers.data(), 1, nothing.sink()).ok());
    EXPECT_TRUE(FilterView(nothing.bytes.data(), nothing.bytes.size()).empty_set());
  }
  const std::string classic = build(RandomHashes(500, 1), Layout::kClassic),
                    larger = build(RandomHashes(600, 1), Layout::kClassic),
                    retrieval = build(RandomHashes(500, 1), Layout::kRetrieval),
                    blocked = build(RandomHashes(500, 1), Layout::kBlocked);
  const auto refused = [](const std::string& a, const std::string& b, const char* words) {
    const FilterView one(a.data(), a.size()), two(b.data(), b.size());
    const FilterView* const both[] = {&one, &two};
    Collector written;
    const Status status = UniteImages(both, 2, written.sink());
    EXPECT_EQ(status.code(), StatusCode::kIncompatible);
    EXPECT_NE(std::string(status.message()).find(words), std::string::npos) << status.message();
    EXPECT_EQ(written.bytes, "");
  };
  refused(classic, larger, "the size is another");
  refused(classic, blocked, "the layout is another");
  refused(retrieval, retrieval, "layout retrieval cannot be united");
  Collector none;
  EXPECT_EQ(UniteImages(nullptr, 0, none.sink()).code(), StatusCode::kInvalidArgument);
}

// --- Images -------------------------------------------------------------------------------------------------------

TEST(FoldImage, IsToTheByteWhatABuilderMakes) {
  const std::vector<uint64_t> hashes = RandomHashes(300000, 1);
  FilterOptions options = Foldable(40);
  options.seed = 5;
  options.num_probes = 6;
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  std::string image, expected;
  ASSERT_TRUE(builder.Finish(&image).ok());
  const FilterView view(image.data(), image.size());
  options.foldable = false;
  options.bits_per_key =
      8.0 * static_cast<double>(view.body_bytes() / 4) / static_cast<double>(hashes.size()) * (1 - 1e-12);
  FilterBuilder small(options);
  small.AddHashes(hashes.data(), hashes.size());
  ASSERT_TRUE(small.Finish(&expected).ok());
  Collector written;
  ASSERT_TRUE(FoldImage(view, 4, written.sink()).ok());
  EXPECT_TRUE(written.bytes == expected) << "with seed, number of keys and checks";
}

TEST(FoldImage, RefusesWhatIsDamagedAndSaysWhatFailed) {
  std::string image = ImageOf(Make(1000, 5, RandomHashes(1000, 1)));
  const FilterView view(image.data(), image.size());
  Collector written, stopping;
  stopping.stop_after = 1;
  EXPECT_EQ(FoldImage(view, 4, stopping.sink()).code(), StatusCode::kIoError);
  EXPECT_EQ(FoldImage(view, 4, Sink()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FoldImage(view, 3, written.sink()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FoldImage(FilterView(), 1, written.sink()).code(), StatusCode::kCorrupt);
  const std::string empty_set = [] {
    std::string bytes;
    FilterBuilder builder(BitsPerKey(10));
    EXPECT_TRUE(builder.Finish(&bytes).ok());
    return bytes;
  }();
  Collector empty;
  EXPECT_TRUE(FoldImage(FilterView(empty_set.data(), empty_set.size()), 3, empty.sink()).ok());
  EXPECT_EQ(empty.bytes, empty_set) << "of no blocks any share is the same";
  const Status by_0 = FoldImage(FilterView(empty_set.data(), empty_set.size()), 0, written.sink());
  EXPECT_EQ(by_0.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(by_0.message(), "the empty set cannot be folded by 0: by 1 or more");
  TestAllocator allocator;
  for (uint64_t nth = 0; nth < 2; ++nth) {
    allocator.FailFrom(nth);
    EXPECT_EQ(FoldImage(view, 4, written.sink(), allocator.hooks()).code(), StatusCode::kOutOfMemory) << nth;
  }
  EXPECT_EQ(written.bytes, "");
  image[20000] = static_cast<char>(image[20000] ^ 1);
  const FilterView* const both[] = {&view, &view};
  EXPECT_EQ(FoldImage(view, 4, written.sink()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(UniteImages(both, 2, written.sink()).code(), StatusCode::kCorrupt);
  BlockedFilter filter = Make(500, 5, {});
  EXPECT_EQ(filter.Union(view).code(), StatusCode::kCorrupt);
  EXPECT_EQ(filter.num_blocks(), 500u);
  EXPECT_EQ(written.bytes, "");
}

}  // namespace
}  // namespace linefilter
