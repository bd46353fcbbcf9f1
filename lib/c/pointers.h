// Room for pointers, one for each handle of an array that C hands over.
#ifndef LINEFILTER_LIB_C_POINTERS_H_
#define LINEFILTER_LIB_C_POINTERS_H_

#include <cstddef>
#include <cstdint>

#include "lib/base/memory.h"

namespace linefilter::internal {

// More than kOwn take memory for a moment.
template <class Pointer>
class Pointers {
 public:
  explicit Pointers(size_t size) noexcept : size_(size) {
    if (size <= kOwn) return;
    all_ = size > SIZE_MAX / sizeof(Pointer) ? nullptr
                                             : static_cast<Pointer*>(Allocate(Allocator(), size * sizeof(Pointer)));
  }
  Pointers(const Pointers&) = delete;
  Pointers& operator=(const Pointers&) = delete;
  ~Pointers() {
    if (all_ != own_ && all_ != nullptr) Deallocate(Allocator(), all_, size_ * sizeof(Pointer));
  }

  Pointer* get() noexcept { return all_; }  // null if there was no memory
  uint64_t bytes() const noexcept { return size_ > SIZE_MAX / sizeof(Pointer) ? SIZE_MAX : size_ * sizeof(Pointer); }

 private:
  static constexpr size_t kOwn = 64;

  size_t size_;
  Pointer own_[kOwn];
  Pointer* all_ = own_;
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_C_POINTERS_H_
