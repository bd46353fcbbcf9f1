// How a filter of the layout `split_block` is filled, one source for Highway's targets; kernels.cc has how it is asked.
// A filter that many threads fill has kernels of its own, too.
#include <cstring>

#include "lib/base/shared_word.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/split_block/body.h"
#include "lib/layouts/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/split_block/changes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"
#include "lib/layouts/blocks/shared_block-inl.h"
#include "lib/layouts/split_block/half_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

constexpr size_t kWords = internal::kSplitBlockBytes / internal::kWordBytes;

// An action does this to the block of each key of a batch.
struct Insert : OnHalfLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t*, uint32_t x, LaneVec xs) {
    return InsertIntoSplitBlock(block, x, xs);
  }
};

// The bits of one key, as a block that holds it alone.
struct KeyBits {
  alignas(32) uint8_t bytes[internal::kSplitBlockBytes] = {};
  HWY_INLINE KeyBits(uint32_t x, LaneVec xs) { InsertIntoSplitBlock(bytes, x, xs); }
};

// What shared_block-inl.h says of `blocked` holds here, too: its bits are judged one by one.
struct TestShared : OnHalfLines {
  static constexpr int kWrites = 0;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t*, uint32_t x, LaneVec xs) {
#if LINEFILTER_SHARED_BLOCK_BY_VECTORS
    return TestSplitBlock(block, x, xs);
#else
    const KeyBits bits(x, xs);
    uint64_t missing = 0;
    for (size_t word = 0; word < kWords; ++word) missing |= MissingInWord(block, bits.bytes, word);
    return missing == 0;
#endif
  }
};
struct InsertShared : OnHalfLines {
  static constexpr int kWrites = 1;
  static HWY_INLINE bool Do(uint8_t* block, const uint32_t*, uint32_t x, LaneVec xs) {
    const KeyBits bits(x, xs);
    unsigned words = 0;  // that lack one of the bits
    for (size_t word = 0; word < kWords; ++word) {
      words |= static_cast<unsigned>(MissingInWord(block, bits.bytes, word) != 0) << word;
    }
    return OrWords(words, bits.bytes, block);
  }
};

const internal::Changes* SplitBlockTargetChanges() {
  static constexpr internal::Changes changes = {One<Insert>, ChangeBatch<Insert>};
  return &changes;
}

void SplitBlockTargetBuildRange(const ProbeState& state, const internal::BlockRange& range) {
  BuildRange<Insert>(state, range);
}

const internal::Kernels* SharedSplitBlockTargetKernels() {
  static constexpr internal::Kernels kernels = AskingKernels<LoopOf<TestShared>>(One<TestShared>);
  return &kernels;
}

const internal::Changes* SharedSplitBlockTargetChanges() {
  static constexpr internal::Changes changes = {One<InsertShared>, ChangeBatch<InsertShared>};
  return &changes;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
LINEFILTER_TARGET_TABLE(SplitBlockTargetChanges);
LINEFILTER_TARGET_TABLE(SplitBlockTargetBuildRange);
LINEFILTER_TARGET_TABLE(SharedSplitBlockTargetKernels);
LINEFILTER_TARGET_TABLE(SharedSplitBlockTargetChanges);

namespace internal {

void SplitBlockBuildRange(const ProbeState& state, const BlockRange& range, void*) {
  LINEFILTER_DISPATCH(SplitBlockTargetBuildRange)(state, range);
}

extern const LayoutChanges kSplitBlockChanges;
constexpr LayoutChanges kSplitBlockChanges = {
    [](const ProbeState&) -> const Changes& { return *LINEFILTER_DISPATCH(SplitBlockTargetChanges)(); },
    []() -> const Changes& { return *LINEFILTER_DISPATCH(SharedSplitBlockTargetChanges)(); },
    []() -> const Kernels& { return *LINEFILTER_DISPATCH(SharedSplitBlockTargetKernels)(); }};

}  // namespace internal
}  // namespace linefilter
#endif  // HWY_ONCE
