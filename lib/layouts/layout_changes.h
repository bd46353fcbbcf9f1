// LayoutChanges are how a filter of a layout that takes keys is changed, and how it is asked while others change it.
// They are apart from the LayoutRecord, so that a reader of images links none of them (layout_record.h).
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_CHANGES_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_CHANGES_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/internal/probe_state.h"
#include "linefilter/layout.h"

namespace linefilter::internal {

// These are remove and remove_batch where no key can be taken out: each is refused.
bool RemoveNothing(const ProbeState& state, uint64_t hash);
uint64_t RemoveNothingBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_removed);

// The body is written through its const pointer: the caller owns it mutably.
struct Changes {
  // True or 1 = certainly new; were_new may be null.
  bool (*insert)(const ProbeState& state, uint64_t hash);
  uint64_t (*insert_batch)(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new);
  // False or 0 means refused: the key was certainly absent. By default no key can be taken out.
  bool (*remove)(const ProbeState& state, uint64_t hash) = RemoveNothing;
  uint64_t (*remove_batch)(const ProbeState& state, const uint64_t* hashes, size_t n,
                           uint8_t* were_removed) = RemoveNothingBatch;
};

// Those of a filter that takes no key: nothing that is inserted is new.
const Changes& NoChanges();

// Each is for the chosen target, and null if the layout has none.
struct LayoutChanges {
  const Changes& (*changes)(const ProbeState& state) = nullptr;
  // The same for a body that several threads fill and ask at once.
  const Changes& (*shared_changes)() = nullptr;
  const Kernels& (*shared_kernels)() = nullptr;
};

// Finds those of a layout; null for an id that this library does not implement.
const LayoutChanges* FindChanges(Layout layout);

// How the body that `state` is bound to is changed.
const Changes& ChangesOf(Layout layout, const ProbeState& state);
// Does what BindBody does, for a body that several threads fill and ask at once.
void BindSharedBody(Layout layout, const BodyParts& parts, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_CHANGES_H_
