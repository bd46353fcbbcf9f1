// Layout `container`: several filters, the stages, that answer as one: a key is "maybe" if one of them says so. How a
// stage is told to a lookup, and the table by which an image tells its own (doc/FORMAT.md).
//
// Idea: a lookup knows two ways to its stages, so that neither needs memory of its own. Who owns stages has an array of
// them; a view reads the image's table, whose bodies lie one after another.
#ifndef LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_

#include <cstddef>
#include <cstdint>

#include "lib/base/endian.h"
#include "lib/layouts/blocked/body.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/blocks/lane_table.h"
#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

inline constexpr uint32_t kMaxStages = 64;
inline constexpr size_t kStageEntryBytes = 24;  // of an image's table
// Each key that a stage counts set one of its bits that was not set. Who claims more would have the next stage opened,
// of any size, by the first insertion into a tiny image.
inline constexpr uint64_t kMostKeysOfBlock = 8 * kBlockBytes;

// One filter of layout `blocked`.
struct Stage {
  uint8_t* body;
  uint64_t num_blocks;
  const uint32_t* lane_ones;  // LaneOnes(num_probes)
  uint32_t num_probes;
};

inline Stage MakeStage(uint8_t* body, uint64_t num_blocks, uint32_t num_probes) {
  return {body, num_blocks, LaneOnes(num_probes), num_probes};
}

// One entry of an image's table.
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
void StoreStageEntry(const StageEntry& entry, uint32_t i, uint8_t* table);

// What is wrong with a table of that many bytes over a body of that many: null if nothing is. *unsupported: it may be
// right, but for a layout that this version does not know.
const char* FindTableFault(const uint8_t* table, uint64_t table_bytes, uint64_t body_bytes, bool* unsupported);

// Points `state` to the stages of an image, at least one, whose table is without fault; sets all but kernels and
// may_contain.
void BindStageTable(const uint8_t* body, const uint8_t* table, uint32_t num_stages, ProbeState* state);

// Calls with each stage, the oldest first: visit(i, Stage).
template <class Visit>
void ForEachStage(const ProbeState& state, const Visit& visit) {
  if (state.stages != nullptr) {
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

// A state that asks one stage alone, as a `blocked` filter; without kernels.
void BindStage(const Stage& stage, ProbeState* state);

// As the functions of the same name of other layouts, over all stages.
double ContainerFillRatio(const ProbeState& state);
double ContainerEstimatedKeys(const ProbeState& state);  // the sum: a key that two stages hold counts twice
double ContainerExpectedFpr(const ProbeState& state);    // as if stages were independent, which other sizes make them

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_
