// How a key is taken out of a block of the layout `quotient`, in registers: the entries below its own move up.

// It is included once per target.
#if defined(LINEFILTER_LIB_LAYOUTS_QUOTIENT_REMOVE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LINEFILTER_LIB_LAYOUTS_QUOTIENT_REMOVE_INL_H_
#undef LINEFILTER_LIB_LAYOUTS_QUOTIENT_REMOVE_INL_H_
#else
#define LINEFILTER_LIB_LAYOUTS_QUOTIENT_REMOVE_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "lib/layouts/quotient/block.h"
#include "lib/layouts/quotient/line-inl.h"
#include "lib/layouts/quotient/place-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linefilter {
namespace HWY_NAMESPACE {
namespace {

// False if the key was certainly absent.
[[maybe_unused]] HWY_NOINLINE bool RemoveEntry(uint32_t q, uint8_t* block) {
  Fields fields;
  Place place;
  if (HWY_UNLIKELY(!fields.Read(block) || !place.Find(block, fields, q))) return internal::RemoveFromBlock(q, block);
  const uint64_t equal = place.NotSmaller(place.run, place.wanted) & place.NotSmaller(place.wanted, place.run);
  if (HWY_UNLIKELY(equal == 0)) return false;
  if (fields.size == 1) {
    memset(block, 0, 64);
    return true;
  }
  const uint32_t end = internal::kQuotientBlockBits - fields.BitsOf(place.begin + place.CountBefore(equal));
  Line line = And(LoadLine(block), From(internal::kQuotientBlockBits - fields.BitsOf(fields.size)));
  line = Or(And(line, From(end)), Up(AndNot(From(end - place.bits), line), place.bits));
  fields.buckets &= ~(uint64_t{place.size == 1} << internal::BucketOf(q));
  fields.runs = fields.runs.WithoutBit(place.begin + 1);
  --fields.size;
  fields.num_long -= place.is_long;
  if (fields.num_long == fields.size) {  // all are long: that is the next width
    fields.num_long = 0;
    ++fields.width;
  }
  StoreLine(fields.Write(line), block);
  return true;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace linefilter
HWY_AFTER_NAMESPACE();

#endif  // LINEFILTER_LIB_LAYOUTS_QUOTIENT_REMOVE_INL_H_
