// FilterOptions::removable: every way to a filter that gives keys back, and what else says why it does not. The calls
// that remove are in removable_test_calls.cc, and what a builder counts is in removable_test_builder.cc.
#include "tests/filters/removable_test.h"

#include <cstring>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/status.h"

namespace linefilter::test {
namespace {

class RemovableTest : public testing::Test {
 protected:
  FilterOptions options_ = Removable(BitsPerKey(12, Layout::kQuotient));
};

TEST_F(RemovableTest, FactsTellByNumProbes) {
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(100, options_)));
  EXPECT_TRUE(FactsOf(filter.layout(), filter.num_probes()).gives_back);
  EXPECT_EQ(filter.num_probes(), 1u);
  options_.removable = false;
  ASSERT_TRUE(IsOk(filter.Create(100, options_)));
  EXPECT_EQ(filter.num_probes(), 0u);
  EXPECT_FALSE(FactsOf(filter.layout(), filter.num_probes()).gives_back);
}

// A builder of a large set makes it in ranges, by threads, or while they are borrowed. Repeats are adjacent and far.
TEST_F(RemovableTest, WhatABuilderMakesIsWhatInsertionsMake) {
  for (const uint64_t n : {3u, 500u, 20000u, 300000u}) {
    std::vector<uint64_t> hashes = RandomHashes(n, n);
    for (uint64_t i = 0; i < n / 3; ++i) hashes.push_back(hashes[i * 7 % n]);
    for (uint64_t i = 0; i < n / 3; ++i) hashes.push_back(hashes.back());
    options_.num_keys = hashes.size();
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(hashes.size(), options_)));
    for (const uint64_t hash : hashes) filter.InsertHash(hash);
    const std::string built = Build(options_, hashes);
    const FilterView view(built.data(), built.size(), VerifyMode::kWhole);
    ASSERT_EQ(view.body_bytes(), filter.body_bytes());
    EXPECT_EQ(memcmp(view.body(), filter.body(), filter.body_bytes()), 0) << n;
    FilterBuilder borrowing(options_);
    borrowing.BorrowHashes(hashes.data(), hashes.size());
    std::string image;
    ASSERT_TRUE(IsOk(borrowing.Finish(&image)));
    EXPECT_TRUE(image == built) << n;
    Filter opened;
    ASSERT_TRUE(IsOk(opened.CreateFromImage(built.data(), built.size())));
    EXPECT_EQ(opened.num_probes(), filter.num_probes());
    if (n > 20000) continue;
    EXPECT_EQ(opened.RemoveHashes(hashes.data(), hashes.size()), hashes.size());
  }
}

TEST_F(RemovableTest, EmptiedOneIsAsItWas) {
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(5000, options_)));
  std::vector<uint64_t> hashes = RandomHashes(4000, 3);
  hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 1000);
  filter.InsertHashes(hashes.data(), hashes.size());
  for (size_t i = hashes.size(); i-- != 0;) ASSERT_TRUE(filter.RemoveHash(hashes[i]));
  EXPECT_EQ(filter.FillRatio(), 0);
  EXPECT_FALSE(filter.RemoveHash(hashes[0])) << "certainly absent";
  EXPECT_FALSE(filter.MayContainHash(hashes[0]));
}

TEST_F(RemovableTest, NothingIsLostWhileKeysComeAndGo) {
  Filter filter;
  ASSERT_TRUE(IsOk(filter.Create(3000, options_)));
  constexpr uint64_t kIn = 3000;
  for (uint64_t i = 0; i < 10 * kIn; ++i) {
    filter.InsertHash(MixHash(i));
    if (i >= kIn) {
      ASSERT_TRUE(filter.RemoveHash(MixHash(i - kIn)));
    }
  }
  for (uint64_t i = 9 * kIn; i < 10 * kIn; ++i) ASSERT_TRUE(filter.MayContainHash(MixHash(i)));
}

TEST_F(RemovableTest, UnitesAndFoldsByAddingUp) {
  options_.foldable = true;
  Filter one, two;
  ASSERT_TRUE(IsOk(one.Create(20000, options_)));
  ASSERT_TRUE(IsOk(two.Create(5, FilterOptions::SameSizeAs(one))));
  EXPECT_EQ(two.num_probes(), one.num_probes());
  EXPECT_TRUE(FilterOptions::SameSizeAs(one).removable);
  const std::vector<uint64_t> hashes = RandomHashes(10000, 4);
  one.InsertHashes(hashes.data(), 7000);
  two.InsertHashes(hashes.data() + 4000, 6000);
  ASSERT_TRUE(IsOk(one.Union(two)));
  ASSERT_TRUE(IsOk(one.Fold(2)));
  for (size_t i = 4000; i < 7000; ++i) ASSERT_TRUE(one.RemoveHash(hashes[i]));
  for (const uint64_t hash : hashes) ASSERT_TRUE(one.MayContainHash(hash)) << "those of both were in twice";
  for (const uint64_t hash : hashes) ASSERT_TRUE(one.RemoveHash(hash));
  EXPECT_EQ(one.FillRatio(), 0);
}

// A size that is given is that of a set or of a multiset: its num_probes says which, and removable only agrees.
TEST(Removable, ASizeSaysWhetherKeysCanBeRemoved) {
  for (const uint32_t num_probes : {0u, 1u}) {
    FilterOptions options;
    options.layout = Layout::kQuotient;
    options.body_bytes = 6400;
    options.num_probes = num_probes;
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(1000, options)));
    EXPECT_EQ(filter.num_probes(), num_probes);
    options.removable = true;
    const Status status = filter.Create(1000, options);
    if (num_probes == 1) {
      EXPECT_TRUE(IsOk(status));
    } else {
      EXPECT_TRUE(Says(StatusCode::kInvalidArgument, status, "the size of a set"));
    }
  }
}

TEST_F(RemovableTest, OfASetNothingIsRemoved) {
  Filter set;
  ASSERT_TRUE(IsOk(set.Create(1000, BitsPerKey(12, Layout::kQuotient))));
  set.InsertKey("a");
  const std::string before = ImageOf(set);
  const uint64_t hash = HashKey("a");
  uint8_t were_removed = 7;
  EXPECT_FALSE(set.RemoveKey("a") || set.RemoveHash(hash));
  EXPECT_EQ(set.RemoveHashes(&hash, 1, &were_removed), 0u);
  EXPECT_EQ(were_removed, 0);
  EXPECT_TRUE(ImageOf(set) == before);
}

TEST_F(RemovableTest, UnitesWithItsLikeAlone) {
  Filter set, multiset, blocked;
  ASSERT_TRUE(IsOk(set.Create(1000, BitsPerKey(12, Layout::kQuotient))));
  ASSERT_TRUE(IsOk(multiset.Create(1000, options_)));
  ASSERT_TRUE(IsOk(blocked.Create(1000, BitsPerKey(12, Layout::kBlocked))));
  EXPECT_TRUE(Says(StatusCode::kIncompatible, set.Union(multiset), "the choice of removable is another"));
  EXPECT_TRUE(Says(StatusCode::kIncompatible, multiset.Union(blocked), "the layout is another"));
}

TEST(Removable, IsQuotientWhereNoLayoutIsAsked) {
  for (const bool foldable : {false, true}) {
    FilterOptions options = Removable(Fpr(0.01));
    options.foldable = foldable;
    Filter filter;
    ASSERT_TRUE(IsOk(filter.Create(3, options)));
    EXPECT_EQ(filter.layout(), Layout::kQuotient);
    EXPECT_EQ(filter.num_probes(), 1u);
    FilterBuilder builder(options);
    for (int i = 0; i < 3; ++i) builder.AddKey("the same");
    std::string image;
    ASSERT_TRUE(IsOk(builder.Finish(&image)));
    EXPECT_EQ(FilterView(image.data(), image.size(), VerifyMode::kWhole).ApproximateSize().keys, 3);
  }
}

TEST(Removable, OthersSayWhatToUse) {
  const FilterOptions options = Removable(Fpr(0.01));
  ScalableFilter growing;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, growing.Create(100, options), "would lose another key"));
  RotatingFilter window;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, window.Create(100, 4, options), "one filter for all keys"));
  ConcurrentFilter shared;
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, shared.Create(100, options), "let one thread at a time use it"));
  EXPECT_TRUE(Says(StatusCode::kInvalidArgument, shared.Create(100, Fpr(0.01, Layout::kQuotient)), "choose blocked"));
  for (const Layout layout : EveryLayout()) {
    if (FactsOf(layout).chooses_removal) continue;
    EXPECT_TRUE(
        Says(StatusCode::kInvalidArgument, FilterBuilder(WithLayout(layout, options)).status(), "choose quotient"))
        << LayoutName(layout);
  }
}

}  // namespace
}  // namespace linefilter::test
