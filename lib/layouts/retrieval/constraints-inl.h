// A batch of the layout `retrieval` does this for a vector of keys at once (doc/FORMAT.md section 8): from parities to
// y, from hashes to fingerprints, from T to the constraints that count.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "linefilter/internal/test_block.h"

#ifndef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_ONCE_
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_ONCE_
namespace linefilter::internal {
// These make the masks M of a vector of keys, byte by byte: how many of the constraints 0 ... t - 1 are in a nibble
// makes its bits. A byte holds nibble 2 m in its lower, 2 m + 1 in its upper half.
alignas(16) inline constexpr uint8_t kRepeatLowBytes[16] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12};
alignas(16) inline constexpr uint8_t kLowerNibbles[16] = {0x0, 0x1, 0x5, 0x7, 0xf};
alignas(16) inline constexpr uint8_t kUpperNibbles[16] = {0x00, 0x10, 0x50, 0x70, 0xf0};
// These do the same by nibbles of all eight: the constraints 0 ... q - 1 of each, and constraint q.
alignas(16) inline constexpr uint32_t kConstraintsBelow[4] = {0, 0x11111111, 0x55555555, 0x77777777};
alignas(16) inline constexpr uint32_t kNextConstraint[4] = {0x11111111, 0x44444444, 0x22222222, 0x88888888};

// The coupling inside a byte: what its nibbles add to it.
struct NibbleCoupling {
  alignas(16) uint8_t of_lower[16];
  alignas(16) uint8_t of_upper[16];
};
constexpr NibbleCoupling MakeNibbleCoupling() {
  NibbleCoupling table{};
  for (uint32_t p = 0; p < 16; ++p) {
    table.of_lower[p] = static_cast<uint8_t>(CoupleByte(p));
    table.of_upper[p] = static_cast<uint8_t>(CoupleByte(p << 4));
  }
  return table;
}
inline constexpr NibbleCoupling kNibbleCoupling = MakeNibbleCoupling();
// These put bytes 1 and 3 of each four in the place of bytes 0 and 2: as they lie, and with 1 and 2 exchanged.
alignas(16) inline constexpr uint8_t kOddBytes[16] = {1, 128, 3,  128, 5,  128, 7,  128,
                                                      9, 128, 11, 128, 13, 128, 15, 128};
alignas(16) inline constexpr uint8_t kOddMiddleBytes[16] = {2,  128, 3,  128, 6,  128, 7,  128,
                                                            10, 128, 11, 128, 14, 128, 15, 128};
// This brings the parities of two keys into order.
alignas(16) inline constexpr uint8_t kMiddleBytes[16] = {0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15};
alignas(16) inline constexpr uint8_t kEvenBytes[16] = {0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15};
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if !LINEFILTER_KEY_BY_KEY

using KeyTag = hn::CappedTag<uint32_t, 16>;
using KeyVec = hn::Vec<KeyTag>;

// Whether the parities of two keys are stored at once, byte by byte in turns.
inline constexpr bool kPairsInterleaved = HWY_TARGET == HWY_AVX3;

#if HWY_CAP_GE512

HWY_INLINE KeyVec Couple(KeyVec p) {
  const KeyTag d;
  if (kPairsInterleaved) {
    const hn::Repartition<uint8_t, KeyTag> d8;
    p = hn::TableLookupBytes(p, hn::BitCast(d, hn::LoadDup128(d8, internal::kEvenBytes)));
  }
  p = hn::Xor(p, hn::And(hn::ShiftRight<1>(p), hn::Set(d, 0x55555555)));
  p = hn::Xor(p, hn::And(hn::ShiftRight<2>(p), hn::Set(d, 0x33333333)));
  p = hn::Xor(p, hn::And(hn::ShiftRight<4>(p), hn::Set(d, 0x0f0f0f0f)));
  p = hn::Xor(p, hn::And(hn::ShiftRight<8>(p), hn::Set(d, 0x00ff00ff)));
  return hn::Xor(p, hn::ShiftRight<16>(p));
}

// Makes M[t] of t mod 32, from a table in two registers: one instruction, that Highway 1.0.3 lacks.
HWY_INLINE KeyVec MasksOf(KeyVec eighths) {
  const KeyTag d;
  const KeyVec t = hn::ShiftRight<3>(eighths);
  const KeyVec low = hn::LoadU(d, internal::kConstraintMasks.of),
               high = hn::LoadU(d, internal::kConstraintMasks.of + 16);
  return KeyVec{_mm512_permutex2var_epi32(low.raw, t.raw, high.raw)};
}

#else

// Tables of nibbles couple inside bytes: a third fewer instructions where `and` with `xor` is not one.
HWY_INLINE KeyVec Couple(KeyVec p) {
  const KeyTag d;
  const hn::Repartition<uint8_t, KeyTag> d8;
  const auto load = [&](const uint8_t* table) HWY_ATTR { return hn::BitCast(d, hn::LoadDup128(d8, table)); };
  const KeyVec lower = hn::And(p, hn::Set(d, 0x0f0f0f0f)),
               upper = hn::And(hn::ShiftRight<4>(p), hn::Set(d, 0x0f0f0f0f));
  p = hn::Xor(hn::TableLookupBytes(load(internal::kNibbleCoupling.of_lower), lower),
              hn::TableLookupBytes(load(internal::kNibbleCoupling.of_upper), upper));
  const KeyVec odd =
      hn::TableLookupBytesOr0(p, load(kMiddleBytesSwapped ? internal::kOddMiddleBytes : internal::kOddBytes));
  if (kMiddleBytesSwapped) p = hn::TableLookupBytes(p, load(internal::kMiddleBytes));
  p = hn::Xor(p, odd);
  return hn::Xor(p, hn::ShiftRight<16>(p));
}

#if HWY_TARGET == HWY_AVX2

// Makes M[t] of t mod 32, t = eighths / 8: nibble j has constraints 0 to t / 8 - 1 of its four, and one more if j < t
// mod 8.
HWY_INLINE KeyVec MasksOf(KeyVec eighths) {
  const KeyTag d;
  const __m256i quarter = hn::ShiftRight<6>(eighths).raw;
  const auto lookup = [&](const uint32_t* table) HWY_ATTR {
    const auto four = hn::BitCast(hn::Repartition<float, KeyTag>(), hn::LoadDup128(d, table));
    return KeyVec{_mm256_castps_si256(_mm256_permutevar_ps(four.raw, quarter))};
  };
  const KeyVec bits = hn::And(hn::ShiftRight<1>(eighths), hn::Set(d, 28));
  const KeyVec above = KeyVec{_mm256_sllv_epi32(hn::Set(d, 0xffffffff).raw, bits.raw)};
  return hn::Or(lookup(internal::kConstraintsBelow), hn::AndNot(above, lookup(internal::kNextConstraint)));
}

#else

// Makes M[t] of t mod 32, t = eighths / 8: nibble j has (t + 7 - j) / 8 of its four constraints.
HWY_INLINE KeyVec MasksOf(KeyVec eighths) {
  const KeyTag d;
  const hn::Repartition<uint8_t, KeyTag> d8;
  const KeyVec t = hn::And(hn::ShiftRight<3>(eighths), hn::Set(d, 31));
  const auto all = hn::TableLookupBytes(t, hn::BitCast(d, hn::LoadDup128(d8, internal::kRepeatLowBytes)));
  const auto sevens = hn::Set(d, 0x07070707);
  const auto lower = hn::And(hn::ShiftRight<3>(hn::Add(all, hn::Set(d, 0x01030507))), sevens);
  const auto upper = hn::And(hn::ShiftRight<3>(hn::Add(all, hn::Set(d, 0x00020406))), sevens);
  return hn::BitCast(d,
                     hn::Or(hn::TableLookupBytes(hn::LoadDup128(d8, internal::kLowerNibbles), hn::BitCast(d8, lower)),
                            hn::TableLookupBytes(hn::LoadDup128(d8, internal::kUpperNibbles), hn::BitCast(d8, upper))));
}

#endif
#endif

// The low 64 bits of g times the fingerprint's multiplier, for the g in the low halves of `folded`.
template <class D64>
HWY_INLINE hn::Vec<D64> FingerprintProducts(D64 d, const uint64_t* folded) {
#if HWY_CAP_GE512
  return hn::Mul(hn::And(hn::LoadU(d, folded), hn::Set(d, 0xffffffff)), hn::Set(d, internal::kFingerprintMultiplier));
#else
  const hn::Repartition<uint32_t, D64> d32;
  const auto g = hn::BitCast(d32, hn::LoadU(d, folded));
  const auto low = hn::MulEven(g, hn::Set(d32, static_cast<uint32_t>(internal::kFingerprintMultiplier)));
  const auto high = hn::MulEven(g, hn::Set(d32, static_cast<uint32_t>(internal::kFingerprintMultiplier >> 32)));
  return hn::Add(low, hn::ShiftLeft<32>(high));
#endif
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_CONSTRAINTS_INL_H_
