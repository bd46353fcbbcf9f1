// A lazy body is verified while it is asked: a chunk of it before the first "absent" that comes from there. "Maybe"
// needs no proof. Here is what its kernels know of the chunks; lib/filters/lazy_checks.h has the checks.
//
// A byte marks each chunk that was found sound. The kernels of the layout answer as if all chunks were sound; the
// kernels here look at the marks. Only where an "absent" has no mark, the cold AskAgain verifies chunks. When the last
// chunk is sound, all marks are taken away: the next "absent" of a state finds none, and the state goes over (GoOver)
// to the kernels that look at no mark. So no lookup asks whether the time has come.
//
// Batches of one block per key look at marks of ranges of hashes: a range has one if all chunks that its hashes reach
// are sound. Its number is a shift, where that of a chunk is a multiplication and two shifts.
#ifndef LINEFILTER_LIB_LAYOUTS_LAZY_H_
#define LINEFILTER_LIB_LAYOUTS_LAZY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/layouts/blocks/answers.h"
#include "lib/layouts/blocks/block.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/hash.h"
#include "linefilter/internal/compiler.h"

namespace linefilter::internal {

inline constexpr unsigned kChunkShift = 16;  // log2 of the bytes of a chunk
inline constexpr unsigned kChunkShiftOfBlock = kChunkShift - 6, kChunkShiftOfBit = kChunkShift + 3;

// 1: the chunk is sound. Its bytes do not change, so no order is needed.
using ChunkMark = std::atomic<uint8_t>;

// ProbeState::owner of a lazy body points to the marks. This stands before them, and ends LazyChecks: aligned as that
// is, where words of 64 bits are aligned more strictly in an atomic (i386).
struct alignas(std::atomic<uint64_t>) LazyBody {
  ProbeState trusted;  // a state whose kernels look at no mark: GoOver copies them to the lazy states
  std::atomic<bool> all_sound{false};
  uint8_t range_shift = 63;     // hash >> range_shift is the number of its range
  ChunkMark* ranges = nullptr;  // null where a key has several blocks
  // Tells whether "absent" for that hash comes from sound chunks, and verifies those that nobody has yet.
  bool (*absence_is_sound)(LazyBody* body, uint64_t hash);
  // Verifies these; kCorrupt if one is damaged.
  Status (*verify_rest)(LazyBody* body);

  static LazyBody& Of(const ProbeState& state) { return static_cast<LazyBody*>(state.owner)[-1]; }
  ChunkMark* marks() { return reinterpret_cast<ChunkMark*>(this + 1); }
};

// If all chunks are sound, `state` goes over to the kernels that look at no mark, and the answer is true.
bool GoOver(const ProbeState& state);
// Answers a lookup whose "absent" comes from a chunk without a mark.
bool AskAgain(const ProbeState& state, uint64_t hash);
// Kernels::verify.
Status VerifyRest(const ProbeState& state);

// Looks at the marks.
struct HasMark {
  const ProbeState& state;
  LINEFILTER_INLINE unsigned operator()(uint64_t chunk) const {
    return static_cast<const ChunkMark*>(state.owner)[chunk].load(std::memory_order_relaxed);
  }
};

// An Absence tells from which chunks "absent" comes:
//   IsSound    calls is_sound(chunk) until it knows
//   kIsCheap   whether that is done for "maybe", too, which spares a branch on the answer
//   kHasRanges whether a key has one block alone, so that a batch may look at the marks of ranges
// This is for one block per key.
template <class Blocks>
struct BlockAbsence {
  static constexpr bool kIsCheap = true, kHasRanges = true;
  template <class SoundChunk>
  static LINEFILTER_INLINE unsigned IsSound(const ProbeState& state, uint64_t hash, const SoundChunk& is_sound) {
    return is_sound(Blocks::kBytes * Blocks::IndexOf(hash, state.num_units) >> kChunkShift);
  }
};

// Not 0 if the answer may be given.
template <class Absence>
LINEFILTER_INLINE unsigned IsProven(const ProbeState& state, uint64_t hash, unsigned maybe) {
  if (!Absence::kIsCheap && maybe != 0) return 1;
  return maybe | Absence::IsSound(state, hash, HasMark{state});
}

// Does for one block per key what AllProven does.
inline bool AllInProvenRanges(const ProbeState& state, const uint64_t* hashes, size_t n, const uint8_t* answers) {
  const LazyBody& body = LazyBody::Of(state);
  const ChunkMark* const ranges = body.ranges;
  const unsigned shift = body.range_shift;
  unsigned all = 1;
  const auto look_at = [&](size_t i) {
    all &= unsigned{answers[i]} | ranges[hashes[i] >> shift].load(std::memory_order_relaxed);
  };
  constexpr size_t kTogether = 8;
  size_t i = 0;
  for (; i + kTogether <= n; i += kTogether) {
#pragma GCC unroll 8
    for (size_t j = 0; j < kTogether; ++j) look_at(i + j);
  }
  for (; i < n; ++i) look_at(i);
  return all != 0;
}

// Whether all answers of a batch may be given; false says no more than that each is to be looked at.
template <class Absence>
bool AllProven(const ProbeState& state, const uint64_t* hashes, size_t n, const uint8_t* answers) {
  if constexpr (Absence::kHasRanges) {
    return AllInProvenRanges(state, hashes, n, answers);
  } else {
    unsigned all = 1;
    for (size_t i = 0; i < n; ++i) all &= IsProven<Absence>(state, hashes[i], answers[i]);
    return all != 0;
  }
}

// Batches on a lazy body: its kernels answer, then all marks are looked at in one pass. Both are done in groups. The
// pass is short, and meanwhile the first lines of the next group come. Rejected: to look at the mark in the loop that
// answers, where its five instructions take the place of others' lines under way (1.13 and 1.20 times the time of
// kTrusted at 64 MB and 1 GB, AVX3_DL on Zen 4).
template <class Absence>
struct LazyBatches {
  static constexpr size_t kGroup = 2048, kLinesAhead = 32;
  static constexpr size_t kLook = 64;  // so few are looked at again for one without a mark

  static void ToBytes(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
    for (size_t first = 0; first < n; first += kGroup) {
      AskGroup(state, hashes + first, SizeAt(first, n), n - first, out + first);
    }
  }
  static void ToBits(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out) {
    uint8_t answers[kGroup + 8];
    for (size_t first = 0; first < n; first += kGroup) {
      const size_t size = SizeAt(first, n);
      AskGroup(state, hashes + first, size, n - first, answers);
      memset(answers + size, 0, 8);
      for (size_t i = 0; i < size; i += 8) out[(first + i) >> 3] = BitsOfBytes(answers + i);
    }
  }
  static uint64_t Count(const ProbeState& state, const uint64_t* hashes, size_t n) {
    uint8_t answers[kGroup];
    uint64_t maybes = 0;
    for (size_t first = 0; first < n; first += kGroup) {
      const size_t size = SizeAt(first, n);
      AskGroup(state, hashes + first, size, n - first, answers);
      for (size_t i = 0; i < size; ++i) maybes += answers[i];
    }
    return maybes;
  }

  // The table of a target, whose lookup of a lazy body is `one`.
  static constexpr Kernels KernelsOf(const char* (*target)(), bool (*one)(const ProbeState&, uint64_t)) {
    Kernels kernels = {target, one, ToBytes, ToBits, Count};
    kernels.verify = VerifyRest;
    return kernels;
  }

 private:
  static size_t SizeAt(size_t first, size_t n) { return n - first < kGroup ? n - first : kGroup; }

  // `left` hashes are left, of which `size` are this group.
  static void AskGroup(const ProbeState& lazy, const uint64_t* hashes, size_t size, size_t left, uint8_t* answers) {
    const ProbeState state = lazy;  // in registers: the answers might alias it
    const ProbeState& trusted = LazyBody::Of(state).trusted;
    trusted.kernels->may_contain_to_bytes(trusted, hashes, size, answers);
    for (size_t i = size; i < left && i < size + kLinesAhead; ++i) {
      __builtin_prefetch(state.body + (MulHigh(hashes[i], state.num_units) << state.unit_shift));
    }
    for (size_t first = 0; first < size; first += kLook) {
      const size_t end = size - first < kLook ? size : first + kLook;
      if (__builtin_expect(AllProven<Absence>(state, hashes + first, end - first, answers + first), 1)) continue;
      if (GoOver(lazy)) return;
      for (size_t i = first; i < end; ++i) {
        if (IsProven<Absence>(state, hashes[i], answers[i]) == 0) answers[i] = AskAgain(lazy, hashes[i]);
      }
    }
  }
};

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAZY_H_
