// This tells the rate of bodies of blocks if they were folded and united, without doing so; of one, folded by 1, the
// rate that it has.
//
// Idea: a stranger passes a block by chance, as its bits (or counters) say, or because it agrees with a member in the
// in-block hash. Each block tells how many members there are by how many of its bits are set.
#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_FOLDED_FPR_H_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_FOLDED_FPR_H_

#include <cstdint>

#include "lib/base/equal_hashes.h"
#include "lib/base/real.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/size_of_blocks.h"
#include "lib/layouts/layout_maker.h"

namespace linefilter::internal {

// A block tells at which share of all in-block hashes it says "maybe" by chance, and how many of the positions that
// keys can set are set.
struct BlockBits {
  double fpr;
  uint32_t num_set;
};

using FoldBlocks = void (*)(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to);
using ReadBlock = BlockBits (*)(const uint8_t* block, uint32_t num_probes);

// Estimates the keys of `num_blocks` blocks of which counts[i] have i of their positions set. A key leaves a position
// alone with probability 1 - num_probes / positions. A full block tells nothing, and counts as one without keys. Keys
// whose bits coincide make it too few in one block and too many in another; the mean over such blocks is right.
// FoldToFpr compares what follows from it, so it is the same on every machine (real.h).
template <uint32_t kPositions>
double KeysOfBlocks(const uint32_t (&counts)[kPositions + 1], uint32_t num_probes) {
  const double of_a_key = LnOfRest(num_probes / static_cast<double>(kPositions));
  double keys = 0;
  for (uint32_t i = 1; i < kPositions; ++i) {
    if (counts[i] != 0) keys += counts[i] * (LnOfRest(i / static_cast<double>(kPositions)) / of_a_key);
  }
  return keys;
}

// This is LayoutMaker::folded_fpr: the mean over the folded blocks, or over 2^20 of them.
// kProbes is num_probes where the layout has the same in all filters, and no filter tells it.
template <FoldBlocks kFoldBlocks, ReadBlock kReadBlock, uint32_t kPositions, uint64_t kBytes = kBlockBytes,
          uint32_t kProbes = 0>
double FoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  uint32_t num_probes = kProbes;  // of all that have blocks
  for (size_t b = 0; b < bodies.size; ++b) {
    const ProbeState& state = bodies.at(bodies.all, b);
    if (kProbes == 0 && state.num_units != 0) num_probes = state.num_probes;
  }
  const uint64_t sample = num_blocks < (1u << 20) ? num_blocks : 1u << 20;
  const double size = static_cast<double>(sample);
  double sum = 0, num_set = 0;
  uint32_t counts[kPositions + 1] = {};
  alignas(8) uint8_t folded[kBytes];  // whole words, as a body that others fill
  for (uint64_t i = 0; i < sample && sum / size <= enough; ++i) {
    // They are evenly spaced, without overflow: i * num_blocks < 2^52.
    const uint64_t at = i * num_blocks / sample;
    const uint8_t* block = nullptr;
    for (size_t b = 0; b < bodies.size; ++b) {
      const ProbeState& state = bodies.at(bodies.all, b);
      const uint64_t factor = state.num_units / num_blocks;
      const uint8_t* const blocks = state.body + kBytes * factor * at;
      if (bodies.size == 1 && factor == 1) {
        block = blocks;
      } else if (factor != 0) {
        kFoldBlocks(blocks, 1, factor, block != nullptr, folded);
        block = folded;
      }
    }
    const BlockBits bits = kReadBlock(block, num_probes);
    sum += bits.fpr;
    num_set += bits.num_set;
    ++counts[bits.num_set];
  }
  if (keys != nullptr) *keys = SizeOfBlocks(num_set / (kPositions * size), num_probes, kPositions, num_blocks).keys;
  // Full blocks say "maybe" to all by their bits: nothing is added to that.
  return EitherOf(EqualInBlockHashFpr(KeysOfBlocks<kPositions>(counts, num_probes) / size), sum / size);
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_FOLDED_FPR_H_
