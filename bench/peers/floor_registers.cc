// The yardstick of what a second thread gives: a loop in registers, on one thread and in two copies that share its
// rounds. Memory, caches and the library have no part in it; what two CPUs are to one is this.
#include <array>

#include "bench/peer.h"
#include "bench/threads.h"

namespace linefilter::bench {
namespace {

// Four chains, so that one copy keeps a core's multiplier busy: of two CPUs that share a core, the second gives little.
uint64_t Loop(uint64_t rounds) {
  uint64_t a = rounds, b = rounds + 1, c = rounds + 2, d = rounds + 3;
  for (uint64_t i = 0; i < rounds; ++i) {
    a = (a ^ (a >> 29)) * 0x9fb21c651e98df25u;
    b = (b ^ (b >> 29)) * 0x9fb21c651e98df25u;
    c = (c ^ (c >> 29)) * 0x9fb21c651e98df25u;
    d = (d ^ (d >> 29)) * 0x9fb21c651e98df25u;
  }
  return a ^ b ^ c ^ d;
}

class Registers : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access, const Keys&, uint8_t*) const override { return 0; }
  // Two rounds per key: 3.5 ns, long enough to time.
  void Build(size_t, Access access, const Spec& spec) override {
    rounds_ = 2 * spec.num_keys;
    if (access == Access::kBuild) return Run(this, 0);
    rounds_ /= kTwoThreads;
    const Executor executor = TwoThreads();
    executor.run(executor.context, Run, this, kTwoThreads);
  }

 private:
  struct alignas(64) Result {
    uint64_t value;
  };
  static void Run(void* argument, size_t index) {
    Registers* const self = static_cast<Registers*>(argument);
    self->results_[index].value = Loop(self->rounds_);
    asm volatile("" ::: "memory");
  }

  uint64_t rounds_ = 0;
  std::array<Result, kTwoThreads> results_ = {};
};

}  // namespace

Peer Peer_floor_registers() {
  Peer peer;
  peer.name = "floor_registers";
  peer.origin = "floor: a loop in registers, on one thread and on two";
  peer.is_floor = true;
  peer.targets = {"none"};
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kBuild};
  if (HasSecondCpu()) peer.accesses.push_back(Access::kBuildTwoThreads);
  peer.rebuilds = true;
  peer.fill_ns = 4;
  peer.make = [](const Spec&) { return std::make_unique<Registers>(); };
  return peer;
}

}  // namespace linefilter::bench
