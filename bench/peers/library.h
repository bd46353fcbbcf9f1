// Our own layouts as peers, through the library's public interface: one body, asked and filled by every target.
#ifndef LINEFILTER_BENCH_PEERS_LIBRARY_H_
#define LINEFILTER_BENCH_PEERS_LIBRARY_H_

#include <memory>
#include <string>
#include <vector>

#include "bench/memory.h"
#include "bench/peer.h"
#include "bench/peers/loops.h"
#include "linefilter/filter.h"
#include "linefilter/sizing.h"
#include "linefilter/target.h"

namespace linefilter::bench {

inline void Must(const Status& status) {
  if (!status.ok()) Die("%s", status.message());
}

inline std::vector<std::string> LibraryTargets() {
  const TargetList list = SupportedTargets();
  return {list.names, list.names + list.size};
}

// Runs make() while the library is forced to a target: filters and views keep it.
template <class Make>
void OnTarget(const std::string& target, const Make& make) {
  Must(ForceTarget(target.c_str()));
  make();
  Must(ForceTarget(nullptr));
}

inline void InsertAll(MutableFilter& filter, const Keys& keys) {
  if (keys.kind == KeyKind::kHash) {
    filter.InsertHashes(keys.integers, keys.size);
    return;
  }
  constexpr size_t kGroup = 256;
  uint64_t hashes[kGroup];
  for (size_t first = 0; first < keys.size; first += kGroup) {
    const size_t count = keys.size - first < kGroup ? keys.size - first : kGroup;
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = keys.kind == KeyKind::kU64 ? HashKey(keys.integers[first + i]) : HashKey(keys.strings[first + i]);
    }
    filter.InsertHashes(hashes, count);
  }
}

// Lookups of any filter or view of ours, but for the inlined ones.
inline uint64_t LookupInLibrary(const FilterBase& filter, Access access, const Keys& keys, uint8_t* answers) {
  if (access == Access::kBatch) {
    if (keys.kind == KeyKind::kHash) {
      filter.MayContainHashes(keys.integers, keys.size, answers);
    } else if (keys.kind == KeyKind::kU64) {
      filter.MayContainKeys(keys.integers, keys.size, answers);
    } else {
      filter.MayContainKeys(keys.strings, keys.size, answers);
    }
    return 0;
  }
  if (keys.kind == KeyKind::kHash) {
    return AskEach(access, keys.integers, keys.size, [&](uint64_t hash) { return filter.MayContainHash(hash); });
  }
  return AskKeys(
      access, keys, [&](uint64_t key) { return filter.MayContainKey(key); },
      [&](std::string_view key) { return filter.MayContainKey(key); });
}

inline Sizing SizeOf(Layout layout, const Spec& spec) {
  Sizing sizing;
  Must(SizeForBitsPerKey(layout, spec.num_keys, spec.bits_per_key, &sizing));
  return sizing;
}

// Filter = BlockedFilter or ClassicFilter: one per target, all over the same body.
template <class Filter>
class LibraryFilter : public PeerFilter {
 public:
  LibraryFilter(Layout layout, const std::vector<std::string>& targets, const Spec& spec)
      : sizing_(SizeOf(layout, spec)), memory_(sizing_.body_bytes), filters_(targets.size()) {
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    options.allocator = memory_.SharedBy();
    for (size_t i = 0; i < targets.size(); ++i) {
      OnTarget(targets[i], [&] { Must(filters_[i].Create(spec.num_keys, options)); });
    }
    ForMembers(spec, [&](const Keys& keys) { InsertAll(filters_[0], keys); });
  }
  uint64_t bytes() const override { return sizing_.body_bytes; }
  uint32_t num_probes() const override { return sizing_.num_probes; }
  double expected_fpr() const override { return sizing_.expected_fpr; }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    return LookupInLibrary(filters_[target], access, keys, answers);
  }
  void Insert(size_t target, Access access, const Keys& keys) override {
    Filter& filter = filters_[target];
    if (access == Access::kInsertBatch) return InsertAll(filter, keys);
    for (size_t i = 0; i < keys.size; ++i) {
      if (keys.kind == KeyKind::kHash) {
        filter.InsertHash(keys.integers[i]);
      } else if (keys.kind == KeyKind::kU64) {
        filter.InsertKey(keys.integers[i]);
      } else {
        filter.InsertKey(keys.strings[i]);
      }
    }
  }
  const Filter& filter(size_t target) const { return filters_[target]; }

 private:
  Sizing sizing_;
  HugeBuffer memory_;
  std::vector<Filter> filters_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_LIBRARY_H_
