// The last level of the retrieval solver (solve-inl.h) by panels (panels-inl.h). It takes the octets that
// the levels before have left (key_octets-inl.h).

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/cluster_panels-inl.h"
#include "lib/layouts/retrieval/solver/key_octets-inl.h"

#if LINEFILTER_GFNI

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// Tells which bytes of columns constraint m of the rest sums up: 0 or all ones.
template <int kUnits, int kClusters>
HWY_INLINE void FindColumns(const ColumnBytes<kUnits>& bytes, size_t m, uint64_t* columns) {
  constexpr size_t kParts = kClusters == 0 ? kUnits : kClusters;
  for (size_t c = 0; c < bytes.sum; ++c) columns[c] = 0;
  for (int i = 0; i < kUnits; ++i) {
    const size_t unit = static_cast<size_t>(Units<kUnits>::InOrder(i));
    const bool includes = kClusters == 0 ? (unit & m) == m : unit >= kClusters && (unit % kParts & m) == m;
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
  lanes::Store(lanes::And(sides, EachByte(1)), octet + 8 * num_bytes);
}

// Notes the first contradictions of lanes that are still open, among the rows of an octet. A lane has a byte of `open`.
HWY_INLINE void NoteFailures(uint64_t fails, size_t row, uint64_t* open, uint64_t* failed) {
  while ((fails & *open) != 0) {
    const size_t bit = static_cast<size_t>(__builtin_ctzll(fails & *open));
    failed[bit / 8] = row + bit % 8;
    *open &= ~(uint64_t{0xff} << bit / 8 * 8);
  }
}

// Takes rows until every lane has failed. failed is 0 at first for lanes that need not be solved, and at last the first
// contradiction, as constraint * padded_keys + key. False if the system has no room.
template <int kUnits, int kClusters>
HWY_NOINLINE bool ReduceRestByPanels(const Group& group, const ColumnBytes<kUnits>& bytes, size_t num_constraints,
                                     uint64_t* failed, PanelSystem* system) {
  uint64_t open = 0;
  for (uint32_t lane = 0; lane < 8; ++lane) open |= (failed[lane] == kNever ? uint64_t{0xff} : 0) << (8 * lane);
  alignas(64) uint64_t octets[kOctetsAtOnce][kOctetWords];
  for (size_t m = 0; m < num_constraints; ++m) {
    uint64_t columns[kMostColumnBytes];
    FindColumns<kUnits, kClusters>(bytes, m, columns);
    for (size_t q = 0; q < group.padded_keys && open != 0; q += 8 * kOctetsAtOnce) {
      const size_t number = NumOctets(group, q);
      for (size_t i = 0; i < number; ++i) {
        MakeRestOctet(bytes.sum, m, columns, KeyOctet(group, q + 8 * i), octets[i]);
      }
      ReduceOctets(0, *system, number, octets);
      for (size_t i = 0; i < number && open != 0; ++i) {
        if (!system->HasRoom()) return false;
        const size_t row = m * group.padded_keys + q + 8 * i, before = system->num_panels;
        NoteFailures(AppendOctet(octets[i], row, open, system), row, &open, failed);
        ReduceOctets(before, *system, number - i - 1, octets + i + 1);
      }
    }
  }
  return true;
}

// Solves clusters, if there are any, and the rest, and makes unit_free. False if there is no room.
template <int kUnits, int kClusters>
HWY_NOINLINE bool SolveRestByPanels(const Group& group, const Widths<kUnits>& widths, size_t num_constraints,
                                    Found* found) {
  using U = Units<kUnits>;
  constexpr uint32_t kConstraint = kUnits + kClusters;
  const ColumnBytes<kUnits> bytes = LayColumns(group, widths);
  MakeOctets(group, bytes);
  PanelSystem systems[kClusters + 1];  // the last one is the rest
  Panel panels[kMostPanels];
  systems[0] = {bytes.sum, group.work->rest_panels, group.work->rest_panels + internal::kRestPanelWords,
                panels,    panels + kMostPanels,    0};
  PanelSystem& rest = systems[kClusters];
  if constexpr (kClusters != 0) {
    if (!SolveClusterPanels<kUnits, kClusters>(group, bytes, systems, found)) return false;
    rest.BeginBehind(systems[kClusters - 1]);
  }
  alignas(64) uint64_t failed[8] = {}, limit[8] = {}, x[kOctetWords];
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if (found->outcome[block] == Outcome::kSolved) failed[block] = kNever;
  }
  rest.num_bytes = bytes.sum;
  if (!ReduceRestByPanels<kUnits, kClusters>(group, bytes, num_constraints, failed, &rest)) return false;
  for (size_t block = 0; block < group.num_tasks; ++block) {
    if (found->outcome[block] != Outcome::kSolved) continue;
    FindHeader(group, group.padded_keys, kConstraint, kConstraint + num_constraints == 31, block, failed[block], found,
               limit + block);
  }
  FillZero(x, 0, bytes.sum);
  SolvePanels(rest, lanes::Load(limit), x);
  if constexpr (kClusters != 0) ExtendToClusters<kUnits, kClusters>(bytes, systems, x);
  for (int block = 0; block < static_cast<int>(group.num_tasks); ++block) {
    for (int i = 0; i < kUnits; ++i) {
      uint64_t free = 0;
      for (uint32_t c = 0; c < bytes.size[i]; ++c) {
        free |= x[8 * (bytes.first[i] + c) + static_cast<size_t>(block)] << 8 * c;
      }
      const int unit = U::InOrder(i);
      group.work->unit_free[U::RunOf(block, unit)][U::LaneOf(block, unit)] = free;
    }
  }
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_GFNI

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_REST_PANELS_INL_H_
