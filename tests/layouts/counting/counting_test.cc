// Layout `counting` as its specification: counters that saturate and never wrap, removals that are refused or take the
// key out again, unions that add up; on every target the bytes of the reference. And that churn loses no key.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/churn.h"
#include "tests/testing/exact_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter {
namespace {

using test::BitsPerKey;
using test::OnEveryTarget;

CountingBlockedFilter Make(uint64_t num_keys, double bits_per_key = 48, uint32_t num_probes = 0) {
  FilterOptions options = BitsPerKey(bits_per_key);
  options.num_probes = num_probes;
  options.hash_id = HashId::kCaller;
  CountingBlockedFilter filter = test::Created<CountingBlockedFilter>(num_keys, options);
  return filter;
}

std::vector<uint8_t> BodyOf(const FilterBase& filter) { return {filter.body(), filter.body() + filter.body_bytes()}; }

// The counters of a body, by value: how_many[v] of them hold v.
std::vector<uint64_t> CountersOf(const FilterBase& filter) {
  std::vector<uint64_t> how_many(16, 0);
  for (const uint8_t byte : BodyOf(filter)) ++how_many[byte & 15], ++how_many[byte >> 4];
  return how_many;
}

// Inserts and removals mixed at random, of few keys in one to three blocks, so that counters saturate, each answer and
// the bytes after each hundred are the reference's.
TEST(Counting, DoesAsTheReferenceOnEveryTarget) {
  for (const uint32_t num_probes : {1u, 2u, 6u, 7u, 15u, 16u}) {
    for (const size_t blocks : {1u, 3u}) {
      SCOPED_TRACE(std::to_string(num_probes) + " probes, " + std::to_string(blocks) + " blocks");
      struct Step {
        bool remove;
        uint64_t hash;
        bool answer;
      };
      test::Random random(num_probes + 100 * blocks);
      reference::Filter expected = test::EmptyReference(Layout::kCounting, num_probes, 64 * blocks);
      std::vector<uint64_t> keys = test::SpecialAndRandomHashes(40, num_probes);
      std::vector<Step> steps;
      std::vector<reference::Bytes> bodies;
      for (int i = 0; i < 3000; ++i) {
        // It swings: up to saturation, down to empty and what saturation left.
        const bool remove = random() % 100 < (i / 500 % 2 == 0 ? 30u : 75u);
        const uint64_t hash = keys[random() % keys.size()];
        steps.push_back({remove, hash, remove ? expected.Remove(hash) : expected.Insert(hash)});
        if (i % 100 == 99) bodies.push_back(expected.body);
      }
      const auto saturated = std::count(expected.body.begin(), expected.body.end(), 0xff);
      EXPECT_TRUE(num_probes < 15 || saturated > 0) << "saturation came";
      OnEveryTarget([&](const char*) {
        const auto copy = test::MutableCopy(test::EmptyReference(Layout::kCounting, num_probes, 64 * blocks));
        Filter& filter = *copy;
        size_t wrong = 0;
        for (size_t i = 0; i < steps.size(); ++i) {
          const Step& step = steps[i];
          wrong += (step.remove ? filter.RemoveHash(step.hash) : filter.InsertHash(step.hash)) != step.answer;
          if (i % 100 == 99) wrong += BodyOf(filter) != bodies[i / 100];
        }
        EXPECT_EQ(wrong, 0u);
      });
    }
  }
}

TEST(Counting, RemovesInBatchesAsOneByOneOnEveryTarget) {
  // In cache, and above the size from which batches prefetch.
  for (const uint64_t num_keys : {uint64_t{3000}, uint64_t{400000}}) {
    std::vector<uint64_t> keys = test::SpecialAndRandomHashes(num_keys, 5), to_remove = keys;
    for (size_t i = 0; i < to_remove.size(); i += 3) to_remove[i] = ~to_remove[i] * 3;  // strangers
    for (size_t i = 1; i < to_remove.size(); i += 7) to_remove[i] = to_remove[i - 1];   // twice in a row
    CountingBlockedFilter by_one = Make(num_keys);
    by_one.InsertHashes(keys.data(), keys.size());
    std::vector<uint8_t> expected;
    for (const uint64_t hash : to_remove) expected.push_back(by_one.RemoveHash(hash));
    const uint64_t count = static_cast<uint64_t>(std::count(expected.begin(), expected.end(), 1));
    EXPECT_GT(count, num_keys / 3);
    EXPECT_LT(count, num_keys);
    OnEveryTarget([&](const char*) {
      for (const bool ask : {false, true}) {
        CountingBlockedFilter filter = Make(num_keys);
        filter.InsertHashes(keys.data(), keys.size());
        std::vector<uint8_t> were_removed(keys.size() + 1, 0xa5);
        EXPECT_EQ(filter.RemoveHashes(to_remove.data(), to_remove.size(), ask ? were_removed.data() : nullptr), count);
        EXPECT_EQ(were_removed.back(), 0xa5);
        were_removed.pop_back();
        if (ask) {
          EXPECT_EQ(were_removed, expected);
        }
        EXPECT_EQ(BodyOf(filter), BodyOf(by_one));
      }
    });
  }
}

TEST(Counting, IsEmptyAgainWhenAllThatCameHasGone) {
  CountingBlockedFilter filter = Make(10000);
  const std::vector<uint64_t> keys = test::SpecialAndRandomHashes(10000, 1);
  EXPECT_EQ(filter.CountMaybes(keys.data(), keys.size()), 0u);
  filter.InsertHashes(keys.data(), keys.size());
  EXPECT_EQ(filter.CountMaybes(keys.data(), keys.size()), keys.size());
  EXPECT_EQ(filter.RemoveHashes(keys.data(), keys.size()), keys.size());
  EXPECT_EQ(CountersOf(filter)[0], 2 * filter.body_bytes());
  EXPECT_EQ(filter.ExpectedFpr(), 0);
}

TEST(Counting, ForgetsAKeyThatCameTwiceWhenItHasGoneTwice) {
  CountingBlockedFilter filter = Make(1);
  EXPECT_TRUE(filter.InsertHash(7)) << "certainly new";
  EXPECT_FALSE(filter.InsertHash(7));
  EXPECT_TRUE(filter.RemoveHash(7));
  EXPECT_TRUE(filter.MayContainHash(7));
  EXPECT_TRUE(filter.RemoveHash(7));
  EXPECT_FALSE(filter.MayContainHash(7));
  EXPECT_FALSE(filter.RemoveHash(7)) << "certainly absent";
}

TEST(Counting, RefusesWhatIsAbsentAndChangesNothing) {
  CountingBlockedFilter filter = Make(1000);
  const std::vector<uint64_t> hashes = test::SpecialAndRandomHashes(21000, 2);
  filter.InsertHashes(hashes.data(), 1000);
  const std::vector<uint8_t> before = BodyOf(filter);
  size_t refused = 0;
  for (size_t i = 1000; i < hashes.size(); ++i) {
    if (filter.MayContainHash(hashes[i])) continue;  // a false positive would be taken out
    EXPECT_FALSE(filter.RemoveHash(hashes[i]));
    ++refused;
  }
  EXPECT_GT(refused, 19000u);
  EXPECT_EQ(BodyOf(filter), before);
}

// What no filter can see (filter.h): the reason why the caller must know what it had inserted.
TEST(Counting, TakesFromOtherKeysIfAStrangerIsRemovedThatMayBeThere) {
  CountingBlockedFilter filter = Make(1000, 8);  // many false positives
  const std::vector<uint64_t> hashes = test::SpecialAndRandomHashes(3000, 3);
  filter.InsertHashes(hashes.data(), 1000);
  EXPECT_GT(filter.RemoveHashes(hashes.data() + 1000, 2000), 100u);
  EXPECT_LT(filter.CountMaybes(hashes.data(), 1000), 1000u);
}

TEST(Counting, SaturatesAt15AndNeverWraps) {
  for (const uint32_t num_probes : {1u, 6u, 16u}) {
    for (const uint64_t hash : test::SpecialAndRandomHashes(64, num_probes)) {
      CountingBlockedFilter filter = Make(1, 48, num_probes);
      std::vector<uint64_t> expected(16, 0);
      expected[0] = 128 - num_probes;
      for (int times = 1; times <= 40; ++times) {
        ASSERT_EQ(filter.InsertHash(hash), times == 1);
        std::vector<uint64_t> now = expected;
        now[static_cast<size_t>(std::min(times, 15))] = num_probes;
        ASSERT_EQ(CountersOf(filter), now) << times;
      }
      for (int times = 0; times < 50; ++times) ASSERT_TRUE(filter.RemoveHash(hash)) << "it no longer knows how often";
      expected[15] = num_probes;
      ASSERT_EQ(CountersOf(filter), expected) << "and stays";
      ASSERT_TRUE(filter.MayContainHash(hash));
      filter.Clear();
      ASSERT_FALSE(filter.MayContainHash(hash));
    }
  }
}

TEST(Counting, GoesDownFrom14) {
  CountingBlockedFilter filter = Make(1);
  for (int times = 0; times < 14; ++times) filter.InsertHash(99);
  for (int times = 0; times < 14; ++times) EXPECT_TRUE(filter.RemoveHash(99));
  EXPECT_FALSE(filter.RemoveHash(99));
  EXPECT_EQ(CountersOf(filter)[0], 2 * filter.body_bytes());
}

TEST(CountingUnion, AddsCountersUpTo15) {
  test::Random random(4);
  reference::Filter a = test::EmptyReference(Layout::kCounting, 6, 64 * 37), b = a, sum = a;
  for (size_t i = 0; i < a.body.size(); ++i) {
    a.body[i] = static_cast<uint8_t>(random() & random());
    b.body[i] = static_cast<uint8_t>(random() & random());
    if (i < 256) a.body[i] = static_cast<uint8_t>(i), b.body[i] = 0x7e;
    const int low = std::min((a.body[i] & 15) + (b.body[i] & 15), 15),
              high = std::min(a.body[i] / 16 + b.body[i] / 16, 15);
    sum.body[i] = static_cast<uint8_t>(16 * high + low);
  }
  const auto mine = test::MutableCopy(a), other = test::MutableCopy(b);
  ASSERT_TRUE(mine->Union(*other).ok());
  EXPECT_EQ(BodyOf(*mine), sum.body);
  const auto again = test::MutableCopy(a);
  const reference::Bytes image = reference::WriteImage(b);
  ASSERT_TRUE(again->Union(FilterView(image.data(), image.size(), VerifyMode::kWhole)).ok());
  EXPECT_EQ(BodyOf(*again), sum.body);
}

TEST(CountingUnion, KeepsAKeyThatIsInBothUntilItHasGoneTwice) {
  CountingBlockedFilter a = Make(100), b = Make(100);
  a.InsertHash(1);
  b.InsertHash(1);
  b.InsertHash(2);
  ASSERT_TRUE(a.Union(b).ok());
  EXPECT_TRUE(a.RemoveHash(2));
  EXPECT_FALSE(a.MayContainHash(2));
  EXPECT_TRUE(a.RemoveHash(1));
  EXPECT_TRUE(a.MayContainHash(1));
  EXPECT_TRUE(a.RemoveHash(1));
  EXPECT_FALSE(a.MayContainHash(1));
  a.InsertHash(3);
  ASSERT_TRUE(a.Union(a).ok());
  EXPECT_TRUE(a.RemoveHash(3));
  EXPECT_FALSE(a.MayContainHash(3)) << "with itself it adds nothing";
}

TEST(CountingUnion, IsRefusedWithAnotherLayout) {
  const reference::Bytes image = reference::WriteImage(test::EmptyReference(Layout::kBlocked, 6, 64));
  const auto counting = test::MutableCopy(test::EmptyReference(Layout::kCounting, 6, 64));
  EXPECT_EQ(counting->Union(FilterView(image.data(), image.size(), VerifyMode::kWhole)).code(),
            StatusCode::kIncompatible);
  CountingBlockedFilter made;
  EXPECT_EQ(made.CreateFromImage(image.data(), image.size()).code(), StatusCode::kIncompatible);
}

TEST(Counting, KeepsItsCountsInAnImage) {
  CountingBlockedFilter filter = Make(1000);
  const std::vector<uint64_t> keys = test::SpecialAndRandomHashes(1000, 6);
  filter.InsertHashes(keys.data(), keys.size());
  filter.InsertHashes(keys.data(), 500);
  const std::string image = test::ImageOf(filter);
  CountingBlockedFilter copy = test::FromImage<CountingBlockedFilter>(image);
  EXPECT_EQ(copy.RemoveHashes(keys.data(), keys.size()), keys.size());
  EXPECT_EQ(copy.CountMaybes(keys.data(), 500), 500u);
  EXPECT_EQ(copy.RemoveHashes(keys.data(), 500), 500u);
  EXPECT_EQ(CountersOf(copy)[0], 2 * copy.body_bytes());
}

TEST(Counting, TakesKeysByKey) {
  FilterOptions options = BitsPerKey(48);
  options.seed = 5;
  CountingBlockedFilter filter = test::Created<CountingBlockedFilter>(10, options);
  EXPECT_FALSE(filter.RemoveKey("alice"));
  filter.InsertKey("alice");
  filter.InsertKey(uint64_t{7});
  EXPECT_TRUE(filter.RemoveKey("alice"));
  EXPECT_FALSE(filter.MayContainKey("alice"));
  EXPECT_TRUE(filter.RemoveKey(uint64_t{7}));
  CountingBlockedFilter callers = Make(10);
  callers.InsertHash(HashKey("alice", 0));
  EXPECT_FALSE(callers.RemoveKey("alice")) << "a filter of the caller's hashes cannot tell what that key's is";
  options.seed = 0;
  options.hash_id = HashId::kKeyed;
  options.secret.bytes[3] = 9;
  CountingBlockedFilter keyed = test::Created<CountingBlockedFilter>(10, options);
  keyed.InsertKey("alice");
  EXPECT_TRUE(keyed.RemoveKey("alice"));
  EXPECT_FALSE(keyed.MayContainKey("alice"));
}

TEST(Counting, RemovesNothingBeforeCreateAndAfterAMove) {
  CountingBlockedFilter filter;
  const uint64_t hashes[3] = {1, 2, 3};
  uint8_t were_removed[3] = {1, 1, 1};
  EXPECT_FALSE(filter.RemoveHash(1));
  EXPECT_FALSE(filter.RemoveKey("a"));
  EXPECT_EQ(filter.RemoveHashes(hashes, 3, were_removed), 0u);
  EXPECT_EQ(were_removed[0] + were_removed[1] + were_removed[2], 0);
  EXPECT_TRUE(filter.MayContainHash(1)) << "broken answers maybe";
  filter = Make(10);
  filter.InsertHash(1);
  CountingBlockedFilter moved = std::move(filter);
  EXPECT_FALSE(filter.RemoveHash(1));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(moved.RemoveHash(1));
}

TEST(CountingSizing, RefusesWhatItCannotReachAndSaysWhatItDoes) {
  Sizing sizing;
  const Status status = SizeForFpr(Layout::kCounting, 1000000, 0.001, &sizing);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(status.message(), "fpr is 0.001: layout counting reaches 0.00222 with its most, 64 bits per key");
  ASSERT_TRUE(SizeForFpr(Layout::kCounting, 1000000, 0.0023, &sizing).ok());
  EXPECT_EQ(sizing.num_probes, 7u);
}

// The model against inclusion and exclusion in long doubles. Found: 1e-9.
TEST(CountingSizing, IsExactForAnyProbesAndBlocks) {
  for (uint32_t k = 1; k <= 16; k += k < 8 ? 1 : 4) {
    const test::ExactBlockedFpr exact(k, 8);
    for (const uint64_t num_blocks :
         {uint64_t{1}, uint64_t{2}, uint64_t{7}, uint64_t{999}, uint64_t{1001}, uint64_t{1} << 26}) {
      for (const double bits_per_key : {2.0, 8.0, 24.0, 48.0, 64.0}) {
        const uint64_t n = static_cast<uint64_t>(512 * static_cast<double>(num_blocks) / bits_per_key);
        const double model = ExpectedFpr(Layout::kCounting, n, 64 * num_blocks, k);
        const double by_key = exact.OfKeys(n, num_blocks);
        EXPECT_NEAR(model / by_key, 1, num_blocks > 1000 ? 0.003 : 1e-5)
            << k << " " << num_blocks << " " << bits_per_key;
        if (num_blocks > 1001) {
          EXPECT_NEAR(model / exact.OfDensity(bits_per_key), 1, 1e-5) << k << " " << bits_per_key;
        }
      }
    }
  }
}

TEST(CountingSizing, ChoosesTheBestNumberOfProbes) {
  for (double bits_per_key = kMinBitsPerKey; bits_per_key <= kMaxBitsPerKey; bits_per_key += 1) {
    uint32_t best = 1;
    const auto fpr = [&](uint32_t k) { return test::ExactBlockedFpr(k, 8).OfDensity(bits_per_key); };
    for (uint32_t k = 2; k <= 10; ++k) {
      if (fpr(k) < fpr(best)) best = k;
    }
    EXPECT_NEAR(fpr(NumProbesForBitsPerKey(Layout::kCounting, bits_per_key)) / fpr(best), 1, 1e-6) << bits_per_key;
  }
}

TEST(CountingChurn, LosesNoKeyAndKeepsTheRateOfItsModel) { test::ExpectGoodChurn(200000, 10, 0.05); }

}  // namespace
}  // namespace linefilter
