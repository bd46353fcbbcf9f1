// Lookups of some keys of the layout `quotient` at once, one per lane of 64 bits: eight on AVX-512, four on AVX2.
//
// Idea: each step of TestQuotientBlock (linefilter/internal/test_quotient_block.h) is done for all keys. A vector has
// no PDEP, so a run is found by counting bits: the byte where it begins, then the bit. Here a run of more than four
// entries is rare, too. So a nibble tells its length, and two shifts repeat a remainder. On AVX2 a key is rare that has
// its run behind entry 59, and all four are asked once more. AVX-512 looks at 124 entries always.
//
// Each step waits for the last one. So two vectors take each step together: 3.7 in place of 4.1 ns on AVX-512, 4.6 in
// place of 5.0 on AVX2, per key of a batch in 24 KB at 10 bits per key on Zen 4.
//
// Rejected, ns per key of a batch in 24 KB at 10 bits per key on Zen 5:
// - windows by a gather: AVX-512 2.5 in place of 1.8, AVX2 4.2 in place of 3.9
// - 124 entries always: AVX2 4.2 in place of 3.6 (but 4.2 in place of 5.4 at 8 bits per key)
// - 60 entries: AVX-512 2.7 in place of 2.5 where half of the keys are members
// - runs of eight entries: AVX2 4.9 in place of 4.2
// - the lowest bits of remainders from a table: AVX-512 as fast, AVX2 5.6 in place of 4.2

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/blocks/block_loops-inl.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/key_vectors-inl.h"
#include "linefilter/hash.h"
#include "linefilter/internal/test_quotient_block.h"

#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_ONCE_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_ONCE_
#if defined(__GNUC__) && !defined(__clang__)
#define LINEFILTER_UNROLL_KEYS _Pragma("GCC unroll 4")
#else
#define LINEFILTER_UNROLL_KEYS
#endif
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE bool TestQuotient(const uint8_t* block, uint32_t x) {
  return TestQuotientBlock(block, x, [=] { return internal::BlockMayContain(block, internal::QuotientOf(x)); });
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2

// Keys are asked by so many vectors together.
inline constexpr size_t kVectors = 2;
// Whether all keys are asked by what knows of 124 entries, in place of 60.
inline constexpr bool kOftenInTwo = HWY_TARGET <= HWY_AVX3;

// By the next four begins of runs: how many entries the run has. 0 is for more than four.
alignas(16) inline constexpr uint8_t kSizeOfRun[16] = {0, 1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1};

// Where runs begin in a word, and what follows: bit i is the begin i + 1 behind.
struct Begins {
  KeyVec at, later;
};

// Finds the begin of that number in each word. Where there is none, `later` is 0.
HWY_INLINE Begins FindBegins(KeyVec begins, KeyVec number) {
  const KeyVec counts = SumUpToBytes(CountBitsOfBytes(begins));
  const KeyVec shift = SumOfBytesUpTo(SpreadLowestByte(number), counts, 8);
  const KeyVec byte = SpreadLowestByte(hn::Shr(begins, shift));
  const KeyVec number_in_byte = SpreadLowestByte(hn::Sub(number, hn::Shr(hn::ShiftLeft<8>(counts), shift)));
  const KeyVec up_to_bits = CountBitsOfBytes(hn::And(byte, SetKeys(0xFF7F3F1F0F070301)));
  const KeyVec at = hn::Add(shift, SumOfBytesUpTo(number_in_byte, up_to_bits, 1));
  return {at, hn::ShiftRight<1>(hn::Shr(begins, at))};  // what is shifted by 64 or more is 0
}
// The same with another word behind the first 60 bits.
HWY_INLINE Begins FindBeginsInTwo(KeyVec first, KeyVec second, KeyVec number) {
  const KeyVec num_first = CountBits(first);
  const auto in_first = IsLess(number, num_first);
  const Begins found =
      FindBegins(hn::IfThenElse(in_first, first, second), hn::Sub(number, ZeroWhere(in_first, num_first)));
  const KeyVec at = hn::Add(found.at, ZeroWhere(in_first, SetKeys(60)));
  return {at, hn::Or(found.later, hn::Shl(second, hn::Sub(SetKeys(59), at)))};
}

// The keys of a vector in their blocks, as far as that waits for no other step.
struct Asked {
  KeyVec q;              // QuotientOf
  KeyVec up_to_bucket;   // the key's bucket as the sign, and those below it behind
  KeyVec number;         // of the run, if there is one
  KeyVec first, second;  // begins of runs: of 60 entries, and of those behind
  KeyVec num_long, dropped;
};
HWY_INLINE Asked Load(const uint8_t* const* blocks, const uint64_t* HWY_RESTRICT hashes) {
  const KeyTag d;
  KeyVec even, odd;
  LoadPairs(blocks, 0, &even, &odd);
  const KeyVec buckets = hn::InterleaveLower(d, even, odd), fields = hn::InterleaveUpper(d, even, odd);
  LoadPairs(blocks, 9, &even, &odd);
  const KeyVec header = hn::InterleaveLower(d, even, odd), second = hn::InterleaveUpper(d, even, odd);

  const KeyVec hash = hn::LoadU(d, hashes), folded = hn::Xor(hash, hn::ShiftRight<32>(hash));
  const auto products =
      hn::Mul(hn::BitCast(HalfTag(), folded), hn::BitCast(HalfTag(), SetKeys(internal::kQuotientMultiplier)));
  const KeyVec q = hn::BitCast(d, products);  // the upper halves are 0
  const KeyVec up_to_bucket = hn::Shl(buckets, hn::Xor(hn::ShiftRight<26>(q), SetKeys(63)));
  const KeyVec number = CountBits(hn::Add(up_to_bucket, up_to_bucket));
  const KeyVec first = hn::Or(hn::ShiftRight<4>(header), SetKeys(1));
  return {q, up_to_bucket, number, first, second, hn::And(fields, SetKeys(255)), hn::And(header, SetKeys(31))};
}

// The bits of each run: where the lowest one is, how many there are, and the byte where a word with them begins.
struct Run {
  KeyVec width, bits, lowest, byte;
};
HWY_INLINE Run Place(const Asked& asked, const Begins& found) {
  const KeyVec size = LookUp(kSizeOfRun, hn::And(found.later, SetKeys(15))), end = hn::Add(found.at, size);
  const auto is_short = IsLess(asked.num_long, end);
  const KeyVec width = OneLessWhere(is_short, hn::Sub(SetKeys(27), asked.dropped)), bits = MulHalves(size, width);
  const KeyVec taken = hn::Add(MulHalves(end, width), hn::IfThenElseZero(is_short, asked.num_long));
  const KeyVec lowest = hn::Sub(SetKeys(512), taken);
  return {width, bits, lowest, MinOfHalves(hn::ShiftRight<3>(lowest), SetKeys(56))};
}

// Answers for kKeys keys, a bit each, and those that it does not know.
struct Answers {
  uint32_t maybe, rare;
};
// Compares the remainder with all of the run in the words that begin at its bytes.
HWY_INLINE Answers Compare(const Asked& asked, const Run& run, KeyVec words) {
  const KeyVec one = SetKeys(1), all = SetKeys(~uint64_t{0}), width = run.width, two_widths = hn::Add(width, width);
  const KeyVec window = hn::Shr(words, hn::Sub(run.lowest, hn::ShiftLeft<3>(run.byte)));
  const KeyVec twice = hn::And(hn::Add(asked.q, asked.q), SetKeys(internal::kTwiceRemainder));
  const KeyVec remainder = hn::Shr(twice, hn::Sub(SetKeys(27), width));
  const auto repeat = [&](KeyVec v) HWY_ATTR {
    v = hn::Or(v, hn::Shl(v, width));
    return hn::Or(v, hn::Shl(v, two_widths));
  };
  const KeyVec ones = repeat(one);
  const KeyVec differs = hn::Or(hn::Xor(window, repeat(remainder)), hn::Shl(all, run.bits));
  const KeyVec borrowed = hn::AndNot(differs, hn::And(hn::Sub(differs, ones), hn::Shl(ones, hn::Add(width, all))));

  const KeyVec is_rare =  // the sign
      hn::Or(hn::Or(hn::Add(run.bits, all), hn::Sub(SetKeys(57), run.bits)), run.lowest);
  return {SignsOf(asked.up_to_bucket) & ~BitsOf(hn::Eq(borrowed, hn::Zero(KeyTag()))),
          SignsOf(hn::And(asked.up_to_bucket, is_rare))};
}

// Asks for num_vectors times kKeys keys. Each step is done for all vectors before the next one.
template <bool kInTwo, size_t num_vectors>
HWY_INLINE void TestMost(const uint8_t* const* blocks, const uint64_t* HWY_RESTRICT hashes, Answers* answers) {
  Asked asked[num_vectors];
  Run runs[num_vectors];
  KeyVec words[num_vectors];
  LINEFILTER_UNROLL_KEYS
  for (size_t v = 0; v < num_vectors; ++v) asked[v] = Load(blocks + v * kKeys, hashes + v * kKeys);
  LINEFILTER_UNROLL_KEYS
  for (size_t v = 0; v < num_vectors; ++v) {
    const Asked& a = asked[v];
    runs[v] = Place(a, kInTwo ? FindBeginsInTwo(a.first, a.second, a.number) : FindBegins(a.first, a.number));
  }
  LINEFILTER_UNROLL_KEYS
  for (size_t v = 0; v < num_vectors; ++v) words[v] = LoadWindows(blocks + v * kKeys, runs[v].byte);
  LINEFILTER_UNROLL_KEYS
  for (size_t v = 0; v < num_vectors; ++v) answers[v] = Compare(asked[v], runs[v], words[v]);
}

// Answers for those keys, too, of which TestMost does not know.
HWY_NOINLINE uint32_t TestAll(Answers answers, const uint8_t* const* blocks, const uint64_t* HWY_RESTRICT hashes) {
  if constexpr (!kOftenInTwo) TestMost<true, 1>(blocks, hashes, &answers);
  uint32_t maybe = answers.maybe & ~answers.rare;
  for (uint32_t rare = answers.rare; rare != 0; rare &= rare - 1) {
    const uint32_t key = static_cast<uint32_t>(__builtin_ctz(rare)), q = internal::QuotientOf(InBlockHash(hashes[key]));
    maybe |= uint32_t{internal::BlockMayContain(blocks[key], q)} << key;
  }
  return maybe;
}

// A bit for each of kVectors times kKeys keys. It is one function for all loops over a batch: in each of them it would
// be 30 KB of a program that reads images. (Inlined, AVX2 takes 0.3 ns less at 24 KB on Zen 4.)
HWY_NOINLINE uint32_t TestGroup(const uint8_t* const* blocks, const uint64_t* HWY_RESTRICT hashes) {
  Answers answers[kVectors];
  TestMost<kOftenInTwo, kVectors>(blocks, hashes, answers);
  uint32_t maybe = 0;
  LINEFILTER_UNROLL_KEYS
  for (size_t v = 0; v < kVectors; ++v) {
    const bool all_known = HWY_LIKELY(answers[v].rare == 0);
    maybe |= (all_known ? answers[v].maybe : TestAll(answers[v], blocks + v * kKeys, hashes + v * kKeys)) << v * kKeys;
  }
  return maybe;
}

// Calls block_of(j) for each of kVectors times kKeys keys, and gives done the answers.
template <class BlockOfKey, class Done>
HWY_INLINE void TestQuotientGroup(const uint64_t* HWY_RESTRICT hashes, const BlockOfKey& block_of, const Done& done) {
  const uint8_t* blocks[kVectors * kKeys];
  LINEFILTER_UNROLL_KEYS
  for (size_t j = 0; j < kVectors * kKeys; ++j) {
    const uint8_t* block = block_of(j);
#if defined(__GNUC__)
    __asm__("" : "+r"(block));  // else g++ 12 makes addresses in vectors and takes them out again
#endif
    blocks[j] = block;
  }
  static_assert(kVectors == 2, "BytesOf is of two");
  done.PutBytes(BytesOf(TestGroup(blocks, hashes)));
}

#else

inline constexpr size_t kVectors = 1, kKeys = kTogether;

template <class BlockOfKey, class Done>
HWY_INLINE void TestQuotientGroup(const uint64_t* HWY_RESTRICT hashes, const BlockOfKey& block_of, const Done& done) {
  for (size_t j = 0; j < kTogether; ++j) done(j, TestQuotient(block_of(j), InBlockHash(hashes[j])));
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_LOOKUPS_INL_H_
