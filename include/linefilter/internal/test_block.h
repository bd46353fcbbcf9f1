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
#include "linefilter/internal/probe_state.h"
#include "linefilter/internal/split_block.h"

#ifndef LINEFILTER_TEST_BLOCK_ONCE_
#define LINEFILTER_TEST_BLOCK_ONCE_
#if !defined(HWY_TARGET_INCLUDE) && HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON && !defined(__ARM_FEATURE_AES) && \
    !defined(__ARM_FEATURE_CRYPTO)
#error \
    "linefilter/inline.h on Arm: Highway's NEON target takes AES for granted; compile with -march=armv8-a+crypto or newer"
#endif
namespace linefilter::internal {
// The same as lanes of 64 bits.
template <size_t n>
struct Wide {
  alignas(16) uint64_t of[n];
};
template <size_t n>
constexpr Wide<n> Widen(const uint32_t (&multipliers)[n]) {
  Wide<n> wide{};
  for (size_t lane = 0; lane < n; ++lane) wide.of[lane] = multipliers[lane];
  return wide;
}
inline constexpr Wide<16> kWideLaneMultipliers = Widen(kLaneMultipliers);
inline constexpr Wide<8> kWideSplitSalts = Widen(kSplitSalts);
}  // namespace linefilter::internal
#endif  // LINEFILTER_TEST_BLOCK_ONCE_

namespace linefilter {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
}  // namespace HWY_NAMESPACE
}  // namespace linefilter

#include "linefilter/internal/test_solved_block.h"

// Below AVX2 x86 has no shift by a number of each lane, and below SSE4 no product of 32-bit lanes. There a block is
// four vectors of the compiler's own SSE2, also where Highway has none (SCALAR). On other CPUs without vectors the
// lanes that take part are probed one by one.
#undef LINEFILTER_SSE2_BLOCKS
#undef LINEFILTER_LISTED_LANES
#if HWY_ARCH_X86 && defined(__SSE2__) && HWY_TARGET > HWY_AVX2
#define LINEFILTER_SSE2_BLOCKS 1
#define LINEFILTER_LISTED_LANES 0
#else
#define LINEFILTER_SSE2_BLOCKS 0
#define LINEFILTER_LISTED_LANES (HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128)
#endif
// An instruction permutes words across a vector, and another compares a vector with its bits.
#undef LINEFILTER_FEW_LANES
#define LINEFILTER_FEW_LANES (HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2)
#if LINEFILTER_LISTED_LANES && defined(__x86_64__)
#error "linefilter on x86-64 takes SSE2 for granted; compile without -mno-sse2"
#endif

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

// Lanes as they stand in memory, where numbers are little-endian.
template <class D>
HWY_INLINE hn::Vec<D> AsInMemory([[maybe_unused]] D d, hn::Vec<D> lanes) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const auto swapped = hn::Or(hn::ShiftLeft<24>(lanes), hn::ShiftRight<24>(lanes));
  return hn::Or(swapped, hn::Or(hn::ShiftLeft<8>(hn::And(lanes, hn::Set(d, 0xff00u))),
                                hn::And(hn::ShiftRight<8>(lanes), hn::Set(d, 0xff00u))));
#else
  return lanes;
#endif
}

// The bits of one key in the lanes from `lane` on, as they stand in memory. xs holds x in each lane. lane_ones holds 1
// in the lanes that take part under each rotation, else 0: an aligned table (masks built from unaligned loads: 2.1
// against 1.3 ns).
HWY_INLINE LaneVec KeyMask(LaneTag d, const uint32_t* lane_ones, uint32_t x, LaneVec xs, size_t lane) {
  const LaneVec ones = hn::Load(d, lane_ones + 16 * (x & 15) + lane);
  const LaneVec product = hn::Mul(xs, hn::Load(d, internal::kLaneMultipliers + lane));
  return AsInMemory(d, hn::Shl(ones, hn::ShiftRight<27>(product)));
}

// Whether no bit is set. On AVX2 that is one test of bits.
HWY_INLINE bool AllZero([[maybe_unused]] LaneTag d, LaneVec v) {
#if HWY_TARGET == HWY_AVX2
  return _mm256_testz_si256(v.raw, v.raw) != 0;
#else
  return hn::AllTrue(d, hn::Eq(v, hn::Zero(d)));
#endif
}

#if LINEFILTER_SSE2_BLOCKS

// Four products; `wide` are the same multipliers as lanes of 64 bits.
HWY_INLINE __m128i FourProducts(__m128i xs, [[maybe_unused]] const uint32_t* multipliers,
                                [[maybe_unused]] const uint64_t* wide) {
  const auto load = [](const auto* from) HWY_ATTR { return _mm_load_si128(reinterpret_cast<const __m128i*>(from)); };
#if HWY_TARGET <= HWY_SSE4
  return _mm_mullo_epi32(xs, load(multipliers));
#else
  const __m128 low = _mm_castsi128_ps(_mm_mul_epu32(xs, load(wide)));
  const __m128 high = _mm_castsi128_ps(_mm_mul_epu32(xs, load(wide + 2)));
  return _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
#endif
}
// 2 to the power of the high 5 bits of each product, made as a float: `ones` holds 1.0 as an integer. Where it holds 0,
// in a lane that takes no part, that is less than one, so it becomes 0. (2^31 becomes what it is as an unsigned
// number.)
HWY_INLINE __m128i FourPowers(__m128i products, __m128i ones) {
  const __m128i exponent = _mm_slli_epi32(_mm_srli_epi32(products, 27), 23);
  return _mm_cvttps_epi32(_mm_castsi128_ps(_mm_add_epi32(exponent, ones)));
}
// The four lanes of KeyMask.
HWY_INLINE __m128i FourLanes(const uint32_t* lane_ones, uint32_t x, __m128i xs, size_t lane) {
  const __m128i ones = _mm_load_si128(reinterpret_cast<const __m128i*>(lane_ones + 16 * (x & 15) + lane));
  const __m128i products =
      FourProducts(xs, internal::kLaneMultipliers + lane, internal::kWideLaneMultipliers.of + lane);
  return FourPowers(products, _mm_castps_si128(_mm_cvtepi32_ps(ones)));
}
// x in four lanes, of what Highway may have of it.
HWY_INLINE __m128i FourOf([[maybe_unused]] uint32_t x, [[maybe_unused]] LaneVec xs) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  return _mm_set1_epi32(static_cast<int>(x));
#else
  return xs.raw;
#endif
}
HWY_INLINE __m128i LoadFour(const uint8_t* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
HWY_INLINE void StoreFour(__m128i lanes, uint8_t* to) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), lanes); }
HWY_INLINE bool IsZero(__m128i v) { return _mm_movemask_epi8(_mm_cmpeq_epi32(v, _mm_setzero_si128())) == 0xffff; }

HWY_INLINE bool TestBlock(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  const __m128i four = FourOf(x, xs);
  __m128i missing = _mm_setzero_si128();
  for (size_t lane = 0; lane < 16; lane += 4) {
    const __m128i mask = FourLanes(lane_ones, x, four, lane);
    missing = _mm_or_si128(missing, _mm_andnot_si128(LoadFour(block + 4 * lane), mask));
  }
  return IsZero(missing);
}

HWY_INLINE bool InsertIntoBlock(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  const __m128i four = FourOf(x, xs);
  __m128i missing = _mm_setzero_si128();
  for (size_t lane = 0; lane < 16; lane += 4) {
    const __m128i mask = FourLanes(lane_ones, x, four, lane), old = LoadFour(block + 4 * lane);
    missing = _mm_or_si128(missing, _mm_andnot_si128(old, mask));
    StoreFour(_mm_or_si128(old, mask), block + 4 * lane);
  }
  return !IsZero(missing);
}

#elif LINEFILTER_LISTED_LANES

// Makes a number of the bytes of a lane, and back.
HWY_INLINE uint32_t LittleEndianLane(uint32_t lane) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  lane = __builtin_bswap32(lane);
#endif
  return lane;
}
HWY_INLINE uint32_t LoadLane(const uint8_t* from) {
  uint32_t lane;
  memcpy(&lane, from, sizeof(lane));
  return LittleEndianLane(lane);
}
HWY_INLINE void StoreLane(uint32_t lane, uint8_t* to) {
  lane = LittleEndianLane(lane);
  memcpy(to, &lane, sizeof(lane));
}

// Does probe.Do(lane's offset, number of the key's bit in it) for the i-th lane that takes part.
template <class Probe>
HWY_INLINE void DoLane(const uint8_t* offsets, size_t i, uint32_t x, Probe& probe) {
  const size_t offset = offsets[i];
  uint32_t multiplier;
  memcpy(&multiplier, reinterpret_cast<const uint8_t*>(internal::kLaneMultipliers) + offset, sizeof(multiplier));
  probe.Do(offset, (x * multiplier) >> 27);
}

// Does so for each lane that takes part. All keys of a filter jump to the same case, so that there is no loop to count,
// and no code for each num_probes.
template <class Probe>
HWY_INLINE void DoLanes(const uint32_t* lane_ones, uint32_t x, Probe& probe) {
  const uint8_t* const table = reinterpret_cast<const uint8_t*>(lane_ones);
  const uint8_t* const offsets = table + internal::kLaneListBytes + (x << 4 & 0xf0);
  uint32_t size;
  memcpy(&size, table + internal::kLaneListSizeBytes, sizeof(size));
  // clang-format off
  switch (size) {
    case 16: DoLane(offsets, 15, x, probe); [[fallthrough]];
    case 15: DoLane(offsets, 14, x, probe); [[fallthrough]];
    case 14: DoLane(offsets, 13, x, probe); [[fallthrough]];
    case 13: DoLane(offsets, 12, x, probe); [[fallthrough]];
    case 12: DoLane(offsets, 11, x, probe); [[fallthrough]];
    case 11: DoLane(offsets, 10, x, probe); [[fallthrough]];
    case 10: DoLane(offsets, 9, x, probe); [[fallthrough]];
    case 9: DoLane(offsets, 8, x, probe); [[fallthrough]];
    case 8: DoLane(offsets, 7, x, probe); [[fallthrough]];
    case 7: DoLane(offsets, 6, x, probe); [[fallthrough]];
    case 6: DoLane(offsets, 5, x, probe); [[fallthrough]];
    case 5: DoLane(offsets, 4, x, probe); [[fallthrough]];
    case 4: DoLane(offsets, 3, x, probe); [[fallthrough]];
    case 3: DoLane(offsets, 2, x, probe); [[fallthrough]];
    case 2: DoLane(offsets, 1, x, probe); [[fallthrough]];
    case 1: DoLane(offsets, 0, x, probe); break;
    default: __builtin_unreachable();
  }
  // clang-format on
}

// Bit 0 of `all` stays 1 while each lane has the key's bit.
struct TestLane {
  const uint8_t* block;
  uint32_t all;
  HWY_INLINE void Do(size_t at, uint32_t bit) { all &= LoadLane(block + at) >> bit; }
};
struct InsertLane {
  uint8_t* block;
  uint32_t all;
  HWY_INLINE void Do(size_t at, uint32_t bit) {
    const uint32_t old = LoadLane(block + at);
    all &= old >> bit;
    StoreLane(old | uint32_t{1} << bit, block + at);
  }
};

// Whether the key's bit was set in all lanes. No branch ends it early, so the time does not tell the answer. (One in
// the middle, on Zen 5 at 24 KB and 0, 50, 100 % of members: 2.6, 3.7, 3.5 ns in place of 3.4, 3.4, 3.3.)
template <class Probe>
HWY_INLINE bool HadAll(Probe probe, const uint32_t* lane_ones, uint32_t x) {
  __asm__("" : "+r"(probe.all));  // else g++ 12 jumps over each case to set it there
  DoLanes(lane_ones, x, probe);
  return (probe.all & 1) != 0;
}

HWY_INLINE bool TestBlock(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec) {
  return HadAll(TestLane{block, 1}, lane_ones, x);
}
HWY_INLINE bool InsertIntoBlock(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec) {
  return !HadAll(InsertLane{block, 1}, lane_ones, x);
}

#else

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

#endif

// TestBlock of a filter with at most kMostFewProbes: the lanes that take part fit eight, in the order of the bits of S.
// A permutation picks them, and their multipliers come from a table. Then one vptest tells whether all have their bit,
// without masks or words of lanes. prober.ForLayout on Zen 5, 24 KB, means of eight places of the loop in memory,
// against TestBlock: AVX-512 0.83 and 0.89 ns, AVX2 0.87 and 1.11. Where each lookup waits for the one before: 6.6 and
// 6.7, 6.7 and 7.0.
//
// On AVX-512 a permutation of the products makes 0.76, but 7.1 where lookups wait. Rejected there: to permute what is
// missing (0.84 and 7.6), vpermt2d of half vectors (0.90), lane_ones as masks for vptestnmd (0.92). Rejected on AVX2:
// vpgatherdd (2.9), zeros packed to a word (0.97), sign bits (1.16), a vptest for each half (1.28).
#if LINEFILTER_FEW_LANES
HWY_INLINE bool TestFewLanes(const uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
  const LaneTag d;
  const LaneVec xs = hn::Set(d, x);
  const uint32_t* const few = lane_ones + internal::kFewLanesAt;
  // Permutations read the low bits of an index alone: no remainder has to be taken.
  const LaneVec lanes = hn::Sub(hn::Load(d, few), xs);
  const hn::CappedTag<uint32_t, 8> d8;
  const auto multipliers = hn::Load(d8, few + 16 + 8 * (x & 15));
#if HWY_TARGET <= HWY_AVX3
  const hn::Vec<decltype(d8)> xs8{_mm512_castsi512_si256(xs.raw)};  // else g++ 12 makes it twice
  const __m256i words = _mm512_castsi512_si256(_mm512_permutexvar_epi32(lanes.raw, LoadLanes(d, block).raw));
#else
  const LaneVec xs8 = xs;
  const __m256i low = _mm256_permutevar8x32_epi32(LoadLanes(d, block).raw, lanes.raw);
  const __m256i high = _mm256_permutevar8x32_epi32(LoadLanes(d, block + 32).raw, lanes.raw);
  const __m256i is_high = hn::ShiftLeft<28>(lanes).raw;  // bit 3 becomes the sign
  const __m256i words = _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), _mm256_castsi256_ps(is_high)));
#endif
  const auto bits = hn::Shl(hn::Set(d8, 1), hn::ShiftRight<27>(hn::Mul(xs8, multipliers)));
  return _mm256_testc_si256(words, bits.raw) != 0;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INTERNAL_TEST_BLOCK_H_
