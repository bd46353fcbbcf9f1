// Lookups in a cuckoo filter (cuckoo.h), once per SIMD target: keys by the loops of all peers, and batches.
//
// On AVX-512 and AVX2 eight or four keys lie across the lanes of a vector: both places are computed at once, and two
// gathers read them. Elsewhere it is a key at a time by words. In 24 KB on Zen 5 with 12 bits these take 0.7, 1.0
// and 1.9 ns. Rejected: loads that are put together without a gather (0.95 instead of 1.0 of the time in 24 KB, 1.3 in
// 8 MB).

// Included once per target (hwy/foreach_target.h), hence the toggling guard.
#if defined(LINEFILTER_BENCH_PEERS_CUCKOO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_BENCH_PEERS_CUCKOO_INL_H_
#undef LINEFILTER_BENCH_PEERS_CUCKOO_INL_H_
#else
#define LINEFILTER_BENCH_PEERS_CUCKOO_INL_H_
#endif

#include "bench/peers/cuckoo.h"
#include "bench/peers/own-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {

// So many keys at once. Their places are numbers of bytes, so that a ring can keep them.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
template <int kBits>
class CuckooKeys {
  using Tag = hn::CappedTag<uint64_t, 8>;
  using Vec = hn::Vec<Tag>;
  using Table = CuckooTable<kBits>;

 public:
  static constexpr size_t kKeys = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
  struct Places {
    alignas(64) uint64_t first[kKeys], second[kKeys];
  };

  explicit CuckooKeys(const Table& table)
      : buckets_(reinterpret_cast<const uint64_t*>(table.buckets)), num_buckets_(hn::Set(Tag(), table.num_buckets)) {}

  HWY_INLINE void Find(const uint64_t* hashes, Places* places) const {
    const Tag d;
    Vec first, second;
    FindBuckets(hn::LoadU(d, hashes), &first, &second);
    hn::Store(first, d, places->first);
    hn::Store(second, d, places->second);
  }
  HWY_INLINE void Answer(const uint64_t* hashes, const Places& places, uint8_t* answers) const {
    const Tag d;
    AnswerAt(hn::LoadU(d, hashes), hn::Load(d, places.first), hn::Load(d, places.second), answers);
  }
  HWY_INLINE void Answer(const uint64_t* hashes, uint8_t* answers) const {
    const Vec loaded = hn::LoadU(Tag(), hashes);
    Vec first, second;
    FindBuckets(loaded, &first, &second);
    AnswerAt(loaded, first, second, answers);
  }

 private:
  static HWY_INLINE Vec HighOfProduct(Vec a, Vec b) {
    const hn::Repartition<uint32_t, Tag> d32;
    return hn::ShiftRight<32>(hn::MulEven(hn::BitCast(d32, a), hn::BitCast(d32, b)));
  }
  static HWY_INLINE Vec FingerprintsOf(Vec hashes) {
    const Tag d;
    const Vec fingerprints = hn::And(hashes, hn::Set(d, Table::kSlotMask));
    return hn::IfThenElse(hn::Eq(fingerprints, hn::Zero(d)), hn::Set(d, 1), fingerprints);
  }
  static HWY_INLINE Vec BytesAt(Vec buckets) {
    if constexpr (Table::kBucketBytes == 8) return hn::ShiftLeft<3>(buckets);
    return hn::Add(hn::ShiftLeft<2>(buckets), hn::ShiftLeft<1>(buckets));
  }
  HWY_INLINE void FindBuckets(Vec hashes, Vec* first, Vec* second) const {
    static_assert(Table::kBucketBytes == 6 || Table::kBucketBytes == 8);
    const Tag d;
    const hn::Repartition<uint32_t, Tag> d32;
    const hn::RebindToSigned<Tag> di;
    const Vec bucket = HighOfProduct(hn::ShiftRight<32>(hashes), num_buckets_);
    const Vec mixed = hn::MulEven(hn::BitCast(d32, FingerprintsOf(hashes)), hn::Set(d32, Table::kMultiplier));
    const Vec other = hn::Sub(HighOfProduct(mixed, num_buckets_), bucket);
    const Vec is_negative = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(di, other)));
    *first = BytesAt(bucket);
    *second = BytesAt(hn::Add(other, hn::And(is_negative, num_buckets_)));
  }
  // Only the high bits of the slots count.
  static HWY_INLINE Vec Zeros(Vec slots) { return hn::AndNot(slots, hn::Sub(slots, hn::Set(Tag(), Table::kLowBits))); }
  HWY_INLINE void AnswerAt(Vec hashes, Vec first, Vec second, uint8_t* answers) const {
    const Tag d;
    const hn::RebindToSigned<Tag> di;
    Vec wanted = FingerprintsOf(hashes);
    wanted = hn::Or(wanted, hn::ShiftLeft<kBits>(wanted));
    wanted = hn::Or(wanted, hn::ShiftLeft<2 * kBits>(wanted));
    const Vec in_first = hn::Xor(hn::GatherOffset(d, buckets_, hn::BitCast(di, first)), wanted);
    const Vec in_second = hn::Xor(hn::GatherOffset(d, buckets_, hn::BitCast(di, second)), wanted);
    Vec found;
    if constexpr (kBits == 16) {
      const hn::Repartition<uint16_t, Tag> d16;
      found = Zeros(hn::BitCast(d, hn::Min(hn::BitCast(d16, in_first), hn::BitCast(d16, in_second))));
    } else {
      found = hn::Or(Zeros(in_first), Zeros(in_second));
    }
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Ne(hn::And(found, hn::Set(d, Table::kHighBits)), hn::Zero(d)), bits);
    // Bit i of a byte to byte i: each byte takes its bit, and becomes 1 if it has it.
    uint64_t bytes = (bits[0] * uint64_t{0x0101010101010101}) & uint64_t{0x8040201008040201};
    bytes = ((bytes + uint64_t{0x7f7f7f7f7f7f7f7f}) >> 7) & uint64_t{0x0101010101010101};
    memcpy(answers, &bytes, kKeys);
  }

  const uint64_t* buckets_;
  Vec num_buckets_;
};
#else
template <int kBits>
class CuckooKeys {
  using Table = CuckooTable<kBits>;

 public:
  static constexpr size_t kKeys = 1;
  struct Places {
    uint64_t first[kKeys], second[kKeys];
  };

  explicit CuckooKeys(const Table& table) : table_(table) {}

  HWY_INLINE void Find(const uint64_t* hashes, Places* places) const {
    const uint64_t bucket = table_.FirstOf(*hashes);
    places->first[0] = Table::kBucketBytes * bucket;
    places->second[0] = Table::kBucketBytes * table_.OtherOf(bucket, Table::FingerprintOf(*hashes));
  }
  HWY_INLINE void Answer(const uint64_t* hashes, const Places& places, uint8_t* answers) const {
    const uint64_t wanted = Table::FingerprintOf(*hashes) * Table::kLowBits;
    *answers = (Table::Zeros(table_.LoadAt(places.first[0]) ^ wanted) |
                Table::Zeros(table_.LoadAt(places.second[0]) ^ wanted)) != 0;
  }
  HWY_INLINE void Answer(const uint64_t* hashes, uint8_t* answers) const { *answers = table_.MayContain(*hashes); }

 private:
  Table table_;
};
#endif

// Up to 16 MB the CPU overlaps the reads by itself: prefetching took 2.0 instead of 1.3 ns in 8 MB, 2.2 instead of 1.7
// in 16 MB, but 3.3 instead of 6.3 in 32 MB (AVX-512, Zen 5, 12 bits). Above, 96 keys are under way as in our own
// batches: 32 / 64 / 96 take 8.3 / 7.3 / 7.1 ns at 512 MB.
template <int kBits>
void CuckooBatch(const CuckooTable<kBits>& table, const uint64_t* hashes, size_t n, uint8_t* answers) {
  constexpr uint64_t kPlainLoopBytes = uint64_t{16} << 20;
  using AtOnce = CuckooKeys<kBits>;
  constexpr size_t kKeys = AtOnce::kKeys, kRing = 96 / kKeys;
  const AtOnce keys(table);
  const size_t groups = n / kKeys;
  if (table.num_buckets * table.kBucketBytes <= kPlainLoopBytes) {
    for (size_t i = 0; i < groups; ++i) keys.Answer(hashes + kKeys * i, answers + kKeys * i);
  } else {
    typename AtOnce::Places ring[kRing];
    const auto fetch = [&](size_t i, typename AtOnce::Places* places) HWY_ATTR {
      keys.Find(hashes + kKeys * i, places);
      for (size_t k = 0; k < kKeys; ++k) {
        table.PrefetchAt(places->first[k], false);
        table.PrefetchAt(places->second[k], false);
      }
    };
    for (size_t i = 0; i < kRing && i < groups; ++i) fetch(i, &ring[i]);
    for (size_t i = 0, at = 0; i < groups; ++i, at = at + 1 == kRing ? 0 : at + 1) {
      keys.Answer(hashes + kKeys * i, ring[at], answers + kKeys * i);
      if (i + kRing < groups) fetch(i + kRing, &ring[at]);
    }
  }
  for (size_t i = kKeys * groups; i < n; ++i) answers[i] = table.MayContain(hashes[i]);
}

template <int kBits>
uint64_t CuckooLookup(const CuckooTable<kBits>& table_in_memory, Access access, const Keys& keys, uint8_t* answers) {
  const CuckooTable<kBits> table = table_in_memory;  // in registers
  if (access == Access::kBatch) {
    CuckooBatch<kBits>(table, keys.integers, keys.size, answers);
    return 0;
  }
  return AskEach(access, keys.integers, keys.size, [&](uint64_t hash) HWY_ATTR { return table.MayContain(hash); });
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_BENCH_PEERS_CUCKOO_INL_H_
