// A block of 8 words of 64 bits, of which 6 bits of the hash each name one: the pattern of Boost.Bloom's
// fast_multiblock64 where it is compiled without AVX2, which then is plain code. Here it is compiled for the CPU that
// the whole program is compiled for, so on x86-64 beside the SCALAR (or SSE2) of our layouts. (Boost's own is the peer
// boost_bloom.)
//
// `multiblock64` ends at the first bit that is not set, which is Boost's default, and `multiblock64_branchless` asks
// for all. The fields come from the low end of the hash and the block from the high one. They meet above 2^16 blocks,
// so no larger body is made.
#include <cmath>

#include "bench/peers/own-inl.h"
#include "bench/peers/own.h"

namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

constexpr uint32_t kProbes = 8;

HWY_INLINE uint64_t WordAt(const uint8_t* block, size_t i) {
  uint64_t word;
  memcpy(&word, block + 8 * i, sizeof(word));
  return word;
}

template <bool kEndsEarly>
struct Multiblock {
  static constexpr size_t kBlockBytes = 64;

  static HWY_INLINE bool Test(const OwnBody&, const uint8_t* block, uint64_t hash) {
    uint64_t all = 1;
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 8
#endif
    for (size_t i = 0; i < kProbes; ++i, hash >>= 6) {
      const uint64_t bit = WordAt(block, i) >> (hash & 63);
      if (kEndsEarly && (bit & 1) == 0) return false;
      all &= bit;
    }
    return (all & 1) != 0;
  }
  static HWY_INLINE void Insert(const OwnBody&, uint8_t* block, uint64_t hash) {
    for (size_t i = 0; i < kProbes; ++i, hash >>= 6) {
      const uint64_t word = WordAt(block, i) | uint64_t{1} << (hash & 63);
      memcpy(block + 8 * i, &word, sizeof(word));
    }
  }
};

template <bool kEndsEarly>
Peer PeerOf(const char* name, const char* origin) {
  Peer peer = MakeOwnPeer({name,
                           origin,
                           64,
                           [](double) { return kProbes; },
                           [](uint32_t, double j) { return std::pow(1 - std::pow(1 - 1 / 64.0, j), kProbes); },
                           [] { return OwnCodeOf<Multiblock<kEndsEarly>>(); },
                           {hwy::TargetName(HWY_STATIC_TARGET)}});
  peer.max_bytes = uint64_t{64} << 16;
  peer.bits_for_fpr = nullptr;  // it is compared at the same bytes in cache
  return peer;
}

}  // namespace
}  // namespace HWY_NAMESPACE

std::vector<Peer> Peers_multiblock() {
  return {HWY_NAMESPACE::PeerOf<true>("multiblock64", "own implementation of the pattern of Boost's fast_multiblock64"),
          HWY_NAMESPACE::PeerOf<false>("multiblock64_branchless",
                                       "own implementation of the pattern of Boost's fast_multiblock64, branchless")};
}

}  // namespace linefilter::bench
