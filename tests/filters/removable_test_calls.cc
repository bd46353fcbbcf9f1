// The calls that remove: by key, by hash and in batches they do the same. What they refuse changes nothing.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/filter.h"
#include "tests/filters/removable_test.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

QuotientFilter MultisetFor(uint64_t num_keys, FilterOptions options = BitsPerKey(12)) {
  options.hash_id = HashId::kCaller;
  return Created<QuotientFilter>(num_keys, Removable(options));
}

TEST(RemovalCalls, OfABatchDoAsSingleOnesOnEveryTarget) {
  // The larger one is above the size from which batches prefetch.
  for (const uint64_t num_keys : {uint64_t{3000}, uint64_t{400000}}) {
    if (num_keys > 100000 && IsEmulated()) break;
    std::vector<uint64_t> keys = SpecialAndRandomHashes(num_keys, 5), to_remove = keys;
    for (size_t i = 0; i < to_remove.size(); i += 3) to_remove[i] = ~to_remove[i] * 3;  // strangers
    for (size_t i = 1; i < to_remove.size(); i += 7) to_remove[i] = to_remove[i - 1];   // twice in a row
    QuotientFilter by_one = MultisetFor(num_keys);
    by_one.InsertHashes(keys.data(), keys.size());
    std::vector<uint8_t> expected;
    for (const uint64_t hash : to_remove) expected.push_back(by_one.RemoveHash(hash));
    const std::string image = ImageOf(by_one);
    const uint64_t count = static_cast<uint64_t>(std::count(expected.begin(), expected.end(), 1));
    EXPECT_GT(count, num_keys / 3);
    EXPECT_LT(count, num_keys);
    OnEveryTarget([&](const char*) {
      for (const bool ask : {false, true}) {
        QuotientFilter filter = MultisetFor(num_keys);
        filter.InsertHashes(keys.data(), keys.size());
        std::vector<uint8_t> were_removed(keys.size() + 1, 0xa5);
        EXPECT_EQ(filter.RemoveHashes(to_remove.data(), to_remove.size(), ask ? were_removed.data() : nullptr), count);
        EXPECT_EQ(were_removed.back(), 0xa5);
        were_removed.pop_back();
        if (ask) {
          EXPECT_TRUE(were_removed == expected);
        }
        EXPECT_TRUE(ImageOf(filter) == image);
      }
    });
  }
}

TEST(RemovalCalls, TakeKeysByKey) {
  FilterOptions options = Removable(BitsPerKey(12));
  options.seed = 5;
  QuotientFilter filter = Created<QuotientFilter>(10, options);
  EXPECT_FALSE(filter.RemoveKey("alice"));
  filter.InsertKey("alice");
  filter.InsertKey(uint64_t{7});
  EXPECT_TRUE(filter.RemoveKey("alice"));
  EXPECT_FALSE(filter.MayContainKey("alice"));
  EXPECT_TRUE(filter.RemoveKey(uint64_t{7}));
  QuotientFilter callers = MultisetFor(10);
  callers.InsertHash(HashKey("alice", 0));
  EXPECT_FALSE(callers.RemoveKey("alice")) << "a filter of the caller's hashes cannot tell what that key's is";
  QuotientFilter keyed = Created<QuotientFilter>(10, Keyed(Removable(BitsPerKey(12))));
  keyed.InsertKey("alice");
  EXPECT_TRUE(keyed.RemoveKey("alice"));
  EXPECT_FALSE(keyed.MayContainKey("alice"));
}

TEST(RemovalCalls, RemoveNothingBeforeCreateAndAfterAMove) {
  QuotientFilter filter;
  const uint64_t hashes[3] = {1, 2, 3};
  uint8_t were_removed[3] = {1, 1, 1};
  EXPECT_FALSE(filter.RemoveHash(1));
  EXPECT_FALSE(filter.RemoveKey("a"));
  EXPECT_EQ(filter.RemoveHashes(hashes, 3, were_removed), 0u);
  EXPECT_EQ(were_removed[0] + were_removed[1] + were_removed[2], 0);
  EXPECT_TRUE(filter.MayContainHash(1)) << "broken answers maybe";
  filter = MultisetFor(10);
  filter.InsertHash(1);
  QuotientFilter moved = std::move(filter);
  EXPECT_FALSE(filter.RemoveHash(1));  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(moved.RemoveHash(1));
}

TEST(RemovalCalls, RefuseWhatIsAbsentAndChangeNothing) {
  QuotientFilter filter = MultisetFor(1000);
  const std::vector<uint64_t> hashes = SpecialAndRandomHashes(21000, 2);
  filter.InsertHashes(hashes.data(), 1000);
  const std::string before = ImageOf(filter);
  size_t refused = 0;
  for (size_t i = 1000; i < hashes.size(); ++i) {
    if (filter.MayContainHash(hashes[i])) continue;  // a false positive would be taken out
    EXPECT_FALSE(filter.RemoveHash(hashes[i]));
    ++refused;
  }
  EXPECT_GT(refused, 19000u);
  EXPECT_TRUE(ImageOf(filter) == before);
}

// What no filter can see (filter.h): the reason why the caller must know what it had inserted.
TEST(RemovalCalls, TakeFromOtherKeysIfAStrangerIsRemovedThatMayBeThere) {
  QuotientFilter filter = MultisetFor(1000, BitsPerKey(4));  // many false positives
  const std::vector<uint64_t> hashes = SpecialAndRandomHashes(3000, 3);
  filter.InsertHashes(hashes.data(), 1000);
  EXPECT_GT(filter.RemoveHashes(hashes.data() + 1000, 2000), 100u);
  EXPECT_LT(filter.CountMaybes(hashes.data(), 1000), 1000u);
}

TEST(RemovalCalls, FindInAnImageHowOftenAKeyCame) {
  QuotientFilter filter = MultisetFor(1500);
  const std::vector<uint64_t> keys = SpecialAndRandomHashes(1000, 6);
  filter.InsertHashes(keys.data(), keys.size());
  filter.InsertHashes(keys.data(), 500);
  QuotientFilter copy = FromImage<QuotientFilter>(ImageOf(filter));
  EXPECT_EQ(copy.RemoveHashes(keys.data(), keys.size()), keys.size());
  EXPECT_EQ(copy.CountMaybes(keys.data(), 500), 500u);
  EXPECT_EQ(copy.RemoveHashes(keys.data(), 500), 500u);
  EXPECT_EQ(copy.FillRatio(), 0);
}

TEST(RemovalCalls, LeaveAKeyOfBothSidesOfAUnionUntilItHasGoneTwice) {
  QuotientFilter a = MultisetFor(100), b = MultisetFor(100);
  a.InsertHash(1);
  b.InsertHash(1);
  b.InsertHash(2);
  ASSERT_TRUE(IsOk(a.Union(b)));
  EXPECT_TRUE(a.RemoveHash(2));
  EXPECT_FALSE(a.MayContainHash(2));
  EXPECT_TRUE(a.RemoveHash(1));
  EXPECT_TRUE(a.MayContainHash(1));
  EXPECT_TRUE(a.RemoveHash(1));
  EXPECT_FALSE(a.MayContainHash(1));
  a.InsertHash(3);
  ASSERT_TRUE(IsOk(a.Union(a)));
  EXPECT_TRUE(a.RemoveHash(3));
  EXPECT_FALSE(a.MayContainHash(3)) << "with itself it adds nothing";
}

}  // namespace
}  // namespace linefilter::test
