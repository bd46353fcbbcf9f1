// k independent bits (independent.h), the words of all probes picked from registers: the whole block is one vector on
// AVX-512 (one permutation), two on AVX2 (two and a blend, as RocksDB does where it is compiled for AVX2). Faster than
// the gather.
#include "bench/peers/independent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/k_independent_permute.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

struct Permuted {
  static constexpr size_t kBlockBytes = 64;
  using Tag = hn::CappedTag<uint32_t, 16>;
  using Vec = hn::Vec<Tag>;

  // The words of the block that the top four bits of each position name.
  static HWY_INLINE Vec WordsAt(Tag d, const uint32_t* block, Vec position) {
    const size_t lanes = hn::Lanes(d);
    const Vec word = hn::ShiftRight<28>(position);
    const auto within = hn::IndicesFromVec(d, hn::And(word, hn::Set(d, static_cast<uint32_t>(lanes - 1))));
    Vec words = hn::TableLookupLanes(hn::Load(d, block), within);
    for (size_t first = lanes; first < 16; first += lanes) {
      // On AVX2 this is one comparison with 8: as fast as blending by the sign.
      const auto here = hn::TableLookupLanes(hn::Load(d, block + first), within);
      words = hn::IfThenElse(hn::Gt(word, hn::Set(d, static_cast<uint32_t>(first - 1))), here, words);
    }
    return words;
  }

  static HWY_INLINE bool Test(const OwnBody& body, const uint8_t* block, uint64_t hash) {
    const Tag d;
    const Vec x = hn::Set(d, InBlockHash(hash));
    const uint32_t* const ones = kIndependentTables.ones + 16 - body.num_probes;
    Vec missing = hn::Zero(d);
    for (size_t i = 0; i < body.num_probes; i += hn::Lanes(d)) {
      const Vec position = hn::Mul(x, hn::Load(d, kIndependentTables.multipliers + i));
      const Vec words = WordsAt(d, reinterpret_cast<const uint32_t*>(block), position);
      const Vec bit = hn::And(hn::ShiftRight<23>(position), hn::Set(d, 31));
      missing = hn::Or(missing, hn::AndNot(words, hn::Shl(hn::LoadU(d, ones + i), bit)));
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  static HWY_INLINE void Insert(const OwnBody& body, uint8_t* block, uint64_t hash) {
    InsertIndependent(block, body.num_probes, InBlockHash(hash));
  }
};

const OwnCode* Code() { return OwnCodeOf<Permuted>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Code);
Peer Peer_k_independent_permute() {
  std::vector<std::string> targets;  // fewer lanes need four or more permutations
  for (const std::string& target : OwnTargets()) {
    if (target.find("AVX") == 0) targets.push_back(target);
  }
  Peer peer =
      MakeOwnPeer({"k_independent_permute", "own implementation of k independent bits, by permutation", 64,
                   IndependentNumProbes, IndependentBlockFpr, [] { return HWY_DYNAMIC_DISPATCH(Code)(); }, targets});
  peer.has_bits_of_another = true;
  return peer;
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
