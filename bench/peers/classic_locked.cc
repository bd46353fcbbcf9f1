// What simple programs do: a classic filter behind a readers-writer lock, and one of many shards, each behind its own.
#include <mutex>
#include <shared_mutex>

#include "bench/peers/concurrent.h"
#include "bench/peers/library.h"

namespace linefilter::bench {
namespace {

struct alignas(128) Shard {
  mutable std::shared_mutex mutex;
  ClassicFilter filter;

  bool MayContainHash(uint64_t hash) const {
    const std::shared_lock<std::shared_mutex> lock(mutex);
    return filter.MayContainHash(hash);
  }
  bool InsertHash(uint64_t hash) {
    const std::lock_guard<std::shared_mutex> lock(mutex);
    return filter.InsertHash(hash);
  }
};

class LockedFilter {
 public:
  LockedFilter(uint32_t num_shards, const Spec& spec) : shards_(num_shards), memory_(BytesFor(num_shards, spec)) {
    FilterOptions options;
    options.bits_per_key = spec.bits_per_key;
    options.allocator = memory_.allocator();
    for (Shard& shard : shards_) Must(shard.filter.Create(spec.num_keys / num_shards + 1, options));
  }
  void Clear() {
    for (Shard& shard : shards_) shard.filter.Clear();
  }
  uint64_t bytes() const {
    uint64_t bytes = 0;
    for (const Shard& shard : shards_) bytes += shard.filter.body_bytes();
    return bytes;
  }
  uint32_t num_probes() const { return shards_[0].filter.num_probes(); }
  bool MayContainHash(uint64_t hash) const { return shards_[IndexOf(hash)].MayContainHash(hash); }
  bool InsertHash(uint64_t hash) { return shards_[IndexOf(hash)].InsertHash(hash); }
  void InsertAll(const Keys& keys) {
    for (size_t i = 0; i < keys.size; ++i) InsertHash(keys.integers[i]);
  }

 private:
  static uint64_t BytesFor(uint32_t num_shards, const Spec& spec) {
    return spec.body_bytes + 256 * uint64_t{num_shards};
  }
  uint32_t IndexOf(uint64_t hash) const {
    return shards_.size() == 1 ? 0 : ShardOf(hash, static_cast<uint32_t>(shards_.size()));
  }

  std::vector<Shard> shards_;
  Arena memory_;
};

class LockedPeer : public PeerFilter {
 public:
  LockedPeer(uint32_t num_shards, const Spec& spec) : filter_(num_shards, spec), written_(num_shards, spec) {
    ForMembers(spec, [&](const Keys& keys) {
      filter_.InsertAll(keys);
      written_.InsertAll(keys);
    });
  }
  uint64_t bytes() const override { return filter_.bytes(); }
  uint32_t num_probes() const override { return filter_.num_probes(); }

  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    const LockedFilter& asked = IsDuringInserts(access) ? written_ : filter_;
    return AskEach(access, keys.integers, keys.size, [&](uint64_t hash) { return asked.MayContainHash(hash); });
  }
  void Build(size_t, Access access, const Spec& spec) override {
    filter_.Clear();
    FillWith(access, *spec.members, [this](const Keys& keys) { filter_.InsertAll(keys); });
  }
  void InsertNew(size_t) override { written_.InsertAll(new_keys_.Next()); }

 private:
  LockedFilter filter_, written_;
  NewKeys new_keys_;
};

Peer MakePeer(const char* name, const char* origin, uint32_t num_shards) {
  Peer peer;
  peer.name = name;
  peer.origin = origin;
  peer.targets = {"SCALAR"};
  peer.has_bits_of_another = true;
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kSingle, Access::kFill};
  if (HasSecondCpu()) {
    peer.accesses.insert(peer.accesses.end(), {Access::kFillTwoThreads, Access::kSingleDuringInserts});
  }
  peer.rebuilds = true;
  peer.num_bodies = 2;
  peer.max_bytes = uint64_t{16} << 20;  // filling 512 MB would take minutes
  peer.fill_ns = 150;
  peer.make = [num_shards](const Spec& spec) { return std::make_unique<LockedPeer>(num_shards, spec); };
  return peer;
}

}  // namespace

std::vector<Peer> Peers_classic_locked() {
  return {MakePeer("classic_locked", "linefilter, classic behind a readers-writer lock", 1),
          MakePeer("classic_sharded", "linefilter, classic in 64 shards, each behind a readers-writer lock", 64)};
}

}  // namespace linefilter::bench
