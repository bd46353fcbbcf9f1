// The layout `split_block`: Parquet's Bloom filter, bit for bit, but for its SIMD core
// (linefilter/internal/test_split_block.h).
//
// Idea: a block is 32 bytes, eight words of 32 bits. A key sets one bit in each word: the high 5 bits of its in-block
// hash times the word's salt say which. So a lookup is one vector of 256 bits.
#ifndef LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_BODY_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"
#include "linefilter/hash.h"
#include "linefilter/internal/compiler.h"
#include "linefilter/internal/split_block.h"

namespace linefilter::internal {

inline constexpr uint32_t kSplitBlockProbes = 8;

struct SplitBlocks {
  static constexpr uint64_t kBytes = kSplitBlockBytes;
  static LINEFILTER_INLINE uint64_t IndexOf(uint64_t hash, uint64_t num_blocks) {
    return SplitBlockIndex(hash, num_blocks);
  }
  // It is one product. In one of 2^33 / num_blocks hashes, the lower half carries into the next block.
  static LINEFILTER_INLINE uint64_t ByteNear(uint64_t hash, uint64_t num_blocks) {
    return MulHigh(hash, kBytes * num_blocks);
  }
};

const Kernels& SplitBlockKernels();
// Makes `state` answer from blocks that Parquet or an image has; the hash id says how a hash is folded.
void BindSplitBlocks(const uint8_t* body, uint64_t body_bytes, HashId hash_id, ProbeState* state);

// These are LayoutMaker::build_range and folded_fpr.
void SplitBlockBuildRange(const ProbeState& state, const BlockRange& range, void* scratch);
double SplitBlockFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_BODY_H_
