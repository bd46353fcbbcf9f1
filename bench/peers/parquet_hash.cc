// Parquet's hash of a column of INT64, which is XXH64 of 8 bytes, and nothing else: it asks no filter, so it stands
// among the floors. parquet_hash is ours, in batches of as many values as a reader has at once. xxh64_each calls a
// function that hashes bytes of any number for each value, as engines call that of xxHash.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/library.h"
#include "bench/peers/own.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

constexpr size_t kValues = 1024;

// Calls hash(values, n, hashes) for all keys in turn, and lets the compiler believe that somebody reads the hashes.
template <class Hash>
void HashInTurns(const Keys& keys, const Hash& hash) {
  uint64_t hashes[kValues];
  for (size_t first = 0; first < keys.size; first += kValues) {
    hash(keys.integers + first, std::min(kValues, keys.size - first), hashes);
    asm volatile("" : : "r"(hashes) : "memory");
  }
}

class OurHash : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t target, Access, const Keys& keys, uint8_t*) const override {
    OnTarget(targets_[target], [&] {
      HashInTurns(keys, [](const uint64_t* values, size_t n, uint64_t* hashes) { ParquetHashes(values, n, hashes); });
    });
    return 0;
  }

 private:
  const std::vector<std::string> targets_ = OwnTargets();
};

class HashEach : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access, const Keys& keys, uint8_t*) const override {
    HashInTurns(keys, [](const uint64_t* values, size_t n, uint64_t* hashes) {
      for (size_t i = 0; i < n; ++i) hashes[i] = ParquetHashBytes(values + i, sizeof(*values));
    });
    return 0;
  }
};

template <class Filter>
Peer HashPeer(const char* name, const char* origin, const std::vector<std::string>& targets) {
  Peer peer;
  peer.name = name;
  peer.origin = origin;
  peer.is_floor = true;
  peer.targets = targets;
  peer.kinds = {KeyKind::kU64};
  peer.accesses = {Access::kBatch};
  peer.fill_ns = 0;
  peer.make = [](const Spec&) { return std::make_unique<Filter>(); };
  return peer;
}

}  // namespace

std::vector<Peer> Peers_parquet_hash() {
  return {HashPeer<OurHash>("parquet_hash", "floor: Parquet's hash, a batch", OwnTargets()),
          HashPeer<HashEach>("xxh64_each", "floor: Parquet's hash, a call for each value", {"none"})};
}

}  // namespace linefilter::bench
