// Floors answer nothing; the others are measured by them. They are an empty loop (floor_empty), one that calls an empty
// function (floor_call), and one in registers (floor_registers). Hashing alone is floor_hash. Memory alone is
// floor_line, which reads all 64 bytes of each hash's line and sums them.
#include <array>

#include "bench/peers/loops.h"
#include "bench/peers/own.h"
#include "bench/threads.h"
#include "linefilter/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/floors.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

// The widest load there is, up to a line: the floor must not be slowed down by its own instructions.
using Tag = hn::CappedTag<uint64_t, 8>;
using Vec = hn::Vec<Tag>;

HWY_INLINE const uint64_t* LineOf(const OwnBody& body, uint64_t hash) {
  return reinterpret_cast<const uint64_t*>(body.blocks + 64 * BlockIndex(hash, body.num_blocks));
}

HWY_INLINE Vec AddLine(Vec sum, const uint64_t* line) {
  const Tag d;
  for (size_t i = 0; i < 8; i += hn::Lanes(d)) sum = hn::Add(sum, hn::Load(d, line + i));
  return sum;
}

HWY_INLINE uint64_t Total(Vec sum) { return hn::GetLane(hn::SumOfLanes(Tag(), sum)); }

// A plain loop (single), one in which the next address depends on the line (dependent), and a look-ahead ring of as
// many prefetches as the library has under way (batch).
uint64_t Read(const OwnBody& body_in_memory, Access access, const Keys& keys, uint8_t*) {
  const OwnBody body = body_in_memory;
  const uint64_t* const hashes = keys.integers;
  Vec sum = hn::Zero(Tag());
  size_t i = 0;
  if (access == Access::kDependent) {
    // All memory is zero, so each line's first word leaves the next hash as it is; summing it all would add to the
    // latency.
    uint64_t last = 0;
    for (; i < keys.size; ++i) {
      const uint64_t* const line = LineOf(body, hashes[i] + last);
      sum = AddLine(sum, line);
      last = line[0];
    }
    return last + Total(sum);
  }
  if (access == Access::kBatch) {
    const size_t depth = body.num_blocks > (size_t{64} << 20) / 64 ? 96 : 32;
    for (size_t j = 0; j < depth && j < keys.size; ++j) __builtin_prefetch(LineOf(body, hashes[j]));
    for (; i + depth < keys.size; ++i) {
      __builtin_prefetch(LineOf(body, hashes[i + depth]));
      sum = AddLine(sum, LineOf(body, hashes[i]));
    }
  }
  for (; i < keys.size; ++i) sum = AddLine(sum, LineOf(body, hashes[i]));
  return Total(sum);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Read);

namespace {

class EmptyLoop : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access, const Keys& keys, uint8_t*) const override {
    for (size_t i = 0; i < keys.size; ++i) asm volatile("" : : "r"(keys.integers[i]));
    return 0;
  }
};

// What the library's single lookup adds to the inlined one: a pointer to a function is loaded and called.
class EmptyCall : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    return AskEach(access, keys.integers, keys.size, [this](uint64_t hash) { return answer_(*this, hash); });
  }

 private:
  static bool Answer(const EmptyCall&, uint64_t hash) {
    asm volatile("" : : "r"(hash));
    return false;
  }
  bool (*volatile answer_)(const EmptyCall&, uint64_t) = Answer;
};

class HashAlone : public PeerFilter {
 public:
  uint64_t bytes() const override { return 0; }
  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t*) const override {
    return AskKeys(
        access, keys, [](uint64_t key) { return HashKey(key); }, [](std::string_view key) { return HashKey(key); });
  }
};

class Lines : public PeerFilter {
 public:
  explicit Lines(uint64_t bytes) : memory_(bytes), body_{memory_.data(), bytes / 64, 0} {}
  uint64_t bytes() const override { return memory_.size(); }
  uint64_t Lookup(size_t, Access access, const Keys& keys, uint8_t* answers) const override {
    return read_(body_, access, keys, answers);
  }

 private:
  decltype(OwnCode::lookup) read_ = CodeFor(OwnTargets()[0], [] { return &HWY_DYNAMIC_DISPATCH(Read); });
  HugeBuffer memory_;
  OwnBody body_;
};

// The yardstick of what a second thread gives: one copy on one thread, or two that share its rounds. Memory, caches and
// the library have no part in it; what two CPUs are to one is this.
//
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

Peer MakePeer(const char* name, const char* origin, std::vector<KeyKind> kinds, std::vector<Access> accesses) {
  Peer peer;
  peer.name = name;
  peer.origin = origin;
  peer.is_floor = true;
  peer.targets = {"none"};
  peer.kinds = std::move(kinds);
  peer.accesses = std::move(accesses);
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 0;
  return peer;
}

}  // namespace

std::vector<Peer> Peers_floors() {
  Peer empty = MakePeer("floor_empty", "floor: an empty loop", {KeyKind::kHash}, {Access::kSingle});
  empty.make = [](const Spec&) { return std::make_unique<EmptyLoop>(); };
  Peer call = MakePeer("floor_call", "floor: call an empty function", {KeyKind::kHash}, {Access::kSingle});
  call.max_bytes = uint64_t{8} << 20;  // it asks nothing of memory
  call.make = [](const Spec&) { return std::make_unique<EmptyCall>(); };
  Peer hash = MakePeer("floor_hash", "floor: hash the key", {KeyKind::kU64, KeyKind::kString}, {Access::kSingle});
  hash.make = [](const Spec&) { return std::make_unique<HashAlone>(); };
  Peer line = MakePeer("floor_line", "floor: read one random line", {KeyKind::kHash},
                       {Access::kSingle, Access::kDependent, Access::kBatch});
  line.targets = {OwnTargets()[0]};
  line.make = [](const Spec& spec) { return std::make_unique<Lines>(spec.body_bytes); };
  Peer registers = MakePeer("floor_registers", "floor: a loop in registers, on one thread and on two", {KeyKind::kHash},
                            {Access::kBuild});
  if (HasSecondCpu()) registers.accesses.push_back(Access::kBuildTwoThreads);
  registers.rebuilds = true;
  registers.fill_ns = 4;
  registers.make = [](const Spec&) { return std::make_unique<Registers>(); };
  return {empty, call, hash, line, registers};
}

}  // namespace linefilter::bench
#endif  // HWY_ONCE
