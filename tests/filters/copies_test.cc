// What takes keys goes on from a file (Load), becomes a copy of another (CloneFrom), and takes keys in batches
// (InsertKeys). Each kind of filter does, and what fails leaves it as it was.
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

Status CreateSmall(Filter* filter, const FilterOptions& options) {
  return filter->Create(1000, WithLayout(Layout::kBlocked, options));
}
Status CreateSmall(BlockedFilter* filter, const FilterOptions& options) { return filter->Create(1000, options); }
Status CreateSmall(ClassicFilter* filter, const FilterOptions& options) { return filter->Create(1000, options); }
Status CreateSmall(QuotientFilter* filter, FilterOptions options) {
  options.removable = true;
  return filter->Create(1000, options);
}
Status CreateSmall(ConcurrentFilter* filter, const FilterOptions& options) { return filter->Create(1000, options); }
Status CreateSmall(ScalableFilter* filter, const FilterOptions& options) { return filter->Create(100, options); }
Status CreateSmall(RotatingFilter* filter, const FilterOptions& options) {
  return filter->Create(500, 3, options, Rotation::kByCount);
}

template <class Filter>
class Copies : public ::testing::Test {
 protected:
  // A filter that has had 1000 keys, at 1 %.
  static void Fill(Filter* filter, const FilterOptions& options = FilterOptions::AtFpr(0.01)) {
    ASSERT_TRUE(IsOk(CreateSmall(filter, options)));
    for (const uint64_t hash : RandomHashes(1000, 1)) filter->InsertHash(hash);
  }
  // Whether both go on alike: the same further keys give the same bytes.
  static void ExpectAlike(Filter* one, Filter* other) {
    EXPECT_EQ(ImageOf(*one), ImageOf(*other));
    for (const uint64_t hash : RandomHashes(1000, 2)) EXPECT_EQ(one->InsertHash(hash), other->InsertHash(hash));
    EXPECT_EQ(ImageOf(*one), ImageOf(*other));
  }
};

using Kinds = ::testing::Types<Filter, BlockedFilter, ClassicFilter, QuotientFilter, ConcurrentFilter, ScalableFilter,
                               RotatingFilter>;
TYPED_TEST_SUITE(Copies, Kinds);

TYPED_TEST(Copies, LoadGoesOnWithWhatSaveWrote) {
  const TempDir folder;
  const std::string path = folder.File("filter");
  TypeParam filter, loaded;
  this->Fill(&filter);
  ASSERT_TRUE(IsOk(filter.Save(path.c_str())));
  ASSERT_TRUE(IsOk(loaded.Load(path.c_str())));
  this->ExpectAlike(&filter, &loaded);
}

TYPED_TEST(Copies, LoadTellsWhatIsWrongAndLeavesTheFilter) {
  const TempDir folder;
  const std::string path = folder.File("filter"), missing = folder.File("missing");
  TypeParam filter;
  this->Fill(&filter);
  const std::string before = ImageOf(filter);
  ASSERT_TRUE(IsOk(filter.Save(path.c_str())));
  EXPECT_EQ(filter.Load(missing.c_str()).code(), StatusCode::kIoError);
  EXPECT_EQ(filter.Load(nullptr).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(filter.Save(nullptr).code(), StatusCode::kInvalidArgument);
  FilterOptions little = FilterOptions::AtFpr(0.01);
  little.memory_limit = 100;
  EXPECT_EQ(filter.Load(path.c_str(), little).code(), StatusCode::kOverLimit);
  FilterOptions keyed;
  keyed.hash_id = HashId::kKeyed;
  EXPECT_EQ(filter.Load(path.c_str(), keyed).code(), StatusCode::kInvalidArgument) << "it has no secret";
  keyed.secret.bytes[0] = 1;
  EXPECT_EQ(filter.Load(path.c_str(), keyed).code(), StatusCode::kIncompatible);
  std::string damaged = before;
  damaged[10] = static_cast<char>(damaged[10] ^ 1);
  folder.Write("filter", damaged);
  EXPECT_EQ(filter.Load(path.c_str()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(ImageOf(filter), before);
}

TYPED_TEST(Copies, LoadRefusesAnImageOfAnotherClass) {
  const TempDir folder;
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.layout = Layout::kRetrieval;
  const std::string path = folder.Write("retrieval", Build(options, RandomHashes(10, 1)));
  TypeParam filter;
  EXPECT_EQ(filter.Load(path.c_str()).code(), StatusCode::kIncompatible);
}

TYPED_TEST(Copies, CloneIsAnotherFilterOfTheSameKeys) {
  TypeParam filter, clone;
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.hash_id = HashId::kKeyed;
  options.secret.bytes[3] = 7;
  options.key_kind = KeyKind::kText;
  this->Fill(&filter, options);
  ASSERT_TRUE(IsOk(clone.CloneFrom(filter)));
  EXPECT_EQ(clone.key_kind(), KeyKind::kText);
  EXPECT_EQ(clone.capacity(), filter.capacity());
  clone.InsertKey("alice");
  EXPECT_TRUE(clone.MayContainKey("alice"));
  EXPECT_NE(ImageOf(clone), ImageOf(filter)) << "they share nothing";
  filter.InsertKey("alice");
  this->ExpectAlike(&filter, &clone);
  const std::string before = ImageOf(filter);
  ASSERT_TRUE(IsOk(filter.CloneFrom(filter)));
  EXPECT_EQ(ImageOf(filter), before) << "a clone of itself changes nothing";
}

TYPED_TEST(Copies, CloneOfNothingLeavesTheFilter) {
  TypeParam filter, nothing;
  this->Fill(&filter);
  const std::string before = ImageOf(filter);
  EXPECT_EQ(filter.CloneFrom(nothing).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ImageOf(filter), before);
}

TYPED_TEST(Copies, CloneTakesTheAllocator) {
  TestAllocator memory;
  {
    TypeParam filter, clone;
    FilterOptions options = FilterOptions::AtFpr(0.01);
    options.allocator = memory.hooks();
    this->Fill(&filter, options);
    const uint64_t before = memory.live_bytes();
    ASSERT_TRUE(IsOk(clone.CloneFrom(filter)));
    EXPECT_EQ(memory.live_bytes(), 2 * before);
    memory.FailFrom(0);
    EXPECT_EQ(clone.CloneFrom(filter).code(), StatusCode::kOutOfMemory);
    memory.FailFrom(TestAllocator::kNever);
    EXPECT_EQ(ImageOf(clone), ImageOf(filter));
  }
  EXPECT_EQ(memory.live_bytes(), 0u);
}

TYPED_TEST(Copies, InsertKeysDoesWhatSingleCallsDo) {
  std::vector<std::string> texts;
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < 700; ++i) texts.push_back("key-" + std::to_string(i * i % 500)), numbers.push_back(i % 300);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  TypeParam single, batch;
  ASSERT_TRUE(IsOk(CreateSmall(&single, FilterOptions::AtFpr(0.01))));
  ASSERT_TRUE(IsOk(CreateSmall(&batch, FilterOptions::AtFpr(0.01))));
  const auto expect_same = [&](const auto& keys) {
    std::vector<uint8_t> were_new(keys.size(), 7);
    uint64_t num_new = 0;
    std::vector<uint8_t> expected;
    for (const auto& key : keys) expected.push_back(single.InsertKey(key)), num_new += expected.back();
    EXPECT_EQ(batch.InsertKeys(keys.data(), keys.size(), were_new.data()), num_new);
    EXPECT_EQ(were_new, expected);
    EXPECT_EQ(ImageOf(single), ImageOf(batch));
  };
  expect_same(texts);
  expect_same(views);
  expect_same(numbers);
  EXPECT_EQ(batch.InsertKeys(texts.data(), 0), 0u);
}

TEST(InsertKeys, AreIgnoredByAFilterOfTheCallersHashes) {
  FilterOptions options = FilterOptions::AtFpr(0.01);
  options.hash_id = HashId::kCaller;
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(10, options)));
  const uint64_t keys[] = {1, 2, 3};
  uint8_t were_new[] = {7, 7, 7};
  EXPECT_EQ(filter.InsertKeys(keys, 3, were_new), 0u);
  EXPECT_EQ(were_new[0] + were_new[1] + were_new[2], 0);
  EXPECT_EQ(filter.FillRatio(), 0);
}

TEST(MayContainKeysToBits, SaysWhatBytesSay) {
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(300, FilterOptions::AtFpr(0.1))));
  std::vector<std::string> texts;
  std::vector<uint64_t> numbers;
  for (uint64_t i = 0; i < 700; ++i) texts.push_back(std::to_string(i)), numbers.push_back(i);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  filter.InsertKeys(texts.data(), 150);
  filter.InsertKeys(numbers.data(), 150);
  FilterOptions of_hashes = FilterOptions::AtFpr(0.1);
  of_hashes.hash_id = HashId::kCaller;
  const BlockedFilter callers = Created<BlockedFilter>(uint64_t{10}, of_hashes);
  for (const FilterBase* const asked :
       {static_cast<const FilterBase*>(&filter), static_cast<const FilterBase*>(&callers)}) {
    const auto expect_same = [asked](const auto* keys, size_t n) {
      std::vector<uint8_t> bytes(n + 1, 7), bits((n + 7) / 8 + 1, 0x55), expected((n + 7) / 8);
      asked->MayContainKeys(keys, n, bytes.data());
      asked->MayContainKeysToBits(keys, n, bits.data());
      for (size_t i = 0; i < n; ++i) expected[i / 8] = static_cast<uint8_t>(expected[i / 8] | bytes[i] << i % 8);
      expected.push_back(0x55);
      EXPECT_EQ(bits, expected) << n;
    };
    for (const size_t n : {0u, 1u, 7u, 8u, 9u, 255u, 256u, 257u, 700u}) {
      expect_same(views.data(), n);
      expect_same(numbers.data(), n);
    }
  }
}

// A clone is a snapshot: what was inserted before is in it, whatever other threads do meanwhile.
template <class Filter>
void ExpectSnapshots(const FilterOptions& options) {
  Filter filter;
  ASSERT_TRUE(IsOk(CreateSmall(&filter, options)));
  const std::vector<uint64_t> before = RandomHashes(100, 3), meanwhile = RandomHashes(5000, 4);
  filter.InsertHashes(before.data(), before.size());
  std::thread inserting([&] { filter.InsertHashes(meanwhile.data(), 100); });
  for (int i = 0; i < 20; ++i) {
    Filter clone;
    ASSERT_TRUE(IsOk(clone.CloneFrom(filter)));
    EXPECT_EQ(clone.CountMaybes(before.data(), before.size()), before.size());
  }
  inserting.join();
}

TEST(CloneFrom, IsASnapshotWhileThreadsInsert) {
  for (const Layout layout : EverySharedLayout()) {
    ExpectSnapshots<ConcurrentFilter>(WithLayout(layout, FilterOptions::AtFpr(0.01)));
  }
  ExpectSnapshots<RotatingFilter>(FilterOptions::AtFpr(0.01));
}

}  // namespace
}  // namespace linefilter::test
