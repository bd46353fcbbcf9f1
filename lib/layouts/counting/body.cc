#include "lib/layouts/counting/body.h"

#include <algorithm>
#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/real.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/folded_fpr.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/blocks/size_of_blocks.h"
#include "lib/layouts/layout_record.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kCountersPerLane = 8, kCountersPerBlock = 128;

// Bit 4 c is set if counter c is not 0. It takes 8 counters or 16.
template <class Word>
Word NonZero(Word counters) {
  counters |= static_cast<Word>(counters >> 2);
  counters |= static_cast<Word>(counters >> 1);
  return counters & static_cast<Word>(0x1111111111111111);
}

BlockBits ReadCountersOf(const uint8_t* block, uint32_t num_probes) {
  double share[16];
  int non_zero = 0;
  for (int lane = 0; lane < 16; ++lane) {
    const int of_lane = __builtin_popcount(NonZero(LoadLE32(block + 4 * lane)));
    share[lane] = of_lane / static_cast<double>(kCountersPerLane);
    non_zero += of_lane;
  }
  return {MeanOfRotations(share, num_probes), static_cast<uint32_t>(non_zero)};
}

bool IsValid(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes >= 1 && num_probes <= kMostProbesOfCounting;
}

void Bind(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(InlineTest::kNone, body, body_bytes, num_probes, state);
  state->lane_ones = LaneOnes(num_probes);
}

SizeEstimate SizeAtFill(double fill, uint32_t num_probes, uint64_t num_blocks) {
  return SizeOfBlocks(fill, num_probes, kCountersPerBlock, num_blocks);
}

// Distinct keys, by the share of counters that are not 0.
SizeEstimate ApproximateSize(const ProbeState& state) {
  uint64_t non_zero = 0;
  for (uint64_t i = 0; i < kBlockBytes * state.num_units; i += 8) {
    uint64_t counters;
    memcpy(&counters, state.body + i, sizeof(counters));
    non_zero += static_cast<uint64_t>(__builtin_popcountll(NonZero(counters)));
  }
  const double num_counters = kCountersPerBlock * static_cast<double>(state.num_units);
  return SizeAtFill(static_cast<double>(non_zero) / num_counters, state.num_probes, state.num_units);
}

// It is that of `blocked`, with counters that are not 0.
double ExpectedFpr(const ProbeState& state) { return CountingFoldedFpr(OneBody(state), state.num_units, 1, nullptr); }

}  // namespace

void CountingFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t, uint8_t* to) {
  constexpr uint8_t kMost = 15;
  for (uint64_t i = 0; i < num_blocks; ++i, to += kBlockBytes) {
    uint8_t low[kBlockBytes] = {}, high[kBlockBytes] = {};  // counters; the loops are vectorized by the compiler
    for (size_t b = 0; add && b < kBlockBytes; ++b) low[b] = to[b] & kMost, high[b] = to[b] >> 4;
    for (uint64_t j = 0; j < factor; ++j, from += kBlockBytes) {
      for (size_t b = 0; b < kBlockBytes; ++b) {
        const uint8_t more = from[b];
        low[b] = std::min<uint8_t>(kMost, static_cast<uint8_t>(low[b] + (more & kMost)));
        high[b] = std::min<uint8_t>(kMost, static_cast<uint8_t>(high[b] + (more >> 4)));
      }
    }
    for (size_t b = 0; b < kBlockBytes; ++b) to[b] = static_cast<uint8_t>(low[b] | high[b] << 4);
  }
}

double CountingFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  static constexpr BlocksToRead kBlocks = {CountingFoldBlocks, nullptr, ReadCountersOf, kBlockBytes, kCountersPerBlock};
  return FoldedFpr(kBlocks, bodies, num_blocks, enough, keys);
}

extern const LayoutRecord kCountingLayout;
constexpr LayoutRecord kCountingLayout = [] {
  LayoutRecord record =
      PlainRecord<IsValid, Bind, CountingKernels>(Layout::kCounting, "counting", ApproximateSize, ExpectedFpr);
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.gives_back = facts.keeps_repeats = true;
  facts.unites = facts.folds = facts.zeros_are_empty = true;
  facts.block_bytes = kBlockBytes;
  facts.max_num_probes = kMostProbesOfCounting;
  facts.bits_of_position = 4;
  record.size_at_fill = SizeAtFill;
  return record;
}();

}  // namespace linefilter::internal
