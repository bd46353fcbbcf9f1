#include "lib/layouts/container/body.h"

#include <cstring>

#include "lib/base/equal_hashes.h"
#include "lib/base/fill.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {

void StoreStageEntry(const StageEntry& entry, uint32_t i, uint8_t* table) {
  uint8_t* const to = table + kStageEntryBytes * i;
  StoreLE64(entry.num_blocks, to);
  StoreLE64(entry.num_keys, to + 8);
  to[16] = entry.layout;
  to[17] = entry.num_probes;
  memset(to + 18, 0, kStageEntryBytes - 18);
}

const char* FindTableFault(const uint8_t* table, uint64_t table_bytes, uint64_t body_bytes, bool* unsupported) {
  *unsupported = false;
  if (table_bytes % kStageEntryBytes != 0) return "the table of stages has a part of an entry";
  const uint64_t num_stages = table_bytes / kStageEntryBytes;
  if (num_stages > kMaxStages) return "the table has more than 64 stages";
  uint64_t left = body_bytes;
  for (uint32_t i = 0; i < num_stages; ++i) {
    const StageEntry entry = LoadStageEntry(table, i);
    if (entry.num_blocks == 0 || entry.num_blocks > kMaxBlocks) return "a stage cannot have that many blocks";
    if (entry.num_keys > kMostKeysOfBlock * entry.num_blocks) return "a stage cannot have counted that many keys";
    if (kBlockBytes * entry.num_blocks > left) return "the stages are longer than the body";
    left -= kBlockBytes * entry.num_blocks;
    for (size_t at = 18; at < kStageEntryBytes; ++at) {
      if (table[kStageEntryBytes * i + at] != 0) return "an entry of the table of stages does not end with zeros";
    }
    if (entry.layout != static_cast<uint8_t>(Layout::kBlocked)) {
      *unsupported = true;  // unless a later entry is wrong
    } else if (entry.num_probes == 0 || entry.num_probes > MaxNumProbes(Layout::kBlocked)) {
      return "a stage cannot have that many probes";
    }
  }
  return left == 0 ? nullptr : "the stages are shorter than the body";
}

void BindStage(const Stage& stage, ProbeState* state) {
  BindBlocked(stage.body, kBlockBytes * stage.num_blocks, stage.num_probes, state);
}

void BindStageTable(const uint8_t* body, const uint8_t* table, uint32_t num_stages, ProbeState* state) {
  uint64_t blocks_before = 0;
  for (uint32_t i = 0; i + 1 < num_stages; ++i) blocks_before += LoadStageEntry(table, i).num_blocks;
  const uint64_t newest = LoadStageEntry(table, num_stages - 1).num_blocks;
  BindBlocks(Layout::kContainer, body + kBlockBytes * blocks_before, kBlockBytes * newest, 0, state);
  state->num_stages = static_cast<uint16_t>(num_stages);
  state->stage_table = table;
}

double ContainerFillRatio(const ProbeState& state) {
  double ones = 0, blocks = 0;
  ForEachStage(state, [&](uint32_t, const Stage& stage) {
    const double size = static_cast<double>(stage.num_blocks);
    ones += size * FillRatioOf(stage.body, kBlockBytes * stage.num_blocks);
    blocks += size;
  });
  return blocks == 0 ? 0 : ones / blocks;
}

double ContainerEstimatedKeys(const ProbeState& state) {
  double sum = 0;
  ForEachStage(state, [&](uint32_t, const Stage& stage) {
    ProbeState one;
    BindStage(stage, &one);
    sum += BlockedEstimatedKeys(one);
  });
  return sum;
}

double ContainerExpectedFpr(const ProbeState& state) {
  double any = 0;  // not 1 minus the product of 1 - p, which is 0 for the smallest p
  ForEachStage(state, [&](uint32_t, const Stage& stage) {
    ProbeState one;
    BindStage(stage, &one);
    any = EitherOf(any, BlockedExpectedFpr(one));
  });
  return any;
}

}  // namespace linefilter::internal
