// This is what a RotatingFilter has beside its kernels: the ring of its generations, each a `blocked` body, and who may
// rotate it. rotating.cc tells how it works.
#ifndef LINEFILTER_LIB_FILTERS_RING_H_
#define LINEFILTER_LIB_FILTERS_RING_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "lib/layouts/layout_changes.h"
#include "lib/layouts/stages.h"
#include "lib/layouts/windows.h"
#include "linefilter/memory.h"
#include "linefilter/options.h"
#include "linefilter/rotating.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// `newest` counts on beyond kLastGeneration, because every rotation must change it.
struct Ring : Windows {
  // Makes a ring of generations without keys, for an owner of so many bytes. Only kOverLimit, kOutOfMemory and a bad
  // allocator are errors.
  static Status Make(uint32_t num_generations, uint64_t generation_bytes, uint32_t num_probes, uint64_t owner_bytes,
                     const FilterOptions& options, Ring** ring);
  static void Free(Ring* ring);  // null does nothing

  uint32_t num_slots() const { return num_generations + 1; }
  uint8_t* BodyOfSlot(uint32_t slot) const { return bodies + generation_bytes * slot; }
  // The body of the generation that began `age` rotations ago.
  const uint8_t* BodyOfAge(uint32_t age) const;
  const Stage* stages() const { return reinterpret_cast<const Stage*>(of_slots + num_slots()); }
  uint64_t generation() const;
  // The bytes of this, of the windows with the stages behind them, and of the bodies.
  uint64_t memory() const { return sizeof(Ring) + windows_bytes() + generation_bytes * num_slots(); }
  // Behind this lie the windows, and behind them the ring of stages twice over, so that those of each window stand in a
  // row.
  uint64_t windows_bytes() const { return num_slots() * (sizeof(Window) + 2 * sizeof(Stage)); }

  bool Insert(uint64_t hash);
  uint64_t InsertBatch(const uint64_t* hashes, size_t n, uint8_t* were_new);
  uint64_t Rotate();  // with the mutex

  const Changes* changes_of_newest = nullptr;  // the same in each window
  uint8_t* bodies = nullptr;
  uint64_t generation_bytes = 0, keys_per_generation = 0;
  uint32_t num_generations = 0, num_probes = 0;
  Rotation rotation = Rotation::kByCaller;
  KeyHash key_hash;
  Allocator allocator;
  std::atomic<uint64_t> keys_in_newest{0};  // with kByCount: keys that changed a bit of it
  std::mutex mutex;                         // rotations and snapshots hold it

 private:
  void BindSlots();
  void InsertAgain(const uint64_t* hashes, size_t n, uint64_t into);
  void Count(uint64_t num_new);
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_RING_H_
