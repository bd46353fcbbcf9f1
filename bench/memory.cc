#include "bench/memory.h"

#include <sys/mman.h>

#include <cstring>

#include "bench/peer.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kHugePage = uint64_t{2} << 20;

}  // namespace

HugeBuffer::HugeBuffer(uint64_t size)
    : mapped_((size + kHugePage - 1) / kHugePage * kHugePage + kHugePage), size_(size) {
  raw_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw_ == MAP_FAILED) {
    Die("no memory for a filter of %llu MiB: leave the largest sizes out with --max-size",
        static_cast<unsigned long long>(size >> 20));
  }
  const uintptr_t aligned = (reinterpret_cast<uintptr_t>(raw_) + kHugePage - 1) / kHugePage * kHugePage;
  data_ = reinterpret_cast<uint8_t*>(aligned);
#if defined(MADV_HUGEPAGE)
  madvise(data_, mapped_ - kHugePage, MADV_HUGEPAGE);
#endif
  memset(data_, 0, size);  // every page is there before a clock starts
}

HugeBuffer::~HugeBuffer() { munmap(raw_, mapped_); }

Allocator HugeBuffer::SharedBy() {
  Allocator allocator;
  allocator.allocate = [](void* context, size_t size, size_t) noexcept -> void* {
    HugeBuffer* const buffer = static_cast<HugeBuffer*>(context);
    return size <= buffer->size() ? buffer->data() : nullptr;
  };
  allocator.deallocate = [](void*, void*, size_t, size_t) noexcept {};
  allocator.context = this;
  return allocator;
}

}  // namespace linefilter::bench
