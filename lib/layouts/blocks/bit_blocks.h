// Blocks whose positions are bits fold by OR. Their bits are read here, too, while other threads set more of them.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_BIT_BLOCKS_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BIT_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/base/shared_word.h"
#include "lib/layouts/blocks/folded_fpr.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

// This is LayoutMaker::fold_blocks.
template <uint64_t kBytes>
void FoldBitBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t, uint8_t* to) {
  for (uint64_t i = 0; i < num_blocks; ++i, to += kBytes) {
    uint64_t words[kBytes / 8] = {}, more[kBytes / 8];
    if (add) memcpy(words, to, kBytes);
    for (uint64_t j = 0; j < factor; ++j, from += kBytes) {
      memcpy(more, from, kBytes);
      for (size_t w = 0; w < kBytes / 8; ++w) words[w] |= more[w];  // vectorized by the compiler
    }
    memcpy(to, words, kBytes);
  }
}

// Folds one block while others set bits. `from` is aligned to a word, as each body that is shared.
template <uint64_t kBytes>
void FoldSharedBlock(const uint8_t* from, uint64_t, uint64_t factor, bool add, uint32_t, uint8_t* to) {
  uint64_t words[kBytes / kWordBytes] = {};
  if (add) memcpy(words, to, kBytes);
  for (uint64_t j = 0; j < factor; ++j, from += kBytes) {
    for (size_t w = 0; w < kBytes / kWordBytes; ++w) words[w] |= LoadSharedWord(from + kWordBytes * w);
  }
  memcpy(to, words, kBytes);
}

// This is LayoutMaker::folded_fpr where all bits of a block are positions.
template <ReadBlock kReadBlock, uint64_t kBytes, uint32_t kProbes = 0>
double FoldedFprOfBits(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  static constexpr BlocksToRead kBlocks = {
      FoldBitBlocks<kBytes>, FoldSharedBlock<kBytes>, kReadBlock, kBytes, static_cast<uint32_t>(8 * kBytes), kProbes};
  return FoldedFpr(kBlocks, bodies, num_blocks, enough, keys);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BIT_BLOCKS_H_
