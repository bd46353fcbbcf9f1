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
  // What the levels demand, as far as compilers know to ask.
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  if (v4) {
    list.loops[list.size++] = {"x86-64-v4", InlinedTarget_x86_64_v4(), InlinedCount_x86_64_v4, InlinedBranch_x86_64_v4};
  }
  if (v3) {
    list.loops[list.size++] = {"x86-64-v3", InlinedTarget_x86_64_v3(), InlinedCount_x86_64_v3, InlinedBranch_x86_64_v3};
  }
#endif
  return list;
}

}  // namespace linefilter::bench
