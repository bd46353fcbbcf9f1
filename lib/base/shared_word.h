// Several threads read and change words by relaxed atomics, because only bits that were set matter, never their order.
#ifndef LINEFILTER_LIB_BASE_SHARED_WORD_H_
#define LINEFILTER_LIB_BASE_SHARED_WORD_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linefilter::internal {

inline constexpr size_t kWordBytes = 8;

// Bodies are bytes; a word of them is in memory order, whatever the CPU's. `at` is a multiple of 8. The type says so,
// because a uint64_t of a 32-bit CPU may be less aligned than its atomic instructions need.
typedef uint64_t __attribute__((may_alias, aligned(8))) SharedWord;

// UBSan looks at no atomic access, but at the alignment that is assumed.
inline __attribute__((always_inline)) uint64_t LoadSharedWord(const uint8_t* at) {
  const void* const aligned = __builtin_assume_aligned(at, sizeof(SharedWord));
  return __atomic_load_n(static_cast<const SharedWord*>(aligned), __ATOMIC_RELAXED);
}

// A part of a word, 4 bytes in memory order: each of its bits is as new as a load of the word would have it.
typedef uint32_t __attribute__((may_alias, aligned(4))) SharedHalf;
inline __attribute__((always_inline)) uint32_t LoadSharedHalf(const uint8_t* at) {
  const void* const aligned = __builtin_assume_aligned(at, sizeof(SharedHalf));
  return __atomic_load_n(static_cast<const SharedHalf*>(aligned), __ATOMIC_RELAXED);
}

// Copies whole words, each as it is at some moment.
inline void CopyShared(const uint8_t* from, uint64_t size, uint8_t* to) {
  for (uint64_t i = 0; i < size; i += kWordBytes) {
    const uint64_t word = LoadSharedWord(from + i);
    memcpy(to + i, &word, sizeof(word));
  }
}

// The old value is not asked for: x86-64 then has one `lock or`, Arm (LSE) one `stset`, both wait-free.
inline __attribute__((always_inline)) void OrIntoSharedWord(uint8_t* at, uint64_t bits) {
  void* const aligned = __builtin_assume_aligned(at, sizeof(SharedWord));
  __atomic_fetch_or(static_cast<SharedWord*>(aligned), bits, __ATOMIC_RELAXED);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_SHARED_WORD_H_
