// What tests of an engine's policy share: options, layouts, and keys of a database.
#ifndef LINEFILTER_TESTS_TESTING_ENGINE_H_
#define LINEFILTER_TESTS_TESTING_ENGINE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "linefilter/hash.h"
#include "linefilter/options.h"
#include "tests/testing/layouts.h"

namespace linefilter::test {

inline EngineFilterOptions BitsPerKey(double bits_per_key, Layout layout = Layout::kAuto) {
  EngineFilterOptions options;
  options.bits_per_key = bits_per_key;
  options.layout = layout;
  return options;
}

inline std::vector<Layout> AutoAndEveryLayout() {
  std::vector<Layout> layouts = EveryLayout();
  layouts.insert(layouts.begin(), Layout::kAuto);
  return layouts;
}

// Key i of a database: 16 hex digits in no order, so that absent keys lie between those that are there.
inline std::string EngineKey(uint64_t i) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(MixHash(i)));
  return text;
}

// The keys first, first + 1, ... are sorted, as engines hand them over.
inline std::vector<std::string> Keys(uint64_t first, size_t n) {
  std::vector<std::string> keys;
  for (uint64_t i = first; i < first + n; ++i) keys.push_back(EngineKey(i));
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_ENGINE_H_
