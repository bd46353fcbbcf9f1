// This counts what lies around a filter in MemoryUse and memory_limit: the handle of C, the object that owns it.
#ifndef LINEFILTER_LIB_FILTERS_AROUND_H_
#define LINEFILTER_LIB_FILTERS_AROUND_H_

#include <cstdint>

#include "linefilter/key_filter.h"

namespace linefilter::internal {

struct Around {
  // Before the filter is created.
  static void Count(uint64_t bytes, KeyFilter* filter) { filter->around_ = bytes; }
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_AROUND_H_
