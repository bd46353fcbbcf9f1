// Kernels of several filters that answer as one (stages.h), one source for all of Highway's targets.
#include "lib/kernels/stages.h"

#include <cstring>
#include <utility>

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

#ifndef LINEFILTER_LIB_KERNELS_STAGES_ONCE_
#define LINEFILTER_LIB_KERNELS_STAGES_ONCE_
namespace linefilter::internal {
using MayContainFunction = bool (*)(const ProbeState&, uint64_t);
// Lines under way in a batch, of one stage or of all.
inline constexpr size_t kStageLinesAhead = 128;
// Keys that are sieved at once: they stay in the L1.
inline constexpr size_t kStageGroup = 1024;
// All stages together, in bytes, for which nothing is prefetched: about the L2.
inline constexpr uint64_t kPlainStagesBytes = uint64_t{1} << 20;
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using internal::kStageGroup;
using internal::kStageLinesAhead;
using internal::PrefetchBlock;
using internal::ProbeState;
using internal::Stage;

// TestBlock by an instruction less, where a block is one vector.
HWY_INLINE bool TestBlockOfStage(const uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const LaneTag d;
  const LaneVec mask = KeyMask(d, lane_ones, x, 0);
  return hn::AllTrue(d, hn::Eq(hn::And(LoadLanes(d, block), mask), mask));
#else
  return TestBlock(block, lane_ones, x);
#endif
}

// How one block is tested and filled.
struct Alone {
  static HWY_INLINE bool Test(const uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return TestBlockOfStage(block, lane_ones, static_cast<uint32_t>(hash));
  }
  static HWY_INLINE bool Insert(uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return InsertIntoBlock(block, lane_ones, static_cast<uint32_t>(hash));
  }
};
struct Shared {
  static HWY_INLINE bool Test(const uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return TestSharedBlock(block, lane_ones, static_cast<uint32_t>(hash));
  }
  static HWY_INLINE bool Insert(uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return InsertIntoSharedBlock(block, lane_ones, static_cast<uint32_t>(hash));
  }
};

HWY_INLINE uint8_t* BlockOfStage(const Stage& stage, uint64_t hash) {
  return stage.body + 64 * BlockIndex(hash, stage.num_blocks);
}

// Stages from the newest down: of an array, or of the table of an image.
class ArrayCursor {
 public:
  explicit HWY_INLINE ArrayCursor(const ProbeState& state) : next_(state.stages + state.num_stages) {}
  HWY_INLINE const Stage& Next() { return *--next_; }

 private:
  const Stage* next_;
};
class TableCursor {
 public:
  explicit HWY_INLINE TableCursor(const ProbeState& state)
      : end_(state.body + 64 * state.num_units),
        entry_(state.stage_table + internal::kStageEntryBytes * state.num_stages),
        lane_ones_(state.lane_ones) {}
  HWY_INLINE Stage Next() {
    entry_ -= internal::kStageEntryBytes;
    uint64_t num_blocks;
    memcpy(&num_blocks, entry_, sizeof(num_blocks));  // g++ 12 makes 30 instructions of LoadLE64 here
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    num_blocks = __builtin_bswap64(num_blocks);
#endif
    end_ -= 64 * num_blocks;
    const uint32_t num_probes = entry_[17];
    return {const_cast<uint8_t*>(end_), num_blocks, lane_ones_ + internal::kLaneOnesOfOne * (num_probes - 1),
            num_probes};
  }

 private:
  const uint8_t* end_;  // of the next stage
  const uint8_t* entry_;
  const uint32_t* lane_ones_;  // of one probe
};

struct Place {
  const uint8_t* block;
  const uint32_t* lane_ones;
};
HWY_INLINE Place Find(const Stage& stage, uint64_t hash) {
  const uint8_t* const block = BlockOfStage(stage, hash);
  __builtin_prefetch(block);
  return {block, stage.lane_ones};
}

// The next stages of the cursor, as many as kIndexes. First all addresses, prefetched, then all tests, without a
// branch; the part of the key's bits that does not depend on num_probes is computed once, since all this is one
// function.
template <class How, class Cursor, size_t... kIndexes>
HWY_INLINE bool TestSome(Cursor& cursor, uint64_t hash, std::index_sequence<kIndexes...>) {
  const Place places[] = {(void(kIndexes), Find(cursor.Next(), hash))...};
  return (static_cast<unsigned>(How::Test(places[kIndexes].block, places[kIndexes].lane_ones, hash)) | ...) != 0;
}

template <class How, class Cursor>
HWY_INLINE bool TestAll(Cursor cursor, size_t num_stages, uint64_t hash) {
  bool found = false;
  for (; num_stages >= 8; num_stages -= 8) found |= TestSome<How>(cursor, hash, std::make_index_sequence<8>());
  for (; num_stages != 0; --num_stages) found |= TestSome<How>(cursor, hash, std::make_index_sequence<1>());
  return found;
}

template <class How, class Cursor>
bool MayContain(const ProbeState& state, uint64_t hash) {
  return TestAll<How>(Cursor(state), state.num_stages, hash);
}

template <class How, class Cursor, size_t kStages>
bool MayContainOf(const ProbeState& state, uint64_t hash) {
  Cursor cursor(state);
  return TestSome<How>(cursor, hash, std::make_index_sequence<kStages>());
}

// Of so few stages a function of its own: fewer instructions let the core see more keys ahead.
template <class How, class Cursor>
internal::MayContainFunction MayContainOfSome(size_t num_stages) {
  switch (num_stages) {
    case 2:
      return MayContainOf<How, Cursor, 2>;
    case 3:
      return MayContainOf<How, Cursor, 3>;
    case 4:
      return MayContainOf<How, Cursor, 4>;
    case 5:
      return MayContainOf<How, Cursor, 5>;
    case 6:
      return MayContainOf<How, Cursor, 6>;
    case 7:
      return MayContainOf<How, Cursor, 7>;
    case 8:
      return MayContainOf<How, Cursor, 8>;
    default:
      return MayContain<How, Cursor>;
  }
}

// True if no stage had it.
template <class How>
HWY_INLINE bool InsertIntoNewest(const ProbeState& state, uint64_t hash) {
  bool older = false;
  for (size_t s = state.num_stages - 1u; s-- != 0;) {
    const Stage& stage = state.stages[s];
    older |= How::Test(BlockOfStage(stage, hash), stage.lane_ones, hash);
  }
  const Stage& newest = state.stages[state.num_stages - 1u];
  return How::Insert(BlockOfStage(newest, hash), newest.lane_ones, hash) && !older;
}

template <class How>
bool Insert(const ProbeState& state, uint64_t hash) {
  return InsertIntoNewest<How>(state, hash);
}

// What a batch needs of all stages.
struct Stages {
  const Stage* all;  // the oldest first
  size_t size;
  Stage room[internal::kMaxStages];

  explicit Stages(const ProbeState& state) : all(state.stages), size(state.num_stages) {
    if (all != nullptr) return;
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
  HWY_INLINE void Prefetch(uint64_t hash) const {
    for (size_t s = 0; s < size; ++s) {
      PrefetchBlock<0>(BlockOfStage(all[s], hash), internal::LastByteOfBlock(all[s].body));
    }
  }
};

// Asks all stages of each key, with the lines of some keys under way: of all stages when `with_prefetch`.
template <class How, class Answers>
HWY_INLINE void AskKeyByKey(const Stages& stages, bool with_prefetch, const uint64_t* HWY_RESTRICT hashes, size_t first,
                            size_t n, Answers& answers) {
  ProbeState state;
  state.stages = stages.all;
  state.num_stages = static_cast<uint16_t>(stages.size);
  const size_t ahead = with_prefetch ? kStageLinesAhead / stages.size : 0;
  for (size_t j = first; j < n && j < first + ahead; ++j) stages.Prefetch(hashes[j]);
  for (size_t i = first; i < n; ++i) {
    if (ahead != 0 && i + ahead < n) stages.Prefetch(hashes[i + ahead]);
    answers.Put(i, TestAll<How>(ArrayCursor(state), stages.size, hashes[i]));
  }
}

// Keys of a group that no stage has had so far.
struct Left {
  uint64_t hashes[kStageGroup];
  uint16_t keys[kStageGroup];  // which of the group
};

// Asks `stage` of the first n of `left`, and keeps those that it has not: returns how many. Their lines in `next` are
// prefetched near the end; those of the first kStageLinesAhead here have been.
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

template <class How, class Answers>
HWY_INLINE void MayContainBatch(const ProbeState& state, const uint64_t* HWY_RESTRICT hashes, size_t n,
                                Answers& answers) {
  const Stages stages(state);
  const bool prefetches = stages.AllBytes() > internal::kPlainStagesBytes;
  size_t begin = 0;
  if (prefetches && n >= 2 * kStageLinesAhead) {
    Left left;
    uint8_t found[kStageGroup];
    size_t prefetched = 0;  // of the group's first keys, in the newest stage
    const Stage& newest = stages.all[stages.size - 1];
    while (n - begin >= 2 * kStageLinesAhead) {
      const size_t size = n - begin < kStageGroup ? n - begin : kStageGroup;
      memcpy(left.hashes, hashes + begin, sizeof(uint64_t) * size);
      for (size_t i = 0; i < size; ++i) left.keys[i] = static_cast<uint16_t>(i);
      for (; prefetched < kStageLinesAhead; ++prefetched) {
        PrefetchBlock<0>(BlockOfStage(newest, left.hashes[prefetched]), internal::LastByteOfBlock(newest.body));
      }
      const bool goes_on = n - begin - size >= 2 * kStageLinesAhead;
      size_t num_left = size;
      for (size_t s = stages.size; s-- != 0;) {
        const bool is_last = s == 0;
        if (is_last) prefetched = !goes_on ? 0 : num_left < kStageLinesAhead ? num_left : kStageLinesAhead;
        num_left = Sieve<How>(stages.all[s], is_last ? newest : stages.all[s - 1],
                              is_last && goes_on ? hashes + begin + size : left.hashes, num_left, left);
      }
      memset(found, 1, size);
      for (size_t i = 0; i < num_left; ++i) found[left.keys[i]] = 0;
      for (size_t i = 0; i < size; ++i) answers.Put(begin + i, found[i] != 0);
      begin += size;
    }
  }
  AskKeyByKey<How>(stages, prefetches, hashes, begin, n, answers);
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
  const Stages stages(state);
  const size_t ahead = stages.AllBytes() > internal::kPlainStagesBytes ? kStageLinesAhead / stages.size : 0;
  for (size_t j = 0; j < n && j < ahead; ++j) stages.Prefetch(hashes[j]);
  uint64_t count = 0;
  for (size_t i = 0; i < n; ++i) {
    if (ahead != 0 && i + ahead < n) stages.Prefetch(hashes[i + ahead]);
    const bool is_new = InsertIntoNewest<How>(state, hashes[i]);
    if (were_new != nullptr) were_new[i] = is_new;
    count += is_new;
  }
  return count;
}

const char* TargetName() { return hwy::TargetName(HWY_TARGET); }

template <class How, class Cursor>
constexpr internal::Kernels KernelsOf(bool (*insert)(const ProbeState&, uint64_t),
                                      uint64_t (*insert_batch)(const ProbeState&, const uint64_t*, size_t, uint8_t*)) {
  return {TargetName,
          MayContain<How, Cursor>,
          MayContainToBytes<How>,
          MayContainToBits<How>,
          CountMaybes<How>,
          insert,
          insert_batch,
          nullptr};
}

const internal::Kernels* StagesTable() {
  static constexpr internal::Kernels kernels = KernelsOf<Alone, ArrayCursor>(Insert<Alone>, InsertBatch<Alone>);
  return &kernels;
}

const internal::Kernels* SharedStagesTable() {
  static constexpr internal::Kernels kernels = KernelsOf<Shared, ArrayCursor>(Insert<Shared>, InsertBatch<Shared>);
  return &kernels;
}

internal::MayContainFunction StagesSingle(size_t num_stages, bool is_shared) {
  return is_shared ? MayContainOfSome<Shared, ArrayCursor>(num_stages)
                   : MayContainOfSome<Alone, ArrayCursor>(num_stages);
}

internal::MayContainFunction ImageStagesSingle(size_t num_stages) {
  return MayContainOfSome<Alone, TableCursor>(num_stages);
}

const internal::Kernels* ImageStagesTable() {
  static constexpr internal::Kernels kernels =
      KernelsOf<Alone, TableCursor>(internal::InsertNothing, internal::InsertNothingBatch);
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
HWY_EXPORT(ImageStagesTable);
HWY_EXPORT(StagesSingle);
HWY_EXPORT(ImageStagesSingle);

namespace internal {

const Kernels& StagesKernels() { return *LINEFILTER_DISPATCH(StagesTable)(); }
const Kernels& SharedStagesKernels() { return *LINEFILTER_DISPATCH(SharedStagesTable)(); }

void BindStages(const Stage* stages, uint32_t num_stages, ProbeState* state, const Kernels& kernels) {
  const Stage& newest = stages[num_stages - 1];
  BindBlocks(Layout::kContainer, newest.body, kBlockBytes * newest.num_blocks, 0, state);
  state->lane_ones = newest.lane_ones;
  state->num_stages = static_cast<uint16_t>(num_stages);
  state->stages = stages;
  const bool is_shared = &kernels == &SharedStagesKernels();
  if (num_stages == 1) {  // a filter of one body, to whose kernels `state` tells all they need
    state->kernels = is_shared ? &SharedBlockedKernels() : &BlockedKernels();
    state->may_contain = state->kernels->may_contain;
    return;
  }
  state->kernels = &kernels;
  state->may_contain = LINEFILTER_DISPATCH(StagesSingle)(num_stages, is_shared);
}

void BindImageStages(const uint8_t* body, const uint8_t* table, uint32_t num_stages, ProbeState* state) {
  BindStageTable(body, table, num_stages, state);
  state->lane_ones = BlockedLaneOnes(num_stages == 1 ? LoadStageEntry(table, 0).num_probes : 1);
  state->kernels = num_stages == 1 ? &BlockedKernels() : LINEFILTER_DISPATCH(ImageStagesTable)();
  state->may_contain =
      num_stages == 1 ? state->kernels->may_contain : LINEFILTER_DISPATCH(ImageStagesSingle)(num_stages);
}

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
