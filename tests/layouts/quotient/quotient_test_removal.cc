// Removal from a multiset of layout `quotient`, beside a plain list of entries in which each entry tells its own
// length. No member is lost, whatever comes and goes.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/layouts/quotient/quotient_test.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::quotient_test {
namespace {

// A block as its definition, without bits. It knows nothing of m and d, and it finds L from the entries: no entry is
// shorter than an entry of length L would be.
class PlainList {
 public:
  struct Entry {
    uint32_t q;  // only its first 6 + bits bits are known
    int bits;
    int bucket() const { return static_cast<int>(q >> 26); }
    uint32_t known() const { return q >> (26 - bits); }
  };

  bool is_saturated() const { return is_saturated_; }
  const std::vector<Entry>& entries() const { return entries_; }

  int Length() const {
    int length = 1664;
    for (const Entry& entry : entries_) length = std::min(length, 64 * entry.bits + entry.bucket());
    return length;
  }
  size_t Find(uint32_t q) const {
    size_t i = 0;
    while (i < entries_.size() && (entries_[i].q ^ q) >> (26 - entries_[i].bits) != 0) ++i;
    return i;
  }
  bool Has(uint32_t q) const { return is_saturated_ || Find(q) < entries_.size(); }

  void Insert(uint32_t q) {
    if (is_saturated_) return;
    int length = Length();
    entries_.push_back({q, BitsAt(length, q >> 26)});
    while (!HasRoom() && length > 0) {
      --length;
      for (Entry& entry : entries_) entry.bits = std::min(entry.bits, BitsAt(length, entry.q >> 26));
    }
    is_saturated_ = !HasRoom();
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return a.bucket() != b.bucket() ? a.bucket() < b.bucket() : a.known() < b.known();
    });
  }
  bool Remove(uint32_t q) {
    if (is_saturated_) return true;
    const size_t i = Find(q);
    if (i == entries_.size()) return false;
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }

 private:
  static int BitsAt(int length, uint32_t bucket) {
    return length / 64 + (static_cast<int>(bucket) < length % 64 ? 1 : 0);
  }
  bool HasRoom() const {
    int bits = 77;
    for (const Entry& entry : entries_) bits += 1 + entry.bits;
    return bits <= 512;
  }

  std::vector<Entry> entries_;
  bool is_saturated_ = false;
};

// The block holds what the list holds, in order and with the same lengths.
bool IsTheSame(const uint8_t* block, const PlainList& list) {
  if (list.is_saturated()) return std::all_of(block, block + 64, [](uint8_t byte) { return byte == 0xff; });
  const std::vector<reference::QuotientEntry> found = reference::QuotientEntries(block);
  if (found.size() != list.entries().size() || reference::QuotientLength(block) != list.Length()) return false;
  for (size_t i = 0; i < found.size(); ++i) {
    const PlainList::Entry& entry = list.entries()[i];
    const uint32_t known = static_cast<uint32_t>(found[i].bucket) << found[i].bits | found[i].remainder;
    if (found[i].bits != entry.bits || known != entry.known()) return false;
  }
  return true;
}

// The rate is exact: entries that differ are of keys that differ.
bool IsTheRate(const FilterBase& filter, const PlainList& list) {
  double fpr = 0;
  const std::vector<PlainList::Entry>& entries = list.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const bool again = i > 0 && entries[i].bits == entries[i - 1].bits && entries[i].known() == entries[i - 1].known();
    if (!again) fpr += std::ldexp(1.0, -6 - entries[i].bits);
  }
  return std::abs(filter.ExpectedFpr() - (list.is_saturated() ? 1 : fpr)) < 1e-12;
}

// Keys of one kind come and go: more come for a while, then more go. Half of the histories also remove strangers, which
// takes out an equal entry or nothing.
class History {
 public:
  explicit History(Random* random)
      : random_(*random), pool_(test::ChooseQuotients(random)), removes_strangers_(random->Below(2) == 0) {
    if (pool_.size() > 600) pool_.resize(600);
    pool_.push_back(7);
  }

  // The number of what differs.
  uint64_t Run() {
    uint64_t wrong = 0;
    const uint64_t steps = 20 + random_.Below(4 * pool_.size());
    for (uint64_t step = 0, swing = steps / (1 + random_.Below(4)) + 1; step < steps; ++step) {
      const bool remove = random_.Below(100) < (step / swing % 2 == 0 ? 25u : 70u);
      wrong += remove ? Remove() : Insert();
      wrong += memcmp(block_.bytes, expected_.body.data(), 64) != 0;
      if (step % 4 == 0 || step + 1 == steps) wrong += !IsTheSame(block_.bytes, list_);
      if (step % 16 == 0 || step + 1 == steps) wrong += !IsTheRate(bound_, list_) + Lost();
    }
    return wrong + Drain();
  }
  uint64_t changes() const { return changes_; }

 private:
  uint64_t HashOf(uint32_t q) { return test::HashOfQuotient(q, 0, 1, &random_); }

  uint64_t Insert() {
    const uint32_t q = pool_[random_.Below(pool_.size())];
    const bool is_new = !list_.Has(q);
    list_.Insert(q);
    live_.push_back(q);
    ++changes_;
    return (expected_.Insert(HashOf(q)) != is_new) + (bound_.Insert(HashOf(q)) != is_new);
  }
  uint64_t Remove() {
    uint32_t q = static_cast<uint32_t>(random_());
    if (!removes_strangers_ || random_.Below(3) != 0) {
      if (live_.empty()) return 0;
      std::swap(live_[random_.Below(live_.size())], live_.back());
      q = live_.back();
      live_.pop_back();
    } else if (random_.Below(2) == 0) {
      q = pool_[random_.Below(pool_.size())] ^ static_cast<uint32_t>(random_.Below(4));
    }
    ++changes_;
    const bool is_there = list_.Remove(q);
    return (expected_.Remove(HashOf(q)) != is_there) + (bound_.Remove(HashOf(q)) != is_there);
  }
  uint64_t Lost() {
    uint64_t lost = 0;
    for (const uint32_t q : live_) lost += !removes_strangers_ && !bound_.MayContainHash(HashOf(q));
    return lost;
  }
  // All that is left goes: the block is empty again, unless it is saturated.
  uint64_t Drain() {
    if (removes_strangers_) return 0;
    uint64_t refused = 0;
    for (const uint32_t q : live_) refused += !bound_.Remove(HashOf(q));
    const uint8_t left = list_.is_saturated() ? 0xff : 0;
    return refused + !std::all_of(block_.bytes, block_.bytes + 64, [&](uint8_t byte) { return byte == left; });
  }

  Random& random_;
  std::vector<uint32_t> pool_, live_;
  const bool removes_strangers_;
  PlainList list_;
  reference::Filter expected_ = EmptyOf(false, 1);
  Block block_;
  Bound bound_{false, block_.bytes, 1};
  uint64_t changes_ = 0;
};

}  // namespace

void ExpectRemovalsLikeAPlainList(uint64_t histories, uint64_t seed) {
  uint64_t tried = 0, changes = 0;
  const uint64_t of_a_target = histories / SupportedTargets().size + 1;
  test::OnEveryTarget([&](const char* target) {
    for (uint64_t i = 0; i < of_a_target; ++i, ++tried) {
      Random random(seed + tried);
      History history(&random);
      ASSERT_EQ(history.Run(), 0u) << "seed " << seed + tried << " on " << target;
      changes += history.changes();
    }
  });
  std::printf("%llu histories, %llu insertions and removals: all as in the list\n",
              static_cast<unsigned long long>(tried), static_cast<unsigned long long>(changes));
}

// 435 entries of 6 bits fill a block, 436 do not fit.
TEST(QuotientRemoval, SaturatesABlockThatHasNoRoomAtAll) {
  test::OnEveryTarget([](const char*) {
    Random random(1);
    Block block;
    Bound bound(false, block.bytes, 1);
    std::vector<uint64_t> hashes = test::RandomHashes(436, 5);
    for (size_t i = 0; i < 435; ++i) bound.Insert(hashes[i]);
    EXPECT_EQ(reference::QuotientLength(block.bytes), 0);
    EXPECT_EQ(reference::QuotientEntries(block.bytes).size(), 435u);
    EXPECT_FALSE(bound.Insert(hashes[435])) << "each bucket has an entry, so nothing is new";
    const auto expect_saturated = [&] {
      EXPECT_TRUE(std::all_of(block.bytes, block.bytes + 64, [](uint8_t byte) { return byte == 0xff; }));
    };
    expect_saturated();
    EXPECT_EQ(bound.ExpectedFpr(), 1);
    EXPECT_EQ(bound.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    for (const uint64_t hash : hashes) EXPECT_TRUE(bound.Remove(hash)) << "it no longer knows";
    expect_saturated();
    EXPECT_FALSE(bound.Insert(hashes[0]));
    expect_saturated();
    Block one;
    Bound(false, one.bytes, 1).Insert(hashes[0]);
    FoldBlocks(false, one.bytes, 1, 1, true, block.bytes);
    expect_saturated();
    FoldBlocks(false, block.bytes, 1, 1, true, one.bytes);
    EXPECT_EQ(memcmp(one.bytes, block.bytes, 64), 0);
  });
}

TEST(QuotientRemoval, OfOneKeyManyTimesNeedsAsManyRemovals) {
  test::OnEveryTarget([](const char*) {
    for (const int times : {1, 2, 3, 12, 13, 14, 200, 217, 218, 435}) {
      Block block;
      Bound bound(false, block.bytes, 1);
      for (int i = 0; i < times; ++i) EXPECT_EQ(bound.Insert(12345), i == 0);
      for (int i = 0; i < times; ++i) {
        EXPECT_TRUE(bound.MayContainHash(12345)) << i << " of " << times;
        EXPECT_TRUE(bound.Remove(12345));
      }
      EXPECT_FALSE(bound.MayContainHash(12345));
      EXPECT_FALSE(bound.Remove(12345));
      EXPECT_EQ(memcmp(block.bytes, Block().bytes, 64), 0);
    }
  });
}

TEST(QuotientRemoval, IsRefusedByASet) {
  Block block;
  Bound set(true, block.bytes, 1);
  set.Insert(1);
  const Block before = block;
  EXPECT_FALSE(set.Remove(1));
  EXPECT_EQ(set.RemoveAll({1, 2, 3}), 0u);
  EXPECT_EQ(memcmp(block.bytes, before.bytes, 64), 0);
  EXPECT_TRUE(set.MayContainHash(1));
}

// Each live key is replaced by another, again and again, in the order in which they came or at random.
void ExpectNoneLost(uint64_t num_keys, int turnovers, double bits_per_key, bool at_random) {
  SCOPED_TRACE(std::to_string(bits_per_key) + " bits per key");
  Filter filter = test::Created<Filter>(num_keys, OptionsOf(false, bits_per_key));
  std::vector<uint64_t> live = test::RandomHashes(num_keys, 1);
  filter.InsertHashes(live.data(), live.size());
  Random random(2);
  uint64_t refused = 0;
  const size_t at_once = num_keys / 10;
  for (int turnover = 0; turnover < turnovers; ++turnover) {
    if (at_random) Shuffle(&live, &random);
    for (size_t at = 0; at + at_once <= live.size(); at += at_once) {
      refused += at_once - filter.RemoveHashes(&live[at], at_once);
      for (size_t i = at; i < at + at_once; ++i) live[i] = random();
      filter.InsertHashes(&live[at], at_once);
    }
    EXPECT_EQ(live.size() - filter.CountMaybes(live.data(), live.size()), 0u) << "lost in turnover " << turnover;
  }
  EXPECT_EQ(refused, 0u);
  EXPECT_EQ(filter.RemoveHashes(live.data(), live.size()), live.size());
  const reference::Bytes body = BodyOf(filter);
  EXPECT_TRUE(std::all_of(body.begin(), body.end(), [](uint8_t byte) { return byte == 0; })) << "all have gone";
}

TEST(QuotientRemoval, LosesNoMemberInAChurn) {
  const uint64_t num_keys = test::IsEmulated() ? 500 : 2000;
  test::OnEveryTarget([&](const char*) {
    for (const double bits_per_key : {4.0, 10.0, 16.0, 40.0}) {
      ExpectNoneLost(num_keys, 4, bits_per_key, true);
      ExpectNoneLost(num_keys, 4, bits_per_key, false);
    }
  });
}

}  // namespace linefilter::quotient_test
