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

template <class Filter>
void InsertAll(Filter& filter, const Keys& keys) {
  ForHashes(keys, [&](const uint64_t* hashes, size_t, size_t count) { filter.InsertHashes(hashes, count); });
}

// Lookups of any filter or view of ours, but for the inlined ones.
template <class Filter>
uint64_t LookupInLibrary(const Filter& filter, Access access, const Keys& keys, uint8_t* answers) {
  if (IsBatch(access)) {
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

// Makes a peer that asks filters of `blocked` in its own way. Its Filter is made of the targets, `arguments` and a
// Spec.
template <class Filter, class... Arguments>
Peer BlockedPeer(const std::string& name, const std::string& origin, const std::vector<Access>& accesses,
                 double fill_ns, Arguments... arguments) {
  Peer peer;
  peer.name = name;
  peer.origin = origin;
  peer.targets = LibraryTargets();
  peer.has_bits_of_another = true;
  peer.kinds = {KeyKind::kHash};
  peer.accesses = accesses;
  peer.fill_ns = fill_ns;
  peer.make = [targets = peer.targets, arguments...](const Spec& spec) {
    return std::make_unique<Filter>(targets, arguments..., spec);
  };
  return peer;
}

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PEERS_LIBRARY_H_
