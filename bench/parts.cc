#include "bench/parts.h"

#include <algorithm>
#include <cstdio>

namespace linefilter::bench {
namespace {

constexpr char kMisaligned[] = "blocked_misaligned";

template <class T>
bool Contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool Takes(const Part& part, const Peer& peer) {
  if (peer.only_bits_per_key != 0 && peer.only_bits_per_key != part.bits_per_key) return false;
  if (part.who == Who::kBuilders && !peer.rebuilds) return false;
  if (part.who == Who::kLayouts && !peer.is_layout) return false;
  if (part.without.count(peer.name) != 0) return false;
  if (!part.peers.empty()) return part.peers.count(peer.name) != 0;
  return PeersOfEightFilters().count(peer.name) == 0 && ConcurrentPeers().count(peer.name) == 0 &&
         PeersInMemory().count(peer.name) == 0 && PeersOfStages().count(peer.name) == 0 &&
         PeersOfParquet().count(peer.name) == 0;
}

std::string RowName(const Part& part, const Peer& peer, size_t target, Access access, int hits) {
  char bits[32];
  snprintf(bits, sizeof(bits), "%g", part.bits_per_key);
  return std::string(AccessName(access)) + "/" + KeyKindName(part.kind) + "/" +
         (hits < 0 ? "none" : std::to_string(hits)) + "/" + peer.name + "/" + peer.targets[target] + "/" +
         SizeName(part.body_bytes) + "/" + bits;
}

void AddRows(const Part& part, const Peer& peer, std::vector<Row>* rows) {
  for (size_t target = 0; target < peer.targets.size(); ++target) {
    if (part.rate_goal != 0 && target != 0) return;
    if (!part.all_targets && target != 0 && peer.targets[target] != "AVX2") continue;
    for (const Access access : part.accesses) {
      if (!Contains(peer.accesses, access)) continue;
      if (IsBuild(access) && (!peer.rebuilds || part.built_once) && target != 0) continue;
      const std::vector<int> none = {-1};
      for (const int hits : IsInsert(access) || IsBuild(access) ? none : part.hits) {
        // A floor reads what it is told to, so hits do not matter.
        if ((peer.is_floor || peer.name == kMisaligned) && hits != 50 && hits >= 0) continue;
        rows->push_back({&peer, target, access, hits, RowName(part, peer, target, access, hits)});
      }
    }
  }
}

}  // namespace

const std::set<std::string>& ConcurrentPeers() {
  static const std::set<std::string> peers = {"blocked_concurrent", "blocked_sealed", "classic_locked",
                                              "classic_sharded"};
  return peers;
}

const std::set<std::string>& PeersOfEightFilters() {
  static const std::set<std::string> peers = {"blocked_8_filters", "blocked_8_filters_1_seed",
                                              "blocked_8_filters_3_seeds"};
  return peers;
}

const std::set<std::string>& PeersInMemory() {
  static const std::set<std::string> peers = {"blocked_loaded", "blocked_mapped", "blocked_string",
                                              "blocked_string_huge", "blocked_string_lines"};
  return peers;
}

const std::set<std::string>& PeersOfStages() {
  static const std::set<std::string> peers = {"stages_1", "stages_4", "stages_8"};
  return peers;
}

const std::set<std::string>& PeersOfParquet() {
  static const std::set<std::string> peers = {"arrow_loop", "impala_split_block",     "parquet_hash",
                                              "xxh64_each", "split_block_concurrent", "split_block_sealed"};
  return peers;
}

Group GroupOf(const Part& part) {
  Group group;
  char name[96];
  snprintf(name, sizeof(name), "%s, %s keys, %g bits per key", SizeName(part.body_bytes).c_str(),
           KeyKindName(part.kind), part.bits_per_key);
  group.name = name;
  group.spec.kind = part.kind;
  group.spec.body_bytes = part.body_bytes;
  group.spec.bits_per_key = part.bits_per_key;
  group.spec.num_keys = static_cast<uint64_t>(8 * static_cast<double>(part.body_bytes) / part.bits_per_key);
  group.spec.rate_goal = part.rate_goal;
  // LevelDB's filter of 2^n bits lets three times as many through: no rate is to depend on such a size.
  if (part.rate_goal != 0) group.spec.num_keys -= group.spec.num_keys / 1000;
  for (const Peer& peer : AllPeers()) {
    if (peer.targets.empty() || part.body_bytes > peer.max_bytes || !Contains(peer.kinds, part.kind)) continue;
    if (Takes(part, peer)) AddRows(part, peer, &group.rows);
  }
  for (const Row& row : group.rows) group.spec.built_later |= part.built_once && IsBuild(row.access);
  return group;
}

}  // namespace linefilter::bench
