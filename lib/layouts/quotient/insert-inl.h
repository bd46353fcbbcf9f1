// How a key is put into a block of the layout `quotient`, in registers.
//
// Idea: the block's final length is known first. Then the entries that it shortens are moved once, and those below the
// new one move down by its bits.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/line-inl.h"
#include "lib/layouts/quotient/place-inl.h"
#include "lib/layouts/quotient/shorten-inl.h"

#ifndef LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_ONCE_
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_ONCE_
namespace linefilter::internal {

// The greatest width that has room for so many entries, none of which is long.
struct FittingWidths {
  uint8_t of_size[kManyEntries + 1] = {};
  constexpr FittingWidths() {
    for (uint32_t size = 1; size <= kManyEntries; ++size) {
      const uint32_t width = kMostEntries / size - 1;
      of_size[size] = static_cast<uint8_t>(width < kMostRemainderBits ? width : kMostRemainderBits);
    }
  }
};
inline constexpr FittingWidths kFittingWidths;

}  // namespace linefilter::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// Shortens the entries for one more at `index`; `more` has the runs with it. False if that is not done here.
template <bool kSet>
HWY_INLINE bool MakeRoom(const uint8_t* block, const RunBegins& more, uint32_t index, Fields* fields, Line* line,
                         uint32_t* is_long) {
  const uint32_t size = fields->size + 1, fitting = internal::kFittingWidths.of_size[size];
  const uint32_t width = fitting < fields->width ? fitting : fields->width;
  // Long entries end with a run: the last end for which there is room.
  const uint32_t num_long = more.LastUpTo(internal::kMostEntries - size * (width + 1));
  *is_long = num_long > index;
  alignas(64) uint8_t copy[64];
  while (fields->width != width) {
    if (!ShortenTo<kSet>(0, block, fields, line)) return false;
    StoreLine(*line, copy);
    block = copy;
    --fields->width;
    fields->num_long = fields->size;
  }
  return ShortenTo<kSet>(num_long - *is_long, block, fields, line);
}

// True if the key was certainly absent. (It is a call, because a loop over keys has up to eight of them in a row.)
template <bool kSet>
HWY_NOINLINE bool InsertEntry(uint32_t q, uint8_t* block) {
  Fields fields;
  Place place;
  if (HWY_UNLIKELY(!fields.Read(block) || !place.Find(block, fields, q))) {
    return internal::InsertIntoBlock(q, !kSet, block);
  }
  const uint64_t not_smaller = place.NotSmaller(place.run, place.wanted);
  const uint32_t index = place.begin + place.CountBefore(not_smaller);
  const bool is_there = place.HasEqual(0);
  if (kSet && HWY_UNLIKELY(is_there)) {
    // If the first one that is not smaller is not equal, no writer made this block.
    if ((place.NotSmaller(place.wanted, place.run) >> HighestOne(not_smaller) & 1) != 0) return false;
    return internal::InsertIntoBlock(q, !kSet, block);
  }
  const RunBegins more = fields.runs.WithBit(place.begin + 1, place.size == 0);
  Line line = LoadLine(block);
  uint32_t is_long = place.is_long;
  if (internal::kRunEndsAt + fields.size + 1 + fields.BitsOf(fields.size) + place.bits > internal::kQuotientBlockBits) {
    const bool has_room = MakeRoom<kSet>(block, more, index, &fields, &line, &is_long);
    const uint32_t dropped = place.bits - fields.width - is_long;
    if (HWY_UNLIKELY(!has_room || (kSet && place.HasEqual(dropped)))) {
      return internal::InsertIntoBlock(q, !kSet, block);
    }
  }
  const uint32_t bits = fields.width + is_long, end = internal::kQuotientBlockBits - fields.BitsOf(index);
  const Line above = From(end);
  line = And(line, From(internal::kQuotientBlockBits - fields.BitsOf(fields.size)));
  line = Or(And(line, above), Down(AndNot(above, line), bits));
  line = Or(line, BitsAt(internal::RemainderOf(q, bits), end - bits));
  fields.buckets |= uint64_t{1} << internal::BucketOf(q);
  fields.runs = more;
  ++fields.size;
  fields.num_long += is_long;
  StoreLine(fields.Write(line), block);
  return !is_there;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_INSERT_INL_H_
