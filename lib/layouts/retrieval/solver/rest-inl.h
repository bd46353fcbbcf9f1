// The last level of the retrieval solver (solve-inl.h) packs all columns that the levels before left free side by side.
// Lanes are blocks. Equations come in the order of T's steps until one contradicts.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/clusters-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// Pieces are free columns of units, in order: what is left of each unit after the level before. Those of key q are at
// columns + step * q, a vector of blocks, from bit `from` on under `mask` (by block); they go to bit `to` of a row.
template <int kUnits>
struct Pieces {
  const uint64_t* columns[size_t{kUnits}];
  size_t step;
  uint8_t part[size_t{kUnits}];  // the unit, or the cluster
  alignas(64) uint64_t from[size_t{kUnits}][8];
  alignas(64) uint64_t mask[size_t{kUnits}][8];
  alignas(64) uint64_t to[size_t{kUnits}][8];
  uint32_t first[internal::kMostWords], last[internal::kMostWords];  // which pieces reach into a word: [first, last)
  size_t num_words;                                                  // of a packed row, with room for the right side

  void Lay() {
    uint32_t most = 0;
    for (uint32_t w = 0; w < internal::kMostWords; ++w) first[w] = kUnits, last[w] = 0;
    for (int block = 0; block < 8; ++block) {
      uint32_t at = 0;
      for (uint32_t i = 0; i < kUnits; ++i) {
        const uint32_t width = static_cast<uint32_t>(__builtin_popcountll(mask[i][block]));
        to[i][block] = at;
        for (uint32_t w = at / 64; width != 0 && w <= (at + width - 1) / 64; ++w) {
          if (i < first[w]) first[w] = i;
          if (i >= last[w]) last[w] = i + 1;
        }
        at += width;
      }
      if (at > most) most = at;
    }
    num_words = most / 64 + 1;
  }
};

// Makes word w of a packed row of these columns: bits that come from below or above it fall out.
template <int kUnits, class Columns>
HWY_INLINE lanes::Vec PackWord(const Pieces<kUnits>& pieces, size_t w, size_t lane, const Columns& columns) {
  using lanes::Vec;
  const Vec begin = lanes::Set(64 * w);
  Vec word = lanes::Zero();
  for (uint32_t i = pieces.first[w]; i < pieces.last[w]; ++i) {
    const Vec bits = columns(i);
    const Vec to = lanes::Load(pieces.to[i] + lane);
    const Vec up = lanes::ShiftLeftBy(bits, lanes::Sub(to, begin)),
              down = lanes::ShiftRightBy(bits, lanes::Sub(begin, to));
    word = lanes::Or(word, lanes::Or(up, down));
  }
  return word;
}

// Makes all packed rows, and what each constraint sums up: the pieces of all parts that include it.
template <int kUnits>
HWY_NOINLINE void PackRows(const Group& group, const Pieces<kUnits>& pieces, size_t num_constraints) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  const size_t num_words = pieces.num_words;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    for (size_t m = 0; m < num_constraints; ++m) {
      for (size_t w = 0; w < num_words; ++w) {
        const auto all = [&](uint32_t i) HWY_ATTR {
          return (pieces.part[i] & m) == m ? lanes::Load(pieces.mask[i] + lane) : lanes::Zero();
        };
        lanes::Store(PackWord(pieces, w, lane, all), work.masks + 8 * (num_words * m + w) + lane);
      }
    }
    for (size_t q = 0; q < group.padded_keys; ++q) {
      for (size_t w = 0; w < num_words; ++w) {
        const auto of_key = [&](uint32_t i) HWY_ATTR {
          const Vec columns = lanes::Load(pieces.columns[i] + pieces.step * q + lane);
          return lanes::And(lanes::ShiftRightBy(columns, lanes::Load(pieces.from[i] + lane)),
                            lanes::Load(pieces.mask[i] + lane));
        };
        lanes::Store(PackWord(pieces, w, lane, of_key), work.packed + 8 * (num_words * q + w) + lane);
      }
    }
  }
}

// Takes equations until every lane has failed; returns their number. failed is 0 at first for lanes that need not be
// solved, and at last the first contradiction, as constraint * most_keys + key.
template <int kWords>
HWY_NOINLINE size_t ReduceRest(const Group& group, size_t num_constraints, size_t lane, uint64_t* failed) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  System<kWords> system;
  system.rows = work.rest_rows[0];
  system.tests = work.rest_rows[1];
  system.Clear();
  FirstFailure failure{lanes::Load(failed + lane)};
  Tile<kWords> tile;
  for (size_t m = 0; m < num_constraints; ++m) {
    const uint64_t* const masks = work.masks + 8 * kWords * m + lane;
    const Vec bit = lanes::Set(uint64_t{1} << m);
    for (size_t q = 0; q < group.most_keys; q += kTileRows<kWords>) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < kTileRows<kWords>; ++t) {
        const uint64_t* const packed = work.packed + 8 * kWords * (q + t) + lane;
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          tile[t][w] = lanes::And(lanes::Load(packed + 8 * w), lanes::Load(masks + 8 * w));
        }
        const lanes::Mask demanded = lanes::Meets(lanes::Load(work.rest_sides + 8 * (q + t) + lane), bit);
        tile[t][kWords - 1] = lanes::Or(tile[t][kWords - 1], lanes::IfThenElseZero(demanded, lanes::Set(kRightSide)));
      }
      ReduceByAll<kWords, kTileRows<kWords>>(system, lane, tile);
      // Behind the last key a tile is zero, so the next one takes its place.
      const size_t left = group.most_keys - q;
      AppendTile<kWords>(system, lane, left < kTileRows<kWords> ? left : kTileRows<kWords>, tile, failure);
      if (lanes::AllTrue(lanes::IsLess(failure.row, lanes::Set(kNever)))) {
        lanes::Store(failure.row, failed + lane);
        return system.num_rows;
      }
    }
  }
  lanes::Store(failure.row, failed + lane);
  return system.num_rows;
}

// The outcome of a group of blocks, so far.
struct Found {
  Outcome outcome[8];
  uint32_t header[8];
};

// Finds the header of a block from its first contradiction, and how many equations it takes, where each constraint has
// num_rows. constraint is the first of the rest; is_last means that no key has more constraints than those.
HWY_INLINE void FindHeader(const Group& group, size_t num_rows, uint32_t constraint, bool is_last, size_t block,
                           uint64_t failed, Found* found, uint64_t* limit) {
  *limit = kNever;
  if (failed >= kNever) {
    found->outcome[block] = is_last ? Outcome::kSolved : Outcome::kNotFull;
    found->header[block] = internal::kMostHeader;
    return;
  }
  const uint64_t m = failed / num_rows, q = failed % num_rows;
  const BlockTask& task = *group.tasks[block];
  const uint32_t eighth = internal::EighthOf(task.g[q]);
  *limit = m * num_rows + task.before[eighth];
  found->outcome[block] = Outcome::kSolved;
  found->header[block] = static_cast<uint32_t>(8 * (constraint + m) + 7 - eighth);
}

template <int kWords>
HWY_INLINE void SolveRestOfWords(const Group& group, uint32_t constraint, size_t num_constraints, uint64_t* failed,
                                 Found* found) {
  constexpr int kSystems = 8 / lanes::kLanes;
  alignas(64) uint64_t limit[8];
  size_t most_rows = 0;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    const size_t num_rows = ReduceRest<kWords>(group, num_constraints, lane, failed);
    most_rows = num_rows > most_rows ? num_rows : most_rows;
  }
  for (size_t block = 0; block < 8; ++block) {
    limit[block] = 0;
    if (block < group.num_tasks && found->outcome[block] == Outcome::kSolved) {
      FindHeader(group, group.most_keys, constraint, constraint + num_constraints == 31, block, failed[block], found,
                 limit + block);
    }
  }
  // Lanes that had fewer rows have failed before, so their limit leaves the other ones out.
  lanes::Vec x[size_t{kSystems}][size_t{kWords}], limits[size_t{kSystems}];
  LINEFILTER_UNROLL
  for (int s = 0; s < kSystems; ++s) {
    limits[s] = lanes::Load(limit + static_cast<size_t>(s) * lanes::kLanes);
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) x[s][w] = lanes::Zero();
  }
  SolveBackwards<kWords, kSystems>(group.work->rest_rows[0], most_rows, lanes::kLanes, limits, x);
  LINEFILTER_UNROLL
  for (int s = 0; s < kSystems; ++s) {
    LINEFILTER_UNROLL
    for (size_t w = 0; w < kWords; ++w) {
      lanes::Store(x[s][w], group.work->rest_free + 8 * w + static_cast<size_t>(s) * lanes::kLanes);
    }
  }
}

// constraint is the number of the first constraint that is left; num_constraints says how many there are. It is inline,
// else a target that solves the rest by panels (rest_panels-inl.h) has 21 KB of this that nothing calls.
HWY_NOINLINE inline void SolveRest(const Group& group, size_t num_words, uint32_t constraint, size_t num_constraints,
                                   uint64_t* failed, Found* found) {
  switch (num_words) {
    case 1:
      return SolveRestOfWords<1>(group, constraint, num_constraints, failed, found);
    case 2:
      return SolveRestOfWords<2>(group, constraint, num_constraints, failed, found);
    case 3:
      return SolveRestOfWords<3>(group, constraint, num_constraints, failed, found);
    default:
      return SolveRestOfWords<4>(group, constraint, num_constraints, failed, found);
  }
}

// Finds the bits of a piece in the solution.
template <int kUnits>
HWY_INLINE uint64_t SolutionOf(const Group& group, const Pieces<kUnits>& pieces, int i, int block) {
  const uint64_t to = pieces.to[i][block];
  const uint64_t* const word = group.work->rest_free + 8 * (to / 64) + block;
  const uint32_t shift = to % 64;
  return (word[0] >> shift | word[8] << 1 << (63 - shift)) & pieces.mask[i][block];
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_INL_H_
