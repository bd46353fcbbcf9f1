// The Parquet hashes of many keys at once. It lies here, because it asks for the chosen target.
//
// Integers are of one length, so all take the same steps, and a vector takes them for 8 values (AVX-512) or 4 (AVX2).
// AVX-512 multiplies words of 64 bits in one instruction. AVX2 makes such a product of two of 32 bits and one that
// widens. Meanwhile its units for integers would be idle, so two more values take plain code beside each vector.
// Older targets run plain code alone. On Zen 5 a value of 8 bytes takes 0.18 ns on AVX-512 and 0.83 on AVX2. There it
// takes 1.18 without the values beside, and 1.46 if a product is made of three that widen. Plain code takes 1.45, and a
// call of XXH64 for each value 2.4. Constants and steps are those of the specification (linefilter/internal/xxh64.h).
//
// XXH64 takes what is left of a text below 32 bytes by 8, by 4 and by single bytes, and no CPU predicts how many of
// each come. On AVX-512 a text is loaded by a mask of its bytes, so that nothing is read behind its end. A vector of
// eight takes all steps, and each text keeps those that are its own. A word of 12 bytes takes 1.85 in place of 10.8 ns.
// Other targets hash texts one by one.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/short_keys.h"
#include "lib/layouts/target.h"
#include "linefilter/hash.h"
#include "linefilter/internal/xxh64.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/parquet_hashes.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if LINEFILTER_SAME_AS_AVX3

void HashWords(const uint64_t* keys, size_t n, uint64_t* hashes) { N_AVX3::HashWords(keys, n, hashes); }
void HashHalfWords(const uint32_t* values, size_t n, uint64_t* hashes) { N_AVX3::HashHalfWords(values, n, hashes); }
void HashTexts(const std::string_view* keys, size_t n, uint64_t* hashes) { N_AVX3::HashTexts(keys, n, hashes); }

#else

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX2

constexpr size_t kLanes = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
// So many values take plain code beside each vector.
constexpr size_t kBeside = HWY_TARGET <= HWY_AVX3 ? 0 : 2;
using WordTag = hn::CappedTag<uint64_t, kLanes>;
using WordVec = hn::Vec<WordTag>;

HWY_INLINE WordVec Words(uint64_t word) { return hn::Set(WordTag(), word); }

// The products of words with a constant, modulo 2^64.
HWY_INLINE WordVec Times(WordVec v, uint64_t constant) {
#if HWY_TARGET <= HWY_AVX3
  return hn::Mul(v, Words(constant));
#else
  const hn::CappedTag<uint32_t, 2 * kLanes> halves;
  const auto of_v = hn::BitCast(halves, v), of_constant = hn::BitCast(halves, Words(constant));
  const auto exchanged = hn::BitCast(halves, Words((constant << 32) | (constant >> 32)));
  // Each word has two products, of its low half with the constant's high one and of its high half with the low one.
  // Their sum goes to the high half of what the low halves give.
  const WordVec crossed = hn::BitCast(WordTag(), hn::Mul(of_v, exchanged));
  const WordVec high = hn::Add(hn::ShiftLeft<32>(crossed), hn::And(crossed, Words(~uint64_t{0xffffffffu})));
  return hn::Add(hn::MulEven(of_v, of_constant), high);
#endif
}

template <int kBits>
HWY_INLINE WordVec RotateLeft(WordVec v) {
  return hn::RotateRight<64 - kBits>(v);
}

// These are the steps of XXH64: for 8 bytes that are left, for 4, and the last one.
HWY_INLINE WordVec Take8Bytes(WordVec h, WordVec bytes) {
  const WordVec lane = Times(RotateLeft<31>(Times(bytes, internal::kXxh64Prime2)), internal::kXxh64Prime1);
  const WordVec rotated = RotateLeft<27>(hn::Xor(h, lane));
  return hn::Add(Times(rotated, internal::kXxh64Prime1), Words(internal::kXxh64Prime4));
}

HWY_INLINE WordVec Take4Bytes(WordVec h, WordVec bytes) {
  const WordVec rotated = RotateLeft<23>(hn::Xor(h, Times(bytes, internal::kXxh64Prime1)));
  return hn::Add(Times(rotated, internal::kXxh64Prime2), Words(internal::kXxh64Prime3));
}

HWY_INLINE WordVec Mix(WordVec h) {
  h = Times(hn::Xor(h, hn::ShiftRight<33>(h)), internal::kXxh64Prime2);
  h = Times(hn::Xor(h, hn::ShiftRight<29>(h)), internal::kXxh64Prime3);
  return hn::Xor(h, hn::ShiftRight<32>(h));
}

// A value that the compiler does not make a vector of with its neighbours: behind vectors of ours that is twice the
// code.
template <class T>
HWY_INLINE T Alone(T value) {
#if defined(__GNUC__)
  __asm__("" : "+r"(value));
#endif
  return value;
}

void HashWords(const uint64_t* keys, size_t n, uint64_t* hashes) {
  const WordTag d;
  size_t i = 0;
  for (; n - i >= kLanes + kBeside; i += kLanes) {
    hn::StoreU(Mix(Take8Bytes(Words(internal::kXxh64Prime5 + 8), hn::LoadU(d, keys + i))), d, hashes + i);
    for (size_t end = i + kBeside; i < end; ++i) hashes[i + kLanes] = internal::Xxh64Of8Bytes(Alone(keys[i + kLanes]));
  }
  for (; i < n; ++i) hashes[i] = internal::Xxh64Of8Bytes(Alone(keys[i]));
}

void HashHalfWords(const uint32_t* values, size_t n, uint64_t* hashes) {
  const WordTag d;
  const hn::CappedTag<uint32_t, kLanes> narrow;
  size_t i = 0;
  for (; n - i >= kLanes + kBeside; i += kLanes) {
    const WordVec wide = hn::PromoteTo(d, hn::LoadU(narrow, values + i));
    hn::StoreU(Mix(Take4Bytes(Words(internal::kXxh64Prime5 + 4), wide)), d, hashes + i);
    for (size_t end = i + kBeside; i < end; ++i)
      hashes[i + kLanes] = internal::Xxh64Of4Bytes(Alone(values[i + kLanes]));
  }
  for (; i < n; ++i) hashes[i] = internal::Xxh64Of4Bytes(Alone(values[i]));
}

#else

void HashWords(const uint64_t* keys, size_t n, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = internal::Xxh64Of8Bytes(keys[i]);
}

void HashHalfWords(const uint32_t* values, size_t n, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = internal::Xxh64Of4Bytes(values[i]);
}

#endif

#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3

// A longer text goes through the four accumulators of XXH64: it is hashed by itself.
constexpr size_t kShortText = 31;
// So many texts are loaded, then hashed: a vector of several loads would wait for their stores.
constexpr size_t kTogether = 64;

HWY_INLINE WordVec Chosen(__mmask8 yes, WordVec a, WordVec b) {
  return WordVec{_mm512_mask_blend_epi64(yes, b.raw, a.raw)};
}
HWY_INLINE __mmask8 IsAtLeast(WordVec v, uint64_t least) { return _mm512_cmpge_epu64_mask(v.raw, Words(least).raw); }

HWY_INLINE WordVec TakeByte(WordVec h, WordVec byte) {
  return Times(RotateLeft<11>(hn::Xor(h, Times(byte, internal::kXxh64Prime5))), internal::kXxh64Prime1);
}

// The bytes of kTogether texts, those behind an end 0; `low` has the first 16 of each, `high` the next 16.
struct LoadedTexts {
  alignas(64) uint64_t low[2 * kTogether], high[2 * kTogether], sizes[kTogether];
};

// Word 0 or 1 of each of eight texts, from 16 bytes of each.
HWY_INLINE WordVec EvenWords(const uint64_t* halves) {
  const WordTag d;
  return hn::ConcatEven(d, hn::Load(d, halves + kLanes), hn::Load(d, halves));
}
HWY_INLINE WordVec OddWords(const uint64_t* halves) {
  const WordTag d;
  return hn::ConcatOdd(d, hn::Load(d, halves + kLanes), hn::Load(d, halves));
}

// Eight texts from text i on, of at most kShortText bytes each.
HWY_INLINE WordVec HashEight(const LoadedTexts& texts, size_t i) {
  const WordVec sizes = hn::Load(WordTag(), texts.sizes + i);
  WordVec h = hn::Add(sizes, Words(internal::kXxh64Prime5));
  WordVec left = EvenWords(texts.low + 2 * i);
  // Words of a language seldom reach 16 bytes, so these branches are predicted.
  if (const __mmask8 has_8 = IsAtLeast(sizes, 8); has_8 != 0) {
    h = Chosen(has_8, Take8Bytes(h, left), h);
    left = Chosen(has_8, OddWords(texts.low + 2 * i), left);
  }
  if (const __mmask8 has_16 = IsAtLeast(sizes, 16); has_16 != 0) {
    h = Chosen(has_16, Take8Bytes(h, left), h);
    left = Chosen(has_16, EvenWords(texts.high + 2 * i), left);
    const __mmask8 has_24 = IsAtLeast(sizes, 24);
    h = Chosen(has_24, Take8Bytes(h, left), h);
    left = Chosen(has_24, OddWords(texts.high + 2 * i), left);
  }
  const __mmask8 has_4 = _mm512_test_epi64_mask(sizes.raw, Words(4).raw);
  h = Chosen(has_4, Take4Bytes(h, hn::And(left, Words(0xffffffffu))), h);
  left = Chosen(has_4, hn::ShiftRight<32>(left), left);
  const WordVec num_left = hn::And(sizes, Words(3));
  h = Chosen(IsAtLeast(num_left, 1), TakeByte(h, hn::And(left, Words(255))), h);
  h = Chosen(IsAtLeast(num_left, 2), TakeByte(h, hn::And(hn::ShiftRight<8>(left), Words(255))), h);
  h = Chosen(IsAtLeast(num_left, 3), TakeByte(h, hn::And(hn::ShiftRight<16>(left), Words(255))), h);
  return Mix(h);
}

// Hashes n texts, a multiple of 8 and at most kTogether; `end` of them may be fetched.
HWY_INLINE void HashTogether(const std::string_view* keys, size_t n, size_t end, uint64_t* hashes) {
  LoadedTexts texts;
  for (size_t i = 0; i < n; ++i) {
    internal::FetchKeyAhead(keys, i, end);
    const size_t size = keys[i].size();
    const uint32_t used = size <= kShortText ? (uint32_t{1} << size) - 1 : 0;
    const __m256i bytes = _mm256_maskz_loadu_epi8(used, keys[i].data());
    _mm_store_si128(reinterpret_cast<__m128i*>(texts.low + 2 * i), _mm256_castsi256_si128(bytes));
    _mm_store_si128(reinterpret_cast<__m128i*>(texts.high + 2 * i), _mm256_extracti128_si256(bytes, 1));
    texts.sizes[i] = size;
  }
  for (size_t i = 0; i < n; i += kLanes) {
    hn::StoreU(HashEight(texts, i), WordTag(), hashes + i);
    unsigned rest = IsAtLeast(hn::Load(WordTag(), texts.sizes + i), kShortText + 1);
    for (; HWY_UNLIKELY(rest != 0); rest &= rest - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctz(rest));
      hashes[at] = ParquetHashBytes(keys[at].data(), keys[at].size());
    }
  }
}

void HashTexts(const std::string_view* keys, size_t n, uint64_t* hashes) {
  size_t i = 0;
  for (size_t size; n - i >= kLanes; i += size) {
    size = (n - i < kTogether ? n - i : kTogether) / kLanes * kLanes;
    if (internal::MostAreLonger(kShortText, keys + i, size)) {
      internal::ParquetHashEach(keys + i, size, hashes + i);
    } else {
      HashTogether(keys + i, size, n - i, hashes + i);
    }
  }
  internal::ParquetHashEach(keys + i, n - i, hashes + i);
}

#else

void HashTexts(const std::string_view* keys, size_t n, uint64_t* hashes) { internal::ParquetHashEach(keys, n, hashes); }

#endif

#endif  // LINEFILTER_SAME_AS_AVX3

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
namespace {
LINEFILTER_TARGET_TABLE(HashWords);
LINEFILTER_TARGET_TABLE(HashHalfWords);
LINEFILTER_TARGET_TABLE(HashTexts);
}  // namespace

void ParquetHashes(const uint64_t* keys, size_t n, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashWords)(keys, n, hashes);
}

void ParquetHashes(const uint32_t* values, size_t n, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashHalfWords)(values, n, hashes);
}

void ParquetHashes(const std::string_view* keys, size_t n, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashTexts)(keys, n, hashes);
}

}  // namespace linefilter
#endif  // HWY_ONCE
