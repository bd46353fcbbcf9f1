// This asks the compiler for things beyond C++17.
#ifndef LINEFILTER_INTERNAL_COMPILER_H_
#define LINEFILTER_INTERNAL_COMPILER_H_

// This inlines even into unoptimized code: else a file compiled for a newer CPU (linefilter/inline.h) could leave the
// program a copy with its instructions.
#if defined(__GNUC__)
#define LINEFILTER_INLINE inline __attribute__((always_inline))
#else
#define LINEFILTER_INLINE inline
#endif

#endif  // LINEFILTER_INTERNAL_COMPILER_H_
