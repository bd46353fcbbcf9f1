// Chance hardly meets an image of no keys, the last number of a rotation, or a body that took its newest keys
// elsewhere: each goes on as any other.
#include "tests/filters/states_test.h"
#include "tests/testing/options.h"

namespace linefilter::test {
namespace {

using reference::PutLittleEndian;

// A builder without keys, of any layout and hash.
template <class Filter>
void ExpectOfEmptyBuilder(Layout layout) {
  for (const HashId hash_id : {HashId::kXxh3, HashId::kCaller, HashId::kKeyed, HashId::kParquet}) {
    for (const bool foldable : {false, true}) {
      if (foldable && layout == Layout::kClassic) continue;
      FilterOptions options = BitsPerKey(10, layout);
      options.hash_id = hash_id;
      options.foldable = foldable;
      if (hash_id == HashId::kKeyed) options.secret.bytes[3] = 1;
      const std::string image = test::Build(options, {});
      Filter filter;
      ASSERT_TRUE(IsOk(filter.CreateFromImage(image.data(), image.size(), ToOpen(options))));
      EXPECT_EQ(filter.body_bytes(), layout == Layout::kClassic ? 8u : 64u);
      EXPECT_EQ(filter.hash_id(), hash_id);
      const std::vector<uint64_t> hashes = test::RandomHashes(20, 1);
      EXPECT_EQ(AnswersOf(filter, hashes), std::vector<uint8_t>(hashes.size(), 0)) << "it is empty";
      for (const uint64_t hash : hashes) filter.InsertHash(hash);
      EXPECT_EQ(AnswersOf(filter, hashes), std::vector<uint8_t>(hashes.size(), 1));
      FilterOptions limited = ToOpen(options);
      limited.memory_limit = 7;
      const Status refused = Filter().CreateFromImage(image.data(), image.size(), limited);
      EXPECT_EQ(refused.code(), StatusCode::kOverLimit);
      limited.memory_limit = std::strtoull(refused.message(), nullptr, 10) - 1;  // "N bytes are needed ..."
      EXPECT_EQ(Filter().CreateFromImage(image.data(), image.size(), limited).code(), StatusCode::kOverLimit);
      ++limited.memory_limit;
      EXPECT_TRUE(Filter().CreateFromImage(image.data(), image.size(), limited).ok()) << refused.message();
    }
  }
}

TEST(States, AnImageOfNoKeysBecomesAnEmptyFilter) {
  ExpectOfEmptyBuilder<BlockedFilter>(Layout::kBlocked);
  ExpectOfEmptyBuilder<ConcurrentFilter>(Layout::kBlocked);
  ExpectOfEmptyBuilder<QuotientFilter>(Layout::kQuotient);
  ExpectOfEmptyBuilder<ClassicFilter>(Layout::kClassic);
}

// The number stays, and nothing else does: generations go, snapshots are taken.
TEST(States, RotationsGoOnBehindTheLastNumber) {
  reference::Filter stage;
  stage.num_probes = 8;
  stage.body.resize(64 * 4);
  reference::Filter claim = reference::MakeContainer({stage, stage, stage}, {0, 0, 0});
  Bytes growth(32, 0);
  growth[0] = 2;
  PutLittleEndian(100, 8, &growth[8]);
  PutLittleEndian(kLastGeneration - 1, 8, &growth[16]);
  claim.extensions.push_back({reference::kGrowth, growth});
  const Bytes image = reference::WriteImage(claim);
  RotatingFilter filter;
  ASSERT_TRUE(IsOk(filter.CreateFromImage(image.data(), image.size())));
  EXPECT_EQ(filter.generation(), kLastGeneration - 1);
  for (int i = 0; i < 10; ++i) {
    const uint64_t hash = MixHash(static_cast<uint64_t>(i));
    filter.InsertHash(hash);
    EXPECT_EQ(filter.Rotate(), kLastGeneration);
    EXPECT_EQ(filter.generation(), kLastGeneration);
    EXPECT_TRUE(filter.MayContainHash(hash));
    const std::string saved = ImageOf(filter);
    RotatingFilter loaded;
    ASSERT_TRUE(IsOk(loaded.CreateFromImage(saved.data(), saved.size())));
    EXPECT_EQ(loaded.generation(), kLastGeneration);
    EXPECT_TRUE(loaded.MayContainHash(hash));
    filter.Rotate();
    filter.Rotate();
    EXPECT_FALSE(filter.MayContainHash(hash)) << "three rotations are over";
  }
}

// Sets the bits of keys in the body of an image, as who has it elsewhere does.
void InsertElsewhere(const BodyFacts& facts, const std::vector<uint64_t>& hashes, std::string* image) {
  for (const uint64_t hash : hashes) {
    uint64_t positions[kMaxPositions];
    for (size_t i = PositionsOfHash(facts, hash, positions); i != 0; --i) {
      char& byte = (*image)[static_cast<size_t>(positions[i - 1] / 8)];
      byte = static_cast<char>(byte | 1 << positions[i - 1] % 8);
    }
  }
}

// Keys that go into a body elsewhere are counted where its filter goes on: as many as the one bits tell.
TEST(States, KeysThatCameElsewhereAreCounted) {
  ScalableFilter grown = Created<ScalableFilter>(1000, Fpr(0.01));
  const std::vector<uint64_t> first = test::RandomHashes(1200, 1), more = test::RandomHashes(700, 2);
  grown.InsertHashes(first.data(), first.size());
  std::string image = ImageOf(grown);
  const BodyFacts facts = FactsWithOnes(FilterView(image.data(), image.size(), VerifyMode::kWhole));
  EXPECT_EQ(ImageOfBody(facts, image.data(), 100), image) << "none came";
  InsertElsewhere(facts, more, &image);
  const std::string later = ImageOfBody(facts, image.data(), 100);
  ScalableFilter loaded = FromImage<ScalableFilter>(later);
  EXPECT_EQ(loaded.CountMaybes(more.data(), more.size()), more.size());
  EXPECT_NEAR(static_cast<double>(loaded.num_keys()), static_cast<double>(first.size() + more.size()), 60);
  EXPECT_EQ(loaded.num_keys(), FilterView(later.data(), later.size(), VerifyMode::kWhole).num_keys());
  // All bits: as many keys as bits at most, and a filter that goes on.
  std::fill(image.begin(), image.begin() + static_cast<ptrdiff_t>(facts.body_bytes), '\xff');
  const std::string full = ImageOfBody(facts, image.data());
  ASSERT_TRUE(loaded.CreateFromImage(full.data(), full.size()).ok());
  EXPECT_EQ(loaded.stage(1).num_keys, 512 * loaded.stage(1).num_blocks);
}

// The same of one that forgets by count: what came counts for its rotation.
TEST(States, KeysThatCameElsewhereBringARotationNearer) {
  RotatingFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(2000, 3, Fpr(0.01), Rotation::kByCount)));
  const std::vector<uint64_t> hashes = test::RandomHashes(300, 1), more = test::RandomHashes(800, 2);
  filter.InsertHashes(hashes.data(), hashes.size());
  std::string image = ImageOf(filter);
  const BodyFacts facts = FactsWithOnes(FilterView(image.data(), image.size(), VerifyMode::kWhole));
  InsertElsewhere(facts, more, &image);
  const std::string again = ImageOfBody(facts, image.data());
  RotatingFilter loaded;
  ASSERT_TRUE(loaded.CreateFromImage(again.data(), again.size()).ok());
  EXPECT_EQ(loaded.CountMaybes(more.data(), more.size()), more.size());
  const FilterView view(again.data(), again.size(), VerifyMode::kWhole);
  EXPECT_EQ(view.stage(2).num_keys, 0u) << "a generation's keys are not told there";
  const uint64_t counted = reference::GetLittleEndian(view.growth() + 24, 8);
  EXPECT_NEAR(static_cast<double>(counted), 1100, 60) << "of 1000 that a generation takes";
  loaded.InsertHash(MixHash(1));
  EXPECT_EQ(loaded.generation(), 1u);
}

}  // namespace
}  // namespace linefilter::test
