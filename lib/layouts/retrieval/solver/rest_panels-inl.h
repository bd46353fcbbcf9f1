// The last level of the retrieval solver (solve-inl.h) by panels (panels-inl.h). It takes the units' free columns as
// they are, each unit's from a byte of its own on: that is cheaper than to pack them, and clusters are not worth it.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/panels-inl.h"
#include "lib/layouts/retrieval/solver/rest-inl.h"
#include "lib/layouts/retrieval/solver/unit_panels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

#if LINEFILTER_GFNI

// The entry of half rows' octets with right sides, in bits 7.
inline constexpr size_t kSidesEntry = 7;

// Where the free columns of units are, in the order of columns.
template <int kUnits>
struct ColumnBytes {
  uint32_t first[size_t{kUnits}];
  uint32_t size[size_t{kUnits}];
  size_t most;         // of a unit
  size_t sum;          // at least kWindow
  uint8_t of_run[16];  // which entries of its half rows' octets a run has, a bit each
};

template <int kUnits>
HWY_INLINE ColumnBytes<kUnits> LayColumns(const Group& group, const Widths<kUnits>& widths) {
  using U = Units<kUnits>;
  ColumnBytes<kUnits> bytes = {};
  for (int block = 0; block < static_cast<int>(group.num_tasks); ++block) {
    for (int unit = 0; unit < kUnits; ++unit) {
      const uint32_t columns = (uint32_t{1} << (widths.of[unit][block] + 7) / 8) - 1;
      bytes.of_run[U::RunOf(block, unit)] |= static_cast<uint8_t>(columns | 1 << kSidesEntry);
    }
  }
  uint32_t at = 0;
  for (int i = 0; i < kUnits; ++i) {
    uint32_t most = 0;
    for (const uint8_t width : widths.of[Units<kUnits>::InOrder(i)]) most = width > most ? width : most;
    bytes.first[i] = at;
    bytes.size[i] = (most + 7) / 8;
    if (bytes.size[i] > bytes.most) bytes.most = bytes.size[i];
    at += bytes.size[i];
  }
  bytes.sum = at > kWindow ? at : kWindow;
  return bytes;
}

// Loads entry t of the octets of half rows of keys q ... q + 7, of units 8 * part and on, from runs as units left them:
// v[u] gets blocks as lanes. What a run has not got was not written.
template <int kUnits>
HWY_INLINE void LoadHalfRows(const Group& group, const ColumnBytes<kUnits>& bytes, size_t q, size_t t, int part,
                             lanes::Vec (&v)[8]) {
  LINEFILTER_UNROLL
  for (int i = 0; i < 8; ++i) {
    const int run = kUnits == 16 ? 2 * i + part : i;
    v[i] = bytes.of_run[run] >> t & 1 ? lanes::Load(HalfOctet<kUnits>(group, q, run) + kHalfOctetStep<kUnits> * t)
                                      : lanes::Zero();
  }
  TransposeLanes(v);
  if constexpr (kUnits == 4) {
    // v[u] has blocks of even numbers, v[4 + u] those of odd numbers.
    const __m512i in_turns = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    LINEFILTER_UNROLL
    for (int u = 0; u < 4; ++u) {
      v[u].raw = _mm512_permutex2var_epi64(v[u].raw, in_turns, v[4 + u].raw);
      v[4 + u] = lanes::Zero();
    }
  }
}

// Of eight keys' right sides in bit 7 of v[u], makes the sums that constraints 0 ... 7 of the rest take: byte t has
// those of key t.
HWY_INLINE lanes::Vec SumSides(const lanes::Vec (&v)[8]) {
  // In the end bit u of a byte is unit u's, and bit m becomes the sum of all whose numbers include m.
  constexpr uint64_t kIncluding = 0xffaacc88f0a0c080;
  lanes::Vec sides = lanes::Zero();
  LINEFILTER_UNROLL
  for (int u = 0; u < 8; ++u) {
    sides = lanes::Or(sides, lanes::ShiftRightSame(lanes::And(v[u], lanes::Set(0x8080808080808080)), 7 - u));
  }
  return Times(sides, lanes::Set(kIncluding));
}

// Makes octets of the half rows' free columns for eight keys at a time, and behind them what constraints 0 ... 7 and
// 8 ... 15 of the rest demand, a bit each.
template <int kUnits>
HWY_NOINLINE void MakeOctets(const Group& group, const ColumnBytes<kUnits>& bytes) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    uint64_t* const octet = work.octets + q * internal::kMostOctetBytes;
    Vec v[8], sides[2] = {lanes::Zero(), lanes::Zero()};
    for (int part = 0; part < (kUnits == 16 ? 2 : 1); ++part) {
      for (size_t t = 0; t < bytes.most; ++t) {
        LoadHalfRows(group, bytes, q, t, part, v);
        LINEFILTER_UNROLL
        for (int u = 0; u < (kUnits == 4 ? 4 : 8); ++u) {
          const int i = kUnits == 16 ? 2 * u + part : u;  // InOrder(i) is the unit
          if (t >= bytes.size[i]) continue;
          if (t == kSidesEntry) v[u] = lanes::And(v[u], lanes::Set(0x7f7f7f7f7f7f7f7f));
          lanes::Store(v[u], octet + 8 * (bytes.first[i] + t));
        }
      }
      LoadHalfRows(group, bytes, q, kSidesEntry, part, v);
      const Vec sums = SumSides(v);
      sides[0] = lanes::Xor(sides[0], sums);
      sides[1] = sums;
    }
    FillZero(octet, bytes.first[kUnits - 1] + bytes.size[kUnits - 1], bytes.sum);
    LINEFILTER_UNROLL
    for (size_t t = 0; t < 8; ++t) v[t] = lanes::ShiftRight<kUnits>(lanes::Load(work.lane_values + 8 * (q + t)));
    TransposeBytes(v);
    lanes::Store(lanes::Xor(v[0], sides[0]), octet + 8 * bytes.sum);
    lanes::Store(lanes::Xor(v[1], sides[1]), octet + 8 * bytes.sum + 8);
  }
}

// Tells which bytes of columns constraint m sums up: 0 or all ones.
template <int kUnits>
HWY_INLINE void FindColumns(const ColumnBytes<kUnits>& bytes, size_t m, uint64_t* columns) {
  for (size_t c = 0; c < bytes.sum; ++c) columns[c] = 0;
  for (int i = 0; i < kUnits; ++i) {
    const bool includes = (static_cast<size_t>(Units<kUnits>::InOrder(i)) & m) == m;
    for (size_t c = bytes.first[i]; c < bytes.first[i] + bytes.size[i]; ++c) columns[c] = 0 - uint64_t{includes};
  }
}

// Makes the rows of constraint m of eight keys: what it sums up, and what it demands.
HWY_INLINE void MakeRestOctet(size_t num_bytes, size_t m, const uint64_t* columns, const uint64_t* of_keys,
                              uint64_t* octet) {
  for (size_t c = 0; c < num_bytes; ++c) {
    lanes::Store(lanes::And(lanes::Load(of_keys + 8 * c), lanes::Set(columns[c])), octet + 8 * c);
  }
  const lanes::Vec sides =
      lanes::ShiftRightSame(lanes::Load(of_keys + 8 * (num_bytes + m / 8)), static_cast<int>(m % 8));
  lanes::Store(lanes::And(sides, lanes::Set(0x0101010101010101)), octet + 8 * num_bytes);
}

// Notes the first contradictions of lanes that are still open, among the rows of an octet.
HWY_INLINE void NoteFailures(uint64_t fails, size_t row, uint32_t* open, uint64_t* failed) {
  while (fails != 0) {
    const uint32_t lane = static_cast<uint32_t>(__builtin_ctzll(fails)) / 8;
    if (*open >> lane & 1) failed[lane] = row + static_cast<size_t>(__builtin_ctzll(fails)) % 8;
    *open &= ~(uint32_t{1} << lane);
    fails &= ~(uint64_t{0xff} << (8 * lane));
  }
}

// Takes rows until every lane has failed. failed is 0 at first for lanes that need not be solved, and at last the first
// contradiction, as constraint * padded_keys + key. False if the system has no room.
template <int kUnits>
HWY_NOINLINE bool ReduceRestByPanels(const Group& group, const ColumnBytes<kUnits>& bytes, size_t num_constraints,
                                     uint64_t* failed, PanelSystem* system) {
  RetrievalWork& work = *group.work;
  uint32_t open = 0;
  for (uint32_t lane = 0; lane < 8; ++lane) open |= static_cast<uint32_t>(failed[lane] == kNever) << lane;
  alignas(64) uint64_t octets[kOctetsAtOnce][kOctetWords];
  for (size_t m = 0; m < num_constraints; ++m) {
    uint64_t columns[kMostColumnBytes];
    FindColumns(bytes, m, columns);
    for (size_t q = 0; q < group.padded_keys && open != 0; q += 8 * kOctetsAtOnce) {
      const size_t left = (group.padded_keys - q) / 8, number = left < kOctetsAtOnce ? left : kOctetsAtOnce;
      for (size_t i = 0; i < number; ++i) {
        MakeRestOctet(bytes.sum, m, columns, work.octets + (q + 8 * i) * internal::kMostOctetBytes, octets[i]);
      }
      ReduceOctets(0, *system, number, octets);
      for (size_t i = 0; i < number && open != 0; ++i) {
        if (!system->HasRoom()) return false;
        const size_t row = m * group.padded_keys + q + 8 * i, before = system->num_panels;
        NoteFailures(AppendOctet(octets[i], row, system), row, &open, failed);
        ReduceOctets(before, *system, number - i - 1, octets + i + 1);
      }
    }
  }
  return true;
}

// Solves the rest and makes unit_free. False if there is no room.
template <int kUnits>
HWY_NOINLINE bool SolveRestByPanels(const Group& group, const Widths<kUnits>& widths, size_t num_constraints,
                                    Found* found) {
  using U = Units<kUnits>;
  const ColumnBytes<kUnits> bytes = LayColumns(group, widths);
  alignas(64) uint64_t failed[8] = {}, limit[8] = {}, x[8 * (kMostColumnBytes + 1)];
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if (found->outcome[block] == Outcome::kSolved) failed[block] = kNever;
  }
  MakeOctets(group, bytes);
  PanelSystem system;
  system.num_bytes = bytes.sum;
  system.num_panels = 0;
  system.memory = group.work->rest_panels;
  system.memory_end = system.memory + internal::kRestPanelWords;
  if (!ReduceRestByPanels(group, bytes, num_constraints, failed, &system)) return false;
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if (found->outcome[block] != Outcome::kSolved) continue;
    FindHeader(group, group.padded_keys, kUnits, kUnits + num_constraints == 31, block, failed[block], found,
               limit + block);
  }
  SolvePanels(system, lanes::Load(limit), x);
  for (int block = 0; block < static_cast<int>(group.num_tasks); ++block) {
    for (int i = 0; i < kUnits; ++i) {
      uint64_t free = 0;
      for (uint32_t c = 0; c < bytes.size[i]; ++c)
        free |= x[8 * (bytes.first[i] + c) + static_cast<size_t>(block)] << 8 * c;
      const int unit = U::InOrder(i);
      group.work->unit_free[U::RunOf(block, unit)][U::LaneOf(block, unit)] = free;
    }
  }
  return true;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
