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

#if LINEFILTER_GFNI

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

inline constexpr size_t kMostColumnBytes = 32;
inline constexpr size_t kMostPanels = 128;  // of a group of blocks
inline constexpr size_t kWindow = 7;
inline constexpr size_t kFewBytes = 4;
inline constexpr uint64_t kWindowBits = 0x00ffffffffffffff;
inline constexpr size_t kOctetWords = 8 * (kMostColumnBytes + 1);

// Panels form groups, as they come. All rows of a group are there from the lowest byte on that any has.
inline constexpr size_t kGroup = 4;

struct Panel {
  // Pivots are in these bytes of columns, and rows have nothing below. There are kFewBytes at least, because a loop of
  // any number of steps is mispredicted.
  size_t begin, end;
  size_t first_row;      // its number in the system
  uint64_t* transposed;  // the rows: in each lane a matrix for each byte of columns, a column a byte
  uint64_t* pivots;      // the pivots' bits, an octet, from byte `begin` on
  uint64_t* inverse;     // of the panel's rows in its pivots' columns, and that transposed
  uint64_t* couplings;   // the rows of the panels before it in its group, in its pivots' columns, transposed
};

// A growing system. The right side is bit 0 of the byte behind those of columns.
struct PanelSystem {
  size_t num_bytes;  // of columns, from kWindow to kMostColumnBytes
  uint64_t* memory;  // what panels have left
  uint64_t* memory_end;
  Panel* panels;
  Panel* panels_end;
  size_t num_panels;

  // A new system goes on where another one has left room.
  void BeginBehind(const PanelSystem& other) {
    memory = other.memory;
    memory_end = other.memory_end;
    panels = other.panels + other.num_panels;
    panels_end = other.panels_end;
    num_panels = 0;
  }
  // A panel has at most all bytes of its rows and pivots, its inverse twice, and couplings.
  bool HasRoom() const {
    return panels + num_panels < panels_end &&
           static_cast<size_t>(memory_end - memory) >= 8 * (2 * num_bytes + 2 + kGroup);
  }
};

// Octets are taken some at a time, because a chain of products and sums waits for each of them, and by a group of
// panels at once, because they are loaded and stored each time.
inline constexpr size_t kOctetsAtOnce = 4;

// Makes the factors of panels: which of a panel's rows are to be added to each of the octets, where the panels before
// are added, too.
template <size_t kPanels, size_t kNumber>
HWY_INLINE void FindFactors(const Panel* panels, size_t first, const uint64_t (*octets)[kOctetWords],
                            lanes::Vec (&factors)[kPanels][kNumber]) {
  LINEFILTER_UNROLL
  for (size_t j = 0; j < kPanels; ++j) {
    const Panel& panel = panels[j];
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kNumber; ++i) factors[j][i] = lanes::Zero();
    for (size_t c = panel.begin; c < panel.end; ++c) {
      const lanes::Vec pivots = lanes::Load(panel.pivots + 8 * (c - panel.begin));
      LINEFILTER_UNROLL
      for (size_t i = 0; i < kNumber; ++i) {
        factors[j][i] = lanes::Xor(factors[j][i], Times(lanes::Load(octets[i] + 8 * c), pivots));
      }
    }
  }
  LINEFILTER_UNROLL
  for (size_t j = 0; j < kPanels; ++j) {
    LINEFILTER_UNROLL
    for (size_t k = 0; k < j; ++k) {
      const lanes::Vec coupling = lanes::Load(panels[j].couplings + 8 * (first % kGroup + k));
      LINEFILTER_UNROLL
      for (size_t i = 0; i < kNumber; ++i) factors[j][i] = lanes::Xor(factors[j][i], Times(factors[k][i], coupling));
    }
    const lanes::Vec inverse = lanes::Load(panels[j].inverse + 8);
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kNumber; ++i) factors[j][i] = Times(factors[j][i], inverse);
  }
}

// Reduces kNumber octets by kPanels of a group, of which the first has that number.
template <size_t kPanels, size_t kNumber>
HWY_INLINE void ReduceByGroup(const PanelSystem& system, size_t first, uint64_t (*octets)[kOctetWords]) {
  using lanes::Vec;
  const Panel* const panels = system.panels + first;
  Vec factors[kPanels][kNumber];
  FindFactors(panels, first, octets, factors);
  size_t begin = panels[0].begin;
  const uint64_t* rows[kPanels];
  LINEFILTER_UNROLL
  for (size_t j = 0; j < kPanels; ++j) {
    if (panels[j].begin < begin) begin = panels[j].begin;
    rows[j] = panels[j].transposed;
  }
  for (size_t c = begin; c <= system.num_bytes; ++c) {
    Vec transposed[kPanels];
    LINEFILTER_UNROLL
    for (size_t j = 0; j < kPanels; ++j) transposed[j] = lanes::Load(rows[j] + 8 * c);
    LINEFILTER_UNROLL
    for (size_t i = 0; i < kNumber; ++i) {
      Vec sum = lanes::Xor(lanes::Load(octets[i] + 8 * c), Times(factors[0][i], transposed[0]));
      LINEFILTER_UNROLL
      for (size_t j = 1; j < kPanels; ++j) sum = lanes::Xor(sum, Times(factors[j][i], transposed[j]));
      lanes::Store(sum, octets[i] + 8 * c);
    }
  }
}

template <size_t kNumber>
HWY_INLINE void ReduceOctetsFrom(size_t p, const PanelSystem& system, uint64_t (*octets)[kOctetWords]) {
  while (p < system.num_panels) {
    const size_t left = system.num_panels - p;
    if (p % kGroup == 0 && left >= kGroup) {
      ReduceByGroup<kGroup, kNumber>(system, p, octets);
      p += kGroup;
    } else if (p % 2 == 0 && left >= 2) {
      ReduceByGroup<2, kNumber>(system, p, octets);
      p += 2;
    } else {
      ReduceByGroup<1, kNumber>(system, p++, octets);
    }
  }
}

// Reduces some octets by the panels from p on.
HWY_NOINLINE void ReduceOctets(size_t p, const PanelSystem& system, size_t number, uint64_t (*octets)[kOctetWords]) {
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
  size_t first, at;  // where the first window begins, and the one at hand
  uint64_t lacking;  // which rows have no pivot, as NonzeroBytes tells
  uint64_t* transposed;
  uint64_t* pivots;  // from byte `first` on

  uint64_t* PivotsOf(size_t c) const { return pivots + 8 * (c - first); }
};

// Finds pivots in the window whose bytes of columns are in row[0 ... 6]; all_pivots gets the columns of any lane that
// have one. Returns which rows are to be summed up.
HWY_INLINE lanes::Vec TakeWindow(lanes::Vec (&row)[8], lanes::Vec (&open)[8], bool is_first, NewPanel* panel,
                                 uint64_t* all_pivots) {
  using lanes::Vec;
  Vec pivot[8];
  row[kWindow] = lanes::Set(kIdentity);
  TransposeBytes(row);
  ReduceWindow(row, open, pivot);
  Vec any = pivot[0];
  LINEFILTER_UNROLL
  for (size_t t = 1; t < 8; ++t) any = lanes::Or(any, pivot[t]);
  *all_pivots = static_cast<uint64_t>(_mm512_reduce_or_epi64(any.raw));
  TransposeBytes(row);
  TransposeBytes(pivot);
  Vec found = lanes::Zero();
  LINEFILTER_UNROLL
  for (size_t c = 0; c < kWindow; ++c) {
    uint64_t* const pivots = panel->PivotsOf(panel->at + c);
    found = lanes::Or(found, pivot[c]);
    lanes::Store(is_first ? pivot[c] : lanes::Or(pivot[c], lanes::Load(pivots)), pivots);
  }
  panel->lacking &= ~NonzeroBytes(found);
  return row[kWindow];
}

// Takes more windows, for rows with nothing in the first. That happens where nearly all columns are pivots already.
HWY_NOINLINE void TakeMoreWindows(size_t num_bytes, lanes::Vec (&open)[8], NewPanel* panel, size_t* end) {
  using lanes::Vec;
  for (size_t seen = panel->at + kWindow; seen < num_bytes; seen = panel->at + kWindow) {
    Vec any = lanes::Zero();
    for (size_t c = seen; c < num_bytes; ++c) {
      any = lanes::Or(any, lanes::Load(panel->transposed + 8 * c));
      lanes::Store(lanes::Zero(), panel->PivotsOf(c));
    }
    if ((panel->lacking & NonzeroBytes(Transposed(any))) == 0) return;
    panel->at = seen + kWindow < num_bytes ? seen : num_bytes - kWindow;
    Vec row[8];
    for (size_t c = 0; c < kWindow; ++c) row[c] = Transposed(lanes::Load(panel->transposed + 8 * (panel->at + c)));
    uint64_t all_pivots;
    const Vec summed = TakeWindow(row, open, false, panel, &all_pivots);
    for (size_t c = panel->at; c <= num_bytes; ++c) {
      lanes::Store(Times(lanes::Load(panel->transposed + 8 * c), summed), panel->transposed + 8 * c);
    }
    *end = panel->at + kWindow;
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
  panel.couplings = panel.inverse + 16;
  panel.pivots = from.PivotsOf(begin);
  system->memory = from.PivotsOf(end);
  StoreInverse(InPivots(panel, panel), panel.inverse);
  size_t lowest = begin;
  for (size_t p = number / kGroup * kGroup; p < number; ++p) {
    if (system->panels[p].begin < lowest) lowest = system->panels[p].begin;
  }
  FillZero(panel.transposed, lowest, begin);
  for (size_t p = number / kGroup * kGroup; p < number; ++p) {
    const Panel& before = system->panels[p];
    FillZero(before.transposed, lowest, before.begin);
    lanes::Store(Transposed(InPivots(before, panel)), panel.couplings + 8 * (p % kGroup));
  }
}

// Takes an octet that is reduced by all panels as the next rows; the system must have room. Tells which of them say
// 0 = 1, as NonzeroBytes does, of the lanes that are in use: only for their rows pivots are looked for in all columns.
HWY_NOINLINE uint64_t AppendOctet(const uint64_t* octet, size_t first_row, uint64_t in_use, PanelSystem* system) {
  using lanes::Vec;
  const size_t num_bytes = system->num_bytes;
  NewPanel panel;
  panel.first = 0;
  while (panel.first < num_bytes - kWindow && lanes::AllTrue(lanes::IsZero(lanes::Load(octet + 8 * panel.first)))) {
    ++panel.first;
  }
  panel.at = panel.first;
  panel.lacking = in_use;
  panel.transposed = system->memory;
  panel.pivots = panel.transposed + 8 * (num_bytes + 2 + kGroup);
  Vec row[8], open[8];
  LINEFILTER_UNROLL
  for (size_t c = 0; c < kWindow; ++c) row[c] = lanes::Load(octet + 8 * (panel.first + c));
  LINEFILTER_UNROLL
  for (int t = 0; t < 8; ++t) open[t] = lanes::Set(kWindowBits);
  uint64_t all_pivots;
  const Vec summed = TakeWindow(row, open, true, &panel, &all_pivots);
  for (size_t c = panel.first; c <= num_bytes; ++c) {
    lanes::Store(Times(Transposed(lanes::Load(octet + 8 * c)), summed), panel.transposed + 8 * c);
  }
  const auto contradicting = [&]() HWY_ATTR {
    return panel.lacking & NonzeroBytes(Transposed(lanes::Load(panel.transposed + 8 * num_bytes)));
  };
  if (all_pivots == 0) return contradicting();  // there is a pivot in the first window, or there is none
  size_t begin = panel.first + static_cast<size_t>(__builtin_ctzll(all_pivots)) / 8;
  size_t end = panel.first + static_cast<size_t>(63 - __builtin_clzll(all_pivots)) / 8 + 1;
  if (end - begin < kFewBytes) {
    end = begin + kFewBytes < panel.first + kWindow ? begin + kFewBytes : panel.first + kWindow;
    begin = end - kFewBytes;
  }
  if (panel.lacking != 0) TakeMoreWindows(num_bytes, open, &panel, &end);
  KeepPanel(panel, begin, end, first_row, system);
  return contradicting();
}

// Makes the solution of the rows below limit[lane], with the other columns as they are in x, and pivots zero there. x
// has a byte of columns in the lowest byte of each lane, and one entry more than the columns.
HWY_NOINLINE void SolvePanels(const PanelSystem& system, lanes::Vec limit, uint64_t* x) {
  using lanes::Vec;
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

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_GFNI

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_PANELS_INL_H_
