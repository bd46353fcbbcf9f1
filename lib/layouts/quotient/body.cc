#include "lib/layouts/quotient/body.h"

#include <cstring>

#include "lib/base/real.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/folded_fpr.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/quotient/block.h"

namespace linefilter::internal {
namespace {

// Block actions tell a multiset by ProbeState::lane_ones: they read nothing of it.
alignas(64) constexpr uint32_t kIsMultiset[16] = {1};

BlockBits ReadEntriesOf(const uint8_t* block, uint32_t) {
  BlockBits bits{};
  bits.fpr = FprOfBlock(block, &bits.num_set);
  return bits;
}

bool IsValid(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes <= kQuotientMultiset;
}

void Bind(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(InlineTest::kNone, body, body_bytes, num_probes, state);
  state->lane_ones = num_probes == kQuotientMultiset ? kIsMultiset : nullptr;
}

SizeEstimate ApproximateSize(const ProbeState& state) {
  SizeEstimate size;
  QuotientFoldedFpr(OneBody(state), state.num_units, 1, &size.keys);
  return size;
}

double ExpectedFpr(const ProbeState& state) { return QuotientFoldedFpr(OneBody(state), state.num_units, 1, nullptr); }

}  // namespace

void QuotientFoldBlocks(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t num_probes,
                        uint8_t* to) {
  const bool multiset = num_probes == kQuotientMultiset;
  for (uint64_t i = 0; i < num_blocks; ++i, to += kBlockBytes) {
    uint8_t block[kBlockBytes] = {};
    if (add) memcpy(block, to, kBlockBytes);
    for (uint64_t j = 0; j < factor; ++j, from += kBlockBytes) UniteBlocks(block, from, multiset, block);
    memcpy(to, block, kBlockBytes);
  }
}

double QuotientFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  static constexpr BlocksToRead kBlocks = {QuotientFoldBlocks, nullptr, ReadEntriesOf, kBlockBytes, 0};
  return FoldedFpr(kBlocks, bodies, num_blocks, enough, keys);
}

extern const LayoutRecord kQuotientLayout;
constexpr LayoutRecord kQuotientLayout = [] {
  LayoutRecord record =
      PlainRecord<IsValid, Bind, QuotientKernels>(Layout::kQuotient, "quotient", ApproximateSize, ExpectedFpr);
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.unites = facts.folds = facts.zeros_are_empty = true;
  facts.chooses_removal = true;
  facts.block_bytes = kBlockBytes;
  return record;
}();

}  // namespace linefilter::internal
