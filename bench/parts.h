// What plans are made of: parts of a matrix, each of which becomes one group of rows.
#ifndef LINEFILTER_BENCH_PARTS_H_
#define LINEFILTER_BENCH_PARTS_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bench/plan.h"

namespace linefilter::bench {

inline constexpr uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;
inline constexpr char kRegisters[] = "floor_registers";

enum class Who { kAll, kBuilders, kLayouts };  // kBuilders: those that rebuild

// Every peer that can, in these accesses and hits.
struct Part {
  KeyKind kind;
  uint64_t body_bytes;
  double bits_per_key;
  std::vector<Access> accesses;
  std::vector<int> hits;
  std::set<std::string> peers = {};  // empty: all that are in no matrix by name alone
  bool all_targets = true;           // else the best one and AVX2
  Who who = Who::kAll;
  std::set<std::string> without = {};
  double rate_goal = 0;     // the bits are those that reach it: the best target alone
  bool built_once = false;  // by the best target, and that fills it (Spec::built_later)
};

// Filters that threads fill and ask at once, and what they are compared with.
const std::set<std::string>& ConcurrentPeers();
// One key asked of eight filters.
const std::set<std::string>& PeersOfEightFilters();
// Images in memory of several kinds.
const std::set<std::string>& PeersInMemory();
// Filters of one body, and of several that answer as one.
const std::set<std::string>& PeersOfStages();
// What stands beside `split_block` in the plan of Parquet alone.
const std::set<std::string>& PeersOfParquet();

// The rows of all peers that the part takes.
Group GroupOf(const Part& part);

// plan_full.cc, plan_cpus.cc, plan_builds.cc, plan_parquet.cc, plan_quotient.cc: in the order in which they are
// measured.
std::vector<Part> FullMatrix();
std::vector<Part> QuickMatrix();
std::vector<Part> CpusMatrix();
std::vector<Part> SmokeMatrix();
std::vector<Part> BuildsMatrix();
std::vector<Part> ParquetMatrix();
std::vector<Part> QuotientMatrix();

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_PARTS_H_
