// The lookup kernels of the layout `retrieval`, one source for all of Highway's targets.
//
// A batch takes 8 or 16 keys at a time. First each key's parities and its block's level go to memory, straight from
// masks. Then a vector of keys at once is coupled, fingerprinted and tested. A key by itself then costs about what it
// costs in `blocked`: 1.14 against 1.02 ns in the L1, 1.37 against 1.34 in the L2 (AVX3_DL on Zen 4). A group is tested
// while the next one is filled: its bytes have left the store buffer, and the two overlap (groups of 32: 1.30 ns).
// Prefetching is as in `blocked`. Rejected on AVX2: multiplications for shifts, whose ports they would relieve (2 %
// slower); signs of four keys' words packed into one mask (3 instructions less, 5 % slower); fingerprints by 32-bit
// products (1 %).
#include "lib/layouts/kernels.h"

#include <cstring>

#include "lib/base/page_ahead.h"
#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/retrieval/body.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/retrieval/kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/batch_kernels-inl.h"
#include "lib/layouts/retrieval/constraints-inl.h"
#include "lib/layouts/retrieval/lanes-inl.h"
#include "linefilter/internal/test_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::BlockOf;

HWY_INLINE bool TestOne(const ProbeState& state, uint64_t hash) {
  return TestSolvedBlock(BlockOf(state, hash), InBlockHash(hash));
}

// The plain loop is faster up to this body. Plain against prefetching, ns on a core with 1 MB of L2: AVX3_DL 1.28 /
// 1.33 at 512 KB, 1.43 / 1.39 at 1 MB; AVX2 2.37 / 2.40 at 256 KB, 2.61 / 2.47 at 512 KB, 3.20 / 2.50 at 1 MB; AVX3
// 1.66 / 1.62 at 512 KB, SSE4 6.0 / 5.1 at 1 MB.
inline constexpr uint64_t kPlainLoopBytes = uint64_t{1} << (HWY_TARGET <= HWY_AVX3_DL ? 19 : 18);

#if LINEFILTER_KEY_BY_KEY

inline constexpr size_t kGroup = 0;

template <bool kPrefetches, class Answers>
HWY_INLINE size_t PutGroups(const ProbeState& state, size_t last_byte, const uint64_t* HWY_RESTRICT hashes,
                            size_t begin, size_t end, Answers& answers) {
  const size_t ahead = kPrefetches ? internal::LookAheadIn(state) : 0;
  size_t i = begin;
  for (; i + ahead < end; ++i) {
    if (kPrefetches) internal::PrefetchBlock<0>(BlockOf(state, hashes[i + ahead]), last_byte);
    answers.Put(i, TestOne(state, hashes[i]));
  }
  return i;
}

#else

// Where a group's tests fill the scheduler, half of them at a time are better (1.91 against 1.99 ns).
inline constexpr size_t kGroup = HWY_TARGET == HWY_AVX2 ? 8 : 16;

struct Group {
  alignas(64) uint64_t folded[kGroup];  // the low halves are the in-block hashes
  alignas(64) uint8_t parities[4 * kGroup];
  alignas(64) uint8_t levels[kGroup];
};

// Makes InBlockHash of a group, some keys to a vector.
HWY_INLINE void FoldHashes(const uint64_t* HWY_RESTRICT hashes, Group* HWY_RESTRICT group) {
  const WordTag d;
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
    const WordVec hash = hn::LoadU(d, hashes + i);
    hn::Store(hn::Xor(hash, hn::ShiftRight<32>(hash)), d, group->folded + i);
  }
}

#if HWY_CAP_GE512

// Where 8 words are one vector, keys share the dear instructions that make masks and store them. Two keys share those
// of their parities (1.09 against 0.95 ns a key on Zen 4), eight those of their levels (AVX3: four).
inline constexpr size_t kKeysAtOnce = 8;

HWY_INLINE void StoreParitiesOfTwo(WordVec masked0, WordVec masked1, uint8_t* parities) {
  if (kPairsInterleaved) {
    StoreByteParities(FoldToBytes(masked0, masked1), parities);
  } else {
    const hn::Repartition<uint8_t, WordTag> d8;
    const auto odd = hn::ConcatEven(d8, hn::BitCast(d8, LaneParities(masked1)), hn::BitCast(d8, LaneParities(masked0)));
    hn::StoreMaskBits(d8, hn::TestBit(odd, hn::Set(d8, 1)), parities);
  }
}

// The upper halves of the lanes of a, then of b.
template <class D>
HWY_INLINE WordVec UpperHalves(D d, WordVec a, WordVec b) {
  return hn::BitCast(WordTag(), hn::ConcatOdd(d, hn::BitCast(d, b), hn::BitCast(d, a)));
}

HWY_INLINE void StoreParitiesAndLevels(const ProbeState& state, const uint64_t* hashes, const uint64_t* to_broadcast,
                                       uint8_t* parities, uint8_t* levels) {
  const hn::Repartition<int32_t, WordTag> d32;
  const hn::Repartition<int16_t, WordTag> d16;
  WordVec quarters[2];
  LINEFILTER_UNROLL
  for (size_t half = 0; half < 2; ++half) {
    WordVec halves[2];
    LINEFILTER_UNROLL
    for (size_t pair = 0; pair < 2; ++pair) {
      const size_t i = 4 * half + 2 * pair;
      const WordVec words0 = LoadWords(BlockOf(state, hashes[i]), 0);
      const WordVec words1 = LoadWords(BlockOf(state, hashes[i + 1]), 0);
      StoreParitiesOfTwo(MaskWords(words0, hn::Set(WordTag(), to_broadcast[i]), 0),
                         MaskWords(words1, hn::Set(WordTag(), to_broadcast[i + 1]), 0), parities + 4 * i);
      halves[pair] = UpperHalves(d32, words0, words1);
    }
    quarters[half] = UpperHalves(d16, halves[0], halves[1]);
#if HWY_TARGET == HWY_AVX3
    const auto tops = hn::BitCast(d16, quarters[half]);
    hn::StoreMaskBits(d16, hn::Lt(tops, hn::Zero(d16)), levels + 4 * half);
#endif
  }
#if HWY_TARGET != HWY_AVX3
  const hn::Repartition<int8_t, WordTag> d8;
  const auto tops = hn::BitCast(d8, UpperHalves(hn::Repartition<uint8_t, WordTag>(), quarters[0], quarters[1]));
  hn::StoreMaskBits(d8, hn::Lt(tops, hn::Zero(d8)), levels);
#endif
}

#else

inline constexpr size_t kKeysAtOnce = 2;

HWY_INLINE void StoreParitiesAndLevels(const ProbeState& state, const uint64_t* hashes, const uint64_t* to_broadcast,
                                       uint8_t* parities, uint8_t* levels) {
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kKeysAtOnce; ++i) {
    StoreParities(BlockOf(state, hashes[i]), hn::Set(WordTag(), to_broadcast[i]), parities + 4 * i, levels + i);
  }
}

#endif

// Stores a byte for each lane: 1 where it is zero.
HWY_INLINE void StoreWhereZero(KeyVec v, uint8_t* out) {
  const KeyTag d;
  const hn::Rebind<uint8_t, KeyTag> d_answer;
  const auto is_zero = hn::Eq(v, hn::Zero(d));
#if HWY_CAP_GE512
  const hn::Mask<decltype(d_answer)> of_bytes{is_zero.raw};  // Highway's RebindMask is for lanes of one size
  const auto ones = hn::IfThenElseZero(of_bytes, hn::Set(d_answer, 1));
#else
  // A vector is a mask: no bits are made of it, and no mask of those (AVX2: 1.41 instead of 1.47 ns per key on Zen 5).
  // Rejected: bytes by a multiplication of its bits (as fast).
  const hn::Rebind<int32_t, KeyTag> d_signed;
  const hn::Rebind<int8_t, KeyTag> d_byte;
  const auto bytes = hn::DemoteTo(d_byte, hn::BitCast(d_signed, hn::VecFromMask(d, is_zero)));
  const auto ones = hn::And(hn::BitCast(d_answer, bytes), hn::Set(d_answer, 1));
#endif
  hn::StoreU(ones, d_answer, out);
}

// Puts the answers of a group's keys at `out`.
HWY_INLINE void PutAnswers(const Group& group, uint8_t* HWY_RESTRICT out) {
  const KeyTag d;
  const hn::Repartition<uint8_t, KeyTag> d8;
  const hn::Repartition<uint64_t, KeyTag> d64;
  const hn::Rebind<uint8_t, KeyTag> d_answer;
#if HWY_TARGET <= HWY_AVX2
  LINEFILTER_UNROLL
#endif
  for (size_t i = 0; i < kGroup; i += hn::Lanes(d)) {
    const auto q_low = FingerprintProducts(d64, group.folded + i);
    const auto q_high = FingerprintProducts(d64, group.folded + i + hn::Lanes(d64));
    const auto f = hn::ConcatOdd(d, hn::BitCast(d, q_high), hn::BitCast(d, q_low));
    const auto u = hn::ShiftRight<29>(hn::ConcatEven(d, hn::BitCast(d, q_high), hn::BitCast(d, q_low)));
    const auto levels = hn::PromoteTo(d, hn::LoadU(d_answer, group.levels + i));
    const auto y = Couple(hn::BitCast(d, hn::LoadU(d8, group.parities + 4 * i)));
    const auto wrong = hn::And(hn::Xor(y, f), MasksOf(hn::Add(levels, u)));
    StoreWhereZero(wrong, out + i);
  }
}

// Makes parities and levels of a group whose hashes are folded; prefetches the blocks of those `ahead` further.
template <bool kPrefetches>
HWY_INLINE void FillGroup(const ProbeState& state, size_t ahead, size_t last_byte, const uint64_t* HWY_RESTRICT hashes,
                          Group* HWY_RESTRICT group) {
  // They are broadcast from memory, which is as cheap as any load; moving a general register to a vector is not.
  const uint64_t* to_broadcast = group->folded;
#if defined(__GNUC__)
  __asm__("" : "+r"(to_broadcast) : : "memory");
#endif
#if HWY_TARGET == HWY_AVX2 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8  // g++ 12 keeps the counter in memory: 2.24 against 2.35 ns
#endif
  for (size_t i = 0; i < kGroup; i += kKeysAtOnce) {
    if (i % 8 == 0) internal::FetchPageAhead(hashes + i);
    if (kPrefetches) {
      LINEFILTER_UNROLL
      for (size_t j = i; j < i + kKeysAtOnce; ++j) {
        internal::PrefetchBlock<0>(BlockOf(state, hashes[j + ahead]), last_byte);
      }
    }
    StoreParitiesAndLevels(state, hashes + i, to_broadcast + i, group->parities + 4 * i, group->levels + i);
  }
}

// The first and the last group stand outside of the loops. A copy of their own for both loops spares 1.5 KB per target.
// AVX-512, whose code is short, has them inline: batches of 64 keys are 4 % faster.
#if HWY_CAP_GE512
#define LINEFILTER_OUTSIDE_OF_LOOPS HWY_INLINE
#else
#define LINEFILTER_OUTSIDE_OF_LOOPS HWY_NOINLINE
#endif
LINEFILTER_OUTSIDE_OF_LOOPS void FillFirst(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes,
                                           Group* HWY_RESTRICT group) {
  FillGroup<false>(state, 0, 0, hashes, group);
}
LINEFILTER_OUTSIDE_OF_LOOPS void PutLast(const Group& group, uint8_t* HWY_RESTRICT out) { PutAnswers(group, out); }

#undef LINEFILTER_OUTSIDE_OF_LOOPS

// Answers as many of the keys [begin, end) as make full groups (and have others that far ahead); tells where it
// stops.
template <bool kPrefetches, class Answers>
HWY_INLINE size_t PutGroups(const ProbeState& state, size_t last_byte, const uint64_t* HWY_RESTRICT hashes,
                            size_t begin, size_t end, Answers& answers) {
  const size_t ahead = kPrefetches ? internal::LookAheadIn(state) : 0;
  const size_t needed = kGroup + ahead;
  if (end - begin < needed) return begin;
  const auto has_next = [&](size_t at) { return end - at >= kGroup + needed; };
  // Each group but the first is folded one turn before it is filled: else loads wait for the stores (AVX3_DL on Zen 4,
  // 24 KB: 1.27 instead of 1.16 ns). Rejected for the same: permutations in registers (1.40).
  Group groups[3];
  Group *now = &groups[0], *next = &groups[1], *later = &groups[2];
  size_t i = begin;
  FoldHashes(hashes + i, now);
  if (has_next(i)) FoldHashes(hashes + i + kGroup, next);
  FillFirst(state, hashes + i, now);
  for (; has_next(i); i += kGroup) {
    FoldHashes(has_next(i + kGroup) ? hashes + i + 2 * kGroup : hashes + i, later);  // without a branch: 1.16, not 1.21
    FillGroup<kPrefetches>(state, ahead, last_byte, hashes + i + kGroup, next);
    PutAnswers(*now, answers.out + i);
    Group* const done = now;
    now = next, next = later, later = done;
  }
  PutLast(*now, answers.out + i);
  return i + kGroup;
}

#endif

struct Loop {
  template <class Answers>
  static HWY_INLINE void Batch(const ProbeState& state_in_memory, const uint64_t* HWY_RESTRICT hashes, size_t n,
                               Answers& answers) {
    const ProbeState state = state_in_memory;  // in registers: the answers might alias it
    const size_t last_byte = internal::LastByteOfBlock(state.body);
    size_t i = 0;
    if (state.num_units > kPlainLoopBytes / 64) {
      const size_t ahead = internal::LookAheadIn(state);
      for (size_t j = 0; j < ahead + kGroup && j < n; ++j) {
        internal::PrefetchBlock<0>(BlockOf(state, hashes[j]), last_byte);
      }
      i = PutGroups<true>(state, last_byte, hashes, i, n, answers);
      for (size_t j = i + ahead; j < n; ++j) {
        internal::PrefetchBlock<0>(BlockOf(state, hashes[j]), last_byte);
      }
    }
    i = PutGroups<false>(state, last_byte, hashes, i, n, answers);
    for (; i < n; ++i) answers.Put(i, TestOne(state, hashes[i]));
  }
};

const internal::Kernels* TargetKernels() {
  static constexpr internal::Kernels kernels = [] {
    internal::Kernels made = AskingKernels<Loop>(TestOne);
    made.lazily = &kLazyKernels<internal::BlockAbsence<internal::LineBlocks>, TestOne>;
    return made;
  }();
  return &kernels;
}

// See TargetMayContain of `blocked`.
bool TargetMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  if (!internal::IsBodyOfRetrieval(body_bytes, num_probes)) return true;
  if (body_bytes == 0) return false;
  return TestSolvedBlock(body + 64 * BlockIndex(hash, body_bytes / 64), InBlockHash(hash));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(TargetKernels);
LINEFILTER_TARGET_TABLE(TargetMayContain);

namespace internal {
const Kernels& RetrievalKernels() { return *LINEFILTER_DISPATCH(TargetKernels)(); }
bool RetrievalMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  return LINEFILTER_DISPATCH(TargetMayContain)(body, body_bytes, num_probes, hash);
}
}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
