#include "lib/layouts/split_block/body.h"

#include "lib/base/endian.h"
#include "lib/layouts/blocks/bit_blocks.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/size_of_blocks.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/lazy.h"

namespace linefilter::internal {
namespace {

constexpr uint32_t kBitsPerBlock = 8 * kSplitBlockBytes, kWordsPerBlock = 8;

// Each word is asked for one of its 32 bits.
BlockBits ReadBitsOf(const uint8_t* block, uint32_t) {
  BlockBits bits{1, 0};
  for (uint32_t word = 0; word < kWordsPerBlock; ++word) {
    const int ones = __builtin_popcount(LoadLE32(block + 4 * word));
    bits.fpr *= ones / 32.0;
    bits.num_set += static_cast<uint32_t>(ones);
  }
  return bits;
}

bool IsValid(uint64_t body_bytes, uint32_t num_probes) {
  return body_bytes % kSplitBlockBytes == 0 && body_bytes / kSplitBlockBytes <= kMaxSplitBlocks && num_probes == 0;
}

// This is for hashes of this library.
void BindFolded(const uint8_t* body, uint64_t body_bytes, uint32_t, ProbeState* state) {
  BindSplitBlocks(body, body_bytes, HashId::kXxh3, state);
}

void Bind(const BodyParts& parts, ProbeState* state) {
  BindSplitBlocks(parts.body, parts.body_bytes, parts.hash_id, state);
  UseKernels(SplitBlockKernels(), state);
}

SizeEstimate SizeAtFill(double fill, uint32_t, uint64_t num_blocks) {
  return SizeOfBlocks(fill, kSplitBlockProbes, kBitsPerBlock, num_blocks, kWordsPerBlock);
}

SizeEstimate ApproximateSize(const ProbeState& state) {
  return SizeAtFill(FillRatioOfBody(state), kSplitBlockProbes, state.num_units);
}

double ExpectedFpr(const ProbeState& state) { return SplitBlockFoldedFpr(OneBody(state), state.num_units, 1, nullptr); }

}  // namespace

void BindSplitBlocks(const uint8_t* body, uint64_t body_bytes, HashId hash_id, ProbeState* state) {
  Reset(state);
  state->body = body;
  state->num_units = body_bytes / kSplitBlockBytes;
  state->unit_shift = 5;
  state->inline_test = InlineTest::kSplitBlock;
  state->lane_ones = hash_id == HashId::kParquet ? kSplitFolds.none : kSplitFolds.all;
}

double SplitBlockFoldedFpr(const BodyList& bodies, uint64_t num_blocks, double enough, double* keys) {
  return FoldedFprOfBits<ReadBitsOf, kSplitBlockBytes, kSplitBlockProbes>(bodies, num_blocks, enough, keys);
}

extern const LayoutRecord kSplitBlockLayout;
constexpr LayoutRecord kSplitBlockLayout = [] {
  LayoutRecord record = PlainRecord<IsValid, BindFolded, SplitBlockKernels>(Layout::kSplitBlock, "split_block",
                                                                            ApproximateSize, ExpectedFpr);
  LayoutFacts& facts = record.facts;
  facts.buildable = facts.takes_keys = facts.shares = facts.unites = facts.folds = facts.zeros_are_empty = true;
  facts.block_bytes = kSplitBlockBytes;
  facts.has_positions = true;
  facts.num_positions = kSplitBlockProbes;
  record.bind = Bind;
  record.index_mask = kSplitIndexMask;
  record.absence_is_sound = [](const ProbeState& state, uint64_t hash, const SoundChunk& is_sound) {
    return BlockAbsence<SplitBlocks>::IsSound(state, hash, is_sound) != 0;
  };
  record.size_at_fill = SizeAtFill;
  return record;
}();

}  // namespace linefilter::internal
