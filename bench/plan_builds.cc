// The plan of builds: what a filter costs to make, from 1e5 to 1e8 keys, ours beside the peers'. Hashes lie in an
// array, of which our layouts borrow; peers that hash by themselves take integers.
#include "bench/parts.h"

namespace linefilter::bench {
namespace {

Part Builds(KeyKind kind, uint64_t body_bytes, double bits_per_key) {
  return {kind, body_bytes, bits_per_key, {Access::kBuild}, {-1}, {}, false};
}

// On every target, and with a second thread.
Part BuildsOfLayouts(uint64_t body_bytes, double bits_per_key) {
  Part part = Builds(KeyKind::kHash, body_bytes, bits_per_key);
  part.accesses.push_back(Access::kBuildTwoThreads);
  part.all_targets = true;
  part.who = Who::kBuilders;
  return part;
}

}  // namespace

std::vector<Part> BuildsMatrix() {
  std::vector<Part> parts;
  for (const double bits : {8, 10, 16}) parts.push_back(BuildsOfLayouts(MiB, bits));
  for (const uint64_t bytes : {128 * KiB, 16 * MiB, 128 * MiB}) {
    Part part = BuildsOfLayouts(bytes, 10);
    part.all_targets = false;
    parts.push_back(part);
  }
  for (const uint64_t bytes : {128 * KiB, MiB, 16 * MiB, 128 * MiB}) parts.push_back(Builds(KeyKind::kU64, bytes, 10));
  return parts;
}

}  // namespace linefilter::bench
