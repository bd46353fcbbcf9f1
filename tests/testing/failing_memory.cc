#include "tests/testing/failing_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <new>

#include "tests/testing/wrapped.h"

namespace linefilter::test {
namespace {

struct Failing {
  bool is_on, stays;
  uint64_t nth, counted;
  bool one_failed;
};
Failing failing;
// Threads of the library allocate, too.
std::atomic<int64_t> live_blocks{0}, live_mapped_bytes{0};

// Is this one to fail?
bool Fails() {
  if (!failing.is_on) return false;
  const uint64_t number = failing.counted++;
  const bool fails = number == failing.nth || (number > failing.nth && failing.stays);
  failing.one_failed |= fails;
  if (fails) errno = ENOMEM;
  return fails;
}

template <class Pointer>
Pointer CountBlock(Pointer block) {
  live_blocks.fetch_add(block != nullptr, std::memory_order_relaxed);
  return block;
}

}  // namespace

FailingMemory::FailingMemory(uint64_t nth, bool stays) { failing = {true, stays, nth, 0, false}; }
FailingMemory::~FailingMemory() { failing.is_on = false; }
bool FailingMemory::one_failed() const { return failing.one_failed; }
LiveMemory LiveMemoryNow() { return {live_blocks.load(), live_mapped_bytes.load()}; }

extern "C" {

void* __real_malloc(size_t bytes);
void* __wrap_malloc(size_t bytes) { return Fails() ? nullptr : CountBlock(__real_malloc(bytes)); }

void* __real_calloc(size_t n, size_t bytes);
void* __wrap_calloc(size_t n, size_t bytes) { return Fails() ? nullptr : CountBlock(__real_calloc(n, bytes)); }

void* __real_aligned_alloc(size_t alignment, size_t bytes);
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return Fails() ? nullptr : CountBlock(__real_aligned_alloc(alignment, bytes));
}

char* __real_strdup(const char* text);
char* __wrap_strdup(const char* text) { return Fails() ? nullptr : CountBlock(__real_strdup(text)); }

char* __real_realpath(const char* path, char* resolved);
char* __wrap_realpath(const char* path, char* resolved) {
  return Fails() ? nullptr : CountBlock(__real_realpath(path, resolved));
}

void __real_free(void* block);
void __wrap_free(void* block) {
  live_blocks.fetch_sub(block != nullptr, std::memory_order_relaxed);
  __real_free(block);
}

void* LINEFILTER_WRAPPED(real, mmap)(void* at, size_t bytes, int protection, int flags, int fd, off_t offset);
void* LINEFILTER_WRAPPED(wrap, mmap)(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (Fails()) return MAP_FAILED;
  void* const mapped = LINEFILTER_WRAPPED(real, mmap)(at, bytes, protection, flags, fd, offset);
  live_mapped_bytes.fetch_add(mapped == MAP_FAILED ? 0 : static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return mapped;
}

int __real_munmap(void* at, size_t bytes);
int __wrap_munmap(void* at, size_t bytes) {
  live_mapped_bytes.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed);
  return __real_munmap(at, bytes);
}

}  // extern "C"

}  // namespace linefilter::test

// By malloc and free, so they are counted and fail there. The other forms of new and delete end here.
void* operator new(size_t bytes) {
  void* const block = malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
// AddressSanitizer's own does not end in the one above.
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return malloc(bytes == 0 ? 1 : bytes); }
void operator delete(void* block) noexcept { free(block); }
void operator delete(void* block, size_t) noexcept { free(block); }
