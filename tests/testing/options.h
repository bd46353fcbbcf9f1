// The options that most tests start from.
#ifndef LINEFILTER_TESTS_TESTING_OPTIONS_H_
#define LINEFILTER_TESTS_TESTING_OPTIONS_H_

#include "linefilter/options.h"

namespace linefilter::test {

inline FilterOptions BitsPerKey(double bits_per_key) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  return options;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_OPTIONS_H_
