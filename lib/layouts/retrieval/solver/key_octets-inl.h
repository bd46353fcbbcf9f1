// The octets that the levels after the first work on, where there are matrices of bits (octets-inl.h): the free columns
// of units for eight keys at a time, each unit's from a byte of its own on. That is cheaper than to pack them.

#if defined(LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_KEY_OCTETS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_KEY_OCTETS_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_KEY_OCTETS_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_KEY_OCTETS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "lib/layouts/retrieval/solver/half_octets-inl.h"
#include "lib/layouts/retrieval/solver/panels-inl.h"
#include "lib/layouts/retrieval/solver/rest-inl.h"

#if LINEFILTER_GFNI

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

HWY_INLINE lanes::Vec EachByte(uint64_t bits) { return lanes::Set(0x0101010101010101 * bits); }

// Bit m of each byte becomes the sum of all bits whose numbers include the digits of m.
HWY_INLINE lanes::Vec SumIncluding(lanes::Vec x) { return Times(x, lanes::Set(0xffaacc88f0a0c080)); }

// The octet of keys q ... q + 7: the columns, then what constraints 0 ... 7 and 8 ... 15 demand, a bit each.
HWY_INLINE uint64_t* KeyOctet(const Group& group, size_t q) {
  return group.work->octets + q * internal::kMostOctetBytes;
}
// So many octets are taken at once from q on.
HWY_INLINE size_t NumOctets(const Group& group, size_t q) {
  const size_t left = (group.padded_keys - q) / 8;
  return left < kOctetsAtOnce ? left : kOctetsAtOnce;
}

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

// This makes the sums that constraints 0 ... 7 of the rest take, from eight keys' right sides in bit 7 of v[u]. Byte t
// has those of key t.
HWY_INLINE lanes::Vec SumSides(const lanes::Vec (&v)[8]) {
  lanes::Vec sides = lanes::Zero();
  LINEFILTER_UNROLL
  for (int u = 0; u < 8; ++u) {
    sides = lanes::Or(sides, lanes::ShiftRightSame(lanes::And(v[u], EachByte(0x80)), 7 - u));
  }
  return SumIncluding(sides);
}

// Makes octets of the half rows' free columns for eight keys at a time, and behind them what constraints 0 ... 7 and
// 8 ... 15 of the rest demand, a bit each.
template <int kUnits>
HWY_NOINLINE void MakeOctets(const Group& group, const ColumnBytes<kUnits>& bytes) {
  using lanes::Vec;
  RetrievalWork& work = *group.work;
  for (size_t q = 0; q < group.padded_keys; q += 8) {
    uint64_t* const octet = KeyOctet(group, q);
    Vec v[8], sides[2] = {lanes::Zero(), lanes::Zero()};
    for (int part = 0; part < (kUnits == 16 ? 2 : 1); ++part) {
      for (size_t t = 0; t < bytes.most; ++t) {
        LoadHalfRows(group, bytes, q, t, part, v);
        LINEFILTER_UNROLL
        for (int u = 0; u < (kUnits == 4 ? 4 : 8); ++u) {
          const int i = kUnits == 16 ? 2 * u + part : u;  // InOrder(i) is the unit
          if (t >= bytes.size[i]) continue;
          if (t == kSidesEntry) v[u] = lanes::And(v[u], EachByte(0x7f));
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

}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_GFNI

#endif  // LINEFILTER_LIB_LAYOUTS_RETRIEVAL_SOLVER_KEY_OCTETS_INL_H_
