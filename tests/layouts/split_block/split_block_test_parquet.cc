// With hash id 3 the body of `split_block` is the bitset of a Bloom filter in a Parquet file. Here is one that
// parquet-mr made (tests/data/parquet): the library finds its members, and makes the same bytes of them.
#include <algorithm>
#include <string>
#include <string_view>

#include "linefilter/builder.h"
#include "tests/layouts/split_block/split_block_test.h"
#include "tests/testing/targets.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::split_block_test {
namespace {

constexpr std::string_view kMembers[] = {"hello", "parquet", "bloom", "filter"};
constexpr size_t kHeader = 16, kBitset = 1024;

reference::Bytes Bitset() {
  const std::string file = test::ReadFile(LINEFILTER_SOURCE_DIR "/tests/data/parquet/bloom_filter.xxhash.bin");
  EXPECT_EQ(file.size(), kHeader + kBitset);
  // This is field 1, an i32, with 1024 as a zigzag varint.
  EXPECT_EQ(file.substr(0, 3), "\x15\x80\x10");
  return reference::Bytes(file.begin() + kHeader, file.end());
}

reference::Filter OfTheFile() {
  reference::Filter filter = EmptyOf(HashId::kParquet, kBitset / 32);
  filter.body = Bitset();
  return filter;
}

TEST(SplitBlockOfParquet, HasTheBytesThatTheReferenceMakesOfItsMembers) {
  reference::Filter made = EmptyOf(HashId::kParquet, kBitset / 32);
  for (const std::string_view member : kMembers) made.Insert(reference::Xxh64(member));
  EXPECT_TRUE(made.body == Bitset());
}

TEST(SplitBlockOfParquet, IsReadAndMadeByTheLibraryOnEveryTarget) {
  const reference::Bytes image = reference::WriteImage(OfTheFile()), bitset = Bitset();
  OnEveryTarget([&](const char*) {
    const FilterView view = ViewOf(image);
    ASSERT_TRUE(view.status().ok()) << view.status().message();
    for (const std::string_view member : kMembers) {
      EXPECT_TRUE(view.MayContainKey(member)) << member;
      EXPECT_TRUE(view.MayContainHash(reference::Xxh64(member))) << member;
    }
    size_t maybes = 0;
    for (uint64_t i = 0; i < 10000; ++i) maybes += view.MayContainKey("stranger " + std::to_string(i));
    EXPECT_EQ(maybes, 0u) << "4 keys in 32 blocks";

    FilterOptions options;
    options.layout = Layout::kSplitBlock;
    options.hash_id = HashId::kParquet;
    options.body_bytes = kBitset;
    Filter filter = test::Created<Filter>(uint64_t{4}, options);
    FilterBuilder builder(options);
    for (const std::string_view member : kMembers) {
      filter.InsertKey(member);
      builder.AddKey(member);
    }
    EXPECT_TRUE(BodyOf(filter) == bitset);
    const std::string built = test::Finish(&builder);
    EXPECT_TRUE(BodyOf(ViewOf(built)) == bitset);
  });
}

// The other hash ids take another x of the same hash: a body is no other's.
TEST(SplitBlockOfParquet, IsNoFilterOfAnotherHashId) {
  reference::Filter filter = OfTheFile();
  filter.hash_id = static_cast<int>(HashId::kCaller);
  const reference::Bytes image = reference::WriteImage(filter);
  const FilterView view = ViewOf(image);
  ASSERT_TRUE(view.status().ok()) << view.status().message();
  size_t maybes = 0;
  for (const std::string_view member : kMembers) maybes += view.MayContainHash(reference::Xxh64(member));
  EXPECT_LT(maybes, 4u);
}

// FORMAT.md section 1: hash id 3 has no seed.
TEST(SplitBlockOfParquet, RefusesASeed) {
  FilterOptions options = OptionsOf(HashId::kParquet);
  options.seed = 1;
  Filter filter;
  EXPECT_TRUE(test::Says(StatusCode::kInvalidArgument, filter.Create(10, options), "seed"));
  FilterBuilder builder(options);
  EXPECT_EQ(builder.status().code(), StatusCode::kInvalidArgument);
  reference::Filter seeded = OfTheFile();
  for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 63}) {
    seeded.has_seed = true;
    seeded.seed = seed;
    const reference::Bytes image = reference::WriteImage(seeded);
    EXPECT_EQ(ViewOf(image).status().code(), seed == 0 ? StatusCode::kOk : StatusCode::kCorrupt) << seed;
  }
}

}  // namespace
}  // namespace linefilter::split_block_test
