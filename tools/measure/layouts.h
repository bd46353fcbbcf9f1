// The layouts that this library can make, found by asking it, so that a new one appears in the program by itself.
#ifndef LINEFILTER_TOOLS_MEASURE_LAYOUTS_H_
#define LINEFILTER_TOOLS_MEASURE_LAYOUTS_H_

#include <string>
#include <vector>

#include "linefilter/layout.h"

namespace linefilter::tools {

inline std::vector<Layout> ImplementedLayouts() {
  std::vector<Layout> layouts;
  for (int id = 1; id < 256; ++id) {
    const Layout layout = static_cast<Layout>(id);
    Layout parsed = Layout::kAuto;
    if (ParseLayout(LayoutName(layout), &parsed) && parsed == layout) layouts.push_back(layout);
  }
  return layouts;
}

// "auto, blocked, classic, ...", or without "auto"; or without what nobody can make empty, and fill.
inline std::string LayoutChoices(bool with_auto, bool made_empty = false) {
  std::string names = with_auto ? LayoutName(Layout::kAuto) : "";
  for (const Layout layout : ImplementedLayouts()) {
    if (made_empty && layout == Layout::kRetrieval) continue;
    names += (names.empty() ? "" : ", ") + std::string(LayoutName(layout));
  }
  return names;
}

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_MEASURE_LAYOUTS_H_
