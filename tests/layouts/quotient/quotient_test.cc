// Layout `quotient` as its specification. The bytes depend on the set of keys alone, whatever the order and the way in:
// insertions, a builder, unions, folding. A block is as long as its keys leave room for. quotient_test_cases.cc has
// random cases of all that, quotient_test_removal.cc multisets, quotient_test_hostile.cc blocks that no writer makes.
#include "tests/layouts/quotient/quotient_test.h"

#include <algorithm>
#include <set>
#include <utility>

#include "linefilter/builder.h"
#include "linefilter/fold.h"
#include "tests/testing/measure_fpr.h"

namespace linefilter::quotient_test {
namespace {

using test::SpecialAndRandomHashes;

reference::Filter Filled(bool is_set, size_t num_blocks, const std::vector<uint64_t>& hashes) {
  reference::Filter filter = EmptyOf(is_set, num_blocks);
  filter.hash_id = static_cast<int>(HashId::kCaller);
  filter.Fill(hashes);
  return filter;
}

Filter Copied(const reference::Filter& from) { return test::FromImage<Filter>(reference::WriteImage(from)); }

FilterView ViewOf(const std::string& image) { return FilterView(image.data(), image.size(), VerifyMode::kWhole); }

TEST(Quotient, HasTheSameBytesInAnyOrder) {
  for (const bool is_set : kSetAndMultiset) {
    for (const size_t num_blocks : {1u, 2u, 63u, 400u}) {
      if (num_blocks > 2 && test::IsEmulated()) break;
      SCOPED_TRACE(NameOf(is_set) + ", " + std::to_string(num_blocks) + " blocks");
      std::vector<uint64_t> hashes = SpecialAndRandomHashes(52 * num_blocks, num_blocks);
      const reference::Filter expected = Filled(is_set, num_blocks, hashes);
      Random random(num_blocks);
      test::OnEveryTarget([&](const char*) {
        for (int order = 0; order < 3; ++order) {
          order == 0 ? std::sort(hashes.begin(), hashes.end()) : Shuffle(&hashes, &random);
          Filter filter = Copied(Filled(is_set, num_blocks, {}));
          const size_t singles = hashes.size() / 3;
          for (size_t i = 0; i < singles; ++i) filter.InsertHash(hashes[i]);
          filter.InsertHashes(&hashes[singles], hashes.size() - singles);
          EXPECT_TRUE(BodyOf(filter) == expected.body);
          EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size());
        }
      });
    }
  }
}

TEST(Quotient, IsBuiltAsItIsFilled) {
  for (const bool is_set : kSetAndMultiset) {
    for (const size_t num_keys : {1u, 50u, 3000u, 20000u}) {
      if (num_keys > 50 && test::IsEmulated()) break;
      SCOPED_TRACE(NameOf(is_set) + ", " + std::to_string(num_keys) + " keys");
      std::vector<uint64_t> hashes = SpecialAndRandomHashes(num_keys, num_keys);
      if (!is_set)
        hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(num_keys / 4));
      const reference::Filter expected = Filled(is_set, (10 * hashes.size() + 511) / 512, hashes);
      test::OnEveryTarget([&](const char*) {
        const std::string whole = test::Build(OptionsOf(is_set), hashes);
        const FilterView view = ViewOf(whole);
        EXPECT_EQ(view.num_probes(), NumProbesOf(is_set));
        EXPECT_TRUE(BodyOf(view) == expected.body);
        const test::ScopedTuning in_ranges(0, 64, 1);
        EXPECT_TRUE(test::Build(OptionsOf(is_set), hashes) == whole) << "in ranges of blocks";
        EXPECT_TRUE(test::BuildBorrowed(OptionsOf(is_set), hashes) == whole);
        Filter filter = Copied(Filled(is_set, view.num_blocks(), {}));
        filter.InsertHashes(hashes.data(), hashes.size());
        EXPECT_TRUE(BodyOf(filter) == expected.body);
      });
    }
  }
}

TEST(Quotient, UnitesToTheFilterOfAllKeys) {
  for (const bool is_set : kSetAndMultiset) {
    SCOPED_TRACE(NameOf(is_set));
    const std::vector<uint64_t> hashes = SpecialAndRandomHashes(3000, 1);
    std::vector<uint64_t> a, b;
    for (size_t i = 0; i < hashes.size(); ++i) {
      if (i % 3 == 0 || (is_set && i % 7 == 0)) a.push_back(hashes[i]);
      if (i % 3 != 0) b.push_back(hashes[i]);
    }
    const reference::Filter both = Filled(is_set, 60, hashes);
    test::OnEveryTarget([&](const char*) {
      Filter filter = Copied(Filled(is_set, 60, a)), other = Copied(Filled(is_set, 60, b));
      ASSERT_TRUE(test::IsOk(filter.Union(other)));
      EXPECT_TRUE(BodyOf(filter) == both.body);
      Filter again = Copied(Filled(is_set, 60, b));
      const std::string image = test::ImageOf(Copied(Filled(is_set, 60, a)));
      ASSERT_TRUE(test::IsOk(again.Union(ViewOf(image))));
      EXPECT_TRUE(BodyOf(again) == both.body);
    });
  }
}

TEST(Quotient, OfASetDoesNotUniteWithAMultiset) {
  Filter set = Copied(Filled(true, 8, {1, 2})), multiset = Copied(Filled(false, 8, {1, 2}));
  EXPECT_EQ(set.Union(multiset).code(), StatusCode::kIncompatible);
  EXPECT_EQ(multiset.Union(set).code(), StatusCode::kIncompatible);
}

TEST(Quotient, FoldsByEachDivisorToTheFilterOfTheSmallerSize) {
  for (const bool is_set : kSetAndMultiset) {
    const std::vector<uint64_t> hashes = SpecialAndRandomHashes(test::IsEmulated() ? 300 : 1500, 2);
    for (const size_t num_blocks : {60u, 64u, 97u}) {
      const reference::Filter whole = Filled(is_set, num_blocks, hashes);
      for (size_t factor = 1; factor <= num_blocks; ++factor) {
        if (num_blocks % factor != 0) continue;
        SCOPED_TRACE(NameOf(is_set) + ", " + std::to_string(num_blocks) + " by " + std::to_string(factor));
        const reference::Filter expected = Filled(is_set, num_blocks / factor, hashes);
        Filter filter = Copied(whole);
        ASSERT_TRUE(test::IsOk(filter.Fold(factor)));
        EXPECT_TRUE(BodyOf(filter) == expected.body);
        const std::string image = test::ImageOf(Copied(whole));
        test::Collector folded;
        ASSERT_TRUE(test::IsOk(FoldImage(ViewOf(image), factor, folded.sink())));
        EXPECT_TRUE(folded.bytes == test::ImageOf(filter));
      }
    }
  }
}

// How many bits a block with these q takes at that length, worked out from the definition.
int BitsAt(const std::vector<uint32_t>& quotients, int length, bool is_set) {
  std::set<uint64_t> entries;  // each with a 1 in front, so that those of different lengths differ
  int bits = 77;
  for (const uint32_t q : quotients) {
    const int width = length / 64 + (static_cast<int>(q >> 26) < length % 64 ? 1 : 0);
    const bool is_other = entries.insert(uint64_t{q} >> (26 - width) | uint64_t{1} << (6 + width)).second;
    if (is_other || !is_set) bits += 1 + width;
  }
  return bits;
}

TEST(Quotient, HasTheGreatestLengthForWhichThereIsRoom) {
  Random random(3);
  for (int i = 0; i < (test::IsEmulated() ? 10 : 150); ++i) {
    const std::vector<uint32_t> quotients = test::ChooseQuotients(&random);
    if (quotients.size() > 400) continue;
    const bool is_set = i % 2 == 0;
    const std::vector<uint64_t> hashes = HashesOf(quotients, 1, &random);
    int length = 1664;
    while (length > 0 && BitsAt(quotients, length, is_set) > 512) --length;
    Block block;
    Bound(is_set, block.bytes, 1).InsertAll(hashes);
    EXPECT_EQ(reference::QuotientLength(block.bytes), length) << i;
    for (int less = length; less >= 0; --less) {
      ASSERT_LE(BitsAt(quotients, less, is_set), 512) << "what fits at a length fits at each smaller one";
    }
  }
}

// With each entry that there can be, 42 buckets have two of 1 bit, and 22 have four of 2 bits.
TEST(Quotient, OfASetNeverFallsBelowLength86HoweverManyKeysABlockGets) {
  test::OnEveryTarget([](const char*) {
    for (const size_t num_keys : {171u, 300u, 1000u, 5000u, 50000u}) {
      if (num_keys > 1000 && test::IsEmulated()) break;
      const std::vector<uint64_t> hashes = test::RandomHashes(num_keys, num_keys);
      Block block;
      Bound bound(true, block.bytes, 1);
      bound.InsertAll(hashes);
      EXPECT_GE(reference::QuotientLength(block.bytes), 86);
      EXPECT_EQ(bound.CountMaybes(hashes.data(), hashes.size()), hashes.size());
      EXPECT_EQ(memcmp(block.bytes, Filled(true, 1, hashes).body.data(), 64), 0);
      if (num_keys < 5000) continue;
      EXPECT_EQ(reference::QuotientLength(block.bytes), 86);
      EXPECT_EQ(reference::QuotientEntries(block.bytes).size(), 172u);
      EXPECT_EQ(bound.ExpectedFpr(), 1) << "each entry is there";
    }
  });
}

// Up to sixteen keys keep all of their 32 bits, so no other in-block hash is taken for one of them.
TEST(Quotient, OfSixteenKeysAnswersOnlyToThese) {
  test::OnEveryTarget([](const char*) {
    Random random(4);
    for (size_t num_keys = 1; num_keys <= 16; ++num_keys) {
      Block block;
      Bound bound(true, block.bytes, 1);
      std::set<uint32_t> quotients;
      while (quotients.size() < num_keys) quotients.insert(static_cast<uint32_t>(random()));
      for (const uint32_t q : quotients) bound.Insert(test::HashOfQuotient(q, 0, 1, &random));
      for (const uint32_t q : quotients) {
        EXPECT_TRUE(bound.MayContainHash(test::HashOfQuotient(q, 0, 1, &random)));
        for (uint32_t bit = 0; bit < 32; ++bit) {
          const uint32_t other = q ^ 1u << bit;
          EXPECT_EQ(bound.MayContainHash(test::HashOfQuotient(other, 0, 1, &random)), quotients.count(other) != 0);
        }
      }
    }
  });
}

TEST(QuotientCases, MakeTheSameBytesByEveryWay) { ExpectSameBytesByEveryWay(test::IsEmulated() ? 100 : 3000, 1); }
TEST(QuotientRemoval, DoesAsAPlainListOfEntries) { ExpectRemovalsLikeAPlainList(test::IsEmulated() ? 20 : 1000, 1); }
TEST(QuotientHostile, IsAnsweredLikeTheReferenceOnEveryTarget) {
  ExpectTheReferenceOnHostileBlocks(test::IsEmulated() ? 500 : 20000, 1);
}
TEST(QuotientHostile, IsChangedLikeTheReferenceOnEveryTarget) {
  ExpectTheReferenceChangesHostileBlocks(test::IsEmulated() ? 500 : 10000, 1);
}

TEST(Quotient, TellsItsFacts) {
  for (const bool is_set : kSetAndMultiset) {
    const LayoutFacts facts = FactsOf(Layout::kQuotient, NumProbesOf(is_set));
    EXPECT_TRUE(facts.buildable && facts.takes_keys && facts.unites && facts.folds && facts.zeros_are_empty);
    EXPECT_TRUE(facts.chooses_removal);
    EXPECT_EQ(facts.gives_back, !is_set);
    EXPECT_FALSE(facts.has_stages || facts.shares);
    EXPECT_EQ(facts.block_bytes, 64u);
    EXPECT_EQ(facts.num_positions, 0u) << "it has no bits that a key sets";
    const Filter filter = test::Created<Filter>(uint64_t{1000}, OptionsOf(is_set));
    EXPECT_EQ(filter.num_probes(), NumProbesOf(is_set));
  }
}

}  // namespace
}  // namespace linefilter::quotient_test
