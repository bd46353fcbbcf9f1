// The second level of the retrieval solver (solve-inl.h): units whose numbers agree in the low digits form a cluster.
// The sum of a key's half rows over a cluster's units is one row of a system of its own. What is left of the half rows
// of every second unit goes on to the rest. Lanes are blocks.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTERS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTERS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTERS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/half_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

HWY_INLINE uint64_t Ones(uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// The free columns of each unit, of all blocks of a group: [unit][block]. There are none where there is no block.
template <int kUnits>
struct Widths {
  uint8_t of[size_t{kUnits}][8];
};

template <int kUnits>
HWY_INLINE void CountFreeColumns(const Group& group, Widths<kUnits>* widths) {
  using U = Units<kUnits>;
  for (int unit = 0; unit < kUnits; ++unit) {
    for (int block = 0; block < 8; ++block) {
      const uint64_t free = static_cast<size_t>(block) < group.num_tasks
                                ? group.work->unit_compress[U::RunOf(block, unit)][6][U::LaneOf(block, unit)]
                                : 0;
      widths->of[unit][block] = static_cast<uint8_t>(__builtin_popcountll(free));
    }
  }
}

// Makes right sides of the constraints that come after the units' own, from those that the reduced half rows have.
template <int kUnits>
HWY_NOINLINE void SumSides(const Group& group) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  for (size_t q = 0; q < group.padded_keys; ++q) {
    const uint64_t* const half_rows = work.unit_half_rows + 8 * kUnits * q;
    for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
      Vec sides = lanes::Zero();
      LINEFILTER_UNROLL
      for (int unit = 0; unit < kUnits; ++unit) {
        const Vec side = lanes::And(lanes::Load(half_rows + 8 * unit + lane), lanes::Set(kRightSide));
        sides = lanes::Or(sides, lanes::ShiftRightSame(side, 63 - unit));
      }
      const Vec values = lanes::ShiftRight<kUnits>(lanes::Load(work.lane_values + 8 * q + lane));
      sides = lanes::Xor(SumOverSupersets<DigitsOf(kUnits)>(sides), lanes::And(values, lanes::Set(Ones(kUnits))));
      lanes::Store(sides, work.sides + 8 * q + lane);
    }
  }
}

// Places tell where a unit lies in the rows of its cluster, by block.
template <int kUnits, int kClusters, int kWords>
struct Places {
  static constexpr int kPerWord = kUnits / kClusters / kWords;  // units of a cluster in one of its words
  alignas(64) uint64_t shift[size_t{kUnits}][8];
  alignas(64) uint64_t mask[size_t{kUnits}][8];                       // which bits of the word it has
  alignas(64) uint64_t halves[size_t{kClusters}][size_t{kWords}][8];  // which columns a half row has
  // The place of InOrder(i) among the units of its cluster.
  static constexpr int WordOf(int unit) {
    int before = 0;
    for (int i = 0; Units<kUnits>::InOrder(i) != unit; ++i)
      before += Units<kUnits>::InOrder(i) % kClusters == unit % kClusters;
    return before / kPerWord;
  }
};

// Lays the units of each cluster side by side. Where a block has no room, it has no columns, and fits[block] is false.
// cluster_free marks what is the rest's business: columns of units behind the first of each cluster, for half rows
// begin with the second.
template <int kUnits, int kClusters, int kWords>
HWY_NOINLINE void PlaceUnits(const Group& group, const Widths<kUnits>& widths,
                             Places<kUnits, kClusters, kWords>* places, bool* fits) {
  using P = Places<kUnits, kClusters, kWords>;
  for (int block = 0; block < 8; ++block) {
    uint32_t used[size_t{kClusters}][size_t{kWords}] = {};
    fits[block] = true;
    for (int unit = 0; unit < kUnits; ++unit) {
      used[unit % kClusters][P::WordOf(unit)] += widths.of[unit][block];
      if (used[unit % kClusters][P::WordOf(unit)] > 63) fits[block] = false;
    }
    uint32_t at[size_t{kClusters}][size_t{kWords}] = {};
    uint64_t halves[size_t{kClusters}][size_t{kWords}] = {}, rest[size_t{kClusters}][size_t{kWords}] = {};
    for (int i = 0; i < kUnits; ++i) {
      const int unit = Units<kUnits>::InOrder(i), cluster = unit % kClusters, word = P::WordOf(unit);
      const uint32_t width = fits[block] ? widths.of[unit][block] : 0;
      places->shift[unit][block] = at[cluster][word];
      places->mask[unit][block] = Ones(width) << at[cluster][word];
      at[cluster][word] += width;
      if (unit >= kClusters) rest[cluster][word] |= places->mask[unit][block];
      if (unit / kClusters % 2 == 1) halves[cluster][word] |= places->mask[unit][block];
    }
    for (int cluster = 0; cluster < kClusters; ++cluster) {
      for (int w = 0; w < kWords; ++w) {
        places->halves[cluster][w][block] = halves[cluster][w];
        group.work->cluster_free[cluster][w][block] = rest[cluster][w];
      }
    }
  }
}

// Makes the clusters' rows.
template <int kUnits, int kClusters, int kWords>
HWY_NOINLINE void FillClusters(const Group& group, const Places<kUnits, kClusters, kWords>& places) {
  using lanes::Vec;
  using P = Places<kUnits, kClusters, kWords>;
  RetrievalWork& work = *group.work;
  for (size_t q = 0; q < group.padded_keys; ++q) {
    const uint64_t* const half_rows = work.unit_half_rows + 8 * kUnits * q;
    for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
      const Vec values = SumOverSupersets<DigitsOf(kClusters)>(
          lanes::And(lanes::Load(work.sides + 8 * q + lane), lanes::Set(Ones(kClusters))));
      LINEFILTER_UNROLL
      for (int cluster = 0; cluster < kClusters; ++cluster) {
        uint64_t* const row = work.cluster_input + 8 * kWords * (static_cast<size_t>(cluster) * group.padded_keys + q);
        LINEFILTER_UNROLL
        for (int w = 0; w < kWords; ++w) {
          Vec word = lanes::Zero();
          LINEFILTER_UNROLL
          for (int unit = cluster; unit < kUnits; unit += kClusters) {
            if (P::WordOf(unit) != w) continue;
            const Vec columns = lanes::Load(half_rows + 8 * unit + lane);
            // The mask takes away the right side, too.
            word = lanes::Or(word, lanes::And(lanes::ShiftLeftBy(columns, lanes::Load(places.shift[unit] + lane)),
                                              lanes::Load(places.mask[unit] + lane)));
          }
          if (w + 1 == kWords) {
            word = lanes::Or(word, lanes::And(lanes::ShiftLeftSame(values, 63 - cluster), lanes::Set(kRightSide)));
          }
          lanes::Store(word, row + 8 * w + lane);
        }
      }
    }
  }
}

// Solves one cluster of all blocks and reduces its half rows. Bit 63 of failed[block] tells of contradictions.
template <int kWords>
HWY_NOINLINE void ReduceClusters(const Group& group, int cluster, const uint64_t (&half_columns)[size_t{kWords}][8],
                                 uint64_t* failed) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  const size_t base = static_cast<size_t>(cluster) * group.padded_keys;
  const uint64_t* const input = work.cluster_input + 8 * kWords * base;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    System<kWords> system;
    system.rows = work.cluster_rows + 8 * kWords * base;
    system.tests = work.cluster_tests;
    system.Clear();
    AnyFailure failure{lanes::Zero()};
    Tile<kWords> tile;
    while (system.num_rows < group.most_keys) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          tile[t][w] = lanes::Load(input + 8 * (kWords * (system.num_rows + t) + w) + lane);
        }
      }
      ReduceByAll<kWords, kTileRows<kWords>>(system, lane, tile);
      AppendTile<kWords>(system, lane, kTileRows<kWords>, tile, failure);
    }
    lanes::Store(lanes::Or(failure.fails, lanes::Load(failed + lane)), failed + lane);

    Vec pivots[size_t{kWords}], halves[size_t{kWords}];
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) {
      halves[w] = lanes::Load(half_columns[w] + lane);
      pivots[w] = lanes::Zero();
    }
    // Half rows meet no row before the first whose pivot is in their lowest column or above.
    const Vec met = lanes::Sub(lanes::Zero(), lanes::LowestBit(halves[0]));
    for (size_t r = group.most_keys; r-- > 0;) {
      Vec row[size_t{kWords}], bits[size_t{kWords}];
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) row[w] = lanes::Load(system.Row(r, w) + lane);
      FindPivot<kWords>(row, bits);
      Vec above = lanes::And(bits[0], met);
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) {
        const Vec pivot = bits[w];
        pivots[w] = lanes::Or(pivots[w], pivot);
        if (w > 0) above = lanes::Or(above, pivot);
      }
      if (!lanes::AllTrue(lanes::IsZero(above))) system.start[0] = r;
    }
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) {
      PrepareCompress<6>(lanes::AndNot(pivots[w], lanes::Load(work.cluster_free[cluster][w] + lane)),
                         work.cluster_compress[cluster][w], lane);
    }
    system.num_rows = group.most_keys;
    for (size_t q = 0; q < group.padded_keys; q += kTileRows<kWords>) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          tile[t][w] = lanes::And(lanes::Load(input + 8 * (kWords * (q + t) + w) + lane), halves[w]);
        }
      }
      ReduceByAll<kWords, kTileRows<kWords>>(system, lane, tile);
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          lanes::Store(Compress<6>(tile[t][w], work.cluster_compress[cluster][w], lane),
                       work.cluster_half_rows + 8 * (kWords * (base + q + t) + w) + lane);
        }
        lanes::Store(tile[t][kWords - 1], work.cluster_sides + 8 * (base + q + t) + lane);
      }
    }
  }
}

// rest_sides is what the constraints after the clusters' own demand of the clusters' reduced half rows.
template <int kClusters>
HWY_NOINLINE void SumRestSides(const Group& group) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  for (size_t q = 0; q < group.padded_keys; ++q) {
    for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
      Vec sides = lanes::Zero();
      LINEFILTER_UNROLL
      for (int cluster = 0; cluster < kClusters; ++cluster) {
        const Vec row =
            lanes::Load(work.cluster_sides + 8 * (static_cast<size_t>(cluster) * group.padded_keys + q) + lane);
        sides = lanes::Or(sides, lanes::ShiftRightSame(lanes::And(row, lanes::Set(kRightSide)), 63 - cluster));
      }
      const Vec demanded =
          lanes::And(lanes::ShiftRight<kClusters>(lanes::Load(work.sides + 8 * q + lane)), lanes::Set(Ones(kClusters)));
      lanes::Store(lanes::Xor(SumOverSupersets<DigitsOf(kClusters)>(sides), demanded), work.rest_sides + 8 * q + lane);
    }
  }
}

// Makes all columns of kSystems clusters, from cluster_free and in its place.
template <int kWords, int kSystems>
HWY_NOINLINE void SolveClusters(const Group& group, int first) {
  RetrievalWork& work = *group.work;
  const size_t distance = 8 * kWords * group.padded_keys;
  const uint64_t* const rows = work.cluster_rows + distance * static_cast<size_t>(first);
  lanes::Vec limit[size_t{kSystems}];
  LINEFILTER_UNROLL
  for (int s = 0; s < kSystems; ++s) limit[s] = lanes::Set(kNever);
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    lanes::Vec x[size_t{kSystems}][size_t{kWords}];
    LINEFILTER_UNROLL
    for (int s = 0; s < kSystems; ++s) {
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) {
        x[s][w] =
            Expand<6>(lanes::Load(work.cluster_free[first + s][w] + lane), work.cluster_compress[first + s][w], lane);
      }
    }
    SolveBackwards<kWords, kSystems>(rows + lane, group.most_keys, distance, limit, x);
    LINEFILTER_UNROLL
    for (int s = 0; s < kSystems; ++s) {
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) lanes::Store(x[s][w], work.cluster_free[first + s][w] + lane);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_CLUSTERS_INL_H_
