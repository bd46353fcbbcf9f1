// The floor: what memory alone costs. Reads all 64 bytes of each hash's line and sums them: a plain loop (single), one
// in which the next address depends on the line (dependent), and a look-ahead ring of 32 prefetches (batch).
#include "bench/peers/own.h"
#include "linefilter/hash.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/floor_line.cc"
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
    constexpr size_t kDepth = 32;
    for (size_t j = 0; j < kDepth && j < keys.size; ++j) __builtin_prefetch(LineOf(body, hashes[j]));
    for (; i + kDepth < keys.size; ++i) {
      __builtin_prefetch(LineOf(body, hashes[i + kDepth]));
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

}  // namespace

Peer Peer_floor_line() {
  Peer peer;
  peer.name = "floor_line";
  peer.origin = "floor: read one random line";
  peer.is_floor = true;
  peer.targets = {OwnTargets()[0]};
  peer.kinds = {KeyKind::kHash};
  peer.accesses = {Access::kSingle, Access::kDependent, Access::kBatch};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 0;
  peer.make = [](const Spec& spec) { return std::make_unique<Lines>(spec.body_bytes); };
  return peer;
}
}  // namespace linefilter::bench
#endif  // HWY_ONCE
