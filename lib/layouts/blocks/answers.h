// The answers of a batch go into one byte each, one bit each, or a count. A kernel calls Put for keys 0, 1, 2, ...
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_ANSWERS_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_ANSWERS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/base/endian.h"

namespace linefilter::internal {

// So many answers are made as bytes before they become bits or a count. A byte holds their sum (SumOfBytes), and they
// are whole vectors.
inline constexpr size_t kAnswerGroup = 30 * 64;
static_assert(kAnswerGroup / 8 <= 255);

// Eight answers, each a byte, as bits: the lowest bit of byte i becomes bit 56 + i.
inline uint8_t BitsOfBytes(const uint8_t* answers) {
  return static_cast<uint8_t>(LoadLE64(answers) * 0x0102040810204080u >> 56);
}

// The sum of at most kAnswerGroup answers. They are read in words of eight, so zeros follow the last.
inline uint64_t SumOfBytes(const uint8_t* answers, size_t size) {
  constexpr uint64_t kEvenBytes = 0x00ff00ff00ff00ffu;
  uint64_t sums = 0;  // of the words' bytes 0, 1, ..., none of which overflows
  for (size_t i = 0; i < size; i += 8) {
    uint64_t word;
    memcpy(&word, answers + i, sizeof(word));
    sums += word;
  }
  return ((sums & kEvenBytes) + (sums >> 8 & kEvenBytes)) * 0x0001000100010001u >> 48;
}

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
};

// It counts the others: where a test sets the carry if all bits were set, that is one instruction in place of three.
// (Insertions into split blocks, 128 KB on Zen 5: 0.75 in place of 0.78 ns.)
struct FalseAnswersToCount {
  uint64_t count = 0;
  inline __attribute__((always_inline)) void Put(size_t, bool answer) { count += !answer; }
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
