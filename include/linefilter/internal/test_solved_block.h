// The core of the layout `retrieval` (doc/FORMAT.md section 8): the parities of one key in one block, and its answer.
// It is a part of test_block.h: a file that includes it alone gets all of that.
//
// A block of 8 words is ANDed with 8 multiples of the key's 32 bits. Each 16-bit lane of the result gives one parity,
// so all 32 come out of one vector operation (or of as many as the block has vectors).

#ifndef LINEFILTER_TEST_BLOCK_ONCE_
// It chooses the target before Highway is read, and includes this file again.
#include "linefilter/internal/test_block.h"
// It is included once per target, like test_block.h.
#elif defined(LINEFILTER_INTERNAL_TEST_SOLVED_BLOCK_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INTERNAL_TEST_SOLVED_BLOCK_H_
#undef LINEFILTER_INTERNAL_TEST_SOLVED_BLOCK_H_
#else
#define LINEFILTER_INTERNAL_TEST_SOLVED_BLOCK_H_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "linefilter/internal/coupled_parities_128.h"
#include "linefilter/internal/retrieval_tables.h"

// In a file compiled for one CPU the compiler tells; in dispatch by Highway LINEFILTER_ASKS_FOR_GFNI (inline.h) does.
#undef LINEFILTER_GFNI
#if HWY_ARCH_X86_64 && HWY_CAP_GE512 && defined(__GNUC__) && \
    (defined(__GFNI__) ||                                    \
     (defined(LINEFILTER_ASKS_FOR_GFNI) && HWY_TARGET <= HWY_AVX3_DL && HWY_TARGET != HWY_STATIC_TARGET))
#define LINEFILTER_GFNI 1
#else
#define LINEFILTER_GFNI 0
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if !LINEFILTER_PARITIES_128
using internal::Coupled;
#endif

#if LINEFILTER_PARITIES_128
// coupled_parities_128.h has CoupledParities.
#elif LINEFILTER_PLAIN_PARITIES

// Word l of the block, ANDed with that of A.
HWY_INLINE uint64_t MaskedWord(const uint8_t* block, uint64_t g, size_t l) {
  uint64_t word;
  memcpy(&word, block + 8 * l, sizeof(word));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word & (g * internal::kRowMultipliers[l]);
}

// Folds each 2 * kBits bits of two words to kBits: those of `low` come to lie below those of `high`.
template <int kBits>
HWY_INLINE uint64_t FoldTwo(uint64_t low, uint64_t high) {
  constexpr uint64_t kLower = ~uint64_t{0} / ((uint64_t{1} << kBits) + 1);
  return ((low ^ (low >> kBits)) & kLower) | ((high ^ (high << kBits)) & ~kLower);
}

// Words l and l + 4, in bytes.
HWY_INLINE uint64_t FoldedWords(const uint8_t* block, uint64_t g, size_t l) {
  return FoldTwo<8>(MaskedWord(block, g, l), MaskedWord(block, g, l + 4));
}

HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  uint32_t level = 0;
  for (size_t l = 0; l < 8; ++l) level |= static_cast<uint32_t>(block[8 * l + 7] >> 7) << l;
  // Eight words become one: the parity of lane j of word l is bit 16 j + 2 l. Then the bit between it and lane j + 1's
  // is 16 j + 2 l + (j & 1) of an even j.
  uint64_t p = FoldTwo<2>(FoldTwo<4>(FoldedWords(block, g, 0), FoldedWords(block, g, 2)),
                          FoldTwo<4>(FoldedWords(block, g, 1), FoldedWords(block, g, 3)));
  p = (p ^ (p >> 1)) & 0x5555555555555555u;
  p |= p >> 15;
  const uint32_t* const table = internal::kPlainCoupling.of;
  const uint32_t y = (table[p & 255] & 0x3333) ^ (table[p >> 8 & 255] & 0x33333333) ^ (table[p >> 32 & 255] & 0xffff) ^
                     table[p >> 40 & 255];
  return {y, level};
}

#else

// A block fits one vector on AVX-512, two on AVX2, four of 128 bits.
using WordTag = hn::CappedTag<uint64_t, 8>;
using WordVec = hn::Vec<WordTag>;

HWY_INLINE WordVec LoadWords(const uint8_t* block, size_t word) {
  return hn::BitCast(WordTag(), hn::LoadU(hn::Repartition<uint8_t, WordTag>(), block + 8 * word));
}

// The words ANDed with those of A; the key's g is the low half of each lane of `folded`, whatever the high half.
HWY_INLINE WordVec MaskWords(WordVec words, WordVec folded, size_t word) {
  const hn::Repartition<uint32_t, WordTag> d;
  const auto multipliers = hn::BitCast(d, hn::Load(WordTag(), internal::kRowMultipliers + word));
  return hn::And(words, hn::MulEven(hn::BitCast(d, folded), multipliers));
}

#if HWY_ARCH_X86
// Bit 63 of each word: one instruction, to which Highway would add a comparison and a byte in memory.
HWY_INLINE uint32_t SignsOf(WordVec words) {
#if HWY_CAP_GE512
  return _mm512_movepi64_mask(words.raw);
#elif HWY_TARGET == HWY_AVX2
  return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(words.raw)));
#else
  return static_cast<uint32_t>(_mm_movemask_pd(_mm_castsi128_pd(words.raw)));
#endif
}
#endif

// x86 before AVX3_DL has no population count of lanes, and before AVX3 no mask of them, but one of bytes: there the
// 16-bit lanes of two vectors are folded to the bytes of one. Each 128-bit block has those of `low`, then `high`.
HWY_INLINE WordVec FoldToBytes(WordVec low, WordVec high) {
  const WordTag d;
  const auto apart = hn::BitCast(d, hn::LoadDup128(hn::Repartition<uint8_t, WordTag>(), internal::kEvenThenOddBytes));
  low = hn::TableLookupBytes(low, apart);
  high = hn::TableLookupBytes(high, apart);
  return hn::Xor(hn::InterleaveLower(d, low, high), hn::InterleaveUpper(d, low, high));
}

// Stores the parity of each byte.
HWY_INLINE void StoreByteParities(WordVec bytes, uint8_t* to) {
  const hn::Repartition<uint8_t, WordTag> d8;
  const auto upper = hn::ShiftRight<4>(hn::BitCast(hn::Repartition<uint16_t, WordTag>(), bytes));
  const auto nibbles = hn::And(hn::Xor(hn::BitCast(d8, bytes), hn::BitCast(d8, upper)), hn::Set(d8, 15));
  hn::StoreMaskBits(d8, hn::MaskFromVec(hn::TableLookupBytes(hn::LoadDup128(d8, internal::kOddNibbles), nibbles)), to);
}

// A key's 32 parities (4 bytes) and its block's level.
#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3

// Folding inside 128-bit blocks makes the second and third byte of the parities change places.
inline constexpr bool kMiddleBytesSwapped = HWY_TARGET == HWY_AVX2;

HWY_INLINE void StoreParities(const uint8_t* block, WordVec hash, uint8_t* parities, uint8_t* level) {
  constexpr size_t kLanes = hn::MaxLanes(WordTag());
  uint32_t header = 0;
  for (size_t word = 0; word < 8; word += 2 * kLanes) {
    const WordVec low = LoadWords(block, word), high = LoadWords(block, word + kLanes);
    header |= SignsOf(low) << word | SignsOf(high) << (word + kLanes);
    const WordVec bytes = FoldToBytes(MaskWords(low, hash, word), MaskWords(high, hash, word + kLanes));
    StoreByteParities(bytes, parities + word / 2);
  }
#if defined(__GNUC__)
  __asm__("" : "+r"(header));  // else g++ 12 collects the levels of several keys in a vector, one by one
#endif
  *level = static_cast<uint8_t>(header);
}

#else

inline constexpr bool kMiddleBytesSwapped = false;

HWY_INLINE WordVec LaneParities(WordVec words) {
  const hn::Repartition<uint16_t, WordTag> d16;
#if HWY_TARGET == HWY_AVX3
  const hn::Repartition<uint8_t, WordTag> d8;
  const auto v = hn::BitCast(d16, words);
  const auto bytes = hn::Xor(v, hn::ShiftRight<8>(v));
  const auto nibbles = hn::And(hn::Xor(bytes, hn::ShiftRight<4>(bytes)), hn::Set(d16, 15));
  const auto odd = hn::TableLookupBytes(hn::LoadDup128(d8, internal::kOddNibbles), hn::BitCast(d8, nibbles));
#else
  const auto odd = hn::PopulationCount(hn::BitCast(d16, words));  // in bit 0
#endif
  return hn::BitCast(WordTag(), odd);
}

HWY_INLINE void StoreParities(const uint8_t* block, WordVec hash, uint8_t* parities, uint8_t* level) {
  const hn::RebindToSigned<WordTag> d;
  const hn::Repartition<uint16_t, WordTag> d16;
  uint32_t header = 0;
  for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
    const WordVec words = LoadWords(block, word);
    uint8_t bits[8];
    hn::StoreMaskBits(d, hn::Lt(hn::BitCast(d, words), hn::Zero(d)), bits);
    header |= static_cast<uint32_t>(bits[0]) << word;
    const auto odd = hn::BitCast(d16, LaneParities(MaskWords(words, hash, word)));
    hn::StoreMaskBits(d16, hn::TestBit(odd, hn::Set(d16, 1)), parities + word / 2);
  }
  *level = static_cast<uint8_t>(header);
}

#endif

// One key is coupled by matrices where there is an instruction for them, else by its bytes from a table. Where its
// parities fit one vector, shifts there do what they can: what waits for a general register fills the scheduler (3.5
// against 2.5 ns on Zen 4).
#if LINEFILTER_GFNI

// In each word, bit b of byte i of the product is the parity of byte 7 - b of the matrix, ANDed with byte i of x. Every
// CPU with what Highway calls AVX3_DL has GFNI, but Highway 1.0.3 does not ask the compiler for it: so this is
// assembly.
template <class Raw>
HWY_INLINE Raw TimesMatrix(Raw x, Raw matrix) {
  Raw product;
  __asm__("vgf2p8affineqb {$0, %2, %1, %0|%0, %1, %2, 0}" : "=v"(product) : "v"(x), "v"(matrix));
  return product;
}

// It takes parities of all bytes at once, then two products couple them: no 16 operations (2.06 against 2.66 ns).
HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  const WordTag d;
  const hn::Full128<uint8_t> d8;
  const WordVec words = LoadWords(block, 0);
  const WordVec masked = MaskWords(words, hn::Set(d, g), 0);
  // Byte 0 of each word is 255, all parities.
  __m512i couple_words = hn::Load(d, internal::kCoupleWords).raw;
  __asm__("" : "+v"(couple_words));  // else g++ 12 loads its lower part once more
  const __m128i parities = _mm512_cvtepi64_epi8(TimesMatrix(couple_words, masked.raw));
  const __m128i lanes = TimesMatrix(hn::Load(d8, internal::kCoupleLanes).raw, parities);
  const __m128i of_pairs = _mm_and_si128(lanes, hn::Load(d8, internal::kOddWords).raw);
  const __m128i coupled = TimesMatrix(_mm512_castsi512_si128(couple_words), of_pairs);
  return {static_cast<uint32_t>(_mm_cvtsi128_si32(coupled)), SignsOf(words)};
}

#elif HWY_CAP_GE512

HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  const WordTag d;
  const hn::Repartition<uint16_t, WordTag> d16;
  const WordVec words = LoadWords(block, 0);
  WordVec v = LaneParities(MaskWords(words, hn::Set(d, g), 0));
  v = hn::Xor(v, hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(hn::Repartition<uint32_t, WordTag>(), v))));
  v = hn::Xor(v, hn::ShiftRight<32>(v));
  v = hn::Xor(v, hn::ShiftRightLanes<1>(d, v));
  uint8_t bits[8];
  hn::StoreMaskBits(d16, hn::TestBit(hn::BitCast(d16, v), hn::Set(d16, 1)), bits);
  uint32_t y;
  memcpy(&y, bits, sizeof(y));
#if defined(__GNUC__)
  __asm__("" : "+r"(y));  // else g++ 12 moves it from the mask more than once
#endif
  y ^= y >> 8 & 0x00ff00ff;
  return {y ^ y >> 16, SignsOf(words)};
}

#elif HWY_TARGET == HWY_AVX2

// Byte i of each half becomes the sum of all its bytes k with (k & i) == i.
template <class D256>
HWY_INLINE hn::Vec<D256> CoupleHalves(D256 d, hn::Vec<D256> v) {
  const hn::Repartition<uint16_t, D256> d16;
  const hn::Repartition<uint32_t, D256> d32;
  const hn::Repartition<uint64_t, D256> d64;
  v = hn::Xor(v, hn::BitCast(d, hn::ShiftRight<8>(hn::BitCast(d16, v))));
  v = hn::Xor(v, hn::BitCast(d, hn::ShiftRight<16>(hn::BitCast(d32, v))));
  v = hn::Xor(v, hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(d64, v))));
  return hn::Xor(v, hn::BitCast(d, hn::ShiftRightLanes<1>(d64, hn::BitCast(d64, v))));
}

HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  const hn::Repartition<uint8_t, WordTag> d8;
  const WordVec hash = hn::Set(WordTag(), g);
  const WordVec low = LoadWords(block, 0), high = LoadWords(block, 4);
  const uint32_t level = SignsOf(low) | SignsOf(high) << 4;
  const WordVec bytes = FoldToBytes(MaskWords(low, hash, 0), MaskWords(high, hash, 4));
  // Puts words 0 and 1, 4 and 5, 2 and 3, 6 and 7 into their order. (Highway's TableLookupLanes checks its indices in
  // an unoptimized program, and would have it link libhwy.)
  const __m256i order = _mm256_load_si256(reinterpret_cast<const __m256i*>(internal::kMiddleQuarters));
  const hn::Vec<decltype(d8)> ordered{_mm256_permutevar8x32_epi32(bytes.raw, order)};
  uint8_t bits[8];
  StoreByteParities(hn::BitCast(WordTag(), CoupleHalves(d8, ordered)), bits);
  uint32_t y;
  memcpy(&y, bits, sizeof(y));
#if defined(__GNUC__)
  __asm__("" : "+r"(y));  // else g++ 12 moves it from the mask twice
#endif
  return {y ^ y >> 16, level};
}

#else

HWY_INLINE Coupled CoupledParities(const uint8_t* block, uint32_t g) {
  uint8_t p[8], level;
  StoreParities(block, hn::Set(WordTag(), g), p, &level);
  const uint32_t* const table = internal::kByteCoupling.of;
  return {(table[p[0]] & 0xff) ^ (table[p[1]] & 0xffff) ^ (table[p[2]] & 0x00ff00ff) ^ table[p[3]], level};
}

#endif
#endif

// The core of the layout `retrieval`: are the key's constraints met?
HWY_INLINE bool TestSolvedBlock(const uint8_t* block, uint32_t g) {
  const Coupled coupled = CoupledParities(block, g);
  const uint64_t q = g * internal::kFingerprintMultiplier;
  const uint32_t t = (coupled.level + static_cast<uint32_t>(q >> 29 & 7)) >> 3;
  return ((coupled.y ^ static_cast<uint32_t>(q >> 32)) & internal::kConstraintMasks.of[t]) == 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INTERNAL_TEST_SOLVED_BLOCK_H_
