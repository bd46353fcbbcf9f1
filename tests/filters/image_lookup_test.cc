// ImageMayContainKey says what a FilterView of the same bytes says, for keys of every kind and length, in every mode.
// The images are good, or such as no writer makes, or damaged. Each target asks a body by code of its own.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/key.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

constexpr VerifyMode kVerifying[] = {VerifyMode::kAuto, VerifyMode::kWhole, VerifyMode::kLazy};
constexpr size_t kMostBytes = 2 * kChunk;

std::string RandomBytes(size_t size, uint64_t seed) {
  Random random(seed);
  std::string bytes;
  while (bytes.size() < size) bytes.push_back(static_cast<char>(random()));
  return bytes;
}

// An image that ends with its page, so that a read behind it ends the program. There is one at a time.
class Placed {
 public:
  explicit Placed(std::string_view image) : at_(Pages().end() - image.size()), size_(image.size()) {
    EXPECT_TRUE(Pages().ok() && size_ <= kMostBytes);
    std::copy(image.begin(), image.end(), at_);
  }
  bool MayContain(const Key& key, VerifyMode verify) const { return ImageMayContainKey(at_, size_, key, verify); }
  FilterView View() const { return FilterView(at_, size_, VerifyMode::kTrusted); }

 private:
  static GuardedPages& Pages() {
    static GuardedPages pages(kMostBytes);
    return pages;
  }

  uint8_t* at_;
  size_t size_;
};

// How many answers of a mode differ from those of a view.
size_t NumWrong(const Placed& image, VerifyMode verify, const FilterView& view, const std::vector<Key>& keys) {
  size_t num_wrong = 0;
  for (const Key& key : keys) num_wrong += image.MayContain(key, verify) != view.MayContainKey(key);
  return num_wrong;
}

size_t NumMaybes(const FilterView& view, const std::vector<Key>& keys) {
  size_t num_maybes = 0;
  for (const Key& key : keys) num_maybes += view.MayContainKey(key);
  return num_maybes;
}

// The view was bound to the target that was chosen before, whose kernels kernels_test holds to the reference.
void ExpectAnswersOfView(const Placed& image, const FilterView& view, const std::vector<Key>& keys) {
  for (const VerifyMode verify : kVerifying) EXPECT_EQ(NumWrong(image, verify, view, keys), 0u);
  EXPECT_EQ(NumWrong(image, VerifyMode::kTrusted, view, keys), 0u) << "trusted";
}

// Half of the keys are members: texts of 0 to 300 bytes, for all paths of XXH3, and integers that begin with any number
// of zero bits.
TEST(ImageLookup, TakesKeysOfEveryKindAndLength) {
  const std::string bytes = RandomBytes(300, 1);
  std::vector<Key> keys;
  for (size_t size = 0; size <= bytes.size(); ++size) keys.emplace_back(std::string_view(bytes).substr(0, size));
  for (int bits = 0; bits < 64; ++bits) keys.emplace_back(Random(static_cast<uint64_t>(bits))() >> bits);
  for (const Layout layout : EveryLayout()) {
    for (const size_t num_others : {0u, 8000u}) {  // a small body, and one with chunks
      for (const uint64_t seed : {0u, 7u}) {       // an image with a seed is not plain
        FilterOptions options = BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout);
        options.seed = seed;
        FilterBuilder builder(options);
        std::vector<Key> members;
        for (size_t i = 0; i < keys.size(); i += 2) members.push_back(keys[i]);
        for (const Key& key : members) builder.AddKey(key);
        for (const uint64_t hash : RandomHashes(num_others, 1)) builder.AddHash(hash);
        const Placed image(Finish(&builder));
        const FilterView view = image.View();
        SCOPED_TRACE(std::string(LayoutName(layout)) + ", seed " + std::to_string(seed));
        ASSERT_EQ(view.num_chunks() != 0, num_others != 0);
        ASSERT_EQ(NumMaybes(view, members), members.size());
        ASSERT_LT(NumMaybes(view, keys), members.size() + keys.size() / 10);
        OnEveryTarget([&](const char*) { ExpectAnswersOfView(image, view, keys); });
      }
    }
  }
}

// Bodies of any size, of layouts and with probes that exist or not, under a valid check. Half of the bits are set.
TEST(ImageLookup, BelievesNoBodyThatAnImageCannotHave) {
  const std::string bytes = RandomBytes(kSmallBody + 65, 2);
  const std::vector<Key> keys = {"", "key", std::string_view(bytes).substr(0, 129), 0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<size_t> sizes;
  for (size_t size = 0; size <= 129; ++size) sizes.push_back(size);
  for (size_t size = kSmallBody - 65; size <= bytes.size(); ++size) sizes.push_back(size);
  for (const int layout : {0, 1, 2, 3, 4, 5, 6, 7, 128, 255}) {
    size_t num_good = 0, num_maybes = 0;
    for (const int num_probes : {0, 1, 8, 16, 17, 255}) {
      for (const size_t size : sizes) {
        ImageParts parts;
        parts.body = bytes.substr(0, size);
        parts.layout = static_cast<uint8_t>(layout);
        parts.num_probes = static_cast<uint8_t>(num_probes);
        const Placed image(Assemble(parts));
        const FilterView view = image.View();
        SCOPED_TRACE("layout " + std::to_string(layout) + ", " + std::to_string(num_probes) + " probes, " +
                     std::to_string(size) + " bytes");
        OnEveryTarget([&](const char*) { ExpectAnswersOfView(image, view, keys); });
        num_good += view.status().ok();
        num_maybes += view.status().ok() ? NumMaybes(view, keys) : 0;
      }
    }
    const std::vector<Layout> known = EveryLayout();
    if (std::count(known.begin(), known.end(), static_cast<Layout>(layout)) != 0) {
      EXPECT_GT(num_good, 0u) << layout;
      EXPECT_LT(num_maybes, num_good * keys.size() * 2 / 3) << layout;
    } else {
      EXPECT_EQ(num_good, 0u) << layout;
    }
  }
}

// Whether the lookup asks the bits by itself: a small body, keys hashed by XXH3, and no optional field.
bool IsPlain(std::string_view image) {
  return image.size() >= kFixedTrailer && image.size() <= kSmallBody + kFixedTrailer && image.back() == '\xa1' &&
         image[image.size() - 2] == 1;
}

// A lookup that verifies is "maybe". One that trusts a plain image believes its bytes, as if the check matched.
void ExpectOfDamaged(const std::string& damaged, const std::vector<Key>& keys) {
  std::string sealed = IsPlain(damaged) ? damaged : std::string();
  if (!sealed.empty()) Reseal(&sealed, sealed.size() - kFixedTrailer);
  const FilterView broken, as_it_says(sealed.data(), sealed.size(), VerifyMode::kTrusted);
  const Placed image(damaged);
  OnEveryTarget([&](const char*) {
    for (const VerifyMode verify : kVerifying) EXPECT_EQ(NumWrong(image, verify, broken, keys), 0u);
    EXPECT_EQ(NumWrong(image, VerifyMode::kTrusted, as_it_says, keys), 0u) << "trusted";
  });
}

TEST(ImageLookup, OfDamagedImagesIsMaybeUnlessTheyAreTrusted) {
  const std::string long_key = RandomBytes(129, 3);
  const std::vector<Key> keys = {"a", "b", 1, 2, long_key};
  for (const Layout layout : EveryLayout()) {
    for (const size_t num_others : {0u, 40u}) {
      FilterBuilder builder(BitsPerKey(BitsPerKeyLikeBlocked(layout, 10), layout));
      builder.AddKey("a");
      for (const uint64_t hash : RandomHashes(num_others, 1)) builder.AddHash(hash);
      const std::string good = Finish(&builder);
      ASSERT_TRUE(IsPlain(good));
      SCOPED_TRACE(std::string(LayoutName(layout)) + " of " + std::to_string(good.size()) + " bytes");
      for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
        std::string damaged = good;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        SCOPED_TRACE("bit " + std::to_string(bit));
        ExpectOfDamaged(damaged, keys);
      }
      for (size_t size = 0; size < good.size(); ++size) {
        SCOPED_TRACE("cut to " + std::to_string(size));
        ExpectOfDamaged(good.substr(0, size), keys);
        ExpectOfDamaged(good.substr(good.size() - size), keys);
      }
    }
  }
}

TEST(ImageLookup, OfNothingIsMaybe) {
  for (const VerifyMode verify : {VerifyMode::kAuto, VerifyMode::kWhole, VerifyMode::kLazy, VerifyMode::kTrusted}) {
    for (const size_t size : {0u, 8u, 100u, 10000u}) {
      EXPECT_TRUE(ImageMayContainKey(nullptr, size, "a", verify));
      EXPECT_TRUE(ImageMayContainKey(nullptr, size, 1, verify));
    }
  }
}

}  // namespace
}  // namespace linefilter::test
