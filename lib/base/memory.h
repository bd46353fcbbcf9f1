// This gets memory for bodies and hashes, through the host's hooks or by default.
#ifndef LINEFILTER_LIB_BASE_MEMORY_H_
#define LINEFILTER_LIB_BASE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

inline constexpr size_t kAlignment = 64;

inline uint64_t RoundUp(uint64_t bytes, uint64_t to = kAlignment) { return (bytes + to - 1) / to * to; }

// Returns 64-byte aligned memory; null if there is none, or if it is more than half of what a size_t counts (so no
// caller needs to ask whether its bytes fit). size > 0. By default it is mapped from 2 MiB up, aligned to 2 MiB and
// advised to be huge pages.
void* Allocate(const Allocator& allocator, uint64_t size);
void* AllocateZeroed(const Allocator& allocator, uint64_t size);
// Whether Allocate gives memory that is zero, and not yet mapped: the thread that works on it should touch it first.
bool AllocatesZeros(const Allocator& allocator, uint64_t size);
void Deallocate(const Allocator& allocator, void* pointer, uint64_t size);
// Whether the end of `size` bytes can be given back, the first `less` staying in place: only mapped memory can.
bool CanShrink(const Allocator& allocator, uint64_t size, uint64_t less);
// If it can, this makes them `less` bytes.
void Shrink(void* pointer, uint64_t size, uint64_t less);

// Both hooks must be set or neither.
Status CheckAllocator(const Allocator& allocator);

Status OutOfMemory(uint64_t bytes);
Status OverLimit(uint64_t bytes, uint64_t limit);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_MEMORY_H_
