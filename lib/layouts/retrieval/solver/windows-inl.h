// The first level of the retrieval solver where lanes are plain words: both a unit's own rows and what these leave of
// the half rows. It does what ReduceUnits and ReduceHalfRows do for vectors, by tables of sums (the method of four
// Russians: Arlazarov, Dinic, Kronrod, Faradzev 1970).
//
// A window is a few adjacent columns. Its pivots are looked for among the rows that have none yet, and these rows are
// reduced until none has another one's pivot. Then the bits that a row has in the window tell the sum that takes them
// away. With all rows of pivots in an upper half reduced by each other, half rows are sums from tables, too.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WINDOWS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WINDOWS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WINDOWS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/half_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if LINEFILTER_PLAIN_LANES

inline constexpr size_t kWindow = 4;  // columns
inline constexpr size_t kNumSums = size_t{1} << kWindow;

template <int kWords>
struct PlainRow {
  uint64_t word[size_t{kWords}];

  HWY_INLINE void Add(const PlainRow& other) {
    for (int w = 0; w < kWords; ++w) word[w] ^= other.word[w];
  }
  HWY_INLINE void AddIf(bool adds, const PlainRow& other) {
    for (int w = 0; w < kWords; ++w) word[w] ^= other.word[w] & (0 - static_cast<uint64_t>(adds));
  }
};

// The rows of a unit. Those with pivots come first, by windows.
template <int kWords>
struct PlainSystem {
  PlainRow<kWords> rows[internal::kPaddedKeys];
  size_t num_rows;
  size_t rank;  // so many have pivots
};

// Makes all sums of kWindow rows: entry b sums up those of the bits of b.
template <int kWords>
HWY_INLINE void MakeSums(const PlainRow<kWords>* rows, PlainRow<kWords> (&sums)[kNumSums]) {
  sums[0] = PlainRow<kWords>{};
  for (size_t i = 0; i < kWindow; ++i) {
    for (size_t b = 0; b < size_t{1} << i; ++b) {
      sums[b + (size_t{1} << i)] = sums[b];
      sums[b + (size_t{1} << i)].Add(rows[i]);
    }
  }
}

// Looks for pivots of word w among these columns, and appends their rows, reduced by each other. Returns the columns
// that have one.
template <int kWords>
HWY_INLINE uint64_t FindPivots(PlainSystem<kWords>* system, int w, uint64_t columns) {
  PlainRow<kWords>* const found = system->rows + system->rank;
  uint64_t pivots[kWindow], open = columns;
  size_t num_found = 0;
  for (size_t r = system->rank; r < system->num_rows && open != 0; ++r) {
    PlainRow<kWords> row = system->rows[r];
    for (size_t i = 0; i < num_found; ++i) row.AddIf((row.word[w] & pivots[i]) != 0, found[i]);
    const uint64_t pivot = lanes::LowestBit(row.word[w] & open);
    if (pivot == 0) {
      system->rows[r] = row;
      continue;
    }
    system->rows[r] = found[num_found];
    for (size_t i = 0; i < num_found; ++i) found[i].AddIf((found[i].word[w] & pivot) != 0, row);
    pivots[num_found] = pivot;
    found[num_found++] = row;
    open &= ~pivot;
  }
  system->rank += num_found;
  return columns & ~open;
}

// Solves the columns [begin, end) of word w. Rows from `first` on are reduced, also where they have pivots already.
template <int kWords>
HWY_INLINE void ReduceColumns(PlainSystem<kWords>* system, int w, int begin, int end, size_t first) {
  constexpr int kStep = static_cast<int>(kWindow);
  for (int column = begin; column < end && system->rank < system->num_rows; column += kStep) {
    const size_t rank = system->rank;
    const int width = end - column < kStep ? end - column : kStep;
    const uint64_t pivots = FindPivots(system, w, ((uint64_t{1} << width) - 1) << column);
    PlainRow<kWords> of_column[kWindow] = {}, sums[kNumSums];
    for (size_t r = rank; r < system->rank; ++r) {
      of_column[__builtin_ctzll(system->rows[r].word[w] & pivots) - column] = system->rows[r];
    }
    MakeSums(of_column, sums);
    const auto reduce = [&](size_t from, size_t to) {
      for (size_t r = from; r < to; ++r) {
        PlainRow<kWords>& row = system->rows[r];
        row.Add(sums[row.word[w] >> column & (kNumSums - 1)]);
      }
    };
    reduce(first, rank);
    reduce(system->rank, system->num_rows);
  }
}

// Solves the unit in a lane of a run. From the row *first_upper on pivots are in the upper half.
template <int kUnits>
HWY_INLINE void SolveUnit(const Group& group, int run, size_t lane, PlainSystem<Units<kUnits>::kWords>* system,
                          size_t* first_upper) {
  constexpr int kLowEnd = kUnits == 4 ? 64 : Units<kUnits>::kUpperShift;
  constexpr int kUpperEnd = kUnits == 16 ? 32 : 63;
  system->num_rows = group.most_keys;
  system->rank = 0;
  for (size_t q = 0; q < system->num_rows; ++q) MakeUnitRow<kUnits>(group, run, q, lane, system->rows[q].word);
  for (int column = 0; column < kLowEnd; column += static_cast<int>(kWindow)) {
    ReduceColumns(system, 0, column, column + static_cast<int>(kWindow), system->rank);
  }
  *first_upper = system->rank;
  ReduceColumns(system, Units<kUnits>::kWords - 1, Units<kUnits>::kUpperShift, kUpperEnd, system->rank);
}

// The sums that a half row is made of, by windows.
template <int kUnits>
struct HalfSums {
  static constexpr size_t kWindows = kUnits == 4 ? 16 : kUnits == 8 ? 8 : 4;
  PlainRow<1> of[kWindows][kNumSums];
};

// What a half row becomes is the sum of what its columns become: a free one a column of its own, a pivot what its row
// has beside it.
template <int kUnits>
HWY_INLINE void MakeHalfSums(const Group& group, int run, size_t lane, const PlainSystem<Units<kUnits>::kWords>& system,
                             size_t first_upper, HalfSums<kUnits>* sums) {
  using U = Units<kUnits>;
  constexpr int kLast = U::kWords - 1;
  uint64_t pivots = 0;
  for (size_t r = first_upper; r < system.rank; ++r) pivots |= lanes::LowestBit(system.rows[r].word[kLast]);
  const uint64_t columns = kUnits == 16 && run % 2 == 1 ? U::kUpperHalf & 0x7fffffff : U::kUpperHalf;
  const uint64_t free = (columns & ~pivots) >> U::kUpperShift;
  uint64_t(*const compress)[8] = group.work->unit_compress[run];
  PrepareCompress<U::kCompressSteps>(free, compress, lane);

  PlainRow<1> of_column[HalfSums<kUnits>::kWindows * kWindow] = {};
  uint64_t left = free;
  for (uint64_t bit = 1; left != 0; bit <<= 1, left &= left - 1) of_column[__builtin_ctzll(left)].word[0] = bit;
  for (size_t r = first_upper; r < system.rank; ++r) {
    const uint64_t row = system.rows[r].word[kLast];
    of_column[__builtin_ctzll(row) - U::kUpperShift].word[0] =
        Compress<U::kCompressSteps>(row >> U::kUpperShift, compress, lane) | (row & kRightSide);
  }
  for (size_t i = 0; i < HalfSums<kUnits>::kWindows; ++i) MakeSums(of_column + kWindow * i, sums->of[i]);
}

template <int kUnits>
inline constexpr int kRunsAtOnce = 1;

// Solves the units of a run and reduces their half rows; bit 63 of failed[0][lane] tells of contradictions.
template <int kUnits>
HWY_NOINLINE void SolveRuns(const Group& group, int run, uint64_t (*failed)[8]) {
  using U = Units<kUnits>;
  SpreadKeys<kUnits>(group, run);
  const System<U::kWords> result = UnitSystem<kUnits>(group, run);
  for (size_t lane = 0; lane < 8; ++lane) {
    PlainSystem<U::kWords> system;
    size_t first_upper;
    SolveUnit<kUnits>(group, run, lane, &system, &first_upper);
    failed[0][lane] = 0;
    for (size_t r = system.rank; r < system.num_rows; ++r) failed[0][lane] |= system.rows[r].word[U::kWords - 1];
    for (size_t r = 0; r < group.padded_keys; ++r) {
      for (int w = 0; w < U::kWords; ++w) result.Row(r, w)[lane] = r < system.rank ? system.rows[r].word[w] : 0;
    }
    HalfSums<kUnits> sums;
    MakeHalfSums<kUnits>(group, run, lane, system, first_upper, &sums);
    for (size_t q = 0; q < group.padded_keys; ++q) {
      const uint64_t half = MakeHalfRow<kUnits>(group, run, q, lane) >> U::kUpperShift;
      uint64_t sum = 0;
      for (size_t i = 0; i < HalfSums<kUnits>::kWindows; ++i) {
        sum ^= sums.of[i][half >> (kWindow * i) & (kNumSums - 1)].word[0];
      }
      StoreHalfRow<kUnits>(group, run, q, lane, sum);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_WINDOWS_INL_H_
