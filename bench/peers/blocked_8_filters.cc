// One key asked of 8 filters, as of the levels of a log-structured store. Each member is in one of the 8. Times are per
// key, not per filter.
// - blocked_8_filters, by hash: one after the other (single), or all lines prefetched first (batch, MayContainHash over
//   filters).
// - blocked_8_filters_1_seed and _3_seeds, by key, which is hashed once for each seed: one call per key (single,
//   MayContainKey over filters), or one for many keys (batch, MayContainKeys over filters).
#include <algorithm>

#include "bench/peers/library.h"
#include "linefilter/many.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kNumFilters = 8;

class EightFilters : public PeerFilter {
 public:
  EightFilters(const std::vector<std::string>& targets, uint32_t num_seeds, const Spec& spec)
      : filters_(targets.size()) {
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    Sizing sizing;
    Must(SizeForBitsPerKey(Layout::kBlocked, spec.num_keys / kNumFilters, spec.bits_per_key, &sizing));
    num_probes_ = sizing.num_probes;
    bytes_ = kNumFilters * sizing.body_bytes;
    for (uint32_t f = 0; f < kNumFilters; ++f) {
      memory_.push_back(std::make_unique<HugeBuffer>(sizing.body_bytes));
      options.allocator = memory_[f]->SharedBy();
      options.seed = f % num_seeds;
      for (size_t i = 0; i < targets.size(); ++i) {
        OnTarget(targets[i], [&] { Must(filters_[i][f].Create(spec.num_keys / kNumFilters, options)); });
        asked_[i % kMaxTargets][f] = &filters_[i][f];
      }
    }
    ForMembers(spec, [&](const Keys& keys) {
      for (size_t i = 0; i < keys.size; ++i) {
        BlockedFilter& filter = filters_[0][ShardOf(keys.integers[i], kNumFilters)];
        if (keys.kind == KeyKind::kHash) {
          filter.InsertHash(keys.integers[i]);
        } else {
          filter.InsertKey(keys.integers[i]);
        }
      }
    });
  }
  uint64_t bytes() const override { return bytes_; }
  uint32_t num_probes() const override { return num_probes_; }
  // A key is "maybe" if one of the filters says so.
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    const FilterBase* const* const filters = asked_[target];
    uint8_t of_each[kNumFilters];
    if (keys.kind == KeyKind::kU64) {
      if (access == Access::kBatch) return AskByKeys(filters, keys, answers);
      return AskEach(access, keys.integers, keys.size,
                     [&](uint64_t key) { return MayContainKey(filters, kNumFilters, key, of_each) != 0; });
    }
    if (access == Access::kBatch) {
      for (size_t i = 0; i < keys.size; ++i) {
        answers[i] = MayContainHash(filters, kNumFilters, filters[0]->key_hash(), keys.integers[i], of_each) != 0;
      }
      return 0;
    }
    return AskEach(access, keys.integers, keys.size, [&](uint64_t hash) {
      bool maybe = false;
      for (uint32_t f = 0; f < kNumFilters; ++f) maybe |= filters[f]->MayContainHash(hash);
      return maybe;
    });
  }

 private:
  static uint64_t AskByKeys(const FilterBase* const filters[], const Keys& keys, uint8_t* answers) {
    constexpr size_t kKeys = 1024;
    uint8_t rows[kNumFilters][kKeys];
    for (size_t begin = 0; begin < keys.size; begin += kKeys) {
      const size_t n = std::min(kKeys, keys.size - begin);
      MayContainKeys(filters, kNumFilters, keys.integers + begin, n, rows[0]);
      for (size_t i = 0; i < n; ++i) answers[begin + i] = rows[0][i];
      for (uint32_t f = 1; f < kNumFilters; ++f) {
        for (size_t i = 0; i < n; ++i) answers[begin + i] |= rows[0][f * n + i];
      }
    }
    return 0;
  }

  static constexpr size_t kMaxTargets = 32;
  std::vector<std::unique_ptr<HugeBuffer>> memory_;
  std::vector<std::array<BlockedFilter, kNumFilters>> filters_;
  const FilterBase* asked_[kMaxTargets][kNumFilters] = {};
  uint64_t bytes_ = 0;
  uint32_t num_probes_ = 0;
};

}  // namespace

std::vector<Peer> Peers_blocked_8_filters() {
  const std::vector<Access> accesses = {Access::kSingle, Access::kBatch};
  std::vector<Peer> peers = {
      BlockedPeer<EightFilters>("blocked_8_filters", "linefilter, one key asked of 8 filters", accesses, 16, 1u),
      BlockedPeer<EightFilters>("blocked_8_filters_1_seed", "linefilter, one key asked of 8 filters of 1 seed",
                                accesses, 16, 1u),
      BlockedPeer<EightFilters>("blocked_8_filters_3_seeds", "linefilter, one key asked of 8 filters of 3 seeds",
                                accesses, 16, 3u)};
  peers[1].kinds = peers[2].kinds = {KeyKind::kU64};
  return peers;
}

}  // namespace linefilter::bench
