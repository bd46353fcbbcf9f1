// All layouts with one action per block share these loops over keys: single keys, batches, ranges.
//
// An action is a type with kWrites and Do(block, lane_ones, x, xs). Do acts on the block of a key and answers. x is the
// in-block hash, xs holds it in each lane. What it derives from (OnLines) says where the block lies and what x is. One
// with a kGroup above 0 has DoGroup(hashes, block_of, done), too, which does so for kGroup keys at once.
//
// A batch is a plain loop while the body is well within the L2, because the out-of-order core overlaps the keys by
// itself and a prefetch costs about 0.15 ns. Above that it is a look-ahead ring: the line of a later key is prefetched
// before key i is tested. Its addresses are computed twice rather than kept (one multiplication; an array of them is 8
// % slower at 32 MB). Rejected: groups instead of a ring (5 to 25 % slower), eight keys per vector with gathers (4
// times slower in cache).

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hwy/highway.h"
#include "lib/base/page_ahead.h"
#include "lib/layouts/blocks/answers.h"
#include "lib/layouts/blocks/batch_kernels-inl.h"
#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"
#include "linefilter/internal/test_block.h"

#ifndef LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_ONCE_
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_ONCE_
namespace linefilter::internal {
// The plain loop is faster up to this body, by whether a block is one vector: fewer instructions per key let the core
// see more keys ahead. Plain against ring, ns on Zen 4 with 1 MB of L2: AVX-512 1.10 / 1.20 at 256 KB, 1.28 / 1.27 at
// 500 KB, 1.45 / 1.34 at 1000 KB; AVX2 1.55 / 1.72 at 256 KB, 1.78 / 1.72 at 384 KB, 2.08 / 1.72 at 500 KB.
inline constexpr uint64_t kPlainLoopBytesOneVector = uint64_t{1} << 19, kPlainLoopBytes = uint64_t{1} << 18;
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::BlockOf;
using internal::PrefetchBlock;

// Where actions with kThroughMemory take the in-block hashes through memory: on SSE4 alone.
#undef LINEFILTER_THROUGH_MEMORY
#if HWY_ARCH_X86 && HWY_TARGET == HWY_SSE4 && !defined(__AVX__)
#define LINEFILTER_THROUGH_MEMORY 1
#else
#define LINEFILTER_THROUGH_MEMORY 0
#endif

// Actions of all layouts of 64-byte blocks derive from this.
struct OnLines {
  static constexpr bool kThroughMemory = false;
  static constexpr size_t kGroup = 0;
  using Blocks = internal::LineBlocks;
  static HWY_INLINE uint32_t Fold(const uint32_t*, uint64_t hash) { return InBlockHash(hash); }
  // Does the same for the hashes of some keys, each in the low half of its word.
  template <class Words>
  static HWY_INLINE Words FoldAll(const uint32_t*, Words hashes) {
    return hn::Xor(hashes, hn::ShiftRight<32>(hashes));
  }
};

template <class Action>
HWY_INLINE uint8_t* BlockFor(const ProbeState& state, uint64_t hash) {
  return BlockOf<typename Action::Blocks>(state, hash);
}

template <class Action>
HWY_INLINE bool DoOne(uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
  const uint32_t x = Action::Fold(lane_ones, hash);
  return Action::Do(block, lane_ones, x, hn::Set(LaneTag(), x));
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4

// A vector holds the hashes of so many keys. It makes their in-block hashes, and permutations spread each of these over
// all lanes, because to move a general register to a vector costs more. `blocked` at 24 KB on Zen 4, ns per key of a
// batch: AVX3 1.02, by moves 1.15; AVX2 1.44, by moves 1.50; SSE4 3.48, by moves 3.61. Below SSE4 moves are better
// (Zen 5: SCALAR 3.2, SSSE3 by permutations 3.6). Rejected: to write the vectors of 32 keys and broadcast from memory
// (AVX3 1.42; insertions 4.9 instead of 1.6, for loads wait for the stores), two broadcasts from memory (a tenth
// slower).
inline constexpr size_t kTogether = hn::MaxLanes(LaneTag()) / 2;

// The in-block hash of key j, in each lane.
template <size_t j>
HWY_INLINE LaneVec Spread(LaneVec folded) {
#if HWY_TARGET <= HWY_AVX2
  const LaneTag d;
  return hn::TableLookupLanes(folded, hn::IndicesFromVec(d, hn::Set(d, static_cast<uint32_t>(2 * j))));
#else
  return hn::Broadcast<2 * j>(folded);
#endif
}

// The same as a number. Taking it out of the upper lanes of AVX2 costs more than making it again (1.46).
template <class Action, size_t j>
HWY_INLINE uint32_t InBlockHashOf(const uint32_t* lane_ones, const uint64_t* HWY_RESTRICT hashes, LaneVec folded) {
#if HWY_TARGET <= HWY_AVX2
  (void)folded;
  return Action::Fold(lane_ones, hashes[j]);
#else
  (void)lane_ones, (void)hashes;
  return hn::ExtractLane(folded, 2 * j);
#endif
}

template <class Action, class BlockOfKey, class Done, size_t... j>
HWY_INLINE void DoEach(const uint32_t* lane_ones, const uint64_t* HWY_RESTRICT hashes, LaneVec folded,
                       const BlockOfKey& block_of, const Done& done, std::index_sequence<j...>) {
  (done(j, Action::Do(block_of(j), lane_ones, InBlockHashOf<Action, j>(lane_ones, hashes, folded), Spread<j>(folded))),
   ...);
}

// Calls block_of(j) and done(j, answer) for each of kTogether keys.
template <class Action, class BlockOfKey, class Done>
HWY_INLINE void DoInRegisters(const uint32_t* lane_ones, const uint64_t* HWY_RESTRICT hashes,
                              const BlockOfKey& block_of, const Done& done) {
  const LaneTag d;
  const hn::Repartition<uint64_t, LaneTag> d64;
  const LaneVec folded = hn::BitCast(d, Action::FoldAll(lane_ones, hn::LoadU(d64, hashes)));
  DoEach<Action>(lane_ones, hashes, folded, block_of, done, std::make_index_sequence<kTogether>());
}

#else

inline constexpr size_t kTogether = 1;
template <class Action, class BlockOfKey, class Done>
HWY_INLINE void DoInRegisters(const uint32_t* lane_ones, const uint64_t* HWY_RESTRICT hashes,
                              const BlockOfKey& block_of, const Done& done) {
  done(0, DoOne<Action>(block_of(0), lane_ones, hashes[0]));
}

#endif

#if LINEFILTER_THROUGH_MEMORY
// The same, but the in-block hashes go through memory. To move a general register to a vector takes one of the vector
// units, and a load takes none. Without shifts by lanes these units are what a batch of split blocks waits for. Zen 5
// at 24 KB, ns per key: 1.14, by permutations 1.42, by moves 1.28. Rejected: four or eight keys at once (1.13), one
// (1.26), indexes made in vectors (1.54), four answers packed (1.53), PTEST (1.28).
template <class Action, class BlockOfKey, class Done>
HWY_INLINE void DoThroughMemory(const uint32_t* lane_ones, const uint64_t* HWY_RESTRICT hashes,
                                const BlockOfKey& block_of, const Done& done) {
  uint32_t xs[kTogether];
  __m128i vectors[kTogether];
  for (size_t j = 0; j < kTogether; ++j) xs[j] = Action::Fold(lane_ones, hashes[j]);
  // It is assembly, for a compiler would move the register. (An empty one that changes xs makes g++ 12 keep `state`
  // in memory.)
  for (size_t j = 0; j < kTogether; ++j) __asm__("movd %1, %0" : "=x"(vectors[j]) : "m"(xs[j]));
  for (size_t j = 0; j < kTogether; ++j) {
    done(j, Action::Do(block_of(j), lane_ones, xs[j], LaneVec{_mm_shuffle_epi32(vectors[j], 0)}));
  }
}
#endif

// Where the answers of keys from `first` on go: one by one, or the bytes of all of DoGroup at once.
template <class Answers>
struct PutFrom {
  Answers& answers;
  size_t first;
  HWY_INLINE void operator()(size_t j, bool answer) const { answers.Put(first + j, answer); }
  template <class Word>
  HWY_INLINE void PutBytes(Word bytes) const {
    memcpy(answers.out + first, &bytes, sizeof(bytes));
  }
};

// An action is done for so many keys together.
template <class Action>
inline constexpr size_t kStep = Action::kGroup != 0 ? Action::kGroup : kTogether;
// Does it for kStep keys in the way that suits it.
template <class Action, class BlockOfKey, class Done>
HWY_INLINE void DoTogether(const uint32_t* lane_ones, const uint64_t* HWY_RESTRICT hashes, const BlockOfKey& block_of,
                           const Done& done) {
  if constexpr (Action::kGroup != 0) return Action::DoGroup(hashes, block_of, done);
#if LINEFILTER_THROUGH_MEMORY
  if constexpr (Action::kThroughMemory) return DoThroughMemory<Action>(lane_ones, hashes, block_of, done);
#endif
  DoInRegisters<Action>(lane_ones, hashes, block_of, done);
}

// Does the action for all keys but the last ones, and returns where it stopped. kPrefetches says whether it is the
// look-ahead ring. kLastByte is PrefetchBlock's, known when compiling: g++ 12 does not always make two loops of one.
template <class Action, bool kPrefetches, size_t kLastByte, class Answers>
HWY_INLINE size_t Most(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes, size_t n, Answers& answers,
                       internal::Arrivals arrivals = {}) {
  const size_t ahead = kPrefetches ? internal::LookAheadIn(state) : 0;
  using Blocks = typename Action::Blocks;
  const auto prefetch = [&](size_t j) HWY_ATTR {
    const uint8_t* const in_block = state.body + Blocks::ByteNear(hashes[j], state.num_units);
    PrefetchBlock<Action::kWrites>(kLastByte == 0 ? in_block : BlockFor<Action>(state, hashes[j]), kLastByte);
  };
  for (size_t j = 0; j < ahead && j < n; ++j) prefetch(j);
  constexpr size_t step = kStep<Action>;
  static_assert(Action::kWrites == 0 || step == kTogether);  // arrivals are lines of hashes
  size_t i = 0;
  for (; n >= i + step + ahead; i += step) {
    for (size_t j = 0; kTogether > 1 && j < step; j += kTogether) internal::FetchPageAhead(hashes + i + j);
    for (uint64_t j = 0; j < arrivals.per_hash; ++j) {
      __builtin_prefetch(reinterpret_cast<const void*>(arrivals.begin));
      arrivals.begin += step * sizeof(*hashes);
    }
    const auto block_of = [&](size_t j) HWY_ATTR {
      if (kPrefetches) prefetch(i + j + ahead);
      return BlockFor<Action>(state, hashes[i + j]);
    };
    DoTogether<Action>(state.lane_ones, hashes + i, block_of, PutFrom<Answers>{answers, i});
  }
  for (size_t j = i + ahead; kPrefetches && j < n; ++j) prefetch(j);
  return i;
}

// Whether aligned blocks have a ring of their own, which prefetches one line of each. Where a key takes 3 ns it makes
// no difference (SSE4 at 8 MB: 3.09 against 3.06 ns), and one ring less spares 3 KB per target. Groups have none,
// either.
inline constexpr bool kRingOfLines = !(HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2);

// The loop over a batch.
template <class Action>
struct LoopOf {
  // What is left of a batch are the keys ahead and less than a group. A short group is filled up with its last key.
  template <class Answers>
  static HWY_INLINE size_t LastGroups(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes, size_t i, size_t n,
                                      Answers& answers) {
    while (n - i >= kTogether) {
      const size_t num_keys = HWY_MIN(n - i, Action::kGroup);
      uint64_t group[Action::kGroup];
      uint8_t bytes[Action::kGroup];
      for (size_t j = 0; j < Action::kGroup; ++j) group[j] = hashes[i + HWY_MIN(j, num_keys - 1)];
      internal::AnswersToBytes of_group{bytes};
      const auto block_of = [&](size_t j) HWY_ATTR { return BlockFor<Action>(state, group[j]); };
      Action::DoGroup(group, block_of, PutFrom<internal::AnswersToBytes>{of_group, 0});
      for (size_t j = 0; j < num_keys; ++j) answers.Put(i + j, bytes[j] != 0);
      i += num_keys;
    }
    return i;
  }

  template <class Answers>
  static HWY_INLINE void Batch(const ProbeState& state_in_memory, const uint64_t* HWY_RESTRICT hashes, size_t n,
                               Answers& answers, const internal::Arrivals& arrivals = {}) {
    const ProbeState state = state_in_memory;  // in registers: the answers might alias it
    using Blocks = typename Action::Blocks;
    const uint64_t plain_bytes =
        hn::Lanes(LaneTag()) == 16 ? internal::kPlainLoopBytesOneVector : internal::kPlainLoopBytes;
    size_t i = 0;
    if (state.num_units <= plain_bytes / Blocks::kBytes) {
      i = Most<Action, false, 0>(state, hashes, n, answers);
    } else if (kRingOfLines && Action::kGroup == 0 && internal::LastByteOfBlock<Blocks>(state.body) == 0) {
      i = Most<Action, true, 0>(state, hashes, n, answers, arrivals);
    } else {
      i = Most<Action, true, Blocks::kBytes - 1>(state, hashes, n, answers, arrivals);
    }
    if constexpr (Action::kGroup > kTogether) i = LastGroups(state, hashes, i, n, answers);
    for (; i < n; ++i) answers.Put(i, DoOne<Action>(BlockFor<Action>(state, hashes[i]), state.lane_ones, hashes[i]));
  }
};

template <class Action>
bool One(const ProbeState& state, uint64_t hash) {
  return DoOne<Action>(BlockFor<Action>(state, hash), state.lane_ones, hash);
}

// For insertions and removals it returns how many were true; `answers_out` may be null.
template <class Change>
uint64_t ChangeBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* answers_out) {
  if (answers_out != nullptr) {
    internal::AnswersToBytesAndCount answers{answers_out};
    LoopOf<Change>::Batch(state, hashes, n, answers);
    return answers.count;
  }
  internal::FalseAnswersToCount answers;
  LoopOf<Change>::Batch(state, hashes, n, answers);
  return n - answers.count;
}

// A whole body is a batch. A part of it sits in the L2, so no block is prefetched. But its hashes come from memory in
// pieces too short for the hardware to see that they are consecutive: while one is inserted, the next comes.
template <class Insert>
void BuildRange(const ProbeState& state, const internal::BlockRange& range) {
  using Blocks = typename Insert::Blocks;
  constexpr uint64_t kLine = 64 / sizeof(uint64_t);
  static_assert(kLine % kTogether == 0);
  const uint64_t num_blocks = state.num_units;
  const uint32_t* const lane_ones = state.lane_ones;
  uint8_t* const origin = range.blocks - Blocks::kBytes * range.first_block;
  if (range.num_blocks == num_blocks) {
    ProbeState whole = state;
    whole.body = origin;
    internal::AnswersToNobody nobody;
    for (uint64_t s = 0; s < range.num_spans; ++s) {
      LoopOf<Insert>::Batch(whole, range.spans[s].hashes, static_cast<size_t>(range.spans[s].size), nobody,
                            range.arrivals);
    }
    return;
  }
  const auto block = [&](uint64_t hash)
                         HWY_ATTR { return origin + Blocks::kBytes * Blocks::IndexOf(hash, num_blocks); };
  for (uint64_t s = 0; s < range.num_spans; ++s) {
    const internal::HashSpan span = range.spans[s], next = range.spans[s + 1 < range.num_spans ? s + 1 : s];
    uint64_t i = 0;
    for (; i + kLine <= span.size; i += kLine) {
      if (i < next.size) __builtin_prefetch(next.hashes + i);
      for (uint64_t j = i; j < i + kLine; j += kTogether) {
        const uint64_t* const hashes = span.hashes + j;
        DoTogether<Insert>(
            lane_ones, hashes, [&](size_t k) HWY_ATTR { return block(hashes[k]); }, [](size_t, bool) HWY_ATTR {});
      }
    }
    for (; i < span.size; ++i) DoOne<Insert>(block(span.hashes[i]), lane_ones, span.hashes[i]);
  }
}

template <class Test>
constexpr internal::Kernels KernelsOf() {
  internal::Kernels kernels = AskingKernels<LoopOf<Test>>(One<Test>);
  kernels.lazily = &kLazyKernels<internal::BlockAbsence<typename Test::Blocks>, One<Test>>;
  return kernels;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_BLOCK_LOOPS_INL_H_
