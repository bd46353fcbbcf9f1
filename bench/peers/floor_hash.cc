// The floor of lookups that hash: the hash alone.
#include "bench/peers/loops.h"
#include "linefilter/hash.h"

namespace linefilter::bench {
namespace {

class HashAlone : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint32_t num_probes() const override { return 0; }
  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    return AskKeys(
        access, keys, [](uint64_t key) { return HashKey(key); }, [](std::string_view key) { return HashKey(key); });
  }
};

}  // namespace

Peer Peer_floor_hash() {
  Peer peer;
  peer.name = "floor_hash";
  peer.origin = "floor: hash the key";
  peer.is_floor = true;
  peer.targets = {"none"};
  peer.kinds = {KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 0;
  peer.make = [](const Spec&) { return std::make_unique<HashAlone>(); };
  return peer;
}

}  // namespace linefilter::bench
