// ConcurrentFilter while threads insert; and what it costs beside a sequential filter that nobody inserts into any
// more, with the other thread as busy as there, in a filter of its own.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "bench/peers/concurrent.h"
#include "bench/peers/library.h"
#include "linefilter/concurrent.h"

namespace linefilter::bench {
namespace {

// One body, and a filter over it for each target; and the same once more, to be changed while it is asked.
template <class Kind>
class FilledFilter : public PeerFilter {
 public:
  FilledFilter(const std::vector<std::string>& targets, Layout layout, const Spec& spec)
      : num_keys_(spec.num_keys),
        layout_(layout),
        sizing_(SizeOf(layout, spec)),
        memory_(sizing_.body_bytes),
        written_memory_(sizing_.body_bytes) {
    for (const std::string& target : targets) {
      OnTarget(target, [&] {
        Make(spec, &memory_, &filters_);
        Make(spec, &written_memory_, &written_);
      });
    }
    ForMembers(spec, [&](const Keys& keys) {
      InsertAll(*filters_[0], keys);
      InsertAll(*written_[0], keys);
    });
  }

  uint64_t bytes() const override { return sizing_.body_bytes; }
  uint32_t num_probes() const override { return sizing_.num_probes; }
  double expected_fpr() const override { return sizing_.expected_fpr; }

  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    if constexpr (!kSealed) {
      if (IsDuringInserts(access)) return LookupInLibrary(*written_[target], access, keys, answers);
    }
    return LookupInLibrary(*filters_[target], access, keys, answers);
  }

  void Build(size_t target, Access access, const Spec& spec) override {
    memset(memory_.data(), 0, memory_.size());
    Kind& filter = *filters_[target];
    const bool by_batch = access == Access::kFillBatch || access == Access::kFillBatchTwoThreads;
    FillWith(access, *spec.members, [&filter, by_batch](const Keys& keys) {
      if (by_batch) return InsertAll(filter, keys);
      for (size_t i = 0; i < keys.size; ++i) filter.InsertHash(keys.integers[i]);
    });
  }

  // Begins anew from the members after an eighth more of keys: in a fuller filter an insertion writes less. Members
  // stay in, for both bodies have their bits.
  void InsertNew(size_t target) override {
    const Keys keys = new_keys_.Next();
    num_new_ += keys.size;
    if (num_new_ > std::max<uint64_t>(num_keys_ / 8, kLeastNew)) {
      memcpy(written_memory_.data(), memory_.data(), memory_.size());
      num_new_ = keys.size;
    }
    InsertAll(*written_[target], keys);
  }

 private:
  static constexpr uint64_t kLeastNew = 32 << 10;
  static constexpr bool kSealed = !std::is_same_v<Kind, ConcurrentFilter>;

  template <class Any>
  void Make(const Spec& spec, HugeBuffer* memory, std::vector<std::unique_ptr<Any>>* filters) {
    FilterOptions options;
    options.layout = layout_;
    options.bits_per_key = spec.bits_per_key;
    options.allocator = memory->SharedBy();
    filters->push_back(std::make_unique<Any>());
    Must(filters->back()->Create(spec.num_keys, options));
  }

  const uint64_t num_keys_;
  const Layout layout_;
  uint64_t num_new_ = 0;
  Sizing sizing_;
  HugeBuffer memory_, written_memory_;
  std::vector<std::unique_ptr<Kind>> filters_;              // of each target
  std::vector<std::unique_ptr<ConcurrentFilter>> written_;  // the same
  NewKeys new_keys_;
};

template <class Kind>
Peer MakePeer(const char* name, Layout layout, const char* origin) {
  Peer peer = BlockedPeer<FilledFilter<Kind>>(
      name, origin, {Access::kSingle, Access::kBatch, Access::kFill, Access::kFillBatch}, 60, layout);
  if (HasSecondCpu()) {
    peer.accesses.insert(peer.accesses.end(), {Access::kSingleDuringInserts, Access::kBatchDuringInserts});
    if (std::is_same_v<Kind, ConcurrentFilter>) {
      peer.accesses.insert(peer.accesses.end(), {Access::kFillTwoThreads, Access::kFillBatchTwoThreads});
    }
  }
  peer.rebuilds = true;
  peer.num_bodies = 2;
  return peer;
}

}  // namespace

std::vector<Peer> Peers_blocked_concurrent() {
  const char* const shared = "linefilter, threads insert and ask at once";
  const char* const sealed = "linefilter, nobody inserts while it is asked";
  return {MakePeer<ConcurrentFilter>("blocked_concurrent", Layout::kBlocked, shared),
          MakePeer<BlockedFilter>("blocked_sealed", Layout::kBlocked, sealed),
          MakePeer<ConcurrentFilter>("split_block_concurrent", Layout::kSplitBlock, shared),
          MakePeer<Filter>("split_block_sealed", Layout::kSplitBlock, sealed)};
}

}  // namespace linefilter::bench
