// linefilter/filter_base.h and key_filter.h: every way of asking gives the same answer, for filters of every kind at
// once, and every filter that takes keys says the same of itself as its image does.
#include "linefilter/filter_base.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter::test {
namespace {

FilterOptions Options(double bits_per_key, uint64_t seed = 0) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.seed = seed;
  return options;
}

// One filter of every kind: all owners, and views of their images, small and past the caches' first level, empty and
// broken.
class FilterBaseTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kSeed = 17;

  FilterBaseTest() {
    for (const size_t n : {100u, 20000u, 400000u}) {
      Add<BlockedFilter>("blocked", n, n, Options(10, kSeed));
      Add<ClassicFilter>("classic", n, n, Options(10, kSeed));
      Add<ConcurrentFilter>("blocked, concurrent", n, n, Options(10, kSeed));
      FilterOptions bound = Options(0, kSeed);
      bound.fpr = 0.01;
      Add<ScalableFilter>("growing", n, 50u, bound);
      Add<RotatingFilter>("rotating", n, 3 * n, 4u, bound);
    }
    BlockedFilter served = Created<BlockedFilter>(uint64_t{20000}, Options(10, kSeed));
    served.InsertHashes(RandomHashes(20000, 1).data(), 20000);
    EXPECT_TRUE(IsOk(swappable_.Swap(std::move(served))));
    asked_.push_back(&swappable_);
    names_.push_back("swappable");
    std::string empty;
    EXPECT_TRUE(FilterBuilder(Options(10, kSeed)).Finish(&empty).ok());
    AddView("the empty set", std::move(empty));
    AddView("a broken image", "not an image");
    filters_.push_back(std::make_shared<BlockedFilter>());
    names_.push_back("never created");
    asked_.push_back(filters_.back().get());
  }

  template <class Owner, class... Arguments>
  void Add(const std::string& name, size_t n, const Arguments&... arguments) {
    auto filter = std::make_shared<Owner>();
    EXPECT_TRUE(IsOk(filter->Create(arguments...)));
    const std::vector<uint64_t> hashes = RandomHashes(n, 1);  // the smaller sets are subsets of the larger
    filter->InsertHashes(hashes.data(), n);
    AddView(name + ", viewed, " + std::to_string(n) + " keys", ImageOf(*filter));
    names_.push_back(name + ", " + std::to_string(n) + " keys");
    asked_.push_back(filter.get());
    imaged_.push_back({filter.get(), views_.back().get()});
    filters_.push_back(std::move(filter));
  }
  void AddView(const std::string& name, std::string image) {
    images_.push_back(std::make_unique<std::string>(std::move(image)));
    views_.push_back(std::make_unique<FilterView>(images_.back()->data(), images_.back()->size(), VerifyMode::kWhole));
    names_.push_back(name);
    asked_.push_back(views_.back().get());
  }

  std::vector<const FilterBase*> asked_;
  std::vector<std::string> names_;
  std::vector<std::pair<KeyFilter*, const FilterView*>> imaged_;

 private:
  std::vector<std::shared_ptr<KeyFilter>> filters_;
  SwappableFilter swappable_;
  std::vector<std::unique_ptr<std::string>> images_;
  std::vector<std::unique_ptr<FilterView>> views_;
};

// Half of them members of every filter.
std::vector<uint64_t> Questions(size_t n) {
  std::vector<uint64_t> hashes = RandomHashes(n, 2);
  const std::vector<uint64_t> members = RandomHashes(100, 1);
  for (size_t i = 0; i < n; i += 2) hashes[i] = members[i % 100];
  return hashes;
}

TEST_F(FilterBaseTest, EveryWayOfAskingAgrees) {
  for (size_t f = 0; f < asked_.size(); ++f) {
    const FilterBase& filter = *asked_[f];
    for (const size_t n : {0u, 1u, 7u, 8u, 9u, 31u, 32u, 33u, 63u, 64u, 65u, 1000u}) {
      SCOPED_TRACE(names_[f] + ", a batch of " + std::to_string(n));
      const std::vector<uint64_t> hashes = Questions(n);
      std::vector<uint8_t> expected(n + 1, 0xee), answers(n + 1, 0xee);
      std::vector<uint8_t> expected_bits((n + 7) / 8 + 1, 0), bits((n + 7) / 8 + 1, 0xee);
      expected_bits.back() = 0xee;
      uint64_t maybes = 0;
      for (size_t i = 0; i < n; ++i) {
        const bool maybe = filter.MayContainHash(hashes[i]);
        filter.Prepare(hashes[i]);
        ASSERT_EQ(filter.MayContainHash(hashes[i]), maybe);
        expected[i] = maybe;
        expected_bits[i / 8] = static_cast<uint8_t>(expected_bits[i / 8] | (maybe << i % 8));
        maybes += maybe;
      }
      filter.MayContainHashes(hashes.data(), n, answers.data());
      EXPECT_EQ(answers, expected) << "and no byte more is written";
      filter.MayContainHashesToBits(hashes.data(), n, bits.data());
      EXPECT_EQ(bits, expected_bits) << "unused bits are 0, and no byte more is written";
      EXPECT_EQ(filter.CountMaybes(hashes.data(), n), maybes);
    }
  }
}

TEST_F(FilterBaseTest, KnowsItsMembersAndLittleElse) {
  const std::vector<uint64_t> members = RandomHashes(100, 1), others = RandomHashes(10000, 3);
  for (size_t f = 0; f < asked_.size(); ++f) {
    const uint64_t found = asked_[f]->CountMaybes(members.data(), 100),
                   wrong = asked_[f]->CountMaybes(others.data(), 10000);
    if (names_[f] == "the empty set") {
      EXPECT_EQ(found + wrong, 0u);
    } else if (!asked_[f]->KeyStatus().ok()) {
      EXPECT_EQ(found + wrong, 10100u) << names_[f];
    } else {
      EXPECT_EQ(found, 100u) << names_[f];
      EXPECT_LT(wrong, 200u) << names_[f];
    }
  }
}

TEST_F(FilterBaseTest, OutputsAtOddAddresses) {
  const std::vector<uint64_t> hashes = Questions(333);
  for (const FilterBase* filter : asked_) {
    std::vector<uint8_t> expected(333), expected_bits(42);
    filter->MayContainHashes(hashes.data(), 333, expected.data());
    filter->MayContainHashesToBits(hashes.data(), 333, expected_bits.data());
    for (size_t offset = 1; offset < 8; ++offset) {
      std::vector<uint8_t> answers(offset + 333, 0xee), bits(offset + 42, 0xee);
      filter->MayContainHashes(hashes.data(), 333, answers.data() + offset);
      filter->MayContainHashesToBits(hashes.data(), 333, bits.data() + offset);
      EXPECT_EQ(std::vector<uint8_t>(answers.begin() + static_cast<ptrdiff_t>(offset), answers.end()), expected);
      EXPECT_EQ(std::vector<uint8_t>(bits.begin() + static_cast<ptrdiff_t>(offset), bits.end()), expected_bits);
      EXPECT_EQ(answers[offset - 1], 0xee);
      EXPECT_EQ(bits[offset - 1], 0xee);
    }
  }
}

TEST_F(FilterBaseTest, KeysAreTheirHashesWithTheSeedOfTheFilter) {
  for (size_t f = 0; f < asked_.size(); ++f) {
    const FilterBase& filter = *asked_[f];
    const bool good = names_[f] != "a broken image" && names_[f] != "never created";
    EXPECT_EQ(filter.KeyStatus().ok(), good) << names_[f];
    for (const size_t n : {0u, 1u, 255u, 256u, 257u, 1000u}) {  // around the groups in which keys are hashed
      std::vector<std::string> texts(n);
      std::vector<std::string_view> keys(n);
      std::vector<uint64_t> integers(n);
      std::vector<uint8_t> by_key(n + 1, 0xee), by_integer(n + 1, 0xee), expected(n + 1, 0xee),
          expected_integer(n + 1, 0xee);
      for (size_t i = 0; i < n; ++i) {
        texts[i].assign(i % 40, static_cast<char>('a' + i % 26));
        keys[i] = texts[i];
        integers[i] = i * i;
        expected[i] = filter.MayContainHash(HashKey(keys[i], good ? kSeed : 0));
        expected_integer[i] = filter.MayContainHash(HashKey(integers[i], good ? kSeed : 0));
        ASSERT_EQ(filter.MayContainKey(keys[i]), expected[i] != 0);
        ASSERT_EQ(filter.MayContainKey(texts[i]), expected[i] != 0);
        ASSERT_EQ(filter.MayContainKey(integers[i]), expected_integer[i] != 0);
      }
      filter.MayContainKeys(keys.data(), n, by_key.data());
      EXPECT_EQ(by_key, expected) << names_[f] << " " << n;
      filter.MayContainKeys(integers.data(), n, by_integer.data());
      EXPECT_EQ(by_integer, expected_integer) << names_[f] << " " << n;
    }
  }
}

TEST_F(FilterBaseTest, TellsLayoutAndState) {
  for (size_t f = 0; f < asked_.size(); ++f) {
    const FilterBase& filter = *asked_[f];
    SCOPED_TRACE(names_[f]);
    const bool blocked = names_[f].find("blocked") == 0, classic = names_[f].find("classic") == 0;
    if (blocked || classic) {
      EXPECT_EQ(filter.layout(), blocked ? Layout::kBlocked : Layout::kClassic);
      EXPECT_EQ(filter.seed(), kSeed);
      EXPECT_EQ(filter.hash_id(), HashId::kXxh3);
      EXPECT_NEAR(filter.FillRatio(), 0.47, 0.08) << "near one half at the best num_probes";
      EXPECT_NEAR(filter.ExpectedFpr(), 0.009, 0.004);
    } else if (names_[f] == "swappable") {
      EXPECT_EQ(filter.layout(), Layout::kAuto) << "another may serve the next moment";
      EXPECT_EQ(filter.hash_id(), HashId::kCaller);
      EXPECT_EQ(filter.body_bytes(), 0u);
      EXPECT_NEAR(filter.FillRatio(), 0.47, 0.08) << "that of what serves now";
      EXPECT_NEAR(filter.ExpectedFpr(), 0.009, 0.004);
    } else if (filter.layout() != Layout::kAuto && filter.body_bytes() != 0) {
      EXPECT_EQ(filter.layout(), Layout::kContainer);
      EXPECT_LT(filter.ExpectedFpr(), 0.0105);
    } else {
      EXPECT_EQ(filter.body_bytes(), 0u);
      EXPECT_EQ(filter.FillRatio(), 0);
      EXPECT_EQ(filter.ApproximateSize().keys, 0);
      EXPECT_EQ(filter.ExpectedFpr(), names_[f] == "the empty set" ? 0 : 1);
    }
  }
}

TEST_F(FilterBaseTest, WhatTakesKeysTellsOfItselfWhatItsImageTells) {
  for (const auto& [filter, view] : imaged_) {
    SCOPED_TRACE(LayoutName(filter->layout()));
    EXPECT_EQ(filter->layout(), view->layout());
    EXPECT_EQ(filter->num_blocks(), view->num_blocks());
    EXPECT_EQ(filter->body_bytes(), view->body_bytes());
    EXPECT_EQ(filter->ImageBytes(), view->image_bytes());
    EXPECT_GT(filter->MemoryUse(), filter->body_bytes());
    EXPECT_STREQ(filter->target(), view->target());
    EXPECT_EQ(filter->FillRatio(), view->FillRatio());
    EXPECT_EQ(filter->ApproximateSize().keys, view->ApproximateSize().keys);
    EXPECT_EQ(filter->ExpectedFpr(), view->ExpectedFpr());
  }
}

TEST_F(FilterBaseTest, WhatTakesKeysTakesThemWhateverItsClass) {
  for (const auto& [filter, view] : imaged_) {
    SCOPED_TRACE(LayoutName(filter->layout()));
    const std::vector<uint64_t> hashes = RandomHashes(100, 9);
    EXPECT_TRUE(filter->InsertKey("a new key") || view->MayContainKey("a new key"));
    EXPECT_FALSE(filter->InsertKey("a new key"));
    EXPECT_TRUE(filter->MayContainKey("a new key"));
    const uint64_t known = view->CountMaybes(hashes.data(), 100);
    EXPECT_LE(filter->InsertHashes(hashes.data(), 100), 100 - known);
    EXPECT_EQ(filter->CountMaybes(hashes.data(), 100), 100u);
  }
}

// --- Of each class that takes keys ---

template <class Owner>
class KeysOf : public ::testing::Test {
 protected:
  static void Create(Owner* filter, const FilterOptions& options) {
    if constexpr (std::is_same_v<Owner, RotatingFilter>) {
      ASSERT_TRUE(IsOk(filter->Create(1000, 3, options)));
    } else {
      ASSERT_TRUE(IsOk(filter->Create(1000, options)));
    }
  }
};
using Owners =
    ::testing::Types<BlockedFilter, ClassicFilter, QuotientFilter, ConcurrentFilter, ScalableFilter, RotatingFilter>;
TYPED_TEST_SUITE(KeysOf, Owners, );

TYPED_TEST(KeysOf, AreTheirHashesOfTheFiltersWay) {
  FilterOptions seeded = Fpr(0.01);
  seeded.seed = 99;
  FilterOptions parquet = Fpr(0.01);
  parquet.hash_id = HashId::kParquet;
  for (const FilterOptions& options : {Keyed(Fpr(0.01)), seeded, parquet}) {
    const auto hash_of = [&](Key key) {
      return options.hash_id == HashId::kKeyed     ? KeyedHash(key, options.secret)
             : options.hash_id == HashId::kParquet ? ParquetHash(key)
                                                   : HashKey(key, options.seed);
    };
    TypeParam by_key, by_hash;
    this->Create(&by_key, options);
    this->Create(&by_hash, options);
    for (uint64_t key = 0; key < 500; ++key) {
      const std::string name = "key " + std::to_string(key);
      EXPECT_EQ(by_key.InsertKey(name), by_hash.InsertHash(hash_of(name)));
      EXPECT_EQ(by_key.InsertKey(key), by_hash.InsertHash(hash_of(key)));
      ASSERT_TRUE(by_key.MayContainKey(name) && by_key.MayContainKey(key));
    }
    EXPECT_TRUE(by_key.KeyStatus().ok());
    EXPECT_TRUE(ImageOf(by_key) == ImageOf(by_hash));
  }
}

TYPED_TEST(KeysOf, WhoseHashesAreTheCallersAreIgnoredAndMaybe) {
  FilterOptions options = Fpr(0.01);
  options.hash_id = HashId::kCaller;
  TypeParam filter;
  this->Create(&filter, options);
  EXPECT_FALSE(filter.InsertKey("ignored"));
  EXPECT_EQ(filter.FillRatio(), 0);
  EXPECT_TRUE(filter.MayContainKey("a key"));
  const std::string_view keys[2] = {"a", "b"};
  uint8_t answers[2] = {9, 9};
  filter.MayContainKeys(keys, 2, answers);
  EXPECT_EQ(answers[0] + answers[1], 2);
  EXPECT_EQ(filter.KeyStatus().code(), StatusCode::kIncompatible);
  EXPECT_TRUE(filter.InsertHash(MixHash(1)));
  EXPECT_TRUE(filter.MayContainHash(MixHash(1)));
  EXPECT_FALSE(filter.MayContainHash(MixHash(2)));
}

}  // namespace
}  // namespace linefilter::test
