// Bytes that touch a guard page in front or behind: who reads beyond them there ends the program, in every build. Under
// AddressSanitizer all around them is poisoned too, so that it holds on both sides and at every alignment.
#ifndef LINEFILTER_TESTS_FUZZ_GUARDED_BYTES_H_
#define LINEFILTER_TESTS_FUZZ_GUARDED_BYTES_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/poison.h"

namespace linefilter::fuzz {

// One copy at a time, in pages that are mapped once.
class GuardedBytes {
 public:
  // Of copies of at most that many bytes. Never unmapped: it is meant to be static.
  explicit GuardedBytes(size_t most_bytes) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    capacity_ = (most_bytes + kAlignments + page - 1) / page * page;
    void* const mapped = mmap(nullptr, capacity_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FUZZ_REQUIRE(mapped != MAP_FAILED);
    begin_ = static_cast<uint8_t*>(mapped) + page;
    FUZZ_REQUIRE(mprotect(begin_, capacity_, PROT_READ | PROT_WRITE) == 0);
    Poison(begin_, capacity_);
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  // `where`, any byte: the upper half of its values ends the copy at the page behind, so its length decides how it is
  // aligned; the lower half begins it where % 64 bytes behind the page in front.
  uint8_t* Place(std::string_view bytes, uint8_t where) {
    FUZZ_REQUIRE(bytes.size() + kAlignments <= capacity_);
    Poison(placed_, size_);
    placed_ = where >= 128 ? begin_ + capacity_ - bytes.size() : begin_ + where % kAlignments;
    size_ = bytes.size();
    Unpoison(placed_, size_);
    if (size_ != 0) memcpy(placed_, bytes.data(), size_);
    return placed_;
  }

 private:
  static constexpr size_t kAlignments = 64;

  uint8_t* begin_ = nullptr;
  uint8_t* placed_ = nullptr;
  size_t capacity_ = 0, size_ = 0;
};

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_GUARDED_BYTES_H_
