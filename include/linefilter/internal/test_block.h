// The SIMD core tells what one 64-byte block of the layouts `blocked` and `retrieval` answers, and how a key is
// inserted into one of `blocked`. It is written once; the kernels of the library and linefilter/inline.h include it.
//
// Everything here lives in the namespace of the target that the file is compiled for, and is always inlined, so files
// compiled with different -march may meet in one program. Include it before any Highway header.

// The library's kernels include it once per target (hwy/foreach_target.h), hence the toggling guard.
#if defined(LINEFILTER_INTERNAL_TEST_BLOCK_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INTERNAL_TEST_BLOCK_H_
#undef LINEFILTER_INTERNAL_TEST_BLOCK_H_
#else
#define LINEFILTER_INTERNAL_TEST_BLOCK_H_
#endif

// -march=x86-64-v3 and -v4 do not imply AES and PCLMUL, without which Highway falls back to SSSE3 (5.4
// instead of 1.9 ns).
#if defined(__AVX2__) && !(defined(__AES__) && defined(__PCLMUL__)) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
// -march=native on a CPU with AVX3_DL stops with a "logic error" without it.
#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

#ifndef LINEFILTER_TEST_BLOCK_ONCE_
#define LINEFILTER_TEST_BLOCK_ONCE_
#if !defined(HWY_TARGET_INCLUDE) && HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON && !defined(__ARM_FEATURE_AES) && \
    !defined(__ARM_FEATURE_CRYPTO)
#error \
    "linefilter/inline.h on Arm: Highway's NEON target takes AES for granted; compile with -march=armv8-a+crypto or newer"
#endif
namespace linefilter::internal {
// C of doc/FORMAT.md section 6 is the first sixteen words of pi's fraction, lowest bit set.
alignas(64) inline constexpr uint32_t kLaneMultipliers[16] = {
    0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1, 0x082EFA99, 0xEC4E6C89,
    0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D, 0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917};
// Where the words of ProbeState::lane_ones are, behind those of 16 lanes for each of 16 rotations.
inline constexpr uint32_t kLaneWords = 16 * 16;
}  // namespace linefilter::internal
#endif  // LINEFILTER_TEST_BLOCK_ONCE_

namespace linefilter {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
}  // namespace HWY_NAMESPACE
}  // namespace linefilter

#include "linefilter/internal/test_solved_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// A block fits one vector on AVX-512, two on AVX2, sixteen on SCALAR.
using LaneTag = hn::CappedTag<uint32_t, 16>;
using LaneVec = hn::Vec<LaneTag>;

// Blocks have no alignment, so they are loaded as bytes.
HWY_INLINE LaneVec LoadLanes([[maybe_unused]] LaneTag d, const uint8_t* from) {
#if HWY_TARGET == HWY_SCALAR
  uint32_t lane;
  memcpy(&lane, from, sizeof(lane));
  return hn::Set(d, lane);
#else
  return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, LaneTag>(), from));
#endif
}

HWY_INLINE void StoreLanes(LaneVec v, LaneTag, uint8_t* to) {
#if HWY_TARGET == HWY_SCALAR
  const uint32_t lane = hn::GetLane(v);
  memcpy(to, &lane, sizeof(lane));
#else
  const hn::Repartition<uint8_t, LaneTag> d8;
  hn::StoreU(hn::BitCast(d8, v), d8, to);
#endif
}

// The bits of one key in the lanes from `lane` on, as they stand in memory. xs holds x in each lane. lane_ones holds 1
// in the lanes that take part under each rotation, else 0: an aligned table (masks built from unaligned loads: 2.1
// against 1.3 ns).
HWY_INLINE LaneVec KeyMask(LaneTag d, const uint32_t* lane_ones, uint32_t x, LaneVec xs, size_t lane) {
  const LaneVec ones = hn::Load(d, lane_ones + 16 * (x & 15) + lane);
  const LaneVec product = hn::Mul(xs, hn::Load(d, internal::kLaneMultipliers + lane));
  const LaneVec mask = hn::Shl(ones, hn::ShiftRight<27>(product));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const LaneVec swapped = hn::Or(hn::ShiftLeft<24>(mask), hn::ShiftRight<24>(mask));
  return hn::Or(swapped, hn::Or(hn::ShiftLeft<8>(hn::And(mask, hn::Set(d, 0xff00u))),
                                hn::And(hn::ShiftRight<8>(mask), hn::Set(d, 0xff00u))));
#else
  return mask;
#endif
}

// Whether no bit is set. On AVX2 that is one test of bits.
HWY_INLINE bool AllZero([[maybe_unused]] LaneTag d, LaneVec v) {
#if HWY_TARGET == HWY_AVX2
  return _mm256_testz_si256(v.raw, v.raw) != 0;
#else
  return hn::AllTrue(d, hn::Eq(v, hn::Zero(d)));
#endif
}

// The core of the layout `blocked`: mask AND-NOT block == 0. The cost does not depend on num_probes. Where an
// instruction tells which lanes have a bit, they are compared as one word with those that take part.
HWY_INLINE bool TestBlock(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  const LaneTag d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const LaneVec product = hn::Mul(xs, hn::Load(d, internal::kLaneMultipliers));
  const LaneVec bits = hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
  const unsigned some = _mm512_test_epi32_mask(LoadLanes(d, block).raw, bits.raw);
  return (lane_ones[internal::kLaneWords + (x & 15)] & ~some) == 0;
#else
  LaneVec missing = hn::Zero(d);
  for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    const LaneVec mask = KeyMask(d, lane_ones, x, xs, lane);
    missing = hn::Or(missing, hn::AndNot(LoadLanes(d, block + 4 * lane), mask));
  }
  return AllZero(d, missing);
#endif
}

// Sets the bits; true if one of them was not set.
HWY_INLINE bool InsertIntoBlock(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  const LaneTag d;
  LaneVec missing = hn::Zero(d);
  for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    const LaneVec mask = KeyMask(d, lane_ones, x, xs, lane);
    const LaneVec old = LoadLanes(d, block + 4 * lane);
    missing = hn::Or(missing, hn::AndNot(old, mask));
    StoreLanes(hn::Or(old, mask), d, block + 4 * lane);
  }
  return !AllZero(d, missing);
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INTERNAL_TEST_BLOCK_H_
