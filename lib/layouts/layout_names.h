// This names the layouts that can do something in a sentence: "blocked, classic or retrieval". So messages know new
// ones.
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_NAMES_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_NAMES_H_

#include "linefilter/layout.h"

namespace linefilter::internal {

struct LayoutNames {
  char text[160];
};
// Names those for which `wanted` is true, and then `also`, if it is not null; the last is behind `last`, like " or ".
LayoutNames NamesOf(bool (*wanted)(const LayoutFacts&), const char* also, const char* last);

// The layouts that a request may ask for: "blocked, ..., quotient or auto".
inline LayoutNames BuildableNames() {
  return NamesOf([](const LayoutFacts& facts) { return facts.buildable; }, "auto", " or ");
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_NAMES_H_
