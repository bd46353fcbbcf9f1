// Memory for bodies and hashes, through the host's hooks or by default.
#ifndef LINEFILTER_LIB_BASE_MEMORY_H_
#define LINEFILTER_LIB_BASE_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

inline constexpr size_t kAlignment = 64;

inline uint64_t RoundUp(uint64_t bytes, uint64_t to = kAlignment) { return (bytes + to - 1) / to * to; }

// 64-byte aligned; null if there is none, or if it is more than half of what a size_t counts (so no caller needs to ask
// whether its bytes fit). size > 0. Default: from 2 MiB up mapped, aligned to 2 MiB and advised to be huge pages.
void* Allocate(const Allocator& allocator, uint64_t size);
void* AllocateZeroed(const Allocator& allocator, uint64_t size);
// Does Allocate give memory that is zero, and not yet mapped? Who works on it first should then touch it first.
bool AllocatesZeros(const Allocator& allocator, uint64_t size);
void Deallocate(const Allocator& allocator, void* pointer, uint64_t size);
// Can the end of `size` bytes be given back, the first `less` staying where they are? Only of mapped memory.
bool CanShrink(const Allocator& allocator, uint64_t size, uint64_t less);
// If it can: from now on they are `less` bytes.
void Shrink(void* pointer, uint64_t size, uint64_t less);

// Both hooks or neither.
Status CheckAllocator(const Allocator& allocator);

Status OutOfMemory(uint64_t bytes);
Status OverLimit(uint64_t bytes, uint64_t limit);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BASE_MEMORY_H_
