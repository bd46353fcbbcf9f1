// A builder with FilterOptions::removable counts a key each time that it comes, whatever the way in.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/filter.h"
#include "linefilter/view.h"
#include "tests/filters/removable_test.h"
#include "tests/testing/building.h"
#include "tests/testing/measure_fpr.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/savers.h"
#include "tests/testing/threads.h"

namespace linefilter::test {
namespace {

// Unlike other builders, for what was added twice and removed once is still there.
TEST(RemovableBuilder, CountsAKeyEachTimeThatItComes) {
  FilterOptions options = Removable(BitsPerKey(12));
  options.hash_id = HashId::kCaller;
  FilterBuilder builder(options);
  for (const uint64_t hash : {uint64_t{5} << 60, uint64_t{5} << 60, uint64_t{9}, uint64_t{5} << 60})
    builder.AddHash(hash);
  EXPECT_EQ(builder.num_keys(), 4u);
  const std::string image = Finish(&builder);
  QuotientFilter filter = FromImage<QuotientFilter>(image);
  EXPECT_TRUE(filter.RemoveHash(9));
  EXPECT_FALSE(filter.MayContainHash(9));
  for (int times = 0; times < 3; ++times) EXPECT_TRUE(filter.RemoveHash(uint64_t{5} << 60)) << times;
  EXPECT_FALSE(filter.RemoveHash(uint64_t{5} << 60));
}

// By every way in, and of every size: by one, in batches, into chunks that threads fill, from a source. Runs, of four
// on average, reach over the pieces of all of them.
TEST(RemovableBuilder, LosesNoKeyThatCameInARunWhateverTheWayIn) {
  for (const size_t num_keys : {size_t{3000}, size_t{1} << 20, size_t{5} << 20}) {
    if (num_keys > 100000 && IsEmulated()) break;  // 40 MB and as much again
    if (num_keys > 2000000 && Effort() < 1) break;
    const size_t n = num_keys;
    std::vector<uint64_t> hashes(n);
    Random random(n);
    for (size_t i = 0; i < n; ++i) hashes[i] = i != 0 && random() % 4 != 0 ? hashes[i - 1] : random();
    FilterOptions options = Removable(BitsPerKey(12));
    options.hash_id = HashId::kCaller;
    options.executor = Threads(3);
    const auto expect_all = [&](const std::string& image, const char* way) {
      const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
      EXPECT_EQ(view.num_keys(), n) << way;
      QuotientFilter filter;
      ASSERT_TRUE(filter.CreateFromImage(image.data(), image.size()).ok()) << way;
      EXPECT_EQ(filter.RemoveHashes(hashes.data(), n / 2), n / 2) << way;
      EXPECT_EQ(filter.CountMaybes(hashes.data() + n / 2, n - n / 2), n - n / 2) << way << " lost keys";
      EXPECT_EQ(filter.RemoveHashes(hashes.data() + n / 2, n - n / 2), n - n / 2) << way;
    };
    std::string image;
    FilterBuilder builder(options);
    builder.AddHashes(hashes.data(), n);
    ASSERT_TRUE(builder.Finish(&image).ok());
    expect_all(image, "AddHashes");
    std::string other;
    for (const uint64_t hash : hashes) builder.AddHash(hash);
    ASSERT_TRUE(builder.Finish(&other).ok());
    EXPECT_TRUE(other == image) << "AddHash";
    other.clear();
    for (size_t i = 0; i < n; i += 100) builder.AddHashes(hashes.data() + i, std::min<size_t>(100, n - i));
    ASSERT_TRUE(builder.Finish(&other).ok());
    EXPECT_TRUE(other == image) << "AddHashes, by hundreds";
    HashesInMemory memory{&hashes};
    Collector collector;
    ASSERT_TRUE(BuildFromSource(options, memory.source(), collector.sink()).ok());
    EXPECT_TRUE(collector.bytes == image) << "BuildFromSource";
  }
}

TEST(RemovableBuilder, CountsKeysThatAreAddedAsKeys) {
  FilterOptions options = Removable(BitsPerKey(12));
  FilterBuilder builder(options);
  for (int times = 0; times < 2; ++times) builder.AddKey("alice");
  const std::string image = Finish(&builder);
  QuotientFilter filter = FromImage<QuotientFilter>(image);
  EXPECT_TRUE(filter.RemoveKey("alice"));
  EXPECT_TRUE(filter.MayContainKey("alice"));
  options.removable = false;
  FilterBuilder set(options);
  for (int times = 0; times < 2; ++times) set.AddKey("alice");
  Finish(&set);
  EXPECT_EQ(set.sizing().num_keys, 1u) << "a set counts it once";
}

}  // namespace
}  // namespace linefilter::test
