// This finds the changes of layouts by id.
#include <cstring>

#include "lib/layouts/layout_changes.h"

namespace linefilter::internal {

#define LINEFILTER_LAYOUT(Name) extern const LayoutChanges k##Name##Changes;
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT

namespace {

constexpr ById<LayoutChanges> kLayoutChanges = {
#define LINEFILTER_LAYOUT(Name) &k##Name##Changes,
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT
};

bool InsertNothing(const ProbeState&, uint64_t) { return false; }

uint64_t InsertNothingBatch(const ProbeState&, const uint64_t*, size_t n, uint8_t* were_new) {
  if (were_new != nullptr && n != 0) memset(were_new, 0, n);
  return 0;
}

constexpr Changes kNoChanges = {InsertNothing, InsertNothingBatch};

}  // namespace

bool RemoveNothing(const ProbeState&, uint64_t) { return false; }

uint64_t RemoveNothingBatch(const ProbeState&, const uint64_t*, size_t n, uint8_t* were_removed) {
  if (were_removed != nullptr && n != 0) memset(were_removed, 0, n);
  return 0;
}

const Changes& NoChanges() { return kNoChanges; }

const LayoutChanges* FindChanges(Layout layout) { return kLayoutChanges.Find(layout); }

const Changes& ChangesOf(Layout layout, const ProbeState& state) {
  const LayoutChanges* const of_layout = state.num_units == 0 ? nullptr : FindChanges(layout);
  if (of_layout == nullptr || of_layout->changes == nullptr) return NoChanges();
  return state.is_shared ? of_layout->shared_changes() : of_layout->changes(state);
}

void BindSharedBody(Layout layout, const BodyParts& parts, ProbeState* state) {
  BindBody(*FindLayout(layout), parts, state);
  if (parts.body_bytes == 0) return;
  UseKernels(FindChanges(layout)->shared_kernels(), state);
  state->inline_test = InlineTest::kNone;
  state->is_shared = true;
}

}  // namespace linefilter::internal
