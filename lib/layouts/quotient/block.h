// One block of the layout `quotient` as a list of entries (doc/FORMAT.md section 12). It is the portable way, which all
// rare cases take: obvious before fast.
//
// Idea: an entry is held as a number of 32 bits: its bucket is the highest six, its remainder follows, and dropped bits
// are 0. So entries are ordered as numbers, and shortening clears lowest bits.
#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_BLOCK_H_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_BLOCK_H_

#include <cstdint>

#include "linefilter/internal/compiler.h"

namespace linefilter::internal {

inline constexpr uint32_t kBucketBits = 6, kBuckets = 64, kMostRemainderBits = 26;
// Where the fields begin, in bits: the buckets that have entries, m, d, the ends of the buckets' runs.
inline constexpr uint32_t kLongEntriesAt = 64, kDroppedAt = 72, kRunEndsAt = 77, kQuotientBlockBits = 512;
inline constexpr uint32_t kMostLength = kBuckets * kMostRemainderBits;
// The most entries, each of length 0.
inline constexpr uint32_t kMostEntries = kQuotientBlockBits - kRunEndsAt;

// By the bits of a remainder: the lowest bit of each one that fits 64 bits, from the lowest bit up.
struct LowestBits {
  uint64_t of[32];
};
constexpr LowestBits MakeLowestBits() {
  LowestBits bits{};
  for (uint32_t width = 1; width < 32; ++width) {
    for (uint32_t at = 0; at + width <= 64; at += width) bits.of[width] |= uint64_t{1} << at;
  }
  return bits;
}
alignas(64) inline constexpr LowestBits kLowestBits = MakeLowestBits();

// The q of an in-block hash.
LINEFILTER_INLINE uint32_t QuotientOf(uint32_t in_block_hash) { return in_block_hash * 0x9E3779B1u; }
LINEFILTER_INLINE uint32_t BucketOf(uint32_t q) { return q >> kMostRemainderBits; }
// The bits of a remainder in that bucket.
LINEFILTER_INLINE uint32_t WidthAt(uint32_t bucket, uint32_t length) {
  return length / kBuckets + (bucket < length % kBuckets ? 1 : 0);
}
LINEFILTER_INLINE uint32_t Shorten(uint32_t q, uint32_t length) {
  return q & ~uint32_t{0} << (kMostRemainderBits - WidthAt(BucketOf(q), length));
}
// The highest bits of the remainder, as a number; 27 are legal in a block that contradicts itself.
LINEFILTER_INLINE uint32_t RemainderOf(uint32_t q, uint32_t bits) {
  const uint64_t remainder = q & ((uint32_t{1} << kMostRemainderBits) - 1);
  return static_cast<uint32_t>(remainder << bits >> kMostRemainderBits);
}

// Tells whether a block answers "maybe" to q. It answers for every 64 bytes.
bool BlockMayContain(const uint8_t* block, uint32_t q);

// The entries of a sound block, in the order in which they lie in it.
struct BlockEntries {
  uint32_t size = 0;
  uint32_t length = kMostLength;
  bool is_saturated = false;
  uint32_t entries[kMostEntries];

  // Reads a block; one that is not sound is saturated.
  static BlockEntries Of(const uint8_t* block);
  void Write(uint8_t* block) const;

  // The place of an entry: in front of the first one of its bucket that is not smaller.
  uint32_t PlaceOf(uint32_t entry) const;
  bool HasAt(uint32_t place, uint32_t entry) const { return place < size && entries[place] == entry; }
};

// Writes 1 to kMostEntries entries in order, for which that length has room. Their bits beyond it are dropped.
void WriteEntries(const uint32_t* entries, uint32_t size, uint32_t length, uint8_t* block);

// Puts q into a block. True if its entry was not there.
bool InsertIntoBlock(uint32_t q, bool multiset, uint8_t* block);
// Takes q out of a block of a multiset; false if there is no such entry. One that is not sound stays, and answers.
bool RemoveFromBlock(uint32_t q, uint8_t* block);
// Makes the union of two blocks; `to` may be one of them.
void UniteBlocks(const uint8_t* one, const uint8_t* other, bool multiset, uint8_t* to);
// Makes the block of n quotients, which it sorts.
void MakeBlock(uint32_t* quotients, uint64_t n, bool multiset, uint8_t* block);
// The share of all in-block hashes to which it answers "maybe", exactly; 1 of a block that is not sound.
double FprOfBlock(const uint8_t* block, uint32_t* num_entries);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_BLOCK_H_
