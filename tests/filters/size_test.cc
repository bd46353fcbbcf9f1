// How full a filter is: the keys it was made for, an estimate of those in it with an error that simulation confirms,
// how many more it takes until a rate, and whether there are too many. Of every kind, also empty and broken.
#include "tests/filters/size_test.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linefilter/sizing.h"
#include "linefilter/swappable.h"

namespace linefilter::test {
namespace {

// --- The error ---

// The mean of the squares of (estimate - truth) / error is 1; of 400 filters it scatters by 7 %.
TEST(ApproximateSize, HasTheErrorThatSimulationShows) {
  constexpr int kFilters = 400;
  uint64_t next = 1;
  for (const Layout layout : MutableLayouts()) {
    for (const uint64_t capacity : {300u, 5000u}) {
      for (const double bits_per_key : {6.0, 10.0, 20.0}) {
        for (const double load : {0.1, 1.0, 2.0}) {
          const uint64_t n = static_cast<uint64_t>(load * static_cast<double>(capacity));
          double sum = 0, squares = 0, furthest = 0, error = 0;
          for (int i = 0; i < kFilters; ++i) {
            Filter filter;
            ASSERT_TRUE(IsOk(filter.Create(capacity, BitsPerKey(bits_per_key, layout))));
            InsertNew(&filter, n, &next);
            const SizeEstimate size = filter.ApproximateSize();
            furthest = std::max(furthest, std::fabs(size.keys - static_cast<double>(n)));
            error = std::max(error, size.error);
            const double off = (size.keys - static_cast<double>(n)) / size.error;
            sum += off / kFilters;
            squares += off * off / kFilters;
          }
          if (error < 1) {  // the bits tell nearly all keys apart: one in many filters is off by one
            EXPECT_LT(furthest, 5) << LayoutName(layout) << " " << n << " keys, " << bits_per_key << " bits per key";
            continue;
          }
          EXPECT_NEAR(squares, 1, 0.36) << LayoutName(layout) << " " << n << " keys, " << bits_per_key
                                        << " bits per key, made for " << capacity
                                        << ": 5 standard deviations, and 1 % of keys that are left out";
          // A `quotient` block is as long as its keys let it be, which shifts the estimate by up to half of the error.
          EXPECT_NEAR(sum, 0, layout == Layout::kQuotient ? 0.7 : 0.3)
              << LayoutName(layout) << " " << n << " keys, " << bits_per_key << " bits per key";
        }
      }
    }
  }
}

// The formula of `retrieval` errs by up to 4.4 %, to one side. Its error is no more than what that can be.
TEST(ApproximateSize, OfRetrievalIsNotFurtherOffThanItSays) {
  uint64_t next = 1;
  for (const double bits_per_key : {2.0, 4.0, 6.0, 10.0, 16.0, 20.0, 32.0}) {
    for (const uint64_t n : {64u, 2000u}) {
      double squares = 0, largest = 0;
      for (int i = 0; i < 60; ++i) {
        FilterBuilder builder(BitsPerKey(bits_per_key, Layout::kRetrieval));
        for (uint64_t k = 0; k < n; ++k) builder.AddHash(MixHash(next++));
        std::string image;
        ASSERT_TRUE(IsOk(builder.Finish(&image)));
        const FilterView view(image.data(), image.size(), VerifyMode::kWhole);
        const SizeEstimate size = view.ApproximateSize();
        const double off = (size.keys - static_cast<double>(n)) / size.error;
        squares += off * off / 60;
        largest = std::max(largest, size.error / static_cast<double>(n));
        EXPECT_FALSE(view.OverCapacity()) << "a builder's is made for its keys";
      }
      EXPECT_LT(squares, 2.5) << bits_per_key << " bits per key, " << n << " keys";
      EXPECT_LT(largest, n == 64 ? 0.12 : 0.05) << bits_per_key << " bits per key, " << n << " keys";
    }
  }
}

TEST(ApproximateSize, OfStagesIsTheSum) {
  ScalableFilter growing;
  ASSERT_TRUE(IsOk(growing.Create(1000, Fpr(0.01))));
  uint64_t next = 1;
  InsertNew(&growing, 20000, &next);
  const SizeEstimate size = growing.ApproximateSize();
  EXPECT_NEAR(size.keys, 20000, 5 * size.error + 200) << "false positives when they came are not in it";
  EXPECT_GT(size.error, 10);
  EXPECT_LT(size.error, 100);
}

// A filter that gives keys back may have an entry for each insertion, and nothing is estimated.
TEST(ApproximateSize, OfAMultisetCountsEachInsertion) {
  for (const Layout layout : MutableLayouts()) {
    if (!FactsOf(layout).chooses_removal) continue;
    FilterOptions options = BitsPerKey(8, layout);
    options.removable = true;
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(5000, options)));
    for (int time = 1; time <= 2; ++time) {
      uint64_t next = 1;
      InsertNew(&filter, 3000, &next);
      EXPECT_EQ(filter.ApproximateSize().keys, 3000 * time);
      EXPECT_EQ(filter.ApproximateSize().error, 0);
    }
    EXPECT_TRUE(filter.OverCapacity()) << "6000 of 5000";
    for (uint64_t i = 1; i <= 2000; ++i) EXPECT_TRUE(filter.RemoveHash(MixHash(i)));
    EXPECT_EQ(filter.ApproximateSize().keys, 4000);
    EXPECT_FALSE(filter.OverCapacity());
    FilterOptions small = BitsPerKey(10, layout);
    small.removable = true;
    ASSERT_TRUE(IsOk(filter.Create(300, small)));
    for (int i = 0; i < 436; ++i) filter.InsertHash(MixHash(1));
    EXPECT_NEAR(filter.ApproximateSize().keys, 0, 0) << "nobody knows how many a saturated block has";
    EXPECT_EQ(filter.ExpectedFpr(), 1.0 / static_cast<double>(filter.num_blocks()));
  }
}

TEST(ApproximateSize, OfAFullOneIsInfinite) {
  for (const Layout layout : MutableLayouts()) {
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(1, WithLayout(layout, BitsPerKey(10)))));
    uint64_t next = 1;
    InsertNew(&filter, 20000, &next);
    EXPECT_EQ(filter.ApproximateSize().keys, std::numeric_limits<double>::infinity());
    EXPECT_TRUE(filter.OverCapacity());
    EXPECT_EQ(filter.RoomFor(0.5), 0u);
  }
}

// --- What it was made for ---

TEST(Capacity, IsThatOfCreateUntilItIsFolded) {
  for (const Layout layout : MutableLayouts()) {
    Filter filter;
    EXPECT_EQ(filter.capacity(), 0u);
    FilterOptions options = BitsPerKey(12);
    options.foldable = layout != Layout::kClassic;
    ASSERT_TRUE(IsOk(filter.Create(20000, WithLayout(layout, options))));
    EXPECT_EQ(filter.capacity(), 20000u);
    filter.Clear();
    EXPECT_EQ(filter.capacity(), 20000u);
    Filter moved = std::move(filter);
    EXPECT_EQ(moved.capacity(), 20000u);
    EXPECT_EQ(filter.capacity(), 0u);
    if (layout == Layout::kClassic) continue;
    ASSERT_TRUE(IsOk(moved.Fold(64)));
    EXPECT_EQ(moved.capacity(), 313u) << "rounded up";
    ASSERT_TRUE(IsOk(moved.Create(0, WithLayout(layout, BitsPerKey(12)))));
    EXPECT_EQ(moved.capacity(), 1u) << "0 counts as 1";
  }
}

TEST(Capacity, OfAnImageIsWhatItsTrailerTells) {
  std::string image, empty;
  FilterBuilder builder(BitsPerKey(10));
  for (uint64_t key = 0; key < 5000; ++key) builder.AddKey(key);
  ASSERT_TRUE(IsOk(builder.Finish(&image)));
  EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).capacity(), 5000u);
  BlockedFilter copy;
  ASSERT_TRUE(IsOk(copy.CreateFromImage(image.data(), image.size())));
  EXPECT_EQ(copy.capacity(), 5000u);
  const std::string of_filter = ImageOf(copy);
  EXPECT_EQ(FilterView(of_filter.data(), of_filter.size(), VerifyMode::kWhole).capacity(), 0u) << "nobody says";
  ASSERT_TRUE(IsOk(FilterBuilder(BitsPerKey(10)).Finish(&empty)));
  EXPECT_EQ(FilterView(empty.data(), empty.size(), VerifyMode::kWhole).capacity(), 0u);
  EXPECT_EQ(FilterView("broken", 6, VerifyMode::kWhole).capacity(), 0u);

  FilterView view(image.data(), image.size(), VerifyMode::kWhole);
  (void)view.Open("broken", 6, VerifyMode::kWhole);
  EXPECT_EQ(view.capacity(), 0u) << "nothing of the image before stays";
}

TEST(Capacity, OfWhatGrowsIsThatOfItsStages) {
  ScalableFilter growing;
  ASSERT_TRUE(IsOk(growing.Create(1000, Fpr(0.01))));
  EXPECT_EQ(growing.capacity(), 1000u);
  uint64_t next = 1;
  InsertNew(&growing, 2500, &next);
  EXPECT_EQ(growing.capacity(), 3000u);
  const std::string image = ImageOf(growing);
  EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).capacity(), 3000u);
  ScalableFilter copy;
  ASSERT_TRUE(IsOk(copy.CreateFromImage(image.data(), image.size())));
  EXPECT_EQ(copy.capacity(), 3000u);
  growing.Clear();
  EXPECT_EQ(growing.capacity(), 1000u);
}

TEST(Capacity, OfWhatForgetsIsThatOfAllGenerations) {
  RotatingFilter window;
  ASSERT_TRUE(IsOk(window.Create(3000, 4, Fpr(0.01))));
  EXPECT_EQ(window.capacity(), 4000u) << "a window, and the newest that goes beyond it";
  const std::string image = ImageOf(window);
  EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).capacity(), 4000u);
  RotatingFilter copy;
  ASSERT_TRUE(IsOk(copy.CreateFromImage(image.data(), image.size())));
  EXPECT_EQ(copy.capacity(), 4000u);
}

TEST(Capacity, OfWhatIsSharedOrSwappedIsThatOfWhatAnswers) {
  ConcurrentFilter shared;
  ASSERT_TRUE(IsOk(shared.Create(7000, Fpr(0.01))));
  EXPECT_EQ(shared.capacity(), 7000u);
  Filter sealed = shared.Seal();
  EXPECT_EQ(sealed.capacity(), 7000u);
  EXPECT_EQ(shared.capacity(), 0u);
  SwappableFilter swappable;
  EXPECT_EQ(swappable.capacity(), 0u);
  EXPECT_FALSE(swappable.OverCapacity());
  EXPECT_EQ(swappable.RoomFor(0.01), 0u) << "nothing serves";
  uint64_t next = 1;
  InsertNew(&sealed, 9000, &next);
  ASSERT_TRUE(IsOk(swappable.Swap(std::move(sealed))));
  EXPECT_EQ(swappable.capacity(), 7000u);
  EXPECT_TRUE(swappable.OverCapacity());
  EXPECT_NEAR(swappable.ApproximateSize().keys, 9000, 200);
  EXPECT_GT(swappable.RoomFor(0.1), 1000u);
}

// --- Too many ---

TEST(OverCapacity, IsNotSaidOfAFilterThatIsJustFull) {
  uint64_t next = 1;
  for (const Layout layout : MutableLayouts()) {
    for (const uint64_t capacity : {20u, 1000u, 30000u}) {
      const int filters = capacity > 1000 ? 20 : 300;
      for (int i = 0; i < filters; ++i) {
        Filter filter;
        ASSERT_TRUE(IsOk(filter.Create(capacity, WithLayout(layout, Fpr(0.01)))));
        InsertNew(&filter, capacity, &next);
        ASSERT_FALSE(filter.OverCapacity()) << LayoutName(layout) << " " << capacity << ": one in 30,000, by chance";
        if (i != 0) continue;
        InsertNew(&filter, capacity, &next);
        EXPECT_TRUE(filter.OverCapacity()) << LayoutName(layout) << " " << capacity;
      }
    }
  }
}

TEST(OverCapacity, IsSaidOfWhatCouldNotGrowOrDidNotRotate) {
  uint64_t next = 1;
  ScalableFilter growing;
  GrowthOptions growth;
  growth.max_growth = 3;
  ASSERT_TRUE(IsOk(growing.Create(1000, Fpr(0.01), growth)));
  InsertNew(&growing, 3000, &next);
  EXPECT_FALSE(growing.OverCapacity());
  InsertNew(&growing, 1000, &next);
  EXPECT_TRUE(growing.OverCapacity());
  EXPECT_FALSE(growing.growth_status().ok());
  RotatingFilter window;
  ASSERT_TRUE(IsOk(window.Create(3000, 4, Fpr(0.01))));
  for (int i = 0; i < 8; ++i) {
    InsertNew(&window, 1000, &next);
    EXPECT_FALSE(window.OverCapacity());
    window.Rotate();
  }
  InsertNew(&window, 3000, &next);
  EXPECT_TRUE(window.OverCapacity()) << "the newest has three times what it is made for";
}

// The estimate has keys in it that the stages took for members when they came, and for which they are not made.
TEST(OverCapacity, IsNotSaidOfStagesThatAreFullAtAHighRate) {
  uint64_t next = 1;
  for (const double fpr : {0.05, 0.2, 0.4}) {
    for (int i = 0; i < 20; ++i) {
      ScalableFilter growing;
      GrowthOptions growth;
      growth.max_growth = 7;
      ASSERT_TRUE(IsOk(growing.Create(1000, Fpr(fpr), growth)));
      RotatingFilter window;
      ASSERT_TRUE(IsOk(window.Create(6000, 3, Fpr(fpr))));
      for (uint64_t num_new = 0; num_new < 7000;) num_new += growing.InsertHash(MixHash(next++));
      EXPECT_EQ(growing.capacity(), 7000u);
      EXPECT_FALSE(growing.OverCapacity()) << fpr;
      for (int generation = 0; generation < 6; ++generation) {
        InsertNew(&window, 3000, &next);
        ASSERT_FALSE(window.OverCapacity()) << fpr;
        window.Rotate();
      }
      InsertNew(&window, 20000, &next);
      EXPECT_TRUE(window.OverCapacity()) << fpr;
    }
  }
}

// With 16 probes a bit per key is enough to set all bits of a small filter.
TEST(OverCapacity, IsNotSaidWhereTheKeysThatItWasMadeForSetAllBits) {
  uint64_t next = 1;
  for (const Layout layout : MutableLayouts()) {
    FilterOptions options = BitsPerKey(1);
    options.num_probes = std::min(16u, FactsOf(layout).max_num_probes);
    for (int i = 0; i < 20; ++i) {
      Filter filter;
      ASSERT_TRUE(IsOk(filter.Create(500, WithLayout(layout, options))));
      InsertNew(&filter, 500, &next);
      EXPECT_FALSE(filter.OverCapacity()) << LayoutName(layout);
    }
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(500, WithLayout(layout, Fpr(0.01)))));
    InsertNew(&filter, 50000, &next);
    EXPECT_TRUE(filter.OverCapacity()) << LayoutName(layout) << ": ten times as many would leave bits unset";
  }
}

}  // namespace
}  // namespace linefilter::test
