// The first level of the retrieval solver by matrices of bits (octets-inl.h): both the units' own rows and what these
// leave of the half rows. It does what ReduceUnits and ReduceHalfRows do for rows as words.
//
// A panel is eight rows that are reduced by all earlier ones and by each other, so none has another one's pivot. An
// octet is reduced by a panel in two products: which pivots each row has, and the sum of the panel's rows that have
// these. That takes 2 products of bytes where words take 8 tests and 8 masked sums.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNIT_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNIT_PANELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNIT_PANELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNIT_PANELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/half_rows-inl.h"
#include "lib/layouts/retrieval/solver/octets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if LINEFILTER_GFNI

// The bytes of a unit's row that are ever in use: first those below the upper half, then its own, then the right
// side's.
template <int kUnits>
struct UnitBytes {
  static constexpr size_t kLow = kUnits == 4 ? 8 : kUnits == 8 ? 4 : 2;
  static constexpr size_t kColumns = 2 * kLow;
  static constexpr size_t kAll = kUnits == 16 ? 5 : kColumns;
  // Its place in the row.
  static constexpr size_t At(size_t c) { return kUnits == 16 && c == 4 ? 7 : c; }
};
template <int kUnits>
using UnitOctet = lanes::Vec[UnitBytes<kUnits>::kAll];

inline constexpr size_t kMostUnitPanels = internal::kPaddedKeys / 8;

// The panels of the run at hand. The memory of each has the octet of its pivots, then its rows, transposed.
template <int kUnits>
struct UnitPanels {
  static constexpr size_t kPanelWords = 2 * 8 * UnitBytes<kUnits>::kAll;
  uint64_t* memory;
  size_t size;
  size_t num_low;   // so many first ones have no pivot in an upper half, in any lane
  size_t last_low;  // from here on none has a pivot below
  const uint64_t* of(size_t p) const { return memory + kPanelWords * p; }
};

// Reduces an octet by a panel, whose pivots may be in bytes [kFrom, kTo).
template <int kUnits, size_t kFrom, size_t kTo>
HWY_INLINE void ReduceByPanel(const uint64_t* panel, UnitOctet<kUnits>& octet) {
  constexpr size_t kAll = UnitBytes<kUnits>::kAll;
  lanes::Vec met = Times(octet[kFrom], lanes::Load(panel + 8 * kFrom));
  LINEFILTER_UNROLL
  for (size_t c = kFrom + 1; c < kTo; ++c) met = lanes::Xor(met, Times(octet[c], lanes::Load(panel + 8 * c)));
  LINEFILTER_UNROLL
  for (size_t c = kFrom; c < kAll; ++c) {
    octet[c] = lanes::Xor(octet[c], Times(met, lanes::Load(panel + 8 * (kAll + c))));
  }
}
template <int kUnits>
HWY_INLINE void ReduceByPanels(const UnitPanels<kUnits>& panels, UnitOctet<kUnits>& octet) {
  using B = UnitBytes<kUnits>;
  size_t p = 0;
  for (; p < panels.num_low; ++p) ReduceByPanel<kUnits, 0, B::kLow>(panels.of(p), octet);
  for (; p < panels.last_low; ++p) ReduceByPanel<kUnits, 0, B::kColumns>(panels.of(p), octet);
  for (; p < panels.size; ++p) ReduceByPanel<kUnits, B::kLow, B::kColumns>(panels.of(p), octet);
}

// Eight rows, by words: [word][row].
template <int kUnits>
using UnitTile = lanes::Vec[size_t{Units<kUnits>::kWords}][8];

template <int kUnits>
HWY_INLINE void ToOctet(const UnitTile<kUnits>& tile, UnitOctet<kUnits>& octet) {
  using B = UnitBytes<kUnits>;
  LINEFILTER_UNROLL
  for (size_t w = 0; w < Units<kUnits>::kWords; ++w) {
    lanes::Vec bytes[8];
    LINEFILTER_UNROLL
    for (size_t t = 0; t < 8; ++t) bytes[t] = tile[w][t];
    TransposeBytes(bytes);
    LINEFILTER_UNROLL
    for (size_t c = 0; c < B::kAll; ++c) {
      if (B::At(c) / 8 == w) octet[c] = bytes[B::At(c) % 8];
    }
  }
}
template <int kUnits>
HWY_INLINE void FromOctet(const UnitOctet<kUnits>& octet, UnitTile<kUnits>& tile) {
  using B = UnitBytes<kUnits>;
  LINEFILTER_UNROLL
  for (size_t w = 0; w < Units<kUnits>::kWords; ++w) {
    LINEFILTER_UNROLL
    for (size_t t = 0; t < 8; ++t) tile[w][t] = lanes::Zero();
    LINEFILTER_UNROLL
    for (size_t c = 0; c < B::kAll; ++c) {
      if (B::At(c) / 8 == w) tile[w][B::At(c) % 8] = octet[c];
    }
    TransposeBytes(tile[w]);
  }
}

// Reduces eight rows by each other. all_pivots gets the bits of all their pivots.
template <int kUnits>
HWY_INLINE void ReduceTile(UnitTile<kUnits>& tile, lanes::Vec (&all_pivots)[size_t{Units<kUnits>::kWords}],
                           AnyFailure& failure) {
  using lanes::Vec;
  constexpr int kWords = Units<kUnits>::kWords;
  LINEFILTER_UNROLL
  for (int w = 0; w < kWords; ++w) all_pivots[w] = lanes::Zero();
  LINEFILTER_UNROLL
  for (int t = 0; t < 8; ++t) {
    Vec row[size_t{kWords}], pivot[size_t{kWords}];
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) row[w] = tile[w][t];
    FindPivot<kWords>(row, pivot);
    Vec any = lanes::Zero();
    LINEFILTER_UNROLL
    for (int w = 0; w < kWords; ++w) {
      any = lanes::Or(any, pivot[w]);
      all_pivots[w] = lanes::Or(all_pivots[w], pivot[w]);
    }
    failure.Note(lanes::IfThenElseZero(lanes::IsZero(any), row[kWords - 1]), 0);
    LINEFILTER_UNROLL
    for (int s = 0; s < 8; ++s) {
      if (s == t) continue;
      Vec target[size_t{kWords}];
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) target[w] = tile[w][s];
      ReduceRow<kWords, 0, kWords>(pivot, row, target);
      LINEFILTER_UNROLL
      for (int w = 0; w < kWords; ++w) tile[w][s] = target[w];
    }
  }
}

// Takes a reduced tile as the next panel.
template <int kUnits>
HWY_INLINE void AppendPanel(const UnitTile<kUnits>& tile, const lanes::Vec (&all_pivots)[size_t{Units<kUnits>::kWords}],
                            UnitPanels<kUnits>* panels) {
  using U = Units<kUnits>;
  using B = UnitBytes<kUnits>;
  UnitOctet<kUnits> octet;
  ToOctet<kUnits>(tile, octet);
  uint64_t* const panel = panels->memory + UnitPanels<kUnits>::kPanelWords * panels->size;
  LINEFILTER_UNROLL
  for (size_t c = 0; c < B::kAll; ++c) {
    if (c < B::kColumns) {
      // No other row has the column of a pivot.
      const lanes::Vec pivots = lanes::And(octet[c], RepeatByte(all_pivots[B::At(c) / 8], B::At(c) % 8));
      lanes::Store(pivots, panel + 8 * c);
    }
    lanes::Store(Transposed(octet[c]), panel + 8 * (B::kAll + c));
  }
  const lanes::Vec high = lanes::Set(U::kUpperHalf);
  const bool no_high = lanes::AllTrue(lanes::IsZero(lanes::And(all_pivots[U::kWords - 1], high)));
  const bool no_low = lanes::AllTrue(lanes::IsZero(kUnits == 4 ? all_pivots[0] : lanes::AndNot(high, all_pivots[0])));
  if (panels->num_low == panels->size && no_high) panels->num_low = panels->size + 1;
  if (!no_low) panels->last_low = panels->size + 1;
  ++panels->size;
}

// So many runs are solved at once: one alone would wait for each pivot.
template <int kUnits>
inline constexpr int kRunsAtOnce = kUnits == 4 ? 1 : 2;

// What is known of a run at hand.
template <int kUnits>
struct UnitRun {
  using U = Units<kUnits>;
  using B = UnitBytes<kUnits>;
  UnitRun(const Group& group, int number, int i)
      : run(number),
        system(UnitSystem<kUnits>(group, number)),
        panels{group.work->unit_panels + kMostUnitPanels * UnitPanels<kUnits>::kPanelWords * static_cast<size_t>(i), 0,
               0, 0},
        upper(group.work->unit_octets + kMostUnitPanels * 8 * B::kLow * static_cast<size_t>(i)) {}

  int run;
  System<U::kWords> system;
  UnitPanels<kUnits> panels;
  uint64_t* upper;                    // the upper halves of octets before they are reduced
  lanes::Vec pivots = lanes::Zero();  // of the upper halves
};

// Makes the tile of eight keys and reduces it by all panels.
template <int kUnits>
HWY_INLINE void MakeTile(const Group& group, size_t q, const UnitRun<kUnits>* at, UnitTile<kUnits>& tile) {
  using U = Units<kUnits>;
  using B = UnitBytes<kUnits>;
  LINEFILTER_UNROLL
  for (size_t t = 0; t < 8; ++t) {
    lanes::Vec row[size_t{U::kWords}];
    MakeUnitRow<kUnits>(group, at->run, q + t, 0, row);
    LINEFILTER_UNROLL
    for (size_t w = 0; w < U::kWords; ++w) tile[w][t] = row[w];
  }
  UnitOctet<kUnits> octet;
  ToOctet<kUnits>(tile, octet);
  LINEFILTER_UNROLL
  for (size_t c = B::kLow; c < B::kColumns; ++c) lanes::Store(octet[c], at->upper + B::kLow * q + 8 * (c - B::kLow));
  if (q == 0) return;
  ReduceByPanels<kUnits>(at->panels, octet);
  FromOctet<kUnits>(octet, tile);
}

template <int kUnits>
HWY_INLINE void KeepTile(size_t q, const UnitTile<kUnits>& tile,
                         const lanes::Vec (&all_pivots)[size_t{Units<kUnits>::kWords}], UnitRun<kUnits>* at) {
  LINEFILTER_UNROLL
  for (size_t t = 0; t < 8; ++t) {
    LINEFILTER_UNROLL
    for (size_t w = 0; w < Units<kUnits>::kWords; ++w) {
      lanes::Store(tile[w][t], at->system.Row(q + t, static_cast<int>(w)));
    }
  }
  AppendPanel<kUnits>(tile, all_pivots, &at->panels);
  at->pivots = lanes::Or(at->pivots, all_pivots[Units<kUnits>::kWords - 1]);
}

// Makes the matrices that bring free columns of upper halves to the bottom: [byte of the result][byte]. Returns the
// number of bytes that the most free columns of a lane take.
template <int kUnits>
HWY_INLINE size_t SelectColumns(lanes::Vec free, uint64_t* matrices) {
  using B = UnitBytes<kUnits>;
  size_t num_bytes = 0;
  while (!lanes::AllTrue(lanes::IsZero(free))) {
    lanes::Vec columns[8];
    LINEFILTER_UNROLL
    for (size_t i = 0; i < 8; ++i) {
      columns[7 - i] = lanes::LowestBit(free);
      free = lanes::Xor(free, columns[7 - i]);
    }
    TransposeBytes(columns);
    LINEFILTER_UNROLL
    for (size_t c = 0; c < B::kLow; ++c) {
      lanes::Store(columns[(B::kLow + c) % 8], matrices + 8 * (B::kLow * num_bytes + c));
    }
    ++num_bytes;
  }
  return num_bytes;
}

// Reduces the half rows of a run, whose rows are in panels.
template <int kUnits>
HWY_NOINLINE void ReduceHalfRowsByPanels(const Group& group, const UnitRun<kUnits>& at) {
  using lanes::Vec;
  using U = Units<kUnits>;
  using B = UnitBytes<kUnits>;
  const int run = at.run;
  const Vec upper = lanes::Set(U::kUpperHalf), sides = lanes::Set(0x8080808080808080);
  const Vec columns = kUnits == 16 && run % 2 == 1 ? lanes::And(upper, lanes::Set(0x7fffffff)) : upper;
  const Vec free = lanes::AndNot(at.pivots, columns);
  PrepareCompress<U::kCompressSteps>(lanes::ShiftRight<U::kUpperShift>(free), group.work->unit_compress[run], 0);
  alignas(64) uint64_t matrices[8 * B::kLow * B::kLow];
  const size_t num_bytes = SelectColumns<kUnits>(free, matrices);
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    UnitOctet<kUnits> octet;
    LINEFILTER_UNROLL
    for (size_t c = 0; c < B::kAll; ++c) {
      const bool is_column = c >= B::kLow && c < B::kColumns;
      octet[c] = is_column ? lanes::Load(at.upper + B::kLow * q + 8 * (c - B::kLow)) : lanes::Zero();
    }
    // That is where these rows have their right sides.
    if (kUnits != 16) octet[B::kAll - 1] = lanes::AndNot(sides, octet[B::kAll - 1]);
    for (size_t p = at.panels.num_low; p < at.panels.size; ++p) {
      ReduceByPanel<kUnits, B::kLow, B::kColumns>(at.panels.of(p), octet);
    }
    Vec rows[8];
    LINEFILTER_UNROLL
    for (size_t t = 0; t < 8; ++t) {
      rows[t] = lanes::Zero();
      if (t >= num_bytes) continue;
      LINEFILTER_UNROLL
      for (size_t c = 0; c < B::kLow; ++c) {
        if (t >= B::kLow) continue;
        rows[t] = lanes::Xor(rows[t], Times(octet[B::kLow + c], lanes::Load(matrices + 8 * (B::kLow * t + c))));
      }
    }
    rows[7] = lanes::Or(rows[7], lanes::And(octet[B::kAll - 1], sides));
    TransposeBytes(rows);
    LINEFILTER_UNROLL
    for (size_t t = 0; t < 8; ++t) StoreHalfRow<kUnits>(group, run, q + t, 0, rows[t]);
  }
}

// Solves the units of kRunsAtOnce runs from `run` on and reduces their half rows; bit 63 of failed[i][lane] tells of
// contradictions.
template <int kUnits>
HWY_NOINLINE void SolveRuns(const Group& group, int run, uint64_t (*failed)[8]) {
  constexpr int kRuns = kRunsAtOnce<kUnits>;
  SpreadKeys<kUnits>(group, run);
  UnitRun<kUnits> first(group, run, 0), second(group, run + kRuns - 1, kRuns - 1);
  AnyFailure first_failure{lanes::Zero()}, second_failure{lanes::Zero()};
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    UnitTile<kUnits> first_tile, second_tile;
    lanes::Vec first_pivots[size_t{Units<kUnits>::kWords}], second_pivots[size_t{Units<kUnits>::kWords}];
    MakeTile<kUnits>(group, q, &first, first_tile);
    if (kRuns == 2) MakeTile<kUnits>(group, q, &second, second_tile);
    ReduceTile<kUnits>(first_tile, first_pivots, first_failure);
    if (kRuns == 2) ReduceTile<kUnits>(second_tile, second_pivots, second_failure);
    KeepTile<kUnits>(q, first_tile, first_pivots, &first);
    if (kRuns == 2) KeepTile<kUnits>(q, second_tile, second_pivots, &second);
  }
  if (kRuns == 2) lanes::Store(second_failure.fails, failed[1]);
  lanes::Store(first_failure.fails, failed[0]);
  ReduceHalfRowsByPanels<kUnits>(group, first);
  if (kRuns == 2) ReduceHalfRowsByPanels<kUnits>(group, second);
}

#elif !LINEFILTER_PLAIN_LANES

template <int kUnits>
inline constexpr int kRunsAtOnce = 1;

template <int kUnits>
HWY_INLINE void SolveRuns(const Group& group, int run, uint64_t (*failed)[8]) {
  ReduceUnits<kUnits>(group, run, failed[0]);
  ReduceHalfRows<kUnits>(group, run);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNIT_PANELS_INL_H_
