// LongXxh3 for CPUs with AVX2.
#include "lib/base/xxh3.h"

#if LINEFILTER_XXH3_AGAIN

// What xxHash includes comes first: inline functions of others are not to be compiled for this target.
#include <emmintrin.h>
#include <immintrin.h>

#include <cassert>
#include <climits>
#include <cstdlib>
#include <cstring>

#define LINEFILTER_XXH3_NAME LongXxh3OfAvx2
#define XXH_VECTOR XXH_AVX2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#include "lib/base/xxh3_again.inc"
#pragma clang attribute pop
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#include "lib/base/xxh3_again.inc"
#pragma GCC pop_options
#endif

#endif  // LINEFILTER_XXH3_AGAIN
