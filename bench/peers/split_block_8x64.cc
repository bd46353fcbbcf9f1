// The split block of a whole line: 8 words of 64 bits, one bit in each, k = 8 at any density. The multipliers are ours:
// the words of pi's fraction after those of `blocked`, made odd.
#include <cmath>

#include "bench/peers/own.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/split_block_8x64.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"

#ifndef LINEFILTER_BENCH_PEERS_SPLIT_BLOCK_8X64_ONCE_
#define LINEFILTER_BENCH_PEERS_SPLIT_BLOCK_8X64_ONCE_
namespace linefilter::bench {
alignas(64) inline constexpr uint64_t kWordMultipliers[8] = {0x9216d5d9, 0x8979fb1b, 0xd1310ba7, 0x98dfb5ad,
                                                             0x2ffd72db, 0xd01adfb7, 0xb8e1afed, 0x6a267e97};
}  // namespace linefilter::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

struct SplitBlock8x64 {
  static constexpr size_t kBlockBytes = 64;
  using Tag = hn::CappedTag<uint64_t, 8>;
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
  static HWY_INLINE bool Test(const OwnBody&, const uint8_t* block, uint64_t hash) {
    const Tag d;
    const uint64_t* const words = reinterpret_cast<const uint64_t*>(block);
    Vec missing = hn::Zero(d);
    for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(hn::Load(d, words + word), Mask(d, hash, word)));
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  static HWY_INLINE void Insert(const OwnBody&, uint8_t* block, uint64_t hash) {
    const Tag d;
    uint64_t* const words = reinterpret_cast<uint64_t*>(block);
    for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
      hn::Store(hn::Or(hn::Load(d, words + word), Mask(d, hash, word)), d, words + word);
    }
  }
};

const OwnCode* Code() { return OwnCodeOf<SplitBlock8x64>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Code);
Peer Peer_split_block_8x64() {
  return MakeOwnPeer({"split_block_8x64", "own implementation of a 512-bit split block of 8 words", 64,
                      [](double) -> uint32_t { return 8; },
                      [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 64.0, j), 8); },
                      [] { return HWY_DYNAMIC_DISPATCH(Code)(); }});
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
