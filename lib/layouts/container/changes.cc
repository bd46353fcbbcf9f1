// The kernels of several filters that answer as one and have an owner, who may change them meanwhile
// (lib/layouts/stages.h). This is one source for all of Highway's targets. kernels.cc has those of an image.
#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/container/body.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/target.h"
#include "lib/layouts/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/container/changes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/container/sieve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// Owners of stages insert by themselves.
const internal::Kernels* StagesTable() {
  static constexpr internal::Kernels kernels = {TargetName, MayContain<Alone, ArrayCursor>, StagesToBytes, StagesToBits,
                                                CountInStages};
  return &kernels;
}

const internal::Kernels* SharedStagesTable() {
  static constexpr internal::Kernels kernels = AskingKernels<LoopOf<Shared>>(MayContain<Shared, SharedCursor>);
  return &kernels;
}

internal::MayContainFunction StagesSingle(size_t num_stages, bool is_shared) {
  return is_shared ? MayContainOfSome<Shared, SharedCursor>(num_stages)
                   : MayContainOfSome<Alone, ArrayCursor>(num_stages);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(StagesTable);
LINEFILTER_TARGET_TABLE(SharedStagesTable);
LINEFILTER_TARGET_TABLE(StagesSingle);

namespace internal {

extern const LayoutChanges kContainerChanges;
constexpr LayoutChanges kContainerChanges = {};

void BindStages(const Stage* stages, uint32_t num_stages, bool is_shared, ProbeState* state) {
  const Stage& newest = stages[num_stages - 1];
  BindBlocks(InlineTest::kNone, newest.body, kBlockBytes * newest.num_blocks, 0, state);
  state->lane_ones = newest.lane_ones;
  state->num_stages = static_cast<uint8_t>(num_stages);
  state->stages = stages;
  state->is_shared = is_shared;
  if (num_stages == 1) {  // a filter of one body, to whose kernels `state` tells all they need
    const LayoutRecord& record = StageLayout();
    return UseKernels(is_shared ? FindChanges(record.layout)->shared_kernels() : record.kernels(), state);
  }
  state->kernels = is_shared ? LINEFILTER_DISPATCH(SharedStagesTable)() : LINEFILTER_DISPATCH(StagesTable)();
  state->may_contain = LINEFILTER_DISPATCH(StagesSingle)(num_stages, is_shared);
}

void BindWindows(Windows* windows, const Stage* stages, uint32_t num_stages, ProbeState* state) {
  Reset(state);
  state->num_stages = static_cast<uint8_t>(num_stages);
  state->num_probes = static_cast<uint16_t>(stages[0].num_probes);
  state->stages = stages;
  state->is_shared = state->changes = true;
  state->owner = windows;
  state->may_contain = LINEFILTER_DISPATCH(StagesSingle)(num_stages, true);
}

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
