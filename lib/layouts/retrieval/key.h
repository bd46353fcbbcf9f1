// A key asks this of a block of the layout `retrieval` (doc/FORMAT.md section 8), in the terms of building it.
#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_KEY_H_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_KEY_H_

#include <cstdint>

#include "linefilter/internal/retrieval_tables.h"

namespace linefilter::internal {

inline constexpr uint32_t kMostHeader = 248;  // T: a key has at most 31 constraints

// A key has constraint n if (T + u) / 8 > n: u says how early in its eighth.
inline uint32_t EighthOf(uint32_t g) { return static_cast<uint32_t>((g * kFingerprintMultiplier) >> 29) & 7; }

// This exchanges bits a < b of the numbers of 32 bits: those whose number has a but not b change places with those 2^b
// - 2^a above.
constexpr uint32_t IndexBitsToSwap(int a, int b) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 32; ++i) bits |= ((i >> a & 1) & ~(i >> b & 1)) << i;
  return bits;
}
inline uint32_t SwapIndexBits(uint32_t x, int a, int b) {
  const int distance = (1 << b) - (1 << a);
  const uint32_t t = ((x >> distance) ^ x) & IndexBitsToSwap(a, b);
  return x ^ t ^ (t << distance);
}

// Makes the fingerprint; its bit n is the value that constraint n demands, bit z(n) of f.
inline uint32_t ConstraintValues(uint32_t g) {
  const uint32_t f = static_cast<uint32_t>((g * kFingerprintMultiplier) >> 32);
  return SwapIndexBits(SwapIndexBits(SwapIndexBits(f, 0, 4), 0, 2), 1, 3);
}

// Bit n of the result is the sum of bits m of x over all m whose binary digits include those of n, within groups of
// 2^digits numbers. It is its own inverse.
inline uint32_t SumOverSupersets(uint32_t x, int digits) {
  if (digits > 0) x ^= (x >> 1) & 0x55555555;
  if (digits > 1) x ^= (x >> 2) & 0x33333333;
  if (digits > 2) x ^= (x >> 4) & 0x0f0f0f0f;
  if (digits > 3) x ^= (x >> 8) & 0x00ff00ff;
  if (digits > 4) x ^= x >> 16;
  return x;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_KEY_H_
