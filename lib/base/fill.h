// This tells how full a body of bits is.
#ifndef LINEFILTER_LIB_BASE_FILL_H_
#define LINEFILTER_LIB_BASE_FILL_H_

#include <cstdint>
#include <cstring>

#include "lib/base/shared_word.h"

namespace linefilter::internal {

// The number of one bits in `size` bytes.
inline uint64_t CountOnes(const uint8_t* body, uint64_t size) {
  uint64_t ones = 0, i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    memcpy(&word, body + i, 8);
    ones += static_cast<uint64_t>(__builtin_popcountll(word));
  }
  for (; i < size; ++i) ones += static_cast<uint64_t>(__builtin_popcount(body[i]));
  return ones;
}

// The share of one bits in `size` > 0 bytes.
inline double FillRatioOf(const uint8_t* body, uint64_t size) {
  return static_cast<double>(CountOnes(body, size)) / (8.0 * static_cast<double>(size));
}

// Does the same while others set bits: the body is whole words, aligned to them.
inline double SharedFillRatioOf(const uint8_t* body, uint64_t size) {
  uint64_t ones = 0;
  for (uint64_t i = 0; i < size; i += kWordBytes) {
    ones += static_cast<uint64_t>(__builtin_popcountll(LoadSharedWord(body + i)));
  }
  return static_cast<double>(ones) / (8.0 * static_cast<double>(size));
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_FILL_H_
