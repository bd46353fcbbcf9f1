// All layouts that the library implements, found by their names: what is measured of layouts is measured of each.
#ifndef LINEFILTER_BENCH_LAYOUTS_H_
#define LINEFILTER_BENCH_LAYOUTS_H_

#include <memory>
#include <vector>

#include "linefilter/filter.h"
#include "linefilter/layout.h"

namespace linefilter::bench {

inline std::vector<Layout> AllLayouts() {
  std::vector<Layout> layouts;
  for (int id = 1; id < 256; ++id) {
    const Layout layout = static_cast<Layout>(id);
    Layout parsed;
    if (ParseLayout(LayoutName(layout), &parsed) && parsed == layout) layouts.push_back(layout);
  }
  return layouts;
}

// A filter that takes single keys; null if the layout has none: it is always built. The one place to tell of a new
// layout, if it has one.
inline std::unique_ptr<MutableFilter> NewMutable(Layout layout, uint64_t num_keys, const FilterOptions& options,
                                                 Status* status) {
  const auto create = [&](auto filter) -> std::unique_ptr<MutableFilter> {
    *status = filter->Create(num_keys, options);
    return filter;
  };
  if (layout == Layout::kBlocked) return create(std::make_unique<BlockedFilter>());
  if (layout == Layout::kClassic) return create(std::make_unique<ClassicFilter>());
  if (layout == Layout::kCounting) return create(std::make_unique<CountingBlockedFilter>());
  return nullptr;
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_LAYOUTS_H_
