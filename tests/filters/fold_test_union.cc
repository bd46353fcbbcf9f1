// A union of unequal sizes is the filter of all keys of the common size; images are folded and united as filters are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "linefilter/builder.h"
#include "linefilter/sizing.h"
#include "tests/filters/fold_test.h"

namespace linefilter::test {
namespace {

TEST(Union, OfUnequalSizesIsTheFilterOfTheCommonSize) {
  const std::vector<uint64_t> mine = RandomHashes(700, 1), theirs = RandomHashes(900, 2);
  std::vector<uint64_t> all = mine;
  all.insert(all.end(), theirs.begin(), theirs.end());
  const std::string empty_image = Build(BitsPerKey(10, Layout::kBlocked), {});
  const FilterView empty_set(empty_image.data(), empty_image.size(), VerifyMode::kWhole);
  const uint64_t sizes[][2] = {{64, 64}, {64, 32}, {32, 64}, {96, 64},      {60, 84},
                               {7, 11},  {1, 100}, {100, 1}, {98304, 65536}};
  for (const auto& [mine_blocks, theirs_blocks] : sizes) {
    SCOPED_TRACE(std::to_string(mine_blocks) + " and " + std::to_string(theirs_blocks) + " blocks");
    const std::string expected = ImageOf(Make(std::gcd(mine_blocks, theirs_blocks), 4, all));
    const BlockedFilter other = Make(theirs_blocks, 4, theirs);
    const std::string image = ImageOf(other), my_image = ImageOf(Make(mine_blocks, 4, mine));
    const FilterView view(image.data(), image.size(), VerifyMode::kWhole),
        my_view(my_image.data(), my_image.size(), VerifyMode::kWhole);
    BlockedFilter one = Make(mine_blocks, 4, mine), two = Make(mine_blocks, 4, mine);
    ASSERT_TRUE(one.Union(other, kAnyRate).ok() && two.Union(view, kAnyRate).ok());
    EXPECT_TRUE(ImageOf(one) == expected);
    EXPECT_TRUE(ImageOf(two) == expected);
    EXPECT_TRUE(ImageOf(other) == image) << "the other one is as it was";
    EXPECT_EQ(one.CountMaybes(all.data(), all.size()), all.size());
    const FilterView* const views[] = {&my_view, &view};
    Collector written;
    ASSERT_TRUE(UniteImages(views, 2, written.sink(), kAnyRate).ok());
    EXPECT_TRUE(written.bytes == expected);
    const FilterBase* const both[] = {&my_view, &other};
    UnionPlan plan;
    ASSERT_TRUE(PlanUnion(both, 2, &plan).ok());
    EXPECT_EQ(plan.body_bytes, one.body_bytes());
    EXPECT_EQ(plan.largest_body_bytes, 64 * std::max(mine_blocks, theirs_blocks));
    EXPECT_EQ(plan.expected_fpr, one.ExpectedFpr()) << "to the bit";
    const FilterBase* const with_empty_set[] = {&empty_set, &my_view, &other};
    UnionPlan same;
    ASSERT_TRUE(IsOk(PlanUnion(with_empty_set, 3, &same)));
    EXPECT_EQ(same.expected_fpr, plan.expected_fpr) << "an empty set adds nothing";
  }
}

FilterView ViewOfNoKeys() {
  static const std::string image = Build(BitsPerKey(10, Layout::kBlocked), {});
  return FilterView(image.data(), image.size(), VerifyMode::kWhole);
}

// Filters of 100,000 and 100,065 keys at 1 % have 1940 and 1941 blocks, and one block in common.
TEST(Union, IsRefusedWhereItWouldSayMaybeToAll) {
  const std::vector<uint64_t> mine = RandomHashes(100000, 1), theirs = RandomHashes(100065, 2);
  const auto filled = [](const std::vector<uint64_t>& hashes) {
    BlockedFilter filter = Created<BlockedFilter>(hashes.size(), Fpr(0.01));
    filter.InsertHashes(hashes.data(), hashes.size());
    return filter;
  };
  BlockedFilter filter = filled(mine);
  const BlockedFilter other = filled(theirs);
  ASSERT_EQ(std::gcd(filter.num_blocks(), other.num_blocks()), 1u);
  const std::string before = ImageOf(filter), image = ImageOf(other);
  const FilterView here(before.data(), before.size(), VerifyMode::kWhole),
      there(image.data(), image.size(), VerifyMode::kWhole);
  const FilterView* const both[] = {&here, &there};
  Collector written;
  for (const UnionOptions options : {UnionOptions(), UnionOptions{0.02}, UnionOptions{0.9999}}) {
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Union(other, options), "124224 bytes have no more than 64"));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Union(there, options), "false-positive rate of 1, above"));
    EXPECT_TRUE(Says(StatusCode::kIncompatible, UniteImages(both, 2, written.sink(), options), "permit the rate"));
  }
  const FilterView empty = ViewOfNoKeys();
  for (const double nonsense : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Union(other, {nonsense}), "max_fpr is"));
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Union(filter, {nonsense}), "max_fpr is"));
    EXPECT_TRUE(Says(StatusCode::kInvalidArgument, filter.Union(empty, {nonsense}), "max_fpr is"));
  }
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Union(filter, {0.001}), "make the filters larger"));
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Union(empty, {0.001}), "or permit the rate (max_fpr)"));
  EXPECT_EQ(ImageOf(filter), before);
  EXPECT_EQ(written.bytes, "");
  EXPECT_TRUE(filter.Union(filled(theirs), kAnyRate).ok());
  EXPECT_EQ(filter.num_blocks(), 1u);
}

BlockedFilter FilledFor(uint64_t capacity, uint64_t first_key, uint64_t num_keys) {
  BlockedFilter filter = Created<BlockedFilter>(capacity, Fpr(0.01));
  for (uint64_t key = first_key; key < first_key + num_keys; ++key) filter.InsertKey(key);
  return filter;
}

// Plans the union of filters, and unites their images.
UnionPlan PlanAndUnite(const std::vector<BlockedFilter>& filters, StatusCode expected) {
  std::vector<std::string> images;
  std::vector<FilterView> views;
  std::vector<const FilterView*> pointers;
  for (const BlockedFilter& filter : filters) images.push_back(ImageOf(filter));
  for (const std::string& image : images) views.emplace_back(image.data(), image.size(), VerifyMode::kWhole);
  for (const FilterView& view : views) pointers.push_back(&view);
  Collector written;
  EXPECT_EQ(UniteImages(pointers.data(), pointers.size(), written.sink()).code(), expected);
  EXPECT_EQ(written.bytes.empty(), expected != StatusCode::kOk);
  UnionPlan plan;
  const std::vector<const FilterBase*> bases(pointers.begin(), pointers.end());
  EXPECT_TRUE(IsOk(PlanUnion(bases.data(), bases.size(), &plan)));
  return plan;
}

// The keys of four days in the size of one have a rate of 0.6, whose double would permit anything.
TEST(Union, OfManyIsRefusedWhereItWouldSayMaybeToAll) {
  std::vector<BlockedFilter> days;
  uint64_t first = 0;
  for (const uint64_t keys : {92900u, 98000u, 104100u, 110300u}) {
    days.push_back(FilledFor(keys, first, keys));
    first += keys;
  }
  const UnionPlan plan = PlanAndUnite(days, StatusCode::kIncompatible);
  EXPECT_GT(2 * plan.fpr_of_largest, 1);
  EXPECT_LT(plan.default_max_fpr, 1);
  EXPECT_GT(plan.expected_fpr, 0.99);
}

// Its bits tell no number of keys, which is no reason to take the rate of the large one for one.
TEST(Union, OfAFullSmallFilterDoesNotDestroyALargeOne) {
  for (const Layout layout : {Layout::kBlocked, Layout::kQuotient}) {
    FilterOptions options = BitsPerKey(10, layout);
    options.num_probes = layout == Layout::kBlocked ? 6 : 0;
    Filter large, small, full;
    ASSERT_TRUE(large.Create(50000, options).ok() && small.Create(100, options).ok());
    for (uint64_t key = 0; key < 50000; ++key) large.InsertKey(key);
    for (uint64_t key = 0; key < 9000; ++key) small.InsertKey(100000 + key);
    ASSERT_EQ(small.ApproximateSize().keys, HUGE_VAL);
    const uint64_t bytes = large.body_bytes();
    for (Filter* const one : {&large, &small}) {
      const FilterBase* const both[] = {&large, &small};
      UnionPlan plan;
      ASSERT_TRUE(PlanUnion(both, 2, &plan).ok());
      EXPECT_EQ(plan.approximate_size, HUGE_VAL);
      EXPECT_EQ(plan.expected_fpr, 1);
      EXPECT_GT(plan.fpr_of_largest, 0.006);
      EXPECT_LT(plan.default_max_fpr, 0.05);
      EXPECT_EQ(one->Union(one == &large ? small : large).code(), StatusCode::kIncompatible);
    }
    EXPECT_EQ(large.body_bytes(), bytes);
    EXPECT_LT(large.ExpectedFpr(), 0.02);
    // Where the largest says "maybe" to all, nothing is lost.
    ASSERT_TRUE(full.Create(50100, options).ok());
    for (uint64_t key = 0; key < 3000000; ++key) full.InsertKey(key);
    ASSERT_EQ(full.ApproximateSize().keys, HUGE_VAL);
    EXPECT_TRUE(small.Union(full).ok());
  }
}

TEST(Union, CountsAKeyOnceThatIsInSeveralFilters) {
  // 1954 blocks, and half of them, of the same 100,000 keys.
  std::vector<BlockedFilter> same;
  for (const uint64_t num_blocks : {1954u, 977u}) {
    BlockedFilter filter = Make(num_blocks, 7, {});
    for (uint64_t key = 0; key < 100000; ++key) filter.InsertKey(key);
    same.push_back(std::move(filter));
  }
  EXPECT_NEAR(PlanAndUnite(same, StatusCode::kIncompatible).approximate_size, 100000, 2000);
  // Each given twice is refused as each given once: their common block tells no number.
  std::vector<BlockedFilter> twice;
  for (int i = 0; i < 2; ++i) {
    twice.push_back(FilledFor(100000, 1, 100000));
    twice.push_back(FilledFor(100200, 1, 100200));
  }
  EXPECT_EQ(PlanAndUnite(twice, StatusCode::kIncompatible).expected_fpr, 1);
}

TEST(Union, OfClassicHasTheRateOfItsUnitedBits) {
  const std::vector<uint64_t> hashes = RandomHashes(9000, 1);
  ClassicFilter one = Created<ClassicFilter>(9000, Fpr(0.01)), other = Created<ClassicFilter>(9000, Fpr(0.01));
  one.InsertHashes(hashes.data(), hashes.size());
  other.InsertHashes(hashes.data(), hashes.size());
  const FilterBase* const both[] = {&one, &other};
  UnionPlan plan;
  ASSERT_TRUE(IsOk(PlanUnion(both, 2, &plan)));
  EXPECT_EQ(plan.expected_fpr, one.ExpectedFpr()) << "of the same keys";
  EXPECT_EQ(plan.approximate_size, one.ApproximateSize().keys);
  EXPECT_TRUE(IsOk(one.Union(other, {0.011})));
  EXPECT_TRUE(Says(StatusCode::kIncompatible, one.Union(other, {0.005}), "rate of 0.0"));
}

// They have no rate, and one block in common, which their keys would have to share when they come.
TEST(Union, OfFiltersThatAreStillToBeFilledIsRefusedAsOfFullOnes) {
  BlockedFilter filter = Created<BlockedFilter>(100000, Fpr(0.01));
  const BlockedFilter other = Created<BlockedFilter>(100065, Fpr(0.01));
  const uint64_t before = filter.num_blocks();
  EXPECT_TRUE(Says(StatusCode::kIncompatible, filter.Union(other), "124224 bytes have no more than 64"));
  EXPECT_EQ(filter.num_blocks(), before);
  const FilterBase* const both[] = {&filter, &other};
  UnionPlan plan;
  ASSERT_TRUE(IsOk(PlanUnion(both, 2, &plan)));
  EXPECT_GT(plan.expected_fpr, plan.default_max_fpr) << "of one key";
  EXPECT_GT(plan.default_max_fpr, 0);
  EXPECT_TRUE(IsOk(filter.Union(Created<BlockedFilter>(100000, Fpr(0.01)))));
  BlockedFilter large = Make(64, 4, {}), half = Make(32, 4, {});
  EXPECT_TRUE(IsOk(large.Union(half))) << "twice the rate";
}

// The rule of UnionOptions: what comes without asking has at most twice the rate of its keys in the larger size.
TEST(Union, HasNoRateAboveTheRuleThatNobodyAskedFor) {
  uint64_t refused = 0, united = 0;
  for (const uint64_t n : {10000u, 30000u, 100000u}) {
    for (const uint64_t d : {0u, 1u, 10u, 100u, 1000u, 3000u, 10000u}) {
      const std::vector<uint64_t> mine = RandomHashes(n, n), theirs = RandomHashes(n + d, d);
      for (const bool foldable : {false, true}) {
        FilterOptions options = Fpr(0.01);
        options.foldable = foldable;
        BlockedFilter filter = Created<BlockedFilter>(n, options), other = Created<BlockedFilter>(n + d, options);
        filter.InsertHashes(mine.data(), mine.size());
        other.InsertHashes(theirs.data(), theirs.size());
        const double most = 2 * ExpectedFpr(Layout::kBlocked, 2 * n + d,
                                            std::max(filter.body_bytes(), other.body_bytes()), filter.num_probes());
        const std::string here = ImageOf(filter), there = ImageOf(other);
        const FilterView mine_view(here.data(), here.size(), VerifyMode::kWhole),
            theirs_view(there.data(), there.size(), VerifyMode::kWhole);
        const FilterView* const views[] = {&mine_view, &theirs_view};
        BlockedFilter by_view = FromImage<BlockedFilter>(here);
        Collector written;
        const bool is_united = filter.Union(other).ok();
        EXPECT_EQ(by_view.Union(theirs_view).ok(), is_united);
        EXPECT_EQ(UniteImages(views, 2, written.sink()).ok(), is_united);
        ++(is_united ? united : refused);
        if (!is_united) continue;
        EXPECT_LE(filter.ExpectedFpr(), 1.02 * most) << n << " and " << d << " more; the keys were estimated";
        EXPECT_EQ(ImageOf(by_view), ImageOf(filter));
        EXPECT_EQ(FilterView(written.bytes.data(), written.bytes.size(), VerifyMode::kWhole).ExpectedFpr(),
                  filter.ExpectedFpr());
      }
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GE(united, 6u) << "at least those of one size";
}

TEST(Union, GoesWithEachFilterThatIsMadeInTheSameSize) {
  FilterOptions options = Fpr(0.01);
  options.seed = 7;
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic, Layout::kSplitBlock, Layout::kQuotient}) {
    Filter first = Created<Filter>(uint64_t{1000}, WithLayout(layout, options));
    const FilterOptions same = FilterOptions::SameSizeAs(first);
    for (const uint64_t num_keys : {1u, 900u, 1100u, 1000000u}) {
      Filter next = Created<Filter>(num_keys, same);
      EXPECT_EQ(next.body_bytes(), first.body_bytes());
      EXPECT_TRUE(IsOk(first.Union(next)));
    }
    const std::string image = Build(same, RandomHashes(1100, 1));
    const FilterView built(image.data(), image.size(), VerifyMode::kWhole);
    EXPECT_TRUE(IsOk(first.Union(built))) << "of a builder";
    EXPECT_EQ(FilterOptions::SameSizeAs(built).num_keys, built.capacity()) << "the next one knows it, too";
  }
}

TEST(Union, RefusesOtherProbesAndChangesNothing) {
  BlockedFilter filter = Make(64, 4, RandomHashes(100, 1));
  const std::string before = ImageOf(filter);
  EXPECT_EQ(filter.Union(Make(32, 5, {})).code(), StatusCode::kIncompatible);
  EXPECT_EQ(ImageOf(filter), before);
}

TEST(UniteImages, TakesManyAndEmptySetsAndClassicOfOneSize) {
  FilterOptions options = BitsPerKey(10);
  const auto build = [&](const std::vector<uint64_t>& hashes, Layout layout) {
    options.layout = layout;
    return Build(options, hashes);
  };
  for (const Layout layout : {Layout::kBlocked, Layout::kClassic}) {
    std::vector<std::string> images = {build({}, layout)};
    std::vector<uint64_t> all;
    for (uint64_t i = 0; i < 5; ++i) {
      const std::vector<uint64_t> hashes = RandomHashes(6000, i);
      images.push_back(build(hashes, layout));
      all.insert(all.end(), hashes.begin(), hashes.end());
    }
    std::vector<FilterView> views;
    std::vector<const FilterView*> pointers;
    for (const std::string& image : images) views.emplace_back(image.data(), image.size(), VerifyMode::kWhole);
    for (const FilterView& view : views) pointers.push_back(&view);
    Collector written, nothing;
    ASSERT_TRUE(IsOk(UniteImages(pointers.data(), pointers.size(), written.sink())));
    const FilterView united(written.bytes.data(), written.bytes.size(), VerifyMode::kWhole);
    ASSERT_TRUE(united.Verify().ok());
    EXPECT_EQ(united.CountMaybes(all.data(), all.size()), all.size());
    EXPECT_EQ(united.body_bytes(), views[1].body_bytes());
    EXPECT_FALSE(united.has_num_keys()) << "keys may be in several: nobody counted";
    ASSERT_TRUE(UniteImages(pointers.data(), 1, nothing.sink()).ok());
    EXPECT_TRUE(FilterView(nothing.bytes.data(), nothing.bytes.size(), VerifyMode::kWhole).empty_set());
  }
  const std::string classic = build(RandomHashes(500, 1), Layout::kClassic),
                    larger = build(RandomHashes(600, 1), Layout::kClassic),
                    retrieval = build(RandomHashes(500, 1), Layout::kRetrieval),
                    blocked = build(RandomHashes(500, 1), Layout::kBlocked);
  const auto refused = [](const std::string& a, const std::string& b, const char* words) {
    const FilterView one(a.data(), a.size(), VerifyMode::kWhole), two(b.data(), b.size(), VerifyMode::kWhole);
    const FilterView* const both[] = {&one, &two};
    Collector written;
    EXPECT_TRUE(Says(StatusCode::kIncompatible, UniteImages(both, 2, written.sink()), words));
    EXPECT_EQ(written.bytes, "");
  };
  refused(classic, larger, "the size is another");  // and each says how to build what can be united
  refused(classic, larger, "Make one like the other (SameSizeAs");
  refused(classic, blocked, "Make both with layout blocked");
  refused(retrieval, retrieval, "or each with layout blocked, classic, ");
  Collector none;
  EXPECT_EQ(UniteImages(nullptr, 0, none.sink()).code(), StatusCode::kInvalidArgument);
}

TEST(FoldImage, IsToTheByteWhatABuilderMakes) {
  const std::vector<uint64_t> hashes = RandomHashes(300000, 1);
  FilterOptions options = Foldable(40);
  options.seed = 5;
  options.num_probes = 6;
  FilterBuilder builder(options);
  builder.AddHashes(hashes.data(), hashes.size());
  std::string image, expected;
  ASSERT_TRUE(builder.Finish(&image).ok());
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  options.foldable = false;
  options.bits_per_key =
      8.0 * static_cast<double>(view.body_bytes() / 4) / static_cast<double>(hashes.size()) * (1 - 1e-12);
  FilterBuilder small(options);
  small.AddHashes(hashes.data(), hashes.size());
  ASSERT_TRUE(small.Finish(&expected).ok());
  Collector written;
  ASSERT_TRUE(FoldImage(view, 4, written.sink()).ok());
  EXPECT_TRUE(written.bytes == expected) << "with seed, number of keys and checks";
}

TEST(FoldImage, RefusesWhatIsDamagedAndSaysWhatFailed) {
  std::string image = ImageOf(Make(1000, 5, RandomHashes(1000, 1)));
  const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  Collector written, stopping;
  stopping.refuse_from = 1;
  EXPECT_EQ(FoldImage(view, 4, stopping.sink()).code(), StatusCode::kIoError);
  EXPECT_EQ(FoldImage(view, 4, Sink()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FoldImage(view, 3, written.sink()).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(FoldImage(FilterView(), 1, written.sink()).code(), StatusCode::kCorrupt);
  const std::string empty_set = [] {
    std::string bytes;
    FilterBuilder builder(BitsPerKey(10));
    EXPECT_TRUE(builder.Finish(&bytes).ok());
    return bytes;
  }();
  Collector empty;
  EXPECT_TRUE(FoldImage(FilterView(empty_set.data(), empty_set.size(), VerifyMode::kWhole), 3, empty.sink()).ok());
  EXPECT_EQ(empty.bytes, empty_set) << "of no blocks any share is the same";
  const Status by_0 = FoldImage(FilterView(empty_set.data(), empty_set.size(), VerifyMode::kWhole), 0, written.sink());
  EXPECT_EQ(by_0.code(), StatusCode::kInvalidArgument);
  EXPECT_STREQ(by_0.message(), "the empty set cannot be folded by 0: by 1 or more");
  TestAllocator allocator;
  for (uint64_t nth = 0; nth < 2; ++nth) {
    allocator.FailFrom(nth);
    EXPECT_EQ(FoldImage(view, 4, written.sink(), allocator.hooks()).code(), StatusCode::kOutOfMemory) << nth;
  }
  EXPECT_EQ(written.bytes, "");
  image[20000] = static_cast<char>(image[20000] ^ 1);
  const FilterView* const both[] = {&view, &view};
  EXPECT_EQ(FoldImage(view, 4, written.sink()).code(), StatusCode::kCorrupt);
  EXPECT_EQ(UniteImages(both, 2, written.sink()).code(), StatusCode::kCorrupt);
  BlockedFilter filter = Make(500, 5, {});
  EXPECT_EQ(filter.Union(view).code(), StatusCode::kCorrupt);
  EXPECT_EQ(filter.num_blocks(), 500u);
  EXPECT_EQ(written.bytes, "");
}

}  // namespace
}  // namespace linefilter::test
