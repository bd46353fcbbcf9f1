#include "lib/layouts/blocked/body.h"

#include "lib/base/endian.h"
#include "lib/base/real.h"
#include "lib/layouts/blocks/bit_blocks.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/blocks/size_of_blocks.h"
#include "lib/layouts/layout_record.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kBitsPerBlock = 512;

// This is the mean over the rotations of the product of the lanes' fills: the rate at which a block says "maybe".
// All rotations are side by side, which the compiler vectorizes: bit j of a subset is lane j - rotation, so with the
// fills backwards, twice, each bit reads 16 of them in order.
double MeanOfRotations(const double (&fill)[16], uint32_t num_probes) {
  double backwards[32], product[16];
  for (uint32_t i = 0; i < 16; ++i) {
    backwards[i] = backwards[i + 16] = fill[(16 - i) & 15];
    product[i] = 1;
  }
  for (uint32_t bit = 0; bit < 16; ++bit) {
    if (((kLaneSubsets[num_probes] >> bit) & 1) == 0) continue;
    const double* const lanes = backwards + ((16 - bit) & 15);
    for (uint32_t rotation = 0; rotation < 16; ++rotation) product[rotation] *= lanes[rotation];
  }
  double sum = 0;
  for (const double of_rotation : product) sum += of_rotation;
  return sum / 16;
}

BlockBits ReadBitsOf(const uint8_t* block, uint32_t num_probes) {
  double fill[16];
  int ones = 0;
  for (int lane = 0; lane < 16; ++lane) {
    const int ones_of_lane = __builtin_popcount(LoadLE32(block + 4 * lane));
    fill[lane] = ones_of_lane / 32.0;
    ones += ones_of_lane;
  }
  return {MeanOfRotations(fill, num_probes), static_cast<uint32_t>(ones)};
}

void Bind(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(num_probes <= kMostFewProbes ? InlineTest::kFewLanes : InlineTest::kBlock, body, body_bytes, num_probes,
             state);
  state->lane_ones = LaneOnes(num_probes);
}

SizeEstimate SizeAtFill(double fill, uint32_t num_probes, uint64_t num_blocks) {
  return SizeOfBlocks(fill, num_probes, kBitsPerBlock, num_blocks);
}

SizeEstimate ApproximateSize(const ProbeState& state) {
  return SizeAtFill(FillRatioOfBody(state), state.num_probes, state.num_units);
}

// This is the mean over blocks and rotations of the product of lane fills, and of keys that agree with one of a block
// in the in-block hash. It is from all blocks up to 2^20, above from evenly spaced ones.
double ExpectedFpr(const ProbeState& state) { return BlockedFoldedFpr(OneBody(state), state.num_units, 1, nullptr); }

}  // namespace

double BlockedFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  return FoldedFprOfBits<ReadBitsOf, kBlockBytes>(bodies, num_blocks, enough, keys);
}

extern const LayoutRecord kBlockedLayout;
constexpr LayoutRecord kBlockedLayout = [] {
  LayoutRecord record =
      PlainRecord<IsBodyOfBlocked, Bind, BlockedKernels>(Layout::kBlocked, "blocked", ApproximateSize, ExpectedFpr);
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.shares = facts.unites = facts.folds = facts.zeros_are_empty = true;
  facts.block_bytes = kBlockBytes;
  facts.max_num_probes = kMostProbesOfBlocked;
  facts.has_positions = true;
  record.body_may_contain = BlockedMayContain;
  record.size_at_fill = SizeAtFill;
  return record;
}();

}  // namespace linefilter::internal
