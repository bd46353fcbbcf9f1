#include "bench/plan.h"

#include <algorithm>
#include <cstdio>
#include <regex>

namespace linefilter::bench {
namespace {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
constexpr uint64_t kInCache = MiB;
constexpr char kMisaligned[] = "blocked_misaligned";
constexpr char kRegisters[] = "floor_registers";
// Filters that threads fill and ask at once, and what they are compared with.
const std::set<std::string> kConcurrent = {"blocked_concurrent", "blocked_sealed", "classic_locked", "classic_sharded"};
// One key asked of eight filters.
const std::set<std::string> kEightFilters = {"blocked_8_filters", "blocked_8_filters_1_seed",
                                             "blocked_8_filters_3_seeds"};
// Filters of one body, and of several that answer as one.
const std::set<std::string> kStages = {"stages_1", "stages_4", "stages_8"};

enum class Who { kAll, kBuilders, kLayouts };  // kBuilders: those that rebuild

// A part of the matrix: every peer that can, in these accesses and hits.
struct Part {
  KeyKind kind;
  uint64_t body_bytes;
  double bits_per_key;
  std::vector<Access> accesses;
  std::vector<int> hits;
  std::set<std::string> peers = {};  // empty: all
  bool all_targets = true;           // else the best one and AVX2
  Who who = Who::kAll;
  std::set<std::string> without = {};
};

const std::vector<Access> kLookups = {Access::kSingle,          Access::kBranch,  Access::kDependent,
                                      Access::kBatch,           Access::kInlined, Access::kInlinedBranch,
                                      Access::kInlinedDependent};

const std::vector<Access> kConcurrentFills = {Access::kFill,           Access::kFillBatch,
                                              Access::kFillTwoThreads, Access::kFillBatchTwoThreads,
                                              Access::kBuild,          Access::kBuildTwoThreads};

// kBuild: of the loop in registers, which tells what a second thread gives.
Part Concurrency(uint64_t body_bytes, double bits_per_key, std::vector<Access> accesses) {
  std::set<std::string> peers = kConcurrent;
  if (!accesses.empty()) peers.insert(kRegisters);
  accesses.insert(accesses.end(),
                  {Access::kSingle, Access::kBatch, Access::kSingleDuringInserts, Access::kBatchDuringInserts});
  return {KeyKind::kHash, body_bytes, bits_per_key, accesses, {50}, peers, false};
}

// A density more than elsewhere, as above; beside `blocked`, whose rows of this density are nowhere else.
Part SeveralStages(uint64_t body_bytes) {
  std::set<std::string> peers = kStages;
  peers.insert("blocked");
  return {KeyKind::kHash, body_bytes, 14, {Access::kSingle, Access::kDependent, Access::kBatch}, {0, 50}, peers, false};
}

void AddEightFilters(uint64_t body_bytes, const std::vector<int>& hits, std::vector<Part>* parts) {
  for (const KeyKind kind : {KeyKind::kHash, KeyKind::kU64}) {
    parts->push_back({kind, body_bytes, 10, {Access::kSingle, Access::kBatch}, hits, kEightFilters});
  }
}

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

template <class T>
bool Contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool Takes(const Part& part, const Peer& peer) {
  if (peer.only_bits_per_key != 0 && peer.only_bits_per_key != part.bits_per_key) return false;
  if (part.who == Who::kBuilders && !peer.rebuilds) return false;
  if (part.who == Who::kLayouts && !peer.is_layout) return false;
  if (part.without.count(peer.name) != 0) return false;
  if (!part.peers.empty()) return part.peers.count(peer.name) != 0;
  return kEightFilters.count(peer.name) == 0 && kConcurrent.count(peer.name) == 0 && kStages.count(peer.name) == 0;
}

std::string RowName(const Part& part, const Peer& peer, size_t target, Access access, int hits) {
  char bits[32];
  snprintf(bits, sizeof(bits), "%g", part.bits_per_key);
  return std::string(AccessName(access)) + "/" + KeyKindName(part.kind) + "/" +
         (hits < 0 ? "none" : std::to_string(hits)) + "/" + peer.name + "/" + peer.targets[target] + "/" +
         SizeName(part.body_bytes) + "/" + bits;
}

void AddRows(const Part& part, const Peer& peer, std::vector<Row>* rows) {
  for (size_t target = 0; target < peer.targets.size(); ++target) {
    if (!part.all_targets && target != 0 && peer.targets[target] != "AVX2") continue;
    for (const Access access : part.accesses) {
      if (!Contains(peer.accesses, access)) continue;
      if (IsBuild(access) && !peer.rebuilds && target != 0) continue;
      const std::vector<int> none = {-1};
      for (const int hits : IsInsert(access) || IsBuild(access) ? none : part.hits) {
        // A floor reads what it is told to, so hits do not matter.
        if ((peer.is_floor || peer.name == kMisaligned) && hits != 50 && hits >= 0) continue;
        rows->push_back({&peer, target, access, hits, RowName(part, peer, target, access, hits)});
      }
    }
  }
}

}  // namespace

std::string SizeName(uint64_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  int unit = 0;
  for (; unit < 3 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

std::vector<Group> MakePlan(const PlanOptions& options) {
  const std::regex wanted(options.rows, std::regex::ECMAScript | std::regex::optimize);
  std::vector<Group> groups;
  for (const Part& part : options.quick ? QuickMatrix() : FullMatrix()) {
    Group group;
    char name[64];
    snprintf(name, sizeof(name), "%s, %s keys, %g bits per key", SizeName(part.body_bytes).c_str(),
             KeyKindName(part.kind), part.bits_per_key);
    group.name = name;
    group.spec.kind = part.kind;
    group.spec.body_bytes = part.body_bytes;
    group.spec.bits_per_key = part.bits_per_key;
    group.spec.num_keys = static_cast<uint64_t>(8 * static_cast<double>(part.body_bytes) / part.bits_per_key);
    for (const Peer& peer : AllPeers()) {
      if (peer.targets.empty() || part.body_bytes > peer.max_bytes || !Contains(peer.kinds, part.kind)) continue;
      if (Takes(part, peer)) AddRows(part, peer, &group.rows);
    }
    const auto unwanted = [&](const Row& row) {
      return options.done.count(row.name) != 0 || !std::regex_search(row.name, wanted);
    };
    group.rows.erase(std::remove_if(group.rows.begin(), group.rows.end(), unwanted), group.rows.end());
    if (!group.rows.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

namespace {

std::set<const Peer*> PeersOf(const Group& group) {
  std::set<const Peer*> peers;
  for (const Row& row : group.rows) peers.insert(row.peer);
  return peers;
}

}  // namespace

uint64_t MostBytes(const Group& group) {
  uint64_t most_build_bytes = 0;  // one is built at a time
  uint64_t num_bodies = 0, kept_bytes = 0;
  for (const Peer* peer : PeersOf(group)) {
    most_build_bytes = std::max(most_build_bytes, peer->build_bytes);
    num_bodies += static_cast<uint64_t>(peer->num_bodies);
  }
  std::set<const Peer*> built;
  for (const Row& row : group.rows) {
    if (!IsBuild(row.access)) continue;
    if (built.empty()) kept_bytes += sizeof(uint64_t);  // the members
    if (built.insert(row.peer).second) kept_bytes += row.peer->rebuild_bytes;
  }
  return num_bodies * group.spec.body_bytes + (most_build_bytes + kept_bytes) * group.spec.num_keys;
}

double EstimatedSeconds(const Group& group, int repetitions, double min_seconds) {
  const bool in_cache = group.spec.body_bytes <= kInCache;
  double seconds = 0.1;
  for (const Peer* peer : PeersOf(group)) {
    // In cache a key is inserted several times faster.
    const double share = in_cache ? 0.3 : 1;
    seconds += 1e-9 * static_cast<double>(group.spec.num_keys) * peer->fill_ns * share + 0.1;
  }
  // A repetition in large filters begins with untimed readings. One more, that tells how many iterations it takes.
  const double once = min_seconds * 1.3 + (in_cache ? 0 : 0.05);
  for (const Row& row : group.rows) {
    const double build = 1e-9 * static_cast<double>(group.spec.num_keys) * row.peer->fill_ns;
    seconds += IsBuild(row.access) ? (repetitions + 1) * build : (repetitions + 1) * once;
  }
  return seconds;
}

}  // namespace linefilter::bench
