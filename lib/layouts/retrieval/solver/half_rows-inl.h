// This still belongs to the first level of the retrieval solver: what the units' rows leave of the half rows.
//
// A half row of a unit that is no longer than a word has 31 columns at most and its right side. So two keys' lie in one
// lane and are reduced at once, by a test of half lanes. A key of the whole build takes 61 instead of 66 ns on AVX3_DL,
// 95 instead of 102 on AVX2. Rejected: the rows stored as they are and transposed by vectors (no gain); halves of all
// rows in lanes of 32 bits, eight units in a vector (AVX2: 74 instead of 77 ns for 300 lines more).

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_ROWS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_ROWS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_ROWS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/units-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

template <int kUnits>
inline constexpr bool kArePaired = kUnits != 4;

// A half row in the lower half of a lane: with 8 units its columns are 0 ... 30, its right side 31; with 16 units its
// columns are 16 ... 31, its right side 0.
template <int kUnits>
HWY_INLINE lanes::Vec Narrow(lanes::Vec x) {
  if (kUnits == 8) return lanes::ShiftRight<32>(x);
  return lanes::Or(lanes::And(x, lanes::Set(Units<kUnits>::kUpperHalf)), lanes::ShiftRight<63>(x));
}
template <int kUnits>
HWY_INLINE lanes::Vec Pair(lanes::Vec low, lanes::Vec high) {
  return lanes::Or(Narrow<kUnits>(low), lanes::ShiftLeft<32>(Narrow<kUnits>(high)));
}

// Reducers are the rows that half rows are reduced by, from the first whose pivot is in an upper half. They have no
// other columns than those, and so do the rows that meet them: the last word is all.
struct Reducers {
  const uint64_t* rows;  // of row r at 8 * kWords * r
  const uint64_t* tests;
  size_t first, end;
};

// Finds them, and their pivots.
template <int kUnits>
HWY_INLINE Reducers FindReducers(const Group& group, const System<Units<kUnits>::kWords>& system, size_t lane,
                                 lanes::Vec& pivots) {
  using U = Units<kUnits>;
  constexpr int kLast = U::kWords - 1;
  Reducers by = {system.Row(0, kLast), system.Test(0, kLast), 0, group.most_keys};
  for (size_t r = group.most_keys; r-- > 0;) {
    lanes::Vec row[U::kWords], pivot[U::kWords];
    LINEFILTER_UNROLL
    for (int w = 0; w < U::kWords; ++w) row[w] = lanes::Load(system.Row(r, w) + lane);
    FindPivot<U::kWords>(row, pivot);
    const lanes::Vec in_upper = lanes::And(pivot[kLast], lanes::Set(U::kUpperHalf));
    pivots = lanes::Or(pivots, in_upper);
    if (!lanes::AllTrue(lanes::IsZero(in_upper))) by.first = r;
  }
  return by;
}

// Does the same, and makes pairs of each row and its test with itself.
template <int kUnits>
HWY_INLINE Reducers PairReducers(const Group& group, const System<Units<kUnits>::kWords>& system, size_t lane,
                                 lanes::Vec& pivots) {
  uint64_t *const rows = group.work->paired_rows, *const tests = group.work->paired_tests;
  size_t size = 0;
  for (size_t r = 0; r < group.most_keys; ++r) {
    const lanes::Vec row = lanes::Load(system.Row(r, 0) + lane);
    const lanes::Vec pivot = lanes::And(lanes::LowestBit(row), lanes::Set(Units<kUnits>::kUpperHalf));
    pivots = lanes::Or(pivots, pivot);
    lanes::Store(Pair<kUnits>(row, row), rows + 8 * size + lane);
    lanes::Store(lanes::MakeHalvesTest(Pair<kUnits>(pivot, pivot)), tests + 8 * size + lane);
    size += !lanes::AllTrue(lanes::IsZero(pivot));  // the next one takes the place of one without
  }
  return {rows, tests, 0, size};
}

// Tells where a reduced half row comes to lie: from units as lanes to blocks as lanes.
template <int kUnits>
HWY_INLINE void StoreHalfRow(const Group& group, int run, size_t q, size_t lane, lanes::Vec x) {
  using U = Units<kUnits>;
  uint64_t* const to = group.work->unit_half_rows + 8 * kUnits * q;
  alignas(64) uint64_t of_units[8];
  lanes::Store(x, of_units + lane);
  LINEFILTER_UNROLL
  for (size_t i = 0; i < lanes::kLanes; ++i) {
    const int l = static_cast<int>(lane + i);
    to[8 * U::UnitOf(run, l) + U::BlockOf(run, l)] = of_units[lane + i];
  }
}

// Reduces the tile of half rows by rows.
template <int kUnits, size_t kTile>
LINEFILTER_OWN_REGISTERS void ReduceHalves(const Reducers& by, size_t lane, lanes::Vec (&in_memory)[kTile]) {
  using lanes::Vec;
  using U = Units<kUnits>;
  Vec tile[kTile];
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kTile; ++t) tile[t] = in_memory[t];
  for (size_t r = by.first; r < by.end; ++r) {
    const Vec test = lanes::Load(by.tests + 8 * U::kWords * r + lane);
    const Vec row = lanes::Load(by.rows + 8 * U::kWords * r + lane);
    LINEFILTER_UNROLL
    for (size_t t = 0; t < kTile; ++t) {
      if constexpr (kArePaired<kUnits>) {
        tile[t] = lanes::XorHalvesWhere(lanes::HitHalvesAt(tile[t], test), tile[t], row);
      } else {
        tile[t] = lanes::XorWhere(lanes::HitAt(tile[t], test), tile[t], row);
      }
    }
  }
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kTile; ++t) in_memory[t] = tile[t];
}

// Reduces the half rows of kTile keys from q on, of twice as many where they are paired. compress lies as they do.
template <int kUnits, size_t kTile>
HWY_INLINE void ReduceHalfTile(const Group& group, int run, const Reducers& by, const uint64_t (*compress)[8], size_t q,
                               size_t lane) {
  using lanes::Vec;
  using U = Units<kUnits>;
  Vec tile[kTile];
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kTile; ++t) {
    tile[t] = MakeHalfRow<kUnits>(group, run, q + t, lane);
    if constexpr (kArePaired<kUnits>) {
      tile[t] = Pair<kUnits>(tile[t], MakeHalfRow<kUnits>(group, run, q + kTile + t, lane));
    }
  }
  ReduceHalves<kUnits, kTile>(by, lane, tile);
  const Vec side = lanes::Set(kRightSide);
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kTile; ++t) {
    constexpr int kShift = kArePaired<kUnits> ? U::kUpperShift % 32 : U::kUpperShift;
    const Vec packed = Compress<U::kCompressSteps>(lanes::ShiftRight<kShift>(tile[t]), compress, lane);
    if constexpr (kArePaired<kUnits>) {
      constexpr int kToSide = kUnits == 8 ? 32 : 63;
      const Vec low_side = lanes::And(lanes::ShiftLeft<kToSide>(tile[t]), side);
      const Vec high_side = lanes::And(lanes::ShiftLeft<kToSide - 32>(tile[t]), side);
      StoreHalfRow<kUnits>(group, run, q + t, lane, lanes::Or(lanes::And(packed, lanes::Set(0xffffffff)), low_side));
      StoreHalfRow<kUnits>(group, run, q + kTile + t, lane, lanes::Or(lanes::ShiftRight<32>(packed), high_side));
    } else {
      StoreHalfRow<kUnits>(group, run, q + t, lane, lanes::Or(packed, lanes::And(tile[t], side)));
    }
  }
}

// Reduces the half rows of a run by its rows.
template <int kUnits>
HWY_NOINLINE void ReduceHalfRows(const Group& group, int run) {
  using lanes::Vec;
  using U = Units<kUnits>;
  const System<U::kWords> system = UnitSystem<kUnits>(group, run);
  uint64_t(*const compress)[8] = group.work->unit_compress[run];
  const Vec upper = lanes::Set(U::kUpperHalf);
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    Vec pivots = lanes::Zero();
    const Reducers by = kArePaired<kUnits> ? PairReducers<kUnits>(group, system, lane, pivots)
                                           : FindReducers<kUnits>(group, system, lane, pivots);
    const Vec columns = kUnits == 16 && run % 2 == 1 ? lanes::And(upper, lanes::Set(0x7fffffff)) : upper;
    PrepareCompress<U::kCompressSteps>(lanes::ShiftRight<U::kUpperShift>(lanes::AndNot(pivots, columns)), compress,
                                       lane);
    size_t q = 0;
    if constexpr (kArePaired<kUnits>) {
      alignas(64) uint64_t of_pairs[7][8];
      for (size_t i = 0; i < 7; ++i) {
        const Vec step = lanes::Load(compress[i] + lane);
        lanes::Store(lanes::Or(step, lanes::ShiftLeft<32>(step)), of_pairs[i] + lane);
      }
      for (; q + 16 <= group.padded_keys; q += 16) ReduceHalfTile<kUnits, 8>(group, run, by, of_pairs, q, lane);
      if (q < group.padded_keys) ReduceHalfTile<kUnits, 4>(group, run, by, of_pairs, q, lane);
    } else {
      constexpr size_t kTile = kTileRows<1>;
      for (; q < group.padded_keys; q += kTile) ReduceHalfTile<kUnits, kTile>(group, run, by, compress, q, lane);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_ROWS_INL_H_
