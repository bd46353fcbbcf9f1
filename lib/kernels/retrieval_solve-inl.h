// The solver of the layout `retrieval`: eight blocks at a time, all with about as many keys. The largest T, and the
// solution with free columns zero, follow from the block's keys alone, so how they are found is free. It is done by
// levels, because systems that are apart are cheaper than one:
//
// 1. Units. A block's first kUnits constraints, summed over supersets, are the parities of kUnits separate parts of it:
//    half words, words, or pairs of words. Each is a system of its own, a row per key, 504 / kUnits columns.
// 2. Clusters. The next constraints sum up the upper halves of units. Their rows are reduced by the units' own; the
//    first kClusters of them, summed over supersets, are parities of kClusters separate sets of units.
// 3. The rest: constraints one after another until one contradicts.
//
// On each level systems are the lanes of vectors: the units of a block, the clusters of some blocks, blocks. A block
// with n keys has about 504 / n constraints per key, so kUnits + kClusters is chosen just below that; a guess that was
// wrong is found out (Outcome) and another one tried.

#if defined(LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
#undef LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
#else
#define LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/bits/endian.h"
#include "lib/kernels/retrieval_rest-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// What lies between the levels, of each block of a group.
template <int kUnits, int kClusters>
struct Layouts {
  Place places[8][kUnits];   // of units in the rows of clusters
  Pieces<kUnits> pieces[8];  // of the rest
};

template <int kUnits>
HWY_INLINE void MakeUnitPieces(const Group& group, int block, Pieces<kUnits>* pieces) {
  using U = Units<kUnits>;
  for (int i = 0; i < kUnits; ++i) {
    const int unit = U::InOrder(i);
    Piece& piece = pieces->piece[i];
    piece.columns = group.work->unit_half_rows + 8 * static_cast<size_t>(U::RunOf(block, unit)) * group.padded_keys +
                    U::LaneOf(block, unit);
    piece.step = 8;
    piece.shift = 0;
    piece.width = static_cast<uint8_t>(__builtin_popcountll(FreeColumns<kUnits>(group, block, unit)));
    piece.part = static_cast<uint8_t>(unit);
  }
  pieces->Lay();
}

template <int kUnits, int kClusters, int kWords>
HWY_INLINE void MakeClusterPieces(const Group& group, int block, const Place (&places)[kUnits],
                                  Pieces<kUnits>* pieces) {
  using C = Clusters<kUnits, kClusters, kWords>;
  const size_t run = static_cast<size_t>(C::RunOf(block));
  for (int i = 0; i < kUnits; ++i) {
    const int unit = Units<kUnits>::InOrder(i), cluster = unit % kClusters;
    const Place place = places[unit];
    const size_t lane = static_cast<size_t>(C::LaneOf(block, cluster));
    const uint64_t free = group.work->cluster_compress[run][place.word][6][lane];
    Piece& piece = pieces->piece[i];
    piece.columns = group.work->cluster_half_rows + 8 * (kWords * run * group.padded_keys + place.word) + lane;
    piece.step = 8 * kWords;
    piece.shift = static_cast<uint8_t>(__builtin_popcountll(free & Ones(place.shift)));
    piece.width = static_cast<uint8_t>(__builtin_popcountll(free >> place.shift & Ones(place.width)));
    piece.part = static_cast<uint8_t>(cluster);
  }
  pieces->Lay();
}

// Which columns of the clusters' rows are the rest's business: those of units behind the first of each cluster, for
// half rows begin with the second. Before ReduceClusters, which reads it.
template <int kUnits, int kClusters, int kWords>
HWY_INLINE void MarkRest(const Group& group, int block, bool used, const Place (&places)[kUnits]) {
  using C = Clusters<kUnits, kClusters, kWords>;
  uint64_t marks[kClusters][kWords] = {};
  for (int unit = kClusters; used && unit < kUnits; ++unit) {
    marks[unit % kClusters][places[unit].word] |= Ones(places[unit].width) << places[unit].shift;
  }
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    for (int w = 0; w < kWords; ++w) {
      group.work->cluster_free[C::RunOf(block)][w][C::LaneOf(block, cluster)] = marks[cluster][w];
    }
  }
}

// rest_sides of a block: what the constraints after the clusters' own demand of their reduced half rows.
template <int kUnits, int kClusters, int kWords>
HWY_INLINE void SumRestSides(const Group& group, int block) {
  using C = Clusters<kUnits, kClusters, kWords>;
  RetrievalWork& work = *group.work;
  const size_t run = static_cast<size_t>(C::RunOf(block));
  for (size_t q = 0; q < group.padded_keys; ++q) {
    uint32_t sides = 0;
    LINEFILTER_UNROLL
    for (int cluster = 0; cluster < kClusters; ++cluster) {
      sides |=
          static_cast<uint32_t>(
              work.cluster_sides[8 * (run * group.padded_keys + q) + static_cast<size_t>(C::LaneOf(block, cluster))] >>
              63)
          << cluster;
    }
    work.rest_sides[8 * q + static_cast<size_t>(block)] =
        internal::SumOverSupersets(sides, C::kDigits) ^ (work.sides[block][q] >> kClusters & Ones(kClusters));
  }
}

// From the solution of the rest back to unit_free.
template <int kUnits, int kClusters, int kWords>
HWY_INLINE void Unpack(const Group& group, const Layouts<kUnits, kClusters>& layouts) {
  using U = Units<kUnits>;
  RetrievalWork& work = *group.work;
  const int num_blocks = static_cast<int>(group.num_tasks);
  if constexpr (kClusters != 0) {
    using C = Clusters<kUnits, kClusters, kWords>;
    for (int block = 0; block < num_blocks; ++block) {
      for (int cluster = 0; cluster < kClusters; ++cluster) {
        for (int w = 0; w < kWords; ++w) work.cluster_free[C::RunOf(block)][w][C::LaneOf(block, cluster)] = 0;
      }
      for (int i = 0; i < kUnits; ++i) {
        const int unit = U::InOrder(i);
        const Piece& piece = layouts.pieces[block].piece[i];
        work.cluster_free[C::RunOf(block)][layouts.places[block][unit].word][C::LaneOf(block, unit % kClusters)] |=
            SolutionOf(group, block, piece) << piece.shift;
      }
    }
    for (int run = 0; run <= C::RunOf(num_blocks - 1); ++run) SolveClusters<kWords>(group, run);
  }
  for (int block = 0; block < num_blocks; ++block) {
    for (int i = 0; i < kUnits; ++i) {
      const int unit = U::InOrder(i);
      uint64_t bits;
      if constexpr (kClusters != 0) {
        using C = Clusters<kUnits, kClusters, kWords>;
        const Place place = layouts.places[block][unit];
        bits = work.cluster_free[C::RunOf(block)][place.word][C::LaneOf(block, unit % kClusters)] >> place.shift &
               Ones(place.width);
      } else {
        bits = SolutionOf(group, block, layouts.pieces[block].piece[i]);
      }
      work.unit_free[U::RunOf(block, unit)][U::LaneOf(block, unit)] = bits;
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
      word = (w < 4 ? low : high)[block / 2][U::LaneOf(block, w % 4)];
    }
    internal::StoreLE64((word & ~kRightSide) | static_cast<uint64_t>(header >> w & 1) << 63,
                        group.tasks[block]->block + 8 * w);
  }
}

// Units; then sets failed[block] to 0 where they contradict, else to kNever.
template <int kUnits>
HWY_INLINE void UnitLevel(const Group& group, Found* found) {
  using U = Units<kUnits>;
  alignas(64) uint64_t unit_failed[16][8];
  const int num_blocks = static_cast<int>(group.num_tasks);
  PrepareKeys<kUnits>(group);
  for (int run = 0; run <= U::RunOf(num_blocks - 1, kUnits - 1); ++run)
    ReduceUnits<kUnits>(group, run, unit_failed[run]);
  for (int block = 0; block < num_blocks; ++block) {
    found->outcome[block] = Outcome::kSolved;
    for (int unit = 0; unit < kUnits; ++unit) {
      if (unit_failed[U::RunOf(block, unit)][U::LaneOf(block, unit)] < kNever)
        found->outcome[block] = Outcome::kTooFull;
    }
    SumSides<kUnits>(group, block);
  }
}

template <int kUnits, int kClusters, int kWords>
HWY_INLINE void ClusterLevel(const Group& group, Layouts<kUnits, kClusters>* layouts, Found* found) {
  using C = Clusters<kUnits, kClusters, kWords>;
  alignas(64) uint64_t cluster_failed[8][8];
  const int num_blocks = static_cast<int>(group.num_tasks), last_run = C::RunOf(num_blocks - 1);
  for (int block = 0; C::RunOf(block) <= last_run && block < 8; ++block) {
    bool used = block < num_blocks;
    if (used && !PlaceUnits<kUnits, kClusters, kWords>(group, block, layouts->places[block])) {
      for (Place& place : layouts->places[block]) place = Place{0, 0, 0};
      if (found->outcome[block] == Outcome::kSolved) found->outcome[block] = Outcome::kTooWide;
      used = false;
    }
    FillClusters<kUnits, kClusters, kWords>(group, block, used, layouts->places[block]);
    MarkRest<kUnits, kClusters, kWords>(group, block, used, layouts->places[block]);
  }
  for (int run = 0; run <= last_run; ++run) ReduceClusters<kWords>(group, run, cluster_failed[run]);
  for (int block = 0; block < num_blocks; ++block) {
    for (int cluster = 0; cluster < kClusters; ++cluster) {
      const bool failed = cluster_failed[C::RunOf(block)][C::LaneOf(block, cluster)] < kNever;
      if (failed && found->outcome[block] == Outcome::kSolved) found->outcome[block] = Outcome::kTooFull;
    }
    SumRestSides<kUnits, kClusters, kWords>(group, block);
    MakeClusterPieces<kUnits, kClusters, kWords>(group, block, layouts->places[block], &layouts->pieces[block]);
  }
}

// Up to eight blocks of 1 to kMostKeysOfLanes keys. kClusters 0: no clusters. kWords: of a cluster's row.
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
  const int num_blocks = static_cast<int>(num_tasks);

  Found found;
  Layouts<kUnits, kClusters> layouts;
  UnitLevel<kUnits>(group, &found);
  if constexpr (kClusters != 0) {
    ClusterLevel<kUnits, kClusters, kWords>(group, &layouts, &found);
  } else {
    for (int block = 0; block < num_blocks; ++block) {
      MakeUnitPieces<kUnits>(group, block, &layouts.pieces[block]);
      for (size_t q = 0; q < group.padded_keys; ++q) work->rest_sides[8 * q + block] = work->sides[block][q];
    }
  }

  constexpr uint32_t kConstraint = kUnits + kClusters;
  constexpr size_t kOpen = kClusters != 0 ? kClusters : kUnits;                         // constraints of the halves
  constexpr size_t kConstraints = kConstraint + kOpen > 31 ? 31 - kConstraint : kOpen;  // T stops at 248
  alignas(64) uint64_t failed[8] = {};
  uint32_t columns = 0;
  for (int block = 0; block < num_blocks; ++block) {
    if (found.outcome[block] == Outcome::kSolved) failed[block] = kNever;
    if (layouts.pieces[block].columns > columns) columns = layouts.pieces[block].columns;
  }
  const size_t num_words = columns / 64 + 1;  // and room for the right side
  for (int block = 0; block < 8; ++block) {
    if (block < num_blocks) {
      PackBlock<kUnits>(group, block, layouts.pieces[block], kConstraints, num_words);
    } else {
      PackNothing(group, block, kConstraints, num_words);
    }
  }
  SolveRest(group, num_words, kConstraint, kConstraints, failed, &found);

  alignas(64) uint64_t low[16][8], high[16][8];
  Unpack<kUnits, kClusters, kWords>(group, layouts);
  const int num_runs = Units<kUnits>::RunOf(num_blocks - 1, kUnits - 1) + 1;
  for (int run = 0; run < num_runs; run += 4) SolveUnits<kUnits>(group, run, low, high);
  for (int block = 0; block < num_blocks; ++block) {
    outcomes[block] = found.outcome[block];
    if (found.outcome[block] == Outcome::kSolved) WriteBlock<kUnits>(group, block, found.header[block], low, high);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
