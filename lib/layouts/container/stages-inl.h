// Several filters that answer as one do this with one key, on one target.
//
// First the addresses of all stages are prefetched, then all tests are made without a branch. So the core has the lines
// of several keys under way; there may be more prefetches than loads. The part of the key's bits that does not depend
// on num_probes is computed once. Eight stages in 512 MB, independent single lookups, AVX-512, ns: 80; the bare loads
// of the eight lines 70, one filter of that size 23. Rejected: no prefetches (91 beside bare loads of 60), stopping at
// the first stage that has the key (a wrong guess waits for a line and throws away the next keys': 100 beside those).

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "hwy/highway.h"
#include "lib/layouts/blocks/shared_block-inl.h"
#include "lib/layouts/stages.h"
#include "lib/layouts/windows.h"
#include "linefilter/internal/test_block.h"

#ifndef LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_ONCE_
#define LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_ONCE_
namespace linefilter::internal {
using MayContainFunction = bool (*)(const ProbeState&, uint64_t);
}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// The batches of stages that nobody changes meanwhile, of an image and of an owner (kernels.cc).
void StagesToBytes(const internal::ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out);
void StagesToBits(const internal::ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* out);
uint64_t CountInStages(const internal::ProbeState& state, const uint64_t* hashes, size_t n);

namespace {

using internal::ProbeState;
using internal::Stage;

// Code without vectors is long, and stands in 50 places: there it is called. (SCALAR: 36 of 40 KB.)
#undef LINEFILTER_STAGE_INLINE
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define LINEFILTER_STAGE_INLINE HWY_NOINLINE
#else
#define LINEFILTER_STAGE_INLINE HWY_INLINE
#endif

// This is TestBlock by an instruction less, where a block is one vector.
LINEFILTER_STAGE_INLINE bool TestBlockOfStage(const uint8_t* block, const uint32_t* lane_ones, uint32_t x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  const LaneTag d;
  const LaneVec mask = KeyMask(d, lane_ones, x, hn::Set(d, x), 0);
  return hn::AllTrue(d, hn::Eq(hn::And(LoadLanes(d, block), mask), mask));
#else
  return TestBlock(block, lane_ones, x, hn::Set(LaneTag(), x));
#endif
}

// This tests one block.
struct Alone {
  static HWY_INLINE bool Test(const uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    return TestBlockOfStage(block, lane_ones, InBlockHash(hash));
  }
};
struct Shared {
  static HWY_INLINE bool Test(const uint8_t* block, const uint32_t* lane_ones, uint64_t hash) {
    const uint32_t x = InBlockHash(hash);
    return TestSharedBlock(block, lane_ones, x, hn::Set(LaneTag(), x));
  }
};

HWY_INLINE uint8_t* BlockOfStage(const Stage& stage, uint64_t hash) {
  return stage.body + 64 * BlockIndex(hash, stage.num_blocks);
}

// A cursor goes over stages from the newest down: of an array, or of the table of an image.
class ArrayCursor {
 public:
  explicit HWY_INLINE ArrayCursor(const ProbeState& state) : next_(state.stages + state.num_stages) {}
  HWY_INLINE const Stage& Next() { return *--next_; }

 private:
  const Stage* next_;
};
// An array that others fill, or that of the window which is there now. One class for both saves 45 KB of the library.
class SharedCursor : public ArrayCursor {
 public:
  explicit HWY_INLINE SharedCursor(const ProbeState& state)
      : ArrayCursor(state.changes ? internal::WindowsOf(state).Now().all : state) {}
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
template <bool kPrefetch>
HWY_INLINE Place Find(const Stage& stage, uint64_t hash) {
  const uint8_t* const block = BlockOfStage(stage, hash);
  if (kPrefetch) __builtin_prefetch(block);
  return {block, stage.lane_ones};
}

// Asks the next stages of the cursor, as many as kIndexes.
template <class How, bool kPrefetch, class Cursor, size_t... kIndexes>
HWY_INLINE bool TestSome(Cursor& cursor, uint64_t hash, std::index_sequence<kIndexes...>) {
  const Place places[] = {(void(kIndexes), Find<kPrefetch>(cursor.Next(), hash))...};
  return (static_cast<unsigned>(How::Test(places[kIndexes].block, places[kIndexes].lane_ones, hash)) | ...) != 0;
}

// kPrefetch is true unless the lines are under way already.
template <class How, bool kPrefetch, class Cursor>
HWY_INLINE bool TestAll(Cursor cursor, size_t num_stages, uint64_t hash) {
  bool found = false;
  for (; num_stages >= 8; num_stages -= 8)
    found |= TestSome<How, kPrefetch>(cursor, hash, std::make_index_sequence<8>());
  for (; num_stages != 0; --num_stages) found |= TestSome<How, kPrefetch>(cursor, hash, std::make_index_sequence<1>());
  return found;
}

template <class How, class Cursor>
bool MayContain(const ProbeState& state, uint64_t hash) {
  return TestAll<How, true>(Cursor(state), state.num_stages, hash);
}

template <class How, class Cursor, size_t kStages>
bool MayContainOf(const ProbeState& state, uint64_t hash) {
  Cursor cursor(state);
  return TestSome<How, true>(cursor, hash, std::make_index_sequence<kStages>());
}

// So few stages have a function of their own: fewer instructions let the core see more keys ahead.
template <class How, class Cursor>
internal::MayContainFunction MayContainOfSome(size_t num_stages) {
  static constexpr internal::MayContainFunction kOf[] = {MayContainOf<How, Cursor, 2>, MayContainOf<How, Cursor, 3>,
                                                         MayContainOf<How, Cursor, 4>, MayContainOf<How, Cursor, 5>,
                                                         MayContainOf<How, Cursor, 6>, MayContainOf<How, Cursor, 7>,
                                                         MayContainOf<How, Cursor, 8>};
  return num_stages - 2 < std::size(kOf) ? kOf[num_stages - 2] : MayContain<How, Cursor>;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_CONTAINER_STAGES_INL_H_
