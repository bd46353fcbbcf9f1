// A test is a pivot in the form in which rows are asked for it: its bit, or, on AVX2, how far it is from the sign.
// There a shift and a blend by the sign take the place of `and`, comparison and `and`: three instructions for a row and
// a pivot instead of four, and a chain of two instead of four, of two cycles each on Zen 5 (0.196 instead of 0.303 ns
// for four lanes of eight rows).

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_TESTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_TESTS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_TESTS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_TESTS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace lanes {

#if HWY_TARGET == HWY_AVX2

// 31 less the number of the bit that each half has, 158 where it has none: a half that has one is a float whose
// exponent tells.
HWY_INLINE __m256i DistancesInHalves(Vec bits) {
  const __m256i floats = _mm256_castps_si256(_mm256_cvtepi32_ps(bits.raw));
  return _mm256_sub_epi32(_mm256_set1_epi32(31 + 127), _mm256_srli_epi32(_mm256_slli_epi32(floats, 1), 24));
}
// Makes the test of a bit of each lane, or of each half. Shifts of all bits or more give 0: without a bit none is met.
HWY_INLINE Vec MakeTest(Vec bit) {
  const __m256i distances = _mm256_add_epi32(DistancesInHalves(bit), _mm256_set1_epi64x(32));
  return Vec{_mm256_min_epu32(distances, _mm256_srli_epi64(distances, 32))};
}
HWY_INLINE Vec MakeHalvesTest(Vec bits) { return Vec{DistancesInHalves(bits)}; }

// A row of several words is met where one of them is.
HWY_INLINE Vec Meeting(Vec v, Vec test) { return Vec{_mm256_sllv_epi64(v.raw, test.raw)}; }
HWY_INLINE Hit HitWhereAny(Vec meeting) { return meeting; }
HWY_INLINE Hit HitAt(Vec v, Vec test) { return Meeting(v, test); }
HWY_INLINE HalvesHit HitHalvesAt(Vec v, Vec test) { return Vec{_mm256_sllv_epi32(v.raw, test.raw)}; }

#else

HWY_INLINE Vec MakeTest(Vec bit) { return bit; }
HWY_INLINE Vec MakeHalvesTest(Vec bits) { return bits; }
HWY_INLINE Vec Meeting(Vec v, Vec test) { return lanes::And(v, test); }
HWY_INLINE Hit HitWhereAny(Vec meeting) { return HitWhereMeets(meeting, meeting); }
HWY_INLINE Hit HitAt(Vec v, Vec test) { return HitWhereMeets(v, test); }
HWY_INLINE HalvesHit HitHalvesAt(Vec v, Vec test) { return HitWhereHalvesMeet(v, test); }

#endif

}  // namespace lanes
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_TESTS_INL_H_
