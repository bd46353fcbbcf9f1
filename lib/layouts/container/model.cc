// A container is made of filters that others made, so it is neither sized nor built: its maker is empty.
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

extern const LayoutMaker kContainerMaker;
constexpr LayoutMaker kContainerMaker = {};

}  // namespace linefilter::internal
