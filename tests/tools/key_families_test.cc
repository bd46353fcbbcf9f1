// tools/measure/key_families.h: the keys are what they are called, all different, and no absent key is a member.
#include "tools/measure/key_families.h"

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/hash.h"

namespace linefilter {
namespace {

using tools::FindKeyFamily;
using tools::KeyFamilies;
using tools::KeyFamily;

std::string Make(const KeyFamily& family, uint64_t number, bool absent) {
  char key[tools::kMaxKeyBytes];
  return std::string(key, family.make(number, absent, key));
}

std::string Make(const char* family, uint64_t number, bool absent) {
  return Make(*FindKeyFamily(family), number, absent);
}

// Exactly, as a set of strings: the first numbers, the last ones, and some around powers of two between.
TEST(KeyFamilies, KeysAreDistinctAndMembersDisjointFromAbsentOnes) {
  std::set<std::string> names;
  for (const KeyFamily& family : KeyFamilies()) {
    names.insert(family.name);
    std::set<uint64_t> numbers;
    for (uint64_t i = 0; i < 100000; ++i) numbers.insert(i);
    for (uint64_t i = 1; i <= 1000; ++i) numbers.insert(family.max_keys - i);
    for (uint64_t power = 1 << 17; power != 0 && power < family.max_keys; power *= 2) {
      for (uint64_t i = 0; i < 100; ++i) numbers.insert(power - 50 + i);
    }
    std::unordered_set<std::string> keys;
    for (const uint64_t number : numbers) {
      for (const bool absent : {false, true}) {
        const std::string key = Make(family, number, absent);
        ASSERT_LE(key.size(), tools::kMaxKeyBytes);
        ASSERT_TRUE(keys.insert(key).second) << family.name << ": key " << number << " appears twice";
      }
    }
    EXPECT_EQ(keys.size(), 2 * numbers.size());
  }
  EXPECT_EQ(names, (std::set<std::string>{"sequential", "strided", "big_endian", "shared_prefix", "four_byte", "uuid",
                                          "url", "float", "hash"}));
}

TEST(KeyFamilies, AreWhatTheyAreCalled) {
  EXPECT_EQ(Make("sequential", 0x0102, false), std::string("\x02\x01\0\0\0\0\0\0", 8));
  EXPECT_EQ(Make("big_endian", 0x0102, false), std::string("\0\0\0\0\0\0\x01\x02", 8));
  EXPECT_EQ(Make("strided", 1, false), std::string("\0\x10\0\0\0\0\0\0", 8));
  EXPECT_EQ(Make("four_byte", 0x0102, true), std::string("\x02\x01\0\x80", 4));
  EXPECT_EQ(Make("float", 1, false), std::string("\0\0\0\0\0\0\xf0\x3f", 8)) << "1.0";
  const std::string first = Make("shared_prefix", 0, false), last = Make("shared_prefix", 1000000, true);
  EXPECT_EQ(first.size(), last.size());
  EXPECT_EQ(first.substr(0, 100), last.substr(0, 100));
  EXPECT_EQ(Make("url", 7, true).substr(0, 8), "https://");
  EXPECT_NE(Make("url", 7, true).find("/item/15?"), std::string::npos);
  for (const uint64_t number : {uint64_t{0}, uint64_t{123456789}}) {
    const std::string uuid = Make("uuid", number, false);
    ASSERT_EQ(uuid.size(), 36u);
    for (size_t i = 0; i < uuid.size(); ++i) {
      const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
      EXPECT_NE(std::string(dash ? "-" : "0123456789abcdef").find(uuid[i]), std::string::npos) << uuid;
    }
    EXPECT_EQ(uuid[14], '4') << "version";
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos) << "variant";
  }
}

TEST(KeyFamilies, HashesAreThoseOfTheKeys) {
  for (const KeyFamily& family : KeyFamilies()) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{42}}) {
      for (const bool absent : {false, true}) {
        std::vector<uint64_t> hashes(1000);
        MakeHashes(family, absent, 12345, hashes.size(), seed, hashes.data());
        std::unordered_set<uint64_t> distinct(hashes.begin(), hashes.end());
        EXPECT_EQ(distinct.size(), hashes.size()) << family.name;
        for (size_t i = 0; i < hashes.size(); ++i) {
          const std::string key = Make(family, 12345 + i, absent);
          if (!family.is_hash) {
            ASSERT_EQ(hashes[i], HashKey(std::string_view(key), seed)) << family.name;
          } else if (seed == 0) {
            uint64_t given = 0;
            for (size_t byte = 0; byte < 8; ++byte) given |= uint64_t{static_cast<uint8_t>(key[byte])} << (8 * byte);
            ASSERT_EQ(hashes[i], given);
          }
        }
      }
    }
  }
}

TEST(KeyFamilies, AreFoundByName) {
  for (const KeyFamily& family : KeyFamilies()) {
    EXPECT_EQ(FindKeyFamily(family.name), &family);
    EXPECT_GT(strlen(family.description), 10u);
  }
  EXPECT_EQ(FindKeyFamily("sequentia"), nullptr);
  EXPECT_EQ(FindKeyFamily(""), nullptr);
}

}  // namespace
}  // namespace linefilter
