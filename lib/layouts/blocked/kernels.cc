// The kernels of the layout `blocked`, one source for Highway's targets. block_loops-inl.h has the loops over a batch.
//
// Two tables have the same functions: for a filter that one thread fills, and that many fill (shared_block-inl.h).
#include "lib/layouts/kernels.h"

#include "lib/layouts/blocked/body.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/blocked/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/blocks/shared_block-inl.h"
#include "linefilter/internal/test_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// This answers as TestBlock does. Where an instruction tells which lanes have a bit, it compares them as one word with
// those that take part. A key of a batch takes 1.02 instead of 1.32 ns (24 KB, AVX3 on Zen 4).
HWY_INLINE bool TestLanes(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  const LaneTag d;
  const LaneVec product = hn::Mul(xs, hn::Load(d, internal::kLaneMultipliers));
  const LaneVec bits = hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
  const unsigned some = _mm512_test_epi32_mask(LoadLanes(d, block).raw, bits.raw);
  return (internal::LanesOf(lane_ones)[x & 15] & ~some) == 0;
#else
  return TestBlock(block, lane_ones, x, xs);
#endif
}

// An action does this to the block of each key of a batch.
struct Test {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return TestLanes(block, lane_ones, x, xs);
  }
};
struct Insert {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return InsertIntoBlock(block, lane_ones, x, xs);
  }
};
struct TestShared {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return TestSharedBlock(block, lane_ones, x, xs);
  }
};
struct InsertShared {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return InsertIntoSharedBlock(block, lane_ones, x, xs);
  }
};

const internal::Kernels* TargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<Test, Insert>();
  return &kernels;
}

void TargetBuildRange(const ProbeState& state, const internal::BlockRange& range) { BuildRange<Insert>(state, range); }

const internal::Kernels* SharedTargetKernels() {
  static constexpr internal::Kernels kernels = KernelsOf<TestShared, InsertShared, true>();
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
HWY_EXPORT(TargetBuildRange);

namespace internal {
const Kernels& BlockedKernels() { return *LINEFILTER_DISPATCH(TargetKernels)(); }
const Kernels& SharedBlockedKernels() { return *LINEFILTER_DISPATCH(SharedTargetKernels)(); }
void BlockedBuildRange(const ProbeState& state, const BlockRange& range, void*) {
  LINEFILTER_DISPATCH(TargetBuildRange)(state, range);
}
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
