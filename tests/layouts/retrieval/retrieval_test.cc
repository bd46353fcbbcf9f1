// The layout `retrieval`: its blocks are those of the reference, which solves all 504 columns by the book
// (tests/reference/retrieval.cc), on every target; its headers tell its false-positive rate.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/retrieval/solver/work.h"
#include "linefilter/view.h"
#include "tests/reference/reference.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/random.h"
#include "tests/testing/reference_filters.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

using internal::BlockRange;
using internal::HashSpan;
using internal::LayoutMaker;
using internal::ProbeState;
using reference::Bytes;
using Hashes = std::vector<uint64_t>;

const LayoutMaker& Maker() { return *internal::FindMaker(Layout::kRetrieval); }

// 64-byte aligned memory for a body, and guards behind it.
class Body {
 public:
  explicit Body(uint64_t num_blocks) : size_(64 * num_blocks), memory_(size_ + 128, 0) {
    begin_ = memory_.data() + (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64) % 64;
  }
  uint8_t* begin() { return begin_; }
  Bytes Copy() const { return Bytes(begin_, begin_ + size_); }

 private:
  size_t size_;
  Bytes memory_;
  uint8_t* begin_;
};

// The body as the library makes it, in ranges of `range_blocks`, each range's hashes in three pieces.
Bytes Build(const Hashes& hashes, uint64_t num_blocks, uint64_t range_blocks) {
  std::vector<Hashes> of_range((num_blocks + range_blocks - 1) / range_blocks);
  for (const uint64_t hash : hashes) of_range[BlockIndex(hash, num_blocks) / range_blocks].push_back(hash);
  Body body(num_blocks);
  ProbeState state;
  internal::BindBody(*internal::FindLayout(Layout::kRetrieval), {body.begin(), 64 * num_blocks}, &state);
  for (uint64_t r = 0; r < of_range.size(); ++r) {
    const Hashes& all = of_range[r];
    const uint64_t a = all.size() / 3, b = all.size() / 2;
    const HashSpan spans[] = {{all.data(), a}, {all.data() + a, b - a}, {all.data() + b, all.size() - b}};
    const uint64_t first = r * range_blocks, size = std::min(range_blocks, num_blocks - first);
    Body scratch(Maker().range_scratch_bytes(size, all.size()) / 64 + 1);
    Maker().build_range(state, BlockRange{first, size, body.begin() + 64 * first, spans, 3, all.size()},
                        scratch.begin());
  }
  return body.Copy();
}

int LevelOf(const Bytes& body, size_t block) {
  int level = 0;
  for (size_t l = 0; l < 8; ++l) level |= (body[64 * block + 8 * l + 7] >> 7) << l;
  return level;
}

// Every block, so that a wrong one is named. `expected` is the reference's body.
void ExpectSameBody(const Bytes& body, const Bytes& expected) {
  ASSERT_EQ(body.size(), expected.size());
  size_t wrong = 0;
  for (size_t i = 0; i < body.size() / 64; ++i) {
    if (memcmp(&body[64 * i], &expected[64 * i], 64) == 0) continue;
    if (++wrong > 3) continue;
    ADD_FAILURE() << "block " << i << ": level " << LevelOf(body, i) << ", the reference's " << LevelOf(expected, i);
  }
  EXPECT_EQ(wrong, 0u) << "of " << body.size() / 64 << " blocks";
}

void ExpectSameAsReference(const Hashes& hashes, uint64_t num_blocks) {
  Bytes expected(64 * num_blocks);
  reference::SolveRetrieval(hashes, &expected);
  for (const uint64_t hash : hashes) ASSERT_TRUE(reference::RetrievalMayContain(expected, hash));
  OnEveryTarget([&](const char*) {
    ExpectSameBody(Build(hashes, num_blocks, Maker().range_blocks), expected);
    if (num_blocks > 1) ExpectSameBody(Build(hashes, num_blocks, num_blocks / 2 + 1), expected);
  });
}

// A hash of the block, one of 256, whose in-block hash is the low half of g.
uint64_t HashIn(uint64_t block, uint64_t g) { return block << 56 | ((g ^ block << 24) & 0xffffffff); }

Hashes RandomKeysOf(uint64_t block, size_t n, Random* random) {
  Hashes hashes;
  for (size_t i = 0; i < n; ++i) hashes.push_back(HashIn(block, (*random)()));
  return hashes;
}

void Append(const Hashes& from, Hashes* to) { to->insert(to->end(), from.begin(), from.end()); }

TEST(RetrievalSolver, SolvesBlocksOfEveryLoadFrom0To200AndOneOf5000) {
  Random random(1);
  Hashes hashes;
  for (uint64_t block = 0; block <= 200; ++block) Append(RandomKeysOf(block, block, &random), &hashes);
  Append(RandomKeysOf(255, 5000, &random), &hashes);
  ExpectSameAsReference(hashes, 256);
}

// More keys would mostly be solved twice.
TEST(RetrievalSolver, LanesTakeTheLoadsOfWhichMostBlocksHaveFourConstraints) {
  const auto share_of = [](size_t load) {
    Random random(load);
    Hashes hashes;
    for (uint64_t block = 0; block < 256; ++block) Append(RandomKeysOf(block, load, &random), &hashes);
    const Bytes body = Build(hashes, 256, Maker().range_blocks);
    int num_blocks = 0;
    for (size_t block = 0; block < 256; ++block) num_blocks += LevelOf(body, block) >= 4 * 8;
    return num_blocks / 256.0;
  };
  EXPECT_NEAR(share_of(internal::kMostKeysOfLanes), 0.66, 0.1);
  EXPECT_NEAR(share_of(internal::kMostKeysOfLanes + 1), 0.46, 0.1);
}

// Ranges of few blocks leave the solver no choice which ones it takes together.
TEST(RetrievalSolver, SolvesBlocksOfUnlikeLoadsTogether) {
  Random random(12);
  for (const uint64_t most : {30u, 64u, 130u}) {
    SCOPED_TRACE(most);
    Hashes hashes;
    const uint64_t num_blocks = Effort() < 1 ? 60 : 256;
    for (uint64_t block = 0; block < num_blocks; ++block)
      Append(RandomKeysOf(block, random.Below(most + 1), &random), &hashes);
    Bytes expected(64 * num_blocks);
    reference::SolveRetrieval(hashes, &expected);
    OnEveryTarget([&](const char*) {
      for (const uint64_t range_blocks : {1u, 3u, 8u, 20u})
        ExpectSameBody(Build(hashes, num_blocks, range_blocks), expected);
    });
  }
}

// How many blocks of each density: thousands, unless an emulator counts.
uint64_t ManyBlocks() { return std::max<uint64_t>(20, static_cast<uint64_t>(2000 * std::min(1.0, Effort()))) + 7; }

TEST(RetrievalSolver, ReachesTheLargestLevelOfThousandsOfBlocksAtEachDensity) {
  for (const double bits_per_key : {6, 8, 10, 12, 16, 24}) {
    SCOPED_TRACE(bits_per_key);
    const uint64_t num_blocks = ManyBlocks();
    const double num_keys = 512 * static_cast<double>(num_blocks) / bits_per_key;
    ExpectSameAsReference(RandomHashes(static_cast<size_t>(num_keys), static_cast<uint64_t>(bits_per_key)), num_blocks);
  }
}

TEST(RetrievalSolver, KnowsNoOrderAndNoDuplicates) {
  const uint64_t num_blocks = 97;
  Hashes hashes = RandomHashes(97 * 45, 3);
  Bytes expected(64 * num_blocks);
  reference::SolveRetrieval(hashes, &expected);
  Random random(4);
  OnEveryTarget([&](const char*) {
    Hashes mixed = hashes;
    for (int round = 0; round < 3; ++round) {
      for (size_t i = mixed.size(); i > 1; --i) std::swap(mixed[i - 1], mixed[random.Below(i)]);
      ExpectSameBody(Build(mixed, num_blocks, 1024), expected);
      for (size_t i = 0; i < 2000; ++i) mixed.push_back(mixed[random.Below(mixed.size())]);
    }
    std::sort(mixed.begin(), mixed.end());
    ExpectSameBody(Build(mixed, num_blocks, 50), expected);
  });
}

// Equal in-block hashes are one key of a block, whatever the hashes are.
TEST(RetrievalSolver, TakesEqualInBlockHashesForOneKey) {
  Random random(5);
  Hashes hashes;
  for (uint64_t block = 0; block < 256; ++block) {
    for (uint64_t i = 0; i < block % 70; ++i) {
      const uint64_t g = random();
      for (uint64_t copy = 0; copy <= i % 3; ++copy) {
        hashes.push_back(HashIn(block, g ^ copy << 8) | copy << 40);
        ASSERT_EQ(InBlockHash(hashes.back()), static_cast<uint32_t>(g));
      }
    }
  }
  ExpectSameAsReference(hashes, 256);
}

// g = 0 has equations without unknowns: they hold where the bits of its fingerprint, 0, say so.
TEST(RetrievalSolver, TakesAKeyOfZeros) {
  Random random(6);
  Hashes hashes;
  for (uint64_t block = 0; block < 256; ++block) {
    hashes.push_back(HashIn(block, 0));
    Append(RandomKeysOf(block, block % 100, &random), &hashes);
  }
  ExpectSameAsReference(hashes, 256);
}

// About 63 keys have as many rows in a word as it has columns: some rows depend on others and are no duplicates.
TEST(RetrievalSolver, TakesDependentRows) {
  Random random(7);
  Hashes hashes;
  for (uint64_t block = 0; block < 256; ++block) Append(RandomKeysOf(block, 59 + block % 10, &random), &hashes);
  ExpectSameAsReference(hashes, 256);
}

// Hashes that nobody draws by chance: small numbers, multiples, single bits, few bits, the largest.
TEST(RetrievalSolver, TakesKeysThatAreAlike) {
  Random random(8);
  Hashes hashes;
  for (uint64_t block = 0; block < 256; ++block) {
    const uint64_t n = block % 80, base = random();
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t kinds[] = {i,          base * i, uint64_t{1} << (i % 32), i << 26, ~i, (base & 0xff) << (i % 25),
                                i * i << 12};
      hashes.push_back(HashIn(block, kinds[block % std::size(kinds)]));
    }
  }
  ExpectSameAsReference(hashes, 256);
}

TEST(RetrievalSolver, MakesBodiesOfAnySize) {
  for (const uint64_t num_blocks : {1u, 2u, 3u, 7u, 8u, 9u, 31u, 100u, 1025u}) {
    SCOPED_TRACE(num_blocks);
    ExpectSameAsReference(RandomHashes(num_blocks * 10, num_blocks), num_blocks);
  }
  ExpectSameAsReference({}, 5);
  ExpectSameAsReference({0}, 1);
  ExpectSameAsReference({~uint64_t{0}}, 3);
}

TEST(RetrievalSolver, LeavesABlockWithoutKeysAtTheHighestLevel) {
  OnEveryTarget([](const char*) {
    const Bytes body = Build({}, 3, 1024);
    for (size_t block = 0; block < 3; ++block) EXPECT_EQ(LevelOf(body, block), 248);
    for (size_t l = 0; l < 24; ++l)
      EXPECT_EQ(reference::GetLittleEndian(&body[8 * l], 8), l % 8 < 3 ? 0 : uint64_t{1} << 63);
  });
}

// An image of the layout, made by the reference.
reference::Filter FilterOf(const Hashes& hashes, uint64_t num_blocks) {
  reference::Filter filter = EmptyReference(Layout::kRetrieval, 0, 64 * num_blocks);
  filter.Fill(hashes);
  return filter;
}

TEST(RetrievalView, FindsEveryKeyAndTellsWhatItIs) {
  const Hashes hashes = RandomHashes(512 * 100 / 10, 9);
  const Bytes image = reference::WriteImage(FilterOf(hashes, 100));
  OnEveryTarget([&](const char* target) {
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    ASSERT_TRUE(view.status().ok()) << view.status().message();
    EXPECT_EQ(view.CountMaybes(hashes.data(), hashes.size()), hashes.size());
    EXPECT_EQ(view.layout(), Layout::kRetrieval);
    EXPECT_EQ(view.num_probes(), 0u);
    EXPECT_STREQ(view.target(), target);
  });
}

TEST(RetrievalView, TakesNoInsertion) {
  EXPECT_FALSE(FactsOf(Layout::kRetrieval).takes_keys);
  const Bytes image = reference::WriteImage(FilterOf(RandomHashes(100, 1), 2));
  Bytes copy = image;
  const FilterView view(copy.data(), copy.size(), VerifyMode::kWhole);
  uint8_t were_new[2] = {7, 7};
  const uint64_t hashes[2] = {1, 2};
  const internal::Changes& changes = internal::ChangesOf(view.layout(), view.probe_state());
  EXPECT_FALSE(changes.insert(view.probe_state(), 5));
  EXPECT_EQ(changes.insert_batch(view.probe_state(), hashes, 2, were_new), 0u);
  EXPECT_EQ(were_new[0] + were_new[1], 0);
  EXPECT_EQ(copy, image);
}

// Levels above 248, which no writer makes, wrap: a key whose level and u reach 256 is "maybe" to everybody.
TEST(RetrievalView, ReadsForeignLevels) {
  for (int level = 240; level < 256; ++level) {
    reference::Filter filter = EmptyReference(Layout::kRetrieval, 0, 64);
    for (int l = 0; l < 8; ++l)
      filter.body[static_cast<size_t>(8 * l + 7)] = static_cast<uint8_t>((level >> l & 1) << 7);
    const Hashes questions = RandomHashes(500, static_cast<uint64_t>(level));
    std::vector<uint8_t> answers;
    for (const uint64_t question : questions) {
      const uint64_t u = reference::InBlockHash(question) * 0x9E3779B97F4A7C15u >> 29 & 7;
      answers.push_back(static_cast<uint64_t>(level) + u >= 256);
    }
    const Bytes image = reference::WriteImage(filter);
    OnEveryTarget([&](const char*) {
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      ExpectAnswers(view, questions.data(), questions.size(), answers.data());
    });
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    EXPECT_NEAR(view.ExpectedFpr(), std::max(0, level - 248) / 8.0, 1e-8) << level;
  }
}

TEST(RetrievalLevels, AreCountedAndTellTheRateExactly) {
  const reference::Filter filter = FilterOf(RandomHashes(300 * 60, 10), 300);
  const Bytes image = reference::WriteImage(filter);
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  uint64_t counts[FilterBase::kMaxLevels];
  ASSERT_EQ(view.CountLevels(counts), 256u);
  EXPECT_EQ(std::accumulate(counts, counts + 256, uint64_t{0}), 300u);
  std::vector<uint64_t> expected(256);
  double fpr = 0;
  for (size_t i = 0; i < 300; ++i) {
    const int level = LevelOf(filter.body, i);
    ++expected[static_cast<size_t>(level)];
    const double by_level = (1 - level % 8 / 16.0) * std::pow(0.5, level / 8), keys = 504 / ((level + 0.5) / 8);
    fpr += (by_level + (1 - by_level) * std::ldexp(keys, -32)) / 300;
  }
  EXPECT_EQ(std::vector<uint64_t>(counts, counts + 256), expected);
  EXPECT_NEAR(view.ExpectedFpr() / fpr, 1, 1e-12);
}

TEST(RetrievalLevels, AreNoneOfOtherLayoutsOfTheEmptyAndOfTheBroken) {
  uint64_t counts[FilterBase::kMaxLevels] = {7};
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic}) {
    const Bytes image = reference::WriteImage(EmptyReference(layout, 6, 64));
    EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).CountLevels(counts), 0u);
  }
  const Bytes empty = reference::WriteImage(EmptyReference(Layout::kRetrieval, 0, 0));
  const FilterView empty_set(empty.data(), empty.size(), VerifyMode::kWhole);
  EXPECT_TRUE(empty_set.empty_set());
  EXPECT_EQ(empty_set.CountLevels(counts), 0u);
  EXPECT_EQ(empty_set.ExpectedFpr(), 0);
  EXPECT_EQ(empty_set.ApproximateSize().keys, 0);
  EXPECT_EQ(FilterView().CountLevels(counts), 0u);
  EXPECT_EQ(counts[0], 7u);
}

// The share of "maybe" among strangers is what the headers say, within six standard deviations (chance 2e-9).
TEST(RetrievalLevels, TellTheMeasuredRate) {
  Random random(11);
  for (const uint64_t keys_per_block : {20u, 51u, 64u, 100u, 300u}) {
    const Bytes image = reference::WriteImage(FilterOf(RandomHashes(100 * keys_per_block, keys_per_block), 100));
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
    const double expected = view.ExpectedFpr();
    const double questions = std::min(5e7, std::floor(10000 / expected)) * std::min(1.0, std::max(0.02, Effort()));
    const double measured =
        static_cast<double>(CountRandomMaybes(view, static_cast<uint64_t>(questions), &random)) / questions;
    EXPECT_NEAR(measured, expected, 6 * std::sqrt(expected * (1 - expected) / questions)) << keys_per_block;
  }
}

TEST(RetrievalLevels, TellTheNumberOfKeys) {
  for (const uint64_t keys_per_block : {25u, 40u, 64u, 100u}) {
    const Hashes hashes = RandomHashes(200 * keys_per_block, keys_per_block);
    const Bytes image = reference::WriteImage(FilterOf(hashes, 200));
    const double keys = static_cast<double>(hashes.size());
    EXPECT_NEAR(FilterView(image.data(), image.size(), VerifyMode::kWhole).ApproximateSize().keys / keys, 1, 0.04)
        << keys_per_block;
  }
  const Bytes few = reference::WriteImage(FilterOf(RandomHashes(20, 1), 10));
  EXPECT_NEAR(FilterView(few.data(), few.size(), VerifyMode::kWhole).ApproximateSize().keys, 20, 5)
      << "by the ones: 6 standard deviations";
  const Bytes full = reference::WriteImage(EmptyReference(Layout::kRetrieval, 0, 128));
  EXPECT_EQ(FilterView(full.data(), full.size(), VerifyMode::kWhole).ApproximateSize().keys,
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace linefilter::test
