// The kernels of the layout `counting`, one source for Highway's targets. block_loops-inl.h has the loops over a batch,
// counters-inl.h what is done with a block, changes.cc what a filter needs that is filled.
#include "lib/layouts/kernels.h"

#include "lib/layouts/counting/body.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/counting/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/counting/counters-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

#if LINEFILTER_SAME_AS_AVX3

const internal::Kernels* CountingTargetKernels() { return UnderThisName<N_AVX3::CountingTargetKernels>(); }

#else

const internal::Kernels* CountingTargetKernels() {
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
LINEFILTER_TARGET_TABLE(CountingTargetKernels);

namespace internal {
const Kernels& CountingKernels() { return *LINEFILTER_DISPATCH(CountingTargetKernels)(); }
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
