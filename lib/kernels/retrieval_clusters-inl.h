// The second level of the retrieval solver (retrieval_solve-inl.h): units whose numbers agree in the low digits form a
// cluster. The sum of a key's half rows over a cluster's units is one row of a system of its own; what is left of the
// half rows of every second unit goes on to the rest.

#if defined(LINEFILTER_LIB_KERNELS_RETRIEVAL_CLUSTERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_KERNELS_RETRIEVAL_CLUSTERS_INL_H_
#undef LINEFILTER_LIB_KERNELS_RETRIEVAL_CLUSTERS_INL_H_
#else
#define LINEFILTER_LIB_KERNELS_RETRIEVAL_CLUSTERS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/kernels/retrieval_units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// kClusters of the units of a block each; 0 = the level is left out.
template <int kUnits, int kClusters, int kWords>
struct Clusters {
  static constexpr int kDigits = kClusters == 8 ? 3 : kClusters == 4 ? 2 : 1;
  static constexpr int kBlocksPerRun = 8 / kClusters;
  static constexpr int RunOf(int block) { return block / kBlocksPerRun; }
  static constexpr int LaneOf(int block, int cluster) { return block % kBlocksPerRun * kClusters + cluster; }
};

// Where the free columns of something lie: in a word of a row, from bit `shift` on.
struct Place {
  uint8_t word, shift, width;
};

template <int kUnits>
HWY_INLINE uint64_t FreeColumns(const Group& group, int block, int unit) {
  using U = Units<kUnits>;
  return group.work->unit_compress[U::RunOf(block, unit)][6][U::LaneOf(block, unit)];
}

// Lays the units of each cluster side by side, none across two words. False if there is no room.
template <int kUnits, int kClusters, int kWords>
HWY_INLINE bool PlaceUnits(const Group& group, int block, Place (&places)[kUnits]) {
  uint32_t word[kClusters] = {}, used[kClusters] = {};
  for (int i = 0; i < kUnits; ++i) {
    const int unit = Units<kUnits>::InOrder(i), cluster = unit % kClusters;
    const uint32_t width = static_cast<uint32_t>(__builtin_popcountll(FreeColumns<kUnits>(group, block, unit)));
    // The last word keeps a bit for the right side.
    if (used[cluster] + width > (word[cluster] + 1 == kWords ? 63u : 64u)) ++word[cluster], used[cluster] = 0;
    if (word[cluster] == kWords || width > 63) return false;
    places[unit] = {static_cast<uint8_t>(word[cluster]), static_cast<uint8_t>(used[cluster]),
                    static_cast<uint8_t>(width)};
    used[cluster] += width;
  }
  return true;
}

HWY_INLINE uint64_t Ones(uint32_t n) { return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1; }

// Right sides of the constraints that come after the units' own, from those that the reduced half rows have.
template <int kUnits>
HWY_NOINLINE void SumSides(const Group& group, int block) {
  using U = Units<kUnits>;
  RetrievalWork& work = *group.work;
  for (size_t q = 0; q < group.padded_keys; ++q) {
    uint32_t sides = 0;
    LINEFILTER_UNROLL
    for (int unit = 0; unit < kUnits; ++unit) {
      const size_t run = static_cast<size_t>(U::RunOf(block, unit)), lane = static_cast<size_t>(U::LaneOf(block, unit));
      sides |= static_cast<uint32_t>(work.unit_half_rows[8 * (run * group.padded_keys + q) + lane] >> 63) << unit;
    }
    work.sides[block][q] =
        internal::SumOverSupersets(sides, U::kDigits) ^ (work.values[block][q] >> kUnits & Ones(kUnits));
  }
}

// The rows of a block's clusters. A lane without a block gets zeros.
template <int kUnits, int kClusters, int kWords>
HWY_NOINLINE void FillClusters(const Group& group, int block, bool used, const Place (&places)[kUnits]) {
  using U = Units<kUnits>;
  using C = Clusters<kUnits, kClusters, kWords>;
  RetrievalWork& work = *group.work;
  const size_t run = static_cast<size_t>(C::RunOf(block));
  for (int cluster = 0; cluster < kClusters; ++cluster) {
    const size_t lane = static_cast<size_t>(C::LaneOf(block, cluster));
    uint64_t halves[kWords] = {};
    for (int unit = cluster; used && unit < kUnits; unit += kClusters) {
      const Place place = places[unit];
      if (unit / kClusters % 2 == 1) halves[place.word] |= Ones(place.width) << place.shift;
    }
    for (int w = 0; w < kWords; ++w) work.cluster_halves[run][w][lane] = halves[w];
  }
  for (size_t q = 0; q < group.padded_keys; ++q) {
    uint64_t* const rows = work.cluster_input + 8 * kWords * (run * group.padded_keys + q);
    const uint32_t values =
        used ? internal::SumOverSupersets(static_cast<uint32_t>(work.sides[block][q] & Ones(kClusters)), C::kDigits)
             : 0;
    LINEFILTER_UNROLL
    for (int cluster = 0; cluster < kClusters; ++cluster) {
      uint64_t row[kWords] = {};
      for (int unit = cluster; used && unit < kUnits; unit += kClusters) {
        const Place place = places[unit];
        const size_t unit_run = static_cast<size_t>(U::RunOf(block, unit));
        const uint64_t columns =
            work.unit_half_rows[8 * (unit_run * group.padded_keys + q) + static_cast<size_t>(U::LaneOf(block, unit))];
        if (kWords == 1) {
          row[0] |= (columns & ~kRightSide) << place.shift;
        } else {
          row[place.word] |= (columns & ~kRightSide) << place.shift;
        }
      }
      row[kWords - 1] |= static_cast<uint64_t>(values >> cluster & 1) << 63;
      for (int w = 0; w < kWords; ++w) rows[8 * w + C::LaneOf(block, cluster)] = row[w];
    }
  }
}

// Solves the clusters of a run and reduces their half rows. failed[lane] tells of contradictions.
template <int kWords>
HWY_NOINLINE void ReduceClusters(const Group& group, int run, uint64_t* failed) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  const size_t base = static_cast<size_t>(run) * group.padded_keys;
  const uint64_t* const input = work.cluster_input + 8 * kWords * base;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    System<kWords> system;
    system.rows = work.cluster_rows + 8 * kWords * base;
    system.pivots = work.cluster_pivots;
    system.Clear();
    Vec fails = lanes::Set(kNever);
    Tile<kWords> tile;
    while (system.num_rows < group.padded_keys) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          tile[t][w] = lanes::Load(input + 8 * (kWords * (system.num_rows + t) + w) + lane);
        }
      }
      ReduceByAll<kWords>(system, lane, tile);
      AppendTile<kWords>(system, lane, tile, &fails);
      system.num_rows += kTileRows<kWords>;
    }
    lanes::Store(fails, failed + lane);

    // Which columns can be left in half rows: those from the first half on that have no pivot.
    Vec pivots[kWords], halves[kWords];
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) {
      halves[w] = lanes::Load(work.cluster_halves[run][w] + lane);
      pivots[w] = lanes::Zero();
      for (size_t r = 0; r < group.most_keys; ++r)
        pivots[w] = lanes::Or(pivots[w], lanes::Load(system.Pivot(r, w) + lane));
      const Vec used = w == kWords - 1 ? lanes::Set(~kRightSide) : lanes::Set(~uint64_t{0});
      PrepareCompress<6>(lanes::And(lanes::AndNot(pivots[w], used), lanes::Load(work.cluster_free[run][w] + lane)),
                         work.cluster_compress[run][w], lane);
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
      ReduceByAll<kWords>(system, lane, tile);
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          lanes::Store(Compress<6>(tile[t][w], work.cluster_compress[run][w], lane),
                       work.cluster_half_rows + 8 * (kWords * (base + q + t) + w) + lane);
        }
        lanes::Store(tile[t][kWords - 1], work.cluster_sides + 8 * (base + q + t) + lane);
      }
    }
  }
}

// All columns of the clusters of a run, from cluster_free and in its place.
template <int kWords>
HWY_NOINLINE void SolveClusters(const Group& group, int run) {
  RetrievalWork& work = *group.work;
  const uint64_t* const rows = work.cluster_rows + 8 * kWords * static_cast<size_t>(run) * group.padded_keys;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    lanes::Vec x[1][kWords];
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) {
      x[0][w] = Expand<6>(lanes::Load(work.cluster_free[run][w] + lane), work.cluster_compress[run][w], lane);
    }
    SolveBackwards<kWords, 1>(rows + lane, group.most_keys, 0, lanes::Set(kNever), x);
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) lanes::Store(x[0][w], work.cluster_free[run][w] + lane);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_KERNELS_RETRIEVAL_CLUSTERS_INL_H_
