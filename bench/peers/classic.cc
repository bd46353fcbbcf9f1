// Our layout `classic`: scalar on purpose, the baseline.
#include "bench/peers/library.h"

namespace linefilter::bench {

Peer Peer_classic() {
  Peer peer;
  peer.name = LayoutName(Layout::kClassic);
  peer.origin = "linefilter";
  peer.targets = {"SCALAR"};
  peer.kinds = {KeyKind::kHash, KeyKind::kU64, KeyKind::kString};
  peer.accesses = {Access::kSingle,       Access::kBranch,      Access::kDependent, Access::kBatch,
                   Access::kInsertSingle, Access::kInsertBatch, Access::kBuild};
  peer.max_bytes = uint64_t{2} << 30;
  peer.fill_ns = 100;
  peer.make = [](const Spec& spec) {
    return std::make_unique<LibraryFilter<ClassicFilter>>(Layout::kClassic, LibraryTargets(), spec);
  };
  return peer;
}

}  // namespace linefilter::bench
