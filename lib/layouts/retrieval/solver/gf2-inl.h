// This solves linear systems over GF(2), eight side by side: lane b of every word belongs to system b. A row has kWords
// words; its right-hand side is bit 63 of the last word, all other bits are columns, in ascending order.
//
// Rows come one after another, in tiles that stay in registers: a tile is reduced by all earlier rows, then within
// itself. The pivot of a row is the lowest column that is left in it, so a row has no column below its pivot, and the
// words below can be skipped. From row `start[f]` on every pivot is in word f or above; the first `num_leading` rows
// are tested in word 0 alone (69 instead of 72 ns per key). Nothing depends on data but the values: no branch, no
// gather, each lane on its own. Cost: rows^2 / 2 times (test, masked xor per word), in eight systems at once on
// AVX-512. Rejected: rows reduced where they lie (one store per test; 14 instead of 7 ns per key where a 64-byte store
// takes two cycles).

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_GF2_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_GF2_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_GF2_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_GF2_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/tests-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

inline constexpr uint64_t kRightSide = uint64_t{1} << 63;

// How many rows of that many words fit the registers, beside a row and its pivot; a divisor of eight.
template <int kWords>
constexpr int TileRows() {
  if (lanes::kRegisters == 32) return kWords <= 2 ? 8 : kWords <= 6 ? 4 : 2;
  return kWords == 1 ? 8 : kWords == 2 ? 4 : kWords <= 6 ? 2 : 1;
}

template <int kWords>
inline constexpr int kTileRows = TileRows<kWords>();

// A tile is [row][word]. It is an array: g++ makes a class's own functions for the baseline target, not this one.
template <int kWords, size_t kRows = kTileRows<kWords>>
using Tile = lanes::Vec[kRows][size_t{kWords}];

// A growing system. Rows and tests lie in memory as [row][word][8 lanes].
template <int kWords>
struct System {
  uint64_t* rows;
  uint64_t* tests;  // of pivots
  size_t num_rows;
  size_t start[size_t{kWords} + 1];
  size_t num_leading;  // so many first rows have their pivots in word 0, in all lanes

  uint64_t* Row(size_t r, int word) const { return rows + 8 * (kWords * r + static_cast<size_t>(word)); }
  uint64_t* Test(size_t r, int word) const { return tests + 8 * (kWords * r + static_cast<size_t>(word)); }
  void Clear() {
    num_rows = num_leading = 0;
    for (size_t& s : start) s = 0;
  }
};

// Does target ^= row, where it has the row's pivot, which is told by its bit or by its test. Words below kFirst are
// known to be zero in the row, and the pivot to be in a word below kEnd.
template <int kWords, int kFirst, int kEnd, bool kByTest = false>
HWY_INLINE void ReduceRow(const lanes::Vec (&pivot)[size_t{kWords}], const lanes::Vec (&row)[size_t{kWords}],
                          lanes::Vec (&target)[size_t{kWords}]) {
  lanes::Hit hit;
  if constexpr (kFirst + 1 == kEnd) {
    hit = kByTest ? lanes::HitAt(target[kFirst], pivot[kFirst]) : lanes::HitWhereMeets(target[kFirst], pivot[kFirst]);
  } else {
    lanes::Vec met = lanes::Zero();
    LINEFILTER_UNROLL
    for (int w = kFirst; w < kEnd; ++w) {
      met = lanes::Or(met, kByTest ? lanes::Meeting(target[w], pivot[w]) : lanes::And(target[w], pivot[w]));
    }
    hit = kByTest ? lanes::HitWhereAny(met) : lanes::HitWhereMeets(met, met);
  }
  LINEFILTER_UNROLL
  for (int w = kFirst; w < kWords; ++w) target[w] = lanes::XorWhere(hit, target[w], row[w]);
}

// Reduces a tile by the earlier row r.
template <int kWords, int kFirst, int kEnd, size_t kRows>
HWY_INLINE void ReduceBy(const System<kWords>& system, size_t r, size_t lane, Tile<kWords, kRows>& tile) {
  lanes::Vec test[size_t{kWords}], row[size_t{kWords}];
  LINEFILTER_UNROLL
  for (int w = kFirst; w < kWords; ++w) {
    if (w < kEnd) test[w] = lanes::Load(system.Test(r, w) + lane);
    row[w] = lanes::Load(system.Row(r, w) + lane);
  }
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kRows; ++t) ReduceRow<kWords, kFirst, kEnd, true>(test, row, tile[t]);
}

template <int kWords, int kFirst, size_t kRows>
HWY_INLINE void ReduceFrom(const System<kWords>& system, size_t lane, Tile<kWords, kRows>& tile) {
  if constexpr (kFirst < kWords) {
    const size_t end = kFirst + 1 < kWords ? system.start[kFirst + 1] : system.num_rows;
    size_t r = system.start[kFirst];
    if constexpr (kFirst == 0 && kWords > 1) {
      for (; r < system.num_leading; ++r) ReduceBy<kWords, 0, 1, kRows>(system, r, lane, tile);
    }
    for (; r < end; ++r) ReduceBy<kWords, kFirst, kWords, kRows>(system, r, lane, tile);
    ReduceFrom<kWords, kFirst + 1, kRows>(system, lane, tile);
  }
}

// Reduces a tile by all rows.
template <int kWords, size_t kRows>
LINEFILTER_OWN_REGISTERS void ReduceByAll(const System<kWords>& system, size_t lane, Tile<kWords, kRows>& tile) {
  Tile<kWords, kRows> in_registers;
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kRows; ++t) {
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) in_registers[t][w] = tile[t][w];
  }
  ReduceFrom<kWords, 0, kRows>(system, lane, in_registers);
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kRows; ++t) {
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) tile[t][w] = in_registers[t][w];
  }
}

// The lowest column of a row, as a bit; zero if there is none. Of a row that says 0 = 1 it is the right side's bit:
// that tells contradictions, and what later rows of such a lane become is not asked for.
template <int kWords>
HWY_INLINE void FindPivot(const lanes::Vec (&row)[size_t{kWords}], lanes::Vec (&pivot)[size_t{kWords}]) {
  if constexpr (kWords == 1) {
    pivot[0] = lanes::LowestBit(row[0]);
  } else {
    pivot[0] = lanes::LowestBit(row[0]);
    lanes::Vec below = row[0];
    LINEFILTER_UNROLL
    for (int w = 1; w < kWords; ++w) {
      const lanes::Vec bit = lanes::LowestBit(row[w]);
      pivot[w] = lanes::IfThenElseZero(lanes::IsZero(below), bit);
      below = lanes::Or(below, row[w]);
    }
  }
}

// This is what a system found out about contradictions: rows that say 0 = 1.
struct AnyFailure {  // bit 63 of each lane: was there one?
  lanes::Vec fails;
  HWY_INLINE void Note(lanes::Vec contradicts, size_t) { fails = lanes::Or(fails, contradicts); }
};
struct FirstFailure {  // the number of the first one, or what it was, if below
  lanes::Vec row;
  HWY_INLINE void Note(lanes::Vec contradicts, size_t r) {
    const lanes::Mask earlier = lanes::IsLess(lanes::Set(r), row);
    row = lanes::IfThenElse(lanes::AndMasks(lanes::Meets(contradicts, lanes::Set(kRightSide)), earlier), lanes::Set(r),
                            row);
  }
};

// Takes a tile that is reduced by all earlier rows as the next rows: its first `taken` ones; the others are zero.
template <int kWords, size_t kRows, class Failure>
HWY_INLINE void AppendTile(System<kWords>& system, size_t lane, size_t taken, Tile<kWords, kRows>& tile,
                           Failure& failure) {
  using lanes::Vec;
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kRows; ++t) {
    const size_t r = system.num_rows + t;
    Vec pivot[size_t{kWords}];
    FindPivot<kWords>(tile[t], pivot);
    failure.Note(pivot[kWords - 1], r);
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) {
      lanes::Store(tile[t][w], system.Row(r, w) + lane);
      lanes::Store(lanes::MakeTest(pivot[w]), system.Test(r, w) + lane);
    }
    LINEFILTER_UNROLL
    for (size_t s = t + 1; s < kRows; ++s) ReduceRow<kWords, 0, kWords>(pivot, tile[t], tile[s]);
    if constexpr (kWords > 1) {
      Vec above = pivot[1];
      LINEFILTER_UNROLL
      for (int w = 2; w < kWords; ++w) above = lanes::Or(above, pivot[w]);
      if (system.num_leading == r && lanes::AllTrue(lanes::IsZero(above))) system.num_leading = r + 1;
    }
    LINEFILTER_UNROLL
    for (int w = 0; w + 1 < kWords; ++w) {
      if (!lanes::AllTrue(lanes::IsZero(pivot[w]))) {
        for (int later = w + 1; later < kWords; ++later) system.start[later] = r + 1;
        break;
      }
    }
  }
  system.num_rows += taken;
  if (system.num_leading > system.num_rows) system.num_leading = system.num_rows;
}

// Makes the solution of the first limit[lane] rows, with all columns zero that have no pivot and are not set in x. It
// takes several equal systems at once, whose rows are `distance` words apart: one alone would wait for each parity.
template <int kWords, int kSystems>
HWY_INLINE void SolveBackwards(const uint64_t* rows, size_t num_rows, size_t distance,
                               const lanes::Vec (&limit)[size_t{kSystems}],
                               lanes::Vec (&x)[size_t{kSystems}][size_t{kWords}]) {
  using lanes::Vec;
  const Vec right_side = lanes::Set(kRightSide);
  for (size_t r = num_rows; r-- > 0;) {
    LINEFILTER_UNROLL
    for (int s = 0; s < kSystems; ++s) {
      const lanes::Mask counts = lanes::IsLess(lanes::Set(r), limit[s]);
      Vec row[size_t{kWords}], pivot[size_t{kWords}];
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) {
        row[w] = lanes::Load(rows + static_cast<size_t>(s) * distance + 8 * (kWords * r + static_cast<size_t>(w)));
      }
      FindPivot<kWords>(row, pivot);
      Vec sum = lanes::And(row[kWords - 1], lanes::Or(x[s][kWords - 1], right_side));
      LINEFILTER_UNROLL
      for (int w = 0; w + 1 < kWords; ++w) sum = lanes::Xor(sum, lanes::And(row[w], x[s][w]));
      const lanes::Mask set = lanes::AndMasks(lanes::IsOddParity(sum), counts);
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) x[s][w] = lanes::OrIf(set, x[s][w], pivot[w]);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_GF2_INL_H_
