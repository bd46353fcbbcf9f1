// Layout `split_block` as its specification: with each hash id, on every target, the bytes and answers of the
// reference; unions and folded filters are those that the same keys make. Its rates are in split_block_test_rates.cc,
// what it shares with Parquet in split_block_test_parquet.cc.
#include "tests/layouts/split_block/split_block_test.h"

#include <algorithm>
#include <string_view>

#include "linefilter/fold.h"
#include "linefilter/remote_body.h"
#include "linefilter/sizing.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"

namespace linefilter::split_block_test {
namespace {

using test::OnEveryTarget;
using test::SpecialAndRandomHashes;

// Some keys go into a filter one by one, and the rest together. Then all are asked, with as many strangers.
void ExpectTheReference(HashId hash_id, size_t num_blocks, size_t num_keys) {
  SCOPED_TRACE(std::string(HashIdName(hash_id)) + ", " + std::to_string(num_blocks) + " blocks");
  const reference::Filter empty = EmptyOf(hash_id, num_blocks);
  reference::Filter expected = empty;
  const std::vector<uint64_t> keys = SpecialAndRandomHashes(num_keys, num_blocks);
  std::vector<uint8_t> were_new;
  for (const uint64_t key : keys) were_new.push_back(expected.Insert(key));
  std::vector<uint64_t> questions = SpecialAndRandomHashes(num_keys, num_blocks + 1);
  questions.insert(questions.end(), keys.begin(), keys.end());
  std::vector<uint8_t> answers;
  for (const uint64_t question : questions) answers.push_back(expected.MayContain(question));
  const reference::Bytes image = reference::WriteImage(expected);
  OnEveryTarget([&](const char*) {
    Filter filter = Copied(empty);
    ASSERT_EQ(filter.hash_id(), hash_id);
    size_t wrong = 0;
    const size_t singles = num_keys / 3;
    for (size_t i = 0; i < singles; ++i) wrong += filter.InsertHash(keys[i]) != (were_new[i] != 0);
    std::vector<uint8_t> told(num_keys - singles);
    filter.InsertHashes(keys.data() + singles, told.size(), told.data());
    wrong += !std::equal(told.begin(), told.end(), were_new.begin() + static_cast<std::ptrdiff_t>(singles));
    EXPECT_EQ(wrong, 0u);
    EXPECT_TRUE(BodyOf(filter) == expected.body);
    test::ExpectAnswers(filter, questions.data(), questions.size(), answers.data());
    const FilterView view = ViewOf(image);
    ASSERT_TRUE(view.status().ok()) << view.status().message();
    test::ExpectAnswers(view, questions.data(), questions.size(), answers.data());
  });
}

TEST(SplitBlock, DoesAsTheReferenceWithEachHashIdOnEveryTarget) {
  for (const HashId hash_id : kHashIds) {
    for (const size_t num_blocks : {1u, 2u, 3u, 7u, 63u, 64u, 65u, 1000u}) {
      ExpectTheReference(hash_id, num_blocks, std::max<size_t>(40, 20 * num_blocks));
    }
    ExpectTheReference(hash_id, (size_t{8} << 20) / 32 + 29, 50000);  // batches prefetch
  }
}

// The keys are text of all lengths, and integers.
TEST(SplitBlock, HashesKeysAsTheReference) {
  for (const HashId hash_id : {HashId::kXxh3, HashId::kKeyed, HashId::kParquet}) {
    SCOPED_TRACE(HashIdName(hash_id));
    const auto hash_of = [&](std::string_view key) {
      if (hash_id == HashId::kParquet) return reference::Xxh64(key);
      return hash_id == HashId::kXxh3 ? reference::HashOfKey(key, 0) : reference::SipHash(1, 3, key, Secret().bytes);
    };
    const reference::Filter empty = EmptyOf(hash_id, 50);
    reference::Filter expected = empty;
    std::vector<std::string> texts;
    std::vector<uint64_t> integers;
    for (uint64_t i = 0; i < 300; ++i) {
      texts.push_back(std::string(i, static_cast<char>('a' + i % 26)));
      integers.push_back(i * 0x9e3779b97f4a7c15);
      uint8_t bytes[8];
      reference::PutLittleEndian(integers.back(), 8, bytes);
      expected.Insert(hash_of(texts.back()));
      expected.Insert(hash_of({reinterpret_cast<const char*>(bytes), 8}));
    }
    OnEveryTarget([&](const char*) {
      Filter filter = Copied(empty);
      for (const std::string& text : texts) filter.InsertKey(text);
      filter.InsertKeys(integers.data(), integers.size());
      EXPECT_TRUE(BodyOf(filter) == expected.body);
      for (const uint64_t integer : integers) EXPECT_TRUE(filter.MayContainKey(integer));
      const std::vector<std::string_view> views(texts.begin(), texts.end());
      std::vector<uint8_t> answers(views.size(), 0);
      filter.MayContainKeys(views.data(), views.size(), answers.data());
      EXPECT_EQ(std::count(answers.begin(), answers.end(), 1), 300);
    });
  }
}

TEST(SplitBlock, IsBuiltAsTheReferenceFillsIt) {
  for (const HashId hash_id : kHashIds) {
    for (const size_t num_keys : {1u, 30u, 5000u, 200000u}) {
      SCOPED_TRACE(std::string(HashIdName(hash_id)) + ", " + std::to_string(num_keys) + " keys");
      const std::vector<uint64_t> keys = SpecialAndRandomHashes(num_keys, num_keys);
      const size_t num_blocks = (10 * num_keys + 255) / 256;
      reference::Filter expected = EmptyOf(hash_id, num_blocks);
      expected.Fill(keys);
      OnEveryTarget([&](const char*) {
        const std::string whole = test::Build(OptionsOf(hash_id), keys);
        EXPECT_TRUE(BodyOf(ViewOf(whole)) == expected.body);
        const test::ScopedTuning in_ranges(0, 64, 1);
        EXPECT_TRUE(test::Build(OptionsOf(hash_id), keys) == whole) << "in ranges of blocks";
        EXPECT_TRUE(test::BuildBorrowed(OptionsOf(hash_id), keys) == whole);
      });
    }
  }
}

TEST(SplitBlock, UnitesToTheFilterOfAllKeys) {
  for (const HashId hash_id : kHashIds) {
    SCOPED_TRACE(HashIdName(hash_id));
    const std::vector<uint64_t> keys = SpecialAndRandomHashes(2000, 1);
    reference::Filter a = EmptyOf(hash_id, 99), b = a, both = a;
    for (size_t i = 0; i < keys.size(); ++i) {
      (i % 3 == 0 ? a : b).Insert(keys[i]);
      both.Insert(keys[i]);
    }
    Filter filter = Copied(a), other = Copied(b);
    ASSERT_TRUE(test::IsOk(filter.Union(other)));
    EXPECT_TRUE(BodyOf(filter) == both.body);
    const reference::Bytes image = reference::WriteImage(b);
    Filter again = Copied(a);
    ASSERT_TRUE(test::IsOk(again.Union(ViewOf(image))));
    EXPECT_TRUE(BodyOf(again) == both.body);
  }
  Filter of_xxh3 = Copied(EmptyOf(HashId::kXxh3, 8)), of_parquet = Copied(EmptyOf(HashId::kParquet, 8));
  EXPECT_TRUE(test::Says(StatusCode::kIncompatible, of_xxh3.Union(of_parquet), "hash id"));
}

// Redis asks so: the block alone is there, and the bits of a key are numbers.
TEST(SplitBlock, IsAskedByItsBlocksAndTellsTheBitsOfAKey) {
  for (const HashId hash_id : kHashIds) {
    SCOPED_TRACE(HashIdName(hash_id));
    const std::vector<uint64_t> keys = SpecialAndRandomHashes(1000, 4), questions = SpecialAndRandomHashes(2000, 5);
    reference::Filter filter = EmptyOf(hash_id, 37);
    filter.Fill(keys);
    BodyFacts facts;
    facts.layout = Layout::kSplitBlock;
    facts.hash_id = hash_id;
    facts.body_bytes = filter.body.size();
    facts.seed = filter.seed;
    ASSERT_TRUE(test::IsOk(CheckBody(facts)));
    OnEveryTarget([&](const char*) {
      size_t wrong = 0;
      for (const uint64_t hash : questions) {
        uint64_t blocks[kMaxBodyStages], positions[kMaxPositions];
        ASSERT_EQ(BlocksOfHash(facts, hash, blocks), 1u);
        wrong += BlockMayContainHash(facts, 0, &filter.body[32 * blocks[0]], hash) != filter.MayContain(hash);
        const size_t n = PositionsOfHash(facts, hash, positions);
        std::sort(positions, positions + n);
        wrong += std::vector<uint64_t>(positions, positions + n) != reference::BitsOfHash(filter, hash);
      }
      EXPECT_EQ(wrong, 0u);
    });
  }
}

// Folded by each divisor it is the filter that the same keys make in that size.
TEST(SplitBlock, FoldsToTheFilterOfTheSmallerSize) {
  for (const HashId hash_id : kHashIds) {
    const std::vector<uint64_t> keys = SpecialAndRandomHashes(500, 2);
    for (const size_t num_blocks : {60u, 64u, 97u}) {
      reference::Filter whole = EmptyOf(hash_id, num_blocks);
      whole.Fill(keys);
      for (size_t factor = 1; factor <= num_blocks; ++factor) {
        if (num_blocks % factor != 0) continue;
        SCOPED_TRACE(std::string(HashIdName(hash_id)) + ", " + std::to_string(num_blocks) + " by " +
                     std::to_string(factor));
        reference::Filter expected = EmptyOf(hash_id, num_blocks / factor);
        expected.Fill(keys);
        Filter filter = Copied(whole);
        ASSERT_TRUE(test::IsOk(filter.Fold(factor)));
        EXPECT_TRUE(BodyOf(filter) == expected.body);
        const reference::Bytes image = reference::WriteImage(whole);
        test::Collector folded;
        ASSERT_TRUE(test::IsOk(FoldImage(ViewOf(image), factor, folded.sink())));
        EXPECT_TRUE(folded.bytes == test::ImageOf(filter));
      }
      Filter filter = Copied(whole);
      EXPECT_EQ(filter.Fold(num_blocks - 1).code(), StatusCode::kInvalidArgument);
    }
  }
}

// The number of distinct keys was not known. So the filter is made for a million, and folded for the thousand that
// came.
TEST(SplitBlock, FoldsToTheLeastSizeForARate) {
  for (const HashId hash_id : kHashIds) {
    FilterOptions options = OptionsOf(hash_id);
    options.foldable = true;
    Filter filter = test::Created<Filter>(1000000, options);
    const uint64_t before = filter.body_bytes();
    EXPECT_EQ(before / 32 % 64, 0u);
    const std::vector<uint64_t> keys = SpecialAndRandomHashes(1000, 3);
    filter.InsertHashes(keys.data(), keys.size());
    ASSERT_TRUE(test::IsOk(filter.FoldToFpr(0.01)));
    EXPECT_LE(filter.ExpectedFpr(), 0.01);
    EXPECT_LT(filter.body_bytes(), before / 64);
    EXPECT_EQ(filter.CountMaybes(keys.data(), keys.size()), keys.size());
    reference::Filter expected = EmptyOf(hash_id, filter.body_bytes() / 32);
    expected.Fill(keys);
    EXPECT_TRUE(BodyOf(filter) == expected.body);
  }
}

TEST(SplitBlock, TellsItsFacts) {
  const LayoutFacts facts = FactsOf(Layout::kSplitBlock);
  EXPECT_TRUE(facts.buildable && facts.takes_keys && facts.unites && facts.folds && facts.zeros_are_empty);
  EXPECT_FALSE(facts.gives_back || facts.has_stages || facts.has_levels);
  EXPECT_EQ(facts.block_bytes, 32u);
  EXPECT_EQ(facts.max_num_probes, 0u);
  EXPECT_TRUE(facts.has_positions);
  EXPECT_EQ(facts.num_positions, 8u);
  const Filter filter = test::Created<Filter>(uint64_t{1000}, OptionsOf(HashId::kXxh3));
  EXPECT_EQ(filter.num_blocks(), 40u);
  EXPECT_EQ(filter.num_probes(), 0u);
}

TEST(SplitBlock, RefusesAChoiceOfProbes) {
  FilterOptions options = OptionsOf(HashId::kXxh3);
  options.num_probes = 8;
  Filter filter;
  EXPECT_EQ(filter.Create(1000, options).code(), StatusCode::kInvalidArgument);
}

// 32 bits of the hash choose the block.
TEST(SplitBlock, HasAtMost2To24Blocks) {
  BodyFacts facts;
  facts.layout = Layout::kSplitBlock;
  facts.body_bytes = uint64_t{32} << 24;
  EXPECT_TRUE(test::IsOk(CheckBody(facts)));
  for (const uint64_t more : {1u, 31u, 32u, 64u}) {
    facts.body_bytes = (uint64_t{32} << 24) + more;
    EXPECT_EQ(CheckBody(facts).code(), StatusCode::kInvalidArgument) << more;
    EXPECT_EQ(ExpectedFpr(Layout::kSplitBlock, 1000, facts.body_bytes, 0), 1);
  }
  const uint64_t most = (uint64_t{256} << 24) / 16;
  Sizing sizing;
  ASSERT_TRUE(test::IsOk(SizeForBitsPerKey(Layout::kSplitBlock, most, 16, &sizing)));
  EXPECT_EQ(sizing.body_bytes, uint64_t{32} << 24);
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, SizeForBitsPerKey(Layout::kSplitBlock, most + 1, 16, &sizing),
                         "more than the 512 MiB"));
  const uint64_t most_keys = MaxKeysForFpr(Layout::kSplitBlock, uint64_t{32} << 24, 0.01);
  EXPECT_TRUE(test::IsOk(SizeForFpr(Layout::kSplitBlock, most_keys, 0.01, &sizing)));
  EXPECT_EQ(SizeForFpr(Layout::kSplitBlock, most_keys + most_keys / 1000, 0.01, &sizing).code(),
            StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace linefilter::split_block_test
