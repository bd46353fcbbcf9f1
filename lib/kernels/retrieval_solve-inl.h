// The solver of the layout `retrieval`: eight blocks at a time, all with about as many keys.
//
// A block's first kUnits constraints are the parities of kUnits separate parts of the block, its units (half words,
// words, or pairs of words), once they are summed over supersets; so each unit is a system of its own, with a row per
// key and 504 / kUnits columns. That is stage one, with the units as lanes. The next kUnits constraints sum up the
// upper halves of units: their rows are reduced by those of stage one, what is left of them (the free columns of all
// units, some 500 - kUnits * keys) is packed, and stage two solves that, with blocks as lanes. It ends with the first
// constraint that contradicts: the largest T. kUnits is the power of two just below the constraints per key, 504 /
// keys; a guess that was wrong is found out (Outcome) and another one tried. The solution does not depend on it.

#if defined(LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
#undef LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
#else
#define LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lib/bits/endian.h"
#include "lib/kernels/gf2-inl.h"
#include "lib/kernels/retrieval_work.h"
#include "lib/layouts/retrieval_key.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

using internal::BlockTask;
using internal::Outcome;
using internal::RetrievalWork;

inline constexpr uint64_t kNever = uint64_t{1} << 62;  // no row failed; all rows count

// How units lie in runs: a run is what stage one solves at once, eight units in eight lanes.
template <int kUnits>
struct Units {
  static constexpr int kDigits = kUnits == 16 ? 4 : kUnits == 8 ? 3 : 2;
  static constexpr int kWords = kUnits == 4 ? 2 : 1;  // of a unit's row
  static constexpr int kRuns = kUnits == 4 ? 4 : kUnits == 8 ? 8 : 16;
  // The upper half's columns begin there, and its width needs that many steps to compress.
  static constexpr int kUpperShift = kUnits == 4 ? 0 : kUnits == 8 ? 32 : 16;
  static constexpr int kCompressSteps = kUnits == 4 ? 6 : kUnits == 8 ? 5 : 4;
  static constexpr uint64_t kUpperHalf = kUnits == 16  ? 0x00000000ffff0000
                                         : kUnits == 8 ? 0x7fffffff00000000
                                                       : 0x7fffffffffffffff;
  // Of a unit of a block: its run and its lane there.
  static constexpr int RunOf(int block, int unit) {
    return kUnits == 4 ? block / 2 : kUnits == 8 ? block : 2 * block + unit / 8;
  }
  static constexpr int LaneOf(int block, int unit) { return kUnits == 4 ? 4 * (block % 2) + unit : unit % 8; }
  // Units in the order of their upper halves' columns.
  static constexpr int InOrder(int i) { return kUnits == 16 ? i / 2 + 8 * (i % 2) : i; }
};

alignas(64) inline constexpr uint64_t kLaneBits[2][8] = {{1, 2, 4, 8, 16, 32, 64, 128},
                                                         {256, 512, 1024, 2048, 4096, 8192, 16384, 32768}};
alignas(64) inline constexpr uint64_t kPairMultipliers[2][8] = {
    {0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345, 0x643F6A89, 0x45A308D3, 0x53198A2F, 0x43707345},
    {0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89, 0x64093823, 0x699F31D1, 0x482EFA99, 0x6C4E6C89}};

// The blocks at hand. A lane without a block has num_keys 0.
struct Group {
  const BlockTask* tasks[8];
  size_t num_tasks;
  size_t most_keys;    // of a block
  size_t padded_keys;  // a multiple of every tile
  RetrievalWork* work;
};

// ---- Stage one ------------------------------------------------------------------------------------------------------

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

// internal::ConstraintValues and SumOverSupersets of all keys, some at a time. A key of zero demands zero, so what is
// padded with zeros asks for nothing.
template <int kUnits>
HWY_INLINE void PrepareKeys(const Group& group) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  const Vec high = lanes::Set(internal::kFingerprintMultiplier >> 32);
  const Vec low = lanes::Set(internal::kFingerprintMultiplier & 0xffffffff);
  for (size_t block = 0; block < 8; ++block) {
    const BlockTask& task = *group.tasks[block];
    const size_t n = block < group.num_tasks ? task.num_keys : 0;
    uint64_t* const keys = work.keys[block];
    for (size_t q = 0; q < n; ++q) keys[q] = task.g[q];
    for (size_t q = n; q < group.padded_keys; ++q) keys[q] = 0;
    for (size_t q = 0; q < group.padded_keys; q += lanes::kLanes) {
      const Vec g = lanes::Load(keys + q);
      // The high half of g * multiplier mod 2^64.
      const Vec f = lanes::And(lanes::Add(lanes::ShiftRight<32>(lanes::MulLow32(g, low)), lanes::MulLow32(g, high)),
                               lanes::Set(0xffffffff));
      const Vec values = SwapIndexBits<1, 3>(SwapIndexBits<0, 2>(SwapIndexBits<0, 4>(f)));
      lanes::Store(values, work.values[block] + q);
      Vec sums = AddShifted<2>(AddShifted<1>(values, 0x55555555), 0x33333333);
      if (Units<kUnits>::kDigits > 2) sums = AddShifted<4>(sums, 0x0f0f0f0f);
      if (Units<kUnits>::kDigits > 3) sums = AddShifted<8>(sums, 0x00ff00ff);
      lanes::Store(sums, work.unit_values[block] + q);
    }
  }
}

// The row of key q in the units of a run from `lane` on.
template <int kUnits>
HWY_INLINE void MakeUnitRow(const Group& group, int run, size_t q, size_t lane,
                            lanes::Vec (&row)[Units<kUnits>::kWords]) {
  using lanes::Vec;
  const RetrievalWork& work = *group.work;
  if constexpr (kUnits == 4) {
    const Vec g = lanes::Load(work.lane_keys + 8 * q + lane);
    row[0] = lanes::MulLow32(g, lanes::Load(kPairMultipliers[0] + lane));
    row[1] = lanes::Or(lanes::MulLow32(g, lanes::Load(kPairMultipliers[1] + lane)),
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

// The upper half of that row, without a right side.
template <int kUnits>
HWY_INLINE lanes::Vec MakeHalfRow(const Group& group, int run, size_t q, size_t lane) {
  using lanes::Vec;
  const RetrievalWork& work = *group.work;
  if constexpr (kUnits == 4) {
    const Vec g = lanes::Load(work.lane_keys + 8 * q + lane);
    return lanes::MulLow32(g, lanes::Load(kPairMultipliers[1] + lane));
  } else {
    const int block = kUnits == 8 ? run : run / 2;
    Vec product = lanes::MulLow32(lanes::Set(work.keys[block][q]), lanes::Load(internal::kRowMultipliers + lane));
    if (kUnits == 16 && run % 2 == 1) product = lanes::ShiftRight<32>(product);
    return lanes::And(product, lanes::Set(Units<kUnits>::kUpperHalf));
  }
}

// kUnits == 4: two blocks share a run, so their keys are laid out by lane.
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
  system.pivots = group.work->unit_pivots;
  system.Clear();
  return system;
}

// How to bring the free columns of a lane to the bottom: Warren, Hacker's Delight (2nd edition), section 7-4.
template <int kSteps>
HWY_INLINE void PrepareCompress(lanes::Vec free, uint64_t (*steps)[8], size_t lane) {
  using lanes::Vec;
  lanes::Store(free, steps[6] + lane);
  Vec m = free;
  Vec mk = lanes::ShiftLeft<1>(lanes::Xor(m, lanes::Set(~uint64_t{0})));
  const auto step = [&](auto shift, int i) HWY_ATTR {
    Vec mp = lanes::Xor(mk, lanes::ShiftLeft<1>(mk));
    mp = lanes::Xor(mp, lanes::ShiftLeft<2>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<4>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<8>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<16>(mp));
    mp = lanes::Xor(mp, lanes::ShiftLeft<32>(mp));
    const Vec mv = lanes::And(mp, m);
    m = lanes::Or(lanes::Xor(m, mv), lanes::ShiftRight<decltype(shift)::value>(mv));
    mk = lanes::AndNot(mp, mk);
    lanes::Store(mv, steps[i] + lane);
  };
  step(std::integral_constant<int, 1>(), 0);
  step(std::integral_constant<int, 2>(), 1);
  step(std::integral_constant<int, 4>(), 2);
  step(std::integral_constant<int, 8>(), 3);
  if constexpr (kSteps > 4) step(std::integral_constant<int, 16>(), 4);
  if constexpr (kSteps > 5) step(std::integral_constant<int, 32>(), 5);
}

template <int kShift>
HWY_INLINE lanes::Vec CompressStep(lanes::Vec x, const uint64_t* step) {
  const lanes::Vec t = lanes::And(x, lanes::Load(step));
  return lanes::Or(lanes::Xor(x, t), lanes::ShiftRight<kShift>(t));
}
template <int kShift>
HWY_INLINE lanes::Vec ExpandStep(lanes::Vec x, const uint64_t* step) {
  const lanes::Vec mv = lanes::Load(step);
  return lanes::Or(lanes::AndNot(mv, x), lanes::And(lanes::ShiftLeft<kShift>(x), mv));
}
template <int kSteps>
HWY_INLINE lanes::Vec Compress(lanes::Vec x, const uint64_t (*steps)[8], size_t lane) {
  x = lanes::And(x, lanes::Load(steps[6] + lane));
  x = CompressStep<1>(x, steps[0] + lane);
  x = CompressStep<2>(x, steps[1] + lane);
  x = CompressStep<4>(x, steps[2] + lane);
  x = CompressStep<8>(x, steps[3] + lane);
  if constexpr (kSteps > 4) x = CompressStep<16>(x, steps[4] + lane);
  if constexpr (kSteps > 5) x = CompressStep<32>(x, steps[5] + lane);
  return x;
}
template <int kSteps>
HWY_INLINE lanes::Vec Expand(lanes::Vec x, const uint64_t (*steps)[8], size_t lane) {
  if constexpr (kSteps > 5) x = ExpandStep<32>(x, steps[5] + lane);
  if constexpr (kSteps > 4) x = ExpandStep<16>(x, steps[4] + lane);
  x = ExpandStep<8>(x, steps[3] + lane);
  x = ExpandStep<4>(x, steps[2] + lane);
  x = ExpandStep<2>(x, steps[1] + lane);
  x = ExpandStep<1>(x, steps[0] + lane);
  return lanes::And(x, lanes::Load(steps[6] + lane));
}

// The half rows of a run, reduced by its rows, from the first whose pivot is in an upper half. They have no other
// columns than those, and so do the rows that meet them: the last word is all.
template <int kUnits>
HWY_INLINE void ReduceHalfRows(const Group& group, int run, const System<Units<kUnits>::kWords>& system, size_t lane) {
  using lanes::Vec;
  using U = Units<kUnits>;
  constexpr int kLast = U::kWords - 1;
  const Vec upper = lanes::Set(U::kUpperHalf);
  RetrievalWork& work = *group.work;
  size_t first = 0;
  Vec pivots = lanes::Zero();
  for (size_t r = group.most_keys; r-- > 0;) {
    const Vec pivot = lanes::And(lanes::Load(system.Pivot(r, kLast) + lane), upper);
    pivots = lanes::Or(pivots, pivot);
    if (!lanes::AllTrue(lanes::IsZero(pivot))) first = r;
  }
  const Vec columns = kUnits == 16 && run % 2 == 1 ? lanes::And(upper, lanes::Set(0x7fffffff)) : upper;
  PrepareCompress<U::kCompressSteps>(lanes::ShiftRight<U::kUpperShift>(lanes::AndNot(pivots, columns)),
                                     work.compress[run], lane);
  Tile<1> tile;
  for (size_t q = 0; q < group.padded_keys; q += Tile<1>::kRows) {
    LINEFILTER_UNROLL
    for (size_t t = 0; t < Tile<1>::kRows; ++t) tile.row[t][0] = MakeHalfRow<kUnits>(group, run, q + t, lane);
    for (size_t r = first; r < group.most_keys; ++r) {
      const Vec pivot = lanes::Load(system.Pivot(r, kLast) + lane), row = lanes::Load(system.Row(r, kLast) + lane);
      LINEFILTER_UNROLL
      for (size_t t = 0; t < Tile<1>::kRows; ++t) {
        tile.row[t][0] = lanes::XorWhere(lanes::HitWhereMeets(tile.row[t][0], pivot), tile.row[t][0], row);
      }
    }
    LINEFILTER_UNROLL
    for (size_t t = 0; t < Tile<1>::kRows; ++t) {
      const Vec packed =
          Compress<U::kCompressSteps>(lanes::ShiftRight<U::kUpperShift>(tile.row[t][0]), work.compress[run], lane);
      lanes::Store(lanes::Or(packed, lanes::And(tile.row[t][0], lanes::Set(kRightSide))),
                   work.pending + 8 * (static_cast<size_t>(run) * group.padded_keys + q + t) + lane);
    }
  }
}

// Solves the units of a run; failed[lane] tells of contradictions.
template <int kUnits>
HWY_INLINE void StageOne(const Group& group, int run, uint64_t* failed) {
  using U = Units<kUnits>;
  SpreadKeys<kUnits>(group, run);
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    System<U::kWords> system = UnitSystem<kUnits>(group, run);
    lanes::Vec fails = lanes::Set(kNever);
    Tile<U::kWords> tile;
    while (system.num_rows < group.padded_keys) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < Tile<U::kWords>::kRows; ++t) {
        MakeUnitRow<kUnits>(group, run, system.num_rows + t, lane, tile.row[t]);
      }
      ReduceByAll<U::kWords>(system, lane, tile);
      AppendTile<U::kWords>(system, lane, tile, &fails);
      system.num_rows += Tile<U::kWords>::kRows;
    }
    lanes::Store(fails, failed + lane);
    ReduceHalfRows<kUnits>(group, run, system, lane);
  }
}

// ---- Between the stages ---------------------------------------------------------------------------------------------

// Where the free columns of a block's units lie in its packed rows.
template <int kUnits>
struct Packing {
  uint8_t width[kUnits];
  uint16_t offset[kUnits];
  uint32_t columns;
};

template <int kUnits>
HWY_INLINE Packing<kUnits> PackingOf(const Group& group, int block) {
  using U = Units<kUnits>;
  Packing<kUnits> packing;
  packing.columns = 0;
  for (int i = 0; i < kUnits; ++i) {
    const int unit = U::InOrder(i);
    packing.width[unit] = static_cast<uint8_t>(
        __builtin_popcountll(group.work->compress[U::RunOf(block, unit)][6][U::LaneOf(block, unit)]));
    packing.offset[unit] = static_cast<uint16_t>(packing.columns);
    packing.columns += packing.width[unit];
  }
  return packing;
}

// words |= bits << offset; bits may reach into the next word.
HWY_INLINE void PutBits(uint64_t bits, uint32_t offset, uint64_t* words) {
  uint64_t* const word = words + offset / 64;
  const uint32_t shift = offset % 64;
  word[0] |= bits << shift;
  word[1] |= bits >> 1 >> (63 - shift);
}

template <int kUnits>
HWY_INLINE void PackBlock(const Group& group, int block, const Packing<kUnits>& packing, size_t num_words) {
  using U = Units<kUnits>;
  RetrievalWork& work = *group.work;
  for (size_t m = 0; m < kUnits; ++m) {
    uint64_t mask[9] = {};
    for (int unit = 0; unit < kUnits; ++unit) {
      if ((static_cast<size_t>(unit) & m) != m) continue;
      PutBits((uint64_t{1} << packing.width[unit]) - 1, packing.offset[unit], mask);
    }
    for (size_t w = 0; w < num_words; ++w) work.masks[8 * (num_words * m + w) + static_cast<size_t>(block)] = mask[w];
  }
  for (size_t q = 0; q < group.padded_keys; ++q) {
    uint64_t* word = work.packed + 8 * num_words * q + block;
    uint64_t* const end = word + 8 * num_words;
    uint64_t bits = 0;
    uint32_t used = 0, sides = 0;
    LINEFILTER_UNROLL
    for (int i = 0; i < kUnits; ++i) {
      const int unit = U::InOrder(i);
      const size_t run = static_cast<size_t>(U::RunOf(block, unit));
      const uint64_t columns =
          work.pending[8 * (run * group.padded_keys + q) + static_cast<size_t>(U::LaneOf(block, unit))];
      sides |= static_cast<uint32_t>(columns >> 63) << unit;
      bits |= columns << used;
      used += packing.width[unit];
      if (used >= 64) {  // the same for all keys of a block, so foreseen
        used -= 64;
        *word = bits;
        word += 8;
        bits = used == 0 ? 0 : (columns & ~kRightSide) >> (packing.width[unit] - used);
      } else {
        bits &= (uint64_t{1} << used) - 1;  // without the right side
      }
    }
    for (; word != end; word += 8, bits = 0) *word = bits;
    work.sides[8 * q + static_cast<size_t>(block)] =
        internal::SumOverSupersets(sides, U::kDigits) ^ (work.values[block][q] >> kUnits & ((1u << kUnits) - 1));
  }
}

// A lane without a block.
template <int kUnits>
HWY_INLINE void PackNothing(const Group& group, int block, size_t num_words) {
  RetrievalWork& work = *group.work;
  const size_t lane = static_cast<size_t>(block);
  for (size_t i = 0; i < kUnits * num_words; ++i) work.masks[8 * i + lane] = 0;
  for (size_t i = 0; i < group.padded_keys * num_words; ++i) work.packed[8 * i + lane] = 0;
  for (size_t q = 0; q < group.padded_keys; ++q) work.sides[8 * q + lane] = 0;
}

// ---- Stage two ------------------------------------------------------------------------------------------------------

// Equations in the order of T's steps, until every lane has failed. failed: in, 0 for lanes that need not be solved;
// out, the first contradiction, as constraint * most_keys + key.
template <int kUnits, int kWords>
HWY_INLINE size_t SolvePending(const Group& group, size_t lane, uint64_t* failed) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  System<kWords> system;
  system.rows = work.rows;
  system.pivots = work.pivots;
  system.Clear();
  Vec fails = lanes::Load(failed + lane);
  constexpr size_t kConstraints = kUnits == 16 ? 15 : kUnits;  // T stops at 248
  Tile<kWords> tile;
  for (size_t m = 0; m < kConstraints; ++m) {
    const uint64_t* const masks = work.masks + 8 * kWords * m + lane;
    const Vec bit = lanes::Set(uint64_t{1} << m);
    for (size_t q = 0; q < group.most_keys; q += Tile<kWords>::kRows) {
      LINEFILTER_UNROLL
      for (size_t t = 0; t < Tile<kWords>::kRows; ++t) {
        const uint64_t* const packed = work.packed + 8 * kWords * (q + t) + lane;
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) {
          tile.row[t][w] = lanes::And(lanes::Load(packed + 8 * w), lanes::Load(masks + 8 * w));
        }
        const lanes::Mask demanded = lanes::Meets(lanes::Load(work.sides + 8 * (q + t) + lane), bit);
        tile.row[t][kWords - 1] =
            lanes::Or(tile.row[t][kWords - 1], lanes::IfThenElseZero(demanded, lanes::Set(kRightSide)));
      }
      ReduceByAll<kWords>(system, lane, tile);
      AppendTile<kWords>(system, lane, tile, &fails);
      // Behind the last key a tile is zero: the next one takes its place.
      const size_t left = group.most_keys - q;
      system.num_rows += left < Tile<kWords>::kRows ? left : Tile<kWords>::kRows;
      if (lanes::AllTrue(lanes::IsLess(fails, lanes::Set(kNever)))) {
        lanes::Store(fails, failed + lane);
        return system.num_rows;
      }
    }
  }
  lanes::Store(fails, failed + lane);
  return system.num_rows;
}

template <int kWords>
HWY_INLINE void SolvePacked(const Group& group, size_t lane, size_t num_rows, const uint64_t* limit) {
  lanes::Vec x[1][kWords];
  LINEFILTER_UNROLL
  for (int w = 0; w < kWords; ++w) x[0][w] = lanes::Zero();
  SolveBackwards<kWords, 1>(group.work->rows + lane, num_rows, 0, lanes::Load(limit + lane), x);
  LINEFILTER_UNROLL
  for (int w = 0; w < kWords; ++w) lanes::Store(x[0][w], group.work->solution + 8 * w + lane);
}

// What stage two found out of a block.
struct Found {
  Outcome outcome;
  uint32_t header;
};

// The header of a block, and how many rows of stage two it takes.
template <int kUnits>
HWY_INLINE Found HeaderOf(const Group& group, size_t block, uint64_t failed, uint64_t* limit) {
  if (failed >= kNever) {
    *limit = kNever;
    return kUnits == 16 ? Found{Outcome::kSolved, internal::kMostHeader} : Found{Outcome::kNotFull, 0};
  }
  const uint64_t m = failed / group.most_keys, q = failed % group.most_keys;
  const BlockTask& task = *group.tasks[block];
  const uint32_t eighth = internal::EighthOf(task.g[q]);
  *limit = m * group.most_keys + task.before[eighth];
  return {Outcome::kSolved, static_cast<uint32_t>(8 * (kUnits + m) + 7 - eighth)};
}

template <int kUnits, int kWords>
void StageTwo(const Group& group, uint64_t* failed, Found* found) {
  alignas(64) uint64_t limit[8];
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    const size_t num_rows = SolvePending<kUnits, kWords>(group, lane, failed);
    for (size_t block = lane; block < lane + lanes::kLanes; ++block) {
      limit[block] = 0;
      if (block < group.num_tasks && found[block].outcome != Outcome::kTooFull) {
        found[block] = HeaderOf<kUnits>(group, block, failed[block], limit + block);
      }
    }
    SolvePacked<kWords>(group, lane, num_rows, limit);
  }
}

// ---- Back -----------------------------------------------------------------------------------------------------------

// The free columns of each unit, from the packed solution.
template <int kUnits>
HWY_INLINE void UnpackBlock(const Group& group, int block, const Packing<kUnits>& packing, uint64_t (*units)[8]) {
  using U = Units<kUnits>;
  for (int unit = 0; unit < kUnits; ++unit) {
    const uint64_t* const word = group.work->solution + 8 * (packing.offset[unit] / 64) + block;
    const uint32_t shift = packing.offset[unit] % 64;
    const uint64_t bits = word[0] >> shift | word[8] << 1 << (63 - shift);
    units[U::RunOf(block, unit)][U::LaneOf(block, unit)] = bits & ((uint64_t{1} << packing.width[unit]) - 1);
  }
}

// All columns of the units of four runs. free: in, the values of the free columns; low and high: out, the words of the
// units.
template <int kUnits>
HWY_INLINE void SolveRuns(const Group& group, int first_run, uint64_t (*low)[8], uint64_t (*high)[8]) {
  using U = Units<kUnits>;
  const size_t distance = 8 * U::kWords * group.padded_keys;
  const uint64_t* const rows = group.work->unit_rows + static_cast<size_t>(first_run) * distance;
  for (size_t lane = 0; lane < 8; lane += lanes::kLanes) {
    lanes::Vec x[4][U::kWords];
    LINEFILTER_UNROLL
    for (int s = 0; s < 4; ++s) {
      x[s][0] = lanes::Zero();
      x[s][U::kWords - 1] = lanes::ShiftLeft<U::kUpperShift>(Expand<U::kCompressSteps>(
          lanes::Load(high[first_run + s] + lane), group.work->compress[first_run + s], lane));
    }
    SolveBackwards<U::kWords, 4>(rows + lane, group.padded_keys, distance, lanes::Set(kNever), x);
    LINEFILTER_UNROLL
    for (int s = 0; s < 4; ++s) {
      lanes::Store(x[s][0], low[first_run + s] + lane);
      lanes::Store(x[s][U::kWords - 1], high[first_run + s] + lane);
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

template <int kUnits>
void DispatchStageTwo(size_t num_words, const Group& group, uint64_t* failed, Found* found) {
  switch (num_words) {
    case 1:
      return StageTwo<kUnits, 1>(group, failed, found);
    case 2:
      return StageTwo<kUnits, 2>(group, failed, found);
    case 3:
      return StageTwo<kUnits, 3>(group, failed, found);
    case 4:
      return StageTwo<kUnits, 4>(group, failed, found);
    case 5:
      return StageTwo<kUnits, 5>(group, failed, found);
    case 6:
      return StageTwo<kUnits, 6>(group, failed, found);
    case 7:
      return StageTwo<kUnits, 7>(group, failed, found);
    default:
      return StageTwo<kUnits, 8>(group, failed, found);
  }
}

// Up to eight blocks of 1 to kMostKeysOfLanes keys.
template <int kUnits>
void SolveGroup(const BlockTask* tasks, size_t num_tasks, RetrievalWork* work, Outcome* outcomes) {
  using U = Units<kUnits>;
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
  const int num_runs = U::RunOf(num_blocks - 1, kUnits - 1) + 1;
  alignas(64) uint64_t unit_failed[16][8];
  PrepareKeys<kUnits>(group);
  for (int run = 0; run < num_runs; ++run) StageOne<kUnits>(group, run, unit_failed[run]);

  alignas(64) uint64_t failed[8];
  Found found[8];
  Packing<kUnits> packing[8];
  uint32_t columns = 0;
  for (int block = 0; block < 8; ++block) failed[block] = 0;
  for (int block = 0; block < num_blocks; ++block) {
    bool fails = false;
    for (int unit = 0; unit < kUnits; ++unit)
      fails |= unit_failed[U::RunOf(block, unit)][U::LaneOf(block, unit)] < kNever;
    found[block] = {fails ? Outcome::kTooFull : Outcome::kSolved, 0};
    failed[block] = fails ? 0 : kNever;
    packing[block] = PackingOf<kUnits>(group, block);
    if (packing[block].columns > columns) columns = packing[block].columns;
  }
  const size_t num_words = columns / 64 + 1;  // and room for the right side
  for (int block = 0; block < 8; ++block) {
    if (block < num_blocks) {
      PackBlock<kUnits>(group, block, packing[block], num_words);
    } else {
      PackNothing<kUnits>(group, block, num_words);
    }
  }
  DispatchStageTwo<kUnits>(num_words, group, failed, found);

  alignas(64) uint64_t low[16][8], high[16][8];
  for (int block = 0; block < num_blocks; ++block) UnpackBlock<kUnits>(group, block, packing[block], high);
  for (int run = 0; run < num_runs; run += 4) SolveRuns<kUnits>(group, run, low, high);
  for (int block = 0; block < num_blocks; ++block) {
    outcomes[block] = found[block].outcome;
    if (found[block].outcome == Outcome::kSolved) WriteBlock<kUnits>(group, block, found[block].header, low, high);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_KERNELS_RETRIEVAL_SOLVE_INL_H_
