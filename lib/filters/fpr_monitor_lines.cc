// The numbers of threads are a set of bits. After fork the child has those of the parent's other threads marked for
// ever: its threads then share lines a little sooner, and count as exactly.
#include <atomic>

#include "linefilter/monitor.h"

namespace linefilter {
namespace {

static_assert(internal::kOwnLines == 64, "one word has them all");

std::atomic<uint64_t> taken{0};

}  // namespace

uint32_t FprMonitor::TakeLine() noexcept {
  uint64_t now = taken.load(std::memory_order_relaxed);
  while (~now != 0) {
    const uint64_t lowest = ~now & (now + 1);
    // Acquires what the last owner of the number has counted (GiveLineBack).
    if (taken.compare_exchange_weak(now, now | lowest, std::memory_order_acquire, std::memory_order_relaxed)) {
      uint32_t line = 0;
      while (lowest >> line != 1) ++line;
      return line;
    }
  }
  return internal::kNotAsked;
}

void FprMonitor::GiveLineBack(uint32_t line) noexcept {
  taken.fetch_and(~(uint64_t{1} << line), std::memory_order_release);
}

}  // namespace linefilter
