// The units' systems of the retrieval solver by matrices of bits (octets-inl.h). It does what ReduceUnits does for rows
// as words.
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

#include "lib/layouts/retrieval/solver/octets-inl.h"
#include "lib/layouts/retrieval/solver/units-inl.h"

#if LINEFILTER_GFNI

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

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

inline constexpr uint64_t kSideBytes = 0x8080808080808080;  // right sides in the last byte of a row

// So many runs are solved at once: one alone would wait for each pivot.
template <int kUnits>
inline constexpr int kRunsAtOnce = kUnits == 4 ? 1 : 2;

// The panels of the runs at hand: [panel][run], each with the octet of its pivots, then its rows, transposed.
template <int kUnits>
struct UnitPanels {
  static constexpr size_t kRuns = size_t{kRunsAtOnce<kUnits>};
  static constexpr size_t kPanelWords = 2 * 8 * UnitBytes<kUnits>::kAll;
  uint64_t* memory;
  size_t size;
  size_t num_low;   // so many first ones have no pivot in an upper half, in any lane
  size_t last_low;  // from here on none has a pivot below
  uint64_t* of(size_t p, size_t i) const { return memory + kPanelWords * (kRuns * p + i); }
};

// Reduces an octet by a panel, whose pivots may be in bytes [kFrom, kTo).
template <int kUnits, size_t kFrom, size_t kTo>
HWY_INLINE void ReduceByPanel(const uint64_t* panel, UnitOctet<kUnits>& octet) {
  constexpr size_t kAll = UnitBytes<kUnits>::kAll;
  lanes::Vec even = Times(octet[kFrom], lanes::Load(panel + 8 * kFrom));
  lanes::Vec odd = Times(octet[kFrom + 1], lanes::Load(panel + 8 * (kFrom + 1)));
  LINEFILTER_UNROLL
  for (size_t c = kFrom + 2; c < kTo; c += 2) {
    even = lanes::Xor(even, Times(octet[c], lanes::Load(panel + 8 * c)));
    odd = lanes::Xor(odd, Times(octet[c + 1], lanes::Load(panel + 8 * (c + 1))));
  }
  const lanes::Vec met = lanes::Xor(even, odd);
  LINEFILTER_UNROLL
  for (size_t c = kFrom; c < kAll; ++c) {
    octet[c] = lanes::Xor(octet[c], Times(met, lanes::Load(panel + 8 * (kAll + c))));
  }
}
template <int kUnits>
HWY_INLINE void ReduceByPanels(const UnitPanels<kUnits>& panels, UnitOctet<kUnits> (&octets)[kRunsAtOnce<kUnits>]) {
  using B = UnitBytes<kUnits>;
  constexpr size_t kRuns = kRunsAtOnce<kUnits>;
  size_t p = 0;
  for (; p < panels.num_low; ++p) {
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) ReduceByPanel<kUnits, 0, B::kLow>(panels.of(p, i), octets[i]);
  }
  for (; p < panels.last_low; ++p) {
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) ReduceByPanel<kUnits, 0, B::kColumns>(panels.of(p, i), octets[i]);
  }
  for (; p < panels.size; ++p) {
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) ReduceByPanel<kUnits, B::kLow, B::kColumns>(panels.of(p, i), octets[i]);
  }
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

// In every byte of a lane, the bit of unit_values that is its unit's right side, less 8 in a run of upper half words.
struct SideBits {
  alignas(64) uint64_t of[8];
};
template <int kUnits>
constexpr SideBits MakeSideBits() {
  SideBits bits{};
  for (int lane = 0; lane < 8; ++lane) bits.of[lane] = 0x0101010101010101 << (Units<kUnits>::UnitOf(0, lane));
  return bits;
}
template <int kUnits>
inline constexpr SideBits kSideBits = MakeSideBits<kUnits>();

// Makes the rows of eight keys, and stores their upper halves.
template <int kUnits>
HWY_INLINE void MakeOctet(const Group& group, int run, size_t q, uint64_t* upper, UnitOctet<kUnits>& octet) {
  using lanes::Vec;
  using U = Units<kUnits>;
  using B = UnitBytes<kUnits>;
  const RetrievalWork& work = *group.work;
  const int block = U::BlockOf(run, 0), last_block = U::BlockOf(run, 7);
  UnitTile<kUnits> tile;
  LINEFILTER_UNROLL
  for (size_t t = 0; t < 8; ++t) {
    Vec g = lanes::Set(work.keys[block][q + t]);
    if constexpr (kUnits == 4) {
      g.raw = _mm512_mask_set1_epi64(g.raw, 0xf0, static_cast<int64_t>(work.keys[last_block][q + t]));
      tile[0][t] = lanes::MulLow32(g, lanes::Load(kHalfMultipliers.of[0]));
      tile[1][t] = lanes::MulLow32(g, lanes::Load(kHalfMultipliers.of[1]));
    } else {
      const Vec product = lanes::MulLow32(g, lanes::Load(internal::kRowMultipliers));
      tile[0][t] = kUnits == 8    ? product
                   : run % 2 == 0 ? lanes::And(product, lanes::Set(0xffffffff))
                                  : lanes::ShiftRight<32>(product);
    }
  }
  ToOctet<kUnits>(tile, octet);
  LINEFILTER_UNROLL
  for (size_t c = B::kLow; c < B::kColumns; ++c) lanes::Store(octet[c], upper + 8 * (c - B::kLow));
  const auto values = [&](int of_block) HWY_ATTR {
    const Vec all = lanes::ShiftRightSame(lanes::Load(work.unit_values[of_block] + q), kUnits == 16 ? run % 2 * 8 : 0);
    return _mm512_cvtepi64_epi8(all.raw);
  };
  __m512i sides = _mm512_broadcastq_epi64(values(block));
  if (kUnits == 4) sides = _mm512_mask_broadcastq_epi64(sides, 0xf0, values(last_block));
  const __mmask64 demanded = _mm512_test_epi8_mask(sides, lanes::Load(kSideBits<kUnits>.of).raw);
  // The bit was zero.
  Vec& last = octet[B::kAll - 1];
  last.raw = _mm512_mask_add_epi8(last.raw, demanded, last.raw, lanes::Set(kSideBytes).raw);
}

// Reduces eight rows by each other. all_pivots gets the bits of all their pivots. Runs take turns, pivot by pivot.
template <int kUnits>
HWY_INLINE void ReduceTiles(UnitTile<kUnits> (&tiles)[kRunsAtOnce<kUnits>],
                            lanes::Vec (&all_pivots)[kRunsAtOnce<kUnits>][size_t{Units<kUnits>::kWords}]) {
  using lanes::Vec;
  constexpr size_t kWords = Units<kUnits>::kWords, kRuns = kRunsAtOnce<kUnits>;
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kRuns; ++i) {
    LINEFILTER_UNROLL
    for (size_t w = 0; w < kWords; ++w) all_pivots[i][w] = lanes::Zero();
  }
  LINEFILTER_UNROLL
  for (size_t t = 0; t < 8; ++t) {
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kRuns; ++i) {
      Vec row[kWords], pivot[kWords];
      LINEFILTER_UNROLL
      for (size_t w = 0; w < kWords; ++w) row[w] = tiles[i][w][t];
      FindPivot<kWords>(row, pivot);
      LINEFILTER_UNROLL
      for (size_t w = 0; w < kWords; ++w) all_pivots[i][w] = lanes::Or(all_pivots[i][w], pivot[w]);
      LINEFILTER_UNROLL
      for (size_t distance = 1; distance < 8; ++distance) {
        const size_t s = (t + distance) % 8;  // the next one first, as it is waited for
        Vec target[kWords];
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) target[w] = tiles[i][w][s];
        ReduceRow<kWords, 0, kWords>(pivot, row, target);
        LINEFILTER_UNROLL
        for (size_t w = 0; w < kWords; ++w) tiles[i][w][s] = target[w];
      }
    }
  }
}

// Stores a reduced octet as a panel. Tells which of its rows say 0 = 1, as NonzeroBytes does.
template <int kUnits>
HWY_INLINE uint64_t StorePanel(const UnitOctet<kUnits>& octet,
                               const lanes::Vec (&all_pivots)[size_t{Units<kUnits>::kWords}], uint64_t* panel) {
  using B = UnitBytes<kUnits>;
  const lanes::Vec side_bits = lanes::Set(kSideBytes);
  lanes::Vec any = lanes::Zero();
  LINEFILTER_UNROLL
  for (size_t c = 0; c < B::kAll; ++c) {
    if (c < B::kColumns) {
      any = lanes::Or(any, c + 1 < B::kAll ? octet[c] : lanes::AndNot(side_bits, octet[c]));
      // No other row has the column of a pivot.
      const lanes::Vec pivots = lanes::And(octet[c], RepeatByte(all_pivots[B::At(c) / 8], B::At(c) % 8));
      lanes::Store(pivots, panel + 8 * c);
    }
    lanes::Store(Transposed(octet[c]), panel + 8 * (B::kAll + c));
  }
  return NonzeroBytes(lanes::And(side_bits, octet[B::kAll - 1])) & ~NonzeroBytes(any);
}

// Takes reduced tiles as the next panels.
template <int kUnits>
HWY_INLINE void AppendPanels(const UnitTile<kUnits> (&tiles)[kRunsAtOnce<kUnits>],
                             const lanes::Vec (&all_pivots)[kRunsAtOnce<kUnits>][size_t{Units<kUnits>::kWords}],
                             UnitPanels<kUnits>* panels, uint64_t (&failed)[kRunsAtOnce<kUnits>]) {
  using U = Units<kUnits>;
  const lanes::Vec upper = lanes::Set(U::kUpperHalf);
  lanes::Vec low = lanes::Zero(), high = lanes::Zero();
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kRunsAtOnce<kUnits>; ++i) {
    UnitOctet<kUnits> octet;
    ToOctet<kUnits>(tiles[i], octet);
    failed[i] |= StorePanel<kUnits>(octet, all_pivots[i], panels->of(panels->size, i));
    low = lanes::Or(low, kUnits == 4 ? all_pivots[i][0] : lanes::AndNot(upper, all_pivots[i][0]));
    high = lanes::Or(high, lanes::And(all_pivots[i][U::kWords - 1], upper));
  }
  if (panels->num_low == panels->size && lanes::AllTrue(lanes::IsZero(high))) panels->num_low = panels->size + 1;
  if (!lanes::AllTrue(lanes::IsZero(low))) panels->last_low = panels->size + 1;
  ++panels->size;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_GFNI

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_UNIT_PANELS_INL_H_
