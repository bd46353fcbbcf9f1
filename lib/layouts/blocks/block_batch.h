// Batches of all layouts of 64-byte blocks share this: where a block is, when and how far ahead it is prefetched.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_BATCH_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/hash.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

// How many keys have their lines under way. By depth: D4 24.9, D8 20.3, D16 18.4, D32 18.5, D64 18.2 ns at 2 GB.
inline constexpr size_t kLookAhead = 32;

LINEFILTER_INLINE uint8_t* BlockOf(const ProbeState& state, uint64_t hash) {
  return const_cast<uint8_t*>(state.body) + 64 * BlockIndex(hash, state.num_units);
}

// This is PrefetchBlock's last_byte for blocks at `body`: 63 where they lie across two lines, else 0.
LINEFILTER_INLINE size_t LastByteOfBlock(const uint8_t* body) {
  return reinterpret_cast<uintptr_t>(body) % 64 == 0 ? 0 : 63;
}

template <int kWrites>
LINEFILTER_INLINE void PrefetchBlock(const uint8_t* block, size_t last_byte) {
  // Highway's Prefetch is for reading only.
  __builtin_prefetch(block, kWrites);
  if (__builtin_expect(last_byte != 0, 0)) __builtin_prefetch(block + last_byte, kWrites);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_BATCH_H_
