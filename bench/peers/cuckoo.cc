// Cuckoo filters of 12 and 16 bits per slot as peers (cuckoo.h): 95 % full, 12.63 and 16.84 bits per key.
#include "bench/peers/cuckoo.h"

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/own.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/cuckoo.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/cuckoo-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

uint64_t LookupOf12Bits(const CuckooTable<12>& table, Access access, const Keys& keys, uint8_t* answers) {
  return CuckooLookup<12>(table, access, keys, answers);
}
uint64_t LookupOf16Bits(const CuckooTable<16>& table, Access access, const Keys& keys, uint8_t* answers) {
  return CuckooLookup<16>(table, access, keys, answers);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(LookupOf12Bits);
HWY_EXPORT(LookupOf16Bits);

namespace {

template <int kBits>
using Lookup = uint64_t (*)(const CuckooTable<kBits>& table, Access access, const Keys& keys, uint8_t* answers);

template <int kBits>
Lookup<kBits> LookupFor(const std::string& target) {
  return CodeFor(target, []() -> Lookup<kBits> {
    if constexpr (kBits == 12) return &HWY_DYNAMIC_DISPATCH(LookupOf12Bits);
    if constexpr (kBits == 16) return &HWY_DYNAMIC_DISPATCH(LookupOf16Bits);
  });
}

template <int kBits>
class CuckooFilter : public PeerFilter {
 public:
  CuckooFilter(const std::vector<std::string>& targets, const Spec& spec)
      : filter_(spec.num_keys), num_keys_(static_cast<double>(spec.num_keys)) {
    for (const std::string& target : targets) lookups_.push_back(LookupFor<kBits>(target));
    if (!spec.built_later) Build(0, Access::kFillBatch, spec);
  }
  uint64_t bytes() const override { return filter_.bytes(); }
  // Each entry of both buckets lets one of the fingerprints through.
  double expected_fpr() const override {
    const double load = num_keys_ / static_cast<double>(kCuckooSlots * filter_.table().num_buckets);
    const double share = 1 / static_cast<double>(CuckooTable<kBits>::kSlotMask);
    return 1 - std::pow(1 - share, 2 * kCuckooSlots * load);
  }
  double lines() const override { return 2; }

  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    return lookups_[target](filter_.table(), access, keys, answers);
  }
  void Build(size_t, Access access, const Spec& spec) override {
    constexpr int kMostTries = 20;  // each moves other entries; of a large filter the first succeeds
    for (int tries = 0; tries < kMostTries; ++tries) {
      if (TryToFill(access, spec)) return;
    }
    Die("cuckoo_%d_own: %.0f keys do not find their places in %d tries", kBits, num_keys_, kMostTries);
  }

 private:
  bool TryToFill(Access access, const Spec& spec) {
    filter_.Clear();
    bool all = true;
    ForMembers(spec, [&](const Keys& keys) {
      if (access != Access::kFill) {
        all = all && filter_.InsertBatch(keys.integers, keys.size);
        return;
      }
      for (size_t i = 0; i < keys.size; ++i) all = all && filter_.Insert(keys.integers[i]);
    });
    return all;
  }

  Cuckoo<kBits> filter_;
  double num_keys_;
  std::vector<bench::Lookup<kBits>> lookups_;  // of each target
};

template <int kBits>
Peer CuckooPeer(double bits_per_key) {
  Peer peer;
  peer.name = "cuckoo_" + std::to_string(kBits) + "_own";
  peer.origin = "own implementation of the cuckoo filter, four slots in a bucket, 95 % full (Fan et al. 2014)";
  peer.targets = OwnTargets();
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kInlined, Access::kInlinedBranch, Access::kInlinedDependent, Access::kBatch,
                   Access::kBuild,   Access::kFill,          Access::kFillBatch};
  peer.only_bits_per_key = bits_per_key;
  peer.rebuilds = true;
  peer.fill_ns = 40;
  peer.make = [targets = peer.targets](const Spec& spec) {
    return std::make_unique<CuckooFilter<kBits>>(targets, spec);
  };
  return peer;
}

}  // namespace

std::vector<Peer> Peers_cuckoo() { return {CuckooPeer<12>(kCuckoo12Bits), CuckooPeer<16>(kCuckoo16Bits)}; }

}  // namespace linefilter::bench
#endif  // HWY_ONCE
