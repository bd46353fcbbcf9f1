// Long lists of which each change runs a part, and tools/test.sh --nightly all (doc/TESTING.md names them).
#ifndef LINEFILTER_TESTS_TESTING_NIGHTLY_H_
#define LINEFILTER_TESTS_TESTING_NIGHTLY_H_

#include <cstdlib>
#include <vector>

namespace linefilter::test {

inline bool IsNightly() {
  const char* nightly = std::getenv("LINEFILTER_NIGHTLY");
  return nightly != nullptr && *nightly != 0;  // as the scripts understand it
}

// `some`, and in the night the others, too.
template <class T>
std::vector<T> SomeOrAll(std::vector<T> some, const std::vector<T>& others) {
  if (IsNightly()) some.insert(some.end(), others.begin(), others.end());
  return some;
}

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_NIGHTLY_H_
