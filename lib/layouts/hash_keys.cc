// Hashes of many keys at once, the same ones as HashKey makes. It lies here, because it asks for the chosen target.
//
// On AVX-512 a key of up to 16 bytes is loaded as a whole, by a mask of its bytes: so nothing is read behind its end,
// and nothing branches on its length. Eight keys are a vector then, which goes all of XXH3's short paths. If some keys
// have 17 to 32 bytes, the last 16 of these are loaded, too. A product of 64 bits is one instruction there. AVX2 makes
// it of three, which pays for numbers of 8 bytes. Other targets run plain code.
#include "lib/base/short_keys.h"
#include "lib/layouts/target.h"
#include "linefilter/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/layouts/hash_keys.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// This comes after foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if LINEFILTER_SAME_AS_AVX3

void HashTexts(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed, uint64_t* hashes) {
  N_AVX3::HashTexts(keys, n, num_ahead, seed, hashes);
}
void HashNumbers(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes) {
  N_AVX3::HashNumbers(keys, n, seed, hashes);
}

#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

constexpr size_t kLanes = 8;
using WordTag = hn::CappedTag<uint64_t, kLanes>;
using WordVec = hn::Vec<WordTag>;

HWY_INLINE WordVec Words(uint64_t word) { return hn::Set(WordTag(), word); }
HWY_INLINE WordVec ShiftedRight(WordVec v, WordVec bits) { return WordVec{_mm512_srlv_epi64(v.raw, bits.raw)}; }
HWY_INLINE WordVec ShiftedLeft(WordVec v, WordVec bits) { return WordVec{_mm512_sllv_epi64(v.raw, bits.raw)}; }
// The low halves of the words of one, and the high halves of the other.
HWY_INLINE WordVec Halves(WordVec low, WordVec high) {
  return WordVec{_mm512_mask_blend_epi32(0xaaaa, low.raw, high.raw)};
}
HWY_INLINE WordVec Product32(WordVec a, WordVec b) { return WordVec{_mm512_mul_epu32(a.raw, b.raw)}; }
template <int kBits>
HWY_INLINE WordVec XorShifted(WordVec v) {
  return hn::Xor(v, hn::ShiftRight<kBits>(v));
}

// The low half of each product of 128 bits xor its high half.
HWY_INLINE WordVec FoldedProduct(WordVec a, WordVec b) {
  const WordVec a_high = hn::ShiftRight<32>(a), b_high = hn::ShiftRight<32>(b);
  const WordVec low = Product32(a, b);
  const WordVec mid = hn::Add(Product32(a_high, b), hn::ShiftRight<32>(low));
  const WordVec mid2 = hn::Add(Product32(a, b_high), hn::And(mid, Words(0xffffffffu)));
  const WordVec high = hn::Add(hn::Add(Product32(a_high, b_high), hn::ShiftRight<32>(mid)), hn::ShiftRight<32>(mid2));
  return hn::Xor(Halves(low, hn::ShiftLeft<32>(mid2)), high);
}

// XXH3 of 4 to 8 bytes: the first word is what rrmxmx mixes. HashNumber does the same.
HWY_INLINE WordVec MixUpTo8(WordVec flipped, WordVec sizes) {
  WordVec h = hn::Xor(flipped, hn::Xor(hn::RotateRight<15>(flipped), hn::RotateRight<40>(flipped)));
  h = hn::Mul(h, Words(internal::kMixUpTo8));
  h = hn::Xor(h, hn::Add(hn::ShiftRight<35>(h), sizes));
  return XorShifted<28>(hn::Mul(h, Words(internal::kMixUpTo8)));
}

// Eight keys: their first 8 bytes, the next 8, and how many bytes each has; those behind the end are 0.
struct EightKeys {
  WordVec low, high, sizes;
};

HWY_INLINE WordVec HashUpTo3(const EightKeys& keys, WordVec bits, uint64_t flip) {
  const WordVec byte = Words(255);
  const WordVec first = hn::And(keys.low, byte);
  const WordVec middle = hn::And(ShiftedRight(keys.low, hn::ShiftLeft<3>(hn::ShiftRight<1>(keys.sizes))), byte);
  const WordVec last = hn::And(ShiftedRight(keys.low, hn::Sub(bits, Words(8))), byte);
  const WordVec all =
      hn::Or(hn::Or(hn::ShiftLeft<16>(first), hn::ShiftLeft<24>(middle)), hn::Or(last, hn::ShiftLeft<8>(keys.sizes)));
  WordVec h = XorShifted<33>(hn::Xor(all, Words(flip)));
  h = XorShifted<29>(hn::Mul(h, Words(internal::kFirstMixUpTo3)));
  return XorShifted<32>(hn::Mul(h, Words(internal::kSecondMixUpTo3)));
}

HWY_INLINE WordVec HashUpTo8(const EightKeys& keys, WordVec bits, uint64_t flip) {
  const WordVec last_4 = ShiftedRight(keys.low, hn::Sub(bits, Words(32)));
  return MixUpTo8(hn::Xor(Halves(last_4, hn::ShiftLeft<32>(keys.low)), Words(flip)), keys.sizes);
}

HWY_INLINE WordVec HashUpTo16(const EightKeys& keys, WordVec bits, const internal::ShortKeyFlips& flips) {
  const WordVec last_8 =
      hn::Or(ShiftedRight(keys.low, hn::Sub(bits, Words(64))), ShiftedLeft(keys.high, hn::Sub(Words(128), bits)));
  const WordVec first = hn::Xor(keys.low, Words(flips.first_of_16));
  const WordVec last = hn::Xor(last_8, Words(flips.last_of_16));
  const __m512i swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
  const WordVec swapped{_mm512_shuffle_epi8(first.raw, swap)};
  const WordVec h = hn::Add(hn::Add(keys.sizes, swapped), hn::Add(last, FoldedProduct(first, last)));
  return XorShifted<32>(hn::Mul(XorShifted<37>(h), Words(internal::kMixUpTo16)));
}

// The longest key that vectors take.
constexpr size_t kVectorKey = 2 * internal::kShortKey;
// So many keys are loaded, then hashed: a vector of two loads would wait for their stores.
constexpr size_t kTogether = 64;

// The first 16 bytes of some keys, and the last 16 of those that have more; what a key has not is 0.
struct LoadedKeys {
  alignas(64) uint64_t first[2 * kTogether], last[2 * kTogether], sizes[kTogether];

  // A mask of the bytes of a key. The instruction takes the size modulo 256: longer keys are hashed one by one, so no
  // matter what they load. Selected by `?:` the mask became a branch, which sizes around 16 make unpredictable: texts
  // of 8 to 24 bytes took 15.1 in place of 7.0 ns (AMD EPYC, Zen 5).
  static HWY_INLINE __mmask16 BytesOf(size_t size) {
    return static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<unsigned>(size)));
  }
  // Where to load from; any address that is mapped if nothing is wanted. A null is loaded by an empty mask: the CPU
  // finds the missing page, and takes 100 ns to see that it does not matter. Bits choose, for `?:` became a branch
  // here, too.
  static HWY_INLINE const char* PlaceOf(uintptr_t wanted, bool is_wanted, const void* mapped) {
    const uintptr_t other = reinterpret_cast<uintptr_t>(mapped);
    const uintptr_t mask = uintptr_t{0} - static_cast<uintptr_t>(is_wanted);
    return reinterpret_cast<const char*>(other ^ ((wanted ^ other) & mask));
  }
  HWY_INLINE bool LoadFirst(const std::string_view* keys, size_t n, size_t end) {
    size_t most = 0;
    for (size_t i = 0; i < n; ++i) {
      internal::FetchKeyAhead(keys, i, end);
      const size_t size = keys[i].size();
      const __m128i key =
          _mm_maskz_loadu_epi8(BytesOf(size), PlaceOf(reinterpret_cast<uintptr_t>(keys[i].data()), size != 0, keys));
      _mm_store_si128(reinterpret_cast<__m128i*>(first + 2 * i), key);
      sizes[i] = size;
      most = size > most ? size : most;
    }
    return most > internal::kShortKey;
  }
  // Keys of up to 16 bytes load something that nobody reads.
  HWY_INLINE void LoadLast(const std::string_view* keys, size_t n) {
    for (size_t i = 0; i < n; ++i) {
      const size_t size = keys[i].size();
      const uintptr_t end = reinterpret_cast<uintptr_t>(keys[i].data()) + size - internal::kShortKey;
      const __m128i bytes = _mm_maskz_loadu_epi8(BytesOf(size), PlaceOf(end, size > internal::kShortKey, keys));
      _mm_store_si128(reinterpret_cast<__m128i*>(last + 2 * i), bytes);
    }
  }
};

HWY_INLINE WordVec EvenWords(const uint64_t* words) {
  return hn::ConcatEven(WordTag(), hn::Load(WordTag(), words + kLanes), hn::Load(WordTag(), words));
}
HWY_INLINE WordVec OddWords(const uint64_t* words) {
  return hn::ConcatOdd(WordTag(), hn::Load(WordTag(), words + kLanes), hn::Load(WordTag(), words));
}

// XXH3 of 17 to 32 bytes; `last` are the last 16 of each key.
HWY_INLINE WordVec HashUpTo32(const EightKeys& keys, const uint64_t* last, const internal::ShortKeyFlips& flips) {
  const WordVec begin =
      FoldedProduct(hn::Xor(keys.low, Words(flips.of_32[0])), hn::Xor(keys.high, Words(flips.of_32[1])));
  const WordVec end =
      FoldedProduct(hn::Xor(EvenWords(last), Words(flips.of_32[2])), hn::Xor(OddWords(last), Words(flips.of_32[3])));
  const WordVec h = hn::Add(hn::Mul(keys.sizes, Words(internal::kSizeUpTo32)), hn::Add(begin, end));
  return XorShifted<32>(hn::Mul(XorShifted<37>(h), Words(internal::kMixUpTo16)));
}

HWY_INLINE WordVec HashEight(const LoadedKeys& loaded, size_t i, const internal::ShortKeyFlips& flips) {
  const EightKeys eight = {EvenWords(loaded.first + 2 * i), OddWords(loaded.first + 2 * i),
                           hn::Load(WordTag(), loaded.sizes + i)};
  const WordVec bits = hn::ShiftLeft<3>(eight.sizes);
  const __mmask8 above_8 = _mm512_cmpgt_epu64_mask(eight.sizes.raw, Words(8).raw);
  const __mmask8 below_4 = _mm512_cmplt_epu64_mask(eight.sizes.raw, Words(4).raw);
  const __mmask8 above_16 = _mm512_cmpgt_epu64_mask(eight.sizes.raw, Words(internal::kShortKey).raw);
  __m512i hash =
      _mm512_mask_blend_epi64(above_8, HashUpTo8(eight, bits, flips.up_to_8).raw, HashUpTo16(eight, bits, flips).raw);
  if (below_4 != 0) hash = _mm512_mask_blend_epi64(below_4, hash, HashUpTo3(eight, bits, flips.up_to_3).raw);
  if (above_16 != 0) hash = _mm512_mask_blend_epi64(above_16, hash, HashUpTo32(eight, loaded.last + 2 * i, flips).raw);
  return WordVec{hash};
}

// Hashes n keys, a multiple of 8 and at most kTogether; 1 to 32 bytes by vectors, and the others one by one.
HWY_INLINE void HashTogether(const std::string_view* keys, size_t n, size_t end, uint64_t seed,
                             const internal::ShortKeyFlips& flips, uint64_t* hashes) {
  LoadedKeys loaded;
  if (loaded.LoadFirst(keys, n, end)) loaded.LoadLast(keys, n);
  for (size_t i = 0; i < n; i += kLanes) {
    hn::StoreU(HashEight(loaded, i, flips), WordTag(), hashes + i);
    const WordVec less_1 = hn::Sub(hn::Load(WordTag(), loaded.sizes + i), Words(1));
    unsigned rest = _mm512_cmpgt_epu64_mask(less_1.raw, Words(kVectorKey - 1).raw);
    for (; HWY_UNLIKELY(rest != 0); rest &= rest - 1) {
      const size_t at = i + static_cast<size_t>(__builtin_ctz(rest));
      hashes[at] = HashBytes(keys[at].data(), keys[at].size(), seed);
    }
  }
}

void HashTexts(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed, uint64_t* hashes) {
  const internal::ShortKeyFlips flips(seed);
  const size_t end = n + num_ahead;
  size_t i = 0;
  for (size_t size; n - i >= kLanes; i += size) {
    size = (n - i < kTogether ? n - i : kTogether) / kLanes * kLanes;
    if (internal::MostAreLonger(kVectorKey, keys + i, size)) {
      for (size_t k = i; k < i + size; ++k) hashes[k] = HashBytes(keys[k].data(), keys[k].size(), seed);
    } else {
      HashTogether(keys + i, size, end - i, seed, flips, hashes + i);
    }
  }
  for (; i < n; ++i) hashes[i] = HashBytes(keys[i].data(), keys[i].size(), seed);
}

void HashNumbers(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes) {
  const WordTag d;
  const WordVec flip = Words(internal::ShortKeyFlips(seed).up_to_8), eight = Words(8);
  size_t i = 0;
  for (; n - i >= kLanes; i += kLanes) {
    const WordVec flipped = hn::Xor(hn::RotateRight<32>(hn::LoadU(d, keys + i)), flip);
    hn::StoreU(MixUpTo8(flipped, eight), d, hashes + i);
  }
  for (; i < n; ++i) hashes[i] = internal::HashNumber(keys[i], seed);
}

#else

void HashTexts(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed, uint64_t* hashes) {
  internal::HashSorted(keys, n, num_ahead, seed, hashes);
}

#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX2

// The low words of products by kMixUpTo8.
HWY_INLINE __m256i Mixed(__m256i v) {
  const __m256i by = _mm256_set1_epi64x(static_cast<int64_t>(internal::kMixUpTo8));
  const __m256i by_high = _mm256_srli_epi64(by, 32);
  const __m256i mid = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(v, 32), by), _mm256_mul_epu32(v, by_high));
  return _mm256_add_epi64(_mm256_mul_epu32(v, by), _mm256_slli_epi64(mid, 32));
}

HWY_INLINE void HashFour(const uint64_t* keys, __m256i flip, uint64_t* hashes) {
  const __m256i to_right_40 =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(5, 6, 7, 0, 1, 2, 3, 4, 13, 14, 15, 8, 9, 10, 11, 12));
  const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys));
  const __m256i flipped = _mm256_xor_si256(_mm256_shuffle_epi32(words, _MM_SHUFFLE(2, 3, 0, 1)), flip);
  const __m256i right_15 = _mm256_or_si256(_mm256_srli_epi64(flipped, 15), _mm256_slli_epi64(flipped, 49));
  __m256i h = _mm256_xor_si256(flipped, _mm256_xor_si256(right_15, _mm256_shuffle_epi8(flipped, to_right_40)));
  h = Mixed(h);
  h = Mixed(_mm256_xor_si256(h, _mm256_add_epi64(_mm256_srli_epi64(h, 35), _mm256_set1_epi64x(8))));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(hashes), _mm256_xor_si256(h, _mm256_srli_epi64(h, 28)));
}

// Four in a vector and two beside it, for the multiplier of words is idle then. That takes 0.54 ns for a key (AMD EPYC,
// Zen 5). Vectors alone take 0.69, those of g++ 0.82, and words alone 1.2. Three or more beside a vector took 0.64.
void HashNumbers(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes) {
  const __m256i flip = _mm256_set1_epi64x(static_cast<int64_t>(internal::ShortKeyFlips(seed).up_to_8));
  size_t i = 0;
  for (; n - i >= 6; i += 6) {
    HashFour(keys + i, flip, hashes + i);
    hashes[i + 4] = internal::HashNumber(keys[i + 4], seed);
    hashes[i + 5] = internal::HashNumber(keys[i + 5], seed);
  }
  for (; i < n; ++i) hashes[i] = internal::HashNumber(keys[i], seed);
}

#else

void HashNumbers(const uint64_t* keys, size_t n, uint64_t seed, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = internal::HashNumber(keys[i], seed);
}

#endif

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
namespace {
LINEFILTER_TARGET_TABLE(HashTexts);
LINEFILTER_TARGET_TABLE(HashNumbers);
}  // namespace

void HashKeys(const std::string_view* keys, size_t n, size_t num_ahead, uint64_t seed, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashTexts)(keys, n, num_ahead, seed, hashes);
}

void HashKeys(const uint64_t* keys, size_t n, size_t, uint64_t seed, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashNumbers)(keys, n, seed, hashes);
}

}  // namespace linefilter
#endif  // HWY_ONCE
