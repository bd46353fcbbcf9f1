// Kernels of the layout `blocked`, one source for all of Highway's targets; the loops over a batch are those of
// block_loops-inl.h.
//
// Two tables of the same functions: of a filter that one thread fills, and of one that many fill (shared_block-inl.h).
#include "lib/kernels/kernels.h"
#include "lib/kernels/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/kernels/blocked.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "hwy/highway.h"
#include "lib/kernels/block_loops-inl.h"
#include "lib/kernels/shared_block-inl.h"
#include "linefilter/inline.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// What is done to the block of each key of a batch.
struct Test {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
    return TestBlock(block, lane_ones, x);
  }
};
struct Insert {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
    return InsertIntoBlock(block, lane_ones, x);
  }
};
struct TestShared {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
    return TestSharedBlock(block, lane_ones, x);
  }
};
struct InsertShared {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
    return InsertIntoSharedBlock(block, lane_ones, x);
  }
};

const internal::Kernels* TargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<Test, Insert>(BuildRange<Insert>);
  return &kernels;
}

const internal::Kernels* SharedTargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<TestShared, InsertShared>(nullptr);
  return &kernels;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
HWY_EXPORT(TargetKernels);
HWY_EXPORT(SharedTargetKernels);

namespace internal {
const Kernels& BlockedKernels() { return *LINEFILTER_DISPATCH(TargetKernels)(); }
const Kernels& SharedBlockedKernels() { return *LINEFILTER_DISPATCH(SharedTargetKernels)(); }
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
