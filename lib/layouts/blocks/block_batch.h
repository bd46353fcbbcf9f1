// Batches of all layouts of blocks share this: where a block is, when and how far ahead it is prefetched.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_BATCH_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/blocks/block.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

// So many keys have their lines under way where the body may be in a cache, and so many where it is in memory. A batch
// at 512 MB with 32 / 48 / 64 / 96 keys under way takes 6.3 / 4.9 / 4.2 / 3.5 ns per key (`blocked`), 5.4 / 4.5 / 4.0 /
// 3.6 (`retrieval`, AVX3_DL on Zen 5); reading the lines alone takes 4.8 / 4.1 / 3.6 / 3.2. With 32 / 96
// a batch takes 1.3 / 1.5 ns at 8 MB, 3.2 / 1.8 at 16 MB, 4.9 / 2.6 at 32 MB (`blocked`), 1.4 / 1.7, 2.3 / 1.9 and 4.3
// / 2.5 (`retrieval`). Rejected: prefetches into the L2 alone (3.72 instead of 3.60), and non-temporal ones (3.56, no
// difference). On a CPU before it 32 and 64 took 18.5 and 18.2 ns at 2 GB.
inline constexpr size_t kLookAhead = 32, kLookFarAhead = 96;
inline constexpr uint64_t kFarBytes = uint64_t{1} << 24;

LINEFILTER_INLINE size_t LookAheadIn(const ProbeState& state) {
  return state.num_units << state.unit_shift > kFarBytes ? kLookFarAhead : kLookAhead;
}

template <class Blocks = LineBlocks>
LINEFILTER_INLINE uint8_t* BlockOf(const ProbeState& state, uint64_t hash) {
  return const_cast<uint8_t*>(state.body) + Blocks::kBytes * Blocks::IndexOf(hash, state.num_units);
}

// This is PrefetchBlock's last_byte for blocks at `body`: that of a block where they lie across two lines, else 0.
template <class Blocks = LineBlocks>
LINEFILTER_INLINE size_t LastByteOfBlock(const uint8_t* body) {
  return reinterpret_cast<uintptr_t>(body) % Blocks::kBytes == 0 ? 0 : Blocks::kBytes - 1;
}

template <int kWrites>
LINEFILTER_INLINE void PrefetchBlock(const uint8_t* block, size_t last_byte) {
  // Highway's Prefetch is for reading only.
  __builtin_prefetch(block, kWrites);
  if (__builtin_expect(last_byte != 0, 0)) __builtin_prefetch(block + last_byte, kWrites);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_BATCH_H_
