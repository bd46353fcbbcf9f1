// The answers of a batch go into one byte each, one bit each, or a count. A kernel calls Put for keys 0, 1, 2, ..., or
// PutGroup for eight or more at once (key i is a multiple of 8, as is `size`).
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_ANSWERS_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_ANSWERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linefilter::internal {

struct AnswersToBytes {
  uint8_t* out;
  inline __attribute__((always_inline)) void Put(size_t i, bool answer) { out[i] = answer; }
  inline __attribute__((always_inline)) void PutGroup(size_t i, uint64_t answers, size_t size) {
    for (size_t j = 0; j < size; j += 8, answers >>= 8) {
      // Bit b of 7 goes to bit 8 b, in the copy that is shifted by 7 b.
      uint64_t bytes = ((answers & 127) * 0x0002040810204081u & 0x0101010101010101u) | (answers & 128) << 49;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
      bytes = __builtin_bswap64(bytes);
#endif
      memcpy(out + i + j, &bytes, sizeof(bytes));  // g++ 12 makes 30 instructions of two StoreLE64
    }
  }
};

struct AnswersToBits {
  uint8_t* out;
  unsigned byte = 0;
  inline __attribute__((always_inline)) void Put(size_t i, bool answer) {
    byte |= static_cast<unsigned>(answer) << (i & 7);
    if ((i & 7) == 7) {
      out[i >> 3] = static_cast<uint8_t>(byte);
      byte = 0;
    }
  }
  inline __attribute__((always_inline)) void PutGroup(size_t i, uint64_t answers, size_t size) {
    for (size_t j = 0; j < size; j += 8) out[(i + j) >> 3] = static_cast<uint8_t>(answers >> j);
  }
  // Writes the last, incomplete byte of n answers.
  void Flush(size_t n) {
    if ((n & 7) != 0) out[n >> 3] = static_cast<uint8_t>(byte);
  }
};

struct AnswersToNobody {
  inline __attribute__((always_inline)) void Put(size_t, bool) {}
};

struct AnswersToCount {
  uint64_t count = 0;
  inline __attribute__((always_inline)) void Put(size_t, bool answer) { count += answer; }
  inline __attribute__((always_inline)) void PutGroup(size_t, uint64_t answers, size_t) {
    count += static_cast<uint64_t>(__builtin_popcountll(answers));
  }
};

struct AnswersToBytesAndCount {
  uint8_t* out;
  uint64_t count = 0;
  inline __attribute__((always_inline)) void Put(size_t i, bool answer) {
    out[i] = answer;
    count += answer;
  }
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_ANSWERS_H_
