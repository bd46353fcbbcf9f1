// linefilter/filter.h: BlockedFilter and ClassicFilter, each test for both. A filter takes keys, tells its state,
// unites with another one or an image, and goes through its image and back. (What is refused: as_it_was_test.)
#include "linefilter/filter.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/scalable.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/takes_nothing.h"
#include "tests/testing/test_allocator.h"

namespace linefilter::test {
namespace {

// A filter, broken filters and their equality in bits: the questions of most tests below.
template <class Filter>
class FilterTest : public ::testing::Test {
 protected:
  static constexpr Layout kLayout = std::is_same_v<Filter, BlockedFilter> ? Layout::kBlocked : Layout::kClassic;

  static Filter Make(uint64_t num_keys, const FilterOptions& options, const std::vector<uint64_t>& hashes = {}) {
    Filter filter;
    EXPECT_TRUE(IsOk(filter.Create(num_keys, options)));
    filter.InsertHashes(hashes.data(), hashes.size());
    return filter;
  }
  static void ExpectBroken(Filter& filter) {
    ExpectTakesNothing(&filter);
    EXPECT_EQ(filter.ExpectedFpr(), 1);
    filter.Prepare(MixHash(5));  // nothing is touched
    filter.Clear();
    ExpectTakesNothing(&filter);
  }
};

using Filters = ::testing::Types<BlockedFilter, ClassicFilter>;
TYPED_TEST_SUITE(FilterTest, Filters, );

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
  EXPECT_EQ(filter.ApproximateSize().keys, 0);
  EXPECT_EQ(filter.ExpectedFpr(), 0);
  for (const double share : {0.01, 0.3, 1.0}) {
    const size_t n = static_cast<size_t>(share * kKeys);
    filter.Clear();
    filter.InsertHashes(hashes.data(), n);
    filter.InsertHashes(hashes.data(), n);  // duplicates are no new keys
    EXPECT_NEAR(filter.ApproximateSize().keys, static_cast<double>(n), 0.02 * static_cast<double>(n)) << share;
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
  EXPECT_EQ(filter.ApproximateSize().keys, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(filter.ExpectedFpr(), 1, 1e-9);
  EXPECT_TRUE(filter.MayContainHash(MixHash(77)));
  EXPECT_FALSE(filter.InsertHash(MixHash(78))) << "nothing can be certainly new";
}

TYPED_TEST(FilterTest, AsTheBuilderHasIt) {
  const std::vector<uint64_t> hashes = RandomHashes(10000, 1);
  FilterOptions options = BitsPerKey(9.3, this->kLayout);
  const std::string built = Build(options, hashes);
  const TypeParam filter = this->Make(hashes.size(), options, hashes);
  const FilterView view(built.data(), built.size(), VerifyMode::kTrusted);
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
  FilterOptions probes = BitsPerKey(10), probes_by_rate = Fpr(0.01), both = Fpr(0.01);
  probes.num_probes = FactsOf(this->kLayout).max_num_probes + 1;
  probes_by_rate.num_probes = 3;
  both.bits_per_key = 10;
  TypeParam filter;
  for (const FilterOptions& options :
       {BitsPerKey(0.5), BitsPerKey(65), Fpr(1), Fpr(1e-300), probes, probes_by_rate, both}) {
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Create(1000, options)));
    this->ExpectBroken(filter);
  }
  for (const uint64_t n : {uint64_t{1} << 60, ~uint64_t{0}}) {
    EXPECT_EQ(filter.Create(n, BitsPerKey(10)).code(), StatusCode::kInvalidArgument) << "past what can be addressed";
  }
  this->ExpectBroken(filter);
  ASSERT_TRUE(filter.Create(1000, BitsPerKey(10)).ok()) << "and can be made still";
  EXPECT_FALSE(filter.MayContainKey("x"));
}

TYPED_TEST(FilterTest, UnionHasTheKeysOfBoth) {
  const std::vector<uint64_t> mine = RandomHashes(5000, 1), theirs = RandomHashes(5000, 2);
  TypeParam a = this->Make(10000, BitsPerKey(10), mine);
  const TypeParam b = this->Make(10000, BitsPerKey(10), theirs);
  TypeParam both = this->Make(10000, BitsPerKey(10), mine);
  both.InsertHashes(theirs.data(), theirs.size());
  ASSERT_TRUE(a.Union(b).ok());
  EXPECT_EQ(ImageOf(a), ImageOf(both)) << "bit by bit what insertion would have made";
  ASSERT_TRUE(a.Union(a).ok());
  EXPECT_EQ(ImageOf(a), ImageOf(both));

  const std::string image = ImageOf(b);
  const FilterView view(image.data(), image.size(), VerifyMode::kTrusted);
  TypeParam c = this->Make(10000, BitsPerKey(10), mine);
  ASSERT_TRUE(c.Union(view).ok()) << "also with a view";
  EXPECT_EQ(ImageOf(c), ImageOf(both));
}

TYPED_TEST(FilterTest, UnionRefusesWhatDoesNotFit) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  TypeParam filter = this->Make(1000, BitsPerKey(10), hashes);
  const std::string before = ImageOf(filter);
  const auto refused = [&](const auto& other, const char* what) {
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Union(other))) << what;
    EXPECT_EQ(ImageOf(filter), before) << what;
  };
  FilterOptions options = BitsPerKey(10);
  options.seed = 1;
  refused(this->Make(1000, options), "another seed");
  options = BitsPerKey(10);
  options.hash_id = HashId::kCaller;
  refused(this->Make(1000, options), "another hash id");
  options = BitsPerKey(10);
  options.num_probes = filter.num_probes() + 1;
  refused(this->Make(1000, options), "other probes");
  if (this->kLayout == Layout::kClassic) refused(this->Make(2000, BitsPerKey(10)), "another size");
  refused(TypeParam(), "a broken filter");
  EXPECT_EQ(filter.Union(FilterView()).code(), StatusCode::kCorrupt) << "a broken view";
  EXPECT_EQ(ImageOf(filter), before);
  FilterOptions same_bytes = BitsPerKey(64);
  same_bytes.num_probes = 5;
  BlockedFilter blocked;
  ClassicFilter classic;
  ASSERT_TRUE(blocked.Create(100, same_bytes).ok() && classic.Create(blocked.body_bytes() / 8, same_bytes).ok());
  ASSERT_EQ(blocked.body_bytes(), classic.body_bytes());
  EXPECT_EQ(blocked.Union(classic).code(), StatusCode::kIncompatible) << "another layout";
  EXPECT_EQ(classic.Union(blocked).code(), StatusCode::kIncompatible) << "another layout";
  TypeParam broken;
  EXPECT_EQ(broken.Union(filter).code(), StatusCode::kIncompatible);
  EXPECT_EQ(broken.Union(TypeParam()).code(), StatusCode::kIncompatible);
  this->ExpectBroken(broken);
}

// What is missing in a damaged body would be missing in the union too, and nobody could tell any more.
TYPED_TEST(FilterTest, UnionRefusesADamagedView) {
  TypeParam filter = this->Make(100000, BitsPerKey(10));
  const std::string before = ImageOf(filter);
  std::string damaged = ImageOf(this->Make(100000, BitsPerKey(10), RandomHashes(100000, 1)));
  damaged.replace(20000, 1000, 1000, '\0');
  const FilterView view(damaged.data(), damaged.size(), VerifyMode::kTrusted);
  ASSERT_TRUE(view.status().ok()) << "a large body is not read at open";
  EXPECT_EQ(filter.Union(view).code(), StatusCode::kCorrupt);
  EXPECT_EQ(ImageOf(filter), before);
}

TYPED_TEST(FilterTest, GoesThroughItsImageAndBack) {
  FilterOptions options = BitsPerKey(11);
  options.seed = 0xfeedface;
  for (const size_t n : {1u, 40u, 3000u, 200000u}) {
    const std::vector<uint64_t> hashes = RandomHashes(n, n), more = RandomHashes(n, n + 1);
    TypeParam filter = this->Make(2 * n, options, hashes);
    const std::string image = ImageByEveryWayOut(filter);
    EXPECT_EQ(image.compare(0, filter.body_bytes(), reinterpret_cast<const char*>(filter.body()), filter.body_bytes()),
              0);

    TypeParam copy;
    const std::string odd = "x" + image;
    ASSERT_TRUE(copy.CreateFromImage(&odd[1], image.size()).ok()) << "at an odd address";
    EXPECT_EQ(copy.seed(), 0xfeedface);
    EXPECT_TRUE(ImageOf(copy) == image);
    filter.InsertHashes(more.data(), more.size());
    copy.InsertHashes(more.data(), more.size());
    EXPECT_TRUE(ImageOf(copy) == ImageOf(filter)) << "and goes on as the original does";
  }
}

// What takes no keys would lose those that are inserted: Filter refuses its image, whatever the options ask for.
TEST(Filter, AFilterOfAnyLayoutIsMadeOfAnImageThatTakesKeys) {
  for (const Layout layout : SupportedLayouts()) {
    const std::string image = FactsOf(layout).has_stages ? ImageOf(Created<ScalableFilter>(100, Fpr(0.01)))
                                                         : Build(BitsPerKey(40, layout), {HashKey(1)});
    for (const Layout asked : {Layout::kAuto, layout, Layout::kRetrieval, Layout::kContainer}) {
      Filter filter;
      const Status status = filter.CreateFromImage(image.data(), image.size(), BitsPerKey(0, asked));
      const bool fits = FactsOf(layout).takes_keys && (asked == Layout::kAuto || asked == layout);
      EXPECT_EQ(status.code(), fits ? StatusCode::kOk : StatusCode::kIncompatible) << LayoutName(layout);
      filter.InsertKey(2);
      EXPECT_TRUE(filter.MayContainKey(2)) << LayoutName(layout);
    }
  }
}

}  // namespace
}  // namespace linefilter::test
