// A block of the layout `quotient` as one number of 512 bits, in what registers the target has for it: one of AVX-512,
// two of AVX2, or eight words. Changes shift parts of it (insert-inl.h, remove-inl.h, shorten-inl.h).

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_LINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LINE_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LINE_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_LINE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "lib/base/endian.h"

// Highway 1.0.3 has no shift of a whole vector by a variable number of bits, so these are the instructions themselves.
#undef LINEFILTER_LINE_REGISTERS
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
#define LINEFILTER_LINE_REGISTERS 1
#elif HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2
#define LINEFILTER_LINE_REGISTERS 2
#else
#define LINEFILTER_LINE_REGISTERS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// For each kind:
// - From(bit): 1 in all bits from that one on, 0 <= bit <= 512.
// - BitsAt(bits, at): up to 64 bits in their place.
// - Up(line, n), Down(line, n): shifts by n < 64 bits.
// - WithHead(words, line): puts four words to the beginning, where the line has 0 or bits to be kept.
#if LINEFILTER_LINE_REGISTERS == 1

using Line = __m512i;
HWY_INLINE Line LoadLine(const uint8_t* block) { return _mm512_loadu_si512(block); }
HWY_INLINE void StoreLine(Line line, uint8_t* block) { _mm512_storeu_si512(block, line); }
HWY_INLINE Line And(Line a, Line b) { return _mm512_and_si512(a, b); }
HWY_INLINE Line AndNot(Line a, Line b) { return _mm512_andnot_si512(a, b); }  // b without a
HWY_INLINE Line Or(Line a, Line b) { return _mm512_or_si512(a, b); }
HWY_INLINE Line WordBegins() { return _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448); }
HWY_INLINE Line From(uint32_t bit) {
  const Line behind = _mm512_sub_epi64(_mm512_set1_epi64(static_cast<int64_t>(bit)), WordBegins());
  return _mm512_sllv_epi64(_mm512_set1_epi64(-1), _mm512_max_epi64(behind, _mm512_setzero_si512()));
}
HWY_INLINE Line BitsAt(uint64_t bits, uint32_t at) {
  const Line up = _mm512_sub_epi64(_mm512_set1_epi64(static_cast<int64_t>(at)), WordBegins());
  const Line down = _mm512_sub_epi64(WordBegins(), _mm512_set1_epi64(static_cast<int64_t>(at)));
  const Line all = _mm512_set1_epi64(static_cast<int64_t>(bits));
  return Or(_mm512_sllv_epi64(all, up), _mm512_srlv_epi64(all, down));  // a count of 64 and more makes 0
}
HWY_INLINE Line Up(Line line, uint32_t n) {
  const Line lower = _mm512_alignr_epi64(line, _mm512_setzero_si512(), 7);
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(n)), rest = _mm_cvtsi32_si128(static_cast<int>(64 - n));
  return Or(_mm512_sll_epi64(line, by), _mm512_srl_epi64(lower, rest));
}
HWY_INLINE Line Down(Line line, uint32_t n) {
  const Line higher = _mm512_alignr_epi64(_mm512_setzero_si512(), line, 1);
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(n)), rest = _mm_cvtsi32_si128(static_cast<int>(64 - n));
  return Or(_mm512_srl_epi64(line, by), _mm512_sll_epi64(higher, rest));
}
HWY_INLINE Line WithHead(uint64_t a, uint64_t b, uint64_t c, uint64_t d, Line line) {
  return Or(line, _mm512_zextsi256_si512(_mm256_set_epi64x(static_cast<int64_t>(d), static_cast<int64_t>(c),
                                                           static_cast<int64_t>(b), static_cast<int64_t>(a))));
}

#elif LINEFILTER_LINE_REGISTERS == 2

struct Line {
  __m256i low, high;
};
HWY_INLINE Line LoadLine(const uint8_t* block) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32))};
}
HWY_INLINE void StoreLine(Line line, uint8_t* block) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(block), line.low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(block + 32), line.high);
}
HWY_INLINE Line And(Line a, Line b) { return {_mm256_and_si256(a.low, b.low), _mm256_and_si256(a.high, b.high)}; }
HWY_INLINE Line AndNot(Line a, Line b) {
  return {_mm256_andnot_si256(a.low, b.low), _mm256_andnot_si256(a.high, b.high)};
}
HWY_INLINE Line Or(Line a, Line b) { return {_mm256_or_si256(a.low, b.low), _mm256_or_si256(a.high, b.high)}; }
HWY_INLINE Line WordBegins() { return {_mm256_setr_epi64x(0, 64, 128, 192), _mm256_setr_epi64x(256, 320, 384, 448)}; }
HWY_INLINE Line From(uint32_t bit) {
  const __m256i at = _mm256_set1_epi64x(static_cast<int64_t>(bit)), ones = _mm256_set1_epi64x(-1);
  const Line begins = WordBegins();  // the low halves of lanes are enough for a count
  const __m256i zero = _mm256_setzero_si256();
  return {_mm256_sllv_epi64(ones, _mm256_max_epi32(_mm256_sub_epi32(at, begins.low), zero)),
          _mm256_sllv_epi64(ones, _mm256_max_epi32(_mm256_sub_epi32(at, begins.high), zero))};
}
HWY_INLINE Line BitsAt(uint64_t bits, uint32_t at) {
  const __m256i to = _mm256_set1_epi64x(static_cast<int64_t>(at)), all = _mm256_set1_epi64x(static_cast<int64_t>(bits));
  const Line begins = WordBegins();
  return {_mm256_or_si256(_mm256_sllv_epi64(all, _mm256_sub_epi64(to, begins.low)),
                          _mm256_srlv_epi64(all, _mm256_sub_epi64(begins.low, to))),
          _mm256_or_si256(_mm256_sllv_epi64(all, _mm256_sub_epi64(to, begins.high)),
                          _mm256_srlv_epi64(all, _mm256_sub_epi64(begins.high, to)))};
}
HWY_INLINE Line Up(Line line, uint32_t n) {
  const __m256i low = _mm256_permute4x64_epi64(line.low, 0x93), high = _mm256_permute4x64_epi64(line.high, 0x93);
  const __m256i below_low = _mm256_blend_epi32(low, _mm256_setzero_si256(), 3);
  const __m256i below_high = _mm256_blend_epi32(high, low, 3);
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(n)), rest = _mm_cvtsi32_si128(static_cast<int>(64 - n));
  return {_mm256_or_si256(_mm256_sll_epi64(line.low, by), _mm256_srl_epi64(below_low, rest)),
          _mm256_or_si256(_mm256_sll_epi64(line.high, by), _mm256_srl_epi64(below_high, rest))};
}
HWY_INLINE Line Down(Line line, uint32_t n) {
  const __m256i low = _mm256_permute4x64_epi64(line.low, 0x39), high = _mm256_permute4x64_epi64(line.high, 0x39);
  const __m256i above_low = _mm256_blend_epi32(low, high, 0xc0);
  const __m256i above_high = _mm256_blend_epi32(high, _mm256_setzero_si256(), 0xc0);
  const __m128i by = _mm_cvtsi32_si128(static_cast<int>(n)), rest = _mm_cvtsi32_si128(static_cast<int>(64 - n));
  return {_mm256_or_si256(_mm256_srl_epi64(line.low, by), _mm256_sll_epi64(above_low, rest)),
          _mm256_or_si256(_mm256_srl_epi64(line.high, by), _mm256_sll_epi64(above_high, rest))};
}
HWY_INLINE Line WithHead(uint64_t a, uint64_t b, uint64_t c, uint64_t d, Line line) {
  const __m256i head = _mm256_set_epi64x(static_cast<int64_t>(d), static_cast<int64_t>(c), static_cast<int64_t>(b),
                                         static_cast<int64_t>(a));
  return {_mm256_or_si256(line.low, head), line.high};
}

#else

struct Line {
  uint64_t words[8];
};
HWY_INLINE Line LoadLine(const uint8_t* block) {
  Line line;
  for (size_t i = 0; i < 8; ++i) line.words[i] = internal::LoadLE64(block + 8 * i);
  return line;
}
HWY_INLINE void StoreLine(const Line& line, uint8_t* block) {
  for (size_t i = 0; i < 8; ++i) internal::StoreLE64(line.words[i], block + 8 * i);
}
HWY_INLINE Line And(Line a, const Line& b) {
  for (size_t i = 0; i < 8; ++i) a.words[i] &= b.words[i];
  return a;
}
HWY_INLINE Line AndNot(const Line& a, Line b) {
  for (size_t i = 0; i < 8; ++i) b.words[i] &= ~a.words[i];
  return b;
}
HWY_INLINE Line Or(Line a, const Line& b) {
  for (size_t i = 0; i < 8; ++i) a.words[i] |= b.words[i];
  return a;
}
HWY_INLINE Line From(uint32_t bit) {
  Line line;
  const size_t word = bit / 64;
  for (size_t i = 0; i < 8; ++i) line.words[i] = i < word ? 0 : ~uint64_t{0};
  if (word < 8) line.words[word] <<= bit % 64;
  return line;
}
HWY_INLINE Line BitsAt(uint64_t bits, uint32_t at) {
  Line line{};
  const size_t word = at / 64;
  if (word < 8) line.words[word] = bits << at % 64;
  if (word < 7) line.words[word + 1] = bits >> 1 >> (63 - at % 64);
  return line;
}
HWY_INLINE Line Up(const Line& line, uint32_t n) {
  Line up;
  up.words[0] = line.words[0] << n;
  for (size_t i = 1; i < 8; ++i) up.words[i] = line.words[i] << n | line.words[i - 1] >> 1 >> (63 - n);
  return up;
}
HWY_INLINE Line Down(const Line& line, uint32_t n) {
  Line down;
  for (size_t i = 0; i < 7; ++i) down.words[i] = line.words[i] >> n | line.words[i + 1] << 1 << (63 - n);
  down.words[7] = line.words[7] >> n;
  return down;
}
HWY_INLINE Line WithHead(uint64_t a, uint64_t b, uint64_t c, uint64_t d, Line line) {
  const uint64_t head[4] = {a, b, c, d};
  for (size_t i = 0; i < 4; ++i) line.words[i] |= head[i];
  return line;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_LINE_INL_H_
