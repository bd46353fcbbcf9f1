// linefilter/filter.h: BlockedFilter and ClassicFilter, each test for both.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/temp_dir.h"
#include "tests/testing/test_allocator.h"

namespace linefilter {
namespace {

using test::BitsPerKey;
using test::RandomHashes;
using test::TestAllocator;

// A filter, broken filters and their equality in bits: the questions of most tests below.
template <class Filter>
class MutableFilterTest : public ::testing::Test {
 protected:
  static constexpr Layout kLayout = std::is_same_v<Filter, BlockedFilter> ? Layout::kBlocked : Layout::kClassic;

  static Filter Make(uint64_t num_keys, const FilterOptions& options, const std::vector<uint64_t>& hashes = {}) {
    Filter filter;
    const Status status = filter.Create(num_keys, options);
    EXPECT_TRUE(status.ok()) << status.message();
    filter.InsertHashes(hashes.data(), hashes.size());
    return filter;
  }
  static std::string ImageOf(const MutableFilter& filter) {
    std::string image;
    const Status status = filter.AppendImage(&image);
    EXPECT_TRUE(status.ok()) << status.message();
    return image;
  }
  static void ExpectBroken(Filter& filter) {
    EXPECT_TRUE(filter.MayContainKey("anything"));
    EXPECT_TRUE(filter.MayContainHash(0));
    EXPECT_EQ(filter.CountMaybes(RandomHashes(100, 1).data(), 100), 100u);
    EXPECT_TRUE(filter.Probe(filter.Prepare(MixHash(5)))) << "nothing is touched";
    EXPECT_FALSE(filter.InsertKey("anything"));
    EXPECT_FALSE(filter.InsertHash(7));
    EXPECT_EQ(filter.InsertHashes(RandomHashes(100, 1).data(), 100), 0u);
    filter.Clear();
    EXPECT_EQ(filter.body_bytes(), 0u);
    EXPECT_EQ(filter.ImageBytes(), 0u);
    EXPECT_EQ(filter.ExpectedFpr(), 1);
    EXPECT_EQ(filter.MemoryUse(), sizeof(Filter));
    EXPECT_FALSE(filter.KeyStatus().ok());
    std::string image = "x";
    EXPECT_FALSE(filter.AppendImage(&image).ok()) << "a broken filter has no image that could say absent";
    EXPECT_EQ(image, "x");
    EXPECT_FALSE(filter.Save("/no/such/folder/image").ok());
  }
};

using Filters = ::testing::Types<BlockedFilter, ClassicFilter>;
TYPED_TEST_SUITE(MutableFilterTest, Filters, );

TYPED_TEST(MutableFilterTest, AnswersMaybeBeforeCreate) {
  TypeParam filter;
  this->ExpectBroken(filter);
}

TYPED_TEST(MutableFilterTest, RemembersEveryKey) {
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

TYPED_TEST(MutableFilterTest, SaysWhetherAKeyWasCertainlyNew) {
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

TYPED_TEST(MutableFilterTest, InsertsABatchAsIfOneByOne) {
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
    EXPECT_EQ(this->ImageOf(batch), this->ImageOf(single));
    EXPECT_EQ(this->ImageOf(counted), this->ImageOf(single));
  }
}

TYPED_TEST(MutableFilterTest, UnionHasTheKeysOfBoth) {
  const std::vector<uint64_t> mine = RandomHashes(5000, 1), theirs = RandomHashes(5000, 2);
  TypeParam a = this->Make(10000, BitsPerKey(10), mine);
  const TypeParam b = this->Make(10000, BitsPerKey(10), theirs);
  TypeParam both = this->Make(10000, BitsPerKey(10), mine);
  both.InsertHashes(theirs.data(), theirs.size());
  ASSERT_TRUE(a.Union(b).ok());
  EXPECT_EQ(this->ImageOf(a), this->ImageOf(both)) << "bit by bit what insertion would have made";
  ASSERT_TRUE(a.Union(a).ok());
  EXPECT_EQ(this->ImageOf(a), this->ImageOf(both));

  const std::string image = this->ImageOf(b);
  const FilterView view(image.data(), image.size());
  TypeParam c = this->Make(10000, BitsPerKey(10), mine);
  ASSERT_TRUE(c.Union(view).ok()) << "also with a view";
  EXPECT_EQ(this->ImageOf(c), this->ImageOf(both));
}

TYPED_TEST(MutableFilterTest, UnionRefusesWhatDoesNotFit) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  TypeParam filter = this->Make(1000, BitsPerKey(10), hashes);
  const std::string before = this->ImageOf(filter);
  const auto refused = [&](const auto& other, const char* what) {
    const Status status = filter.Union(other);
    EXPECT_EQ(status.code(), StatusCode::kIncompatible) << what << ": " << status.message();
    EXPECT_EQ(this->ImageOf(filter), before) << what;
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
  EXPECT_EQ(this->ImageOf(filter), before);
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

TYPED_TEST(MutableFilterTest, ClearForgetsAllAndKeepsTheMemory) {
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  TypeParam filter = this->Make(1000, BitsPerKey(10));
  const std::string empty = this->ImageOf(filter);
  filter.InsertHashes(hashes.data(), hashes.size());
  const uint8_t* const body = filter.body();
  filter.Clear();
  EXPECT_EQ(filter.body(), body);
  EXPECT_EQ(filter.CountMaybes(hashes.data(), hashes.size()), 0u);
  EXPECT_EQ(this->ImageOf(filter), empty);
  EXPECT_TRUE(filter.InsertHash(hashes[0]));
}

TYPED_TEST(MutableFilterTest, Moves) {
  TestAllocator allocator;
  FilterOptions options = BitsPerKey(10);
  options.allocator = allocator.hooks();
  options.seed = 9;
  const std::vector<uint64_t> hashes = RandomHashes(1000, 1);
  TypeParam first = this->Make(1000, options, hashes);
  const std::string image = this->ImageOf(first);
  TypeParam second(std::move(first));
  EXPECT_EQ(this->ImageOf(second), image);
  EXPECT_EQ(second.seed(), 9u);
  this->ExpectBroken(first);
  TypeParam third = this->Make(50, options);
  third = std::move(second);
  EXPECT_EQ(this->ImageOf(third), image);
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

// What is missing in a damaged body would be missing in the union too, and nobody could tell any more.
TYPED_TEST(MutableFilterTest, UnionRefusesADamagedView) {
  TypeParam filter = this->Make(100000, BitsPerKey(10));
  const std::string before = this->ImageOf(filter);
  std::string damaged = this->ImageOf(this->Make(100000, BitsPerKey(10), RandomHashes(100000, 1)));
  damaged.replace(20000, 1000, 1000, '\0');
  const FilterView view(damaged.data(), damaged.size());
  ASSERT_TRUE(view.status().ok()) << "a large body is not read at open";
  EXPECT_EQ(filter.Union(view).code(), StatusCode::kCorrupt);
  EXPECT_EQ(this->ImageOf(filter), before);
}

TYPED_TEST(MutableFilterTest, GoesThroughItsImageAndBack) {
  const test::TempDir dir;
  FilterOptions options = BitsPerKey(11);
  options.seed = 0xfeedface;
  for (const size_t n : {1u, 40u, 3000u, 200000u}) {
    const std::vector<uint64_t> hashes = RandomHashes(n, n), more = RandomHashes(n, n + 1);
    TypeParam filter = this->Make(2 * n, options, hashes);
    std::string image = "head";
    ASSERT_TRUE(filter.AppendImage(&image).ok());
    ASSERT_EQ(image.substr(0, 4), "head");
    image.erase(0, 4);
    EXPECT_EQ(image.size(), filter.ImageBytes());
    EXPECT_EQ(image.compare(0, filter.body_bytes(), reinterpret_cast<const char*>(filter.body()), filter.body_bytes()),
              0);

    std::string by_sink, by_buffer(image.size(), 'x');
    const Sink sink{[](void* to, const void* data, size_t size) noexcept {
                      EXPECT_LE(size, size_t{1} << 20);
                      static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
                      return true;
                    },
                    &by_sink};
    ASSERT_TRUE(filter.WriteImage(sink).ok());
    EXPECT_TRUE(by_sink == image);
    ASSERT_TRUE(filter.WriteImageTo(&by_buffer[0], by_buffer.size()).ok());
    EXPECT_TRUE(by_buffer == image);
    EXPECT_EQ(filter.WriteImageTo(&by_buffer[0], image.size() - 1).code(), StatusCode::kInvalidArgument);
    ASSERT_TRUE(filter.Save(dir.File("image").c_str()).ok());
    EXPECT_TRUE(test::ReadFile(dir.File("image")) == image);

    TypeParam copy;
    const std::string odd = "x" + image;
    ASSERT_TRUE(copy.CreateFromImage(&odd[1], image.size()).ok()) << "at an odd address";
    EXPECT_EQ(copy.seed(), 0xfeedface);
    EXPECT_TRUE(this->ImageOf(copy) == image);
    filter.InsertHashes(more.data(), more.size());
    copy.InsertHashes(more.data(), more.size());
    EXPECT_TRUE(this->ImageOf(copy) == this->ImageOf(filter)) << "and goes on as the original does";
  }
}

TYPED_TEST(MutableFilterTest, RefusesImagesItCannotContinue) {
  const std::string image = this->ImageOf(this->Make(100000, BitsPerKey(10), RandomHashes(100000, 1)));
  TypeParam filter;
  std::string damaged = image;
  damaged[70000] = static_cast<char>(damaged[70000] ^ 4);
  EXPECT_EQ(filter.CreateFromImage(damaged.data(), damaged.size()).code(), StatusCode::kCorrupt) << "all is verified";
  this->ExpectBroken(filter);
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size() - 1).code(), StatusCode::kCorrupt);
  EXPECT_EQ(filter.CreateFromImage(nullptr, 0).code(), StatusCode::kCorrupt);
  BlockedFilter blocked;
  ClassicFilter classic;
  const bool is_blocked = this->kLayout == Layout::kBlocked;
  const Status other = is_blocked ? classic.CreateFromImage(image.data(), image.size())
                                  : blocked.CreateFromImage(image.data(), image.size());
  EXPECT_EQ(other.code(), StatusCode::kIncompatible) << "another layout";
  FilterOptions limited;
  limited.memory_limit = 1000;
  EXPECT_EQ(filter.CreateFromImage(image.data(), image.size(), limited).code(), StatusCode::kOverLimit);
  this->ExpectBroken(filter);
}

TYPED_TEST(MutableFilterTest, TellsItsStateFromTheBits) {
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

TYPED_TEST(MutableFilterTest, IsUsableWhenOverfull) {
  TypeParam filter = this->Make(10, BitsPerKey(10));
  const std::vector<uint64_t> hashes = RandomHashes(100000, 1);
  filter.InsertHashes(hashes.data(), hashes.size());
  EXPECT_EQ(filter.FillRatio(), 1);
  EXPECT_EQ(filter.EstimatedKeys(), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(filter.ExpectedFpr(), 1, 1e-9);
  EXPECT_TRUE(filter.MayContainHash(MixHash(77)));
  EXPECT_FALSE(filter.InsertHash(MixHash(78))) << "nothing can be certainly new";
}

TYPED_TEST(MutableFilterTest, OfTheCallersHashesAnswersKeysMaybe) {
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

TYPED_TEST(MutableFilterTest, AsTheBuilderHasIt) {
  const std::vector<uint64_t> hashes = RandomHashes(10000, 1);
  FilterOptions options = BitsPerKey(9.3);
  options.layout = this->kLayout;
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  std::string built;
  ASSERT_TRUE(builder.Finish(&built).ok());
  const TypeParam filter = this->Make(hashes.size(), options, hashes);
  const FilterView view(built.data(), built.size());
  ASSERT_EQ(view.body_bytes(), filter.body_bytes());
  EXPECT_EQ(view.num_probes(), filter.num_probes());
  EXPECT_EQ(std::string(built, 0, view.body_bytes()),
            std::string(reinterpret_cast<const char*>(filter.body()), filter.body_bytes()));
}

TYPED_TEST(MutableFilterTest, MeetsAnAskedRate) {
  FilterOptions options;
  options.fpr = 0.001;
  const TypeParam filter = this->Make(100000, options, RandomHashes(100000, 1));
  EXPECT_LT(filter.ExpectedFpr(), 0.00105);
  EXPECT_GT(filter.ExpectedFpr(), 0.0009) << "nothing is wasted";
}

TYPED_TEST(MutableFilterTest, MakesRoomForAtLeastOneKey) {
  TypeParam filter = this->Make(0, BitsPerKey(10));
  EXPECT_GT(filter.body_bytes(), 0u);
  EXPECT_FALSE(filter.MayContainKey("x"));
  EXPECT_TRUE(filter.InsertKey("x"));
  EXPECT_TRUE(filter.MayContainKey("x"));
}

TYPED_TEST(MutableFilterTest, RefusesNonsenseAndStaysBroken) {
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
  cases.back().num_probes = MaxNumProbes(this->kLayout) + 1;
  cases.emplace_back();
  cases.back().fpr = 0.01;
  cases.back().num_probes = 3;
  cases.push_back(BitsPerKey(10));
  cases.back().allocator.allocate = [](void*, size_t, size_t) noexcept -> void* { return nullptr; };
  for (size_t i = 0; i < cases.size(); ++i) {
    TypeParam filter;
    const Status status = filter.Create(1000, cases[i]);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << "case " << i << ": " << status.message();
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
}  // namespace linefilter
