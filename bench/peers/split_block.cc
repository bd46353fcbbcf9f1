// A split block has 8 words, and a key one bit in each: k = 8 at any density.
//
// split_block_256 is the filter of Impala and Parquet (Parquet's BloomFilter.md; Apple 2023, arXiv 2101.01719), with
// words of 32 bits. The salts are those of the specification, and so are the low 32 bits of the hash: a filter over one
// shard of hash % 16 has more false positives. split_block_8x64 takes a whole line, with words of 64 bits. The
// multipliers are ours: the words of pi's fraction after those of `blocked`, made odd.
//
// multiblock_256 is the block of Boost.Bloom (fast_multiblock32<8>, Boost 1.89) by its documents. The hash is
// multiplied once more, and words 2 i and 2 i + 1 take the halves of the product, shifted by 5 i bits. It stands in for
// it where there is no Boost so new (bench/peers/boost_bloom.cc).
//
// impala_split_block is the first one with Impala's test of a whole block: one instruction tells whether a vector of
// 256 bits has all bits of another. Impala asks a key at a time; here it has our look-ahead, too.
#include <cmath>

#include "bench/peers/own.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/split_block.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"

#ifndef LINEFILTER_BENCH_PEERS_SPLIT_BLOCK_ONCE_
#define LINEFILTER_BENCH_PEERS_SPLIT_BLOCK_ONCE_
namespace linefilter::bench {
alignas(32) inline constexpr uint32_t kSplitBlockSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                             0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
alignas(64) inline constexpr uint64_t kWordMultipliers[8] = {0x9216d5d9, 0x8979fb1b, 0xd1310ba7, 0x98dfb5ad,
                                                             0x2ffd72db, 0xd01adfb7, 0xb8e1afed, 0x6a267e97};
inline constexpr uint64_t kMultiblockMultiplier = 0xf1357aea2e62a9c5;  // Steele and Vigna, arXiv 2001.05304
alignas(32) inline constexpr uint64_t kMultiblockShifts[4] = {0, 5, 10, 15};
}  // namespace linefilter::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

template <bool kAtOnce>
struct Words32 {
  static constexpr bool kTestsAtOnce = kAtOnce;
  using Word = uint32_t;
  using Tag = hn::CappedTag<Word, 8>;
  using Vec = hn::Vec<Tag>;

  static HWY_INLINE Vec Mask(Tag d, uint64_t hash, size_t word) {
    const Vec product = hn::Mul(hn::Set(d, static_cast<uint32_t>(hash)), hn::Load(d, kSplitBlockSalts + word));
    return hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
  }
};

struct Words64 {
  static constexpr bool kTestsAtOnce = false;
  using Word = uint64_t;
  using Tag = hn::CappedTag<Word, 8>;
  using Vec = hn::Vec<Tag>;

  // Bits 26..31 of the 32-bit product say which bit.
  static HWY_INLINE Vec Mask(Tag d, uint64_t hash, size_t word) {
#if HWY_TARGET == HWY_SCALAR
    const Vec product = hn::Set(d, uint64_t{InBlockHash(hash)} * kWordMultipliers[word]);
#else
    const hn::Repartition<uint32_t, Tag> d32;
    const Vec product =
        hn::MulEven(hn::Set(d32, InBlockHash(hash)), hn::BitCast(d32, hn::Load(d, kWordMultipliers + word)));
#endif
    return hn::Shl(hn::Set(d, 1), hn::And(hn::ShiftRight<26>(product), hn::Set(d, 63)));
  }
};

struct Halves32 {
  static constexpr bool kTestsAtOnce = true;
  using Word = uint32_t;
  using Tag = hn::CappedTag<Word, 8>;
  using Vec = hn::Vec<Tag>;

  static HWY_INLINE Vec Mask(Tag d, uint64_t hash, size_t word) {
    const uint64_t product = (hash | 1) * kMultiblockMultiplier;
#if HWY_TARGET == HWY_SCALAR
    const Vec bits = hn::Set(d, static_cast<uint32_t>(product << (5 * (word / 2)) >> (32 * (word % 2))));
#else
    const hn::Repartition<uint64_t, Tag> d64;
    const Vec bits = hn::BitCast(d, hn::Shl(hn::Set(d64, product), hn::Load(d64, kMultiblockShifts + word / 2)));
#endif
    return hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(bits));
  }
};

template <class Words>
struct SplitBlock {
  using Word = typename Words::Word;
  using Tag = typename Words::Tag;
  using Vec = typename Words::Vec;
  static constexpr size_t kBlockBytes = 8 * sizeof(Word);

  static HWY_INLINE bool Test(const OwnBody&, const uint8_t* block, uint64_t hash) {
    const Tag d;
    const Word* const words = reinterpret_cast<const Word*>(block);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    if constexpr (Words::kTestsAtOnce) {
      return _mm256_testc_si256(hn::Load(d, words).raw, Words::Mask(d, hash, 0).raw) != 0;
    }
#endif
    Vec missing = hn::Zero(d);
    for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(hn::Load(d, words + word), Words::Mask(d, hash, word)));
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  static HWY_INLINE void Insert(const OwnBody&, uint8_t* block, uint64_t hash) {
    const Tag d;
    Word* const words = reinterpret_cast<Word*>(block);
    for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
      hn::Store(hn::Or(hn::Load(d, words + word), Words::Mask(d, hash, word)), d, words + word);
    }
  }
};

const OwnCode* Code32() { return OwnCodeOf<SplitBlock<Words32<false>>>(); }
const OwnCode* CodeOfImpala() { return OwnCodeOf<SplitBlock<Words32<true>>>(); }
const OwnCode* CodeOfHalves() { return OwnCodeOf<SplitBlock<Halves32>>(); }
const OwnCode* Code64() { return OwnCodeOf<SplitBlock<Words64>>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Code32);
HWY_EXPORT(CodeOfImpala);
HWY_EXPORT(CodeOfHalves);
HWY_EXPORT(Code64);

std::vector<Peer> Peers_split_block() {
  const auto num_probes = [](double) -> uint32_t { return 8; };
  std::vector<Peer> peers = {
      MakeOwnPeer({"split_block_256", "own implementation of the 256-bit split block (Impala, Parquet)", 32, num_probes,
                   [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 32.0, j), 8); },
                   [] { return HWY_DYNAMIC_DISPATCH(Code32)(); }, OwnTargets()}),
      MakeOwnPeer({"multiblock_256", "own implementation of the 256-bit block of Boost.Bloom (fast_multiblock32)", 32,
                   num_probes, [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 32.0, j), 8); },
                   [] { return HWY_DYNAMIC_DISPATCH(CodeOfHalves)(); }, OwnTargets()}),
      MakeOwnPeer({"split_block_8x64", "own implementation of a 512-bit split block of 8 words", 64, num_probes,
                   [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 64.0, j), 8); },
                   [] { return HWY_DYNAMIC_DISPATCH(Code64)(); }, OwnTargets()}),
      MakeOwnPeer({"impala_split_block", "own implementation of the 256-bit split block as Impala tests it", 32,
                   num_probes, [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 32.0, j), 8); },
                   [] { return HWY_DYNAMIC_DISPATCH(CodeOfImpala)(); }, OwnTargets()})};
  // It differs from the first in cache alone, and has its rates.
  peers[1].max_bytes = uint64_t{8} << 20;
  peers[1].bits_for_fpr = nullptr;
  peers[3].bits_for_fpr = nullptr;
  return peers;
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
