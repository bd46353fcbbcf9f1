// All layouts with kernels for each target make those of a batch here, from one loop: Loop::Batch(state, hashes, n,
// answers) puts the answers.
//
// A batch of any layout writes bytes. Bits and counts are made of these, in groups that stay in the L1. A loop for each
// kind of answer was three times the code (all layouts and targets: 270 KB, two thirds of a program that reads images).
// In cache on Zen 5 it takes 0.83 of the time of such a loop for bits of `blocked` on AVX-512, 0.90 on AVX2, 1.02 for
// its counts; 0.95 for bits and counts of `retrieval` on AVX-512, 1.05 on AVX2. A batch of 64 keys is a tenth slower,
// because the bytes are read before they are in the cache.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "lib/layouts/blocks/answers.h"
#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/lazy.h"
#include "lib/layouts/target.h"
#include "linefilter/internal/test_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::ProbeState;

template <class Loop>
HWY_NOINLINE void MayContainToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBytes answers{out};
  Loop::Batch(state, hashes, n, answers);
}

// Calls use(first, size, answers) with the bytes of each group; zeros follow them up to a whole vector. Meanwhile the
// first lines of the next group come, unless the body is in the L2 anyway.
template <class Loop, class Use>
HWY_INLINE void InGroups(const ProbeState& state, const uint64_t* hashes, size_t n, const Use& use) {
  constexpr size_t kMost = internal::kAnswerGroup, kPadding = 64;
  const bool prefetches = state.num_units << state.unit_shift > uint64_t{1} << 18;
  HWY_ALIGN uint8_t answers[kMost + kPadding];
  for (size_t first = 0; first < n; first += kMost) {
    const size_t size = n - first < kMost ? n - first : kMost;
    MayContainToBytes<Loop>(state, hashes + first, size, answers);
    memset(answers + size, 0, kPadding);
    for (size_t i = first + size; prefetches && i < n && i < first + size + internal::LookAheadIn(state); ++i) {
      __builtin_prefetch(state.body + (MulHigh(hashes[i], state.num_units) << state.unit_shift));
    }
    use(first, size, answers);
  }
}

template <class Loop>
void MayContainToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  InGroups<Loop>(state, hashes, n, [out](size_t first, size_t size, const uint8_t* answers) HWY_ATTR {
    size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::CappedTag<uint8_t, 64> d;
    const size_t lanes = hn::Lanes(d);
    for (; i + 64 <= size; i += lanes) {  // StoreMaskBits may write 8 bytes, whatever the lanes
      (void)hn::StoreMaskBits(d, hn::Ne(hn::Load(d, answers + i), hn::Zero(d)), out + (first + i) / 8);
    }
#endif
    for (; i < size; i += 8) out[(first + i) / 8] = internal::BitsOfBytes(answers + i);
  });
}

template <class Loop>
uint64_t CountMaybes(const ProbeState& state, const uint64_t* hashes, size_t n) {
  uint64_t maybes = 0;
  InGroups<Loop>(state, hashes, n, [&maybes](size_t, size_t size, const uint8_t* answers) HWY_ATTR {
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
    maybes += internal::SumOfBytes(answers, size);
#else
    const hn::CappedTag<uint8_t, 64> d;
    const hn::Repartition<uint64_t, decltype(d)> d64;
    auto sums = hn::Zero(d);  // by whole words it was 1 to 2 % of a batch
    static_assert(internal::kAnswerGroup / 8 <= 255, "a lane overflows");
    for (size_t i = 0; i < size; i += hn::Lanes(d)) sums = hn::Add(sums, hn::Load(d, answers + i));
    maybes += hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(sums)));
#endif
  });
  return maybes;
}

[[maybe_unused]] const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

// These ask a lazy body, whose "absent" comes from where Absence says; kOne asks for one key.
template <class Absence, bool (*kOne)(const ProbeState&, uint64_t)>
bool OneLazily(const ProbeState& state, uint64_t hash) {
  const bool maybe = kOne(state, hash);
  return HWY_LIKELY(internal::IsProven<Absence>(state, hash, maybe) != 0) ? maybe : internal::AskAgain(state, hash);
}
template <class Absence, bool (*kOne)(const ProbeState&, uint64_t)>
inline constexpr internal::Kernels kLazyKernels = internal::LazyBatches<Absence>::KernelsOf(TargetName,
                                                                                            OneLazily<Absence, kOne>);

#if LINEFILTER_SAME_AS_AVX3 || LINEFILTER_SAME_AS_SCALAR
// The tables of another target under this target's name.
template <const internal::Kernels* (*kOther)()>
[[maybe_unused]] const internal::Kernels* UnderThisName() {
  struct Tables {
    internal::Kernels eager, lazy;
    explicit Tables(const internal::Kernels& other) : eager(other), lazy(*other.lazily) {
      eager.target = lazy.target = TargetName;
      eager.lazily = &lazy;
    }
  };
  static const Tables tables(*kOther());
  return &tables.eager;
}
#endif

// The table of a layout.
template <class Loop>
constexpr internal::Kernels AskingKernels(bool (*may_contain)(const ProbeState& state, uint64_t hash)) {
  return {TargetName, may_contain, MayContainToBytes<Loop>, MayContainToBits<Loop>, CountMaybes<Loop>};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BATCH_KERNELS_INL_H_
