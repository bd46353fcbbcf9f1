// This finds the makers of layouts by id.

#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

#define LINEFILTER_LAYOUT(Name) extern const LayoutMaker k##Name##Maker;
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT

namespace {

constexpr ById<LayoutMaker> kMakers = {
#define LINEFILTER_LAYOUT(Name) &k##Name##Maker,
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT
};

}  // namespace

const LayoutMaker* FindMaker(Layout layout) {
  const LayoutMaker* const maker = kMakers.Find(layout);
  return maker == nullptr || maker->sizing.expected_fpr == nullptr ? nullptr : maker;
}

}  // namespace linefilter::internal
