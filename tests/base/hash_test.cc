// linefilter/hash.h: HashKey is XXH3 with a seed of ours, an integer is its 8 little-endian bytes, and what is made of
// a hash is balanced.
#include "linefilter/hash.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/testing/image_parts.h"
#include "tests/testing/keys_of_hashes.h"
#include "tests/testing/random.h"

#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#define LINEFILTER_TEST_HAS_XXHASH 1
#endif

namespace linefilter::test {
namespace {

// No byte pattern repeats within a stripe. (Recorded vectors: tests/conformance/xxh3.txt.)
std::string Input(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 151 + i / 7 + 29));
  return bytes;
}

constexpr uint64_t kSeeds[4] = {0, 1, 0x9e3779b97f4a7c15, ~uint64_t{0}};

#ifdef LINEFILTER_TEST_HAS_XXHASH
TEST(HashKey, IsXxh3OfTheInstalledXxhashWithOurSeed) {
  Random random(1);
  const std::string input = Input(3000);
  for (size_t size = 0; size <= input.size(); size += size < 300 ? 1 : 101) {
    for (const uint64_t seed : {kSeeds[0], kSeeds[1], kSeeds[2], kSeeds[3], kSeedOfKeys, random()}) {
      const std::string_view key = std::string_view(input).substr(0, size);
      ASSERT_EQ(HashKey(key, seed), XXH3_64bits_withSeed(key.data(), size, seed ^ kSeedOfKeys))
          << size << " bytes, seed " << seed;
    }
  }
}
#endif

TEST(HashKey, DoesNotDependOnTheAddress) {
  const std::string key = Input(100);
  for (size_t offset = 0; offset < 64; ++offset) {
    const std::string moved = std::string(offset, 'x') + key;
    ASSERT_EQ(HashKey(std::string_view(moved).substr(offset), 5), HashKey(key, 5)) << offset;
  }
}

TEST(HashKey, AnIntegerIsItsEightLittleEndianBytes) {
  Random random(2);
  for (int i = 0; i < 100000; ++i) {
    // Small values and small seeds too: their high bytes are zero.
    const uint64_t value = random() >> random.Below(64), seed = random() >> random.Below(64);
    std::string bytes;
    AppendLittleEndian(&bytes, value, 8);
    ASSERT_EQ(HashKey(value, seed), HashKey(bytes, seed)) << value << " seed " << seed;
    ASSERT_EQ(HashKey(value), HashKey(bytes, 0)) << value;
  }
}

TEST(HashKey, EveryIntegerTypeIsWidenedTo64Bits) {
  EXPECT_EQ(HashKey(int8_t{-1}, 7), HashKey(~uint64_t{0}, 7));
  EXPECT_EQ(HashKey(-1, 7), HashKey(~uint64_t{0}, 7));
  EXPECT_EQ(HashKey(std::numeric_limits<int64_t>::min(), 7), HashKey(uint64_t{1} << 63, 7));
  EXPECT_EQ(HashKey(uint8_t{255}), HashKey(uint64_t{255}));
  EXPECT_EQ(HashKey(uint16_t{65535}), HashKey(uint64_t{65535}));
  EXPECT_EQ(HashKey(42), HashKey(uint64_t{42}));
  EXPECT_EQ(HashKey(42L), HashKey(uint64_t{42}));
  EXPECT_EQ(HashKey(42ULL), HashKey(uint64_t{42}));
}

TEST(HashKey, EveryKindOfStringIsItsBytes) {
  const std::string key = "alice@example.org";
  EXPECT_EQ(HashKey(key, 3), HashKey(std::string_view(key), 3));
  EXPECT_EQ(HashKey(key.c_str(), 3), HashKey(key, 3));
  EXPECT_EQ(HashKey("alice@example.org", 3), HashKey(key, 3));
  EXPECT_EQ(HashKey(std::string_view()), HashKey("")) << "a view without an address is the empty key";
  EXPECT_NE(HashKey(std::string_view("a\0b", 3)), HashKey("a")) << "NUL is a byte like others";
  EXPECT_NE(HashKey(std::string_view("a\0", 2)), HashKey("a"));
}

TEST(HashKey, AnEnumIsItsInteger) {
  enum Plain { kMinusOne = -1, kOne = 1 };
  enum class Id : uint64_t { kLarge = uint64_t{1} << 63 };
  EXPECT_EQ(HashKey(kMinusOne, 7), HashKey(~uint64_t{0}, 7));
  EXPECT_EQ(HashKey(kOne), HashKey(uint64_t{1}));
  EXPECT_EQ(HashKey(Id::kLarge), HashKey(uint64_t{1} << 63));
}

TEST(HashKey, ARangeOfBytesIsItsBytes) {
  const std::string key("a\0b\xff", 4);
  const std::vector<uint8_t> bytes(key.begin(), key.end());
  uint8_t buffer[4];
  std::array<std::byte, 4> array;
  for (size_t i = 0; i < 4; ++i) array[i] = std::byte{buffer[i] = bytes[i]};
  EXPECT_EQ(HashKey(bytes, 3), HashKey(key, 3));
  EXPECT_EQ(HashKey(buffer, 3), HashKey(key, 3)) << "all of the array, unlike one of char";
  EXPECT_EQ(HashKey(array, 3), HashKey(key, 3));
  EXPECT_EQ(HashKey(std::vector<std::byte>(), 3), HashKey("", 3));
  EXPECT_NE(HashKey(uint8_t{1}), HashKey(std::vector<uint8_t>{1})) << "a number is 8 bytes";
}

TEST(HashKey, AnArrayOfCharEndsAtItsFirstZeroByte) {
  const char padded[8] = "ab";
  const char full[3] = {'a', 'b', 'c'};
  const char* const pointer = padded;
  struct {
    char text[4];
    char next;
  } const row = {{'a', 'b', 'c', 'd'}, 'e'};
  EXPECT_EQ(HashKey(padded), HashKey(std::string_view("ab")));
  EXPECT_EQ(HashKey(pointer), HashKey(padded));
  EXPECT_EQ(HashKey("ab\0c"), HashKey(std::string_view("ab")));
  EXPECT_EQ(HashKey(full), HashKey(std::string_view("abc"))) << "without a zero byte it is the whole array";
  EXPECT_EQ(HashKey(row.text), HashKey(std::string_view("abcd")));
}

struct Row {
  uint64_t id : 40;
  int32_t delta : 4;
  static const uint64_t kConstant = 5;  // not defined anywhere
};

TEST(HashKey, TakesBitFieldsAndConstantsWithoutAnAddress) {
  const Row row = {1234567, -1};
  Row variable = row;
  EXPECT_EQ(HashKey(row.id), HashKey(1234567));
  EXPECT_EQ(HashKey(variable.id), HashKey(1234567));
  EXPECT_EQ(HashKey(variable.delta), HashKey(-1));
  EXPECT_EQ(HashKey(Row::kConstant), HashKey(5));
  EXPECT_EQ(HashKey({5}), HashKey(5));
}

// Whoever wants the bytes gets the same as are hashed.
TEST(Key, TellsItsBytes) {
  char word[8];
  EXPECT_EQ(Key(0x0102030405060708).bytes_or_word(word), std::string_view("\x08\x07\x06\x05\x04\x03\x02\x01"));
  EXPECT_EQ(Key(-1).bytes_or_word(word), std::string(8, '\xff'));
  EXPECT_EQ(Key("text").bytes_or_word(word), "text");
  EXPECT_TRUE(Key(1).is_number());
  EXPECT_FALSE(Key("1").is_number());
  EXPECT_EQ(Key(int8_t{-1}).number(), ~uint64_t{0});
  EXPECT_EQ(Key(std::string("a\0b", 3)).bytes().size(), 3u);
}

TEST(MulHigh, IsTheHighHalfOfTheProduct) {
  EXPECT_EQ(MulHigh(~uint64_t{0}, ~uint64_t{0}), ~uint64_t{0} - 1);
  EXPECT_EQ(MulHigh(uint64_t{1} << 63, 6), 3u);
  Random random(3);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t a = random() >> random.Below(64), b = random() >> random.Below(64);
    uint64_t high = 0, carry_in = 0;  // bit by bit: shift a copy of `a` through the 128-bit sum
    for (int bit = 0; bit < 64; ++bit) {
      if ((b >> bit & 1) == 0) continue;
      const uint64_t low = carry_in + (a << bit);
      high += (bit == 0 ? 0 : a >> (64 - bit)) + (low < carry_in);
      carry_in = low;
    }
    ASSERT_EQ(MulHigh(a, b), high) << a << " * " << b;
  }
}

// The inverse of SplitMix64's finalizer, step by step: who has an inverse is a bijection.
uint64_t UnshiftXor(uint64_t y, int shift) {
  uint64_t x = y;
  for (int known = shift; known < 64; known += shift) x = y ^ (x >> shift);
  return x;
}
uint64_t InverseOf(uint64_t odd) {
  uint64_t inverse = odd;  // right in 3 bits, and each Newton step doubles them
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}
uint64_t UnmixHash(uint64_t y) {
  y = UnshiftXor(y, 31) * InverseOf(0x94d049bb133111eb);
  y = UnshiftXor(y, 27) * InverseOf(0xbf58476d1ce4e5b9);
  return UnshiftXor(y, 30) - 0x9e3779b97f4a7c15;
}

// Its first two outputs from the state 0, as SplitMix64 is published. Hashes that it made are in images.
TEST(MixHash, NeverChanges) {
  EXPECT_EQ(MixHash(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(MixHash(0x9e3779b97f4a7c15), 0x6e789e6aa1b965f4u);
}

TEST(MixHash, IsABijection) {
  Random random(4);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t hash = random() >> random.Below(64);
    ASSERT_EQ(UnmixHash(MixHash(hash)), hash);
    ASSERT_EQ(MixHash(UnmixHash(hash)), hash);
  }
}

TEST(MixHash, EveryInputBitFlipsEveryOutputBitHalfOfTheTime) {
  constexpr int kSamples = 10000;
  for (uint64_t in = 0; in < 64; ++in) {
    Random random(5 + in);
    int flips[64] = {};
    for (int i = 0; i < kSamples; ++i) {
      const uint64_t hash = random();
      const uint64_t changed = MixHash(hash) ^ MixHash(hash ^ (uint64_t{1} << in));
      for (int out = 0; out < 64; ++out) flips[out] += static_cast<int>(changed >> out & 1);
    }
    // Standard deviation 50; 7 of them: 4096 cells give a false alarm with less than 1e-8. Inputs are fixed anyway.
    for (int out = 0; out < 64; ++out) EXPECT_NEAR(flips[out], kSamples / 2, 350) << "bit " << in << " to bit " << out;
  }
}

// A bound on a chi-square variable that is exceeded with a chance below 1e-9 (Laurent and Massart 2000, lemma 1).
double ChiSquareLimit(double degrees) {
  const double x = std::log(1e9);
  return degrees + 2 * std::sqrt(degrees * x) + 2 * x;
}

double ChiSquare(const std::vector<uint64_t>& counts) {
  double total = 0, sum = 0;
  for (const uint64_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  for (const uint64_t count : counts)
    sum += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected);
  return sum / expected;
}

// Shards lie in as many images, which belong together by these numbers.
TEST(ShardOf, NeverChanges) {
  EXPECT_EQ(ShardOf(0, 1000), 728u);
  EXPECT_EQ(ShardOf(1, 1000), 756u);
  EXPECT_EQ(ShardOf(0xffffffffffffffff, 1000), 36u);
  EXPECT_EQ(ShardOf(0x9e3779b97f4a7c15, 4), 0u);
  EXPECT_EQ(ShardOf(2, 4), 0u);
  EXPECT_EQ(ShardOf(12345, 0xffffffff), 790602422u);
}

TEST(ShardOf, StaysInRange) {
  Random random(6);
  for (const uint32_t num_shards : {1u, 2u, 3u, 1000u, 0x80000000u, 0xffffffffu}) {
    for (int i = 0; i < 1000; ++i) ASSERT_LT(ShardOf(random(), num_shards), num_shards);
    ASSERT_LT(ShardOf(0, num_shards), num_shards);
    ASSERT_LT(ShardOf(~uint64_t{0}, num_shards), num_shards);
  }
}

// Sequential integer keys, good hashes; and the same numbers as (very poor) hashes. Chance of a false alarm: 1e-9 each.
TEST(ShardOf, IsBalanced) {
  for (const uint32_t num_shards : {2u, 7u, 16u, 1000u}) {
    std::vector<uint64_t> of_keys(num_shards), of_identity(num_shards);
    for (uint64_t key = 0; key < 1000000; ++key) {
      ++of_keys[ShardOf(HashKey(key), num_shards)];
      ++of_identity[ShardOf(key, num_shards)];
    }
    EXPECT_LT(ChiSquare(of_keys), ChiSquareLimit(num_shards - 1)) << num_shards;
    EXPECT_LT(ChiSquare(of_identity), ChiSquareLimit(num_shards - 1)) << num_shards;
  }
}

// The trap that ShardOf answers: sharding by the top bits of the hash, which also choose the block.
TEST(ShardOf, LeavesTheBlocksOfAShardEvenlyLoaded) {
  constexpr uint64_t kBlocks = 500;
  constexpr uint32_t kShards = 16;
  std::vector<uint64_t> load(kBlocks), load_of_top_bits(kBlocks);
  for (uint64_t key = 0; key < 1600000; ++key) {
    const uint64_t hash = HashKey(key);
    if (ShardOf(hash, kShards) == 3) ++load[BlockIndex(hash, kBlocks)];
    if (hash >> 60 == 3) ++load_of_top_bits[BlockIndex(hash, kBlocks)];
  }
  EXPECT_LT(ChiSquare(load), ChiSquareLimit(kBlocks - 1));
  EXPECT_GT(ChiSquare(load_of_top_bits), 100 * ChiSquareLimit(kBlocks - 1)) << "this test can tell the difference";
}

TEST(BlockIndex, StaysInRangeAndIsMonotone) {
  for (const uint64_t num_blocks : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{1000003}, uint64_t{1} << 32}) {
    EXPECT_EQ(BlockIndex(0, num_blocks), 0u);
    EXPECT_EQ(BlockIndex(~uint64_t{0}, num_blocks), num_blocks - 1);
    uint64_t last = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
      const uint64_t block = BlockIndex(~uint64_t{0} / 1000 * i, num_blocks);
      ASSERT_GE(block, last);
      ASSERT_LT(block, num_blocks);
      last = block;
    }
  }
}

TEST(BlockIndex, LoadsBlocksEvenly) {
  std::vector<uint64_t> load(1000);
  for (uint64_t key = 0; key < 1000000; ++key) ++load[BlockIndex(HashKey(key), load.size())];
  EXPECT_LT(ChiSquare(load), ChiSquareLimit(999));
}

TEST(HashIdName, NamesEveryId) {
  EXPECT_STREQ(HashIdName(HashId::kCaller), "caller");
  EXPECT_STREQ(HashIdName(HashId::kXxh3), "xxh3");
  EXPECT_STREQ(HashIdName(HashId::kKeyed), "keyed");
  EXPECT_STREQ(HashIdName(HashId::kParquet), "parquet");
  EXPECT_STREQ(HashIdName(static_cast<HashId>(15)), "unknown");
}

}  // namespace
}  // namespace linefilter::test
