// This inlines single lookups and insertions into the caller, for code compiled for its CPU (-march=...). Bits and
// answers are the library's, without the call. No other header that a user includes needs Highway's.
//
//   linefilter::inlined::Prober prober(view);      // a copy of what a lookup needs, kept in registers: see below when
//                                                  // to make another
//   if (prober.MayContainHash(hash)) ...
//   // A loop takes a tenth to a fifth less so:
//   prober.ForLayout([&](const auto& asked) { for (uint64_t hash : hashes) found += asked.MayContainHash(hash); });
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
#include "linefilter/internal/test_quotient_block.h"
#include "linefilter/internal/test_split_block.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {

// A block of which few lanes take part can be asked as any other.
HWY_INLINE internal::InlineTest WithoutFewLanes(internal::InlineTest test) {
  return test == internal::InlineTest::kFewLanes ? internal::InlineTest::kBlock : test;
}

// A Prober asks one filter of any layout: inlined for `blocked`, `split_block` and `retrieval`, in ForLayout also for
// `quotient`, by the library's call for others. It keeps where the filter's bytes were. Make it anew when the filter is
// opened, created, moved, folded, united, cleared or destroyed, or it reads memory that is no longer the filter's.
// Insertions need no new one: a filter that grows, rotates or is swapped is asked through itself. So is a file that is
// verified lazily; a Prober that is made after Verify of its view is inlined.
class Prober {
 public:
  // It asks `filter`, which must live as long.
  HWY_INLINE explicit Prober(const FilterBase& filter)
      : body_(filter.probe_state().body),
        num_units_(filter.probe_state().num_units),
        lane_ones_(filter.probe_state().lane_ones),
        inline_test_(WithoutFewLanes(filter.probe_state().inline_test)),
        has_few_lanes_(filter.probe_state().inline_test == internal::InlineTest::kFewLanes),
        filter_(&filter) {}

  // Asks for a hash, as FilterBase does.
  HWY_INLINE bool MayContainHash(uint64_t hash) const {
    using internal::InlineTest;
    if (HWY_LIKELY(inline_test_ == InlineTest::kBlock)) return Test<InlineTest::kBlock>(hash);
    if (HWY_LIKELY(inline_test_ == InlineTest::kSolvedBlock)) return Test<InlineTest::kSolvedBlock>(hash);
    if (HWY_LIKELY(inline_test_ == InlineTest::kSplitBlock)) return Test<InlineTest::kSplitBlock>(hash);
    // The test of `quotient` is called, too. Beside the others it has too few registers (Zen 5, 24 KB: 9.3 ns,
    // called 6.0).
    return Test<InlineTest::kNone>(hash);
  }
  // Prefetches what MayContainHash will read, to overlap misses, as FilterBase does.
  HWY_INLINE void Prepare(uint64_t hash) const {
    if (HWY_UNLIKELY(inline_test_ == internal::InlineTest::kNone)) return filter_->Prepare(hash);
    const bool is_split = inline_test_ == internal::InlineTest::kSplitBlock;
    __builtin_prefetch(body_ + (BlockIndex(hash, num_units_) << (is_split ? 5 : 6)));
  }
  // Asks for a key, as FilterBase does.
  HWY_INLINE bool MayContainKey(Key key) const {
    uint64_t hash = 0;
    if (HWY_LIKELY(filter_->key_hash().Of(key, &hash))) return MayContainHash(hash);
    return filter_->MayContainKey(key);
  }

  // Returns work(asked), where `asked` has MayContainHash of this Prober, compiled for the layout of its filter alone.
  // `work` is a generic lambda with a loop in it, compiled for each layout. The layout is not chosen for each key then,
  // and the lanes of a block are asked in the way of its number of probes. In a file that Highway compiles for several
  // targets the lambda has HWY_ATTR. `asked` is valid as long as this Prober is.
  template <class Work>
  HWY_INLINE auto ForLayout(const Work& work) const {
    using internal::InlineTest;
#if LINEFILTER_FEW_LANES
    if (has_few_lanes_) return work(OfLayout<InlineTest::kFewLanes>{*this});
#endif
    if (inline_test_ == InlineTest::kBlock) return work(OfLayout<InlineTest::kBlock>{*this});
    if (inline_test_ == InlineTest::kSolvedBlock) return work(OfLayout<InlineTest::kSolvedBlock>{*this});
    if (inline_test_ == InlineTest::kQuotientBlock) return work(OfLayout<InlineTest::kQuotientBlock>{*this});
    if (inline_test_ == InlineTest::kSplitBlock) {
      if (*lane_ones_ == 0) return work(OfLayout<InlineTest::kSplitBlock, Fold::kNone>{*this});
      return work(OfLayout<InlineTest::kSplitBlock, Fold::kAll>{*this});
    }
    return work(OfLayout<InlineTest::kNone>{*this});
  }

 private:
  // What is known of lane_ones_ of a split block when this is compiled.
  enum class Fold { kNone, kAll, kAny };

  template <internal::InlineTest kTest, Fold kFold = Fold::kAny,
            class Whole = Prober>  // a parameter, for Prober is not complete here
  struct OfLayout {
    const Whole prober;  // a copy, in registers
    HWY_INLINE bool MayContainHash(uint64_t hash) const { return prober.template Test<kTest, kFold>(hash); }
  };

  // The answer of a filter whose test is known.
  template <internal::InlineTest kTest, Fold kFold = Fold::kAny>
  HWY_INLINE bool Test(uint64_t hash) const {
    [[maybe_unused]] const uint8_t* const block = body_ + 64 * BlockIndex(hash, num_units_);
    [[maybe_unused]] const uint32_t x = InBlockHash(hash);
    if constexpr (kTest == internal::InlineTest::kSplitBlock) {
      const uint8_t* const half_line = body_ + internal::kSplitBlockBytes * internal::SplitBlockIndex(hash, num_units_);
      if constexpr (kFold == Fold::kAll) return TestSplitBlock(half_line, x, FoldedSplitXs(hash));
      const uint32_t folded =
          kFold == Fold::kNone ? static_cast<uint32_t>(hash) : internal::FoldSplitHash(lane_ones_, hash);
      return TestSplitBlock(half_line, folded, hn::Set(LaneTag(), folded));
    } else if constexpr (kTest == internal::InlineTest::kSolvedBlock) {
      return TestSolvedBlock(block, x);
    } else if constexpr (kTest == internal::InlineTest::kQuotientBlock) {
      return TestQuotientBlock(block, x, [filter = filter_, hash] { return filter->MayContainHash(hash); });
#if LINEFILTER_FEW_LANES
    } else if constexpr (kTest == internal::InlineTest::kFewLanes) {
      return TestFewLanes(block, lane_ones_, x);
#endif
    } else if constexpr (kTest != internal::InlineTest::kNone) {
      return TestBlock(block, lane_ones_, x, hn::Set(LaneTag(), x));
    } else {
      return filter_->MayContainHash(hash);
    }
  }

  // No reference to one of these is given away, so that they stay in registers. A copy of the whole ProbeState lay in
  // memory (`blocked` at 1 MB on Zen 5: 1.74 instead of 1.61 ns).
  const uint8_t* body_;
  uint64_t num_units_;
  const uint32_t* lane_ones_;
  internal::InlineTest inline_test_;
  [[maybe_unused]] bool has_few_lanes_;
  const FilterBase* filter_;  // asked itself where nothing is inlined
};

// An Inserter inserts into one mutable filter of any layout. Like a Prober, make it anew when the filter is created,
// moved, folded, united, cleared or destroyed, or it writes to memory that is no longer the filter's.
class Inserter {
 public:
  // It inserts into `filter`, which must live as long.
  HWY_INLINE explicit Inserter(Filter& filter)
      : body_(const_cast<uint8_t*>(filter.probe_state().body)),
        num_units_(filter.probe_state().num_units),
        lane_ones_(filter.probe_state().lane_ones),
        inline_test_(WithoutFewLanes(filter.probe_state().inline_test)),
        filter_(&filter) {}

  // True if the key was certainly new.
  HWY_INLINE bool InsertHash(uint64_t hash) {
    if (HWY_UNLIKELY(inline_test_ != internal::InlineTest::kBlock)) {
      if (HWY_UNLIKELY(inline_test_ != internal::InlineTest::kSplitBlock)) return filter_->InsertHash(hash);
      const uint32_t folded = internal::FoldSplitHash(lane_ones_, hash);
      return InsertIntoSplitBlock(body_ + internal::kSplitBlockBytes * internal::SplitBlockIndex(hash, num_units_),
                                  folded, hn::Set(LaneTag(), folded));
    }
    const uint32_t x = InBlockHash(hash);
    return InsertIntoBlock(body_ + 64 * BlockIndex(hash, num_units_), lane_ones_, x, hn::Set(LaneTag(), x));
  }

 private:
  uint8_t* body_;
  uint64_t num_units_;
  const uint32_t* lane_ones_;
  internal::InlineTest inline_test_;
  Filter* filter_;  // asked itself where nothing is inlined
};

}  // namespace HWY_NAMESPACE
#ifndef HWY_TARGET_INCLUDE
namespace inlined = HWY_NAMESPACE;
#endif
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_INLINE_H_
