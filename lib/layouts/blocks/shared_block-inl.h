// The core of a `blocked` filter that several threads fill and ask at once. What these lines say holds for every layout
// of bits that threads share.
//
// Bits are set, never cleared but by a RotatingFilter's rotation, and each is judged by itself. So a lookup is right if
// every bit that it reads is at least as new as what happened before it; the bits need not be of one moment. Writers OR
// into those 64-bit words that lack a bit. Words that were seen to lack none are passed over. A rotation does not make
// that wrong: it clears a bit that was seen only when it drops this generation, and the key with it, had it been
// written or not (lib/filters/rotating.cc).
//
// Readers: eight relaxed words are right on every CPU, and all that the language and ThreadSanitizer allow. A vector
// load is right, too, where the architecture says that it is a number of ordinary loads, in no order. It is faster
// (lookups in an L1: 1.9 against 6.5 ns with AVX-512, 2.2 against 6.7 with AVX2). So we use it where that is stated and
// concurrent_slow_test has stressed it on the hardware, which is x86-64. It is stated in Intel SDM 3A 8.2.3.1, "other
// instructions may be implemented with multiple memory accesses", each an access of the memory model; AMD APM 2, 7.3.2,
// the same. (AArch64 states it, too, Arm ARM B2.2.1, but our tests have run there only under an emulator on x86-64,
// which cannot show what an Arm core would do.) The compiler may load twice or later within the call, but cannot invent
// a bit that was never set.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_BLOCKS_SHARED_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_BLOCKS_SHARED_BLOCK_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_BLOCKS_SHARED_BLOCK_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_BLOCKS_SHARED_BLOCK_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "lib/base/shared_word.h"
#include "linefilter/internal/test_block.h"

#undef LINEFILTER_SHARED_BLOCK_BY_VECTORS
#if defined(__SANITIZE_THREAD__) || LINEFILTER_LISTED_LANES || !HWY_ARCH_X86_64
#define LINEFILTER_SHARED_BLOCK_BY_VECTORS 0
#else
#define LINEFILTER_SHARED_BLOCK_BY_VECTORS 1
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#undef LINEFILTER_SHARED_BLOCK_BY_VECTORS
#define LINEFILTER_SHARED_BLOCK_BY_VECTORS 0
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

inline constexpr size_t kBlockWords = 64 / internal::kWordBytes;

// Word i of a key's bits in memory order.
HWY_INLINE uint64_t MaskWord(const uint8_t* mask, size_t i) {
  uint64_t word;
  memcpy(&word, mask + internal::kWordBytes * i, sizeof(word));
  return word;
}

// The key's bits that word i of the block lacks.
[[maybe_unused]] HWY_INLINE uint64_t MissingInWord(const uint8_t* block, const uint8_t* mask, size_t i) {
  return MaskWord(mask, i) & ~internal::LoadSharedWord(block + internal::kWordBytes * i);
}

// Sets the key's bits in those words, bit i of `words` for word i, and returns whether there are any. (A branch per
// word is guessed wrong two or three times per key.)
HWY_INLINE bool OrWords(unsigned words, const uint8_t* mask, uint8_t* block) {
  const bool any = words != 0;
  for (; words != 0; words &= words - 1) {
    const size_t i = static_cast<size_t>(__builtin_ctz(words));
    internal::OrIntoSharedWord(block + internal::kWordBytes * i, MaskWord(mask, i));
  }
  return any;
}

#if LINEFILTER_SSE2_BLOCKS
HWY_INLINE void StoreKeyMask(const uint32_t* lane_ones, uint32_t x, LaneVec xs, uint8_t* mask) {
  const __m128i four = FourOf(x, xs);
  for (size_t lane = 0; lane < 16; lane += 4) StoreFour(FourLanes(lane_ones, x, four, lane), mask + 4 * lane);
}
#elif LINEFILTER_LISTED_LANES
struct MaskLane {
  uint8_t* mask;
  HWY_INLINE void Do(size_t at, uint32_t bit) { StoreLane(uint32_t{1} << bit, mask + at); }
};
HWY_INLINE void StoreKeyMask(const uint32_t* lane_ones, uint32_t x, LaneVec, uint8_t* mask) {
  memset(mask, 0, 64);
  MaskLane lanes{mask};
  DoLanes(lane_ones, x, lanes);
}
#elif !LINEFILTER_SHARED_BLOCK_BY_VECTORS
HWY_INLINE void StoreKeyMask(const uint32_t* lane_ones, uint32_t x, LaneVec xs, uint8_t* mask) {
  const LaneTag d;
  for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    StoreLanes(KeyMask(d, lane_ones, x, xs, lane), d, mask + 4 * lane);
  }
}
#endif

// Writes the key's bits, 64 bytes, and returns the words of the block that lack one of them: bit i is word i.
HWY_INLINE unsigned FindMissingWords(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs,
                                     uint8_t* mask) {
  unsigned missing_words = 0;
#if LINEFILTER_SHARED_BLOCK_BY_VECTORS && !LINEFILTER_SSE2_BLOCKS
  const LaneTag d;
  const hn::Repartition<uint64_t, LaneTag> d64;
  for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    const LaneVec lane_mask = KeyMask(d, lane_ones, x, xs, lane);
    StoreLanes(lane_mask, d, mask + 4 * lane);
    const auto missing = hn::BitCast(d64, hn::AndNot(LoadLanes(d, block + 4 * lane), lane_mask));
    uint8_t bits[8] = {};  // StoreMaskBits may write them
    hn::StoreMaskBits(d64, hn::Ne(missing, hn::Zero(d64)), bits);
    missing_words |= (bits[0] & ((1u << hn::Lanes(d64)) - 1)) << (lane / 2);
  }
#else
  StoreKeyMask(lane_ones, x, xs, mask);
  for (size_t i = 0; i < kBlockWords; ++i) {
    missing_words |= static_cast<unsigned>(MissingInWord(block, mask, i) != 0) << i;
  }
#endif
  return missing_words;
}

#if LINEFILTER_LISTED_LANES
struct TestSharedLane {
  const uint8_t* block;
  uint32_t all;
  HWY_INLINE void Do(size_t at, uint32_t bit) { all &= LittleEndianLane(internal::LoadSharedHalf(block + at)) >> bit; }
};
#endif

HWY_INLINE bool TestSharedBlock(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
#if LINEFILTER_LISTED_LANES
  (void)xs;
  return HadAll(TestSharedLane{block, 1}, lane_ones, x);
#elif LINEFILTER_SHARED_BLOCK_BY_VECTORS
  return TestBlock(block, lane_ones, x, xs);
#else
  alignas(64) uint8_t mask[64];
  StoreKeyMask(lane_ones, x, xs, mask);
  uint64_t missing = 0;
  for (size_t i = 0; i < kBlockWords; ++i) missing |= MissingInWord(block, mask, i);
  return missing == 0;
#endif
}

// Sets the bits; true if one of them was not set when its word was read.
HWY_INLINE bool InsertIntoSharedBlock(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  alignas(64) uint8_t mask[64];
  return OrWords(FindMissingWords(block, lane_ones, x, xs, mask), mask, block);
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_BLOCKS_SHARED_BLOCK_INL_H_
