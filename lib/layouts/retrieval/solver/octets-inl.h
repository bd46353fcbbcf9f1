// Matrices of 8 x 8 bits, one in each lane: the retrieval solver takes eight rows of eight systems at once where the
// CPU multiplies such matrices (GFNI; there a vector has eight lanes).
//
// An octet is eight rows of each system, by bytes of columns: entry c has columns 8 c ... 8 c + 7, and byte t of lane b
// is that of row t of system b. One product of an entry and a matrix handles 8 rows x 8 pivots x 8 columns of eight
// systems, for which rows in words take 8 x 8 tests and masked sums of eight bytes.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_OCTETS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_OCTETS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_OCTETS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_OCTETS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/lanes-inl.h"
#include "linefilter/internal/test_block.h"
#include "linefilter/internal/test_solved_block.h"

#if LINEFILTER_GFNI

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// In each lane, bit b of byte i of the product is the parity of byte 7 - b of the matrix, ANDed with byte i of x. So
// where a byte of x has a bit per row of a matrix, bit 7 - t is for row t, and the identity is this:
inline constexpr uint64_t kIdentity = 0x0102040810204080;

HWY_INLINE lanes::Vec Times(lanes::Vec x, lanes::Vec matrix) { return lanes::Vec{TimesMatrix(x.raw, matrix.raw)}; }

// Makes byte 7 - i of bits 7 - t from byte t of bits i: rows become columns. It is its own inverse.
HWY_INLINE lanes::Vec Transposed(lanes::Vec matrix) { return Times(lanes::Set(kIdentity), matrix); }

// Tells which bytes are not zero: bit 8 b + t is byte t of lane b.
HWY_INLINE uint64_t NonzeroBytes(lanes::Vec v) { return _mm512_test_epi8_mask(v.raw, v.raw); }

// Exchanges byte c of each lane of v[t] and byte t of v[c]. Rejected: shuffles under masks, 24 for these 32 (12 cycles
// instead of 8 on Zen 5).
HWY_INLINE void TransposeBytes(lanes::Vec (&v)[8]) {
  __m512i lower[8], upper[8];  // of each two lanes
  LINEFILTER_UNROLL
  for (int i = 0; i < 4; ++i) {
    lower[i] = _mm512_unpacklo_epi8(v[2 * i].raw, v[2 * i + 1].raw);
    upper[i] = _mm512_unpackhi_epi8(v[2 * i].raw, v[2 * i + 1].raw);
  }
  const auto merge = [](__m512i(&x)[8]) HWY_ATTR {
    __m512i pairs[4];  // of bytes 0 ... 3 and 4 ... 7, of v[0] ... v[3] and v[4] ... v[7]
    pairs[0] = _mm512_unpacklo_epi16(x[0], x[1]);
    pairs[1] = _mm512_unpackhi_epi16(x[0], x[1]);
    pairs[2] = _mm512_unpacklo_epi16(x[2], x[3]);
    pairs[3] = _mm512_unpackhi_epi16(x[2], x[3]);
    x[0] = _mm512_unpacklo_epi32(pairs[0], pairs[2]);
    x[1] = _mm512_unpackhi_epi32(pairs[0], pairs[2]);
    x[2] = _mm512_unpacklo_epi32(pairs[1], pairs[3]);
    x[3] = _mm512_unpackhi_epi32(pairs[1], pairs[3]);
  };
  merge(lower);
  merge(upper);
  LINEFILTER_UNROLL
  for (int i = 0; i < 4; ++i) {
    v[2 * i].raw = _mm512_unpacklo_epi64(lower[i], upper[i]);
    v[2 * i + 1].raw = _mm512_unpackhi_epi64(lower[i], upper[i]);
  }
}

// Makes all bytes of each lane its byte c.
struct ByteNumbers {
  alignas(64) uint64_t of[8][8];
};
constexpr ByteNumbers MakeByteNumbers() {
  ByteNumbers numbers{};
  for (uint64_t c = 0; c < 8; ++c) {
    // A shuffle counts bytes in blocks of two lanes.
    for (uint64_t lane = 0; lane < 8; ++lane) numbers.of[c][lane] = (c + lane % 2 * 8) * 0x0101010101010101;
  }
  return numbers;
}
inline constexpr ByteNumbers kByteNumbers = MakeByteNumbers();
HWY_INLINE lanes::Vec RepeatByte(lanes::Vec v, size_t c) {
  return lanes::hn::TableLookupBytes(v, lanes::Load(kByteNumbers.of[c]));
}

// Exchanges lane b of v[u] and lane u of v[b].
HWY_INLINE void TransposeLanes(lanes::Vec (&v)[8]) {
  __m512i turns[2][4];  // lanes of even and odd numbers, of two vectors in turns
  LINEFILTER_UNROLL
  for (int i = 0; i < 4; ++i) {
    turns[0][i] = _mm512_unpacklo_epi64(v[2 * i].raw, v[2 * i + 1].raw);
    turns[1][i] = _mm512_unpackhi_epi64(v[2 * i].raw, v[2 * i + 1].raw);
  }
  LINEFILTER_UNROLL
  for (int i = 0; i < 2; ++i) {
    const __m512i a = _mm512_shuffle_i64x2(turns[i][0], turns[i][1], 0x88),
                  b = _mm512_shuffle_i64x2(turns[i][0], turns[i][1], 0xdd);
    const __m512i c = _mm512_shuffle_i64x2(turns[i][2], turns[i][3], 0x88),
                  d = _mm512_shuffle_i64x2(turns[i][2], turns[i][3], 0xdd);
    v[i].raw = _mm512_shuffle_i64x2(a, c, 0x88);
    v[i + 2].raw = _mm512_shuffle_i64x2(b, d, 0x88);
    v[i + 4].raw = _mm512_shuffle_i64x2(a, c, 0xdd);
    v[i + 6].raw = _mm512_shuffle_i64x2(b, d, 0xdd);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_GFNI

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_OCTETS_INL_H_
