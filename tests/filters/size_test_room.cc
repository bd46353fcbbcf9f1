// How many more keys a filter takes until a rate.
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "tests/filters/size_test.h"

namespace linefilter::test {
namespace {

// So many more, and the rate is that, within the model's error and that of the estimate.
void ExpectRoom(KeyFilter* filter, double fpr, uint64_t* next, const std::string& what) {
  const uint64_t room = filter->RoomFor(fpr);
  ASSERT_GT(room, 100u) << what;
  InsertNew(filter, room, next);
  EXPECT_NEAR(filter->ExpectedFpr() / fpr, 1, 0.06) << what;
  if (filter->layout() != Layout::kContainer) {
    EXPECT_LT(filter->RoomFor(fpr), room / 20) << what;  // a stage more may be opened just below the rate
  }
  EXPECT_EQ(filter->RoomFor(0.9 * fpr), 0u) << what << ": it is above that already";
}

TEST(RoomFor, IsWhatComesUntilTheRate) {
  uint64_t next = 1;
  for (const Layout layout : MutableLayouts()) {
    for (const double fpr : {0.005, 0.03}) {
      Filter filter;
      ASSERT_TRUE(IsOk(filter.Create(20000, WithLayout(layout, Fpr(0.01)))));
      InsertNew(&filter, 5000, &next);
      ExpectRoom(&filter, fpr, &next, LayoutName(layout));
    }
  }
  for (const Layout layout : EverySharedLayout()) {
    ConcurrentFilter shared;
    ASSERT_TRUE(IsOk(shared.Create(20000, Fpr(0.01, layout))));
    ExpectRoom(&shared, 0.02, &next, std::string("concurrent, ") + LayoutName(layout));
  }
  RotatingFilter window;
  ASSERT_TRUE(IsOk(window.Create(30000, 4, Fpr(0.01))));
  for (int i = 0; i < 3; ++i) {
    InsertNew(&window, 10000, &next);
    window.Rotate();
  }
  ExpectRoom(&window, 0.012, &next, "rotating, in the newest generation");
}

// One probe leaves half of the bits unset at 0.7 bits per key. `split_block` has eight: 1 bit per key is 0.9973.
TEST(RoomFor, GoesBeyondABitPerKeyWhereTheRateIsHigh) {
  uint64_t next = 1;
  for (const Layout layout : MutableLayouts()) {
    const bool has_one_probe = FactsOf(layout).max_num_probes != 0;
    for (const double fpr : has_one_probe ? std::vector<double>{0.7, 0.9} : std::vector<double>{0.999}) {
      FilterOptions options = BitsPerKey(2);
      options.num_probes = has_one_probe ? 1 : 0;
      Filter filter;
      ASSERT_TRUE(IsOk(filter.Create(has_one_probe ? 20000 : 400000, WithLayout(layout, options))));
      EXPECT_GT(filter.RoomFor(fpr), internal::FindLayout(layout)->PlacesIn(filter.body_bytes()));
      ExpectRoom(&filter, fpr, &next, LayoutName(layout));
    }
  }
}

TEST(RoomFor, OfWhatGrowsCountsTheStagesToCome) {
  uint64_t next = 1;
  for (const double fpr : {0.002, 0.005, 0.0075}) {
    ScalableFilter growing;
    ASSERT_TRUE(IsOk(growing.Create(2000, Fpr(0.01))));
    ExpectRoom(&growing, fpr, &next, "growing");
  }
  ScalableFilter endless, ends;
  ASSERT_TRUE(IsOk(endless.Create(2000, Fpr(0.01))));
  EXPECT_GT(endless.RoomFor(0.02), uint64_t{1} << 36) << "it keeps 1 %, as long as `blocked` can be fine enough";
  GrowthOptions growth;
  growth.max_growth = 7;
  ASSERT_TRUE(IsOk(ends.Create(2000, Fpr(0.01), growth)));
  ExpectRoom(&ends, 0.03, &next, "growing to its end, and beyond");
  FilterOptions little = Fpr(0.01);
  little.memory_limit = 20000;
  ASSERT_TRUE(IsOk(ends.Create(2000, little)));
  ExpectRoom(&ends, 0.03, &next, "growing to its memory_limit, and beyond");
}

TEST(RoomFor, IsNoneWhereNothingComesOrNoRateIs) {
  std::string image, empty;
  FilterBuilder builder(BitsPerKey(10, Layout::kRetrieval));
  for (uint64_t key = 0; key < 5000; ++key) builder.AddKey(key);
  ASSERT_TRUE(IsOk(builder.Finish(&image)));
  ASSERT_TRUE(IsOk(FilterBuilder(BitsPerKey(10)).Finish(&empty)));
  for (const double fpr : {1.0, 0.5, 0.01, 0.0, -1.0, std::nan("")}) {
    EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).RoomFor(fpr), 0u) << "retrieval takes none";
    EXPECT_EQ(FilterView(empty.data(), empty.size(), VerifyMode::kWhole).RoomFor(fpr), 0u);
    EXPECT_EQ(FilterView("broken", 6, VerifyMode::kWhole).RoomFor(fpr), 0u);
    EXPECT_EQ(BlockedFilter().RoomFor(fpr), 0u);
    EXPECT_EQ(ScalableFilter().RoomFor(fpr), 0u);
    EXPECT_EQ(RotatingFilter().RoomFor(fpr), 0u);
  }
  BlockedFilter filter;
  ASSERT_TRUE(IsOk(filter.Create(1000, BitsPerKey(10))));
  for (const double fpr : {0.0, -1.0, std::nan("")}) EXPECT_EQ(filter.RoomFor(fpr), 0u);
}

TEST(RoomFor, IsEndlessFromARateOfOneOnWhateverIsThere) {
  BlockedFilter filter;
  ScalableFilter growing;
  RotatingFilter rotating;
  ASSERT_TRUE(IsOk(filter.Create(100, BitsPerKey(10))) && IsOk(growing.Create(100, Fpr(0.01))) &&
              IsOk(rotating.Create(100, 2, BitsPerKey(10))));
  for (const uint64_t num_keys : {0u, 1000u, 100000u}) {
    for (uint64_t key = 0; key < num_keys; ++key) {
      filter.InsertKey(key);
      growing.InsertKey(key);
      rotating.InsertKey(key);
    }
    for (const double fpr : {1.0, 2.0, std::numeric_limits<double>::infinity()}) {
      for (const FilterBase* one : std::initializer_list<const FilterBase*>{&filter, &growing, &rotating}) {
        EXPECT_EQ(one->RoomFor(fpr), ~uint64_t{0}) << num_keys << ": no number of keys has a rate above 1";
      }
    }
  }
  EXPECT_EQ(filter.ExpectedFpr(), 1.0);
}

}  // namespace
}  // namespace linefilter::test
