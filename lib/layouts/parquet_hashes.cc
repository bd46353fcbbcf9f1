// The Parquet hashes of many integers at once. It lies here, because it asks for the chosen target.
//
// All values are of one length, so all take the same steps, and a vector takes them for 8 values (AVX-512) or 4 (AVX2).
// AVX-512 multiplies words of 64 bits in one instruction. AVX2 makes such a product of two of 32 bits and one that
// widens, which is still less than the words one by one. Older targets run plain code. The constants are those of the
// specification (linefilter/internal/xxh64.h).
#include <cstddef>
#include <cstdint>

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

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

constexpr size_t kLanes = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
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

// These three are MixXxh64, Xxh64Of8Bytes and Xxh64Of4Bytes of each word.
HWY_INLINE WordVec Mix(WordVec h) {
  h = Times(hn::Xor(h, hn::ShiftRight<33>(h)), internal::kXxh64Prime2);
  h = Times(hn::Xor(h, hn::ShiftRight<29>(h)), internal::kXxh64Prime3);
  return hn::Xor(h, hn::ShiftRight<32>(h));
}

HWY_INLINE WordVec Of8Bytes(WordVec values) {
  const WordVec lane = Times(RotateLeft<31>(Times(values, internal::kXxh64Prime2)), internal::kXxh64Prime1);
  const WordVec h = RotateLeft<27>(hn::Xor(lane, Words(internal::kXxh64Prime5 + 8)));
  return Mix(hn::Add(Times(h, internal::kXxh64Prime1), Words(internal::kXxh64Prime4)));
}

HWY_INLINE WordVec Of4Bytes(WordVec values) {
  const WordVec h = hn::Xor(Times(values, internal::kXxh64Prime1), Words(internal::kXxh64Prime5 + 4));
  return Mix(hn::Add(Times(RotateLeft<23>(h), internal::kXxh64Prime2), Words(internal::kXxh64Prime3)));
}

void HashWords(const uint64_t* keys, size_t n, uint64_t* hashes) {
  const WordTag d;
  size_t i = 0;
  for (; n - i >= kLanes; i += kLanes) hn::StoreU(Of8Bytes(hn::LoadU(d, keys + i)), d, hashes + i);
  for (; i < n; ++i) hashes[i] = internal::Xxh64Of8Bytes(keys[i]);
}

void HashHalfWords(const uint32_t* values, size_t n, uint64_t* hashes) {
  const WordTag d;
  const hn::CappedTag<uint32_t, kLanes> narrow;
  size_t i = 0;
  for (; n - i >= kLanes; i += kLanes) {
    hn::StoreU(Of4Bytes(hn::PromoteTo(d, hn::LoadU(narrow, values + i))), d, hashes + i);
  }
  for (; i < n; ++i) hashes[i] = internal::Xxh64Of4Bytes(values[i]);
}

#else

void HashWords(const uint64_t* keys, size_t n, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = internal::Xxh64Of8Bytes(keys[i]);
}

void HashHalfWords(const uint32_t* values, size_t n, uint64_t* hashes) {
  for (size_t i = 0; i < n; ++i) hashes[i] = internal::Xxh64Of4Bytes(values[i]);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter {
namespace {
LINEFILTER_TARGET_TABLE(HashWords);
LINEFILTER_TARGET_TABLE(HashHalfWords);
}  // namespace

void ParquetHashes(const uint64_t* keys, size_t n, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashWords)(keys, n, hashes);
}

void ParquetHashes(const uint32_t* values, size_t n, uint64_t* hashes) noexcept {
  LINEFILTER_DISPATCH(HashHalfWords)(values, n, hashes);
}

}  // namespace linefilter
#endif  // HWY_ONCE
