// The solver of the layout `retrieval` takes eight blocks at a time, all with about as many keys. The largest T, and
// the solution with free columns zero, follow from the block's keys alone, so how they are found is free. It is done by
// levels, because systems that are apart are cheaper than one:
//
// 1. Units. A block's first kUnits constraints, summed over supersets, are the parities of kUnits separate parts of it:
//    half words, words, or pairs of words. Each is a system of its own, a row per key, 504 / kUnits columns.
// 2. Clusters. The next constraints sum up the upper halves of units. What a key's row has in the upper half of a unit
//    is a half row. Half rows are reduced by the units' own rows; the first kClusters constraints, summed over
//    supersets, are parities of kClusters separate sets of units.
// 3. The rest: constraints one after another until one contradicts.
//
// On each level systems are the lanes of vectors: the units of a block, then one cluster of eight blocks, then blocks.
// A block with n keys has about 504 / n constraints per key, so kUnits + kClusters is chosen just below that. A wrong
// guess is found out (Outcome) and another one tried.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVE_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVE_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/base/endian.h"
#include "lib/layouts/retrieval/solver/half_octets-inl.h"
#include "lib/layouts/retrieval/solver/rest-inl.h"
#include "lib/layouts/retrieval/solver/rest_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

template <int kUnits>
HWY_INLINE void MakeUnitPieces(const Group& group, const Widths<kUnits>& widths, Pieces<kUnits>* pieces) {
  pieces->step = 8 * kUnits;
  for (int i = 0; i < kUnits; ++i) {
    const int unit = Units<kUnits>::InOrder(i);
    pieces->columns[i] = group.work->unit_half_rows + 8 * unit;
    pieces->part[i] = static_cast<uint8_t>(unit);
    for (int block = 0; block < 8; ++block) {
      pieces->from[i][block] = 0;
      pieces->mask[i][block] = Ones(widths.of[unit][block]);
    }
  }
  pieces->Lay();
}

template <int kUnits, int kClusters, int kWords>
HWY_INLINE void MakeClusterPieces(const Group& group, const Places<kUnits, kClusters, kWords>& places,
                                  Pieces<kUnits>* pieces) {
  pieces->step = 8 * kWords;
  for (int i = 0; i < kUnits; ++i) {
    const int unit = Units<kUnits>::InOrder(i), cluster = unit % kClusters;
    const int word = Places<kUnits, kClusters, kWords>::WordOf(unit);
    const size_t row = kWords * static_cast<size_t>(cluster) * group.padded_keys;
    pieces->columns[i] = group.work->cluster_half_rows + 8 * (row + static_cast<size_t>(word));
    pieces->part[i] = static_cast<uint8_t>(cluster);
    for (int block = 0; block < 8; ++block) {
      const uint64_t free = group.work->cluster_compress[cluster][word][6][block], mask = places.mask[unit][block];
      pieces->from[i][block] =
          static_cast<uint64_t>(__builtin_popcountll(free & Ones(static_cast<uint32_t>(places.shift[unit][block]))));
      pieces->mask[i][block] = Ones(static_cast<uint32_t>(__builtin_popcountll(free & mask)));
    }
  }
  pieces->Lay();
}

// Goes from the solution of the rest back to unit_free.
template <int kUnits>
HWY_INLINE void UnpackUnits(const Group& group, const Pieces<kUnits>& pieces) {
  using U = Units<kUnits>;
  for (int block = 0; block < static_cast<int>(group.num_tasks); ++block) {
    for (int i = 0; i < kUnits; ++i) {
      const int unit = U::InOrder(i);
      group.work->unit_free[U::RunOf(block, unit)][U::LaneOf(block, unit)] = SolutionOf(group, pieces, i, block);
    }
  }
}

template <int kUnits, int kClusters, int kWords>
HWY_INLINE void UnpackClusters(const Group& group, const Places<kUnits, kClusters, kWords>& places,
                               const Pieces<kUnits>& pieces) {
  using U = Units<kUnits>;
  using P = Places<kUnits, kClusters, kWords>;
  RetrievalWork& work = *group.work;
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    for (int w = 0; w < kWords; ++w) {
      for (int block = 0; block < 8; ++block) work.cluster_free[cluster][w][block] = 0;
    }
  }
  for (int block = 0; block < 8; ++block) {
    for (int i = 0; i < kUnits; ++i) {
      const int unit = U::InOrder(i);
      work.cluster_free[unit % kClusters][P::WordOf(unit)][block] |= SolutionOf(group, pieces, i, block)
                                                                     << pieces.from[i][block];
    }
  }
  constexpr int kSystems = kWords == 1 && kClusters > 2 ? 4 : 2;
  for (int cluster = 0; cluster < kClusters; cluster += kSystems) SolveClusters<kWords, kSystems>(group, cluster);
  for (int block = 0; block < static_cast<int>(group.num_tasks); ++block) {
    for (int unit = 0; unit < kUnits; ++unit) {
      const uint64_t word = work.cluster_free[unit % kClusters][P::WordOf(unit)][block];
      work.unit_free[U::RunOf(block, unit)][U::LaneOf(block, unit)] =
          (word & places.mask[unit][block]) >> places.shift[unit][block];
    }
  }
}

template <int kUnits>
HWY_INLINE void WriteBlock(const Group& group, int block, uint32_t header, const uint64_t (*low)[8],
                           const uint64_t (*high)[8]) {
  using U = Units<kUnits>;
  for (int w = 0; w < 8; ++w) {
    uint64_t word;
    if (kUnits == 16) {
      word = high[2 * block][w] | high[2 * block + 1][w] << 32;
    } else if (kUnits == 8) {
      word = high[block][w];
    } else {
      // These are two steps: g++ 12 takes (w < 4 ? low : high)[block / 2][...] from a wrong lane with
      // -fsanitize=undefined.
      const uint64_t(*const words)[8] = w < 4 ? low : high;
      word = words[block / 2][U::LaneOf(block, w % 4)];
    }
    internal::StoreLE64((word & ~kRightSide) | static_cast<uint64_t>(header >> w & 1) << 63,
                        group.tasks[block]->block + 8 * w);
  }
}

template <int kUnits>
HWY_INLINE void UnitLevel(const Group& group, Found* found) {
  using U = Units<kUnits>;
  alignas(64) uint64_t failed[16][8];
  const int num_blocks = static_cast<int>(group.num_tasks);
  PrepareKeys<kUnits>(group);
  // These lanes have no block.
  for (size_t i = 0; !LINEFILTER_GFNI && num_blocks != 8 && i < kUnits * group.padded_keys; ++i) {
    for (size_t block = group.num_tasks; block < 8; ++block) group.work->unit_half_rows[8 * i + block] = 0;
  }
  for (int run = 0; run <= U::RunOf(num_blocks - 1, kUnits - 1); run += kRunsAtOnce<kUnits>) {
    SolveRuns<kUnits>(group, run, failed + run);
  }
  for (int block = 0; block < num_blocks; ++block) {
    found->outcome[block] = Outcome::kSolved;
    for (int unit = 0; unit < kUnits; ++unit) {
      const bool fails = failed[U::RunOf(block, unit)][U::LaneOf(block, unit)] >> 63 != 0;
      if (fails) found->outcome[block] = Outcome::kTooFull;
    }
  }
#if !LINEFILTER_GFNI
  SumSides<kUnits>(group);
#endif
}

template <int kUnits, int kClusters, int kWords>
HWY_INLINE void ClusterLevel(const Group& group, const Widths<kUnits>& widths,
                             Places<kUnits, kClusters, kWords>* places, Found* found) {
  alignas(64) uint64_t failed[8] = {};
  bool fits[8];
  PlaceUnits(group, widths, places, fits);
  FillClusters(group, *places);
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    ReduceClusters<kWords>(group, cluster, places->halves[cluster], failed);
  }
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if (found->outcome[block] != Outcome::kSolved) continue;
    if (failed[block] >> 63 != 0) found->outcome[block] = Outcome::kTooFull;
    if (!fits[block]) found->outcome[block] = Outcome::kTooWide;
  }
  SumRestSides<kClusters>(group);
}

// The arrays of RetrievalWork hold so many keys of a block.
template <int kUnits, int kClusters, int kWords>
constexpr size_t MostPaddedKeys() {
  using U = Units<kUnits>;
  const size_t of_units = 8 * internal::kPaddedKeys / (U::kRuns * U::kWords);
  const size_t of_clusters = 4 * internal::kPaddedKeys / (kClusters == 0 ? 1 : kClusters * kWords);
  const size_t least = of_units < of_clusters ? of_units : of_clusters;
  return least < internal::kPaddedKeys ? least : internal::kPaddedKeys;
}

HWY_INLINE void Refuse(size_t num_tasks, Outcome* outcomes) {
  for (size_t block = 0; block < num_tasks; ++block) outcomes[block] = Outcome::kTooWide;
}

// So many constraints come after the first ones, if the halves are what these left: T stops at 248.
constexpr size_t NumConstraints(size_t first, size_t halves) { return first + halves > 31 ? 31 - first : halves; }

#if !LINEFILTER_GFNI

// From the units' free columns on: clusters, the rest, and back to unit_free. False if there is no room.
template <int kUnits, int kClusters, int kWords>
HWY_INLINE bool SolveFreeColumns(const Group& group, const Widths<kUnits>& widths, Found* found) {
  RetrievalWork& work = *group.work;
  Pieces<kUnits> pieces;
  Places<kUnits, kClusters == 0 ? 2 : kClusters, kWords> places;
  if constexpr (kClusters != 0) {
    ClusterLevel(group, widths, &places, found);
    MakeClusterPieces(group, places, &pieces);
  } else {
    MakeUnitPieces(group, widths, &pieces);
    for (size_t i = 0; i < 8 * group.padded_keys; ++i) work.rest_sides[i] = work.sides[i];
  }
  constexpr uint32_t kConstraint = kUnits + kClusters;
  constexpr size_t kConstraints = NumConstraints(kConstraint, kClusters != 0 ? kClusters : kUnits);
  if ((kConstraints * group.most_keys + 8) * pieces.num_words > internal::kMostRestWords) return false;
  alignas(64) uint64_t failed[8] = {};
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if (found->outcome[block] == Outcome::kSolved) failed[block] = kNever;
  }
  PackRows(group, pieces, kConstraints);
  SolveRest(group, pieces.num_words, kConstraint, kConstraints, failed, found);
  if constexpr (kClusters != 0) {
    UnpackClusters(group, places, pieces);
  } else {
    UnpackUnits(group, pieces);
  }
  return true;
}

#endif

// Solves up to eight blocks of 1 to kMostKeysOfLanes keys. kClusters may be 0; a cluster's row has kWords.
template <int kUnits, int kClusters, int kWords>
void SolveGroup(const BlockTask* tasks, size_t num_tasks, RetrievalWork* work, Outcome* outcomes) {
  Group group;
  group.num_tasks = num_tasks;
  group.work = work;
  group.most_keys = 0;
  for (size_t i = 0; i < 8; ++i) {
    group.tasks[i] = tasks + (i < num_tasks ? i : 0);
    if (i < num_tasks && tasks[i].num_keys > group.most_keys) group.most_keys = tasks[i].num_keys;
  }
  group.padded_keys = (group.most_keys + 7) / 8 * 8;
  if (group.padded_keys > MostPaddedKeys<kUnits, kClusters, kWords>()) return Refuse(num_tasks, outcomes);

  Found found;
  Widths<kUnits> widths;
  UnitLevel<kUnits>(group, &found);
  CountFreeColumns<kUnits>(group, &widths);
#if LINEFILTER_GFNI
  constexpr size_t kConstraints = NumConstraints(kUnits + kClusters, kClusters != 0 ? kClusters : kUnits);
  if (!SolveRestByPanels<kUnits, kClusters>(group, widths, kConstraints, &found)) return Refuse(num_tasks, outcomes);
#else
  if (!SolveFreeColumns<kUnits, kClusters, kWords>(group, widths, &found)) return Refuse(num_tasks, outcomes);
#endif

  alignas(64) uint64_t low[16][8], high[16][8];
  const int num_blocks = static_cast<int>(num_tasks), num_runs = Units<kUnits>::RunOf(num_blocks - 1, kUnits - 1) + 1;
  for (int run = 0; run < num_runs; run += 4) SolveUnits<kUnits>(group, run, low, high);
  for (int block = 0; block < num_blocks; ++block) {
    outcomes[block] = found.outcome[block];
    if (found.outcome[block] == Outcome::kSolved) WriteBlock<kUnits>(group, block, found.header[block], low, high);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_SOLVE_INL_H_
