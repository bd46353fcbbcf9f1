// Several filters that answer as one (lib/layouts/stages.h) do this with a batch of keys, on one target. stages-inl.h
// has single keys.
//
// A batch asks one stage after the other, the newest first, in groups. Older stages are not asked for what it has, and
// the lines of 128 keys are under way. So a key that is found costs the lines up to its stage only, and no branch
// depends on an answer. Eight stages in 512 MB, AVX-512, ns per key: 25 without hits, 18 with 50 %; all stages key by
// key, 16 keys ahead (which fewer than 256 keys are), 25 and 25. The eight bare lines take 21, one filter of that size
// 7. Fewer lines under way are worse (64: 31), and so is it to sieve the newest two alone, in chunks of 32 keys (24
// with hits); non-temporal prefetches of the large stages gain nothing.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "lib/layouts/blocks/batch_kernels-inl.h"
#include "lib/layouts/blocks/block_batch.h"
#include "lib/layouts/container/stages-inl.h"
#include "lib/layouts/stages.h"

#ifndef LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_ONCE_
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_ONCE_
namespace linefilter::internal {
// The lines under way in a batch, of one stage or of all.
inline constexpr size_t kStageLinesAhead = 128;
// So many keys are sieved together; they stay in the L1. A batch of fewer than the second is asked key by key.
inline constexpr size_t kStageGroup = 1024, kFewKeys = 256;
static_assert(kFewKeys >= kStageLinesAhead, "a group has the keys whose lines come first");
// Up to so many bytes of all stages together nothing is prefetched: about the L2.
inline constexpr uint64_t kPlainStagesBytes = uint64_t{1} << 20;
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::kFewKeys;
using internal::kStageGroup;
using internal::kStageLinesAhead;
using internal::PrefetchBlock;

// A batch needs this of all stages.
struct Stages {
  const Stage* all;  // the oldest first
  size_t size;
  Stage room[internal::kMaxStages];

  explicit Stages(const ProbeState& state) : all(state.stages), size(state.num_stages) {
    if (!state.in_image) return;
    all = room;
    internal::ForEachStage(state, [this](uint32_t i, const Stage& stage) { room[i] = stage; });
  }
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  uint64_t AllBytes() const {
    uint64_t num_blocks = 0;
    for (size_t s = 0; s < size; ++s) num_blocks += all[s].num_blocks;
    return 64 * num_blocks;
  }
  // It is 63 if a block of one of them lies across two lines.
  size_t LastByte() const {
    size_t last_byte = 0;
    for (size_t s = 0; s < size; ++s) last_byte |= internal::LastByteOfBlock(all[s].body);
    return last_byte;
  }
  HWY_INLINE void Prefetch(uint64_t hash, size_t last_byte) const {
    for (size_t s = 0; s < size; ++s) {
      PrefetchBlock<0>(BlockOfStage(all[s], hash), last_byte);
    }
  }
};

// Asks all stages of each key, with the lines of the `ahead` next keys under way.
template <class How, class Answers>
HWY_INLINE void AskKeyByKey(const Stages& stages, size_t ahead, const uint64_t* HWY_RESTRICT hashes, size_t n,
                            Answers& answers) {
  ProbeState state;
  state.stages = stages.all;
  state.num_stages = static_cast<uint8_t>(stages.size);
  const size_t last_byte = stages.LastByte();
  for (size_t j = 0; j < n && j < ahead; ++j) stages.Prefetch(hashes[j], last_byte);
  for (size_t i = 0; i < n; ++i) {
    if (ahead != 0 && i + ahead < n) stages.Prefetch(hashes[i + ahead], last_byte);
    answers.Put(i, TestAll<How, false>(ArrayCursor(state), stages.size, hashes[i]));
  }
}

// The keys of a group that no stage has had so far.
struct Left {
  uint64_t hashes[kStageGroup + kFewKeys];
  uint16_t keys[kStageGroup + kFewKeys];  // which of the group
};

// To sieve is to ask one stage for what is left of a group. This asks `stage` for the first n of `left`, keeps those
// that it has not, and returns how many. Their lines in `next` are prefetched near the end; those of the first
// kStageLinesAhead here have been.
template <class How>
HWY_INLINE size_t Sieve(const Stage& stage, const Stage& next, const uint64_t* next_hashes, size_t n, Left& left) {
  const Stage here = stage, then = next;  // in registers
  const size_t last_byte = internal::LastByteOfBlock(here.body), next_last_byte = internal::LastByteOfBlock(then.body);
  const size_t ahead = n < kStageLinesAhead ? n : kStageLinesAhead;
  size_t num_left = 0, i = 0;
  const auto ask = [&](size_t at) HWY_ATTR {
    const uint64_t hash = left.hashes[at];
    const uint16_t key = left.keys[at];
    const bool found = How::Test(BlockOfStage(here, hash), here.lane_ones, hash);
    left.hashes[num_left] = hash;
    left.keys[num_left] = key;
    num_left += !found;
  };
  for (; i + ahead < n; ++i) {
    PrefetchBlock<0>(BlockOfStage(here, left.hashes[i + ahead]), last_byte);
    ask(i);
  }
  for (size_t j = 0; i < n; ++i, ++j) {  // what is not left at j is another key's hash: harmless
    PrefetchBlock<0>(BlockOfStage(then, next_hashes[j]), next_last_byte);
    ask(i);
  }
  return num_left;
}

// Asks a group of `size` keys stage by stage. *prefetched says how many of its first keys have their line in the newest
// stage under way; then it says that of `next_hashes`, the next group (null: there is none).
template <class How, class Answers>
HWY_INLINE void SieveGroup(const Stages& stages, const uint64_t* HWY_RESTRICT hashes, size_t first, size_t size,
                           const uint64_t* next_hashes, size_t* prefetched, Answers& answers) {
  Left left;
  uint8_t found[kStageGroup + kFewKeys];
  const Stage& newest = stages.all[stages.size - 1];
  memcpy(left.hashes, hashes + first, sizeof(uint64_t) * size);
  for (size_t i = 0; i < size; ++i) left.keys[i] = static_cast<uint16_t>(i);
  for (size_t i = *prefetched; i < kStageLinesAhead; ++i) {
    PrefetchBlock<0>(BlockOfStage(newest, left.hashes[i]), internal::LastByteOfBlock(newest.body));
  }
  size_t num_left = size;
  for (size_t s = stages.size; s-- != 0;) {
    const bool leads_on = s == 0 && next_hashes != nullptr;
    if (s == 0) *prefetched = !leads_on ? 0 : num_left < kStageLinesAhead ? num_left : kStageLinesAhead;
    num_left = Sieve<How>(stages.all[s], s == 0 ? newest : stages.all[s - 1], leads_on ? next_hashes : left.hashes,
                          num_left, left);
  }
  memset(found, 1, size);
  for (size_t i = 0; i < num_left; ++i) found[left.keys[i]] = 0;
  for (size_t i = 0; i < size; ++i) answers.Put(first + i, found[i] != 0);
}

template <class How>
struct LoopOf {
  template <class Answers>
  static HWY_INLINE void Batch(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes, size_t n,
                               Answers& answers) {
    const Stages stages(state);
    const size_t ahead = stages.AllBytes() > internal::kPlainStagesBytes ? kStageLinesAhead / stages.size : 0;
    if (ahead == 0 || n < kFewKeys) {
      return AskKeyByKey<How>(stages, ahead, hashes, n, answers);
    }
    size_t prefetched = 0;
    for (size_t first = 0; first < n;) {
      const size_t left = n - first, size = left < kStageGroup + kFewKeys ? left : kStageGroup;
      const uint64_t* const next = size < left ? hashes + first + size : nullptr;
      SieveGroup<How>(stages, hashes, first, size, next, &prefetched, answers);
      first += size;
    }
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_CONTAINER_SIEVE_INL_H_
