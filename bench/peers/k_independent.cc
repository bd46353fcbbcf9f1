// k independent bits in a 512-bit block, the scheme of RocksDB's FastLocalBloom (format_version 5; described in
// util/bloom_impl.h of RocksDB): probe i is at bit (x * M^(i + 1) mod 2^32) >> 23 of the block, M = the golden ratio.
// Here x is the in-block hash of `blocked`, so that only the pattern differs; RocksDB takes the low 32 bits of its
// hash. The words of all probes are fetched by one gather (k_independent) or picked from registers, which is faster
// (k_independent_permute).
#include <cmath>
#include <map>
#include <mutex>

#include "bench/peers/own.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/k_independent.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"

#ifndef LINEFILTER_BENCH_PEERS_K_INDEPENDENT_ONCE_
#define LINEFILTER_BENCH_PEERS_K_INDEPENDENT_ONCE_
namespace linefilter::bench {
inline constexpr uint32_t kMostProbes = 16;

struct Tables {
  alignas(64) uint32_t multipliers[kMostProbes];  // M^1, M^2, ...
  // 16 ones, then zeros: loaded so that k ones come first, they switch the probes that take part.
  uint32_t ones[2 * kMostProbes];
};

constexpr Tables MakeTables() {
  Tables tables{};
  uint32_t power = 1;
  for (uint32_t i = 0; i < kMostProbes; ++i) {
    power *= 0x9e3779b9u;
    tables.multipliers[i] = power;
    tables.ones[i] = 1;
  }
  return tables;
}
inline constexpr Tables kTables = MakeTables();
}  // namespace linefilter::bench
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

using Tag = hn::CappedTag<uint32_t, 16>;
using Vec = hn::Vec<Tag>;

// The words of the block that the top four bits of each position name: 8 (AVX2) or 16 (AVX-512) at once.
struct Gathered {
  static HWY_INLINE Vec WordsAt(Tag d, const uint32_t* block, Vec position) {
    return hn::GatherIndex(d, block, hn::BitCast(hn::RebindToSigned<Tag>(), hn::ShiftRight<28>(position)));
  }
  // One or two vectors hold all probes: a branch between them costs more than it saves (10 against 3 ns). Without
  // vectors (SCALAR) it goes bit by bit, and ends at the first that is not set.
  static HWY_INLINE bool EndsEarly(Tag d) { return hn::Lanes(d) < 8; }
};

// The whole block is one vector on AVX-512 (one permutation), two on AVX2 (two and a blend, as RocksDB does where it is
// compiled for AVX2).
struct Permuted {
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
  static HWY_INLINE bool EndsEarly(Tag) { return false; }
};

template <class Words>
struct Independent {
  static constexpr size_t kBlockBytes = 64;

  static HWY_INLINE bool Test(const OwnBody& body, const uint8_t* block, uint64_t hash) {
    const Tag d;
    const Vec x = hn::Set(d, InBlockHash(hash));
    const uint32_t* const ones = kTables.ones + kMostProbes - body.num_probes;
    Vec missing = hn::Zero(d);
    for (size_t i = 0; i < body.num_probes; i += hn::Lanes(d)) {
      const Vec position = hn::Mul(x, hn::Load(d, kTables.multipliers + i));
      const Vec words = Words::WordsAt(d, reinterpret_cast<const uint32_t*>(block), position);
      const Vec bit = hn::And(hn::ShiftRight<23>(position), hn::Set(d, 31));
      missing = hn::Or(missing, hn::AndNot(words, hn::Shl(hn::LoadU(d, ones + i), bit)));
      if (Words::EndsEarly(d) && !hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)))) return false;
    }
    return hn::AllTrue(d, hn::Eq(missing, hn::Zero(d)));
  }
  static HWY_INLINE void Insert(const OwnBody& body, uint8_t* block, uint64_t hash) {
    uint32_t* const words = reinterpret_cast<uint32_t*>(block);  // as lookups read them, on big-endian CPUs too
    for (uint32_t i = 0; i < body.num_probes; ++i) {
      const uint32_t bit = (InBlockHash(hash) * kTables.multipliers[i]) >> 23;
      words[bit >> 5] |= 1u << (bit & 31);
    }
  }
};

const OwnCode* GatheredCode() { return OwnCodeOf<Independent<Gathered>>(); }
const OwnCode* PermutedCode() { return OwnCodeOf<Independent<Permuted>>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(GatheredCode);
HWY_EXPORT(PermutedCode);

namespace {

// The rate of a block of j keys: of k bits thrown jk times into 512.
double BlockFpr(uint32_t num_probes, double j) {
  // The k-th moment of the block's fill: of its mean, and of its variance, without which 20 bits per key lack 4 %.
  const double throws = num_probes * j, m = 512, k = num_probes;
  const double unset = std::pow(1 - 1 / m, throws), both_unset = std::pow(1 - 2 / m, throws);
  const double variance = unset / m + (1 - 1 / m) * both_unset - unset * unset;
  const double fill = 1 - unset;
  return std::pow(fill, k) * (1 + k * (k - 1) / 2 * variance / (fill * fill));
}

uint32_t BestNumProbes(double bits_per_key) {
  uint32_t best = 1;
  double best_fpr = 1;
  for (uint32_t k = 1; k <= kMostProbes; ++k) {
    const double fpr = MeanOverLoads(512 / bits_per_key, k, BlockFpr);
    if (fpr < best_fpr) {
      best = k;
      best_fpr = fpr;
    }
  }
  return best;
}

// Remembered: a library would have a table, and building is timed.
uint32_t NumProbes(double bits_per_key) {
  static std::mutex mutex;
  static std::map<double, uint32_t> known;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(bits_per_key);
  return found != known.end() ? found->second : known[bits_per_key] = BestNumProbes(bits_per_key);
}

}  // namespace

std::vector<Peer> Peers_k_independent() {
  std::vector<std::string> with_avx;  // fewer lanes need four or more permutations
  for (const std::string& target : OwnTargets()) {
    if (target.find("AVX") == 0) with_avx.push_back(target);
  }
  std::vector<Peer> peers = {
      MakeOwnPeer({"k_independent",
                   "own implementation of k independent bits (the pattern of RocksDB's FastLocalBloom), by gather", 64,
                   NumProbes, BlockFpr, [] { return HWY_DYNAMIC_DISPATCH(GatheredCode)(); }, OwnTargets()}),
      MakeOwnPeer({"k_independent_permute", "own implementation of k independent bits, by permutation", 64, NumProbes,
                   BlockFpr, [] { return HWY_DYNAMIC_DISPATCH(PermutedCode)(); }, with_avx})};
  peers[1].has_bits_of_another = true;
  return peers;
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
