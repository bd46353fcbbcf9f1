// Allocation hooks that count, that fail when told to, and that notice a wrong deallocation.
#ifndef LINEFILTER_TESTS_TESTING_TEST_ALLOCATOR_H_
#define LINEFILTER_TESTS_TESTING_TEST_ALLOCATOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "gtest/gtest.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"

namespace linefilter::test {

class TestAllocator {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  TestAllocator() = default;
  TestAllocator(const TestAllocator&) = delete;
  TestAllocator& operator=(const TestAllocator&) = delete;
  ~TestAllocator() { EXPECT_TRUE(blocks_.empty()) << blocks_.size() << " allocations were leaked"; }

  Allocator hooks() { return Allocator{&Allocate, &Deallocate, this}; }
  // The options of a filter or a builder whose memory comes from here.
  FilterOptions WithHooks(FilterOptions options = {}) {
    options.allocator = hooks();
    return options;
  }

  // The allocation number `n` from now (0 is the next) fails, and all after it.
  void FailFrom(uint64_t n) { fail_from_ = n == kNever ? kNever : num_allocations_ + n; }

  uint64_t live_bytes() const { return live_bytes_; }
  uint64_t live_blocks() const { return blocks_.size(); }
  uint64_t peak_bytes() const { return peak_bytes_; }
  uint64_t num_allocations() const { return num_allocations_; }
  bool Owns(const void* pointer) const {
    auto after = blocks_.upper_bound(reinterpret_cast<uintptr_t>(pointer));
    if (after == blocks_.begin()) return false;
    --after;
    return reinterpret_cast<uintptr_t>(pointer) < after->first + after->second.size;
  }

 private:
  struct Block {
    size_t size, alignment;
  };

  static void* Allocate(void* context, size_t size, size_t alignment) noexcept {
    auto* self = static_cast<TestAllocator*>(context);
    const std::lock_guard<std::mutex> lock(self->mutex_);
    EXPECT_GT(size, 0u);
    EXPECT_EQ(alignment & (alignment - 1), 0u) << "an alignment is a power of two";
    if (self->num_allocations_++ >= self->fail_from_) return nullptr;
    const size_t real = std::max(alignment, sizeof(void*));
    void* pointer = std::aligned_alloc(real, (size + real - 1) / real * real);
    if (pointer == nullptr) return nullptr;
    std::memset(pointer, 0xa5, size);  // the content does not matter: who relies on zeros is found
    self->blocks_[reinterpret_cast<uintptr_t>(pointer)] = Block{size, alignment};
    self->live_bytes_ += size;
    self->peak_bytes_ = std::max(self->peak_bytes_, self->live_bytes_);
    return pointer;
  }

  static void Deallocate(void* context, void* pointer, size_t size, size_t alignment) noexcept {
    auto* self = static_cast<TestAllocator*>(context);
    const std::lock_guard<std::mutex> lock(self->mutex_);
    const auto found = self->blocks_.find(reinterpret_cast<uintptr_t>(pointer));
    ASSERT_NE(found, self->blocks_.end()) << "deallocated twice, or never allocated";
    EXPECT_EQ(found->second.size, size);
    EXPECT_EQ(found->second.alignment, alignment);
    self->live_bytes_ -= found->second.size;
    self->blocks_.erase(found);
    std::memset(pointer, 0x5a, size);  // who still reads it, reads nonsense
    std::free(pointer);
  }

  std::mutex mutex_;
  std::map<uintptr_t, Block> blocks_;
  uint64_t live_bytes_ = 0, peak_bytes_ = 0, num_allocations_ = 0, fail_from_ = kNever;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_TEST_ALLOCATOR_H_
