// The SIMD core of the layout `split_block` tells what one block of 32 bytes answers, and how a key is inserted. The
// kernels of the library and linefilter/inline.h include it, as test_block.h, whose rules hold here, too.

// It is included once per target.
#if defined(LINEFILTER_INTERNAL_TEST_SPLIT_BLOCK_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INTERNAL_TEST_SPLIT_BLOCK_H_
#undef LINEFILTER_INTERNAL_TEST_SPLIT_BLOCK_H_
#else
#define LINEFILTER_INTERNAL_TEST_SPLIT_BLOCK_H_
#endif

#include <cstddef>
#include <cstdint>

#include "linefilter/hash.h"
#include "linefilter/internal/split_block.h"
#include "linefilter/internal/test_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// The in-block hash in each lane, of a hash whose halves are folded. Where a vector exchanges words that takes no
// general register: prober.ForLayout on Zen 5, 24 KB, takes 0.54 ns on AVX2 in place of 0.63, and 0.58 on AVX-512, also
// where the hash is in a register (0.68 in place of 0.71). A mask known only at run time takes 0.69.
HWY_INLINE LaneVec FoldedSplitXs(uint64_t hash) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const LaneVec halves = hn::BitCast(LaneTag(), hn::Set(hn::Repartition<uint64_t, LaneTag>(), hash));
  return hn::Xor(halves, hn::Shuffle2301(halves));
#else
  return hn::Set(LaneTag(), InBlockHash(hash));
#endif
}

#if LINEFILTER_SSE2_BLOCKS

// The bits of one key in words `word` to `word` + 3.
HWY_INLINE __m128i FourSplitBits(__m128i xs, size_t word) {
  const __m128i product = FourProducts(xs, internal::kSplitSalts + word, internal::kWideSplitSalts.of + word);
  return FourPowers(product, _mm_set1_epi32(0x3f800000));
}

HWY_INLINE bool TestSplitBlock(const uint8_t* block, uint32_t x, LaneVec xs) {
  const __m128i four = FourOf(x, xs);
  const __m128i low = _mm_andnot_si128(LoadFour(block), FourSplitBits(four, 0));
  const __m128i high = _mm_andnot_si128(LoadFour(block + 16), FourSplitBits(four, 4));
  return IsZero(_mm_or_si128(low, high));
}

HWY_INLINE bool InsertIntoSplitBlock(uint8_t* block, uint32_t x, LaneVec xs) {
  const __m128i four = FourOf(x, xs);
  __m128i missing = _mm_setzero_si128();
  for (size_t word = 0; word < 8; word += 4) {
    const __m128i bits = FourSplitBits(four, word), old = LoadFour(block + 4 * word);
    missing = _mm_or_si128(missing, _mm_andnot_si128(old, bits));
    StoreFour(_mm_or_si128(old, bits), block + 4 * word);
  }
  return !IsZero(missing);
}

#elif LINEFILTER_LISTED_LANES

// Does probe.Do(a word's offset, number of the key's bit in it) for each word; returns whether all were set.
template <class Probe>
HWY_INLINE bool HadAllSplitBits(Probe probe, uint32_t x) {
  for (size_t word = 0; word < 8; ++word) probe.Do(4 * word, (x * internal::kSplitSalts[word]) >> 27);
  return (probe.all & 1) != 0;
}

HWY_INLINE bool TestSplitBlock(const uint8_t* block, uint32_t x, LaneVec) {
  return HadAllSplitBits(TestLane{block, 1}, x);
}
HWY_INLINE bool InsertIntoSplitBlock(uint8_t* block, uint32_t x, LaneVec) {
  return !HadAllSplitBits(InsertLane{block, 1}, x);
}

#else

// A block fits one vector of 256 bits, or two of 128.
using SplitTag = hn::CappedTag<uint32_t, 8>;
using SplitVec = hn::Vec<SplitTag>;

// x in each word, of a vector that has it in each lane.
HWY_INLINE SplitVec SplitXs([[maybe_unused]] uint32_t x, [[maybe_unused]] LaneVec xs) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return SplitVec{_mm512_castsi512_si256(xs.raw)};
#elif HWY_ARCH_X86
  return xs;
#else
  return hn::Set(SplitTag(), x);
#endif
}

// The bits of one key in the words from `word` on, as they stand in memory.
HWY_INLINE SplitVec SplitBits(SplitTag d, SplitVec xs, size_t word) {
  const SplitVec product = hn::Mul(xs, hn::Load(d, internal::kSplitSalts + word));
  return AsInMemory(d, hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product)));
}

HWY_INLINE SplitVec LoadSplitWords(SplitTag d, const uint8_t* from) {
  return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, SplitTag>(), from));
}
HWY_INLINE void StoreSplitWords(SplitVec words, SplitTag, uint8_t* to) {
  const hn::Repartition<uint8_t, SplitTag> d8;
  hn::StoreU(hn::BitCast(d8, words), d8, to);
}

HWY_INLINE bool TestSplitBlock(const uint8_t* block, uint32_t x, LaneVec xs_of_lanes) {
  const SplitTag d;
  const SplitVec xs = SplitXs(x, xs_of_lanes);
#if HWY_ARCH_X86
  return _mm256_testc_si256(LoadSplitWords(d, block).raw, SplitBits(d, xs, 0).raw) != 0;
#else
  SplitVec missing = hn::Zero(d);
  for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
    missing = hn::Or(missing, hn::AndNot(LoadSplitWords(d, block + 4 * word), SplitBits(d, xs, word)));
  }
  return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
#endif
}

// Sets the bits; true if one of them was not set.
HWY_INLINE bool InsertIntoSplitBlock(uint8_t* block, uint32_t x, LaneVec xs_of_lanes) {
  const SplitTag d;
  const SplitVec xs = SplitXs(x, xs_of_lanes);
#if HWY_ARCH_X86
  const SplitVec bits = SplitBits(d, xs, 0), old = LoadSplitWords(d, block);
  StoreSplitWords(hn::Or(old, bits), d, block);
  return _mm256_testc_si256(old.raw, bits.raw) == 0;
#else
  SplitVec missing = hn::Zero(d);
  for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
    const SplitVec bits = SplitBits(d, xs, word), old = LoadSplitWords(d, block + 4 * word);
    missing = hn::Or(missing, hn::AndNot(old, bits));
    StoreSplitWords(hn::Or(old, bits), d, block + 4 * word);
  }
  return !hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
#endif
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INTERNAL_TEST_SPLIT_BLOCK_H_
