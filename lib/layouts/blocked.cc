#include "lib/layouts/blocked.h"

#include <cmath>
#include <cstring>

#include "lib/bits/endian.h"
#include "lib/bits/lane_subsets.h"
#include "lib/layouts/block.h"
#include "lib/layouts/fill.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {
namespace {

constexpr bool TakesPart(uint32_t num_probes, uint32_t rotation, uint32_t lane) {
  return (kLaneSubsets[num_probes] >> ((lane + rotation) & 15)) & 1;
}

// [num_probes - 1][rotation][lane]: 1 if the lane takes part. 1 KiB of it is hot in one filter.
struct LaneTable {
  alignas(64) uint32_t ones[16][16][16];
};

constexpr LaneTable MakeLaneTable() {
  LaneTable table{};
  for (uint32_t k = 1; k <= 16; ++k) {
    for (uint32_t rotation = 0; rotation < 16; ++rotation) {
      for (uint32_t lane = 0; lane < 16; ++lane) table.ones[k - 1][rotation][lane] = TakesPart(k, rotation, lane);
    }
  }
  return table;
}

constexpr LaneTable kLaneTable = MakeLaneTable();

// All rotations side by side, which the compiler vectorizes: bit j of a subset is lane j - rotation, so with the fills
// backwards, twice, each bit reads 16 of them in order.
double BlockExpectedFpr(const uint8_t* block, uint32_t num_probes) {
  double fill[32], product[16];
  for (uint32_t i = 0; i < 16; ++i) {
    fill[i] = fill[i + 16] = __builtin_popcount(LoadLE32(block + 4 * ((16 - i) & 15))) / 32.0;
    product[i] = 1;
  }
  for (uint32_t bit = 0; bit < 16; ++bit) {
    if (((kLaneSubsets[num_probes] >> bit) & 1) == 0) continue;
    const double* const lanes = fill + ((16 - bit) & 15);
    for (uint32_t rotation = 0; rotation < 16; ++rotation) product[rotation] *= lanes[rotation];
  }
  double sum = 0;
  for (const double of_rotation : product) sum += of_rotation;
  return sum / 16;
}

}  // namespace

bool BlockedBodyIsValid(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes >= 1 && num_probes <= MaxNumProbes(Layout::kBlocked);
}

void BindBlocked(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(Layout::kBlocked, body, body_bytes, num_probes, state);
  state->lane_ones = kLaneTable.ones[num_probes - 1][0];
}

double BlockedKeysAtFill(double fill, uint32_t num_probes, uint64_t num_blocks) {
  // A bit stays zero with probability (1 - k / all bits)^n, whatever the load of its block.
  const double share = num_probes / (512.0 * static_cast<double>(num_blocks));
  return std::log1p(-fill) / std::log1p(-share);
}

double BlockedEstimatedKeys(const ProbeState& state) {
  const double fill = FillRatioOf(state.body, kBlockBytes * state.num_units);
  return BlockedKeysAtFill(fill, state.num_probes, state.num_units);
}

double BlockedExpectedFpr(const ProbeState& state) { return BlockedFoldedFpr(state, 1, 1); }

void BlockedFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to) {
  for (uint64_t i = 0; i < num_blocks; ++i, to += kBlockBytes) {
    uint64_t words[kBlockBytes / 8] = {}, more[kBlockBytes / 8];
    if (add) memcpy(words, to, kBlockBytes);
    for (uint64_t j = 0; j < factor; ++j, from += kBlockBytes) {
      memcpy(more, from, kBlockBytes);
      for (size_t w = 0; w < kBlockBytes / 8; ++w) words[w] |= more[w];  // vectorized by the compiler
    }
    memcpy(to, words, kBlockBytes);
  }
}

double BlockedFoldedFpr(const ProbeState& state, uint64_t factor, double enough) {
  const uint64_t num_blocks = state.num_units / factor;
  const uint64_t sample = num_blocks < (1u << 20) ? num_blocks : 1u << 20;
  const double size = static_cast<double>(sample);
  double sum = 0;
  uint8_t folded[kBlockBytes];
  for (uint64_t i = 0; i < sample && sum / size <= enough; ++i) {
    // Evenly spaced, without overflow: i * num_blocks < 2^52.
    const uint8_t* const blocks = state.body + kBlockBytes * factor * (i * num_blocks / sample);
    if (factor != 1) BlockedFoldBlocks(blocks, 1, factor, false, folded);
    sum += BlockExpectedFpr(factor == 1 ? blocks : folded, state.num_probes);
  }
  return sum / size;
}

}  // namespace linefilter::internal
