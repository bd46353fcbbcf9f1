// What the parts of size_test share: the layouts that take keys, and keys that were never before.
#ifndef LINEFILTER_TESTS_FILTERS_SIZE_TEST_H_
#define LINEFILTER_TESTS_FILTERS_SIZE_TEST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"
#include "tests/testing/building.h"
#include "tests/testing/layouts.h"
#include "tests/testing/options.h"
#include "tests/testing/random.h"

namespace linefilter::test {

inline std::vector<Layout> MutableLayouts() {
  std::vector<Layout> layouts;
  for (const Layout layout : EveryLayout()) {
    if (IsMutable(layout)) layouts.push_back(layout);
  }
  return layouts;
}

inline void InsertNew(KeyFilter* filter, uint64_t n, uint64_t* next) {
  for (uint64_t i = 0; i < n; ++i) filter->InsertHash(MixHash((*next)++));
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_SIZE_TEST_H_
