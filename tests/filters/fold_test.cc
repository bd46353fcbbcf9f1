// Folding: a filter of num_blocks blocks that becomes factor times smaller is to the byte the filter that would have
// been made with num_blocks / factor blocks and the same num_probes; so no key is lost, and the rate is that of such a
// filter. Whatever is refused, or fails, changes nothing.
#include "tests/filters/fold_test.h"

namespace linefilter::test {
namespace {

// Primes, powers of two, one block, and what has many divisors; 65536 blocks and more are folded where they lie.
constexpr uint64_t kSizes[] = {1, 2, 3, 7, 12, 64, 97, 100, 360, 1024, 5040, 65536, 65537, 98304};

template <class Filter>
void ExpectFoldsAsMade(uint64_t num_blocks, uint32_t num_probes, const std::vector<uint64_t>& hashes,
                       const std::vector<uint64_t>& factors) {
  const std::string image = ImageOf(Make<Filter>(num_blocks, num_probes, hashes));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  for (const uint64_t factor : factors) {
    SCOPED_TRACE(std::to_string(num_blocks) + " blocks by " + std::to_string(factor));
    const std::string expected = ImageOf(Make<Filter>(num_blocks / factor, num_probes, hashes));
    Filter filter = FromImage<Filter>(image);
    ASSERT_TRUE(IsOk(filter.Fold(factor)));
    EXPECT_EQ(filter.num_blocks(), num_blocks / factor);
    EXPECT_EQ(filter.body_bytes(), 64 * num_blocks / factor);
    EXPECT_TRUE(ImageOf(filter) == expected);
    EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), hashes.size()) << "no key is lost";
    Collector written;
    ASSERT_TRUE(FoldImage(view, factor, written.sink()).ok());
    EXPECT_TRUE(written.bytes == expected) << "nor by the way through an image";
  }
}

TEST(Fold, IsToTheByteAFilterMadeOfThatSize) {
  for (const uint64_t num_blocks : kSizes) {
    const uint32_t num_probes = 1 + static_cast<uint32_t>(num_blocks % 16);
    const std::vector<uint64_t> hashes =
        SpecialAndRandomHashes(static_cast<size_t>((num_blocks > 10000 ? 2 : 20) * num_blocks + 13), 1);
    std::vector<uint64_t> factors = DivisorsOf(num_blocks);
    if (num_blocks > 10000) factors = {1, 2, factors[factors.size() / 2], num_blocks};
    if (num_blocks == 65537) factors = {1, num_blocks};
    ExpectFoldsAsMade<BlockedFilter>(num_blocks, num_probes, hashes, factors);
  }
}

// The independent reference, told of the keys one by one, has the last word.
TEST(Fold, IsWhatTheReferenceMakes) {
  const std::vector<uint64_t> hashes = SpecialAndRandomHashes(3000, 2);
  reference::Filter expected = EmptyReference(Layout::kBlocked, 7, 64 * 20);
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
  ClassicFilter classic = Created<ClassicFilter>(1000, BitsPerKey(10));
  const std::string before = ImageOf(classic);
  for (const Status& status : {classic.Fold(2), classic.FoldToFpr(0.5)}) {
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, status, "layout classic cannot be folded"));
  }
  EXPECT_EQ(ImageOf(classic), before);
}

TEST(Fold, GivesTheMemoryBackOrChangesNothing) {
  const std::vector<uint64_t> hashes = RandomHashes(5000, 1);
  TestAllocator allocator;
  BlockedFilter filter = Make(120, 6, hashes, allocator.WithHooks());
  const std::string before = ImageOf(filter);
  allocator.FailFrom(0);
  EXPECT_TRUE(Says(StatusCode::kOutOfMemory, filter.Fold(4), "1920 bytes"));
  EXPECT_EQ(filter.FoldToFpr(0.9999).code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(filter.Union(Make(90, 6, hashes), kAnyRate).code(), StatusCode::kOutOfMemory);
  EXPECT_EQ(ImageOf(filter), before);
  EXPECT_EQ(allocator.live_bytes(), 120u * 64);
  allocator.FailFrom(TestAllocator::kNever);
  ASSERT_TRUE(filter.Fold(4).ok());
  EXPECT_TRUE(allocator.Owns(filter.body()));
  EXPECT_EQ(allocator.live_bytes(), 30u * 64);
  EXPECT_EQ(filter.MemoryUse(), 30u * 64 + sizeof(filter));
  EXPECT_EQ(ImageOf(filter), ImageOf(Make(30, 6, hashes)));
}

// --- Keys that can be removed -------------------------------------------------------------------------------------

// Also of blocks that are saturated, before or by folding.
TEST(FoldMultiset, IsToTheByteAFilterMadeOfThatSize) {
  for (const uint64_t num_blocks : {1u, 2u, 97u, 100u, 360u}) {
    for (const size_t keys_per_block : {3u, 20u, 500u}) {
      std::vector<uint64_t> hashes = RandomHashes(keys_per_block * num_blocks, 1);
      for (size_t i = 0; i < 20; ++i) hashes.push_back(hashes[0]);
      ExpectFoldsAsMade<QuotientFilter>(num_blocks, 1, hashes, DivisorsOf(num_blocks));
    }
  }
}

TEST(FoldMultiset, AUnionOfUnequalSizesAddsUp) {
  const std::vector<uint64_t> mine = RandomHashes(300, 1), theirs = RandomHashes(200, 2);
  std::vector<uint64_t> all = mine;
  all.insert(all.end(), theirs.begin(), theirs.end());
  all.insert(all.end(), mine.begin(), mine.begin() + 50);
  std::vector<uint64_t> other = theirs;
  other.insert(other.end(), mine.begin(), mine.begin() + 50);
  QuotientFilter filter = Make<QuotientFilter>(96, 1, mine);
  const std::string my_image = ImageOf(filter), other_image = ImageOf(Make<QuotientFilter>(36, 1, other));
  ASSERT_TRUE(filter.Union(Make<QuotientFilter>(36, 1, other), kAnyRate).ok());
  EXPECT_EQ(ImageOf(filter), ImageOf(Make<QuotientFilter>(12, 1, all)));
  const FilterView one(my_image.data(), my_image.size(), VerifyMode::kWhole),
      two(other_image.data(), other_image.size(), VerifyMode::kWhole);
  const FilterView* const both[] = {&one, &two};
  Collector written;
  ASSERT_TRUE(UniteImages(both, 2, written.sink(), kAnyRate).ok());
  EXPECT_EQ(written.bytes, ImageOf(Make<QuotientFilter>(12, 1, all)));
  EXPECT_EQ(filter.RemoveHashes(all.data(), all.size()), all.size());
  EXPECT_EQ(ImageOf(filter), ImageOf(Make<QuotientFilter>(12, 1, {}))) << "nothing is left";
}

}  // namespace
}  // namespace linefilter::test
