// A cuckoo filter, written for this benchmark from the paper (Fan, Andersen, Kaminsky, Mitzenmacher, CoNEXT 2014). It
// is the peer of `quotient`: keys can be removed, and its rate does not drift however often they change.
//
// A key has a fingerprint of 10, 12 or 16 bits, and two buckets of four slots. Either bucket tells the other one by the
// fingerprint alone, so entries can move without their keys. 0 is an empty slot.
//
// The paper has a power of two of buckets, and xor gives the other bucket. Here there are as many as 95 % load needs:
// the other bucket is what is missing to a sum that the fingerprint tells, modulo the number of buckets. It costs a
// batch nothing on AVX-512 (0.71 against 0.65 ns in 24 KB), and no memory is wasted. A bucket is read by one load, and
// one expression tells whether a slot of it is a given number.
#ifndef LINEFILTER_BENCH_PEERS_CUCKOO_H_
#define LINEFILTER_BENCH_PEERS_CUCKOO_H_

#include <endian.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bench/memory.h"
#include "linefilter/internal/compiler.h"

namespace linefilter::bench {

inline constexpr int kCuckooSlots = 4;
inline constexpr double kCuckooLoad = 0.95;
// What groups of rows ask for, where a peer of so many bits per slot is to fill the body.
inline constexpr double kCuckoo12Bits = 12.64, kCuckoo16Bits = 16.85;
// A bucket of 6 bytes may lie across two lines, and its load of 8 bytes often does.
inline constexpr size_t kCuckooLoadBytes = 8;

// The buckets in memory, as lookups see them.
template <int kBits>
struct CuckooTable {
  static constexpr uint64_t kBucketBytes = kCuckooSlots * kBits / 8;
  static constexpr uint64_t kSlotMask = (uint64_t{1} << kBits) - 1;
  static constexpr uint64_t kBucketMask = ~uint64_t{0} >> (64 - kCuckooSlots * kBits);
  static constexpr uint64_t kLowBits = kBucketMask / kSlotMask;  // the lowest bit of each slot
  static constexpr uint64_t kHighBits = kLowBits << (kBits - 1);

  uint8_t* buckets = nullptr;
  uint64_t num_buckets = 0;  // below 2^32

  static LINEFILTER_INLINE uint64_t FingerprintOf(uint64_t hash) {
    const uint64_t fingerprint = hash & kSlotMask;
    return fingerprint + (fingerprint == 0);
  }
  LINEFILTER_INLINE uint64_t FirstOf(uint64_t hash) const { return (hash >> 32) * num_buckets >> 32; }
  LINEFILTER_INLINE uint64_t OtherOf(uint64_t bucket, uint64_t fingerprint) const {
    const uint64_t sum = uint64_t{static_cast<uint32_t>(fingerprint * kMultiplier)} * num_buckets >> 32;
    const uint64_t other = sum - bucket;
    return other + (num_buckets & (uint64_t{0} - (other >> 63)));
  }
  LINEFILTER_INLINE uint64_t LoadAt(uint64_t byte) const {
    uint64_t slots;
    memcpy(&slots, buckets + byte, sizeof(slots));
    return le64toh(slots);
  }
  LINEFILTER_INLINE uint64_t Load(uint64_t bucket) const { return LoadAt(kBucketBytes * bucket); }
  void Store(uint64_t bucket, uint64_t slots) const {
    slots = htole64(slots);
    memcpy(buckets + kBucketBytes * bucket, &slots, kBucketBytes);
  }

  // High bits of slots that are zero; it may have others above the lowest of these, and is 0 if no slot is zero.
  static LINEFILTER_INLINE uint64_t Zeros(uint64_t slots) { return (slots - kLowBits) & ~slots & kHighBits; }

  LINEFILTER_INLINE bool HasIn(uint64_t first, uint64_t second, uint64_t fingerprint) const {
    const uint64_t wanted = fingerprint * kLowBits;
    return (Zeros(Load(first) ^ wanted) | Zeros(Load(second) ^ wanted)) != 0;
  }
  LINEFILTER_INLINE bool MayContain(uint64_t hash) const {
    const uint64_t fingerprint = FingerprintOf(hash), first = FirstOf(hash);
    return HasIn(first, OtherOf(first, fingerprint), fingerprint);
  }
  LINEFILTER_INLINE void PrefetchAt(uint64_t byte, bool writes) const {
    const uint8_t* const begin = buckets + byte;
    writes ? __builtin_prefetch(begin, 1) : __builtin_prefetch(begin);
    // The line of its last byte, too. Without, a batch at 512 MB took 17.4 ns instead of 7.0.
    if (kBucketBytes != kCuckooLoadBytes) __builtin_prefetch(begin + kCuckooLoadBytes - 1);
  }

  LINEFILTER_INLINE void Prefetch(uint64_t bucket, bool writes) const { PrefetchAt(kBucketBytes * bucket, writes); }

  static constexpr uint32_t kMultiplier = 0x9E3779B1;
};

// The whole filter: its memory and its changes.
template <int kBits>
class Cuckoo {
 public:
  using Table = CuckooTable<kBits>;

  explicit Cuckoo(uint64_t num_keys);

  const Table& table() const { return table_; }
  uint64_t bytes() const { return Table::kBucketBytes * table_.num_buckets; }
  void Clear() { memset(memory_.data(), 0, memory_.size()); }

  // False if it is full; then nothing has changed.
  bool Insert(uint64_t hash);
  // An entry that has to move waits until its other bucket has come from memory. False if the filter is full; then it
  // has lost entries, and Clear is all that helps.
  bool InsertBatch(const uint64_t* hashes, size_t n);
  // False if the key is certainly no member.
  bool Remove(uint64_t hash);

 private:
  static constexpr int kMostMoves = 500;  // of the paper

  // Puts the fingerprint into an empty slot of the bucket, if it has one.
  LINEFILTER_INLINE bool PutInto(uint64_t bucket, uint64_t fingerprint);
  // Puts the fingerprint in place of what a slot holds, and returns that.
  LINEFILTER_INLINE uint64_t Exchange(uint64_t bucket, int slot, uint64_t fingerprint);
  uint64_t Random();

  HugeBuffer memory_;
  Table table_;
  uint64_t random_ = 88172645463325252;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_CUCKOO_H_
