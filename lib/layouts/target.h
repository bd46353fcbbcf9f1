// We keep the chosen target ourselves: forcing it must not steer the embedder's own use of Highway.
#ifndef LINEFILTER_LIB_LAYOUTS_TARGET_H_
#define LINEFILTER_LIB_LAYOUTS_TARGET_H_

#include <cstddef>

namespace linefilter::internal {

// The chosen target's place in a table made by HWY_EXPORT. It is kept ready, because engines open a filter per lookup.
size_t TargetTableIndex();

}  // namespace linefilter::internal

// This is HWY_DYNAMIC_DISPATCH for the target that this library chose.
#define LINEFILTER_DISPATCH(function) (*(HWY_DISPATCH_TABLE(function)[::linefilter::internal::TargetTableIndex()]))

#endif  // LINEFILTER_LIB_LAYOUTS_TARGET_H_
