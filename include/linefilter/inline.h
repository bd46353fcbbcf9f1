// This inlines single lookups and insertions into the caller, for code compiled for its CPU (-march=...). Bits and
// answers are the library's, without the call. No other header that a user includes needs Highway's.
//
//   linefilter::inlined::Prober prober(view);      // a copy of what a lookup needs, kept in registers: see below when
//                                                  // to make another
//   if (prober.MayContainHash(hash)) ...
//
// Everything here lives in the namespace of the target that the file is compiled for. It and what it calls is always
// inlined or in the library. So files compiled with different -march may meet in one program. `inlined` is that
// namespace. Include it before any Highway header. In a plain x86-64 build it is slower than the library's own calls,
// which choose the best target at run time.

// A file for several targets (hwy/foreach_target.h) includes this once per target, hence the toggling guard. Define
// LINEFILTER_ASKS_FOR_GFNI there if you ask the CPU for GFNI before you choose AVX3_DL (Highway 1.0.3 does not; the
// library does). Lookups of `retrieval` then take a quarter less there.
#if defined(LINEFILTER_INLINE_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_INLINE_H_
#undef LINEFILTER_INLINE_H_
#else
#define LINEFILTER_INLINE_H_
#endif

#include <cstdint>

#include "linefilter/filter.h"
#include "linefilter/filter_base.h"
#include "linefilter/hash.h"
#include "linefilter/internal/test_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// A Prober asks one filter of any layout: inlined for `blocked` and `retrieval`, by the library's call for others. It
// keeps where the filter's bytes were. Make it anew when the filter is opened, created, moved, folded, united, cleared
// or destroyed, or it reads memory that is no longer the filter's. Insertions need no new one: a filter that grows,
// rotates or is swapped is asked through itself. So is a file that is verified lazily; a Prober that is made after
// Verify of its view is inlined.
class Prober {
 public:
  // It asks `filter`, which must live as long.
  HWY_INLINE explicit Prober(const FilterBase& filter)
      : state_(filter.probe_state()), changing_(state_.changes ? &filter : nullptr), key_hash_(filter.key_hash()) {}

  // Asks for a hash, as FilterBase does.
  HWY_INLINE bool MayContainHash(uint64_t hash) const {
    const uint8_t* const block = state_.body + 64 * BlockIndex(hash, state_.num_units);
    if (HWY_LIKELY(state_.inline_test == internal::InlineTest::kBlock)) {
      const uint32_t x = InBlockHash(hash);
      return TestBlock(block, state_.lane_ones, x, hn::Set(LaneTag(), x));
    }
    if (HWY_LIKELY(state_.inline_test == internal::InlineTest::kSolvedBlock))
      return TestSolvedBlock(block, InBlockHash(hash));
    if (changing_ != nullptr) return changing_->MayContainHash(hash);
    return state_.may_contain(state_, hash);
  }
  // Prefetches what MayContainHash will read, to overlap misses, as FilterBase does.
  HWY_INLINE void Prepare(uint64_t hash) const {
    if (HWY_UNLIKELY(changing_ != nullptr)) return changing_->Prepare(hash);
    __builtin_prefetch(state_.body + (MulHigh(hash, state_.num_units) << state_.unit_shift));
  }
  // Asks for a key, as FilterBase does.
  HWY_INLINE bool MayContainKey(Key key) const {
    uint64_t hash = 0;
    if (HWY_LIKELY(key_hash_.Of(key, &hash))) return MayContainHash(hash);
    return changing_ == nullptr || changing_->MayContainKey(key);
  }

 private:
  internal::ProbeState state_;
  const FilterBase* changing_;  // a filter that is asked itself, for what answers in it changes; else null
  KeyHash key_hash_;
};

// An Inserter inserts into one mutable filter of any layout. Like a Prober, make it anew when the filter is created,
// moved, folded, united, cleared or destroyed, or it writes to memory that is no longer the filter's.
class Inserter {
 public:
  // It inserts into `filter`, which must live as long.
  HWY_INLINE explicit Inserter(Filter& filter) : filter_(filter), state_(filter.probe_state()) {}

  // True if the key was certainly new.
  HWY_INLINE bool InsertHash(uint64_t hash) {
    if (HWY_UNLIKELY(state_.inline_test != internal::InlineTest::kBlock)) return filter_.InsertHash(hash);
    uint8_t* block = const_cast<uint8_t*>(state_.body) + 64 * BlockIndex(hash, state_.num_units);
    const uint32_t x = InBlockHash(hash);
    return InsertIntoBlock(block, state_.lane_ones, x, hn::Set(LaneTag(), x));
  }

 private:
  Filter& filter_;
  internal::ProbeState state_;
};

}  // namespace HWY_NAMESPACE
#ifndef HWY_TARGET_INCLUDE
namespace inlined = HWY_NAMESPACE;
#endif
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INLINE_H_
