#include "bench/plan.h"

#include <algorithm>
#include <regex>

#include "bench/parts.h"

namespace linefilter::bench {
namespace {

constexpr uint64_t kInCache = MiB;
constexpr double kMakingOfAKey = 10e-9;

std::vector<Part> PartsOf(Plan plan) {
  switch (plan) {
    case Plan::kFull:
      return FullMatrix();
    case Plan::kQuick:
      return QuickMatrix();
    case Plan::kCpus:
      return CpusMatrix();
    case Plan::kSmoke:
      return SmokeMatrix();
    case Plan::kBuilds:
      return BuildsMatrix();
    case Plan::kParquet:
      return ParquetMatrix();
    case Plan::kQuotient:
      return QuotientMatrix();
  }
  return {};
}

}  // namespace

const char* PlanName(Plan plan) {
  constexpr const char* kNames[] = {"full", "quick", "cpus", "smoke", "builds", "parquet", "quotient"};
  return kNames[static_cast<size_t>(plan)];
}

std::string SizeName(uint64_t bytes) {
  const char* const units[] = {"B", "KB", "MB", "GB"};
  int unit = 0;
  for (; unit < 3 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes) + units[unit];
}

std::vector<Group> MakePlan(const PlanOptions& options) {
  const std::regex wanted(options.rows, std::regex::ECMAScript | std::regex::optimize);
  std::vector<Group> groups;
  for (const Part& part : PartsOf(options.plan)) {
    Group group = GroupOf(part);
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
    if (kept_bytes == 0) kept_bytes = sizeof(uint64_t);  // the members
    if (group.spec.built_later) {
      most_build_bytes = std::max(most_build_bytes, row.peer->rebuild_bytes);
    } else if (built.insert(row.peer).second) {
      kept_bytes += row.peer->rebuild_bytes;
    }
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
    if (!IsBuild(row.access)) {
      seconds += (repetitions + 1) * once;
    } else if (!group.spec.built_later) {
      seconds += (repetitions + 1) * build;
    } else {  // filling, as above; here the keys are made first, and memory for them and for building
      seconds += kMakingOfAKey * static_cast<double>(group.spec.num_keys);
    }
  }
  return seconds;
}

}  // namespace linefilter::bench
