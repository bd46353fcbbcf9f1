// The kernels of several filters that answer as one and stand in an image (lib/layouts/stages.h), one source for all of
// Highway's targets. stages-inl.h has single keys, sieve-inl.h batches, changes.cc the stages of an owner.
#include "lib/layouts/kernels.h"

#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/container/body.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/container/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/container/sieve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if LINEFILTER_SAME_AS_AVX3

// changes.cc takes these three, too.
void StagesToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  N_AVX3::StagesToBytes(state, hashes, n, out);
}
void StagesToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  N_AVX3::StagesToBits(state, hashes, n, out);
}
uint64_t CountInStages(const ProbeState& state, const uint64_t* hashes, size_t n) {
  return N_AVX3::CountInStages(state, hashes, n);
}

namespace {

internal::MayContainFunction ImageStagesSingle(size_t num_stages) { return N_AVX3::ImageStagesSingle(num_stages); }

const internal::Kernels* ImageStagesTable() { return UnderThisName<N_AVX3::ImageStagesTable>(); }

}  // namespace

#else

void StagesToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  MayContainToBytes<LoopOf<Alone>>(state, hashes, n, out);
}
void StagesToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  MayContainToBits<LoopOf<Alone>>(state, hashes, n, out);
}
uint64_t CountInStages(const ProbeState& state, const uint64_t* hashes, size_t n) {
  return CountMaybes<LoopOf<Alone>>(state, hashes, n);
}

namespace {

internal::MayContainFunction ImageStagesSingle(size_t num_stages) {
  return MayContainOfSome<Alone, TableCursor>(num_stages);
}

const internal::Kernels* ImageStagesTable() {
  static constexpr internal::Kernels kernels = [] {
    internal::Kernels made = {TargetName, MayContain<Alone, TableCursor>, StagesToBytes, StagesToBits, CountInStages};
    made.lazily = &kLazyKernels<internal::StagesAbsence, MayContain<Alone, TableCursor>>;
    return made;
  }();
  return &kernels;
}

}  // namespace

#endif
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(ImageStagesTable);
LINEFILTER_TARGET_TABLE(ImageStagesSingle);

namespace internal {

const Kernels& ImageStagesKernels() { return *LINEFILTER_DISPATCH(ImageStagesTable)(); }

void BindImageStages(const BodyParts& parts, ProbeState* state) {
  const uint32_t num_stages = static_cast<uint32_t>(parts.stage_table_bytes / kStageEntryBytes);
  uint64_t blocks_before = 0;
  for (uint32_t i = 0; i + 1 < num_stages; ++i) blocks_before += LoadStageEntry(parts.stage_table, i).num_blocks;
  const StageEntry newest = LoadStageEntry(parts.stage_table, num_stages - 1);
  BindBlocks(InlineTest::kNone, parts.body + kBlockBytes * blocks_before, kBlockBytes * newest.num_blocks, 0, state);
  state->num_stages = static_cast<uint8_t>(num_stages);
  state->stage_table = parts.stage_table;
  state->in_image = true;
  state->lane_ones = LaneOnes(num_stages == 1 ? newest.num_probes : 1);
  if (num_stages == 1) return UseKernels(StageLayout().kernels(), state);
  state->kernels = &ImageStagesKernels();
  state->may_contain = LINEFILTER_DISPATCH(ImageStagesSingle)(num_stages);
}

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
