// The layout `container` but for its loops: whether a table of stages is possible, and estimates over all stages.
#ifndef LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_

#include "lib/layouts/layout_record.h"
#include "lib/layouts/lazy.h"
#include "lib/layouts/stages.h"

namespace linefilter::internal {

const Kernels& ImageStagesKernels();

// It comes from the block in every stage.
struct StagesAbsence {
  static constexpr bool kIsCheap = false, kHasRanges = false;
  template <class SoundChunk>
  static bool IsSound(const ProbeState& state, uint64_t hash, const SoundChunk& is_sound) {
    bool all = true;
    uint64_t begin = 0;
    ForEachStage(state, [&](uint32_t, const Stage& stage) {
      all = all && is_sound((begin + BlockIndex(hash, stage.num_blocks)) >> kChunkShiftOfBlock);
      begin += stage.num_blocks;
    });
    return all;
  }
};

// This is LayoutRecord::bind to the stages of an image, whose table is without fault. Nobody inserts into them.
void BindImageStages(const BodyParts& parts, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_CONTAINER_BODY_H_
