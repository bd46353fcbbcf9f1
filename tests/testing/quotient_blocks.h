// What tests of layout `quotient` are made of (doc/FORMAT.md section 12): hashes that give a wanted q, sets of q of
// many kinds and loads, and blocks that no writer makes. Only the reference makes blocks here.
#ifndef LINEFILTER_TESTS_TESTING_QUOTIENT_BLOCKS_H_
#define LINEFILTER_TESTS_TESTING_QUOTIENT_BLOCKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/reference/reference.h"
#include "tests/testing/random.h"

namespace linefilter::test {

inline constexpr uint32_t kBucketStep = 1u << 26;  // q of the next bucket

// A hash in that block of num_blocks, whose in-block hash gives q.
inline uint64_t HashOfQuotient(uint32_t q, uint64_t block, uint64_t num_blocks, Random* random) {
  // 0x0E8B2F51 * 0x9E3779B1 = 1 modulo 2^32
  const uint32_t x = q * 0x0E8B2F51u;
  const uint64_t first = ((block << 32) + num_blocks - 1) / num_blocks, end = ((block + 1) << 32) / num_blocks;
  const uint64_t high = first + random->Below(end - first);
  return high << 32 | (high ^ x);
}

// How the q of a block are chosen. All but the first are what an adversary could send.
enum class Quotients { kRandom, kOneBucket, kEqual, kLowestBits, kFewBuckets, kEnds, kTwoKinds };
inline constexpr int kNumKindsOfQuotients = 7;

inline std::vector<uint32_t> ChooseQuotients(Quotients kind, size_t n, Random* random) {
  const auto any = [&] { return static_cast<uint32_t>((*random)()); };
  const uint32_t base = any(), buckets = any() % 8 + 1;
  std::vector<uint32_t> chosen;
  while (chosen.size() < n) {
    const uint32_t q = any();
    switch (kind) {
      case Quotients::kOneBucket:
        chosen.push_back(base / kBucketStep * kBucketStep + q % kBucketStep);
        break;
      case Quotients::kEqual:
        chosen.push_back(base + q % 3 * 12345);
        break;
      case Quotients::kLowestBits:  // they differ below the remainders of a full block
        chosen.push_back((base & ~0xffffu) + q % 0x10000);
        break;
      case Quotients::kFewBuckets:
        chosen.push_back(q % buckets * kBucketStep + q / 64);
        break;
      case Quotients::kEnds:  // remainders of zeros or ones, in the first and last buckets
        chosen.push_back((q & 1 ? 0u : 0xfc000000u) + (q & 2 ? 0u : 0x03ffffffu) - (q & 4 ? q >> 30 : 0));
        break;
      case Quotients::kTwoKinds:
        chosen.push_back(chosen.size() % 2 == 0 ? q : base / kBucketStep * kBucketStep + q % 1000);
        break;
      default:
        chosen.push_back(q);
    }
  }
  return chosen;
}

// From none to more than a multiset can hold; seldom thousands.
inline size_t ChooseLoad(Random* random) {
  const uint64_t kind = random->Below(100);
  if (kind < 20) return random->Below(14);
  if (kind < 75) return 15 + random->Below(80);
  if (kind < 95) return 90 + random->Below(200);
  return kind < 99 ? 280 + random->Below(200) : random->Below(5001);
}

inline std::vector<uint32_t> ChooseQuotients(Random* random) {
  const uint64_t kind = random->Below(2 * kNumKindsOfQuotients);  // half of them are random
  const auto chosen = static_cast<Quotients>(kind < kNumKindsOfQuotients ? kind : 0);
  return ChooseQuotients(chosen, ChooseLoad(random), random);
}

// 64 bytes, and how they are changed by bit numbers.
struct Block {
  uint8_t bytes[64] = {};

  bool Bit(size_t i) const { return (bytes[i / 8] >> (i % 8) & 1) != 0; }
  void Set(size_t first, size_t count, uint64_t value) {
    for (size_t i = first; i < first + count; ++i, value >>= 1) {
      const uint8_t bit = static_cast<uint8_t>(1u << (i % 8));
      bytes[i / 8] = static_cast<uint8_t>((value & 1) != 0 ? bytes[i / 8] | bit : bytes[i / 8] & ~bit);
    }
  }
  uint32_t Get(int first, int count) const {
    uint32_t value = 0;
    for (int i = 0; i < count && first + i < 512; ++i) value |= uint32_t{Bit(static_cast<size_t>(first + i))} << i;
    return value;
  }
};

// Blocks of writers, of which hostile ones are made: it takes longer to make one than to break it.
inline std::vector<Block> SoundBlocks(size_t n, Random* random) {
  std::vector<Block> blocks(n);
  for (Block& block : blocks) {
    std::vector<uint64_t> hashes;
    for (const uint32_t q : ChooseQuotients(random)) hashes.push_back(HashOfQuotient(q, 0, 1, random));
    const bool is_set = random->Below(2) == 0;
    reference::QuotientBlock(hashes, is_set, block.bytes);
    for (size_t i = 0; !is_set && i + 1 < hashes.size() && random->Below(10) != 0; ++i) {
      reference::QuotientRemove(hashes[i], block.bytes);
    }
  }
  return blocks;
}

// A block that may contradict itself: random bits, or a sound block that was changed.
inline Block HostileBlock(const std::vector<Block>& sound, Random* random) {
  Block block = sound[random->Below(sound.size())];
  const auto random_bits = [&](size_t first, size_t count) {
    for (size_t at = first; at < first + count; at += 8) {
      block.Set(at, std::min<size_t>(8, first + count - at), (*random)());
    }
  };
  const uint64_t kind = random->Below(12);
  if (kind < 3) random_bits(0, 512);
  if (kind == 1 || kind == 2) block.Set(64, 13, random->Below(40) | random->Below(27) << 8);  // m and d that can be
  if (kind == 2) {
    for (size_t i = 77; i < 200; ++i) block.Set(i, 1, random->Below(3) == 0);
  }
  if (kind == 3) random_bits(64, 8);                         // m
  if (kind == 4) block.Set(64, 13, random->Below(8192));     // m and d
  if (kind == 5) random_bits(77, 1 + random->Below(435));    // where runs end
  if (kind == 6) random_bits(0, 64);                         // the buckets that have entries
  if (kind == 7) random_bits(150 + random->Below(300), 62);  // bits between the fields, entries out of order
  if (kind == 8) std::fill(block.bytes + 10 + random->Below(30), block.bytes + 64, uint8_t{0});
  if (kind == 9) std::fill(block.bytes + random->Below(30), block.bytes + 64, uint8_t{0xff});
  if (kind >= 10 || random->Below(4) == 0) {
    for (uint64_t flips = 1 + random->Below(8); flips != 0; --flips) {
      const size_t bit = random->Below(random->Below(2) == 0 ? 512 : 110);
      block.Set(bit, 1, !block.Bit(bit));
    }
  }
  return block;
}

// A q that tells most about a block: in a bucket that has entries, of whose remainder all bits or all but one are those
// of an entry, as far as that can be told.
inline uint32_t QuestionOf(const Block& block, Random* random) {
  uint32_t q = static_cast<uint32_t>((*random)());
  if (random->Below(5) == 0) return q;
  uint64_t bucket = random->Below(64);
  for (int tries = 0; tries < 8 && !block.Bit(bucket); ++tries) bucket = random->Below(64);
  q = static_cast<uint32_t>(bucket) * kBucketStep + q % kBucketStep;
  int runs = 0, begin = 0, end = 0;  // entries [begin, end), if the border of that number is there
  for (size_t b = 0; b < bucket; ++b) runs += block.Bit(b);
  for (int i = 1; i <= 435 && runs >= 0; ++i) {
    if (!block.Bit(static_cast<size_t>(76 + i))) continue;
    begin = end;
    end = i;
    --runs;
  }
  const int m = static_cast<int>(block.Get(64, 8)), w = 26 - static_cast<int>(block.Get(72, 5));
  if (runs >= 0 || w < 0) return q;
  const int bits = end <= m ? w + 1 : w,
            entry = end - 1 - static_cast<int>(random->Below(static_cast<uint64_t>(end - begin)));
  const int first = 512 - end * w - std::min(end, m) + (end - 1 - entry) * bits;
  if (first < 0 || bits < 1 || bits > 26) return q;
  uint32_t remainder = block.Get(first, bits);
  if (random->Below(3) == 0) remainder ^= 1u << random->Below(static_cast<uint64_t>(bits));
  return static_cast<uint32_t>(bucket) * kBucketStep + (remainder << (26 - bits)) + q % (1u << (26 - bits));
}

// Bodies of hostile blocks, some of which are sound nevertheless.
inline reference::Bytes HostileBody(const std::vector<Block>& sound, size_t num_blocks, Random* random) {
  reference::Bytes body(64 * num_blocks);
  for (size_t i = 0; i < num_blocks; ++i) memcpy(&body[64 * i], HostileBlock(sound, random).bytes, 64);
  return body;
}

// Hashes that lie all over a body; most are about an entry of their block.
inline std::vector<uint64_t> QuestionsOf(const reference::Bytes& body, size_t n, Random* random) {
  std::vector<uint64_t> hashes;
  const size_t num_blocks = body.size() / 64;
  while (hashes.size() < n) {
    const uint64_t at = random->Below(num_blocks);
    Block block;
    memcpy(block.bytes, &body[64 * at], 64);
    hashes.push_back(HashOfQuotient(QuestionOf(block, random), at, num_blocks, random));
  }
  return hashes;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_QUOTIENT_BLOCKS_H_
