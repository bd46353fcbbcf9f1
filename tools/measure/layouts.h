// Help texts and messages list the layouts that a user can choose so.
#ifndef LINEFILTER_TOOLS_MEASURE_LAYOUTS_H_
#define LINEFILTER_TOOLS_MEASURE_LAYOUTS_H_

#include <string>
#include <vector>

#include "linefilter/layout.h"

namespace linefilter::tools {

inline std::vector<Layout> BuildableLayouts() {
  std::vector<Layout> layouts;
  for (const Layout layout : SupportedLayouts()) {
    if (FactsOf(layout).buildable) layouts.push_back(layout);
  }
  return layouts;
}

// Whether an image of it is the only way to have one: no key can be inserted.
inline bool IsBuiltAtOnce(Layout layout) { return FactsOf(layout).buildable && !FactsOf(layout).takes_keys; }

// Lists "auto, blocked, classic, ...", or without "auto"; or without what nobody can make empty, and fill.
inline std::string LayoutChoices(bool with_auto, bool made_empty = false, const char* separator = ", ") {
  std::string names = with_auto ? LayoutName(Layout::kAuto) : "";
  for (const Layout layout : BuildableLayouts()) {
    if (made_empty && IsBuiltAtOnce(layout)) continue;
    names += (names.empty() ? "" : separator) + std::string(LayoutName(layout));
  }
  return names;
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_LAYOUTS_H_
