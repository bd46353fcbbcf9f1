// Arrays that are read once, in order, come by the CPU's own prefetcher, but that ends at each page. Then a loop that
// takes some nanoseconds per element waits for memory, and so do the prefetches that depend on the element.
#ifndef LINEFILTER_LIB_BASE_PAGE_AHEAD_H_
#define LINEFILTER_LIB_BASE_PAGE_AHEAD_H_

#include <cstdint>

#include "linefilter/internal/compiler.h"

namespace linefilter::internal {

// Fetches the line a page behind `at`, which need not exist: once per line is enough. On AVX2 (Zen 5) 1e6 words of
// 10 MB take 4.1 in place of 5.8 ns each, and `retrieval` at 375 MB takes 3.84 in place of 4.57 ns for each of 4e6
// hashes. It is always inlined: g++ 12 drops a call of a function that only prefetches.
LINEFILTER_INLINE void FetchPageAhead(const void* at) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<uintptr_t>(at) + 4096));
#else
  (void)at;
#endif
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_PAGE_AHEAD_H_
