// k independent bits (independent.h), the words of all probes fetched by one gather of 8 (AVX2) or 16 (AVX-512).
// Without vectors (SCALAR) bit by bit, ending at the first that is not set.
#include "bench/peers/independent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/k_independent.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

struct Gathered {
  static constexpr size_t kBlockBytes = 64;

  static HWY_INLINE bool Test(const OwnBody& body, const uint8_t* block, uint64_t hash) {
    using Tag = hn::CappedTag<uint32_t, 16>;
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    const auto x = hn::Set(d, InBlockHash(hash));
    const uint32_t* const ones = kIndependentTables.ones + 16 - body.num_probes;
    auto missing = hn::Zero(d);
    for (size_t i = 0; i < body.num_probes; i += hn::Lanes(d)) {
      const auto position = hn::Mul(x, hn::Load(d, kIndependentTables.multipliers + i));
      const auto words =
          hn::GatherIndex(d, reinterpret_cast<const uint32_t*>(block), hn::BitCast(di, hn::ShiftRight<28>(position)));
      const auto bit = hn::And(hn::ShiftRight<23>(position), hn::Set(d, 31));
      missing = hn::Or(missing, hn::AndNot(words, hn::Shl(hn::LoadU(d, ones + i), bit)));
      // One or two vectors hold all probes: a branch between them costs more than it saves (10 against 3 ns).
      if (hn::Lanes(d) < 8 && !hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)))) return false;
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  static HWY_INLINE void Insert(const OwnBody& body, uint8_t* block, uint64_t hash) {
    InsertIndependent(block, body.num_probes, InBlockHash(hash));
  }
};

const OwnCode* Code() { return OwnCodeOf<Gathered>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Code);
Peer Peer_k_independent() {
  return MakeOwnPeer({"k_independent",
                      "own implementation of k independent bits (the pattern of RocksDB's FastLocalBloom), by gather",
                      64, IndependentNumProbes, IndependentBlockFpr, [] { return HWY_DYNAMIC_DISPATCH(Code)(); }});
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
