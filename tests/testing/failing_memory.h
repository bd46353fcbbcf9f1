// Memory that runs out: the n-th allocation of the library fails, of whatever kind it is, by default hooks.
//
// The linker leads the library's calls of malloc and its like, mmap, strdup and realpath here (--wrap,
// tests/CMakeLists.txt); operator new is replaced, for std::string. Without FailingMemory all is as ever. One thread.
#ifndef LINEFILTER_TESTS_TESTING_FAILING_MEMORY_H_
#define LINEFILTER_TESTS_TESTING_FAILING_MEMORY_H_

#include <cstdint>

namespace linefilter::test {

// Allocations, counted from 0 in the lifetime of the object, fail: the n-th, or that and all after it.
class FailingMemory {
 public:
  explicit FailingMemory(uint64_t nth, bool stays = false);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  bool one_failed() const;
};

// What was allocated and not freed since the program began: blocks, and mapped bytes.
struct LiveMemory {
  int64_t blocks, mapped_bytes;
};
LiveMemory LiveMemoryNow();

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_FAILING_MEMORY_H_
