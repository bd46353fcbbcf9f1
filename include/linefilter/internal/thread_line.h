// This gives each living thread a number of its own, so that it can count in a cache line that no other thread writes.
//
// Such a line needs no locked instruction: its owner loads, adds and stores. A number goes back when its thread ends,
// and the next thread that takes it goes on with what the line has by then.
#ifndef LINEFILTER_INTERNAL_THREAD_LINE_H_
#define LINEFILTER_INTERNAL_THREAD_LINE_H_

#include <cstdint>

#include "linefilter/internal/export.h"

#if defined(__GNUC__)
#define LINEFILTER_COLD __attribute__((noinline, cold))
#else
#define LINEFILTER_COLD
#endif

namespace linefilter::internal {

// So many threads have a number at once. All numbers from here on say why a thread has none.
inline constexpr uint32_t kOwnLines = 64;
inline constexpr uint32_t kNotAsked = 64, kEnding = 65;

// Where numbers come from: one place in the library for all who have these headers.
struct LINEFILTER_LOCAL LineSource {
  uint32_t (
      *take)() noexcept;  // the smallest number below kOwnLines that no living thread has; kNotAsked if there is none
  void (*give_back)(uint32_t line) noexcept;
};

// These are hidden: each library and each program has its own, and a thread then has a number in each. One that was
// shared could lie in a plugin that goes away while the thread lives.
LINEFILTER_LOCAL inline thread_local uint32_t line_of_thread = kNotAsked;

struct LINEFILTER_LOCAL LineReturner {
  ~LineReturner() {
    if (line_of_thread < kOwnLines) give_back(line_of_thread);
    line_of_thread = kEnding;  // destructors of other variables of the thread may still count
  }
  void (*give_back)(uint32_t line) noexcept = nullptr;
};
LINEFILTER_LOCAL inline thread_local LineReturner line_returner;

// The slow way: the number of this thread, which is taken if one is free.
LINEFILTER_LOCAL LINEFILTER_COLD inline uint32_t FindLine(const LineSource& source) noexcept {
  if (line_of_thread == kNotAsked) {
    line_returner.give_back = source.give_back;  // from here on its destructor is called
    line_of_thread = source.take();
  }
  return line_of_thread;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_THREAD_LINE_H_
