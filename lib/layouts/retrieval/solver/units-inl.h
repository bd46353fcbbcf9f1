// On the first level of the retrieval solver each unit of each block is a system of its own (solve-inl.h).

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNITS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNITS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNITS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/key.h"
#include "lib/layouts/retrieval/solver/compress-inl.h"
#include "lib/layouts/retrieval/solver/gf2-inl.h"
#include "lib/layouts/retrieval/solver/work.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

using internal::BlockTask;
using internal::Outcome;
using internal::RetrievalWork;

inline constexpr uint64_t kNever = uint64_t{1} << 62;  // no row failed; all rows count

// The binary digits of the numbers below n, a power of two.
constexpr int DigitsOf(int n) { return n == 1 ? 0 : 1 + DigitsOf(n / 2); }

// Units lie in runs: a run is solved at once, eight units in eight lanes.
template <int kUnits>
struct Units {
  static constexpr int kWords = kUnits == 4 ? 2 : 1;  // of a unit's row
  static constexpr int kRuns = kUnits == 4 ? 4 : kUnits == 8 ? 8 : 16;
  // The upper half's columns begin there, and its width needs that many steps to compress.
  static constexpr int kUpperShift = kUnits == 4 ? 0 : kUnits == 8 ? 32 : 16;
  static constexpr int kCompressSteps = kUnits == 4 ? 6 : kUnits == 8 ? 5 : 4;
  static constexpr uint64_t kUpperHalf = kUnits == 16  ? 0x00000000ffff0000
                                         : kUnits == 8 ? 0x7fffffff00000000
                                                       : 0x7fffffffffffffff;
  // The run of a unit of a block, and its lane there.
  static constexpr int RunOf(int block, int unit) {
    return kUnits == 4 ? block / 2 : kUnits == 8 ? block : 2 * block + unit / 8;
  }
  static constexpr int LaneOf(int block, int unit) { return kUnits == 4 ? 4 * (block % 2) + unit : unit % 8; }
  // The block and the unit of a lane of a run.
  static constexpr int BlockOf(int run, int lane) {
    return kUnits == 4 ? 2 * run + lane / 4 : kUnits == 8 ? run : run / 2;
  }
  static constexpr int UnitOf(int run, int lane) {
    return kUnits == 4 ? lane % 4 : kUnits == 8 ? lane : lane + 8 * (run % 2);
  }
  // Units are in the order of their upper halves' columns.
  static constexpr int InOrder(int i) { return kUnits == 16 ? i / 2 + 8 * (i % 2) : i; }
};

alignas(64) inline constexpr uint64_t kLaneBits[2][8] = {{1, 2, 4, 8, 16, 32, 64, 128},
                                                         {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}};
// In the lanes of two blocks are those of the lower words, then of the upper ones.
struct HalfMultipliers {
  alignas(64) uint64_t of[2][8];
};
constexpr HalfMultipliers MakeHalfMultipliers() {
  HalfMultipliers halves{};
  for (int lane = 0; lane < 8; ++lane) {
    for (int half = 0; half < 2; ++half) halves.of[half][lane] = internal::kRowMultipliers[4 * half + lane % 4];
  }
  return halves;
}
inline constexpr HalfMultipliers kHalfMultipliers = MakeHalfMultipliers();

// The blocks at hand. A lane without a block has num_keys 0.
struct Group {
  const BlockTask* tasks[8];
  size_t num_tasks;
  size_t most_keys;    // of a block
  size_t padded_keys;  // a multiple of every tile
  RetrievalWork* work;
};

template <int a, int b>
HWY_INLINE lanes::Vec SwapIndexBits(lanes::Vec x) {
  constexpr int kDistance = (1 << b) - (1 << a);
  const lanes::Vec moves = lanes::Set(internal::IndexBitsToSwap(a, b));
  const lanes::Vec t = lanes::And(lanes::Xor(lanes::ShiftRight<kDistance>(x), x), moves);
  return lanes::Xor(x, lanes::Xor(t, lanes::ShiftLeft<kDistance>(t)));
}

template <int kShift>
HWY_INLINE lanes::Vec AddShifted(lanes::Vec x, uint64_t mask) {
  return lanes::Xor(x, lanes::And(lanes::ShiftRight<kShift>(x), lanes::Set(mask)));
}

// This is internal::SumOverSupersets.
template <int kDigits>
HWY_INLINE lanes::Vec SumOverSupersets(lanes::Vec x) {
  x = AddShifted<1>(x, 0x55555555);
  if (kDigits > 1) x = AddShifted<2>(x, 0x33333333);
  if (kDigits > 2) x = AddShifted<4>(x, 0x0f0f0f0f);
  if (kDigits > 3) x = AddShifted<8>(x, 0x00ff00ff);
  return x;
}

// These are internal::ConstraintValues and SumOverSupersets of all keys, some at a time. A key of zero demands zero, so
// padding with zeros asks for nothing.
template <int kUnits>
HWY_NOINLINE void PrepareKeys(const Group& group) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  const Vec high = lanes::Set(internal::kFingerprintMultiplier >> 32);
  const Vec low = lanes::Set(internal::kFingerprintMultiplier & 0xffffffff);
  // Lanes without a block have such keys alone.
  for (size_t i = 0; group.num_tasks < 8 && i < 8 * group.padded_keys; i += lanes::kLanes) {
    lanes::Store(lanes::Zero(), work.lane_values + i);
  }
  for (size_t block = group.num_tasks; block < 8; ++block) {
    for (size_t q = 0; q < group.padded_keys; ++q) work.keys[block][q] = work.unit_values[block][q] = 0;
  }
  for (size_t block = 0; block < group.num_tasks; ++block) {
    const BlockTask& task = *group.tasks[block];
    uint64_t* const keys = work.keys[block];
    for (size_t q = 0; q < task.num_keys; ++q) keys[q] = task.g[q];
    for (size_t q = task.num_keys; q < group.padded_keys; ++q) keys[q] = 0;
    for (size_t q = 0; q < group.padded_keys; q += lanes::kLanes) {
      const Vec g = lanes::Load(keys + q);
      // This is the high half of g * multiplier mod 2^64.
      const Vec f = lanes::And(lanes::Add(lanes::ShiftRight<32>(lanes::MulLow32(g, low)), lanes::MulLow32(g, high)),
                               lanes::Set(0xffffffff));
      const Vec values = SwapIndexBits<1, 3>(SwapIndexBits<0, 2>(SwapIndexBits<0, 4>(f)));
      lanes::Store(SumOverSupersets<DigitsOf(kUnits)>(values), work.unit_values[block] + q);
      alignas(64) uint64_t of_keys[lanes::kLanes];
      lanes::Store(values, of_keys);
      for (size_t i = 0; i < lanes::kLanes; ++i) work.lane_values[8 * (q + i) + block] = of_keys[i];
    }
  }
}

// Makes the row of key q in the units of a run from `lane` on.
template <int kUnits>
HWY_INLINE void MakeUnitRow(const Group& group, int run, size_t q, size_t lane,
                            lanes::Vec (&row)[Units<kUnits>::kWords]) {
  using lanes::Vec;
  const RetrievalWork& work = *group.work;
  if constexpr (kUnits == 4) {
    const Vec g = lanes::Load(work.lane_keys + 8 * q + lane);
    row[0] = lanes::MulLow32(g, lanes::Load(kHalfMultipliers.of[0] + lane));
    row[1] = lanes::Or(lanes::MulLow32(g, lanes::Load(kHalfMultipliers.of[1] + lane)),
                       lanes::Load(work.lane_sides + 8 * q + lane));
  } else {
    const int block = kUnits == 8 ? run : run / 2, half = kUnits == 8 ? 0 : run % 2;
    Vec product = lanes::MulLow32(lanes::Set(work.keys[block][q]), lanes::Load(internal::kRowMultipliers + lane));
    if (kUnits == 16)
      product = half == 0 ? lanes::And(product, lanes::Set(0xffffffff)) : lanes::ShiftRight<32>(product);
    const lanes::Mask demanded =
        lanes::Meets(lanes::Set(work.unit_values[block][q]), lanes::Load(kLaneBits[half] + lane));
    row[0] = lanes::Or(product, lanes::IfThenElseZero(demanded, lanes::Set(kRightSide)));
  }
}

// Makes the upper half of that row, without a right side.
template <int kUnits>
HWY_INLINE lanes::Vec MakeHalfRow(const Group& group, int run, size_t q, size_t lane) {
  using lanes::Vec;
  const RetrievalWork& work = *group.work;
  if constexpr (kUnits == 4) {
    const Vec g = lanes::Load(work.lane_keys + 8 * q + lane);
    return lanes::MulLow32(g, lanes::Load(kHalfMultipliers.of[1] + lane));
  } else {
    const int block = kUnits == 8 ? run : run / 2;
    Vec product = lanes::MulLow32(lanes::Set(work.keys[block][q]), lanes::Load(internal::kRowMultipliers + lane));
    if (kUnits == 16 && run % 2 == 1) product = lanes::ShiftRight<32>(product);
    return lanes::And(product, lanes::Set(Units<kUnits>::kUpperHalf));
  }
}

// With kUnits == 4 two blocks share a run, so their keys are laid out by lane.
template <int kUnits>
HWY_INLINE void SpreadKeys(const Group& group, int run) {
  if constexpr (kUnits == 4) {
    RetrievalWork& work = *group.work;
    for (size_t i = 0; i < 2; ++i) {
      const size_t block = 2 * static_cast<size_t>(run) + i;
      for (size_t q = 0; q < group.padded_keys; ++q) {
        for (size_t unit = 0; unit < 4; ++unit) {
          work.lane_keys[8 * q + 4 * i + unit] = work.keys[block][q];
          work.lane_sides[8 * q + 4 * i + unit] = work.unit_values[block][q] >> unit << 63;
        }
      }
    }
  }
}

template <int kUnits>
HWY_INLINE System<Units<kUnits>::kWords> UnitSystem(const Group& group, int run) {
  System<Units<kUnits>::kWords> system;
  system.rows = group.work->unit_rows + 8 * static_cast<size_t>(run) * group.padded_keys * Units<kUnits>::kWords;
  system.tests = group.work->unit_tests;
  system.Clear();
  return system;
}

// Takes the next kRows keys of a run.
template <int kUnits, size_t kRows>
HWY_INLINE void TakeUnitRows(const Group& group, int run, size_t lane, System<Units<kUnits>::kWords>& system,
                             AnyFailure& failure) {
  constexpr int kWords = Units<kUnits>::kWords;
  Tile<kWords, kRows> tile;
  LINEFILTER_UNROLL
  for (size_t t = 0; t < kRows; ++t) MakeUnitRow<kUnits>(group, run, system.num_rows + t, lane, tile[t]);
  ReduceByAll<kWords, kRows>(system, lane, tile);
  AppendTile<kWords>(system, lane, kRows, tile, failure);
}

// Solves the units of a run; bit 63 of failed[lane] tells of contradictions.
template <int kUnits>
HWY_NOINLINE void ReduceUnits(const Group& group, int run, uint64_t* failed) {
  constexpr int kWords = Units<kUnits>::kWords;
  constexpr size_t kRows = kTileRows<kWords>;
  SpreadKeys<kUnits>(group, run);
  System<kWords> systems[8 / lanes::kLanes];
  lanes::Vec fails[8 / lanes::kLanes];
  for (System<kWords>& system : systems) system = UnitSystem<kUnits>(group, run);
  for (lanes::Vec& of_lanes : fails) of_lanes = lanes::Zero();
  // Lanes take turns, tile by tile: while a tile is reduced within itself, which is a chain, the next one is begun.
  for (size_t rows; (rows = systems[0].num_rows) < group.most_keys;) {
    const bool takes_all = rows + kRows / 2 < group.most_keys;  // the last rows are the most expensive ones
    for (size_t i = 0; i < 8 / lanes::kLanes; ++i) {
      const size_t lane = i * lanes::kLanes;
      AnyFailure failure{fails[i]};
      if (takes_all) {
        TakeUnitRows<kUnits, kRows>(group, run, lane, systems[i], failure);
      } else {
        TakeUnitRows<kUnits, kRows / 2>(group, run, lane, systems[i], failure);
      }
      fails[i] = failure.fails;
    }
  }
  for (size_t i = 0; i < 8 / lanes::kLanes; ++i) lanes::Store(fails[i], failed + i * lanes::kLanes);
}

// Makes all columns of the units of four runs, from unit_free. low and high are the words of the units.
template <int kUnits>
HWY_NOINLINE void SolveUnits(const Group& group, int first_run, uint64_t (*low)[8], uint64_t (*high)[8]) {
  using U = Units<kUnits>;
  const size_t distance = 8 * U::kWords * group.padded_keys;
  const uint64_t* const rows = group.work->unit_rows + static_cast<size_t>(first_run) * distance;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    lanes::Vec x[4][U::kWords];
    LINEFILTER_UNROLL
    for (int s = 0; s < 4; ++s) {
      x[s][0] = lanes::Zero();
      x[s][U::kWords - 1] = lanes::ShiftLeft<U::kUpperShift>(Expand<U::kCompressSteps>(
          lanes::Load(group.work->unit_free[first_run + s] + lane), group.work->unit_compress[first_run + s], lane));
    }
    const lanes::Vec all = lanes::Set(kNever), limit[4] = {all, all, all, all};
    SolveBackwards<U::kWords, 4>(rows + lane, group.most_keys, distance, limit, x);
    LINEFILTER_UNROLL
    for (int s = 0; s < 4; ++s) {
      lanes::Store(x[s][0], low[first_run + s] + lane);
      lanes::Store(x[s][U::kWords - 1], high[first_run + s] + lane);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNITS_INL_H_
