#include "lib/c/image_memory.h"

#include <new>

#include "lib/base/memory.h"

namespace linefilter::internal {
namespace {

struct alignas(kAlignment) Owner {
  Allocator allocator;
  uint64_t bytes;  // the owner included
};

}  // namespace

void* AllocateImage(const Allocator& allocator, uint64_t size) {
  const uint64_t bytes = size + sizeof(Owner);
  void* const memory = Allocate(allocator, bytes);
  return memory == nullptr ? nullptr : new (memory) Owner{allocator, bytes} + 1;
}

}  // namespace linefilter::internal

void linefilter_image_free(void* image) {
  if (image == nullptr) return;
  linefilter::internal::Owner* const memory = static_cast<linefilter::internal::Owner*>(image) - 1;
  const linefilter::internal::Owner owner = *memory;
  linefilter::internal::Deallocate(owner.allocator, memory, owner.bytes);
}
