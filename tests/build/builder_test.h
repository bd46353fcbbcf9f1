// What tests of FilterBuilder share: the options that most start from.
#ifndef LINEFILTER_TESTS_BUILD_BUILDER_TEST_H_
#define LINEFILTER_TESTS_BUILD_BUILDER_TEST_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "linefilter/builder.h"
#include "tests/testing/building.h"
#include "tests/testing/random.h"

namespace linefilter::test {

inline FilterOptions BitsPerKey(double bits_per_key, Layout layout = Layout::kAuto) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.layout = layout;
  return options;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_BUILD_BUILDER_TEST_H_
