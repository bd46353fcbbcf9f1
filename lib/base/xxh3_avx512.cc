// LongXxh3 for CPUs with AVX-512.
#include "lib/base/xxh3.h"

#if LINEFILTER_XXH3_AGAIN

// What xxHash includes comes first: inline functions of others are not to be compiled for this target.
#include <emmintrin.h>
#include <immintrin.h>

#include <cassert>
#include <climits>
#include <cstdlib>
#include <cstring>

#define LINEFILTER_XXH3_NAME LongXxh3OfAvx512
#define XXH_VECTOR XXH_AVX512
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#include "lib/base/xxh3_again.inc"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC diagnostic ignored "-Wuninitialized"  // g++ 12 warns of its own intrinsics (its bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC target("avx512f")
#include "lib/base/xxh3_again.inc"
#pragma GCC pop_options
#endif

#endif  // LINEFILTER_XXH3_AGAIN
