// All layouts with kernels for each target make those of a batch here, from one loop: Loop::Batch(state, hashes, n,
// answers) puts the answers, of any kind that answers.h has.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/blocks/answers.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/lazy.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::ProbeState;

template <class Loop>
void MayContainToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBytes answers{out};
  Loop::Batch(state, hashes, n, answers);
}

template <class Loop>
void MayContainToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBits answers{out};
  Loop::Batch(state, hashes, n, answers);
  answers.Flush(n);
}

template <class Loop>
uint64_t CountMaybes(const ProbeState& state, const uint64_t* hashes, size_t n) {
  internal::AnswersToCount answers;
  Loop::Batch(state, hashes, n, answers);
  return answers.count;
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

// These ask a lazy body, whose "absent" comes from where Absence says; kOne asks for one key.
template <class Absence, bool (*kOne)(const ProbeState&, uint64_t)>
bool OneLazily(const ProbeState& state, uint64_t hash) {
  const bool maybe = kOne(state, hash);
  return HWY_LIKELY(internal::IsProven<Absence>(state, hash, maybe) != 0) ? maybe : internal::AskAgain(state, hash);
}
template <class Absence, bool (*kOne)(const ProbeState&, uint64_t)>
inline constexpr internal::Kernels kLazyKernels = internal::LazyBatches<Absence>::KernelsOf(TargetName,
                                                                                            OneLazily<Absence, kOne>);

// The table of a layout that takes no key; another sets its insertions behind it.
template <class Loop>
constexpr internal::Kernels AskingKernels(bool (*may_contain)(const ProbeState& state, uint64_t hash)) {
  return {TargetName,
          may_contain,
          MayContainToBytes<Loop>,
          MayContainToBits<Loop>,
          CountMaybes<Loop>,
          internal::InsertNothing,
          internal::InsertNothingBatch};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
