// Where the answers of a batch go: one byte each, one bit each, or into a count. A kernel calls Put for keys
// 0, 1, 2, ...
#ifndef LINEFILTER_LIB_KERNELS_ANSWERS_H_
#define LINEFILTER_LIB_KERNELS_ANSWERS_H_

#include <cstddef>
#include <cstdint>

namespace linefilter::internal {

struct AnswersToBytes {
  uint8_t* out;
  inline __attribute__((always_inline)) void Put(size_t i, bool answer) { out[i] = answer; }
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
  // The last, incomplete byte of n answers.
  void Flush(size_t n) {
    if ((n & 7) != 0) out[n >> 3] = static_cast<uint8_t>(byte);
  }
};

struct AnswersToCount {
  uint64_t count = 0;
  inline __attribute__((always_inline)) void Put(size_t, bool answer) { count += answer; }
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

#endif  // LINEFILTER_LIB_KERNELS_ANSWERS_H_
