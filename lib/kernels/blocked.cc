// Kernels of the layout `blocked`, one source for all of Highway's targets.
//
// Batches: while the body fits the L2 a plain loop, because the out-of-order core overlaps the keys by itself and a
// prefetch costs up to 0.4 ns; above that a look-ahead ring: the line of key i + 32 is prefetched before key i is tested.
// Rejected: groups instead of a ring (5 to 25 % slower), eight keys per vector with gathers (4 times slower in cache).
#include "lib/kernels/answers.h"
#include "lib/kernels/kernels.h"
#include "lib/kernels/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/kernels/blocked.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "hwy/highway.h"
#include "linefilter/inline.h"

#ifndef LINEFILTER_LIB_KERNELS_BLOCKED_ONCE_
#define LINEFILTER_LIB_KERNELS_BLOCKED_ONCE_
namespace linefilter::internal {
// Depth: D4 24.9, D8 20.3, D16 18.4, D32 18.5, D64 18.2 ns at 2 GB.
inline constexpr size_t kRingDepth = 32;
// The largest body for which the plain loop is faster.
inline constexpr uint64_t kPlainLoopBytes = uint64_t{1} << 20;
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

using internal::kPlainLoopBytes;
using internal::kRingDepth;
using internal::ProbeState;

HWY_INLINE uint8_t* BlockOf(const ProbeState& state, uint64_t hash) {
  return const_cast<uint8_t*>(state.body) + 64 * BlockIndex(hash, state.num_units);
}

// What is done to the block of each key of a batch.
struct Test {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return TestBlock(block, lane_ones, static_cast<uint32_t>(hash));
  }
};
struct Insert {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return InsertIntoBlock(block, lane_ones, static_cast<uint32_t>(hash));
  }
};

// last_byte: 63 where blocks lie across two lines (a body that is not aligned), else 0.
template <class Action>
HWY_INLINE void PrefetchBlock(const uint8_t* block, size_t last_byte) {
  // Highway's Prefetch is for reading only.
  __builtin_prefetch(block, Action::kWrites);
  if (HWY_UNLIKELY(last_byte != 0)) __builtin_prefetch(block + last_byte, Action::kWrites);
}

template <class Action, class Answers>
HWY_INLINE void Batch(const ProbeState& state_in_memory, const uint64_t* HWY_RESTRICT hashes, size_t n, Answers& answers) {
  const ProbeState state = state_in_memory;  // in registers: the answers might alias it
  if (state.num_units <= kPlainLoopBytes / 64 || n <= kRingDepth) {
    for (size_t i = 0; i < n; ++i) {
      answers.Put(i, Action::Do(BlockOf(state, hashes[i]), state.lane_ones, hashes[i]));
    }
    return;
  }
  const size_t last_byte = reinterpret_cast<uintptr_t>(state.body) % 64 == 0 ? 0 : 63;
  uint8_t* ring[kRingDepth];
  for (size_t i = 0; i < kRingDepth; ++i) {
    ring[i] = BlockOf(state, hashes[i]);
    PrefetchBlock<Action>(ring[i], last_byte);
  }
  size_t i = 0;
  for (; i + kRingDepth < n; ++i) {
    uint8_t* const block = ring[i % kRingDepth];
    uint8_t* const ahead = BlockOf(state, hashes[i + kRingDepth]);
    ring[i % kRingDepth] = ahead;
    PrefetchBlock<Action>(ahead, last_byte);
    answers.Put(i, Action::Do(block, state.lane_ones, hashes[i]));
  }
  for (; i < n; ++i) answers.Put(i, Action::Do(ring[i % kRingDepth], state.lane_ones, hashes[i]));
}

bool MayContain(const ProbeState& state, uint64_t hash) {
  return Test::Do(BlockOf(state, hash), state.lane_ones, hash);
}

void MayContainToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBytes answers{out};
  Batch<Test>(state, hashes, n, answers);
}

void MayContainToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
  internal::AnswersToBits answers{out};
  Batch<Test>(state, hashes, n, answers);
  answers.Flush(n);
}

uint64_t CountMaybes(const ProbeState& state, const uint64_t* hashes, size_t n) {
  internal::AnswersToCount answers;
  Batch<Test>(state, hashes, n, answers);
  return answers.count;
}

bool InsertOne(const ProbeState& state, uint64_t hash) {
  return Insert::Do(BlockOf(state, hash), state.lane_ones, hash);
}

uint64_t InsertBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new) {
  if (were_new != nullptr) {
    internal::AnswersToBytesAndCount answers{were_new};
    Batch<Insert>(state, hashes, n, answers);
    return answers.count;
  }
  internal::AnswersToCount answers;
  Batch<Insert>(state, hashes, n, answers);
  return answers.count;
}

const internal::Kernels* TargetKernels() {
  static const internal::Kernels kernels = {hwy::TargetName(HWY_TARGET), MayContain, MayContainToBytes, MayContainToBits,
                                            CountMaybes, InsertOne, InsertBatch};
  return &kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
HWY_EXPORT(TargetKernels);

namespace internal {
const Kernels& BlockedKernels() { return *LINEFILTER_DISPATCH(TargetKernels)(); }
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
