// linefilter/many.h: filters of every kind, of several seeds and secrets, asked together. Each answers as it does by
// itself; a hash that is not its own is "maybe".
#include "linefilter/many.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
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

// Five ways to hash keys; to a sixth keys mean nothing.
std::vector<FilterOptions> WaysToHash() {
  std::vector<FilterOptions> ways(6, Fpr(0.01));
  ways[1].seed = 17;
  ways[2] = Keyed(Fpr(0.01));
  ways[3] = Keyed(Fpr(0.01));
  ways[3].secret.bytes[3] ^= 1;
  ways[4].hash_id = HashId::kParquet;
  ways[5].hash_id = HashId::kCaller;
  return ways;
}

constexpr uint64_t kMembers = 2000;

// Every kind of filter, hashed in every way, so that neighbours hash differently; all have the integers below kMembers.
class Many : public ::testing::Test {
 protected:
  Many() {
    for (const FilterOptions& way : WaysToHash()) options_.push_back(way);
    for (size_t kind = 0; kind < 6; ++kind) {
      for (const FilterOptions& way : options_) Add(kind, way);
    }
    BlockedFilter served;
    EXPECT_TRUE(IsOk(served.Create(kMembers, options_[1])));
    for (uint64_t key = 0; key < kMembers; ++key) served.InsertKey(key);
    EXPECT_TRUE(IsOk(swappable_.Swap(std::move(served))));
    asked_.insert(asked_.begin() + 2, &swappable_);
    EXPECT_TRUE(IsOk(FilterBuilder(options_[1]).Finish(&empty_image_)));
    EXPECT_TRUE(IsOk(empty_.Open(empty_image_.data(), empty_image_.size(), VerifyMode::kWhole)));
    asked_.insert(asked_.begin() + 5, &empty_);
    asked_.push_back(&broken_);
    asked_.push_back(&nothing_serves_);
  }

  void Add(size_t kind, const FilterOptions& way) {
    if (kind == 0) return Keep(std::make_shared<BlockedFilter>(), kMembers, way);
    if (kind == 1) return Keep(std::make_shared<ClassicFilter>(), kMembers, way);
    if (kind == 2) return Keep(std::make_shared<QuotientFilter>(), kMembers, way);
    if (kind == 3) return Keep(std::make_shared<ConcurrentFilter>(), kMembers, way);
    if (kind == 4) return Keep(std::make_shared<ScalableFilter>(), uint64_t{100}, way);
    Keep(std::make_shared<RotatingFilter>(), 2 * kMembers, 3u, way);
  }
  template <class Owner, class... Arguments>
  void Keep(const std::shared_ptr<Owner>& filter, const Arguments&... arguments) {
    EXPECT_TRUE(IsOk(filter->Create(arguments...)));
    for (uint64_t key = 0; key < kMembers; ++key) filter->InsertKey(key);
    asked_.push_back(filter.get());
    filters_.push_back(filter);
  }

  std::vector<FilterOptions> options_;
  std::vector<const FilterBase*> asked_;

 private:
  std::vector<std::shared_ptr<KeyFilter>> filters_;
  SwappableFilter swappable_, nothing_serves_;
  std::string empty_image_;
  FilterView empty_, broken_;
};

TEST_F(Many, OneKeyIsAskedOfEachAsByItself) {
  std::vector<Key> keys = {"", "alice@example.org", std::string_view("\0\0", 2)};
  for (uint64_t key = kMembers - 50; key < kMembers + 50; ++key) keys.emplace_back(key);
  for (size_t num_filters = 0; num_filters <= asked_.size(); ++num_filters) {
    for (const Key& key : keys) {
      std::vector<uint8_t> answers(num_filters + 1, 0xee);
      const size_t maybes = MayContainKey(asked_.data(), num_filters, key, answers.data());
      size_t expected = 0;
      for (size_t f = 0; f < num_filters; ++f) {
        ASSERT_EQ(answers[f], asked_[f]->MayContainKey(key) ? 1 : 0) << f;
        expected += answers[f];
      }
      ASSERT_EQ(maybes, expected);
      ASSERT_EQ(answers.back(), 0xee) << "no byte more is written";
    }
  }
}

TEST_F(Many, OneHashIsMaybeWhereItIsNotTheFiltersOwn) {
  std::vector<uint8_t> answers(asked_.size());
  for (const FilterOptions& way : options_) {
    const KeyHash hash_of = way.key_hash();
    for (const uint64_t hash : RandomHashes(200, 1)) {
      const size_t maybes = MayContainHash(asked_.data(), asked_.size(), hash_of, hash, answers.data());
      size_t expected = 0;
      for (size_t f = 0; f < asked_.size(); ++f) {
        const bool is_served = asked_[f]->layout() == Layout::kAuto && asked_[f]->KeyStatus().ok();
        const KeyHash own = is_served ? options_[1].key_hash() : asked_[f]->key_hash();
        const bool maybe = own.DifferenceTo(hash_of) != nullptr || asked_[f]->MayContainHash(hash);
        ASSERT_EQ(answers[f], maybe ? 1 : 0) << f;
        expected += maybe;
      }
      ASSERT_EQ(maybes, expected);
    }
  }
}

// A keyed hash is told by its secret's check, so the secret alone says nothing.
TEST_F(Many, AKeyHashWithoutTheCheckIsNobodys) {
  KeyHash hash_of = options_[2].key_hash();
  hash_of.seed = 0;
  std::vector<uint8_t> answers(asked_.size());
  EXPECT_EQ(MayContainHash(asked_.data(), asked_.size(), hash_of, 5, answers.data()), asked_.size());
}

TEST_F(Many, ABatchHasARowForEachFilter) {
  std::vector<const FilterBase*> asked;  // more than are asked at once
  while (asked.size() < 150) asked.insert(asked.end(), asked_.begin(), asked_.end());
  for (const size_t n : {0u, 1u, 255u, 256u, 257u, 700u}) {  // around the groups in which keys are hashed
    std::vector<std::string> texts(n);
    std::vector<std::string_view> keys(n);
    std::vector<uint64_t> integers(n);
    for (size_t i = 0; i < n; ++i) {
      keys[i] = texts[i] = "key " + std::to_string(i);
      integers[i] = kMembers - 20 + i;
    }
    for (const size_t num_filters : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, asked.size()}) {
      std::vector<uint8_t> by_key(num_filters * n + 1, 0xee), by_integer = by_key, expected = by_key,
                                                              expected_integer = by_key;
      for (size_t f = 0; f < num_filters; ++f) {
        asked[f]->MayContainKeys(keys.data(), n, expected.data() + f * n);
        asked[f]->MayContainKeys(integers.data(), n, expected_integer.data() + f * n);
      }
      MayContainKeys(asked.data(), num_filters, keys.data(), n, by_key.data());
      EXPECT_TRUE(by_key == expected) << num_filters << " filters, " << n << " keys";
      MayContainKeys(asked.data(), num_filters, integers.data(), n, by_integer.data());
      EXPECT_TRUE(by_integer == expected_integer) << num_filters << " filters, " << n << " integers";
    }
  }
}

TEST_F(Many, ABatchOfHashesHasARowForEachFilter) {
  const std::vector<uint64_t> hashes = RandomHashes(700, 4);
  for (const FilterOptions& way : options_) {
    std::vector<uint8_t> answers(asked_.size() * 700 + 1, 0xee), of_one(asked_.size());
    MayContainHashes(asked_.data(), asked_.size(), way.key_hash(), hashes.data(), 700, answers.data());
    EXPECT_EQ(answers.back(), 0xee);
    for (size_t i = 0; i < 700; ++i) {
      MayContainHash(asked_.data(), asked_.size(), way.key_hash(), hashes[i], of_one.data());
      for (size_t f = 0; f < asked_.size(); ++f) ASSERT_EQ(answers[700 * f + i], of_one[f]) << f;
    }
  }
}

// Issue 29: eight levels whose filters hash in three ways lose nothing, which one hash for all of them did.
TEST(ManyLevels, OfThreeIdentitiesLoseNoMember) {
  constexpr uint64_t kKeys = 100000;
  constexpr size_t kLevels = 8;
  BlockedFilter levels[kLevels];
  const FilterBase* asked[kLevels];
  for (size_t i = 0; i < kLevels; ++i) {
    ASSERT_TRUE(IsOk(levels[i].Create(kKeys / kLevels, WaysToHash()[i % 3])));
    asked[i] = &levels[i];
  }
  std::vector<uint64_t> keys(kKeys);
  for (uint64_t key = 0; key < kKeys; ++key) {
    keys[key] = key;
    levels[key % kLevels].InsertKey(key);
  }
  std::vector<uint8_t> matrix(kLevels * kKeys);
  MayContainKeys(asked, kLevels, keys.data(), kKeys, matrix.data());
  uint64_t lost = 0, lost_in_batch = 0, lost_by_hash = 0;
  uint8_t answers[kLevels];
  for (uint64_t key = 0; key < kKeys; ++key) {
    MayContainKey(asked, kLevels, key, answers);
    lost += answers[key % kLevels] == 0;
    lost_in_batch += matrix[key % kLevels * kKeys + key] == 0;
    MayContainHash(asked, kLevels, levels[0].key_hash(), HashKey(key), answers);
    lost_by_hash += answers[key % kLevels] == 0;
  }
  EXPECT_EQ(lost, 0u);
  EXPECT_EQ(lost_in_batch, 0u);
  EXPECT_EQ(lost_by_hash, 0u);
}

// More ways to hash than one call keeps hashes of.
TEST(ManyLevels, OfFortySeedsLoseNoMember) {
  std::vector<BlockedFilter> levels(40);
  std::vector<const FilterBase*> asked;
  for (size_t i = 0; i < levels.size(); ++i) {
    FilterOptions options = Fpr(0.0001);
    options.seed = i;
    ASSERT_TRUE(IsOk(levels[i].Create(100, options)));
    levels[i].InsertKey(i);
    asked.push_back(&levels[i]);
  }
  std::vector<uint8_t> answers(levels.size());
  for (uint64_t key = 0; key < levels.size(); ++key) {
    EXPECT_LE(MayContainKey(asked.data(), asked.size(), key, answers.data()), 2u);
    EXPECT_EQ(answers[key], 1);
  }
}

// Whoever clears what serves may swap in a filter that hashes otherwise. What was hashed for the one before is then
// "maybe", not "absent".
TEST(ManyLevels, WhatIsSwappedMeanwhileLosesNoMember) {
  SwappableFilter swappable;
  const FilterBase* const asked[] = {&swappable, &swappable};
  std::atomic<bool> stop{false};
  std::thread swapping([&] {
    for (uint64_t i = 0; i < 300; ++i) {
      BlockedFilter next;
      EXPECT_TRUE(IsOk(next.Create(300, WaysToHash()[i % 3])));
      for (uint64_t key = 0; key < 300; ++key) next.InsertKey(key);
      swappable.Clear();
      EXPECT_TRUE(IsOk(swappable.Swap(std::move(next))));
    }
    stop = true;
  });
  uint64_t keys[300], lost = 0;
  for (uint64_t key = 0; key < 300; ++key) keys[key] = key;
  uint8_t answers[600];
  while (!stop) {
    MayContainKeys(asked, 2, keys, 300, answers);
    for (const uint8_t answer : answers) lost += answer == 0;
    for (uint64_t key = 0; key < 300; ++key) lost += 2 - MayContainKey(asked, 2, key, answers);
  }
  swapping.join();
  EXPECT_EQ(lost, 0u);
}

}  // namespace
}  // namespace linefilter::test
