// Vectors with a number of 64 bits for each of some keys, eight on AVX-512 and four on AVX2, and what lookups-inl.h
// does with them: counts of bits, table lookups, loads from the keys' blocks. It is empty for other targets.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_KEY_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_KEY_VECTORS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_KEY_VECTORS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_KEY_VECTORS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2  // clang warns of a region of attributes that has no function
HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

using KeyTag = hn::CappedTag<uint64_t, 8>;
using KeyVec = hn::Vec<KeyTag>;
using ByteTag = hn::Repartition<uint8_t, KeyTag>;
using HalfTag = hn::Repartition<uint32_t, KeyTag>;
inline constexpr size_t kKeys = hn::MaxLanes(KeyTag());

HWY_INLINE KeyVec SetKeys(uint64_t x) { return hn::Set(KeyTag(), x); }
// By halves: of numbers below 2^32, or any whose upper half is to be 0.
HWY_INLINE KeyVec MinOfHalves(KeyVec a, KeyVec b) {
  return hn::BitCast(KeyTag(), hn::Min(hn::BitCast(HalfTag(), a), hn::BitCast(HalfTag(), b)));
}
HWY_INLINE KeyVec MulHalves(KeyVec a, KeyVec b) {
  return hn::MulEven(hn::BitCast(HalfTag(), a), hn::BitCast(HalfTag(), b));
}
HWY_INLINE hn::Mask<KeyTag> IsLess(KeyVec a, KeyVec b) {
  const hn::RebindToSigned<KeyTag> d;
  return hn::RebindMask(KeyTag(), hn::Lt(hn::BitCast(d, a), hn::BitCast(d, b)));
}
// Highway's IfThenZeroElse is two instructions on AVX-512.
template <class Mask, class Vec>
HWY_INLINE Vec ZeroWhere(Mask mask, Vec v) {
#if HWY_TARGET <= HWY_AVX3
  return hn::IfThenElseZero(hn::Not(mask), v);
#else
  return hn::IfThenZeroElse(mask, v);
#endif
}
HWY_INLINE KeyVec OneLessWhere(hn::Mask<KeyTag> mask, KeyVec v) {
#if HWY_TARGET <= HWY_AVX3
  return KeyVec{_mm512_mask_sub_epi64(v.raw, mask.raw, v.raw, _mm512_set1_epi64(1))};
#else
  return hn::Add(v, hn::VecFromMask(KeyTag(), mask));
#endif
}
HWY_INLINE KeyVec LookUp(const uint8_t* table, KeyVec indices) {
  return hn::BitCast(KeyTag(), hn::TableLookupBytes(hn::LoadDup128(ByteTag(), table), hn::BitCast(ByteTag(), indices)));
}

alignas(16) inline constexpr uint8_t kBitsOfNibble[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
alignas(16) inline constexpr uint8_t kLowestByteOfEach[16] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8};

HWY_INLINE KeyVec CountBitsOfBytes(KeyVec words) {
#if HWY_TARGET < HWY_AVX3
  return hn::BitCast(KeyTag(), hn::PopulationCount(hn::BitCast(ByteTag(), words)));
#else
  const KeyVec nibbles = SetKeys(0x0F0F0F0F0F0F0F0F);
  const KeyVec low = LookUp(kBitsOfNibble, hn::And(words, nibbles));
  return hn::Add(low, LookUp(kBitsOfNibble, hn::And(hn::ShiftRight<4>(words), nibbles)));
#endif
}
HWY_INLINE KeyVec SumOfBytes(KeyVec words) { return hn::SumsOf8(hn::BitCast(ByteTag(), words)); }
HWY_INLINE KeyVec CountBits(KeyVec words) {
#if HWY_TARGET < HWY_AVX3
  return hn::PopulationCount(words);
#else
  return SumOfBytes(CountBitsOfBytes(words));
#endif
}
// Byte i becomes the sum of bytes 0 ... i.
HWY_INLINE KeyVec SumUpToBytes(KeyVec bytes) {
#if HWY_TARGET <= HWY_AVX3
  return KeyVec{_mm512_mullo_epi64(bytes.raw, _mm512_set1_epi64(0x0101010101010101))};
#else
  bytes = hn::Add(bytes, hn::ShiftLeft<8>(bytes));
  bytes = hn::Add(bytes, hn::ShiftLeft<16>(bytes));
  return hn::Add(bytes, hn::ShiftLeft<32>(bytes));
#endif
}
HWY_INLINE KeyVec SpreadLowestByte(KeyVec words) {
  const auto lowest = hn::LoadDup128(ByteTag(), kLowestByteOfEach);
  return hn::BitCast(KeyTag(), hn::TableLookupBytes(hn::BitCast(ByteTag(), words), lowest));
}
// `each` for each byte that is at most `limit`; bytes are below 128.
HWY_INLINE KeyVec SumOfBytesUpTo(KeyVec limit, KeyVec bytes, uint8_t each) {
  const hn::RebindToSigned<ByteTag> d;
  const auto are_more = hn::RebindMask(ByteTag(), hn::Gt(hn::BitCast(d, bytes), hn::BitCast(d, limit)));
  return hn::SumsOf8(ZeroWhere(are_more, hn::Set(ByteTag(), each)));
}

// Loads 16 bytes of each block; those of key 2 i are 128-bit lane i of `even`.
HWY_INLINE void LoadPairs(const uint8_t* const* blocks, size_t at, KeyVec* even, KeyVec* odd) {
  const auto load = [=](size_t key)
                        HWY_ATTR { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks[key] + at)); };
  const auto load_two = [&](size_t key) HWY_ATTR {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load(key)), load(key + 2), 1);
  };
#if HWY_TARGET <= HWY_AVX3
  const auto load_four = [&](size_t key) HWY_ATTR {
    return _mm512_inserti64x4(_mm512_castsi256_si512(load_two(key)), load_two(key + 4), 1);
  };
  even->raw = load_four(0), odd->raw = load_four(1);
#else
  even->raw = load_two(0), odd->raw = load_two(1);
#endif
}
// Loads the words of each block that begin at these bytes. They go through memory: a gather takes longer.
HWY_INLINE KeyVec LoadWindows(const uint8_t* const* blocks, KeyVec bytes) {
  alignas(64) uint64_t at[kKeys];
  hn::Store(bytes, KeyTag(), at);
#if defined(__GNUC__)
  __asm__("" : : "r"(at) : "memory");  // else g++ 12 takes them out of the vector by permutations
#endif
  const auto load_two = [&](size_t key) HWY_ATTR {
    const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(blocks[key] + at[key]));
    const double* const high = reinterpret_cast<const double*>(blocks[key + 1] + at[key + 1]);
    return _mm_castpd_si128(_mm_loadh_pd(_mm_castsi128_pd(low), high));
  };
  const auto load_four = [&](size_t key) HWY_ATTR {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_two(key)), load_two(key + 2), 1);
  };
#if HWY_TARGET <= HWY_AVX3
  return KeyVec{_mm512_inserti64x4(_mm512_castsi256_si512(load_four(0)), load_four(4), 1)};
#else
  return KeyVec{load_four(0)};
#endif
}

// A bit for each lane.
HWY_INLINE uint32_t BitsOf(hn::Mask<KeyTag> mask) {
#if HWY_TARGET <= HWY_AVX3
  return mask.raw;
#else
  return SignsOf(hn::VecFromMask(KeyTag(), mask));
#endif
}

// A byte of 0 or 1 for each bit of two vectors.
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE __m128i BytesOf(uint32_t bits) { return _mm_maskz_set1_epi8(static_cast<__mmask16>(bits), 1); }
#else
HWY_INLINE uint64_t BytesOf(uint32_t bits) {
  const uint32_t low = (bits & 15) * 0x00204081 & 0x01010101;
  return low | uint64_t{(bits >> 4) * 0x00204081 & 0x01010101} << 32;
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();
#endif

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_KEY_VECTORS_INL_H_
