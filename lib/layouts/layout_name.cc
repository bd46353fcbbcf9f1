#include "linefilter/layout.h"

namespace linefilter {

const char* LayoutName(Layout layout) noexcept {
  switch (layout) {
    case Layout::kAuto:
      return "auto";
    case Layout::kBlocked:
      return "blocked";
    case Layout::kClassic:
      return "classic";
    case Layout::kRetrieval:
      return "retrieval";
    case Layout::kCounting:
      return "counting";
    case Layout::kContainer:
      return "container";
  }
  return "unknown";
}

}  // namespace linefilter
