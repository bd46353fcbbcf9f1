// How a filter of the layout `counting` is filled and keys are taken out of it, one source for Highway's targets.
#include "lib/layouts/counting/body.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/counting/changes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/counting/counters-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

struct Insert : OnLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    const LaneTag d;
    LaneVec zeros = hn::Zero(d);
    for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
      const LaneVec lanes = LoadCounters(d, block, lane), shifts = Shifts(d, xs, lane);
      const LaneVec values = Values(d, lanes, shifts), ones = Ones(d, lane_ones, x, lane);
      zeros = hn::Or(zeros, hn::VecFromMask(d, Zeros(d, values, ones)));
      StoreCounters(d, hn::Add(lanes, Steps(d, values, ones, shifts)), block, lane);
    }
    return !AllZero(d, zeros);
  }
};
// Nothing is taken before all counters are known not to be 0.
struct Remove : OnLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
    const LaneTag d;
    if (HWY_UNLIKELY(!Test::Do(block, lane_ones, x, xs))) return false;
    for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
      const LaneVec lanes = LoadCounters(d, block, lane), shifts = Shifts(d, xs, lane);
      const LaneVec values = Values(d, lanes, shifts), ones = Ones(d, lane_ones, x, lane);
      StoreCounters(d, hn::Sub(lanes, Steps(d, values, ones, shifts)), block, lane);
    }
    return true;
  }
};

const internal::Changes* CountingTargetChanges() {
  static constexpr internal::Changes changes = {One<Insert>, ChangeBatch<Insert>, One<Remove>, ChangeBatch<Remove>};
  return &changes;
}

void CountingTargetBuildRange(const ProbeState& state, const internal::BlockRange& range) {
  BuildRange<Insert>(state, range);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(CountingTargetChanges);
LINEFILTER_TARGET_TABLE(CountingTargetBuildRange);

namespace internal {

void CountingBuildRange(const ProbeState& state, const BlockRange& range, void*) {
  LINEFILTER_DISPATCH(CountingTargetBuildRange)(state, range);
}

extern const LayoutChanges kCountingChanges;
constexpr LayoutChanges kCountingChanges = {
    [](const ProbeState&) -> const Changes& { return *LINEFILTER_DISPATCH(CountingTargetChanges)(); }};

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
