// Kernels of several filters that answer as one (stages.h), one source for all of Highway's targets.
#include "lib/kernels/stages.h"

#include "lib/kernels/answers.h"
#include "lib/kernels/block_batch.h"
#include "lib/kernels/kernels.h"
#include "lib/kernels/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/kernels/stages.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "hwy/highway.h"
#include "lib/kernels/shared_block-inl.h"
#include "linefilter/inline.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::ProbeState;
using internal::Stage;

// The stages of a state: its own, or those of an image's table, written to `room` for kMaxStages of them.
HWY_INLINE const Stage* StagesOf(const ProbeState& state, Stage* room) {
  if (state.stages != nullptr) return state.stages;
  internal::ForEachStage(state, [room](uint32_t i, const Stage& stage) { room[i] = stage; });
  return room;
}

HWY_INLINE uint8_t* BlockOfStage(const Stage& stage, uint64_t hash) {
  return stage.body + 64 * BlockIndex(hash, stage.num_blocks);
}

// How one block is tested and filled.
struct Alone {
  static HWY_INLINE bool Test(const Stage& stage, uint64_t hash) {
    return TestBlock(BlockOfStage(stage, hash), stage.lane_ones, static_cast<uint32_t>(hash));
  }
  static HWY_INLINE bool Insert(const Stage& stage, uint64_t hash) {
    return InsertIntoBlock(BlockOfStage(stage, hash), stage.lane_ones, static_cast<uint32_t>(hash));
  }
};
struct Shared {
  static HWY_INLINE bool Test(const Stage& stage, uint64_t hash) {
    return TestSharedBlock(BlockOfStage(stage, hash), stage.lane_ones, static_cast<uint32_t>(hash));
  }
  static HWY_INLINE bool Insert(const Stage& stage, uint64_t hash) {
    return InsertIntoSharedBlock(BlockOfStage(stage, hash), stage.lane_ones, static_cast<uint32_t>(hash));
  }
};

template <class How>
HWY_INLINE bool TestAll(const Stage* stages, size_t num_stages, uint64_t hash) {
  bool found = false;
  for (size_t s = num_stages; s-- != 0;) found |= How::Test(stages[s], hash);
  return found;
}

// True if no stage had it.
template <class How>
HWY_INLINE bool InsertIntoNewest(const Stage* stages, size_t num_stages, uint64_t hash) {
  const bool older = TestAll<How>(stages, num_stages - 1, hash);
  return How::Insert(stages[num_stages - 1], hash) && !older;
}

template <class How>
bool MayContain(const ProbeState& state, uint64_t hash) {
  Stage room[internal::kMaxStages];
  return TestAll<How>(StagesOf(state, room), state.num_stages, hash);
}

template <class How>
bool Insert(const ProbeState& state, uint64_t hash) {
  return InsertIntoNewest<How>(state.stages, state.num_stages, hash);
}

template <class How, class Answers>
HWY_INLINE void MayContainBatch(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes, size_t n,
                                Answers& answers) {
  Stage room[internal::kMaxStages];
  const Stage* const stages = StagesOf(state, room);
  const size_t num_stages = state.num_stages;
  for (size_t i = 0; i < n; ++i) answers.Put(i, TestAll<How>(stages, num_stages, hashes[i]));
}

template <class How>
void MayContainToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBytes answers{out};
  MayContainBatch<How>(state, hashes, n, answers);
}

template <class How>
void MayContainToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBits answers{out};
  MayContainBatch<How>(state, hashes, n, answers);
  answers.Flush(n);
}

template <class How>
uint64_t CountMaybes(const ProbeState& state, const uint64_t* hashes, size_t n) {
  internal::AnswersToCount answers;
  MayContainBatch<How>(state, hashes, n, answers);
  return answers.count;
}

template <class How>
uint64_t InsertBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new) {
  uint64_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    const bool is_new = InsertIntoNewest<How>(state.stages, state.num_stages, hashes[i]);
    if (were_new != nullptr) were_new[i] = is_new;
    count += is_new;
  }
  return count;
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

template <class How>
constexpr internal::Kernels KernelsOf() {
  return {TargetName,       MayContain<How>, MayContainToBytes<How>, MayContainToBits<How>,
          CountMaybes<How>, Insert<How>,     InsertBatch<How>,       nullptr};
}

const internal::Kernels* StagesTable() {
  static constexpr internal::Kernels kernels = KernelsOf<Alone>();
  return &kernels;
}

const internal::Kernels* SharedStagesTable() {
  static constexpr internal::Kernels kernels = KernelsOf<Shared>();
  return &kernels;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
HWY_EXPORT(StagesTable);
HWY_EXPORT(SharedStagesTable);

namespace internal {

const Kernels& StagesKernels() { return *LINEFILTER_DISPATCH(StagesTable)(); }
const Kernels& SharedStagesKernels() { return *LINEFILTER_DISPATCH(SharedStagesTable)(); }

void BindStages(const Stage* stages, uint32_t num_stages, ProbeState* state, const Kernels& kernels) {
  const Stage& newest = stages[num_stages - 1];
  BindBlocks(Layout::kContainer, newest.body, kBlockBytes * newest.num_blocks, 0, state);
  state->num_stages = static_cast<uint16_t>(num_stages);
  state->stages = stages;
  state->kernels = &kernels;
  state->may_contain = kernels.may_contain;
}

void BindImageStages(const uint8_t* body, const uint8_t* table, uint32_t num_stages, ProbeState* state) {
  BindStageTable(body, table, num_stages, state);
  state->kernels = &StagesKernels();
  state->may_contain = state->kernels->may_contain;
}

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
