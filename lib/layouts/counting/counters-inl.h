// The counters of one block of the layout `counting`, and the question whether a key is in it.
//
// Idea: shift each lane so that the key's counter is lowest, and all k counters are compared at once. The lanes that
// take part are those of `blocked`, by the same table of ones. A lane lacks the key if its counter is less than its
// "one", and never if it takes no part. That is two vector operations more than `blocked` has per vector. (A question
// of AVX-512 needs one more than `blocked`: see Test.)

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_COUNTING_COUNTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_COUNTING_COUNTERS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_COUNTING_COUNTERS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_COUNTING_COUNTERS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/blocks/lane_table.h"
#include "linefilter/internal/test_block.h"

// SSE has no shift by each lane's own number; Highway's to the left takes half as long as its to the right (lookups 1.4
// instead of 2.0 times as long as those of `blocked`).
#undef LINEFILTER_COUNTERS_STAY
#define LINEFILTER_COUNTERS_STAY (HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2 && HWY_TARGET != HWY_SCALAR)

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using LaneMask = hn::Mask<LaneTag>;

// Makes numbers of the bytes of lanes, and back.
HWY_INLINE LaneVec LittleEndian(LaneTag d, LaneVec v) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const LaneVec swapped = hn::Or(hn::ShiftLeft<24>(v), hn::ShiftRight<24>(v));
  return hn::Or(swapped, hn::Or(hn::ShiftLeft<8>(hn::And(v, hn::Set(d, 0xff00u))),
                                hn::And(hn::ShiftRight<8>(v), hn::Set(d, 0xff00u))));
#else
  (void)d;
  return v;
#endif
}

// (These are functions, not a struct of vectors: those of SVE have no size.)
HWY_INLINE LaneVec LoadCounters(LaneTag d, const uint8_t* block, size_t lane) {
  return LittleEndian(d, LoadLanes(d, block + 4 * lane));
}
HWY_INLINE void StoreCounters(LaneTag d, LaneVec lanes, uint8_t* block, size_t lane) {
  StoreLanes(LittleEndian(d, lanes), d, block + 4 * lane);
}
// 1 in the lanes that take part.
HWY_INLINE LaneVec Ones(LaneTag d, const uint32_t* lane_ones, uint32_t x, size_t lane) {
  return hn::Load(d, lane_ones + 16 * (x & 15) + lane);
}
// How far up the key's counters are.
HWY_INLINE LaneVec Shifts(LaneTag d, LaneVec xs, size_t lane) {
  const LaneVec product = hn::Mul(xs, hn::Load(d, internal::kLaneMultipliers + lane));
  return hn::And(hn::ShiftRight<27>(product), hn::Set(d, 28));
}
HWY_INLINE LaneVec Values(LaneTag d, LaneVec lanes, LaneVec shifts) {
  return hn::And(hn::Shr(lanes, shifts), hn::Set(d, 15));
}
// Finds lanes that lack the key.
HWY_INLINE LaneMask Zeros(LaneTag d, LaneVec values, LaneVec ones) {
  const hn::RebindToSigned<LaneTag> di;
  return hn::RebindMask(d, hn::Lt(hn::BitCast(di, values), hn::BitCast(di, ones)));
}
// An insertion adds these and a removal takes them: a counter of 15 is saturated and stays.
HWY_INLINE LaneVec Steps(LaneTag d, LaneVec values, LaneVec ones, LaneVec shifts) {
  return hn::IfThenZeroElse(hn::Eq(values, hn::Set(d, 15)), hn::Shl(ones, shifts));
}

struct Test : OnLines {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    const LaneTag d;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    // This does what TestBlock does there: 1.11 instead of 1.37 ns per key of a batch (24 KB, Zen 4).
    const LaneVec counters = hn::Shl(hn::Set(d, 15), Shifts(d, xs, 0));
    const unsigned some = _mm512_test_epi32_mask(LoadCounters(d, block, 0).raw, counters.raw);
    return (internal::LanesOf(lane_ones)[x & 15] & ~some) == 0;
#elif !LINEFILTER_COUNTERS_STAY
    if (hn::Lanes(d) == 16) {
      return hn::AllFalse(d,
                          Zeros(d, Values(d, LoadCounters(d, block, 0), Shifts(d, xs, 0)), Ones(d, lane_ones, x, 0)));
    }
#endif
    LaneVec zeros = hn::Zero(d);
    for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
      const LaneVec ones = Ones(d, lane_ones, x, lane), shifts = Shifts(d, xs, lane);
#if LINEFILTER_COUNTERS_STAY
      // The mask goes to the counter.
      const LaneVec lowest = hn::Shl(ones, shifts), mask = hn::Sub(hn::ShiftLeft<4>(lowest), lowest);
      const LaneMask is_zero = hn::Eq(hn::And(LoadCounters(d, block, lane), mask), hn::Zero(d));
      zeros = hn::Or(zeros, hn::And(hn::VecFromMask(d, is_zero), ones));
#else
      const LaneVec values = Values(d, LoadCounters(d, block, lane), shifts);
      zeros = hn::Or(zeros, hn::VecFromMask(d, Zeros(d, values, ones)));
#endif
    }
    return AllZero(d, zeros);
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_COUNTING_COUNTERS_INL_H_
