// How a filter of the layout `quotient` is filled and keys are taken out of it, one source for Highway's targets.
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/body.h"
#include "lib/layouts/quotient/range.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/quotient/changes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/quotient/insert-inl.h"
#include "lib/layouts/quotient/remove-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

#if LINEFILTER_SAME_AS_AVX3

const internal::Changes* QuotientTargetChanges(bool multiset) { return N_AVX3::QuotientTargetChanges(multiset); }
void QuotientTargetBuildRange(const ProbeState& state, const internal::BlockRange& range) {
  N_AVX3::QuotientTargetBuildRange(state, range);
}

#else

// lane_ones is not null in a multiset.
struct Insert : OnLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec) {
    const uint32_t q = internal::QuotientOf(x);
    return lane_ones != nullptr ? InsertEntry<false>(q, block) : InsertEntry<true>(q, block);
  }
};
struct Remove : OnLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t*, uint32_t x, LaneVec) {
    return RemoveEntry(internal::QuotientOf(x), block);
  }
};

const internal::Changes* QuotientTargetChanges(bool multiset) {
  static constexpr internal::Changes of_set = {One<Insert>, ChangeBatch<Insert>};
  static constexpr internal::Changes of_multiset = {One<Insert>, ChangeBatch<Insert>, One<Remove>, ChangeBatch<Remove>};
  return multiset ? &of_multiset : &of_set;
}

void QuotientTargetBuildRange(const ProbeState& state, const internal::BlockRange& range) {
  BuildRange<Insert>(state, range);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(QuotientTargetChanges);
LINEFILTER_TARGET_TABLE(QuotientTargetBuildRange);

namespace internal {

void QuotientBuildRange(const ProbeState& state, const BlockRange& range, void* scratch) {
  if (scratch != nullptr) return QuotientMakeRange(state, range, scratch);
  LINEFILTER_DISPATCH(QuotientTargetBuildRange)(state, range);
}

extern const LayoutChanges kQuotientChanges;
constexpr LayoutChanges kQuotientChanges = {[](const ProbeState& state) -> const Changes& {
  return *LINEFILTER_DISPATCH(QuotientTargetChanges)(state.num_probes == kQuotientMultiset);
}};

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
