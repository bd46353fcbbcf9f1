// A shared library of ours exports every public function and class, and nothing else. C reads this, too.
#ifndef LINEFILTER_INTERNAL_EXPORT_H_
#define LINEFILTER_INTERNAL_EXPORT_H_

#if defined(__GNUC__) && defined(__cplusplus)
#define LINEFILTER_VISIBILITY(kind) [[gnu::visibility(kind)]]  // goes with [[nodiscard]] of a class
#elif defined(__GNUC__)
// The two macros below are made of this.
#define LINEFILTER_VISIBILITY(kind) __attribute__((visibility(kind)))
#else
#define LINEFILTER_VISIBILITY(kind)
#endif

// With LINEFILTER_STATIC the library becomes part of the program or plugin that links it, which exports none of it. The
// CMake targets define it; a shared library needs no definition.
#if defined(LINEFILTER_STATIC)
#define LINEFILTER_EXPORT
#else
#define LINEFILTER_EXPORT LINEFILTER_VISIBILITY("default")
#endif

// A header of the C API declares everything between these two: as functions of C, which are all exported.
#if !defined(__GNUC__) || defined(LINEFILTER_STATIC)
#define LINEFILTER_VISIBLE(scope)
#else
#define LINEFILTER_VISIBLE(scope) _Pragma(scope)
#endif
#ifdef __cplusplus
#define LINEFILTER_C_BEGIN LINEFILTER_VISIBLE("GCC visibility push(default)") extern "C" {
#define LINEFILTER_C_END \
  }                      \
  LINEFILTER_VISIBLE("GCC visibility pop")
#else
#define LINEFILTER_C_BEGIN LINEFILTER_VISIBLE("GCC visibility push(default)")
#define LINEFILTER_C_END LINEFILTER_VISIBLE("GCC visibility pop")
#endif

// This marks what only the library calls in a public class. It may change without a new name of the shared library.
#define LINEFILTER_LOCAL LINEFILTER_VISIBILITY("hidden")

#endif  // LINEFILTER_INTERNAL_EXPORT_H_
