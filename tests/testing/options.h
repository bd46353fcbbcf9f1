// The options that most tests start from.
#ifndef LINEFILTER_TESTS_TESTING_OPTIONS_H_
#define LINEFILTER_TESTS_TESTING_OPTIONS_H_

#include <cstdint>

#include "linefilter/options.h"

namespace linefilter::test {

inline FilterOptions BitsPerKey(double bits_per_key, Layout layout = Layout::kAuto) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.layout = layout;
  return options;
}

inline FilterOptions Fpr(double fpr, Layout layout = Layout::kAuto) {
  FilterOptions options;
  options.fpr = fpr;
  options.layout = layout;
  return options;
}

// The same in that layout.
inline FilterOptions WithLayout(Layout layout, FilterOptions options) {
  options.layout = layout;
  return options;
}

// The same with a keyed hash, whose secret differs in its first byte from others that are made so.
inline FilterOptions Keyed(FilterOptions options, uint8_t secret = 1) {
  options.hash_id = HashId::kKeyed;
  options.secret.bytes[0] = secret;
  return options;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_OPTIONS_H_
