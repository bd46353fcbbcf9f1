// linefilter/filter.h: BlockedFilter and ClassicFilter, each test for both.
#include "tests/filters/filter_test.h"

#include <cmath>
#include <limits>
#include <utility>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

TYPED_TEST(FilterTest, AnswersMaybeBeforeCreate) {
  TypeParam filter;
  this->ExpectBroken(filter);
}

TYPED_TEST(FilterTest, RemembersEveryKey) {
  TypeParam filter = this->Make(20000, BitsPerKey(10));
  EXPECT_EQ(filter.layout(), this->kLayout);
  EXPECT_TRUE(filter.KeyStatus().ok());
  for (int i = 0; i < 10000; ++i) {
    filter.InsertKey("key " + std::to_string(i));
    filter.InsertKey(i);
  }
  for (int i = 0; i < 10000; ++i) {
    ASSERT_TRUE(filter.MayContainKey("key " + std::to_string(i)));
    ASSERT_TRUE(filter.MayContainKey(static_cast<uint64_t>(i)));
  }
  int maybes = 0;
  for (int i = 10000; i < 20000; ++i) maybes += filter.MayContainKey("key " + std::to_string(i));
  EXPECT_LT(maybes, 200) << "about 95 at 1 %, and not the other half of the keys";
}

TYPED_TEST(FilterTest, SaysWhetherAKeyWasCertainlyNew) {
  TypeParam filter = this->Make(1000, BitsPerKey(16));
  EXPECT_TRUE(filter.InsertKey("a")) << "the first key of all is certainly new";
  EXPECT_FALSE(filter.InsertKey("a"));
  for (const uint64_t hash : RandomHashes(2000, 3)) {  // past the size it was made for: still exact
    const bool known = filter.MayContainHash(hash);
    ASSERT_EQ(filter.InsertHash(hash), !known);
    ASSERT_FALSE(filter.InsertHash(hash));
    ASSERT_TRUE(filter.MayContainHash(hash));
  }
}

TYPED_TEST(FilterTest, InsertsABatchAsIfOneByOne) {
  for (const size_t n : {0u, 1u, 7u, 31u, 32u, 33u, 1000u, 20000u}) {
    std::vector<uint64_t> hashes = RandomHashes(n, n);
    for (size_t i = 5; i < n; i += 5) hashes[i] = hashes[i - i % 4];  // seen before, some just before
    TypeParam single = this->Make(n, BitsPerKey(6)), batch = this->Make(n, BitsPerKey(6)),
              counted = this->Make(n, BitsPerKey(6));
    std::vector<uint8_t> expected(n + 1, 7), were_new(n + 1, 7);
    uint64_t num_new = 0;
    for (size_t i = 0; i < n; ++i) num_new += expected[i] = single.InsertHash(hashes[i]);
    EXPECT_EQ(batch.InsertHashes(hashes.data(), n, were_new.data()), num_new) << n;
    EXPECT_EQ(were_new, expected) << n << " keys, and no byte more";
    EXPECT_EQ(counted.InsertHashes(hashes.data(), n), num_new) << n;
    EXPECT_EQ(ImageOf(batch), ImageOf(single));
    EXPECT_EQ(ImageOf(counted), ImageOf(single));
  }
}

TYPED_TEST(FilterTest, ClearForgetsAllAndKeepsTheMemory) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  TypeParam filter = this->Make(1000, BitsPerKey(10));
  const std::string empty = ImageOf(filter);
  filter.InsertHashes(hashes.data(), hashes.size());
  const uint8_t* const body = filter.body();
  filter.Clear();
  EXPECT_EQ(filter.body(), body);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), 0u);
  EXPECT_EQ(ImageOf(filter), empty);
  EXPECT_TRUE(filter.InsertHash(hashes[0]));
}

TYPED_TEST(FilterTest, Moves) {
  TestAllocator allocator;
  FilterOptions options = allocator.WithHooks(BitsPerKey(10));
  options.seed = 9;
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  TypeParam first = this->Make(1000, options, hashes);
  const std::string image = ImageOf(first);
  TypeParam second(std::move(first));
  EXPECT_EQ(ImageOf(second), image);
  EXPECT_EQ(second.seed(), 9u);
  this->ExpectBroken(first);
  TypeParam third = this->Make(50, options);
  third = std::move(second);
  EXPECT_EQ(ImageOf(third), image);
  third.InsertKey("and takes keys");
  EXPECT_TRUE(third.MayContainKey("and takes keys"));
  this->ExpectBroken(second);
  TypeParam& self = third;
  third = std::move(self);
  EXPECT_GE(third.CountMaybes(hashes.data(), hashes.size()), 1000u) << "a move to itself loses nothing";
  EXPECT_EQ(allocator.live_blocks(), 1u);
  ASSERT_TRUE(first.Create(10, options).ok()) << "a moved-from filter can be made again";
  EXPECT_FALSE(first.MayContainKey("x"));
  static_assert(!std::is_copy_constructible_v<TypeParam>, "a copy of gigabytes is written out, not implied");
}

TYPED_TEST(FilterTest, TellsItsStateFromTheBits) {
  constexpr size_t kKeys = 200000;
  const std::vector<uint64_t> hashes = RandomHashes(kKeys, 1), absent = RandomHashes(2000000, 2);
  TypeParam filter = this->Make(kKeys, BitsPerKey(10));
  EXPECT_EQ(filter.FillRatio(), 0);
  EXPECT_EQ(filter.EstimatedKeys(), 0);
  EXPECT_EQ(filter.ExpectedFpr(), 0);
  for (const double share : {0.01, 0.3, 1.0}) {
    const size_t n = static_cast<size_t>(share * kKeys);
    filter.Clear();
    filter.InsertHashes(hashes.data(), n);
    filter.InsertHashes(hashes.data(), n);  // duplicates are no new keys
    EXPECT_NEAR(filter.EstimatedKeys(), static_cast<double>(n), 0.02 * static_cast<double>(n)) << share;
    uint64_t ones = 0;
    for (uint64_t i = 0; i < filter.body_bytes(); ++i)
      ones += static_cast<uint64_t>(__builtin_popcount(filter.body()[i]));
    EXPECT_DOUBLE_EQ(filter.FillRatio(), static_cast<double>(ones) / (8.0 * static_cast<double>(filter.body_bytes())));
    const double expected = filter.ExpectedFpr() * static_cast<double>(absent.size());
    const double measured = static_cast<double>(filter.CountMaybes(absent.data(), absent.size()));
    // Poisson: 6 standard deviations, chance 2e-9; and 2 % for what the model of a finished filter neglects.
    EXPECT_NEAR(measured, expected, 6 * std::sqrt(expected) + 0.02 * expected + 1) << share;
  }
  EXPECT_NEAR(filter.ExpectedFpr() / ExpectedFpr(this->kLayout, kKeys, filter.body_bytes(), filter.num_probes()), 1,
              0.03);
}

TYPED_TEST(FilterTest, IsUsableWhenOverfull) {
  TypeParam filter = this->Make(10, BitsPerKey(10));
  const std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.FillRatio(), 1);
  EXPECT_EQ(filter.EstimatedKeys(), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(filter.ExpectedFpr(), 1, 1e-9);
  EXPECT_TRUE(filter.MayContainHash(MixHash(77)));
  EXPECT_FALSE(filter.InsertHash(MixHash(78))) << "nothing can be certainly new";
}

TYPED_TEST(FilterTest, OfTheCallersHashesAnswersKeysMaybe) {
  FilterOptions options = BitsPerKey(10);
  options.hash_id = HashId::kCaller;
  TypeParam filter = this->Make(100, options);
  EXPECT_FALSE(filter.InsertKey("ignored"));
  EXPECT_EQ(filter.FillRatio(), 0);
  EXPECT_TRUE(filter.MayContainKey("a key"));
  EXPECT_EQ(filter.KeyStatus().code(), StatusCode::kIncompatible);
  EXPECT_TRUE(filter.InsertHash(MixHash(1)));
  EXPECT_TRUE(filter.MayContainHash(MixHash(1)));
  EXPECT_FALSE(filter.MayContainHash(MixHash(2)));
}

TYPED_TEST(FilterTest, AsTheBuilderHasIt) {
  const std::vector<uint64_t> hashes = RandomHashes(10000, 1);
  FilterOptions options = BitsPerKey(9.3, this->kLayout);
  const std::string built = Build(options, hashes);
  const TypeParam filter = this->Make(hashes.size(), options, hashes);
  const FilterView view(built.data(), built.size());
  ASSERT_EQ(view.body_bytes(), filter.body_bytes());
  EXPECT_EQ(view.num_probes(), filter.num_probes());
  EXPECT_EQ(std::string(built, 0, view.body_bytes()),
            std::string(reinterpret_cast<const char*>(filter.body()), filter.body_bytes()));
}

TYPED_TEST(FilterTest, MeetsAnAskedRate) {
  const TypeParam filter = this->Make(100000, Fpr(0.001), RandomHashes(100000, 1));
  EXPECT_LT(filter.ExpectedFpr(), 0.00105);
  EXPECT_GT(filter.ExpectedFpr(), 0.0009) << "nothing is wasted";
}

TYPED_TEST(FilterTest, MakesRoomForAtLeastOneKey) {
  TypeParam filter = this->Make(0, BitsPerKey(10));
  EXPECT_GT(filter.body_bytes(), 0u);
  EXPECT_FALSE(filter.MayContainKey("x"));
  EXPECT_TRUE(filter.InsertKey("x"));
  EXPECT_TRUE(filter.MayContainKey("x"));
}

TYPED_TEST(FilterTest, RefusesNonsenseAndStaysBroken) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<FilterOptions> cases;
  for (const double bits : {0.0, 0.5, 65.0, 1e9, -1.0, nan}) cases.push_back(BitsPerKey(bits));
  for (const double fpr : {1.0, 2.0, -1.0, 1e-300, nan}) {
    cases.emplace_back();
    cases.back().fpr = fpr;
  }
  cases.push_back(BitsPerKey(10));
  cases.back().fpr = 0.01;
  cases.push_back(BitsPerKey(10));
  cases.back().num_probes = FactsOf(this->kLayout).max_num_probes + 1;
  cases.emplace_back();
  cases.back().fpr = 0.01;
  cases.back().num_probes = 3;
  cases.push_back(BitsPerKey(10));
  cases.back().allocator.allocate = [](void*, size_t, size_t) noexcept -> void* { return nullptr; };
  for (size_t i = 0; i < cases.size(); ++i) {
    TypeParam filter;
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Create(1000, cases[i]))) << "case " << i;
    this->ExpectBroken(filter);
  }
  FilterOptions unknown = BitsPerKey(10);
  unknown.hash_id = static_cast<HashId>(3);
  TypeParam filter;
  EXPECT_FALSE(filter.Create(1000, unknown).ok()) << "a reserved hash id would make images that no reader takes";
  for (const uint64_t n : {uint64_t{1} << 60, ~uint64_t{0}}) {
    EXPECT_EQ(filter.Create(n, BitsPerKey(10)).code(), StatusCode::kInvalidArgument) << "past what can be addressed";
  }
  this->ExpectBroken(filter);
  ASSERT_TRUE(filter.Create(1000, BitsPerKey(10)).ok()) << "and can be made still";
  EXPECT_FALSE(filter.MayContainKey("x"));
}

}  // namespace
}  // namespace linefilter::test
