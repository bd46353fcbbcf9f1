// The plan that compares CPUs: every layout on every target, in each level of the memory; what every peer takes to
// reach a rate; and what it gives for ten bits per key, for the picture of the report. What is largest comes last, each
// filter in a group of its own, so that one is alive at a time; of these what matters most comes first, for time may
// end.
#include <cmath>
#include <set>
#include <string>

#include "bench/parts.h"

namespace linefilter::bench {
namespace {

// It is beyond the L2 of AMD's CPUs. Rejected: 4 and 8 MB, for in a virtual machine the L3 has neighbours, and two runs
// of half a minute differed by 6 and 20 % in their medians (2 MB: 2 %; Zen 5).
constexpr uint64_t kInCaches = 2 * MiB;
constexpr double kSameBits = 10;
constexpr double kGoals[] = {0.01, 0.001, 0.0001};
const std::vector<int> kHits = {50};
const std::vector<Access> kOfRates = {Access::kSingle, Access::kBatch, Access::kInlined, Access::kBuild};
const std::vector<Access> kOfSameBytes = {Access::kSingle, Access::kBatch, Access::kInlined};

std::set<std::string> Layouts() {
  std::set<std::string> names;
  for (const Peer& peer : AllPeers()) {
    if (peer.is_layout) names.insert(peer.name);
  }
  return names;
}

const std::set<std::string> kFloors = {"floor_empty", "floor_line"};

std::vector<Access> AskedAndBuilt() {
  return {Access::kSingle,       Access::kBatch,       Access::kInlined,
          Access::kInsertSingle, Access::kInsertBatch, Access::kBuild};
}

Part MatrixInCache(uint64_t body_bytes) { return {KeyKind::kHash, body_bytes, 10, AskedAndBuilt(), kHits, Layouts()}; }

// What the machine itself does: `compare` tells by them whether it was another one that day.
Part Floors(uint64_t body_bytes) {
  return {KeyKind::kHash, body_bytes, 10, {Access::kSingle, Access::kBatch, Access::kDependent}, kHits, kFloors};
}

Part MatrixOf(const std::string& layout, uint64_t body_bytes) {
  Part part = {KeyKind::kHash, body_bytes, 10, AskedAndBuilt(), kHits, {layout}};
  part.built_once = true;
  return part;
}

// Adds a part for every peer that reaches the goal, and that the caller wants.
template <class Wanted>
void AddRates(double goal, uint64_t body_bytes, const Wanted& wanted, std::vector<Part>* parts) {
  for (const Peer& peer : AllPeers()) {
    if (peer.bits_for_fpr == nullptr || peer.targets.empty() || !wanted(peer)) continue;
    if (peer.has_bits_of_another && body_bytes > kInCaches) continue;  // where memory alone counts
    double bits = peer.bits_for_fpr(goal, body_bytes);
    if (bits == 0) continue;
    bits = std::ceil(bits * 100 - 1e-6) / 100;
    if (bits == kSameBits && peer.only_bits_per_key == 0) bits += 0.01;  // else two rows had one name
    Part part = {KeyKind::kU64, body_bytes, bits, kOfRates, kHits, {peer.name}};
    part.rate_goal = goal;
    part.built_once = body_bytes > kInCaches;
    parts->push_back(part);
  }
}

// What every peer gives for the same bytes: those that also have rows of rates.
template <class Wanted>
void AddSameBytes(uint64_t body_bytes, const Wanted& wanted, std::vector<Part>* parts) {
  for (const Peer& peer : AllPeers()) {
    if (peer.bits_for_fpr == nullptr || peer.targets.empty() || !wanted(peer)) continue;
    if (peer.only_bits_per_key != 0) continue;  // its rows of rates are of these bytes
    if (peer.has_bits_of_another && body_bytes > kInCaches) continue;
    Part part = {KeyKind::kU64, body_bytes, kSameBits, kOfSameBytes, kHits, {peer.name}};
    part.all_targets = false;
    parts->push_back(part);
  }
}

}  // namespace

std::vector<Part> CpusMatrix() {
  const auto all = [](const Peer&) { return true; };
  // Filling 512 MB takes these a minute each.
  const auto is_slow = [](const Peer& peer) { return peer.fill_ns >= 100; };
  const auto is_fast = [&](const Peer& peer) { return !is_slow(peer); };
  std::vector<Part> parts;
  for (const uint64_t bytes : {24 * KiB, MiB, kInCaches}) {
    parts.push_back(MatrixInCache(bytes));
    parts.push_back(Floors(bytes));
  }
  for (const double goal : kGoals) AddRates(goal, MiB, all, &parts);
  AddSameBytes(MiB, all, &parts);
  constexpr uint64_t kLarge = 512 * MiB;
  parts.push_back(Floors(kLarge));
  parts.push_back(MatrixOf("blocked", kLarge));
  AddRates(kGoals[0], kLarge, all, &parts);
  AddRates(kGoals[1], kLarge, is_fast, &parts);
  AddRates(kGoals[2], kLarge, is_fast, &parts);
  for (const Peer& peer : AllPeers()) {  // one target: the rows of rates tell it
    if (peer.is_layout && peer.name != "blocked" && peer.targets.size() > 1)
      parts.push_back(MatrixOf(peer.name, kLarge));
  }
  AddRates(kGoals[1], kLarge, is_slow, &parts);
  AddRates(kGoals[2], kLarge, is_slow, &parts);
  AddSameBytes(kLarge, is_fast, &parts);
  AddSameBytes(kLarge, is_slow, &parts);
  return parts;
}

std::vector<Part> SmokeMatrix() {
  std::vector<Part> parts = {MatrixInCache(24 * KiB), Floors(24 * KiB)};
  AddRates(
      kGoals[0], 24 * KiB, [](const Peer&) { return true; }, &parts);
  parts.push_back(MatrixOf("blocked", 128 * KiB));  // as if it were large
  return parts;
}

}  // namespace linefilter::bench
