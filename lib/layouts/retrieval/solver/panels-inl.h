// This solves linear systems over GF(2) by panels, eight side by side (octets-inl.h). A panel is an octet whose rows
// are reduced by all earlier rows, then among themselves, each by those before it. As in gf2-inl.h, rows keep their
// order, and the pivot of a row is the lowest column that is left in it.
//
// An octet is reduced by a panel in three products: which pivots its rows have; which of the panel's rows take them
// away, as these have pivots of each other, too; what those rows sum up to. Inside a panel rows are words again, of a
// window of seven bytes of columns. The eighth byte tells which rows were summed up, and one product per byte does the
// same to all columns.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_PANELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_PANELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_PANELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/octets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if LINEFILTER_GFNI

inline constexpr size_t kMostColumnBytes = 32;
inline constexpr size_t kMostPanels = 80;
inline constexpr size_t kWindow = 7;
inline constexpr uint64_t kWindowBits = 0x00ffffffffffffff;
inline constexpr size_t kOctetWords = 8 * (kMostColumnBytes + 1);

struct Panel {
  size_t begin, end;     // the bytes of columns that have pivots; rows have nothing below
  size_t first_row;      // its number in the system
  uint64_t* transposed;  // the rows: in each lane a matrix for each byte of columns, a column a byte
  uint64_t* pivots;      // the pivots' bits, an octet, from byte `begin` on
  uint64_t* inverse;     // of the panel's rows in its pivots' columns, and that transposed
  uint64_t* coupling;    // the rows of the panel before in its pivots' columns, transposed; of panels with odd numbers
};

// A growing system. The right side is bit 0 of the byte behind those of columns.
struct PanelSystem {
  size_t num_bytes;  // of columns, from kWindow to kMostColumnBytes
  uint64_t* memory;  // what panels have left
  uint64_t* memory_end;
  size_t num_panels;
  Panel panels[kMostPanels];

  // A panel has at most all bytes of its rows and pivots, two inverses, and a coupling.
  bool HasRoom() const {
    return num_panels < kMostPanels && static_cast<size_t>(memory_end - memory) >= 8 * (2 * num_bytes + 4);
  }
};

// Octets are taken some at a time, because a chain of products and sums waits for each of them, and by two panels at a
// time, because they are loaded and stored each time.
inline constexpr size_t kOctetsAtOnce = 4;

// Adds up which pivots of a panel kNumber octets have.
template <size_t kNumber>
HWY_INLINE void MeetPivots(const Panel& panel, const uint64_t (*octets)[kOctetWords], lanes::Vec (&met)[kNumber]) {
  for (size_t c = panel.begin; c < panel.end; ++c) {
    const lanes::Vec pivots = lanes::Load(panel.pivots + 8 * (c - panel.begin));
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kNumber; ++i) {
      met[i] = lanes::Xor(met[i], Times(lanes::Load(octets[i] + 8 * c), pivots));
    }
  }
}

template <size_t kNumber>
HWY_INLINE void TimesSame(lanes::Vec (&x)[kNumber], const uint64_t* matrix) {
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kNumber; ++i) x[i] = Times(x[i], lanes::Load(matrix));
}

// Reduces kNumber octets by a panel.
template <size_t kNumber>
HWY_INLINE void ReduceOctetsByOne(const Panel& panel, size_t num_bytes, uint64_t (*octets)[kOctetWords]) {
  using lanes::Vec;
  Vec factors[kNumber];
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kNumber; ++i) factors[i] = lanes::Zero();
  MeetPivots(panel, octets, factors);
  TimesSame(factors, panel.inverse + 8);
  for (size_t c = panel.begin; c <= num_bytes; ++c) {
    const Vec transposed = lanes::Load(panel.transposed + 8 * c);
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kNumber; ++i) {
      lanes::Store(lanes::Xor(lanes::Load(octets[i] + 8 * c), Times(factors[i], transposed)), octets[i] + 8 * c);
    }
  }
}

// Reduces kNumber octets by panels 2 k and 2 k + 1.
template <size_t kNumber>
HWY_INLINE void ReduceOctetsByTwo(const Panel* panels, size_t num_bytes, uint64_t (*octets)[kOctetWords]) {
  using lanes::Vec;
  Vec first[kNumber], second[kNumber];
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kNumber; ++i) first[i] = second[i] = lanes::Zero();
  MeetPivots(panels[0], octets, first);
  MeetPivots(panels[1], octets, second);
  TimesSame(first, panels[0].inverse + 8);
  LINEFILTER_UNROLL
  for (size_t i = 0; i < kNumber; ++i) {
    second[i] = lanes::Xor(second[i], Times(first[i], lanes::Load(panels[1].coupling)));
  }
  TimesSame(second, panels[1].inverse + 8);
  const size_t begin = panels[0].begin < panels[1].begin ? panels[0].begin : panels[1].begin;
  for (size_t c = begin; c <= num_bytes; ++c) {
    const Vec by_first = lanes::Load(panels[0].transposed + 8 * c),
              by_second = lanes::Load(panels[1].transposed + 8 * c);
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kNumber; ++i) {
      const Vec sum = lanes::Xor(Times(first[i], by_first), Times(second[i], by_second));
      lanes::Store(lanes::Xor(lanes::Load(octets[i] + 8 * c), sum), octets[i] + 8 * c);
    }
  }
}

template <size_t kNumber>
HWY_INLINE void ReduceOctetsFrom(size_t p, const PanelSystem& system, uint64_t (*octets)[kOctetWords]) {
  while (p < system.num_panels) {
    if (p % 2 == 0 && p + 1 < system.num_panels) {
      ReduceOctetsByTwo<kNumber>(system.panels + p, system.num_bytes, octets);
      p += 2;
    } else {
      ReduceOctetsByOne<kNumber>(system.panels[p++], system.num_bytes, octets);
    }
  }
}

// Reduces some octets by the panels from p on.
HWY_INLINE void ReduceOctets(size_t p, const PanelSystem& system, size_t number, uint64_t (*octets)[kOctetWords]) {
  if (number == 1) ReduceOctetsFrom<1>(p, system, octets);
  if (number == 2) ReduceOctetsFrom<2>(p, system, octets);
  if (number == 3) ReduceOctetsFrom<3>(p, system, octets);
  if (number == 4) ReduceOctetsFrom<4>(p, system, octets);
}

// Reduces the rows of a window by each other. open[t] has the window's columns where row t has no pivot yet; pivot[t]
// becomes the one that it finds, if any.
HWY_INLINE void ReduceWindow(lanes::Vec (&row)[8], lanes::Vec (&open)[8], lanes::Vec (&pivot)[8]) {
  LINEFILTER_UNROLL
  for (int t = 0; t < 8; ++t) {
    pivot[t] = lanes::LowestBit(lanes::And(row[t], open[t]));
    open[t] = lanes::IfThenElseZero(lanes::IsZero(pivot[t]), open[t]);
    LINEFILTER_UNROLL
    for (int s = t + 1; s < 8; ++s) {
      row[s] = lanes::XorWhere(lanes::HitWhereMeets(row[s], pivot[t]), row[s], row[t]);
    }
  }
}

// An octet that becomes a panel.
struct NewPanel {
  size_t at;         // the window at hand
  uint64_t lacking;  // which rows have no pivot, as NonzeroBytes tells
  uint64_t* transposed;
  alignas(64) uint64_t pivots[8 * kMostColumnBytes];  // of the windows so far
};

// Finds pivots in the window whose bytes of columns are in row[0 ... 6]. Returns which rows are to be summed up.
HWY_INLINE lanes::Vec TakeWindow(lanes::Vec (&row)[8], lanes::Vec (&open)[8], bool is_first, NewPanel* panel) {
  using lanes::Vec;
  Vec pivot[8];
  row[kWindow] = lanes::Set(kIdentity);
  TransposeBytes(row);
  ReduceWindow(row, open, pivot);
  TransposeBytes(row);
  TransposeBytes(pivot);
  Vec found = lanes::Zero();
  LINEFILTER_UNROLL
  for (size_t c = 0; c < kWindow; ++c) {
    uint64_t* const pivots = panel->pivots + 8 * (panel->at + c);
    found = lanes::Or(found, pivot[c]);
    lanes::Store(is_first ? pivot[c] : lanes::Or(pivot[c], lanes::Load(pivots)), pivots);
  }
  panel->lacking &= ~NonzeroBytes(found);
  return row[kWindow];
}

// Takes more windows, for rows with nothing in the first. That happens where nearly all columns are pivots already.
HWY_NOINLINE void TakeMoreWindows(size_t num_bytes, lanes::Vec (&open)[8], NewPanel* panel) {
  using lanes::Vec;
  for (size_t seen = panel->at + kWindow; seen < num_bytes; seen = panel->at + kWindow) {
    Vec any = lanes::Zero();
    for (size_t c = seen; c < num_bytes; ++c) {
      any = lanes::Or(any, lanes::Load(panel->transposed + 8 * c));
      lanes::Store(lanes::Zero(), panel->pivots + 8 * c);
    }
    if ((panel->lacking & NonzeroBytes(Transposed(any))) == 0) return;
    panel->at = seen + kWindow < num_bytes ? seen : num_bytes - kWindow;
    Vec row[8];
    for (size_t c = 0; c < kWindow; ++c) row[c] = Transposed(lanes::Load(panel->transposed + 8 * (panel->at + c)));
    const Vec summed = TakeWindow(row, open, false, panel);
    for (size_t c = panel->at; c <= num_bytes; ++c) {
      lanes::Store(Times(lanes::Load(panel->transposed + 8 * c), summed), panel->transposed + 8 * c);
    }
  }
}

HWY_INLINE bool IsZeroEntry(const uint64_t* entry) { return lanes::AllTrue(lanes::IsZero(lanes::Load(entry))); }

// The rows of a panel in the columns of a panel's pivots: byte s has those of row s.
HWY_INLINE lanes::Vec InPivots(const Panel& rows, const Panel& panel) {
  lanes::Vec sum = lanes::Zero();
  for (size_t c = panel.begin; c < panel.end; ++c) {
    const lanes::Vec row = Transposed(lanes::Load(rows.transposed + 8 * c));
    sum = lanes::Xor(sum, Times(row, lanes::Load(panel.pivots + 8 * (c - panel.begin))));
  }
  return sum;
}

// Inverts matrices R, with ones in the diagonal and nothing on its left, by R = I + N and N^8 = 0.
HWY_INLINE void StoreInverse(lanes::Vec matrix, uint64_t* inverse) {
  using lanes::Vec;
  const Vec n1 = lanes::AndNot(lanes::Set(kIdentity), matrix);
  const Vec n2 = Times(n1, Transposed(n1));
  const Vec n4 = Times(n2, Transposed(n2));
  Vec product = lanes::Xor(n1, lanes::Set(kIdentity));
  product = lanes::Xor(product, Times(product, Transposed(n2)));
  product = lanes::Xor(product, Times(product, Transposed(n4)));
  lanes::Store(product, inverse);
  lanes::Store(Transposed(product), inverse + 8);
}

HWY_INLINE void FillZero(uint64_t* entries, size_t begin, size_t end) {
  for (size_t c = begin; c < end; ++c) lanes::Store(lanes::Zero(), entries + 8 * c);
}

// Puts a panel behind the others, whose pivots are in bytes [begin, end).
HWY_INLINE void KeepPanel(const NewPanel& from, size_t begin, size_t end, size_t first_row, PanelSystem* system) {
  const size_t number = system->num_panels++;
  Panel& panel = system->panels[number];
  panel.begin = begin;
  panel.end = end;
  panel.first_row = first_row;
  panel.transposed = from.transposed;
  panel.inverse = panel.transposed + 8 * (system->num_bytes + 1);
  panel.coupling = panel.inverse + 16;
  panel.pivots = panel.coupling + 8;
  system->memory = panel.pivots + 8 * (end - begin);
  for (size_t c = begin; c < end; ++c) {
    lanes::Store(lanes::Load(from.pivots + 8 * c), panel.pivots + 8 * (c - begin));
  }
  StoreInverse(InPivots(panel, panel), panel.inverse);
  if (number % 2 == 0) return;
  // Both are used from the lower begin on.
  const Panel& before = system->panels[number - 1];
  FillZero(before.transposed, begin, before.begin);
  FillZero(panel.transposed, before.begin, begin);
  lanes::Store(Transposed(InPivots(before, panel)), panel.coupling);
}

// Takes an octet that is reduced by all panels as the next rows; the system must have room. Tells which of them say
// 0 = 1, as NonzeroBytes does.
HWY_INLINE uint64_t AppendOctet(const uint64_t* octet, size_t first_row, PanelSystem* system) {
  using lanes::Vec;
  const size_t num_bytes = system->num_bytes;
  NewPanel panel;
  panel.at = 0;
  while (panel.at < num_bytes - kWindow && IsZeroEntry(octet + 8 * panel.at)) ++panel.at;
  panel.lacking = ~uint64_t{0};
  panel.transposed = system->memory;
  Vec row[8], open[8];
  LINEFILTER_UNROLL
  for (size_t c = 0; c < kWindow; ++c) row[c] = lanes::Load(octet + 8 * (panel.at + c));
  LINEFILTER_UNROLL
  for (int t = 0; t < 8; ++t) open[t] = lanes::Set(kWindowBits);
  size_t begin = panel.at;
  const Vec summed = TakeWindow(row, open, true, &panel);
  for (size_t c = begin; c <= num_bytes; ++c) {
    lanes::Store(Times(Transposed(lanes::Load(octet + 8 * c)), summed), panel.transposed + 8 * c);
  }
  if (panel.lacking != 0) TakeMoreWindows(num_bytes, open, &panel);
  const uint64_t sides = NonzeroBytes(Transposed(lanes::Load(panel.transposed + 8 * num_bytes)));
  size_t end = panel.at + kWindow;
  while (begin < end && IsZeroEntry(panel.pivots + 8 * begin)) ++begin;
  while (begin < end && IsZeroEntry(panel.pivots + 8 * (end - 1))) --end;
  if (begin < end) KeepPanel(panel, begin, end, first_row, system);
  return panel.lacking & sides;
}

// Makes the solution of the rows below limit[lane], with all columns zero that have no pivot: x has a byte of columns
// in the lowest byte of each lane, and one entry more than the columns.
HWY_INLINE void SolvePanels(const PanelSystem& system, lanes::Vec limit, uint64_t* x) {
  using lanes::Vec;
  FillZero(x, 0, system.num_bytes);
  lanes::Store(lanes::Set(1), x + 8 * system.num_bytes);
  for (size_t p = system.num_panels; p-- > 0;) {
    const Panel& panel = system.panels[p];
    Vec sum = lanes::Zero();
    for (size_t c = panel.begin; c <= system.num_bytes; ++c) {
      sum = lanes::Xor(sum, Times(lanes::Load(x + 8 * c), Transposed(lanes::Load(panel.transposed + 8 * c))));
    }
    // The first rows have the highest bits.
    const Vec first = lanes::Set(panel.first_row), all = lanes::Set(0xff);
    const Vec counted = lanes::IfThenElseZero(lanes::IsLess(first, limit), lanes::Sub(limit, first));
    sum = lanes::And(sum, lanes::AndNot(lanes::ShiftRightBy(all, counted), all));
    sum = Times(sum, lanes::Load(panel.inverse));
    for (size_t c = panel.begin; c < panel.end; ++c) {
      const Vec bits = Times(sum, Transposed(lanes::Load(panel.pivots + 8 * (c - panel.begin))));
      lanes::Store(lanes::Xor(lanes::Load(x + 8 * c), bits), x + 8 * c);
    }
  }
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_PANELS_INL_H_
