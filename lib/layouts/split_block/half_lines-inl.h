// The block loops (lib/layouts/blocks/block_loops-inl.h) take this of the layout `split_block`.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_HALF_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_HALF_LINES_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_HALF_LINES_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_HALF_LINES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/split_block/body.h"
#include "linefilter/internal/test_split_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// Actions derive from this.
struct OnHalfLines {
  static constexpr bool kThroughMemory = true;
  static constexpr size_t kGroup = 0;
  using Blocks = internal::SplitBlocks;
  static HWY_INLINE uint32_t Fold(const uint32_t* fold, uint64_t hash) { return internal::FoldSplitHash(fold, hash); }
  template <class Words>
  static HWY_INLINE Words FoldAll(const uint32_t* fold, Words hashes) {
    const Words bits = hn::Set(hn::DFromV<Words>(), uint64_t{*fold});
    return hn::Xor(hashes, hn::And(hn::ShiftRight<32>(hashes), bits));
  }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_SPLIT_BLOCK_HALF_LINES_INL_H_
