// A ring of generations answers by those of a window, and the window moves while it is asked. Its owner keeps, for each
// generation that may be the newest, how the window is asked then; a lookup reads which one is the newest, and nothing
// else that changes.
#ifndef LINEFILTER_LIB_LAYOUTS_WINDOWS_H_
#define LINEFILTER_LIB_LAYOUTS_WINDOWS_H_

#include <atomic>
#include <cstdint>

#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

// How the generations are asked while a certain one is the newest.
struct Window {
  ProbeState all, older, newest;
};

struct Windows {
  static constexpr uint32_t kSlotBits = 8;

  // The number of the newest generation, and behind it, in kSlotBits, its slot.
  std::atomic<uint64_t> newest{0};
  Window* of_slots = nullptr;

  static uint32_t SlotOf(uint64_t newest) { return static_cast<uint32_t>(newest & ((1u << kSlotBits) - 1)); }
  const Window& At(uint64_t number_and_slot) const { return of_slots[SlotOf(number_and_slot)]; }
  const Window& Now() const { return At(newest.load(std::memory_order_acquire)); }
};

// ProbeState::owner of what BindWindows binds.
inline Windows& WindowsOf(const ProbeState& state) { return *static_cast<Windows*>(state.owner); }

// Makes `state` ask the window that is there at each lookup, of num_stages generations; its kernels are the caller's.
// `stages` are those of any window: their sizes do not change.
void BindWindows(Windows* windows, const Stage* stages, uint32_t num_stages, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_WINDOWS_H_
