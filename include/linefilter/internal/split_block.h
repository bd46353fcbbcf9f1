// What all code of the layout `split_block` knows of a hash: which block it has, and how its in-block hash is made.
// doc/FORMAT.md has the layout; the constants are those of the Parquet format.
#ifndef LINEFILTER_INTERNAL_SPLIT_BLOCK_H_
#define LINEFILTER_INTERNAL_SPLIT_BLOCK_H_

#include <cstdint>

#include "linefilter/internal/compiler.h"

namespace linefilter::internal {

// The bytes of a block, and how many blocks an image has at most. Parquet takes 32 bits of the hash times the number of
// blocks: among more than this, some would get 0.4 % more hashes than others.
inline constexpr uint32_t kSplitBlockBytes = 32;
inline constexpr uint64_t kMaxSplitBlocks = uint64_t{1} << 24;

// The bit of a key in word i is the high 5 bits of its in-block hash times kSplitSalts[i].
alignas(32) inline constexpr uint32_t kSplitSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                        0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

// The block of a hash: its high half times the number of blocks, which is below 2^32. Where the low half is cleared,
// BlockIndex tells the same.
inline constexpr uint64_t kSplitIndexMask = 0xffffffff00000000u;
LINEFILTER_INLINE uint64_t SplitBlockIndex(uint64_t hash, uint64_t num_blocks) {
  return (hash >> 32) * num_blocks >> 32;
}

// ProbeState::lane_ones points to one of these masks. The in-block hash is the low half of the hash xor those bits of
// the high half: all of them, or none, where the hash is Parquet's. So a filter that is a caller's shard (hash % 16)
// keeps its rate, Parquet's filters are the same bit for bit, and no lookup asks which it is.
struct SplitFolds {
  uint32_t all[1];
  uint32_t none[1];
};
inline constexpr SplitFolds kSplitFolds = {{0xffffffff}, {0}};

LINEFILTER_INLINE uint32_t FoldSplitHash(const uint32_t* fold, uint64_t hash) {
  return static_cast<uint32_t>(hash) ^ (static_cast<uint32_t>(hash >> 32) & *fold);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_INTERNAL_SPLIT_BLOCK_H_
