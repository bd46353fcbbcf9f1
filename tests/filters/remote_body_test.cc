// A body that lies elsewhere: the blocks that are fetched answer as the filter does, the positions are those of the
// bits that an insertion sets (by the reference, on every target), and the image that is made of the bytes again is the
// image that the reference writes. Whatever is not right answers "maybe", takes nothing and is refused in words.
#include "tests/filters/remote_body_test.h"

#include <algorithm>

#include "tests/testing/targets.h"

namespace linefilter::remote_body_test {
namespace {

// As who fetches blocks asks: each block is copied to an odd address.
bool AskBlocks(const BodyFacts& facts, const Bytes& body, uint64_t hash) {
  uint64_t blocks[kMaxBodyStages];
  const size_t n = BlocksOfHash(facts, hash, blocks), block_bytes = linefilter::FactsOf(facts.layout).block_bytes;
  bool maybe = n == 0;
  for (size_t i = 0; i < n; ++i) {
    uint8_t fetched[kMostBlockBytes + 1];
    memcpy(fetched + 1, body.data() + block_bytes * blocks[i], block_bytes);
    maybe |= BlockMayContainHash(facts, i, fetched + 1, hash);
  }
  return maybe;
}

std::vector<uint64_t> Positions(const BodyFacts& facts, uint64_t hash) {
  uint64_t positions[kMaxPositions];
  const size_t n = PositionsOfHash(facts, hash, positions);
  return std::vector<uint64_t>(positions, positions + n);
}

std::vector<uint64_t> Sorted(std::vector<uint64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

class EveryKindOfBody : public testing::TestWithParam<Kind> {};

TEST_P(EveryKindOfBody, AnswersByBlocksAsTheReferenceDoes) {
  const Kind kind = GetParam();
  for (const size_t units : {1u, 2u, 5u, 33u}) {
    const reference::Filter filter = FilledReference(kind, units, 20 * units, units);
    const BodyFacts facts = FactsOf(filter);
    ASSERT_TRUE(CheckBody(facts).ok());
    std::vector<uint64_t> questions = test::SpecialAndRandomHashes(200, 77);
    for (const uint64_t key : test::RandomHashes(20 * units, units)) questions.push_back(key);
    test::OnEveryTarget([&](const char*) {
      size_t wrong = 0;
      for (const uint64_t hash : questions) {
        const bool expected = kind.unit_bytes == 1 || filter.MayContain(hash);  // "maybe" of what has no blocks
        wrong += AskBlocks(facts, filter.body, hash) != expected;
        wrong += !BlockMayContainHash(facts, 0, nullptr, hash);  // so is a block that was not got
      }
      EXPECT_EQ(wrong, 0u);
    });
  }
}

TEST_P(EveryKindOfBody, NamesThePositionsThatAnInsertionSets) {
  const Kind kind = GetParam();
  const LayoutFacts facts_of_kind = linefilter::FactsOf(kind.layout, kind.num_probes);
  const std::vector<uint64_t> hashes = test::SpecialAndRandomHashes(300, kind.num_probes);
  for (const size_t units : {1u, 3u, 100u}) {
    const reference::Filter filter = test::EmptyReference(kind.layout, kind.num_probes, units * kind.unit_bytes);
    const BodyFacts facts = FactsOf(filter);
    test::OnEveryTarget([&](const char*) {
      size_t wrong = 0;
      for (const uint64_t hash : hashes) {
        std::vector<uint64_t> expected;
        if (facts_of_kind.num_positions != 0) expected = reference::BitsOfHash(filter, hash);
        wrong += Sorted(Positions(facts, hash)) != Sorted(expected);
      }
      EXPECT_EQ(wrong, 0u);
    });
  }
}

TEST_P(EveryKindOfBody, BecomesTheImageThatTheReferenceWrites) {
  const Kind kind = GetParam();
  const size_t unit = kind.unit_bytes;
  for (const size_t body_bytes :
       {size_t{0}, size_t{64}, size_t{4096}, 4096 + unit, size_t{65536}, 65536 + unit, 3 * size_t{65536} - unit}) {
    reference::Filter filter = test::EmptyReference(kind.layout, kind.num_probes, body_bytes);
    test::Random random(body_bytes);
    for (uint8_t& byte : filter.body) byte = static_cast<uint8_t>(random());
    if (body_bytes > 4096) filter.has_num_keys = true, filter.num_keys = 1234567890123;
    filter.seed = body_bytes == 4096 ? 0 : 0x123456789abcdef0;
    const Bytes expected = reference::WriteImage(filter);
    const BodyFacts facts = FactsOf(filter);
    EXPECT_EQ(BodyImageBytes(facts), expected.size());
    for (const size_t piece : {size_t{1000}, size_t{65535}, size_t{65536}, size_t{65537}, size_t{1} << 20}) {
      EXPECT_EQ(test::ImageOfBody<Bytes>(facts, filter.body.data(), piece), expected) << "pieces of " << piece;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Body, EveryKindOfBody, testing::ValuesIn(test::EveryKind()), test::KindName);

TEST(Body, OfAContainerIsAskedByStagesAndTakesKeysIntoTheNewest) {
  const reference::Filter container = SomeContainer(7);
  const BodyFacts facts = FactsOf(container);
  ASSERT_TRUE(CheckBody(facts).ok()) << CheckBody(facts).message();
  std::vector<reference::Filter> stages;
  ASSERT_TRUE(reference::ReadStages(container, &stages));
  test::OnEveryTarget([&](const char*) {
    size_t wrong = 0;
    for (const uint64_t hash : test::SpecialAndRandomHashes(3000, 5)) {
      wrong += AskBlocks(facts, container.body, hash) != container.MayContain(hash);
      std::vector<uint64_t> newest = reference::BitsOfHash(stages[2], hash);
      for (uint64_t& bit : newest) bit += 512 * (1 + 3);
      wrong += Sorted(Positions(facts, hash)) != Sorted(newest);
    }
    EXPECT_EQ(wrong, 0u);
  });
}

// Every answer is "maybe", nothing is to be set, no image is begun.
void ExpectRefused(const BodyFacts& facts, StatusCode code, const std::string& words) {
  SCOPED_TRACE(words);
  EXPECT_TRUE(test::Says(code, CheckBody(facts), words));
  uint64_t blocks[kMaxBodyStages];
  EXPECT_EQ(BlocksOfHash(facts, 5, blocks), 0u);
  EXPECT_TRUE(Positions(facts, 5).empty());
  const uint8_t empty_block[kMostBlockBytes] = {};
  for (const size_t index : {size_t{0}, size_t{1}, size_t{63}, size_t{64}}) {
    EXPECT_TRUE(BlockMayContainHash(facts, index, empty_block, 5)) << index;
  }
  EXPECT_EQ(BodyImageBytes(facts), 0u);
  Collector image;
  BodyImageWriter writer;
  EXPECT_EQ(writer.Start(facts, image.sink()).code(), code);
  EXPECT_EQ(writer.Append("x", 1).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(writer.Finish().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(image.bytes.empty());
}

TEST(Body, ThatNoImageHasIsRefused) {
  constexpr Layout kBlocked = Layout::kBlocked;
  const uint8_t empty_block[kMostBlockBytes] = {};
  const auto facts_of = [](Layout layout, uint32_t num_probes, uint64_t body_bytes) {
    BodyFacts facts;
    facts.layout = layout;
    facts.num_probes = num_probes;
    facts.body_bytes = body_bytes;
    return facts;
  };
  ExpectRefused(BodyFacts(), StatusCode::kUnsupported, "layout 0 (auto)");
  ExpectRefused(linefilter::FactsOf(FilterView()), StatusCode::kUnsupported, "layout 0 (auto)");
  ExpectRefused(facts_of(static_cast<Layout>(9), 7, 64), StatusCode::kUnsupported, "layout 9 (unknown)");
  ExpectRefused(facts_of(kBlocked, 7, 63), StatusCode::kInvalidArgument, "7 probes in a body of 63 bytes");
  ExpectRefused(facts_of(kBlocked, 0, 64), StatusCode::kInvalidArgument, "0 probes");
  ExpectRefused(facts_of(kBlocked, 17, 64), StatusCode::kInvalidArgument, "17 probes");
  ExpectRefused(facts_of(kBlocked, 7, (uint64_t{1} << 38) + 64), StatusCode::kInvalidArgument, "274877907008 bytes");
  EXPECT_FALSE(BlockMayContainHash(facts_of(kBlocked, 7, 64), 0, empty_block, 5));
  ExpectRefused(facts_of(Layout::kRetrieval, 1, 64), StatusCode::kInvalidArgument, "1 probes");
  ExpectRefused(facts_of(Layout::kClassic, 31, 64), StatusCode::kInvalidArgument, "31 probes");
  EXPECT_TRUE(BlockMayContainHash(facts_of(kBlocked, 7, 64), 1, empty_block, 5)) << "no such block";
  for (const Layout layout : {kBlocked, Layout::kClassic, Layout::kRetrieval, Layout::kQuotient}) {
    const bool has_probes = linefilter::FactsOf(layout).max_num_probes != 0;
    const BodyFacts good = facts_of(layout, has_probes ? 7 : 0, 64);
    EXPECT_TRUE(CheckBody(good).ok());
    BodyFacts facts = good;
    facts.num_stages = 1;
    ExpectRefused(facts, StatusCode::kInvalidArgument, "only a container has any");
    facts = good;
    facts.hash_id = static_cast<HashId>(4);
    ExpectRefused(facts, StatusCode::kUnsupported, "hash id 4");
    facts.hash_id = HashId::kParquet;
    EXPECT_TRUE(CheckBody(facts).ok());
    facts.seed = 9;
    ExpectRefused(facts, StatusCode::kInvalidArgument, "has seed 9");
  }
}

TEST(Body, OfAContainerThatNoImageHasIsRefused) {
  const uint8_t empty_block[kMostBlockBytes] = {};
  BodyFacts good = FactsOf(SomeContainer(3));
  good.stages[3].num_probes = 5;  // which nobody counts
  EXPECT_FALSE(BlockMayContainHash(good, 2, empty_block, 5));
  EXPECT_TRUE(BlockMayContainHash(good, 3, empty_block, 5)) << "no such stage";
  EXPECT_TRUE(BlockMayContainHash(good, ~size_t{0}, empty_block, 5));
  const auto refused = [&good](const char* words, auto change, StatusCode code = StatusCode::kInvalidArgument) {
    BodyFacts facts = good;
    change(&facts);
    ExpectRefused(facts, code, words);
    return facts;
  };
  refused("set 0", [](BodyFacts* facts) { facts->num_probes = 1; });
  EXPECT_TRUE(
      BlockMayContainHash(refused("65 stages", [](BodyFacts* facts) { facts->num_stages = 65; }), 64, empty_block, 5));
  refused("the stages of a container have 256 bytes, its body 4736", [](BodyFacts* facts) { facts->num_stages = 2; });
  refused("stage 1", [](BodyFacts* facts) { facts->stages[1].num_probes = 17; });
  refused("stage 1 counts",
          [](BodyFacts* facts) { facts->stages[1].num_keys = 512 * facts->stages[1].num_blocks + 1; });
  refused("a growth field of 1025 bytes", [](BodyFacts* facts) { facts->growth_bytes = kMaxBodyGrowthBytes + 1; });
  refused("stage 2", [](BodyFacts* facts) { facts->stages[2].num_blocks = 0; });
  refused(
      "hash id 4", [](BodyFacts* facts) { facts->hash_id = static_cast<HashId>(4); }, StatusCode::kUnsupported);
  refused("has seed 9", [](BodyFacts* facts) { facts->hash_id = HashId::kParquet, facts->seed = 9; });
}

TEST(Body, LargerThanMemoryHasPositionsToItsEnd) {
  BodyFacts facts;
  facts.layout = Layout::kBlocked;
  facts.num_probes = 16;
  facts.body_bytes = uint64_t{1} << 38;
  uint64_t block;
  EXPECT_EQ(BlocksOfHash(facts, ~uint64_t{0}, &block), 1u);
  EXPECT_EQ(block, (uint64_t{1} << 32) - 1);
  for (const uint64_t bit : Positions(facts, ~uint64_t{0})) EXPECT_EQ(bit / 512, block);
  facts.layout = Layout::kClassic;
  facts.num_probes = 30;
  facts.body_bytes = uint64_t{1} << 48;
  EXPECT_EQ(Positions(facts, ~uint64_t{0})[0], (uint64_t{1} << 51) - 1);
  EXPECT_GT(BodyImageBytes(facts), facts.body_bytes);
}

}  // namespace
}  // namespace linefilter::remote_body_test
