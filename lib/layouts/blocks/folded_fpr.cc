#include "lib/layouts/blocks/folded_fpr.h"

#include "lib/base/equal_hashes.h"
#include "lib/base/real.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/size_of_blocks.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kMostPositions = 8 * kBlockBytes;

// Estimates the keys of blocks of which counts[i] have i of their positions set. A key leaves a position alone with
// probability 1 - num_probes / positions. A full block tells nothing, and counts as one without keys. Keys whose bits
// coincide make it too few in one block and too many in another; the mean over such blocks is right. FoldToFpr compares
// what follows from it, so it is the same on every machine (real.h).
double KeysOfBlocks(const uint32_t* counts, uint32_t num_positions, uint32_t num_probes) {
  const double positions = num_positions;
  const double of_a_key = LnOfRest(num_probes / positions);
  double keys = 0;
  for (uint32_t i = 1; i < num_positions; ++i) {
    if (counts[i] != 0) keys += counts[i] * (LnOfRest(i / positions) / of_a_key);
  }
  return keys;
}

// The num_probes of all bodies that have blocks.
uint32_t NumProbesOf(const BodyList& bodies) {
  uint32_t num_probes = 0;
  for (size_t b = 0; b < bodies.size; ++b) {
    const ProbeState& state = bodies.at(bodies.all, b);
    if (state.num_units != 0) num_probes = state.num_probes;
  }
  return num_probes;
}

}  // namespace

double FoldedFpr(const BlocksToRead& layout, const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  const uint32_t num_probes = layout.num_probes != 0 ? layout.num_probes : NumProbesOf(bodies);
  const uint64_t sample = num_blocks < (1u << 20) ? num_blocks : 1u << 20;
  const double size = static_cast<double>(sample);
  double sum = 0, num_set = 0, keys_of_blocks = 0;
  uint32_t counts[kMostPositions + 1] = {};
  uint8_t folded[kBlockBytes];
  for (uint64_t i = 0; i < sample && sum / size <= enough; ++i) {
    // They are evenly spaced, without overflow: i * num_blocks < 2^52.
    const uint64_t at = i * num_blocks / sample;
    const uint8_t* block = nullptr;
    for (size_t b = 0; b < bodies.size; ++b) {
      const ProbeState& state = bodies.at(bodies.all, b);
      const uint64_t factor = state.num_units / num_blocks;
      const uint8_t* const blocks = state.body + layout.block_bytes * factor * at;
      if (bodies.size == 1 && factor == 1 && !state.is_shared) {
        block = blocks;
      } else if (factor != 0) {
        const FoldBlocks fold = state.is_shared ? layout.fold_shared : layout.fold;
        fold(blocks, 1, factor, block != nullptr, num_probes, folded);
        block = folded;
      }
    }
    const BlockBits bits = layout.read(block, num_probes);
    sum += bits.fpr;
    num_set += bits.num_set;
    keys_of_blocks += bits.keys;
    ++counts[bits.num_set];
  }
  if (layout.num_positions == 0) {
    if (keys != nullptr) *keys = keys_of_blocks / size * static_cast<double>(num_blocks);
    return sum / size;
  }
  const double positions = layout.num_positions;
  if (keys != nullptr) {
    *keys = SizeOfBlocks(num_set / (positions * size), num_probes, layout.num_positions, num_blocks).keys;
  }
  // Full blocks say "maybe" to all by their bits: nothing is added to that.
  const double of_equal = EqualInBlockHashFpr(KeysOfBlocks(counts, layout.num_positions, num_probes) / size);
  return EitherOf(of_equal, sum / size);
}

}  // namespace linefilter::internal
