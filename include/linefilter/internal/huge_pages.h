// This wishes huge pages for memory that is about to be written, for the library and for what it appends to strings.
#ifndef LINEFILTER_INTERNAL_HUGE_PAGES_H_
#define LINEFILTER_INTERNAL_HUGE_PAGES_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"

namespace linefilter::internal {

inline constexpr size_t kHugePage = size_t{2} << 20;

// From this size on glibc's malloc maps memory for each object alone (its DEFAULT_MMAP_THRESHOLD_MAX), and unmaps it in
// free(). So what is wished for an object ends with it, and no other object on the heap is changed.
inline constexpr uint64_t kOwnMapping = uint64_t{32} << 20;

// Tells the system that the huge pages within these bytes are wanted. It is a wish, because small pages work too. Those
// that are there already stay small; lib/base/huge_pages.h joins them.
LINEFILTER_EXPORT void WishHugePages(void* memory, size_t size) noexcept;

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_HUGE_PAGES_H_
