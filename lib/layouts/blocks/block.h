// How blocks lie in a body, and which one is a key's. All layouts of 64-byte blocks share one geometry.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_H_

#include <cstdint>

#include "lib/layouts/kernels.h"
#include "linefilter/hash.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

inline constexpr uint64_t kBlockBytes = 64;
inline constexpr uint64_t kMaxBlocks = uint64_t{1} << 32;

// Each block is a line.
struct LineBlocks {
  static constexpr uint64_t kBytes = kBlockBytes;
  static LINEFILTER_INLINE uint64_t IndexOf(uint64_t hash, uint64_t num_blocks) { return BlockIndex(hash, num_blocks); }
  // A byte of the block, for a prefetch where no block lies across two lines.
  static LINEFILTER_INLINE uint64_t ByteNear(uint64_t hash, uint64_t num_blocks) {
    return kBytes * IndexOf(hash, num_blocks);
  }
};

inline bool BodyIsBlocks(uint64_t body_bytes) {
  return body_bytes % kBlockBytes == 0 && body_bytes / kBlockBytes <= kMaxBlocks;
}

// Points `state` to the blocks; lane_ones is left null.
inline void BindBlocks(InlineTest inline_test, const uint8_t* body, uint64_t body_bytes, uint32_t num_probes,
                       ProbeState* state) {
  Reset(state);
  state->body = body;
  state->num_units = body_bytes / kBlockBytes;
  state->unit_shift = 6;
  state->inline_test = inline_test;
  state->num_probes = static_cast<uint16_t>(num_probes);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_H_
