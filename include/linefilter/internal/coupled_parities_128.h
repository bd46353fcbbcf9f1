// Two kinds of CPU have vectors of 128 bits and instructions that suit the parities of the layout `retrieval`, which
// Highway does not offer: x86 by the SSE2 that every compiler has, and AArch64. It is a part of test_solved_block.h.
//
// Each 16-bit lane of the block, ANDed with that of A, becomes a byte, or half of one. Coupling is linear: it is done
// before a byte becomes a parity. A key of a batch at 1 MB takes 4.6 ns on SCALAR of x86-64, by 64-bit words 9.1 (Zen
// 5). On NEON a lookup has 70 instructions; Highway's vectors need 100 there, and 64-bit words 132.

#ifndef LINEFILTER_TEST_BLOCK_ONCE_
// It chooses the target before Highway is read, and includes this file again.
#include "linefilter/internal/test_block.h"
// It is included once per target, like test_block.h.
#elif defined(LINEFILTER_INTERNAL_COUPLED_PARITIES_128_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INTERNAL_COUPLED_PARITIES_128_H_
#undef LINEFILTER_INTERNAL_COUPLED_PARITIES_128_H_
#else
#define LINEFILTER_INTERNAL_COUPLED_PARITIES_128_H_
#endif

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/retrieval_tables.h"
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Plain 64-bit words serve where there are no vectors, or where their byte order is not that of an image. Every
// compiler has SSE2 on x86-64, which Highway has no target for before 1.0.4. Its own SSE2 of 1.4 took 100 ns in a
// batch, for it has no lookup of bytes.
#undef LINEFILTER_PLAIN_PARITIES
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || (HWY_ARCH_X86 && HWY_TARGET > HWY_SSSE3) || \
    (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define LINEFILTER_PLAIN_PARITIES 1
#else
#define LINEFILTER_PLAIN_PARITIES 0
#endif

// AArch64 adds pairs of bytes in one instruction, but has none that makes a mask of lanes: no table and no group of
// keys is worth it there. (Scalable vectors have the code of the other targets.)
#undef LINEFILTER_NEON_PARITIES
#if HWY_ARCH_ARM_A64 && !HWY_HAVE_SCALABLE && !LINEFILTER_PLAIN_PARITIES
#define LINEFILTER_NEON_PARITIES 1
#else
#define LINEFILTER_NEON_PARITIES 0
#endif

// What a batch gains by groups of keys is the table and the masks of others.
#undef LINEFILTER_KEY_BY_KEY
#define LINEFILTER_KEY_BY_KEY (LINEFILTER_PLAIN_PARITIES || LINEFILTER_NEON_PARITIES)
#undef LINEFILTER_PARITIES_128
#if LINEFILTER_NEON_PARITIES || (LINEFILTER_PLAIN_PARITIES && HWY_ARCH_X86 && defined(__SSE2__))
#define LINEFILTER_PARITIES_128 1
#else
#define LINEFILTER_PARITIES_128 0
#endif

#if LINEFILTER_PARITIES_128
HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

using internal::Coupled;

#if HWY_ARCH_X86

// Words l and l + 1 of the block, ANDed with those of A; the key's g is the low half of each half of gs.
HWY_INLINE __m128i MaskedWords(__m128i words, __m128i gs, size_t l) {
  const auto* const multipliers = reinterpret_cast<const __m128i*>(internal::kRowMultipliers + l);
  return _mm_and_si128(words, _mm_mul_epu32(gs, _mm_load_si128(multipliers)));
}
HWY_INLINE __m128i LoadTwoWords(const uint8_t* block, size_t l) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 8 * l));
}
// Bit 63 of each word.
HWY_INLINE uint32_t SignsOfTwo(__m128i words) {
  return static_cast<uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(words)));
}
// Folds the 16-bit lanes of two vectors to the bytes of one.
HWY_INLINE __m128i FoldLanes(__m128i low, __m128i high) {
  const __m128i byte = _mm_set1_epi16(0xff);
  low = _mm_and_si128(_mm_xor_si128(low, _mm_srli_epi16(low, 8)), byte);
  high = _mm_and_si128(_mm_xor_si128(high, _mm_srli_epi16(high, 8)), byte);
  return _mm_packus_epi16(low, high);
}

HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  const __m128i gs = _mm_shuffle_epi32(_mm_cvtsi32_si128(static_cast<int>(g)), 0);
  const __m128i words0 = LoadTwoWords(block, 0), words2 = LoadTwoWords(block, 2);
  const __m128i words4 = LoadTwoWords(block, 4), words6 = LoadTwoWords(block, 6);
  const uint32_t level =
      SignsOfTwo(words0) + 4 * SignsOfTwo(words2) + 16 * SignsOfTwo(words4) + 64 * SignsOfTwo(words6);
  // Byte i is parity i of `low`, and i + 16 of `high`. All steps are linear, so both are coupled before they are
  // parities.
  __m128i low = FoldLanes(MaskedWords(words0, gs, 0), MaskedWords(words2, gs, 2));
  __m128i high = FoldLanes(MaskedWords(words4, gs, 4), MaskedWords(words6, gs, 6));
  low = _mm_xor_si128(low, high);
  const __m128i nibble = _mm_set1_epi8(15);
  low = _mm_and_si128(_mm_xor_si128(low, _mm_srli_epi16(low, 4)), nibble);
  high = _mm_andnot_si128(nibble, _mm_xor_si128(high, _mm_slli_epi16(high, 4)));
  __m128i v = _mm_or_si128(low, high);
  v = _mm_xor_si128(v, _mm_srli_si128(v, 8));
  v = _mm_xor_si128(v, _mm_srli_epi64(v, 32));
  v = _mm_xor_si128(v, _mm_srli_epi32(v, 16));
  v = _mm_xor_si128(v, _mm_srli_epi16(v, 8));
  // Bits 3 and 7 of each byte become the parities of its halves; what comes from a byte below stays below them.
  v = _mm_xor_si128(v, _mm_slli_epi16(v, 2));
  v = _mm_xor_si128(v, _mm_slli_epi16(v, 1));
  const uint32_t y_high = static_cast<uint32_t>(_mm_movemask_epi8(v));
  const uint32_t y_low = static_cast<uint32_t>(_mm_movemask_epi8(_mm_slli_epi16(v, 4)));
  return {y_high << 16 | y_low, level};
}

#else

// How many bits of each byte of two words are set, ANDed with their products.
HWY_INLINE uint8x16_t MaskedCounts(uint64x2_t words, uint64x2_t products) {
  return vcntq_u8(vreinterpretq_u8_u64(vandq_u64(words, products)));
}
// Bit 0 of byte i is the parity of lane i of the four words.
HWY_INLINE uint8x16_t ParitiesOfFour(uint64x2_t words0, uint64x2_t words2, uint32x4_t gs, size_t l) {
  const uint32x4_t multipliers = vld1q_u32(internal::kShortRowMultipliers + l);
  return vpaddq_u8(MaskedCounts(words0, vmull_u32(vget_low_u32(gs), vget_low_u32(multipliers))),
                   MaskedCounts(words2, vmull_high_u32(gs, multipliers)));
}
HWY_INLINE uint64x2_t LoadTwoWords(const uint8_t* block, size_t l) {
  return vreinterpretq_u64_u8(vld1q_u8(block + 8 * l));
}
// The upper halves of the lanes of a, then of b.
HWY_INLINE uint16x8_t UpperSixteenths(uint64x2_t a, uint64x2_t b, uint64x2_t c, uint64x2_t d) {
  const uint32x4_t ab = vuzp2q_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
  const uint32x4_t cd = vuzp2q_u32(vreinterpretq_u32_u64(c), vreinterpretq_u32_u64(d));
  return vuzp2q_u16(vreinterpretq_u16_u32(ab), vreinterpretq_u16_u32(cd));
}

HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  const uint32x4_t gs = vdupq_n_u32(g);
  const uint64x2_t words0 = LoadTwoWords(block, 0), words2 = LoadTwoWords(block, 2);
  const uint64x2_t words4 = LoadTwoWords(block, 4), words6 = LoadTwoWords(block, 6);
  // Bit 0 of byte i is parity i in `low`, and i + 16 in `high`. Then bits 0 and 4 of v are the two, coupled.
  uint8x16_t low = ParitiesOfFour(words0, words2, gs, 0);
  const uint8x16_t high = ParitiesOfFour(words4, words6, gs, 4);
  low = veorq_u8(low, high);
  uint8x16_t v = vsliq_n_u8(low, high, 4);
  v = veorq_u8(v, vextq_u8(v, vdupq_n_u8(0), 8));
  v = veorq_u8(v, vreinterpretq_u8_u64(vshrq_n_u64(vreinterpretq_u64_u8(v), 32)));
  v = veorq_u8(v, vreinterpretq_u8_u32(vshrq_n_u32(vreinterpretq_u32_u8(v), 16)));
  v = veorq_u8(v, vreinterpretq_u8_u16(vshrq_n_u16(vreinterpretq_u16_u8(v), 8)));
  // Each bit goes to its place in a byte. Sums of eight bytes are those of y, and the level behind them.
  const int8x16_t places = vreinterpretq_s8_u64(vdupq_n_u64(0x0706050403020100));
  const uint8x16_t one = vdupq_n_u8(1);
  const uint8x16_t y_low = vshlq_u8(vandq_u8(v, one), places);
  const uint8x16_t y_high = vshlq_u8(vandq_u8(vshrq_n_u8(v, 4), one), places);
  const uint8x8_t tops = vshrn_n_u16(UpperSixteenths(words0, words2, words4, words6), 8);
  const uint8x8_t level = vshl_u8(vshr_n_u8(tops, 7), vget_low_s8(places));
  const uint8x8_t level_sums = vpadd_u8(level, level);
  uint8x16_t sums = vpaddq_u8(vpaddq_u8(y_low, y_high), vcombine_u8(level_sums, level_sums));
  sums = vpaddq_u8(sums, sums);
  const uint64_t both = vgetq_lane_u64(vreinterpretq_u64_u8(sums), 0);
  return {static_cast<uint32_t>(both), static_cast<uint32_t>(both >> 32 & 0xff)};
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();
#endif

#endif  // LINEFILTER_INTERNAL_COUPLED_PARITIES_128_H_
