// The layouts that can do something, named in a sentence: "blocked, classic or counting". So messages know a new
// layout.
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_NAMES_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_NAMES_H_

#include "linefilter/layout.h"

namespace linefilter::internal {

struct LayoutNames {
  char text[160];
};
// Those for which `wanted` is true, and then `also`, if it is not null; the last one stands behind `last`, as " or ".
LayoutNames NamesOf(bool (*wanted)(const LayoutFacts&), const char* also, const char* last);

// What a request may ask for: "blocked, ..., counting or auto".
inline LayoutNames BuildableNames() {
  return NamesOf([](const LayoutFacts& facts) { return facts.buildable; }, "auto", " or ");
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_NAMES_H_
