// Allocation hooks over one fixed piece of memory: cheap enough for each execution, so little that a size from a header
// cannot go unnoticed, and strict: what is deallocated has its size, what is not is a leak, what lies between two
// blocks or was freed is poisoned. It can be told to run out of memory.
#ifndef LINEFILTER_TESTS_FUZZ_ARENA_H_
#define LINEFILTER_TESTS_FUZZ_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "linefilter/memory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/poison.h"

namespace linefilter::fuzz {

class Arena {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  // Meant to be static.
  explicit Arena(size_t capacity)
      : memory_(static_cast<uint8_t*>(std::aligned_alloc(kSpace, capacity))), capacity_(capacity) {
    FUZZ_REQUIRE(memory_ != nullptr);
    Poison(memory_, capacity_);
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Before each execution. The allocation number `fail_from` (0 is the first) returns null, and all after it.
  void Reset(uint64_t fail_from = kNever) {
    RequireAllFreed();
    used_ = kSpace;
    num_blocks_ = 0;
    live_bytes_ = peak_bytes_ = 0;
    fail_from_ = fail_from;
    refused_ = false;
  }
  void FailNoMore() { fail_from_ = kNever; }
  Allocator hooks() { return Allocator{&Allocate, &Deallocate, this}; }

  void RequireAllFreed() const { FUZZ_REQUIRE(live_bytes_ == 0); }
  uint64_t peak_bytes() const { return peak_bytes_; }
  // An allocation returned null.
  bool refused() const { return refused_; }

 private:
  static constexpr size_t kSpace = 64, kMostBlocks = 4096;
  struct Block {
    uint8_t* begin;
    size_t size;
    bool live;
  };

  static void* Allocate(void* context, size_t size, size_t alignment) noexcept {
    Arena* const self = static_cast<Arena*>(context);
    FUZZ_REQUIRE(size != 0 && alignment == kSpace);
    const bool fits = size <= self->capacity_ && self->used_ + size + 2 * kSpace <= self->capacity_;
    if (!fits || self->num_blocks_ >= std::min<uint64_t>(self->fail_from_, kMostBlocks)) {
      self->refused_ = true;
      return nullptr;
    }
    uint8_t* const begin = self->memory_ + self->used_;
    self->used_ += (size + kSpace - 1) / kSpace * kSpace + kSpace;
    self->blocks_[self->num_blocks_++] = {begin, size, true};
    self->live_bytes_ += size;
    self->peak_bytes_ = std::max(self->peak_bytes_, self->live_bytes_);
    Unpoison(begin, size);
    return begin;
  }

  static void Deallocate(void* context, void* pointer, size_t size, size_t alignment) noexcept {
    Arena* const self = static_cast<Arena*>(context);
    for (size_t i = self->num_blocks_; i-- != 0;) {
      Block& block = self->blocks_[i];
      if (block.begin != pointer) continue;
      FUZZ_REQUIRE(block.live && block.size == size && alignment == kSpace);
      block.live = false;
      self->live_bytes_ -= size;
      Poison(pointer, size);
      return;
    }
    FUZZ_REQUIRE(false && "deallocated what was never allocated");
  }

  uint8_t* const memory_;
  const size_t capacity_;
  size_t used_ = kSpace, num_blocks_ = 0;
  uint64_t live_bytes_ = 0, peak_bytes_ = 0, fail_from_ = kNever;
  bool refused_ = false;
  Block blocks_[kMostBlocks];
};

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_ARENA_H_
