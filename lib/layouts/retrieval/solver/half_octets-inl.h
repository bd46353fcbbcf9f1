// This is the rest of the first level of the retrieval solver by matrices of bits: what the units' panels
// (unit_panels-inl.h) leave of the half rows, and all that is done with a run.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_OCTETS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_OCTETS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_OCTETS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_OCTETS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/half_rows-inl.h"
#include "lib/layouts/retrieval/solver/unit_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if LINEFILTER_GFNI

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

// Reduced half rows of eight keys from q on: entry t, kHalfOctetStep words behind the one before, has the free columns
// 8 t ... 8 t + 7 of the units of a run, if the run has any; in the last one bit 7 is the right side.
template <int kUnits>
inline constexpr size_t kHalfOctetStep = 8 * size_t{Units<kUnits>::kRuns};
template <int kUnits>
HWY_INLINE uint64_t* HalfOctet(const Group& group, size_t q, int run) {
  return group.work->half_octets + kHalfOctetStep<kUnits> * q + 8 * static_cast<size_t>(run);
}

// The free columns of a run's upper halves.
template <int kUnits>
struct FreeColumns {
  static constexpr size_t kLow = UnitBytes<kUnits>::kLow;
  alignas(64) uint64_t matrices[8 * kLow * kLow];  // see SelectColumns
  size_t num_bytes;

  HWY_INLINE void Find(const Group& group, int run, lanes::Vec pivots) {
    using U = Units<kUnits>;
    const uint64_t columns = kUnits == 16 && run % 2 == 1 ? U::kUpperHalf & 0x7fffffff : U::kUpperHalf;
    const lanes::Vec free = lanes::AndNot(pivots, lanes::Set(columns));
    PrepareCompress<U::kCompressSteps>(lanes::ShiftRight<U::kUpperShift>(free), group.work->unit_compress[run], 0);
    num_bytes = SelectColumns<kUnits>(free, matrices);
  }
};

// Reduces the half rows of the i-th run at hand; `upper` has these as they were.
template <int kUnits>
HWY_INLINE void ReduceHalfRowsByPanels(const Group& group, int run, const UnitPanels<kUnits>& panels, size_t i,
                                       const uint64_t* upper, const FreeColumns<kUnits>& free) {
  using lanes::Vec;
  using B = UnitBytes<kUnits>;
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    UnitOctet<kUnits> octet;
    LINEFILTER_UNROLL
    for (size_t c = 0; c < B::kAll; ++c) {
      const bool is_column = c >= B::kLow && c < B::kColumns;
      octet[c] = is_column ? lanes::Load(upper + B::kLow * q + 8 * (c - B::kLow)) : lanes::Zero();
    }
    for (size_t p = panels.num_low; p < panels.size; ++p) {
      ReduceByPanel<kUnits, B::kLow, B::kColumns>(panels.of(p, i), octet);
    }
    uint64_t* const to = HalfOctet<kUnits>(group, q, run);
    Vec last = lanes::And(octet[B::kAll - 1], lanes::Set(kSideBytes));
    LINEFILTER_UNROLL
    for (size_t t = 0; t < B::kLow; ++t) {
      if (t >= free.num_bytes) break;
      Vec bytes = Times(octet[B::kLow], lanes::Load(free.matrices + 8 * B::kLow * t));
      LINEFILTER_UNROLL
      for (size_t c = 1; c < B::kLow; ++c) {
        bytes = lanes::Xor(bytes, Times(octet[B::kLow + c], lanes::Load(free.matrices + 8 * (B::kLow * t + c))));
      }
      if (t == 7) last = lanes::Or(last, bytes);
      lanes::Store(bytes, to + kHalfOctetStep<kUnits> * t);
    }
    lanes::Store(last, to + kHalfOctetStep<kUnits> * 7);
  }
}

// Solves the units of kRunsAtOnce runs from `run` on and reduces their half rows; bit 63 of failed[i][lane] tells of
// contradictions.
template <int kUnits>
HWY_NOINLINE void SolveRuns(const Group& group, int run, uint64_t (*failed)[8]) {
  using lanes::Vec;
  using U = Units<kUnits>;
  using B = UnitBytes<kUnits>;
  constexpr size_t kRuns = kRunsAtOnce<kUnits>, kWords = U::kWords;
  const size_t distance = 8 * kWords * group.padded_keys;
  uint64_t* const rows = UnitSystem<kUnits>(group, run).rows;
  uint64_t* const upper = group.work->unit_octets;  // [run]
  UnitPanels<kUnits> panels = {group.work->unit_panels, 0, 0, 0};
  Vec pivots[kRuns];
  uint64_t fails[kRuns] = {};
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kRuns; ++i) pivots[i] = lanes::Zero();
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    UnitOctet<kUnits> octets[kRuns];
    UnitTile<kUnits> tiles[kRuns];
    Vec all_pivots[kRuns][kWords];
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) {
      MakeOctet<kUnits>(group, run + static_cast<int>(i), q, upper + B::kLow * (group.padded_keys * i + q), octets[i]);
    }
    ReduceByPanels<kUnits>(panels, octets);
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) FromOctet<kUnits>(octets[i], tiles[i]);
    ReduceTiles<kUnits>(tiles, all_pivots);
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < 8; ++t) {
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w)
          lanes::Store(tiles[i][w][t], rows + distance * i + 8 * (kWords * (q + t) + w));
      }
      pivots[i] = lanes::Or(pivots[i], all_pivots[i][kWords - 1]);
    }
    AppendPanels<kUnits>(tiles, all_pivots, &panels, fails);
  }
  // These are chains, too, so they take turns.
  FreeColumns<kUnits> free[kRuns];
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kRuns; ++i) free[i].Find(group, run + static_cast<int>(i), pivots[i]);
  for (size_t i = 0; i < kRuns; ++i) {
    for (size_t lane = 0; lane < 8; ++lane) failed[i][lane] = (fails[i] >> (8 * lane) & 0xff) != 0 ? kRightSide : 0;
    ReduceHalfRowsByPanels<kUnits>(group, run + static_cast<int>(i), panels, i, upper + B::kLow * group.padded_keys * i,
                                   free[i]);
  }
}

#else

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

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_HALF_OCTETS_INL_H_
