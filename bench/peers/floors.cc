// These loops ask no filter: floor_empty, the floor of everything, does nothing with the keys, and floor_hash, the
// floor of lookups that hash, only hashes them.
#include "bench/peers/loops.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

class EmptyLoop : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access, const Keys& keys, uint8_t*) const override {
    for (size_t i = 0; i < keys.size; ++i) asm volatile("" : : "r"(keys.integers[i]));
    return 0;
  }
};

class HashAlone : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    return AskKeys(
        access, keys, [](uint64_t key) { return HashKey(key); }, [](std::string_view key) { return HashKey(key); });
  }
};

template <class Floor>
Peer MakePeer(const char* name, const char* origin, const std::vector<KeyKind>& kinds) {
  Peer peer;
  peer.name = name;
  peer.origin = origin;
  peer.is_floor = true;
  peer.targets = {"none"};
  peer.kinds = kinds;
  peer.accesses = {Access::kSingle};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 0;
  peer.make = [](const Spec&) { return std::make_unique<Floor>(); };
  return peer;
}

}  // namespace

std::vector<Peer> Peers_floors() {
  return {MakePeer<EmptyLoop>("floor_empty", "floor: an empty loop", {KeyKind::kHash}),
          MakePeer<HashAlone>("floor_hash", "floor: hash the key", {KeyKind::kU64, KeyKind::kString})};
}

}  // namespace linefilter::bench
