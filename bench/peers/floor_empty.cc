// The floor of everything: a loop over the keys that does nothing with them.
#include "bench/peers/loops.h"

namespace linefilter::bench {
namespace {

class EmptyLoop : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint32_t num_probes() const override { return 0; }
  uint64_t Lookup(size_t, Access, const Keys& keys, uint8_t*) const override {
    for (size_t i = 0; i < keys.size; ++i) asm volatile("" : : "r"(keys.integers[i]));
    return 0;
  }
};

}  // namespace

Peer Peer_floor_empty() {
  Peer peer;
  peer.name = "floor_empty";
  peer.origin = "floor: an empty loop";
  peer.is_floor = true;
  peer.targets = {"none"};
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kSingle};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 0;
  peer.make = [](const Spec&) { return std::make_unique<EmptyLoop>(); };
  return peer;
}

}  // namespace linefilter::bench
