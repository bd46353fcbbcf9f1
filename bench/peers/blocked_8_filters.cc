// One key asked of 8 filters, as of the levels of a log-structured store: one after the other (single), or all lines
// prefetched first (batch, MayContainHash over filters). Each member is in one of the 8. Times are per key, not per
// filter.
#include "bench/peers/library.h"

namespace linefilter::bench {
namespace {

constexpr uint32_t kNumFilters = 8;

class EightFilters : public PeerFilter {
 public:
  EightFilters(const std::vector<std::string>& targets, const Spec& spec) : filters_(targets.size()) {
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    Sizing sizing;
    Must(SizeForBitsPerKey(Layout::kBlocked, spec.num_keys / kNumFilters, spec.bits_per_key, &sizing));
    num_probes_ = sizing.num_probes;
    bytes_ = kNumFilters * sizing.body_bytes;
    for (uint32_t f = 0; f < kNumFilters; ++f) {
      memory_.push_back(std::make_unique<HugeBuffer>(sizing.body_bytes));
      options.allocator = memory_[f]->SharedBy();
      for (size_t i = 0; i < targets.size(); ++i) {
        OnTarget(targets[i], [&] { Must(filters_[i][f].Create(spec.num_keys / kNumFilters, options)); });
        asked_[i % kMaxTargets][f] = &filters_[i][f];
      }
    }
    ForMembers(spec, [&](const Keys& keys) {
      for (size_t i = 0; i < keys.size; ++i) {
        filters_[0][ShardOf(keys.integers[i], kNumFilters)].InsertHash(keys.integers[i]);
      }
    });
  }
  uint64_t bytes() const override { return bytes_; }
  uint32_t num_probes() const override { return num_probes_; }
  // A key is "maybe" if one of the filters says so.
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    const FilterBase* const* const filters = asked_[target];
    if (access == Access::kBatch) {
      uint8_t of_each[kNumFilters];
      for (size_t i = 0; i < keys.size; ++i) {
        answers[i] = MayContainHash(filters, kNumFilters, keys.integers[i], of_each) != 0;
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
  static constexpr size_t kMaxTargets = 32;
  std::vector<std::unique_ptr<HugeBuffer>> memory_;
  std::vector<std::array<BlockedFilter, kNumFilters>> filters_;
  const FilterBase* asked_[kMaxTargets][kNumFilters] = {};
  uint64_t bytes_ = 0;
  uint32_t num_probes_ = 0;
};

}  // namespace

std::vector<Peer> Peers_blocked_8_filters() {
  return {BlockedPeer<EightFilters>("blocked_8_filters", "linefilter, one key asked of 8 filters",
                                    {Access::kSingle, Access::kBatch}, 16)};
}

}  // namespace linefilter::bench
