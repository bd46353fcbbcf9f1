// The full matrix, which BENCHMARKS.md is drawn from, and a quick one with every kind of row.
#include <set>
#include <string>

#include "bench/parts.h"

namespace linefilter::bench {
namespace {

const std::vector<Access> kLookups = {Access::kSingle,          Access::kBranch,  Access::kDependent,
                                      Access::kBatch,           Access::kInlined, Access::kInlinedBranch,
                                      Access::kInlinedDependent};

const std::vector<Access> kConcurrentFills = {Access::kFill,           Access::kFillBatch,
                                              Access::kFillTwoThreads, Access::kFillBatchTwoThreads,
                                              Access::kBuild,          Access::kBuildTwoThreads};

// kBuild: of the loop in registers, which tells what a second thread gives.
Part Concurrency(uint64_t body_bytes, double bits_per_key, std::vector<Access> accesses) {
  std::set<std::string> peers = ConcurrentPeers();
  if (!accesses.empty()) peers.insert(kRegisters);
  accesses.insert(accesses.end(),
                  {Access::kSingle, Access::kBatch, Access::kSingleDuringInserts, Access::kBatchDuringInserts});
  return {KeyKind::kHash, body_bytes, bits_per_key, accesses, {50}, peers, false};
}

// A density more than elsewhere, as above; beside `blocked`, whose rows of this density are nowhere else.
Part SeveralStages(uint64_t body_bytes) {
  std::set<std::string> peers = PeersOfStages();
  peers.insert("blocked");
  return {KeyKind::kHash, body_bytes, 14, {Access::kSingle, Access::kDependent, Access::kBatch}, {0, 50}, peers, false};
}

void AddEightFilters(uint64_t body_bytes, const std::vector<int>& hits, std::vector<Part>* parts) {
  for (const KeyKind kind : {KeyKind::kHash, KeyKind::kU64}) {
    parts->push_back({kind, body_bytes, 10, {Access::kSingle, Access::kBatch}, hits, PeersOfEightFilters()});
  }
}

Part KindsOfMemory(uint64_t body_bytes) {
  return {KeyKind::kHash, body_bytes, 10, {Access::kSingle, Access::kBatch}, {50}, PeersInMemory(), false};
}

}  // namespace

std::vector<Part> FullMatrix() {
  std::vector<Part> parts;
  for (const uint64_t bytes : {24 * KiB, MiB, 16 * MiB, 512 * MiB, 2 * GiB}) {
    std::vector<Access> accesses = kLookups;
    accesses.insert(accesses.end(), {Access::kInsertSingle, Access::kInsertBatch});
    parts.push_back({KeyKind::kHash, bytes, 10, accesses, {0, 50, 100}});
    // Above the caches only what is judged there at all densities: filling takes up to a minute each.
    std::set<std::string> pair, without;
    if (bytes > 512 * MiB) pair = {"blocked", "k_independent"};
    if (bytes == 512 * MiB) without = {"classic", "split_block_256", "split_block_8x64"};
    for (const double bits : {8, 12, 16, 20}) {
      parts.push_back({KeyKind::kHash,
                       bytes,
                       bits,
                       {Access::kSingle, Access::kInlined, Access::kBatch},
                       {50},
                       pair,
                       true,
                       Who::kAll,
                       without});
    }
    // What the static peer really takes.
    if (bytes <= 16 * MiB) {
      parts.push_back({KeyKind::kHash, bytes, 9, {Access::kInlined, Access::kBatch}, {50}, {}, false, Who::kLayouts});
    }
    if (bytes > 512 * MiB) continue;
    parts.push_back({KeyKind::kU64,
                     bytes,
                     10,
                     {Access::kSingle, Access::kBranch, Access::kDependent, Access::kBatch, Access::kInlined},
                     {0, 50, 100},
                     {},
                     false});
    if (bytes > 16 * MiB) continue;
    parts.push_back({KeyKind::kString, bytes, 10, {Access::kSingle, Access::kBatch}, {0, 50, 100}, {}, false});
    if (bytes < MiB) continue;
    for (const double bits : {8, 12, 16, 20}) {
      parts.push_back(
          {KeyKind::kU64, bytes, bits, {Access::kSingle, Access::kBatch, Access::kInlined}, {50}, {}, false});
    }
  }
  parts.push_back({KeyKind::kU64, MiB, 10, {Access::kBuild}, {-1}, {}, false});
  parts.push_back(
      {KeyKind::kHash, 16 * MiB, 10, {Access::kBuild, Access::kBuildTwoThreads}, {-1}, {}, false, Who::kBuilders});
  // 3e8 keys: all at once against one by one.
  parts.push_back({KeyKind::kHash,
                   512 * MiB,
                   14.3,
                   {Access::kInsertBatch, Access::kBuild, Access::kBuildTwoThreads},
                   {-1},
                   {"blocked", kRegisters},
                   false});
  AddEightFilters(512 * MiB, {0, 50, 100}, &parts);
  // One density more than elsewhere, so that each row is there once.
  parts.push_back(Concurrency(16 * MiB, 11, kConcurrentFills));
  parts.push_back(Concurrency(512 * MiB, 11, {}));
  parts.push_back(SeveralStages(512 * MiB));
  parts.push_back(KindsOfMemory(512 * MiB));
  return parts;
}

std::vector<Part> QuickMatrix() {
  std::vector<Part> parts;
  std::vector<Access> accesses = kLookups;
  accesses.insert(accesses.end(), {Access::kInsertSingle, Access::kInsertBatch});
  parts.push_back({KeyKind::kHash, 24 * KiB, 10, accesses, {50}});
  parts.push_back({KeyKind::kHash, MiB, 10, accesses, {0, 50, 100}});
  parts.push_back({KeyKind::kU64, MiB, 10, {Access::kSingle, Access::kBatch, Access::kInlined}, {50}, {}, false});
  parts.push_back({KeyKind::kString, 24 * KiB, 10, {Access::kSingle, Access::kBatch}, {50}, {}, false});
  parts.push_back({KeyKind::kHash, MiB, 16, {Access::kInlined, Access::kBatch}, {50}});
  parts.push_back({KeyKind::kU64, 24 * KiB, 10, {Access::kBuild}, {-1}, {}, false});
  parts.push_back(
      {KeyKind::kHash, MiB, 10, {Access::kBuild, Access::kBuildTwoThreads}, {-1}, {}, false, Who::kBuilders});
  AddEightFilters(512 * KiB, {50}, &parts);
  parts.push_back(Concurrency(MiB, 11, kConcurrentFills));
  return parts;
}

}  // namespace linefilter::bench
