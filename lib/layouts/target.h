// We keep the chosen target ourselves: forcing it must not steer the embedder's own use of Highway.
#ifndef LINEFILTER_LIB_LAYOUTS_TARGET_H_
#define LINEFILTER_LIB_LAYOUTS_TARGET_H_

#include <atomic>
#include <cstddef>

#include "hwy/targets.h"

namespace linefilter::internal {

// The chosen target's index + 1, or 0 until the first use. Constant-initialized: no global constructor.
extern std::atomic<size_t> chosen_index;

size_t ChooseFirst();  // makes it, and returns it

// The chosen target's place in a LINEFILTER_TARGET_TABLE. It is kept ready, because engines open a filter per lookup.
inline size_t TargetTableIndex() {
  const size_t index = chosen_index.load(std::memory_order_relaxed);
  return (__builtin_expect(index != 0, 1) ? index : ChooseFirst()) - 1;
}

}  // namespace linefilter::internal

// Only `retrieval` gains by AVX3_DL, which has GFNI. All other code is that of AVX3 there, and calls it: 25 KB less of
// a program that reads images. This is for a file that Highway compiles for several targets, AVX3 before the better
// ones.
#define LINEFILTER_SAME_AS_AVX3 \
  (HWY_ARCH_X86 && HWY_TARGET < HWY_AVX3 && (HWY_TARGETS & HWY_AVX3) != 0 && HWY_STATIC_TARGET != HWY_AVX3)

// Code that uses no vector on SSE is that of SCALAR there, which is compiled last on x86-64: it must be declared
// before.
#define LINEFILTER_SAME_AS_SCALAR \
  ((HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4) && HWY_STATIC_TARGET == HWY_SCALAR)

// These are HWY_EXPORT and HWY_DYNAMIC_DISPATCH for the target that this library chose. Highway's table begins with a
// function that asks Highway for the target, and so would link its library; ours begins with nothing.
#define LINEFILTER_TARGET_TYPE(function) decltype(&HWY_STATIC_DISPATCH(function))
#if (HWY_TARGETS & (HWY_TARGETS - 1)) == 0
#define LINEFILTER_TARGET_TABLE(function) \
  static constexpr LINEFILTER_TARGET_TYPE(function) function##OfTargets[] = {&HWY_STATIC_DISPATCH(function)}
#else
#define LINEFILTER_TARGET_TABLE(function)           \
  static constexpr LINEFILTER_TARGET_TYPE(function) \
      function##OfTargets[] = {nullptr, HWY_CHOOSE_TARGET_LIST(function), HWY_CHOOSE_FALLBACK(function)}
#endif
#define LINEFILTER_DISPATCH(function) (*(function##OfTargets[::linefilter::internal::TargetTableIndex()]))

#endif  // LINEFILTER_LIB_LAYOUTS_TARGET_H_
