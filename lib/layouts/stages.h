// Stages are several filters of layout `blocked` that answer as one: a key is "maybe" if one of them says so. This
// tells how a lookup learns of a stage, and the table by which an image tells its own (doc/FORMAT.md). The layout that
// asks them is in lib/layouts/container/.
//
//   Stage stages[2] = {MakeStage(older, ...), MakeStage(newer, ...)};  // the oldest first
//   BindStages(stages, 2, false, &state_);
//   if (state_.may_contain(state_, hash)) ...
//
// The idea: a lookup knows two ways to its stages, so that neither needs memory of its own. An owner of stages has an
// array of them; a view reads the image's table, whose bodies lie one after another.
#ifndef LINEFILTER_LIB_LAYOUTS_STAGES_H_
#define LINEFILTER_LIB_LAYOUTS_STAGES_H_

#include <cstddef>
#include <cstdint>

#include "lib/base/endian.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/lane_table.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

inline constexpr uint32_t kMaxStages = 64;
inline constexpr size_t kStageEntryBytes = 24;  // of an image's table
// Each key that a stage counts set one of its bits that was not set. A tiny image that claimed more would open the next
// stage, of any size, at the first insertion.
inline constexpr uint64_t kMostKeysOfBlock = 8 * kBlockBytes;

// The layout of all stages.
inline const LayoutRecord& StageLayout() { return *FindLayout(Layout::kBlocked); }

// A stage is one filter of that layout.
struct Stage {
  uint8_t* body;
  uint64_t num_blocks;
  const uint32_t* lane_ones;  // LaneOnes(num_probes)
  uint32_t num_probes;
};

inline Stage MakeStage(uint8_t* body, uint64_t num_blocks, uint32_t num_probes) {
  return {body, num_blocks, LaneOnes(num_probes), num_probes};
}

// One entry of an image's table of stages.
struct StageEntry {
  uint64_t num_blocks;
  uint64_t num_keys;  // counted in it; 0 = unknown
  uint8_t layout;
  uint8_t num_probes;
};
inline StageEntry LoadStageEntry(const uint8_t* table, uint32_t i) {
  const uint8_t* const entry = table + kStageEntryBytes * i;
  return {LoadLE64(entry), LoadLE64(entry + 8), entry[16], entry[17]};
}
// The layout of the entry is that of all stages.
void StoreStageEntry(uint64_t num_blocks, uint64_t num_keys, uint32_t num_probes, uint32_t i, uint8_t* table);

// Calls visit(i, Stage) with each stage, the oldest first.
template <class Visit>
void ForEachStage(const ProbeState& state, const Visit& visit) {
  if (!state.in_image) {
    for (uint32_t i = 0; i < state.num_stages; ++i) visit(i, state.stages[i]);
    return;
  }
  // state.body is the newest, the last in the image.
  uint64_t blocks_before = 0;
  for (uint32_t i = 0; i + 1 < state.num_stages; ++i) blocks_before += LoadStageEntry(state.stage_table, i).num_blocks;
  uint8_t* body = const_cast<uint8_t*>(state.body) - kBlockBytes * blocks_before;
  for (uint32_t i = 0; i < state.num_stages; ++i) {
    const StageEntry entry = LoadStageEntry(state.stage_table, i);
    visit(i, MakeStage(body, entry.num_blocks, entry.num_probes));
    body += kBlockBytes * entry.num_blocks;
  }
}

// A state that tells of one stage of `all` alone; others may set bits of it where they may in `all`.
inline ProbeState StateOfStage(const ProbeState& all, const Stage& stage) {
  ProbeState state;
  BindBody(StageLayout(), {stage.body, kBlockBytes * stage.num_blocks, stage.num_probes}, &state);
  state.is_shared = all.is_shared;
  return state;
}

// Makes `state` ask them all, at least one and at most kMaxStages. It keeps the pointer, so bind anew after each change
// of the array (one more stage, another newest). Several stages take no insertion: their owner knows which of them is
// to take it. With is_shared others may set bits meanwhile.
void BindStages(const Stage* stages, uint32_t num_stages, bool is_shared, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_STAGES_H_
