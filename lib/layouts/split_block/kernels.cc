// The kernels of the layout `split_block`, one source for Highway's targets. block_loops-inl.h has the loops over a
// batch, changes.cc what a filter needs that is filled.
#include "lib/layouts/kernels.h"

#include "lib/layouts/split_block/body.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/split_block/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/split_block/half_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

#if LINEFILTER_SAME_AS_AVX3

const internal::Kernels* SplitBlockTargetKernels() { return UnderThisName<N_AVX3::SplitBlockTargetKernels>(); }

#else

// This is done to the block of each key of a batch.
struct Test : OnHalfLines {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t*, uint32_t x, LaneVec xs) {
    return TestSplitBlock(block, x, xs);
  }
};

const internal::Kernels* SplitBlockTargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<Test>();
  return &kernels;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(SplitBlockTargetKernels);

namespace internal {
const Kernels& SplitBlockKernels() { return *LINEFILTER_DISPATCH(SplitBlockTargetKernels)(); }
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
