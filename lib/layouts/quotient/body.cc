#include "lib/layouts/quotient/body.h"

#include <algorithm>
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

// A set's block that says "maybe" to all does not tell its keys, nor does a saturated one. It counts as if it had the
// fewest that saturate a multiset.
constexpr double kKeysOfFullBlock = kMostEntries + 1;

// The keys of a set in a block: its different entries, and those keys that met one that was there. Each key is taken to
// fall into one of equal cells, of which the share fpr is taken, so n = ln(1 - fpr) / ln(1 - 1 cell). Of random blocks
// the mean was right to 0.1 % up to 128 keys, and to 2 % at 300. More keys are too few: 0.96 of 435.
double KeysOfSet(double fpr, double num_entries) { return LnOfRest(fpr) / LnOfRest(fpr / num_entries); }

BlockBits ReadEntriesOf(const uint8_t* block, uint32_t num_probes) {
  BlockBits bits{};
  bits.fpr = FprOfBlock(block, &bits.num_set);
  bits.keys = bits.num_set;
  const bool is_set = num_probes != kQuotientMultiset;
  if (bits.fpr >= 1 && (is_set || bits.num_set == 0)) {
    bits.keys = kKeysOfFullBlock;
  } else if (is_set && bits.num_set > 1) {
    bits.keys = KeysOfSet(bits.fpr, bits.num_set);
  }
  return bits;
}

bool IsValid(uint64_t body_bytes, uint32_t num_probes) {
  return BodyIsBlocks(body_bytes) && num_probes <= kQuotientMultiset;
}

void Bind(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  BindBlocks(InlineTest::kQuotientBlock, body, body_bytes, num_probes, state);
  state->lane_ones = num_probes == kQuotientMultiset ? kIsMultiset : nullptr;
}

double ExpectedFpr(const ProbeState& state) { return QuotientFoldedFpr(OneBody(state), state.num_units, 1, nullptr); }

// Counts blocks by L / 8, so that 8 levels are a bit; one that says "maybe" to all is at 0.
size_t CountLevels(const ProbeState& state, uint64_t* counts) {
  constexpr size_t kLevels = kMostLength / 8 + 1;
  std::fill(counts, counts + kLevels, 0);
  for (uint64_t i = 0; i < state.num_units; ++i) ++counts[BlockEntries::Of(state.body + kBlockBytes * i).length / 8];
  return kLevels;
}

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
      PlainRecord<IsValid, Bind, QuotientKernels>(Layout::kQuotient, "quotient", QuotientApproximateSize, ExpectedFpr);
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.unites = facts.folds = facts.zeros_are_empty = true;
  facts.chooses_removal = facts.has_levels = true;
  facts.block_bytes = kBlockBytes;
  record.size_at_fill = QuotientSizeAtFill;
  record.bits_of_place = 8;  // 64 buckets in 512 bits
  record.count_levels = CountLevels;
  return record;
}();

}  // namespace linefilter::internal
