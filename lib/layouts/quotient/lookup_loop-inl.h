// The loop over a batch of lookups of the layout `quotient` on AVX2, in place of that of block_loops-inl.h.
//
// Idea: the steps of a key wait for each other, and the core does not look far enough ahead to do those of other keys
// meanwhile. So while the runs of four keys are found, those of the four before are compared. What the first step found
// lies in memory. It is inlined here alone: a reader of images grows by 4 KB.
//
// These tell how many times as long as `blocked` a batch takes at 24 KB and 10 bits per key, in one process. Others
// compiled on that Zen 5 meanwhile. The loop takes 3.4, and the one that calls TestKeys took 4.2. Rejected:
// - TestKeys inlined into that one: 3.4 where the call had 3.7
// - the two places for what was found by an index in place of pointers: 3.6
// - what was found as a value: g++ 12 copies it by halves, and loads wait for these stores: 4.8
// - a check for the last keys in the loop in place of one more comparison behind it: 3.7
// - groups with rare keys put aside, and asked again sixteen at a time: 3.6 to 3.7 in place of 3.5 to 3.6

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUP_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUP_LOOP_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUP_LOOP_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUP_LOOP_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "hwy/highway.h"
#include "lib/base/page_ahead.h"
#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/quotient/lookups-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_AVX2

// What is kept of kKeys keys from one step to the next.
struct Found {
  Runs runs;
  const uint8_t* blocks[kKeys];
  alignas(32) uint64_t bytes[kKeys];
};

// As Most of block_loops-inl.h.
template <class Test, bool kPrefetches, size_t kLastByte, class Answers>
HWY_INLINE size_t MostInTwoSteps(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes, size_t n,
                                 Answers& answers) {
  const size_t ahead = kPrefetches ? internal::LookAheadIn(state) : 0;
  const auto prefetch = [&](size_t j) HWY_ATTR {
    const uint8_t* const in_block = state.body + Test::Blocks::ByteNear(hashes[j], state.num_units);
    PrefetchBlock<0>(kLastByte == 0 ? in_block : BlockFor<Test>(state, hashes[j]), kLastByte);
  };
  for (size_t j = 0; j < ahead && j < n; ++j) prefetch(j);
  Found found[2], *before = found, *now = found + 1;
  const auto compare = [&](const Found& keys, size_t first) HWY_ATTR {
    const auto most = CompareRuns(keys.runs, keys.blocks, keys.bytes);
    PutFrom<Answers>{answers, first}.PutBytes(BytesOf(AnswersOfAll(most, keys.blocks, hashes + first)));
  };
  size_t i = 0;
  for (; n >= i + kKeys + ahead; i += kKeys) {
    internal::FetchPageAhead(hashes + i);
    std::swap(before, now);
    const auto block_of = [&](size_t j) HWY_ATTR {
      if (kPrefetches) prefetch(i + j + ahead);
      return BlockFor<Test>(state, hashes[i + j]);
    };
    FindBlocks(block_of, now->blocks);
    FindRuns<kOftenInTwo>(now->blocks, hashes + i, &now->runs, now->bytes);
    if (HWY_LIKELY(i != 0)) compare(*before, i - kKeys);
  }
  if (i != 0) compare(*now, i - kKeys);
  for (size_t j = i + ahead; kPrefetches && j < n; ++j) prefetch(j);
  return i;
}

// As LoopOf.
template <class Test>
struct LoopInTwoSteps {
  template <class Answers>
  static HWY_INLINE void Batch(const ProbeState& state_in_memory, const uint64_t* HWY_RESTRICT hashes, size_t n,
                               Answers& answers) {
    const ProbeState state = state_in_memory;  // in registers: the answers might alias it
    using Blocks = typename Test::Blocks;
    size_t i = 0;
    if (state.num_units <= internal::kPlainLoopBytes / Blocks::kBytes) {
      i = MostInTwoSteps<Test, false, 0>(state, hashes, n, answers);
    } else if (internal::LastByteOfBlock<Blocks>(state.body) == 0) {
      i = MostInTwoSteps<Test, true, 0>(state, hashes, n, answers);
    } else {
      i = MostInTwoSteps<Test, true, Blocks::kBytes - 1>(state, hashes, n, answers);
    }
    for (; i < n; ++i) answers.Put(i, One<Test>(state, hashes[i]));
  }
};

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUP_LOOP_INL_H_
