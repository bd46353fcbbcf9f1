// This proves that no two of a few hashes are equal. They go through a table of 32-bit marks that tell of a hash,
// without a branch that depends on one. A hash whose slot is taken is put aside and compared with the mark there. Those
// aside go through the table again, by other slots, until none is left: so equal hashes come to the same slot, or are
// put aside together.
//
// It takes 1.4 ns per hash from 100 on, 1.7 of 50, 2.0 of 20 (Zen 5, whose other thread works). Rejected:
// - open addresses, with branches: 1.7 to 2.0, and 4.6 of 4000, because no CPU predicts which slots are taken;
// - all hashes written first, then all looked at: 2.2;
// - a bitmap first: most sets of 300 have two hashes that share one of 32,768 bits;
// - to sort them: 16 ns of 50, 34 of 4096.
#ifndef LINEFILTER_LIB_BUILD_MARK_TABLE_H_
#define LINEFILTER_LIB_BUILD_MARK_TABLE_H_

#include <cstdint>
#include <cstring>

#include "lib/build/repeats.h"

namespace linefilter::internal {

// Poor hashes lie apart, too, when they are mixed.
inline uint64_t MixedOf(uint64_t hash) { return hash * 0x9e3779b97f4a7c15u; }

class MarkTable {
 public:
  // What may be put aside. More are poor hashes, or an adversary's: they are sorted.
  explicit MarkTable(uint64_t n) : room_(n / 2 + kAtOnce) { Clear(n); }

  // False if there is no room: too many were put aside.
  bool Add(const uint64_t* hashes, uint64_t n) {
    for (uint64_t i = 0; i < n; i += kAtOnce) {
      if (num_aside_ + kAtOnce > room_) return false;
      AddFew(hashes + i, n - i < kAtOnce ? n - i : kAtOnce);
    }
    return true;
  }
  // False if there may be a repeat among all that were added.
  bool AreDistinct() {
    constexpr int kMostRounds = 16;
    for (int round = 0; round < kMostRounds; ++round) {
      const uint64_t n = num_aside_;
      if (n == 0) return true;
      for (uint64_t i = 0; i < n; ++i) {
        if (slots_[aside_[i] >> shift_] == MarkOf(aside_[i])) return false;
      }
      Clear(n);
      if (!Add(aside_, n)) return false;
    }
    return false;
  }

 private:
  static constexpr uint32_t kMostBits = 13;
  static constexpr uint64_t kAtOnce = 64;

  static uint32_t MarkOf(uint64_t mixed) { return static_cast<uint32_t>(mixed) | 1; }

  // 4 to 8 slots per hash, 2 to 4 above 2048.
  void Clear(uint64_t n) {
    uint32_t bits = 3;
    while (bits < kMostBits && uint64_t{1} << bits < 4 * n) ++bits;
    shift_ = 64 - bits;
    memset(slots_, 0, sizeof(*slots_) << bits);
    num_aside_ = 0;
  }

  // `hashes` may be those that are aside: no more are written than were read.
  void AddFew(const uint64_t* hashes, uint64_t n) {
    const uint32_t shift = shift_;
    uint64_t* aside = aside_ + num_aside_;
    for (uint64_t i = 0; i < n; ++i) {
      const uint64_t mixed = MixedOf(hashes[i]);
      uint32_t* const slot = &slots_[mixed >> shift];
      const uint32_t there = *slot, is_free = there == 0;
      *slot = there | (MarkOf(mixed) & (0 - is_free));  // no compiler makes a branch of this
      *aside = mixed;                                   // which the next round mixes again
      aside += 1 - is_free;
    }
    num_aside_ = static_cast<uint64_t>(aside - aside_);
  }

  uint32_t shift_ = 0;
  uint64_t num_aside_ = 0;
  const uint64_t room_;
  uint32_t slots_[1 << kMostBits];
  uint64_t aside_[kCountedExactly / 2 + kAtOnce];
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_MARK_TABLE_H_
