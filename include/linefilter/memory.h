// Resources belong to the host: it says where memory comes from, how much of it, and where bytes go.
//
//   linefilter::FilterOptions options;
//   options.allocator = {allocate, deallocate, &arena};  // functions of yours
//   options.memory_limit = uint64_t{1} << 30;
#ifndef LINEFILTER_MEMORY_H_
#define LINEFILTER_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"

namespace linefilter {

// Allocation hooks. If all pointers are null, memory is 64-byte aligned, and mapped with transparent huge pages from 2
// MiB up. Both functions must be set or neither. Any thread that uses the object may call them. Neither they nor a sink
// may call into the object that they were given to.
struct Allocator {
  // Returns `size` bytes (content does not matter) aligned to `alignment`, a power of two; or null.
  void* (*allocate)(void* context, size_t size, size_t alignment) noexcept = nullptr;
  // Takes back what allocate gave, with the same size and alignment.
  void (*deallocate)(void* context, void* pointer, size_t size, size_t alignment) noexcept = nullptr;
  void* context = nullptr;  // handed to both
};

// An image is written to a sink, in order, in pieces of at most 1 MiB. False stops it (the writer reports kIoError).
struct Sink {
  bool (*write)(void* context, const void* data, size_t size) noexcept = nullptr;  // see above
  void* context = nullptr;                                                         // handed to write
};

// There is no limit but what the allocator gives.
inline constexpr uint64_t kNoMemoryLimit = ~uint64_t{0};

// The bytes of a huge page, of which memory of a filter is made from here up.
inline constexpr size_t kHugePage = size_t{2} << 20;

// Tells the system that the huge pages within these bytes are wanted: call it for memory of yours before the first byte
// of an image is written into it. It is a wish, because small pages work too. Pages that are there already stay small;
// FilterView::AdviseHugePages joins them. Any thread may call it.
LINEFILTER_EXPORT void WishHugePages(void* memory, size_t size) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_MEMORY_H_
