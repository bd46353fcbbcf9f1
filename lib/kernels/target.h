// The chosen target, kept by ourselves: Highway's own switch is process-wide and would steer the embedder's code too.
#ifndef LINEFILTER_LIB_KERNELS_TARGET_H_
#define LINEFILTER_LIB_KERNELS_TARGET_H_

#include <cstddef>
#include <cstdint>

#include "hwy/targets.h"

namespace linefilter::internal {

// One bit of Highway's HWY_TARGETS.
int64_t ChosenTargetBit();

// The chosen target's place in a table made by HWY_EXPORT.
inline size_t TargetTableIndex() {
  if constexpr ((HWY_TARGETS & (HWY_TARGETS - 1)) == 0) return 0;  // a single target: a table of one
  hwy::ChosenTarget chosen;
  chosen.Update(ChosenTargetBit());
  return chosen.GetIndex();
}

}  // namespace linefilter::internal

// Like HWY_DYNAMIC_DISPATCH, for the target that this library chose.
#define LINEFILTER_DISPATCH(function) (*(HWY_DISPATCH_TABLE(function)[::linefilter::internal::TargetTableIndex()]))

#endif  // LINEFILTER_LIB_KERNELS_TARGET_H_
