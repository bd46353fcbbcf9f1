// The 256-bit split block filter of Impala and Parquet (Parquet's BloomFilter.md; Apple 2023, arXiv 2101.01719): 8
// words of 32 bits, one bit in each, k = 8 at any density. The salts are those of the specification, and so are the low
// 32 bits of the hash: a filter over one shard of hash % 16 has more false positives.
#include <cmath>

#include "bench/peers/own.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/split_block_256.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"

#ifndef LINEFILTER_BENCH_PEERS_SPLIT_BLOCK_256_ONCE_
#define LINEFILTER_BENCH_PEERS_SPLIT_BLOCK_256_ONCE_
namespace linefilter::bench {
alignas(32) inline constexpr uint32_t kSplitBlockSalts[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                                             0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
}  // namespace linefilter::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

struct SplitBlock256 {
  static constexpr size_t kBlockBytes = 32;
  using Tag = hn::CappedTag<uint32_t, 8>;
  using Vec = hn::Vec<Tag>;

  static HWY_INLINE Vec Mask(Tag d, uint64_t hash, size_t word) {
    const Vec product = hn::Mul(hn::Set(d, static_cast<uint32_t>(hash)), hn::Load(d, kSplitBlockSalts + word));
    return hn::Shl(hn::Set(d, 1), hn::ShiftRight<27>(product));
  }
  static HWY_INLINE bool Test(const OwnBody&, const uint8_t* block, uint64_t hash) {
    const Tag d;
    const uint32_t* const words = reinterpret_cast<const uint32_t*>(block);
    Vec missing = hn::Zero(d);
    for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
      missing = hn::Or(missing, hn::AndNot(hn::Load(d, words + word), Mask(d, hash, word)));
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  static HWY_INLINE void Insert(const OwnBody&, uint8_t* block, uint64_t hash) {
    const Tag d;
    uint32_t* const words = reinterpret_cast<uint32_t*>(block);
    for (size_t word = 0; word < 8; word += hn::Lanes(d)) {
      hn::Store(hn::Or(hn::Load(d, words + word), Mask(d, hash, word)), d, words + word);
    }
  }
};

const OwnCode* Code() { return OwnCodeOf<SplitBlock256>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Code);
Peer Peer_split_block_256() {
  return MakeOwnPeer({"split_block_256", "own implementation of the 256-bit split block (Impala, Parquet)", 32,
                      [](double) -> uint32_t { return 8; },
                      [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 32.0, j), 8); },
                      [] { return HWY_DYNAMIC_DISPATCH(Code)(); }});
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
