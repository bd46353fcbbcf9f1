#include "lib/layouts/container/body.h"

#include <cmath>
#include <cstring>

#include "lib/base/equal_hashes.h"
#include "lib/layouts/stages.h"

namespace linefilter::internal {
namespace {

// Says what is wrong with the table: null if nothing is. *unsupported means that it may be right, but for a layout that
// this version does not know.
const char* FindTableFault(const BodyParts& parts, bool* unsupported) {
  *unsupported = false;
  if (parts.num_probes != 0) return "a container has no probes of its own";
  if (parts.stage_table_bytes % kStageEntryBytes != 0) return "the table of stages has a part of an entry";
  const uint64_t num_stages = parts.stage_table_bytes / kStageEntryBytes;
  if (num_stages > kMaxStages) return "the table has more than 64 stages";
  const uint32_t most_probes = StageLayout().facts.max_num_probes;
  uint64_t left = parts.body_bytes;
  for (uint32_t i = 0; i < num_stages; ++i) {
    const StageEntry entry = LoadStageEntry(parts.stage_table, i);
    if (entry.num_blocks == 0 || entry.num_blocks > kMaxBlocks) return "a stage cannot have that many blocks";
    if (entry.num_keys > kMostKeysOfBlock * entry.num_blocks) return "a stage cannot have counted that many keys";
    if (kBlockBytes * entry.num_blocks > left) return "the stages are longer than the body";
    left -= kBlockBytes * entry.num_blocks;
    for (size_t at = 18; at < kStageEntryBytes; ++at) {
      if (parts.stage_table[kStageEntryBytes * i + at] != 0) {
        return "an entry of the table of stages does not end with zeros";
      }
    }
    if (entry.layout != static_cast<uint8_t>(StageLayout().layout)) {
      *unsupported = true;  // unless a later entry is wrong
    } else if (entry.num_probes == 0 || entry.num_probes > most_probes) {
      return "a stage cannot have that many probes";
    }
  }
  return left == 0 ? nullptr : "the stages are shorter than the body";
}

Status CheckStages(const BodyParts& parts) {
  bool unsupported = false;
  const char* const fault = FindTableFault(parts, &unsupported);
  if (fault != nullptr) {
    return Status::Error(StatusCode::kCorrupt, "%s: the image was not written by linefilter", fault);
  }
  if (!unsupported) return Status();
  return Status::Error(StatusCode::kUnsupported,
                       "a stage of the image has a layout that this version does not read: upgrade linefilter");
}

// A body has its table of stages beside it, so none is valid alone.
bool IsValid(uint64_t, uint32_t) { return false; }
bool MayContain(const uint8_t*, uint64_t, uint32_t, uint64_t) { return true; }

double FillRatio(const ProbeState& state) {
  double ones = 0, blocks = 0;
  ForEachStage(state, [&](uint32_t, const Stage& stage) {
    const double size = static_cast<double>(stage.num_blocks);
    ones += size * FillRatioOfBody(StateOfStage(state, stage));
    blocks += size;
  });
  return blocks == 0 ? 0 : ones / blocks;
}

// It is a sum: a key that two stages hold counts twice.
SizeEstimate ApproximateSize(const ProbeState& state) {
  double sum = 0, variance = 0;
  ForEachStage(state, [&](uint32_t, const Stage& stage) {
    const SizeEstimate size = StageLayout().approximate_size(StateOfStage(state, stage));
    sum += size.keys;
    variance += size.error * size.error;
  });
  return {sum, std::sqrt(variance)};
}

// Stages count as independent, which their other sizes make them.
double ExpectedFpr(const ProbeState& state) {
  double any = 0;  // not 1 minus the product of 1 - p, which is 0 for the smallest p
  ForEachStage(state, [&](uint32_t, const Stage& stage) {
    any = EitherOf(any, StageLayout().expected_fpr(StateOfStage(state, stage)));
  });
  return any;
}

}  // namespace

void StoreStageEntry(uint64_t num_blocks, uint64_t num_keys, uint32_t num_probes, uint32_t i, uint8_t* table) {
  uint8_t* const to = table + kStageEntryBytes * i;
  StoreLE64(num_blocks, to);
  StoreLE64(num_keys, to + 8);
  to[16] = static_cast<uint8_t>(StageLayout().layout);
  to[17] = static_cast<uint8_t>(num_probes);
  memset(to + 18, 0, kStageEntryBytes - 18);
}

extern const LayoutRecord kContainerLayout;
constexpr LayoutRecord kContainerLayout = [] {
  LayoutRecord record = {Layout::kContainer, "container", {},        IsValid,         CheckStages, ImageStagesKernels,
                         BindImageStages,    MayContain,  FillRatio, ApproximateSize, ExpectedFpr};
  record.absence_is_sound = StagesAbsence::IsSound<SoundChunk>;
  record.facts.has_stages = record.facts.zeros_are_empty = true;
  record.facts.block_bytes = kBlockBytes;
  record.facts.has_positions = true;
  return record;
}();

}  // namespace linefilter::internal
