// Our layout `blocked`: through the library on every target, and inlined (linefilter/inline.h) into the same loops as
// the other peers' schemes.
#include "bench/peers/library.h"
#include "bench/peers/own.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/peers/blocked.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target.h:
#include "bench/peers/own-inl.h"
#include "hwy/highway.h"
#include "linefilter/inline.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter::bench {
namespace HWY_NAMESPACE {
namespace {

struct RotatedLanes {
  static constexpr size_t kBlockBytes = 64;
  static HWY_INLINE bool Test(const OwnBody& body, const uint8_t* block, uint64_t hash) {
    return ::linefilter::HWY_NAMESPACE::TestBlock(block, body.lane_ones, static_cast<uint32_t>(hash));
  }
  static HWY_INLINE void Insert(const OwnBody& body, uint8_t* block, uint64_t hash) {
    ::linefilter::HWY_NAMESPACE::InsertIntoBlock(block, body.lane_ones, static_cast<uint32_t>(hash));
  }
};

const OwnCode* Code() { return OwnCodeOf<RotatedLanes>(); }

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linefilter::bench {
HWY_EXPORT(Code);

namespace {

class Blocked : public LibraryFilter<BlockedFilter> {
 public:
  Blocked(const std::vector<std::string>& targets, const Spec& spec) : LibraryFilter(Layout::kBlocked, targets, spec) {
    for (const std::string& target : targets) {
      inlined_.push_back(CodeFor(target, [] { return HWY_DYNAMIC_DISPATCH(Code)(); }));
    }
    const internal::ProbeState& state = filter(0).probe_state();
    body_ = {const_cast<uint8_t*>(state.body), state.num_units, state.num_probes, state.lane_ones};
  }
  uint64_t Lookup(size_t target, Access access, const Keys& keys, uint8_t* answers) const override {
    if (access == Access::kInlined || access == Access::kInlinedBranch || access == Access::kInlinedDependent) {
      return inlined_[target]->lookup(body_, access, keys, answers);
    }
    return LibraryFilter::Lookup(target, access, keys, answers);
  }

 private:
  std::vector<const OwnCode*> inlined_;
  OwnBody body_;
};

}  // namespace

Peer Peer_blocked() {
  Peer peer;
  peer.name = LayoutName(Layout::kBlocked);
  peer.origin = "linefilter";
  peer.targets = LibraryTargets();
  peer.kinds = {KeyKind::kHash, KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle,      Access::kBranch,        Access::kDependent,        Access::kBatch,
                   Access::kInlined,     Access::kInlinedBranch, Access::kInlinedDependent, Access::kInsertSingle,
                   Access::kInsertBatch, Access::kBuild};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 16;
  peer.make = [targets = peer.targets](const Spec& spec) { return std::make_unique<Blocked>(targets, spec); };
  return peer;
}

}  // namespace linefilter::bench
#endif  // HWY_ONCE
