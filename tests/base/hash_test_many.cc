// KeyHash::OfKeys: many keys hashed together have the hashes that HashKey makes of each, on every target, and nothing
// is read beside them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"
#include "tests/testing/guarded_pages.h"
#include "tests/testing/random.h"
#include "tests/testing/targets.h"

namespace linefilter::test {
namespace {

using Views = std::vector<std::string_view>;

std::string RandomText(size_t size, uint64_t seed) {
  Random random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

// Keys of these lengths, at any address within the text.
Views KeysOf(const std::vector<size_t>& lengths, const std::string& text, uint64_t seed) {
  Random random(seed);
  Views keys;
  for (const size_t length : lengths) keys.push_back(std::string_view(text).substr(random.Below(1000), length));
  return keys;
}

KeyHash OfSeed(uint64_t seed) { return {HashId::kXxh3, seed, HashSecret()}; }

// What stands behind the hashes stays as it is.
void ExpectHashesOf(const std::string_view* keys, size_t n, uint64_t seed, size_t num_ahead) {
  constexpr uint64_t kUntouched = 0x1234567890abcdef;
  std::vector<uint64_t> hashes(n + 1, kUntouched);
  ASSERT_TRUE(OfSeed(seed).OfKeys(keys, n, hashes.data(), num_ahead));
  for (size_t i = 0; i < n; ++i) {
    ASSERT_EQ(hashes[i], HashKey(keys[i], seed)) << "key " << i << " of " << n << ", " << keys[i].size() << " bytes";
  }
  ASSERT_EQ(hashes[n], kUntouched);
}

TEST(HashKeys, OfEveryLengthAreThoseOfEachKey) {
  const std::string text = RandomText(2000, 1);
  std::vector<size_t> lengths;
  for (size_t length = 0; length <= 300; ++length) lengths.insert(lengths.end(), length <= 20 ? 40 : 2, length);
  Random random(2);
  for (size_t i = lengths.size() - 1; i > 0; --i) std::swap(lengths[i], lengths[random.Below(i + 1)]);
  const Views keys = KeysOf(lengths, text, 3);
  OnEveryTarget([&](const char*) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, random()}) {
      ExpectHashesOf(keys.data(), keys.size(), seed, 0);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(HashKeys, OfEveryNumberOfKeysAreThoseOfEachKey) {
  const std::string text = RandomText(2000, 4);
  Random random(5);
  // Words, a single path each, half of them long, and the lengths between two paths.
  const std::vector<std::vector<size_t>> kinds = {{2, 14}, {1, 3}, {4, 8},   {9, 16}, {17, 40}, {0, 32},
                                                  {3, 4},  {8, 9}, {16, 17}, {0, 0},  {0, 1}};
  for (const std::vector<size_t>& kind : kinds) {
    std::vector<size_t> lengths;
    for (size_t i = 0; i < 600; ++i) lengths.push_back(kind[0] + random.Below(kind[1] - kind[0] + 1));
    const Views keys = KeysOf(lengths, text, 6);
    OnEveryTarget([&](const char*) {
      for (size_t n = 0; n <= keys.size(); n += n < 140 ? 1 : 23) {
        ExpectHashesOf(keys.data(), n, 7, n % 2 == 0 ? keys.size() - n : 0);
        if (testing::Test::HasFatalFailure()) return;
      }
    });
  }
}

// Keys lie at both ends of what may be read, some short and some of the length in question.
TEST(HashKeys, ReadNothingBesideAKey) {
  GuardedPages pages(1);
  ASSERT_TRUE(pages.ok());
  const char* const begin = reinterpret_cast<const char*>(pages.begin());
  const char* const end = reinterpret_cast<const char*>(pages.end());
  Random random(8);
  std::generate(pages.begin(), pages.end(), [&] { return static_cast<uint8_t>(random()); });
  OnEveryTarget([&](const char*) {
    for (size_t length = 0; length <= 300; ++length) {
      Views keys;
      for (size_t i = 0; i < 80; ++i) {
        const size_t size = i % 3 == 0 ? length : 1 + random.Below(16);
        keys.emplace_back(i % 2 == 0 ? end - size : begin, size);
      }
      keys[7] = std::string_view();  // a null pointer
      ExpectHashesOf(keys.data(), keys.size(), 9, 0);
      ExpectHashesOf(keys.data(), 40, 9, 40);
      if (testing::Test::HasFatalFailure()) return;
    }
  });
}

TEST(HashKeys, OfIntegersAreThoseOfEachOne) {
  const std::vector<uint64_t> keys = RandomHashes(300, 10);
  OnEveryTarget([&](const char*) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{77}, ~uint64_t{0}}) {
      for (size_t n = 0; n + 1 <= keys.size(); n += n < 40 ? 1 : 17) {
        std::vector<uint64_t> hashes(keys.begin() + 1, keys.begin() + 1 + static_cast<ptrdiff_t>(n));
        hashes.push_back(5);
        ASSERT_TRUE(OfSeed(seed).OfKeys(hashes.data(), n, hashes.data())) << "into their own array";
        for (size_t i = 0; i < n; ++i) ASSERT_EQ(hashes[i], HashKey(keys[i + 1], seed)) << i << " of " << n;
        ASSERT_EQ(hashes[n], 5u);
      }
    }
  });
}

// The hashes of InGroups, group after group; *hashed is what it returns.
template <class T>
std::vector<uint64_t> InGroups(const KeyHash& key_hash, const std::vector<T>& keys, bool* hashed) {
  std::vector<uint64_t> all;
  *hashed = key_hash.InGroups(keys.data(), keys.size(), [&](const uint64_t* hashes, size_t begin, size_t size) {
    EXPECT_EQ(begin, all.size());
    all.insert(all.end(), hashes, hashes + size);
  });
  return all;
}

TEST(KeyHash, HashesArraysOfAnyKeysInGroups) {
  constexpr size_t kKeys = 1000;
  std::vector<std::string> strings;
  std::vector<uint64_t> integers;
  std::vector<int32_t> narrow;
  for (size_t i = 0; i < kKeys; ++i) {
    strings.push_back(std::to_string(i * i * i));
    integers.push_back(MixHash(i));
    narrow.push_back(-static_cast<int32_t>(i));
  }
  const Views views(strings.begin(), strings.end());
  std::vector<const char*> pointers;
  for (const std::string& string : strings) pointers.push_back(string.c_str());
  KeyHash keyed = {HashId::kKeyed, 0, HashSecret()};
  keyed.secret.bytes[3] = 7;
  for (const KeyHash& key_hash :
       {OfSeed(3), keyed, KeyHash{HashId::kCaller, 0, HashSecret()}, KeyHash{HashId::kParquet, 0, HashSecret()}}) {
    const auto expect = [&](const auto& keys) {
      std::vector<uint64_t> expected(key_hash.hashes_keys() ? keys.size() : 0);
      for (size_t i = 0; i < expected.size(); ++i) ASSERT_TRUE(key_hash.Of(keys[i], &expected[i]));
      bool hashed = false;
      EXPECT_EQ(InGroups(key_hash, keys, &hashed), expected);
      EXPECT_EQ(hashed, key_hash.hashes_keys());
    };
    expect(strings);
    expect(views);
    expect(pointers);
    expect(integers);
    expect(narrow);
    uint64_t untouched = 9;
    if (!key_hash.hashes_keys()) {
      EXPECT_FALSE(key_hash.OfKeys(views.data(), 1, &untouched));
    }
    EXPECT_EQ(untouched, 9u);
  }
}

}  // namespace
}  // namespace linefilter::test
