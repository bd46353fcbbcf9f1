#include "lib/layouts/cpu_targets.h"

#include "hwy/targets.h"
#include "lib/base/cpu_level.h"

namespace linefilter::internal {

#if HWY_ARCH_X86

int64_t TargetsOfCpu() {
  const CpuLevel level = LevelOfCpu();
  int64_t targets = 0;
  const auto add = [&](CpuLevel needed, int64_t target) {
    if (level >= needed) targets |= target;
  };
#ifdef HWY_SSE2
  add(CpuLevel::kSse2, HWY_SSE2);
#endif
  add(CpuLevel::kSsse3, HWY_SSSE3);
  add(CpuLevel::kSse4, HWY_SSE4);
  add(CpuLevel::kAvx2, HWY_AVX2);
  add(CpuLevel::kAvx3, HWY_AVX3);
  add(CpuLevel::kAvx3Dl, HWY_AVX3_DL);
#ifdef HWY_AVX3_ZEN4
  add(CpuLevel::kAvx3Zen4, HWY_AVX3_ZEN4);
#endif
#ifdef HWY_AVX3_SPR
  add(CpuLevel::kAvx3Spr, HWY_AVX3_SPR);
#endif
  return targets;
}

#else

int64_t TargetsOfCpu() { return hwy::SupportedTargets(); }

#endif

}  // namespace linefilter::internal
