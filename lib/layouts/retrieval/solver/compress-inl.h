// This brings chosen bits of each lane to its bottom, in order, and back. A bit is moved by the binary digits of its
// distance (Warren, Hacker's Delight, 2nd edition, 7-4 and 7-5), the same way in all lanes, with each lane's own bits.
// It replaces pext and pdep, which are slow on some CPUs that have AVX2 and missing elsewhere.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_COMPRESS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_COMPRESS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_COMPRESS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_COMPRESS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/layouts/retrieval/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// Makes the steps for those bits of each lane; they lie below 2^kSteps.
template <int kSteps>
HWY_INLINE void PrepareCompress(lanes::Vec free, uint64_t (*steps)[8], size_t lane) {
  using lanes::Vec;
  lanes::Store(free, steps[6] + lane);
  Vec m = free;
  Vec mk = lanes::ShiftLeft<1>(lanes::Xor(m, lanes::Set(~uint64_t{0})));
  const auto step = [&](auto shift, int i) HWY_ATTR {
    Vec mp = lanes::Xor(mk, lanes::ShiftLeft<1>(mk));
    mp = lanes::Xor(mp, lanes::ShiftLeft<2>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<4>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<8>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<16>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<32>(mp));
    const Vec mv = lanes::And(mp, m);
    m = lanes::Or(lanes::Xor(m, mv), lanes::ShiftRight<decltype(shift)::value>(mv));
    mk = lanes::AndNot(mp, mk);
    lanes::Store(mv, steps[i] + lane);
  };
  step(std::integral_constant<int, 1>(), 0);
  step(std::integral_constant<int, 2>(), 1);
  step(std::integral_constant<int, 4>(), 2);
  step(std::integral_constant<int, 8>(), 3);
  if constexpr (kSteps > 4) step(std::integral_constant<int, 16>(), 4);
  if constexpr (kSteps > 5) step(std::integral_constant<int, 32>(), 5);
}

template <int kShift>
HWY_INLINE lanes::Vec CompressStep(lanes::Vec x, const uint64_t* step) {
  const lanes::Vec t = lanes::And(x, lanes::Load(step));
  return lanes::Or(lanes::Xor(x, t), lanes::ShiftRight<kShift>(t));
}
template <int kShift>
HWY_INLINE lanes::Vec ExpandStep(lanes::Vec x, const uint64_t* step) {
  const lanes::Vec mv = lanes::Load(step);
  return lanes::Or(lanes::AndNot(mv, x), lanes::And(lanes::ShiftLeft<kShift>(x), mv));
}
template <int kSteps>
HWY_INLINE lanes::Vec Compress(lanes::Vec x, const uint64_t (*steps)[8], size_t lane) {
  x = lanes::And(x, lanes::Load(steps[6] + lane));
  x = CompressStep<1>(x, steps[0] + lane);
  x = CompressStep<2>(x, steps[1] + lane);
  x = CompressStep<4>(x, steps[2] + lane);
  x = CompressStep<8>(x, steps[3] + lane);
  if constexpr (kSteps > 4) x = CompressStep<16>(x, steps[4] + lane);
  if constexpr (kSteps > 5) x = CompressStep<32>(x, steps[5] + lane);
  return x;
}
template <int kSteps>
HWY_INLINE lanes::Vec Expand(lanes::Vec x, const uint64_t (*steps)[8], size_t lane) {
  if constexpr (kSteps > 5) x = ExpandStep<32>(x, steps[5] + lane);
  if constexpr (kSteps > 4) x = ExpandStep<16>(x, steps[4] + lane);
  x = ExpandStep<8>(x, steps[3] + lane);
  x = ExpandStep<4>(x, steps[2] + lane);
  x = ExpandStep<2>(x, steps[1] + lane);
  x = ExpandStep<1>(x, steps[0] + lane);
  return lanes::And(x, lanes::Load(steps[6] + lane));
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_COMPRESS_INL_H_
