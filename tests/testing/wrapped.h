// Names of functions that the linker leads to a test: what it calls instead of f is __wrap_f; f itself is __real_f.
#ifndef LINEFILTER_TESTS_TESTING_WRAPPED_H_
#define LINEFILTER_TESTS_TESTING_WRAPPED_H_

#include <cstdint>

// LINEFILTER_WRAPPED(wrap, open): of functions that have a second name for large files, the one that the library calls
// (cmake/LinefilterTarget.cmake, linefilter_intercept of tests/CMakeLists.txt).
#if SIZE_MAX == UINT32_MAX
#define LINEFILTER_WRAPPED(which, name) __##which##_##name##64
#else
#define LINEFILTER_WRAPPED(which, name) __##which##_##name
#endif

#endif  // LINEFILTER_TESTS_TESTING_WRAPPED_H_
