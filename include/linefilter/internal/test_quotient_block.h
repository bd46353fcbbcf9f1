// The core of the layout `quotient` (doc/FORMAT.md section 12) tells what one 64-byte block answers for one key. The
// kernels of the library and linefilter/inline.h include it, as test_block.h, whose rules hold here, too.
//
// Idea: the entries of a bucket, its run, lie side by side. One load of 64 bits has them all, and one subtraction
// compares them all. The bits that end the runs tell where they lie: the run of a bucket has the number of buckets with
// entries below it. No branch depends on the answer. What this does not know is rare, and asked for elsewhere: runs
// that reach behind entry 59 or have more than 57 bits, blocks without remainders, and blocks that no writer makes.

// It is included once per target.
#if defined(LINEFILTER_INTERNAL_TEST_QUOTIENT_BLOCK_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INTERNAL_TEST_QUOTIENT_BLOCK_H_
#undef LINEFILTER_INTERNAL_TEST_QUOTIENT_BLOCK_H_
#else
#define LINEFILTER_INTERNAL_TEST_QUOTIENT_BLOCK_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "linefilter/internal/test_block.h"

#ifndef LINEFILTER_TEST_QUOTIENT_BLOCK_ONCE_
#define LINEFILTER_TEST_QUOTIENT_BLOCK_ONCE_
namespace linefilter::internal {

inline constexpr uint32_t kQuotientMultiplier = 0x9E3779B1;
// The remainder of 26 bits below the bucket of a q, and one bit more: long entries of d = 0 have that.
inline constexpr uint32_t kTwiceRemainder = 0x07FFFFFE;

// The most bits of an entry: those of a long one of d = 0.
inline constexpr uint32_t kMostEntryBits = 27;

// By how many bits an entry has less than that: the lowest and the highest bit of each entry of a word, which begin at
// its highest bit.
struct RemainderEnds {
  uint64_t lowest[33], highest[33];
};
constexpr RemainderEnds MakeRemainderEnds() {
  RemainderEnds ends{};
  for (uint32_t lost = 0; lost < kMostEntryBits; ++lost) {
    const uint32_t width = kMostEntryBits - lost;
    for (uint32_t above = 0; above + width <= 64; above += width) {
      ends.lowest[lost] |= uint64_t{1} << (64 - above - width);
      ends.highest[lost] |= uint64_t{1} << (63 - above);
    }
  }
  return ends;
}
alignas(64) inline constexpr RemainderEnds kRemainderEnds = MakeRemainderEnds();

}  // namespace linefilter::internal
#endif  // LINEFILTER_TEST_QUOTIENT_BLOCK_ONCE_

// PDEP finds a run in four instructions (Zen 5: 5.6 in place of 11 ns per key). Zen 1 and 2 have it in microcode, where
// it takes some hundred cycles. A file that is compiled for them does without; the library does not tell them apart.
#undef LINEFILTER_FINDS_RUN_BY_PDEP
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_BMI2_FMA) && !defined(__znver1__) && \
    !defined(__znver2__)
#define LINEFILTER_FINDS_RUN_BY_PDEP 1
#else
#define LINEFILTER_FINDS_RUN_BY_PDEP 0
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

HWY_INLINE uint64_t LoadLittleEndianWord(const uint8_t* from) {
  uint64_t word;
  memcpy(&word, from, sizeof(word));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

inline constexpr uint64_t kOnePerByte = 0x0101010101010101u;

// Byte i tells how many bits are set in bytes 0 ... i.
HWY_INLINE uint64_t CountBitsUpToBytes(uint64_t word) {
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  return ((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * kOnePerByte;
}

HWY_INLINE uint32_t CountBitsOfWord(uint64_t word) {
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4) || defined(__POPCNT__) || HWY_ARCH_ARM_A64
  return static_cast<uint32_t>(__builtin_popcountll(word));
#else
  return static_cast<uint32_t>(CountBitsUpToBytes(word) >> 56);  // the compiler would call a function
#endif
}

// Entries `begin` ... `end` - 1 are those of a bucket.
struct QuotientRun {
  size_t begin, end;
  size_t is_missing;  // 1: there is no such run
};

// Finds the run of that number. Bit i of `begins` says that entry i is the first of its run, or comes after all.
#if LINEFILTER_FINDS_RUN_BY_PDEP
HWY_INLINE QuotientRun FindQuotientRun(uint64_t begins, uint32_t number) {
  const uint64_t both = _pdep_u64(uint64_t{3} << number, begins);
  const size_t end = static_cast<size_t>(_tzcnt_u64(_blsr_u64(both)));  // 64 if there is none
  return {static_cast<size_t>(_tzcnt_u64(both)), end, end >> 6};
}
#else
// How many bytes are at most `limit`, which is below 128, as they are.
HWY_INLINE uint32_t CountBytesUpTo(uint32_t limit, uint64_t bytes) {
  constexpr uint64_t kHighest = kOnePerByte << 7;
  const uint64_t are = (((limit * kOnePerByte | kHighest) - bytes) & kHighest) >> 7;
  return static_cast<uint32_t>(are * kOnePerByte >> 56);
}
// Looks for the byte with the begin, then for the bit in it.
HWY_INLINE QuotientRun FindQuotientRun(uint64_t begins, uint32_t number) {
  const uint64_t counts = CountBitsUpToBytes(begins);
  const uint32_t shift = (8 * CountBytesUpTo(number, counts)) & 63;
  const uint32_t before = static_cast<uint32_t>((counts << 8 >> shift) & 255);
  const uint64_t bits = ((begins >> shift) & 255) * kOnePerByte & 0x8040201008040201u;
  const uint64_t set = ((bits + 0x7F7F7F7F7F7F7F7Fu) >> 7) & kOnePerByte;  // byte i is bit i of that byte
  const uint32_t begin = shift + (CountBytesUpTo(number - before, set * kOnePerByte) & 7);
  const uint64_t later = begins >> begin >> 1 | uint64_t{1} << 63;
  const uint32_t end = begin + 1 + static_cast<uint32_t>(__builtin_ctzll(later));
  return {begin, end, number + 1 >= counts >> 56 ? 1u : 0u};
}
#endif

// The core of the layout `quotient`: is the remainder in the bucket? x is the in-block hash. Whatever the block is, no
// byte outside of it is read. ask_rare() answers in the rare cases.
template <class AskRare>
HWY_INLINE bool TestQuotientBlock(const uint8_t* block, uint32_t x, const AskRare& ask_rare) {
  const uint32_t q = x * internal::kQuotientMultiplier, bucket = q >> 26;
  const uint64_t buckets = LoadLittleEndianWord(block), header = LoadLittleEndianWord(block + 9);
  const size_t num_long = block[8], dropped = header & 31, is_there = buckets >> bucket & 1;
  const QuotientRun run = FindQuotientRun(header >> 4 | 1, CountBitsOfWord(buckets & ((uint64_t{1} << bucket) - 1)));

  // So many bits of the block lie above the run. They are known earlier than those below it, and its word stays in the
  // block without a minimum: 7.2 in place of 8.6 ns inlined on Zen 4, which waits for each step. With ?: g++ 12 makes a
  // branch of is_long, which takes 9 ns.
  const size_t is_long = run.end <= num_long ? 1 : 0;
  const size_t above = run.begin * (26 - dropped) + num_long + ((run.begin - num_long) & (0 - is_long));
  const size_t lost = dropped + 1 - is_long, bits = (run.end - run.begin) * (internal::kMostEntryBits - lost);
  if (HWY_UNLIKELY(above > 8 * 56 + 7)) return is_there != 0 && ask_rare();
  const uint64_t window = LoadLittleEndianWord(block + 56 - above / 8) << (above % 8);
  const uint64_t remainder = (q << 1 & internal::kTwiceRemainder) >> (lost & 31);

  // An entry of the run that differs is not zero. The lowest zero borrows from its highest bit.
  const uint64_t below = ~uint64_t{0} >> (bits & 63);
  const uint64_t ones = internal::kRemainderEnds.lowest[lost], highest = internal::kRemainderEnds.highest[lost];
  const uint64_t differs = window ^ remainder * ones;
  const uint64_t borrowed = (differs - (ones & ~below)) & ~differs & highest & ~below;

  const size_t is_rare = run.is_missing | static_cast<size_t>(bits - 1 > 56);
  if (HWY_UNLIKELY((is_there & is_rare) != 0)) return ask_rare();
  return (is_there & static_cast<size_t>(borrowed != 0)) != 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INTERNAL_TEST_QUOTIENT_BLOCK_H_
