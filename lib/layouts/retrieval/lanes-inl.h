// The GF(2) solver stands on eight lanes of 64 bits, as many at once as a vector of the target has. A column of eight
// 64-bit words in memory is worked on in steps of kLanes. Targets without vectors of a size known when compiling (SVE),
// SCALAR, and big-endian ones, whose vectors have the halves of a lane in the other order, take two words at a time:
// the compiler has vectors of 16 bytes on every CPU (SCALAR: 196 ns per key instead of 288 by single words). So does
// EMU128, which is what clang has for SCALAR: Highway's vectors are arrays in memory there (200 instead of 780 ns).
// Rejected: single words, with tables of the sums of four rows for units and half rows (SCALAR: 267 ns).

// It is included once per target, so it has no ordinary guard.
#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_ONCE_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_ONCE_
// This is a loop over vectors in registers: g++ keeps an array in registers only if the loop is gone early.
#if defined(__GNUC__) && !defined(__clang__)
#define LINEFILTER_UNROLL _Pragma("GCC unroll 16")
#else
#define LINEFILTER_UNROLL
#endif
#endif

// A function whose loop needs nearly all of 16 registers: where it is inlined, g++ 12 stores and loads some of them in
// each step (AVX2: 4 of 70 ns per key). With 32 registers the call costs more than it saves (AVX3: 1 of 39 ns).
#undef LINEFILTER_OWN_REGISTERS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define LINEFILTER_OWN_REGISTERS HWY_INLINE
#else
#define LINEFILTER_OWN_REGISTERS HWY_NOINLINE
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace lanes {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128 || HWY_HAVE_SCALABLE || \
    (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

using Vec = uint64_t __attribute__((vector_size(16)));
using Halves = uint32_t __attribute__((vector_size(16)));
using Mask = Vec;  // all bits of a lane or none
inline constexpr size_t kLanes = 2;
inline constexpr size_t kRegisters = 16;

HWY_INLINE Vec Load(const uint64_t* from) { return Vec{from[0], from[1]}; }
HWY_INLINE void Store(Vec v, uint64_t* to) {
  to[0] = v[0];
  to[1] = v[1];
}
HWY_INLINE Vec Zero() { return Vec{0, 0}; }
HWY_INLINE Vec Set(uint64_t x) { return Vec{x, x}; }
HWY_INLINE Vec And(Vec a, Vec b) { return a & b; }
HWY_INLINE Vec AndNot(Vec a, Vec b) { return ~a & b; }
HWY_INLINE Vec Or(Vec a, Vec b) { return a | b; }
HWY_INLINE Vec Xor(Vec a, Vec b) { return a ^ b; }
HWY_INLINE Vec Add(Vec a, Vec b) { return a + b; }
HWY_INLINE Vec Sub(Vec a, Vec b) { return a - b; }
template <int kBits>
HWY_INLINE Vec ShiftLeft(Vec v) {
  return v << kBits;
}
template <int kBits>
HWY_INLINE Vec ShiftRight(Vec v) {
  return v >> kBits;
}
HWY_INLINE Vec ShiftLeftSame(Vec v, int bits) { return v << bits; }
HWY_INLINE Vec ShiftRightSame(Vec v, int bits) { return v >> bits; }
// Shifts by each lane's own number; the result is 0 from 64 on.
HWY_INLINE Vec ShiftLeftBy(Vec v, Vec bits) {
  return Vec{bits[0] < 64 ? v[0] << bits[0] : 0, bits[1] < 64 ? v[1] << bits[1] : 0};
}
HWY_INLINE Vec ShiftRightBy(Vec v, Vec bits) {
  return Vec{bits[0] < 64 ? v[0] >> bits[0] : 0, bits[1] < 64 ? v[1] >> bits[1] : 0};
}
// Gives v & -v.
HWY_INLINE Vec LowestBit(Vec v) { return v & (0 - v); }
// The products of the low halves.
HWY_INLINE Vec MulLow32(Vec a, Vec b) {
  return Vec{(a[0] & 0xffffffff) * (b[0] & 0xffffffff), (a[1] & 0xffffffff) * (b[1] & 0xffffffff)};
}
HWY_INLINE Vec ZeroHalves(Vec v) { return reinterpret_cast<Vec>(reinterpret_cast<Halves>(v) == 0); }
// By halves, because g++ compares whole lanes one after another where a CPU lacks that.
HWY_INLINE Mask IsZero(Vec v) {
  const Halves zero = reinterpret_cast<Halves>(ZeroHalves(v));
#if defined(__clang__)
  return reinterpret_cast<Mask>(zero & __builtin_shufflevector(zero, zero, 1, 0, 3, 2));
#else
  return reinterpret_cast<Mask>(zero & __builtin_shuffle(zero, Halves{1, 0, 3, 2}));
#endif
}
// Tells where a & b != 0.
HWY_INLINE Mask Meets(Vec a, Vec b) { return ~IsZero(a & b); }
HWY_INLINE Mask IsOddParity(Vec v) {
  v ^= v >> 32;
  v ^= v >> 16;
  v ^= v >> 8;
  v ^= v >> 4;
  v ^= v >> 2;
  v ^= v >> 1;
  return 0 - (v & 1);
}
HWY_INLINE Mask IsLess(Vec a, Vec b) { return 0 - ((a - b) >> 63); }  // of values below 2^63
HWY_INLINE Mask AndMasks(Mask a, Mask b) { return a & b; }
HWY_INLINE Vec IfThenElse(Mask m, Vec yes, Vec no) { return (m & yes) | (~m & no); }
HWY_INLINE Vec IfThenElseZero(Mask m, Vec yes) { return m & yes; }
// A Hit tells where a & b != 0, for XorWhere, by the lanes that miss. It does the same for each half of a lane.
using Hit = Vec;
HWY_INLINE Hit HitWhereMeets(Vec a, Vec b) { return IsZero(a & b); }
HWY_INLINE Vec XorWhere(Hit hit, Vec v, Vec other) { return v ^ (~hit & other); }
using HalvesHit = Vec;
HWY_INLINE HalvesHit HitWhereHalvesMeet(Vec a, Vec b) { return ZeroHalves(a & b); }
HWY_INLINE Vec XorHalvesWhere(HalvesHit hit, Vec v, Vec other) { return XorWhere(hit, v, other); }
HWY_INLINE Vec OrIf(Mask m, Vec v, Vec other) { return v | (m & other); }
HWY_INLINE bool AllTrue(Mask m) { return (m[0] & m[1]) != 0; }

#else

using D = hn::CappedTag<uint64_t, 8>;
using Vec = hn::Vec<D>;
using Mask = hn::Mask<D>;
inline constexpr size_t kLanes = hn::MaxLanes(D());
inline constexpr size_t kRegisters = HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64 ? 32 : 16;

HWY_INLINE Vec Load(const uint64_t* from) { return hn::Load(D(), from); }
HWY_INLINE void Store(Vec v, uint64_t* to) { hn::Store(v, D(), to); }
HWY_INLINE Vec Zero() { return hn::Zero(D()); }
HWY_INLINE Vec Set(uint64_t x) { return hn::Set(D(), x); }
HWY_INLINE Vec And(Vec a, Vec b) { return hn::And(a, b); }
HWY_INLINE Vec AndNot(Vec a, Vec b) { return hn::AndNot(a, b); }
HWY_INLINE Vec Or(Vec a, Vec b) { return hn::Or(a, b); }
HWY_INLINE Vec Xor(Vec a, Vec b) { return hn::Xor(a, b); }
HWY_INLINE Vec Add(Vec a, Vec b) { return hn::Add(a, b); }
HWY_INLINE Vec Sub(Vec a, Vec b) { return hn::Sub(a, b); }
template <int kBits>
HWY_INLINE Vec ShiftLeft(Vec v) {
  return hn::ShiftLeft<kBits>(v);
}
template <int kBits>
HWY_INLINE Vec ShiftRight(Vec v) {
  return hn::ShiftRight<kBits>(v);
}
HWY_INLINE Vec ShiftLeftSame(Vec v, int bits) { return hn::ShiftLeftSame(v, bits); }
HWY_INLINE Vec ShiftRightSame(Vec v, int bits) { return hn::ShiftRightSame(v, bits); }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // the instructions make it 0 from 64 on
HWY_INLINE Vec ShiftLeftBy(Vec v, Vec bits) { return hn::Shl(v, bits); }
HWY_INLINE Vec ShiftRightBy(Vec v, Vec bits) { return hn::Shr(v, bits); }
#else
HWY_INLINE Vec ShiftLeftBy(Vec v, Vec bits) {
  const Vec too_far = hn::AndNot(Set(63), bits);
  return hn::IfThenElseZero(hn::Eq(too_far, Zero()), hn::Shl(v, hn::And(bits, Set(63))));
}
HWY_INLINE Vec ShiftRightBy(Vec v, Vec bits) {
  const Vec too_far = hn::AndNot(Set(63), bits);
  return hn::IfThenElseZero(hn::Eq(too_far, Zero()), hn::Shr(v, hn::And(bits, Set(63))));
}
#endif
HWY_INLINE Vec LowestBit(Vec v) { return hn::And(v, hn::Sub(Zero(), v)); }
HWY_INLINE Vec MulLow32(Vec a, Vec b) {
  const hn::Repartition<uint32_t, D> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b));
}
HWY_INLINE Mask IsZero(Vec v) { return hn::Eq(v, Zero()); }
HWY_INLINE Mask Meets(Vec a, Vec b) {
#if HWY_TARGET <= HWY_AVX3
  return hn::TestBit(a, b);  // one instruction, whatever b
#else
  return hn::Not(hn::Eq(hn::And(a, b), Zero()));
#endif
}
#if HWY_TARGET == HWY_AVX2
alignas(16) inline constexpr uint8_t kParities[16] = {0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0};
// Highway 1.0.3 counts bits in 17 instructions.
HWY_INLINE Mask IsOddParity(Vec v) {
  const __m256i nibbles = hn::And(hn::Xor(v, hn::ShiftRight<4>(v)), Set(0x0f0f0f0f0f0f0f0f)).raw;
  const __m256i table = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kParities)));
  const Vec sum{_mm256_sad_epu8(_mm256_shuffle_epi8(table, nibbles), _mm256_setzero_si256())};
  return hn::MaskFromVec(hn::ShiftLeft<63>(sum));  // its sign is all that OrIf looks at
}
#else
HWY_INLINE Mask IsOddParity(Vec v) { return Meets(hn::PopulationCount(v), Set(1)); }
#endif
HWY_INLINE Mask IsLess(Vec a, Vec b) {
  const hn::RebindToSigned<D> di;
  return hn::RebindMask(D(), hn::Lt(hn::BitCast(di, a), hn::BitCast(di, b)));
}
HWY_INLINE Mask AndMasks(Mask a, Mask b) { return hn::And(a, b); }
HWY_INLINE Vec IfThenElse(Mask m, Vec yes, Vec no) { return hn::IfThenElse(m, yes, no); }
HWY_INLINE Vec IfThenElseZero(Mask m, Vec yes) { return hn::IfThenElseZero(m, yes); }
// A Hit tells where a & b != 0, for XorWhere. It is a mask where masks have registers of their own, on AVX2 the sign of
// each lane (b is one bit there), else the lanes that miss (one instruction less). It does the same for each half of a
// lane.
using HalvesTag = hn::Repartition<uint32_t, D>;
#if HWY_TARGET <= HWY_AVX3
using Hit = Mask;
HWY_INLINE Hit HitWhereMeets(Vec a, Vec b) { return hn::TestBit(a, b); }
HWY_INLINE Vec XorWhere(Hit hit, Vec v, Vec other) {
  return Vec{_mm512_mask_xor_epi64(v.raw, hit.raw, v.raw, other.raw)};  // g++ 12 makes two of Highway's IfThenElse
}
using HalvesHit = hn::Mask<HalvesTag>;
HWY_INLINE HalvesHit HitWhereHalvesMeet(Vec a, Vec b) {
  return hn::TestBit(hn::BitCast(HalvesTag(), a), hn::BitCast(HalvesTag(), b));
}
HWY_INLINE Vec XorHalvesWhere(HalvesHit hit, Vec v, Vec other) {
  return Vec{_mm512_mask_xor_epi32(v.raw, hit.raw, v.raw, other.raw)};
}
HWY_INLINE Vec OrIf(Mask m, Vec v, Vec other) { return hn::Or(v, hn::IfThenElseZero(m, other)); }
#elif HWY_TARGET == HWY_AVX2
// The blend is written as it is: g++ 12 makes a comparison of the signs before two blends by the same ones.
HWY_INLINE Vec ElseIfSign(Vec v, Vec other, Vec sign) {
  __m256i result;
  asm("vblendvpd %3, %2, %1, %0" : "=x"(result) : "x"(v.raw), "x"(other.raw), "x"(sign.raw));
  return Vec{result};
}
using Hit = Vec;
HWY_INLINE Hit HitWhereMeets(Vec a, Vec b) { return hn::Sub(Zero(), hn::And(a, b)); }
HWY_INLINE Vec XorWhere(Hit hit, Vec v, Vec other) { return ElseIfSign(v, hn::Xor(v, other), hit); }
using HalvesHit = Vec;
HWY_INLINE Vec XorHalvesWhere(HalvesHit hit, Vec v, Vec other) {
  __m256i result;
  asm("vblendvps %3, %2, %1, %0" : "=x"(result) : "x"(v.raw), "x"(hn::Xor(v, other).raw), "x"(hit.raw));
  return Vec{result};
}
HWY_INLINE Vec OrIf(Mask m, Vec v, Vec other) { return ElseIfSign(v, hn::Or(v, other), hn::VecFromMask(D(), m)); }
#else
using Hit = Vec;
HWY_INLINE Hit HitWhereMeets(Vec a, Vec b) { return hn::VecFromMask(D(), hn::Eq(hn::And(a, b), Zero())); }
HWY_INLINE Vec XorWhere(Hit hit, Vec v, Vec other) { return hn::Xor(v, hn::AndNot(hit, other)); }
using HalvesHit = Vec;
HWY_INLINE HalvesHit HitWhereHalvesMeet(Vec a, Vec b) {
  const auto met = hn::BitCast(HalvesTag(), hn::And(a, b));
  return hn::BitCast(D(), hn::VecFromMask(HalvesTag(), hn::Eq(met, hn::Zero(HalvesTag()))));
}
HWY_INLINE Vec XorHalvesWhere(HalvesHit hit, Vec v, Vec other) { return XorWhere(hit, v, other); }
HWY_INLINE Vec OrIf(Mask m, Vec v, Vec other) { return hn::Or(v, hn::IfThenElseZero(m, other)); }
#endif
HWY_INLINE bool AllTrue(Mask m) { return hn::AllTrue(D(), m); }

#endif

}  // namespace lanes
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_LANES_INL_H_
