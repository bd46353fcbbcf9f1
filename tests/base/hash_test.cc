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

// The input of the vectors below: no byte pattern repeats within a stripe.
std::string Input(size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 151 + i / 7 + 29));
  return bytes;
}

constexpr uint64_t kSeeds[4] = {0, 1, 0x9e3779b97f4a7c15, ~uint64_t{0}};

struct Vector {
  size_t size;
  uint64_t hashes[4];  // one per seed
};

// Computed by tests/conformance/linefilter_format.py, whose XXH3 gives what libxxhash 0.8.1 prints. Each length class
// of XXH3 has its ends here.
constexpr Vector kVectors[] = {
    {0, {0xf8c140fb0946647b, 0x8f931b9d9a1254a8, 0x69f5a05862f7f1f3, 0x0026b594c4b94450}},
    {1, {0x814d3e98b5686807, 0x4e73570edc38ae66, 0xc154de558bce0a1e, 0x80855763b2e974fb}},
    {3, {0x9ab8e84af4b1cbb7, 0x82983789fe275765, 0xcf25b932eca51b72, 0x659029bbe2d4539d}},
    {4, {0xea13ead6b3737cd3, 0x5ac81022d196a759, 0x156cc1f631df1302, 0x6d30803170e1a3e9}},
    {8, {0xb652047976ea00b8, 0x785a050acfa897e7, 0x0d9da4f97275ca81, 0x69b4d38c1062987a}},
    {9, {0x41e7811d79d6930a, 0x20f0625982541f22, 0x007587877cc5c940, 0xd5792136da5df16f}},
    {16, {0x29e2e30f31b05044, 0xb0d7290b5cb94f99, 0x74ae63f171925c78, 0x3805a9759c9f360d}},
    {17, {0x84a2528a7a7e049f, 0x51490217f8169cc0, 0x6dc000869a6b41a6, 0xd5280581da46a6e0}},
    {128, {0x7584380a3159d3db, 0x0f30851e02e13d77, 0x90a74ba8f5211fb8, 0x3ba1827d124dac32}},
    {129, {0xbbc17bf2389b5aaf, 0x248c8001601726b6, 0xc59efa9fef24d51f, 0x87e420f80a4ece5b}},
    {240, {0x01d355fb300e51e8, 0x8ebd8847cfc4ab63, 0x0241e6a71f0b0fcd, 0x778346cf26f08812}},
    {241, {0x2be031b3185a6731, 0x6e45a56d0ad1f26e, 0x9795f0b18a358a4c, 0xb6b272e55792a100}},
    {1025, {0x5a7108ab6dc7b900, 0x67804684be5cf3d6, 0xab08baefde7e933f, 0xf46835d1e52d48c7}},
};

TEST(HashKey, MatchesRecordedVectors) {
  for (const Vector& vector : kVectors) {
    for (int s = 0; s < 4; ++s) {
      EXPECT_EQ(HashKey(Input(vector.size), kSeeds[s]), vector.hashes[s])
          << vector.size << " bytes, seed " << kSeeds[s];
    }
  }
}

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
  EXPECT_STREQ(HashIdName(static_cast<HashId>(15)), "unknown");
}

}  // namespace
}  // namespace linefilter::test
