// How a filter of the layout `blocked` is filled, one source for Highway's targets; kernels.cc has how it is asked.
// A filter that many threads fill has kernels of its own, too (shared_block-inl.h).
#include "lib/layouts/blocked/body.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/blocked/changes.cc"
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

// An action does this to the block of each key of a batch.
struct Insert : OnLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return InsertIntoBlock(block, lane_ones, x, xs);
  }
};
struct TestShared : OnLines {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return TestSharedBlock(block, lane_ones, x, xs);
  }
};
struct InsertShared : OnLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    return InsertIntoSharedBlock(block, lane_ones, x, xs);
  }
};

const internal::Changes* TargetChanges() {
  static constexpr internal::Changes changes = {One<Insert>, ChangeBatch<Insert>};
  return &changes;
}

void TargetBuildRange(const ProbeState& state, const internal::BlockRange& range) { BuildRange<Insert>(state, range); }

const internal::Kernels* SharedTargetKernels() {
  static constexpr internal::Kernels kernels = AskingKernels<LoopOf<TestShared>>(One<TestShared>);
  return &kernels;
}

const internal::Changes* SharedTargetChanges() {
  static constexpr internal::Changes changes = {One<InsertShared>, ChangeBatch<InsertShared>};
  return &changes;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(TargetChanges);
LINEFILTER_TARGET_TABLE(TargetBuildRange);
LINEFILTER_TARGET_TABLE(SharedTargetKernels);
LINEFILTER_TARGET_TABLE(SharedTargetChanges);

namespace internal {

void BlockedBuildRange(const ProbeState& state, const BlockRange& range, void*) {
  LINEFILTER_DISPATCH(TargetBuildRange)(state, range);
}

extern const LayoutChanges kBlockedChanges;
constexpr LayoutChanges kBlockedChanges = {
    [](const ProbeState&) -> const Changes& { return *LINEFILTER_DISPATCH(TargetChanges)(); },
    []() -> const Changes& { return *LINEFILTER_DISPATCH(SharedTargetChanges)(); },
    []() -> const Kernels& { return *LINEFILTER_DISPATCH(SharedTargetKernels)(); }};

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
