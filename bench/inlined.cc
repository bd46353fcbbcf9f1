#include "bench/inlined.h"

namespace linefilter::bench {

#if defined(LINEFILTER_BENCH_X86)
#define LINEFILTER_DECLARE_LOOPS(suffix)                                                      \
  const char* InlinedTarget_##suffix();                                                       \
  uint64_t InlinedCount_##suffix(const FilterBase& filter, const uint64_t* hashes, size_t n); \
  uint64_t InlinedBranch_##suffix(const FilterBase& filter, const uint64_t* hashes, size_t n);
LINEFILTER_DECLARE_LOOPS(x86_64_v3)
LINEFILTER_DECLARE_LOOPS(x86_64_v4)
#endif

InlinedList SupportedInlinedLoops() {
  InlinedList list{};
#if defined(LINEFILTER_BENCH_X86)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
    list.loops[list.size++] = {"x86-64-v4", InlinedTarget_x86_64_v4(), InlinedCount_x86_64_v4, InlinedBranch_x86_64_v4};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    list.loops[list.size++] = {"x86-64-v3", InlinedTarget_x86_64_v3(), InlinedCount_x86_64_v3, InlinedBranch_x86_64_v3};
  }
#endif
  return list;
}

}  // namespace linefilter::bench
