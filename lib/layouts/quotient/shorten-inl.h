// How entries of a block of the layout `quotient` are shortened in their place.
//
// Idea: entries that lose a bit lie side by side. So they are read as windows of whole fields, of which pext drops the
// lowest bits, and what lies below moves up by a bit for each of them.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_SHORTEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_SHORTEN_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_SHORTEN_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_SHORTEN_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/line-inl.h"
#include "lib/layouts/quotient/place-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// Drops the lowest bit of each of n fields of `bits` bits.
HWY_INLINE uint64_t DropLowest(uint64_t fields, uint32_t n, uint32_t bits) {
#if LINEFILTER_HAS_BMI2
  return _pext_u64(fields, _bzhi_u64(~internal::kLowestBits.of[bits], n * bits));
#else
  uint64_t dropped = 0;
  const uint64_t field = (uint64_t{1} << bits) - 2;
  for (uint32_t i = 0; i < n; ++i) dropped |= (fields >> i * bits & field) >> 1 << i * (bits - 1);
  return dropped;
#endif
}

// Whether two neighbours of one run among the entries first ... last - 1 are equal without their lowest bits.
[[maybe_unused]] HWY_NOINLINE bool HasEqualNeighbours(const uint8_t* block, const Fields& fields, uint32_t first,
                                                      uint32_t last) {
  const uint64_t field = (uint64_t{1} << (fields.width + 1)) - 2;
  uint64_t before = 0;
  for (uint32_t i = first; i < last; ++i) {
    const uint64_t entry = Window(block, internal::kQuotientBlockBits - fields.BitsOf(i + 1)) & field;
    if (i != first && entry == before && !fields.runs.Has(i)) return true;
    before = entry;
  }
  return false;
}

// Shortens the entries num_long ... fields->num_long - 1 of `line`, which `block` holds too. It returns false, and
// nothing is done, if there are 64 or more of them, or if in a set some become equal.
template <bool kSet>
HWY_INLINE bool ShortenTo(uint32_t num_long, const uint8_t* block, Fields* fields, Line* line) {
  const uint32_t n = fields->num_long - num_long, bits = fields->width + 1, less = fields->width;
  if (HWY_UNLIKELY(n > 63)) return false;
  const uint32_t top = internal::kQuotientBlockBits - num_long * bits;
  uint32_t at = internal::kQuotientBlockBits - fields->num_long * bits;
  Line entries = Or(And(*line, From(top)), Up(AndNot(From(at), *line), n));
  const uint32_t at_once = internal::kFieldsOfWindow.of_width[bits];
  const uint64_t ones = internal::kLowestBits.of[less], field = (uint64_t{1} << less) - 1;
  uint64_t above = ~uint64_t{0}, suspects = 0;
  for (uint32_t left = n, to = at + n; left != 0;) {
    const uint32_t some = left < at_once ? left : at_once;
    const uint64_t dropped = DropLowest(Window(block, at), some, bits);
    if (kSet) {
      // The neighbours of this window, and its lowest field with the highest one of the window below.
      const uint64_t differ = dropped ^ dropped >> less, pairs = (uint64_t{1} << (some - 1) * less) - 1;
      suspects |= (differ - ones) & ~differ & (ones << (less - 1)) & pairs;
      suspects |= (dropped & field) == above ? 1 : 0;
      above = dropped >> (some - 1) * less;
    }
    entries = Or(entries, BitsAt(dropped, to));
    to += some * less;
    at += some * bits;
    left -= some;
  }
  if (kSet && HWY_UNLIKELY(suspects != 0) && HasEqualNeighbours(block, *fields, num_long, fields->num_long))
    return false;
  fields->num_long = num_long;
  *line = entries;
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_SHORTEN_INL_H_
