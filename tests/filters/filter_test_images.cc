// A filter unites with another one or an image, and goes through its image and back; what does not fit is refused.
#include "linefilter/builder.h"
#include "linefilter/scalable.h"
#include "tests/filters/filter_test.h"
#include "tests/testing/temp_dir.h"

namespace linefilter::test {
namespace {

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
  const FilterView view(image.data(), image.size());
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
  const FilterView view(damaged.data(), damaged.size());
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

TYPED_TEST(FilterTest, RefusesImagesItCannotContinue) {
  const std::string image = ImageOf(this->Make(100000, BitsPerKey(10), RandomHashes(100000, 1)));
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

// What takes no keys would lose those that are inserted: Filter refuses its image, whatever the options ask for.
TEST(Filter, AFilterOfAnyLayoutIsMadeOfAnImageThatTakesKeys) {
  for (const Layout layout : SupportedLayouts()) {
    std::string image;
    if (FactsOf(layout).has_stages) {
      ScalableFilter growing;
      FilterOptions options;
      options.fpr = 0.01;
      ASSERT_TRUE(growing.Create(100, options).ok());
      ASSERT_TRUE(growing.AppendImage(&image).ok());
    } else {
      FilterOptions options;
      options.bits_per_key = 40;
      options.layout = layout;
      FilterBuilder builder(options);
      builder.AddKey(1);
      ASSERT_TRUE(builder.Finish(&image).ok());
    }
    for (const Layout asked : {Layout::kAuto, layout, Layout::kRetrieval, Layout::kContainer}) {
      FilterOptions options;
      options.layout = asked;
      Filter filter;
      const Status status = filter.CreateFromImage(image.data(), image.size(), options);
      const bool fits = FactsOf(layout).takes_keys && (asked == Layout::kAuto || asked == layout);
      EXPECT_EQ(status.code(), fits ? StatusCode::kOk : StatusCode::kIncompatible) << LayoutName(layout);
      filter.InsertKey(2);
      EXPECT_TRUE(filter.MayContainKey(2)) << LayoutName(layout);
    }
  }
}

}  // namespace
}  // namespace linefilter::test
