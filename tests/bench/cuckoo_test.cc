// Our own cuckoo filter, the benchmark's peer of `quotient`, is a sound one: it loses no member while keys come and go,
// it fills to 95 %, and a key that it refuses leaves it as it was. (That all its lookups agree is in peers_test.)
#include "bench/peers/cuckoo.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

std::vector<uint64_t> Hashes(uint64_t first, size_t n) {
  std::vector<uint64_t> hashes(n);
  for (size_t i = 0; i < n; ++i) hashes[i] = HashKey(MixHash(first + i));
  return hashes;
}

template <int kBits>
size_t CountMaybes(const Cuckoo<kBits>& filter, const std::vector<uint64_t>& hashes) {
  size_t maybes = 0;
  for (const uint64_t hash : hashes) maybes += filter.table().MayContain(hash);
  return maybes;
}

template <int kBits>
std::string BytesOf(const Cuckoo<kBits>& filter) {
  return std::string(reinterpret_cast<const char*>(filter.table().buckets), filter.bytes());
}

template <int kBits>
void ExpectNothingIsLost() {
  constexpr size_t kKeys = 100000;
  SCOPED_TRACE(kBits);
  Cuckoo<kBits> filter(kKeys), in_batches(kKeys);
  const double bits_per_key = 8 * static_cast<double>(filter.bytes()) / kKeys;
  EXPECT_LT(bits_per_key, kBits / 0.949);
  std::vector<uint64_t> members = Hashes(0, kKeys);
  for (const uint64_t hash : members) ASSERT_TRUE(filter.Insert(hash));
  ASSERT_TRUE(in_batches.InsertBatch(members.data(), members.size()));
  EXPECT_EQ(CountMaybes(filter, members), kKeys);
  EXPECT_EQ(CountMaybes(in_batches, members), kKeys);
  const std::vector<uint64_t> absent = Hashes(uint64_t{1} << 40, 1000000);
  const double expected = 7.6 / static_cast<double>(CuckooTable<kBits>::kSlotMask);
  EXPECT_NEAR(static_cast<double>(CountMaybes(filter, absent)) / 1e6, expected, 0.1 * expected + 4e-5);
  EXPECT_EQ(CountMaybes(filter, absent), CountMaybes(in_batches, absent)) << "where an entry lies changes no answer";

  for (uint64_t turnover = 1; turnover <= 3; ++turnover) {
    const std::vector<uint64_t> others = Hashes(turnover * kKeys, kKeys);
    for (size_t i = 0; i < kKeys; ++i) {
      ASSERT_TRUE(filter.Remove(members[i])) << "of a member";
      ASSERT_TRUE(filter.Insert(others[i]));
    }
    EXPECT_EQ(CountMaybes(filter, others), kKeys);
    EXPECT_NEAR(static_cast<double>(CountMaybes(filter, members)) / kKeys, expected, 0.5 * expected + 1e-4);
    members = others;
  }
  for (const uint64_t hash : members) ASSERT_TRUE(filter.Remove(hash));
  EXPECT_EQ(BytesOf(filter), std::string(filter.bytes(), '\0'));
}

TEST(Cuckoo, LosesNoKeyWhileOthersComeAndGo) {
  ExpectNothingIsLost<10>();
  ExpectNothingIsLost<12>();
  ExpectNothingIsLost<16>();
}

template <int kBits>
void ExpectRefusalChangesNothing() {
  SCOPED_TRACE(kBits);
  Cuckoo<kBits> filter(2000);
  std::vector<uint64_t> members;
  int refused = 0;
  for (const uint64_t hash : Hashes(0, 5000)) {
    const std::string before = BytesOf(filter);
    if (filter.Insert(hash)) {
      members.push_back(hash);
    } else {
      ++refused;
      ASSERT_TRUE(BytesOf(filter) == before);
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(static_cast<double>(members.size()), 0.97 * static_cast<double>(4 * filter.table().num_buckets));
  EXPECT_EQ(CountMaybes(filter, members), members.size());
  const std::vector<uint64_t> too_many = Hashes(0, 5000);
  EXPECT_FALSE(filter.InsertBatch(too_many.data(), too_many.size()));
}

TEST(Cuckoo, ARefusedKeyChangesNothing) {
  ExpectRefusalChangesNothing<10>();
  ExpectRefusalChangesNothing<12>();
  ExpectRefusalChangesNothing<16>();
}

// Both buckets have four slots: a key fits in eight times, and comes out as often.
TEST(Cuckoo, EqualKeysAreEntriesOfTheirOwn) {
  Cuckoo<12> filter(1000);
  const uint64_t hash = Hashes(7, 1)[0];
  for (int i = 0; i < 2 * kCuckooSlots; ++i) EXPECT_TRUE(filter.Insert(hash)) << i;
  EXPECT_FALSE(filter.Insert(hash));
  for (int i = 0; i < 2 * kCuckooSlots; ++i) {
    EXPECT_TRUE(filter.table().MayContain(hash));
    EXPECT_TRUE(filter.Remove(hash)) << i;
  }
  EXPECT_FALSE(filter.table().MayContain(hash));
  EXPECT_FALSE(filter.Remove(hash));
}

}  // namespace
}  // namespace linefilter::bench
