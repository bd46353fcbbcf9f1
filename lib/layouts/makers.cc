// This finds the makers of layouts by id.
#include <iterator>

#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

#define LINEFILTER_LAYOUT(Name) extern const LayoutMaker k##Name##Maker;
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT

namespace {

constexpr const LayoutMaker* kMakers[] = {
#define LINEFILTER_LAYOUT(Name) &k##Name##Maker,
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT
};

}  // namespace

const LayoutMaker* FindMaker(Layout layout) {
  const size_t row = static_cast<size_t>(layout) - 1;  // the row of kAuto wraps
  const LayoutMaker* const maker = row < std::size(kMakers) ? kMakers[row] : nullptr;
  return maker == nullptr || maker->sizing.expected_fpr == nullptr ? nullptr : maker;
}

}  // namespace linefilter::internal
