// This tells the rate of bodies of blocks if they were folded and united, without doing so; of one, folded by 1, the
// rate that it has.
//
// Idea: a stranger passes a block by chance, as its bits say, or because it agrees with a member in the in-block hash.
// Each block tells how many members there are by how many of its bits are set.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_FOLDED_FPR_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_FOLDED_FPR_H_

#include <cstdint>

#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

// A block tells at which share of all in-block hashes it says "maybe" by chance, and how many of the positions that
// keys can set are set.
struct BlockBits {
  double fpr;
  uint32_t num_set;
  double keys = 0;  // where num_positions is 0
};

using FoldBlocks = void (*)(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t num_probes,
                            uint8_t* to);
using ReadBlock = BlockBits (*)(const uint8_t* block, uint32_t num_probes);

// The blocks of a layout.
struct BlocksToRead {
  FoldBlocks fold;
  FoldBlocks fold_shared;  // of a body that others fill meanwhile; null if no body of the layout is shared
  ReadBlock read;          // never of such a body itself
  uint64_t block_bytes;
  uint32_t num_positions;   // of a block, that keys can set; 0: `keys` tells them, and all of the rate is in fpr
  uint32_t num_probes = 0;  // where it is the same in all filters of the layout, so that none tells it
};

// This is LayoutMaker::folded_fpr: the mean over the folded blocks, or over 2^20 of them. It is no template: one of it
// for each layout, with and without other threads, would be 20 KB of a program that only reads images.
double FoldedFpr(const BlocksToRead& layout, const BodyList& bodies, uint64_t num_blocks, double enough, double* keys);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_FOLDED_FPR_H_
