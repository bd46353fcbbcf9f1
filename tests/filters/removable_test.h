// What the parts of removable_test share.
#ifndef LINEFILTER_TESTS_FILTERS_REMOVABLE_TEST_H_
#define LINEFILTER_TESTS_FILTERS_REMOVABLE_TEST_H_

#include "linefilter/options.h"

namespace linefilter::test {

inline FilterOptions Removable(FilterOptions options) {
  options.removable = true;
  return options;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_FILTERS_REMOVABLE_TEST_H_
