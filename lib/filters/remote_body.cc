// This tells which blocks and bits of a body that is not here matter, and what a block answers.
//
// Idea: a block that was fetched is a body of one block, in which every hash falls into block 0. So the kernels need no
// other entry. They also know best where the bits of a key are: they insert it into an empty block, where those are
// then read off.
#include "linefilter/remote_body.h"

#include <cstring>

#include "lib/base/endian.h"
#include "lib/image/container_writer.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/stages.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"

namespace linefilter {
namespace {

using internal::kBlockBytes;
static_assert(kMostBlockBytes == kBlockBytes && kMaxBodyStages == internal::kMaxStages);
static_assert(kMaxBodyGrowthBytes == internal::kMaxGrowthBytes);

Status CheckStages(const BodyFacts& facts) {
  if (facts.num_probes != 0) {
    return Status::Error(StatusCode::kInvalidArgument, "a container has %u probes: its stages have their own, set 0",
                         facts.num_probes);
  }
  if (facts.num_stages > kMaxBodyStages) {
    return Status::Error(StatusCode::kInvalidArgument, "a container of %u stages: an image has at most %zu",
                         facts.num_stages, kMaxBodyStages);
  }
  if (facts.growth_bytes > kMaxBodyGrowthBytes) {
    return Status::Error(StatusCode::kInvalidArgument, "a growth field of %u bytes: at most %zu are kept",
                         facts.growth_bytes, kMaxBodyGrowthBytes);
  }
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < facts.num_stages; ++i) {
    const BodyStage& stage = facts.stages[i];
    const Status status = internal::CheckStage(i, stage.num_blocks, stage.num_probes, stage.num_keys);
    if (!status.ok()) return status;
    bytes += kBlockBytes * stage.num_blocks;
  }
  if (bytes == facts.body_bytes) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "the stages of a container have %llu bytes, its body %llu",
                       static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(facts.body_bytes));
}

// Does the same without a sentence, for each block that is asked: 64 stages take 50 ns, by CheckStages 280.
bool StagesFit(const BodyFacts& facts) {
  if (facts.num_probes != 0 || facts.num_stages > kMaxBodyStages || facts.growth_bytes > kMaxBodyGrowthBytes) {
    return false;
  }
  const uint32_t most_probes = internal::StageLayout().facts.max_num_probes;
  uint64_t num_blocks = 0;
  for (const BodyStage *stage = facts.stages, *end = stage + facts.num_stages; stage != end; ++stage) {
    if (stage->num_blocks - 1 >= internal::kMaxBlocks || stage->num_probes - 1 >= most_probes ||
        stage->num_keys > internal::kMostKeysOfBlock * stage->num_blocks) {
      return false;
    }
    num_blocks += stage->num_blocks;
  }
  return facts.body_bytes == kBlockBytes * num_blocks;
}

bool HashFits(const BodyFacts& facts) {
  return KeyHash::IsKnown(facts.hash_id) && (facts.seed == 0 || KeyHash::HasSeed(facts.hash_id));
}

// The number of blocks, if it is a body of one kind of blocks and CheckBody takes it; else 0.
uint64_t NumBlocks(const BodyFacts& facts) {
  if (facts.num_stages != 0 || !HashFits(facts)) return 0;
  const internal::LayoutRecord* const record = internal::FindLayout(facts.layout);
  if (record == nullptr || record->facts.block_bytes == 0) return 0;
  const bool is_valid = record->body_is_valid(facts.body_bytes, facts.num_probes);
  return is_valid ? facts.body_bytes / record->facts.block_bytes : 0;
}

// Finds the layout of blocks of that name, with so many probes; else null.
const internal::LayoutRecord* FindBlocks(Layout layout, uint32_t num_probes) {
  const internal::LayoutRecord* const record = internal::FindLayout(layout);
  if (record == nullptr || record->facts.block_bytes == 0) return nullptr;
  return record->body_is_valid(record->facts.block_bytes, num_probes) ? record : nullptr;
}

bool HasStages(const BodyFacts& facts) {
  const internal::LayoutRecord* const record = internal::FindLayout(facts.layout);
  return record != nullptr && record->facts.has_stages;
}

// Makes a state that asks or changes one block, which is that of stage `index`; false if the facts have no such block.
bool BindOneBlock(const BodyFacts& facts, size_t index, const void* block, internal::ProbeState* state) {
  Layout layout = facts.layout;
  uint32_t num_probes = facts.num_probes;
  if (HasStages(facts)) {
    if (index >= facts.num_stages || !HashFits(facts) || !StagesFit(facts)) return false;
    layout = internal::StageLayout().layout;
    num_probes = facts.stages[index].num_probes;
  } else if (index != 0 || NumBlocks(facts) == 0) {
    return false;
  }
  const internal::LayoutRecord* const record = FindBlocks(layout, num_probes);
  if (record == nullptr) return false;
  internal::BindBody(*record,
                     {static_cast<const uint8_t*>(block), record->facts.block_bytes, num_probes, facts.hash_id}, state);
  return true;
}

// Finds the numbers of bits that a hash has in the block of that number.
size_t PositionsInBlock(Layout layout, uint32_t num_probes, HashId hash_id, uint64_t hash, uint64_t index,
                        uint64_t* positions) {
  const internal::LayoutRecord* const record = FindBlocks(layout, num_probes);
  if (record == nullptr || !record->facts.has_positions) return 0;
  alignas(kBlockBytes) uint8_t block[kBlockBytes] = {};
  const uint32_t block_bytes = record->facts.block_bytes;
  internal::ProbeState state;
  internal::BindBody(*record, {block, block_bytes, num_probes, hash_id}, &state);
  internal::ChangesOf(layout, state).insert(state, hash);
  const uint64_t first = index * 8 * block_bytes;
  size_t n = 0;
  for (uint32_t word = 0; word < block_bytes / 8; ++word) {
    for (uint64_t ones = internal::LoadLE64(block + 8 * word); ones != 0; ones &= ones - 1) {
      positions[n++] = first + 64 * word + static_cast<uint32_t>(__builtin_ctzll(ones));
    }
  }
  return n;
}

}  // namespace

BodyFacts FactsOf(const FilterView& view) noexcept {
  BodyFacts facts;
  facts.layout = view.layout();
  facts.hash_id = view.hash_id();
  facts.key_kind = view.key_kind();
  if (facts.layout == Layout::kAuto) return facts;
  facts.has_num_keys = view.has_num_keys();
  facts.num_probes = view.num_probes();
  facts.num_stages = view.num_stages();
  facts.body_bytes = view.body_bytes();
  facts.seed = view.seed();
  facts.num_keys = view.num_keys();
  facts.key_forms = view.key_forms();
  for (uint32_t i = 0; i < facts.num_stages; ++i) {
    const StageInfo stage = view.stage(i);
    facts.stages[i].num_blocks = stage.num_blocks;
    facts.stages[i].num_keys = stage.num_keys;
    facts.stages[i].num_probes = stage.num_probes;
  }
  if (view.growth_bytes() != 0 && view.growth_bytes() <= kMaxBodyGrowthBytes) {
    facts.growth_bytes = static_cast<uint32_t>(view.growth_bytes());
    memcpy(facts.growth, view.growth(), view.growth_bytes());
  }
  return facts;
}

Status CheckBody(const BodyFacts& facts) noexcept {
  const internal::LayoutRecord* const record = internal::FindLayout(facts.layout);
  if (record == nullptr) {
    return Status::Error(StatusCode::kUnsupported,
                         "a body of layout %u (%s), which this version does not read: upgrade linefilter",
                         static_cast<unsigned>(facts.layout), LayoutName(facts.layout));
  }
  if (!KeyHash::IsKnown(facts.hash_id)) {
    return Status::Error(StatusCode::kUnsupported,
                         "a body of hash id %u, which this version does not know: upgrade linefilter",
                         static_cast<unsigned>(facts.hash_id));
  }
  if (!HashFits(facts)) {
    return Status::Error(StatusCode::kInvalidArgument,
                         "a body of the hash of Parquet has seed %llu: that hash has none, so the seed is 0",
                         static_cast<unsigned long long>(facts.seed));
  }
  if (record->facts.has_stages) return CheckStages(facts);
  if (facts.num_stages != 0) {
    return Status::Error(StatusCode::kInvalidArgument, "a body of layout %s has %u stages: only a container has any",
                         LayoutName(facts.layout), facts.num_stages);
  }
  if (record->body_is_valid(facts.body_bytes, facts.num_probes)) return Status();
  return Status::Error(StatusCode::kInvalidArgument, "layout %s cannot have %u probes in a body of %llu bytes",
                       LayoutName(facts.layout), facts.num_probes, static_cast<unsigned long long>(facts.body_bytes));
}

size_t BlocksOfHash(const BodyFacts& facts, uint64_t hash, uint64_t* blocks) noexcept {
  if (!HasStages(facts)) {
    const uint64_t num_blocks = NumBlocks(facts);
    if (num_blocks == 0) return 0;
    blocks[0] = BlockIndex(hash & internal::FindLayout(facts.layout)->index_mask, num_blocks);
    return 1;
  }
  if (!HashFits(facts) || !StagesFit(facts)) return 0;
  uint64_t before = 0;
  for (uint32_t i = 0; i < facts.num_stages; ++i) {
    blocks[i] = before + BlockIndex(hash, facts.stages[i].num_blocks);
    before += facts.stages[i].num_blocks;
  }
  return facts.num_stages;
}

bool BlockMayContainHash(const BodyFacts& facts, size_t index, const void* block, uint64_t hash) noexcept {
  internal::ProbeState state;
  if (block == nullptr || !BindOneBlock(facts, index, block, &state)) return true;
  return state.may_contain(state, hash);
}

// The block is written through the const pointer of its state.
bool InsertHashIntoBlock(const BodyFacts& facts, void* block, uint64_t hash) noexcept {
  internal::ProbeState state;
  const bool has_stages = HasStages(facts);
  if (block == nullptr || (has_stages && facts.num_stages == 0)) return false;
  if (!BindOneBlock(facts, has_stages ? facts.num_stages - 1 : 0, block, &state)) return false;
  const Layout layout = has_stages ? internal::StageLayout().layout : facts.layout;
  return FactsOf(layout).takes_keys && internal::ChangesOf(layout, state).insert(state, hash);
}

bool RemoveHashFromBlock(const BodyFacts& facts, void* block, uint64_t hash) noexcept {
  internal::ProbeState state;
  if (block == nullptr || HasStages(facts) || !FactsOf(facts.layout, facts.num_probes).gives_back) return false;
  return BindOneBlock(facts, 0, block, &state) && internal::ChangesOf(facts.layout, state).remove(state, hash);
}

size_t PositionsOfHash(const BodyFacts& facts, uint64_t hash, uint64_t* positions) noexcept {
  const internal::LayoutRecord* const record = internal::FindLayout(facts.layout);
  if (record == nullptr) return 0;
  if (record->positions != nullptr) {
    if (facts.num_stages != 0 || !HashFits(facts)) return 0;
    return record->positions(facts.body_bytes, facts.num_probes, hash, positions);
  }
  if (record->facts.has_stages) {
    uint64_t blocks[kMaxBodyStages];
    const size_t n = BlocksOfHash(facts, hash, blocks);
    if (n == 0) return 0;
    return PositionsInBlock(internal::StageLayout().layout, facts.stages[n - 1].num_probes, facts.hash_id, hash,
                            blocks[n - 1], positions);
  }
  uint64_t block;
  if (BlocksOfHash(facts, hash, &block) == 0) return 0;
  return PositionsInBlock(facts.layout, facts.num_probes, facts.hash_id, hash, block, positions);
}

}  // namespace linefilter
