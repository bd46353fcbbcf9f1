// Single lookups and insertions inlined into the caller, for code compiled for its CPU (-march=...): the same bits and
// answers as the library, without the call. The one public header that includes Highway.
//
//   linefilter::inlined::Prober prober(view);      // a copy of what a lookup needs, kept in registers: see below when
//                                                  // to make another
//   if (prober.MayContainHash(hash)) ...
//
// Everything here lives in the namespace of the target that the file is compiled for; it and what it calls is always
// inlined or in the library, so files compiled with different -march may meet in one program. `inlined` is that
// namespace. Include it before any Highway header. In a plain x86-64 build it is slower than the library's own calls,
// which choose the best target at run time.

// Included once per target by the library's kernels (hwy/foreach_target.h), hence the toggling guard. Who does the
// same: define LINEFILTER_ASKS_FOR_GFNI if you ask the CPU for GFNI before you choose AVX3_DL (Highway 1.0.3 does not;
// the library does). Lookups of `retrieval` then take a quarter less there.
#if defined(LINEFILTER_INLINE_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INLINE_H_
#undef LINEFILTER_INLINE_H_
#else
#define LINEFILTER_INLINE_H_
#endif

// -march=x86-64-v3 and -v4 do not imply AES and PCLMUL, without which Highway falls back to SSSE3 (5.4
// instead of 1.9 ns).
#if defined(__AVX2__) && !(defined(__AES__) && defined(__PCLMUL__)) && !defined(HWY_DISABLE_PCLMUL_AES)
#define HWY_DISABLE_PCLMUL_AES
#endif
// -march=native on a CPU with AVX3_DL stops with a "logic error" without it.
#ifndef HWY_WANT_AVX3_DL
#define HWY_WANT_AVX3_DL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "linefilter/filter.h"
#include "linefilter/filter_base.h"
#include "linefilter/hash.h"

#ifndef LINEFILTER_INLINE_ONCE_
#define LINEFILTER_INLINE_ONCE_
#if !defined(HWY_TARGET_INCLUDE) && HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON && !defined(__ARM_FEATURE_AES) && \
    !defined(__ARM_FEATURE_CRYPTO)
#error \
    "linefilter/inline.h on Arm: Highway's NEON target takes AES for granted; compile with -march=armv8-a+crypto or newer"
#endif
namespace linefilter::internal {
// C of doc/FORMAT.md section 6: the first sixteen words of pi's fraction, lowest bit set.
alignas(64) inline constexpr uint32_t kLaneMultipliers[16] = {
    0x243F6A89, 0x85A308D3, 0x13198A2F, 0x03707345, 0xA4093823, 0x299F31D1, 0x082EFA99, 0xEC4E6C89,
    0x452821E7, 0x38D01377, 0xBE5466CF, 0x34E90C6D, 0xC0AC29B7, 0xC97C50DD, 0x3F84D5B5, 0xB5470917};
}  // namespace linefilter::internal
#endif  // LINEFILTER_INLINE_ONCE_

namespace linefilter {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
}  // namespace HWY_NAMESPACE
}  // namespace linefilter

#include "linefilter/inline_retrieval.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// A block fits one vector on AVX-512, two on AVX2, sixteen on SCALAR.
using LaneTag = hn::CappedTag<uint32_t, 16>;
using LaneVec = hn::Vec<LaneTag>;

// Blocks have no alignment, so they are loaded as bytes.
HWY_INLINE LaneVec LoadLanes([[maybe_unused]] LaneTag d, const uint8_t* from) {
#if HWY_TARGET == HWY_SCALAR
  uint32_t lane;
  memcpy(&lane, from, sizeof(lane));
  return hn::Set(d, lane);
#else
  return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, LaneTag>(), from));
#endif
}

HWY_INLINE void StoreLanes(LaneVec v, LaneTag, uint8_t* to) {
#if HWY_TARGET == HWY_SCALAR
  const uint32_t lane = hn::GetLane(v);
  memcpy(to, &lane, sizeof(lane));
#else
  const hn::Repartition<uint8_t, LaneTag> d8;
  hn::StoreU(hn::BitCast(d8, v), d8, to);
#endif
}

// The bits of one key in the lanes from `lane` on, as they stand in memory. xs holds x in each lane. lane_ones holds 1
// in the lanes that take part under each rotation, else 0: an aligned table (masks built from unaligned loads: 2.1
// against 1.3 ns).
HWY_INLINE LaneVec KeyMask(LaneTag d, const uint32_t* lane_ones, uint32_t x, LaneVec xs, size_t lane) {
  const LaneVec ones = hn::Load(d, lane_ones + 16 * (x & 15) + lane);
  const LaneVec product = hn::Mul(xs, hn::Load(d, internal::kLaneMultipliers + lane));
  const LaneVec mask = hn::Shl(ones, hn::ShiftRight<27>(product));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  const LaneVec swapped = hn::Or(hn::ShiftLeft<24>(mask), hn::ShiftRight<24>(mask));
  return hn::Or(swapped, hn::Or(hn::ShiftLeft<8>(hn::And(mask, hn::Set(d, 0xff00u))),
                                hn::And(hn::ShiftRight<8>(mask), hn::Set(d, 0xff00u))));
#else
  return mask;
#endif
}

HWY_INLINE bool AllZero(LaneTag d, LaneVec v) { return hn::AllTrue(d, hn::Eq(v, hn::Zero(d))); }

// The core of the layout `blocked`: mask AND-NOT block == 0. The cost does not depend on num_probes.
HWY_INLINE bool TestBlock(const uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  const LaneTag d;
  LaneVec missing = hn::Zero(d);
  for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    const LaneVec mask = KeyMask(d, lane_ones, x, xs, lane);
    missing = hn::Or(missing, hn::AndNot(LoadLanes(d, block + 4 * lane), mask));
  }
  return AllZero(d, missing);
}

// Sets the bits; true if one of them was not set.
HWY_INLINE bool InsertIntoBlock(uint8_t* block, const uint32_t* lane_ones, uint32_t x, LaneVec xs) {
  const LaneTag d;
  LaneVec missing = hn::Zero(d);
  for (size_t lane = 0; lane < 16; lane += hn::Lanes(d)) {
    const LaneVec mask = KeyMask(d, lane_ones, x, xs, lane);
    const LaneVec old = LoadLanes(d, block + 4 * lane);
    missing = hn::Or(missing, hn::AndNot(old, mask));
    StoreLanes(hn::Or(old, mask), d, block + 4 * lane);
  }
  return !AllZero(d, missing);
}

// Lookups in one filter of any layout: inlined for `blocked` and `retrieval`, the library's call for others. It keeps
// where the filter's bytes were: make it anew when the filter is opened, created, moved, folded, united, cleared or
// destroyed, or it reads memory that is no longer the filter's. Insertions need no new one: a filter that grows is
// asked through itself.
class Prober {
 public:
  HWY_INLINE explicit Prober(const FilterBase& filter)
      : state_(filter.probe_state()),
        growing_(state_.stages == nullptr ? nullptr : &filter),
        seed_(filter.seed()),
        secret_(filter.secret()),
        hash_id_(filter.hash_id()) {}

  HWY_INLINE bool MayContainHash(uint64_t hash) const {
    const uint8_t* const block = state_.body + 64 * BlockIndex(hash, state_.num_units);
    if (HWY_LIKELY(state_.layout == Layout::kBlocked)) {
      const uint32_t x = InBlockHash(hash);
      return TestBlock(block, state_.lane_ones, x, hn::Set(LaneTag(), x));
    }
    if (HWY_LIKELY(state_.layout == Layout::kRetrieval)) return TestSolvedBlock(block, InBlockHash(hash));
    if (growing_ != nullptr) return growing_->MayContainHash(hash);
    return state_.may_contain(state_, hash);
  }
  // In two halves, to overlap misses: see FilterBase::Prepare.
  HWY_INLINE PreparedHash Prepare(uint64_t hash) const {
    if (HWY_UNLIKELY(growing_ != nullptr)) return growing_->Prepare(hash);
    __builtin_prefetch(state_.body + (MulHigh(hash, state_.num_units) << state_.unit_shift));
    return PreparedHash{hash};
  }
  HWY_INLINE bool Probe(PreparedHash prepared) const { return MayContainHash(prepared.hash); }
  HWY_INLINE bool MayContainKey(Key key) const {
    if (HWY_LIKELY(hash_id_ == HashId::kXxh3)) return MayContainHash(HashKey(key, seed_));
    return hash_id_ != HashId::kKeyed || MayContainHash(KeyedHash(key, secret_));
  }

 private:
  internal::ProbeState state_;
  const FilterBase* growing_;  // owner of stages, which may get more of them; else null
  uint64_t seed_;
  HashSecret secret_;
  HashId hash_id_;
};

// Insertions into one mutable filter of any layout. Make it anew when the filter is created, moved, folded, united,
// cleared or destroyed, as a Prober: else it writes to memory that is no longer the filter's.
class Inserter {
 public:
  HWY_INLINE explicit Inserter(MutableFilter& filter) : filter_(filter), state_(filter.probe_state()) {}

  // True if the key was certainly new.
  HWY_INLINE bool InsertHash(uint64_t hash) {
    if (HWY_UNLIKELY(state_.layout != Layout::kBlocked)) return filter_.InsertHash(hash);
    uint8_t* block = const_cast<uint8_t*>(state_.body) + 64 * BlockIndex(hash, state_.num_units);
    const uint32_t x = InBlockHash(hash);
    return InsertIntoBlock(block, state_.lane_ones, x, hn::Set(LaneTag(), x));
  }

 private:
  MutableFilter& filter_;
  internal::ProbeState state_;
};

}  // namespace HWY_NAMESPACE
#ifndef HWY_TARGET_INCLUDE
namespace inlined = HWY_NAMESPACE;
#endif
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INLINE_H_
