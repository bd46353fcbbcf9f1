// What each compilation of inline_part.cc offers to inline_test.cc: functions that inline linefilter/inline.h.
#ifndef LINEFILTER_TESTS_LAYOUTS_INLINE_PART_H_
#define LINEFILTER_TESTS_LAYOUTS_INLINE_PART_H_

#include <cstddef>
#include <cstdint>

namespace linefilter {

class FilterBase;
class Filter;
class ScalableFilter;

// What a CPU must have to run a part, one bit each.
enum InlineNeeds : unsigned {
  kNeedsSse4 = 1,
  kNeedsAvx2 = 2,
  kNeedsAvx512 = 4,
  kNeedsAvx512Vbmi2 = 8,
  kNeedsAes = 16,
  kNeedsGfni = 32,
  kNeedsSve = 64,
  kNeedsSve2 = 128
};

struct InlinePart {
  const char* march;
  unsigned needs;
  const char* (*target)();
  void (*may_contain_hashes)(const FilterBase& filter, const uint64_t* hashes, size_t n, uint8_t* answers);
  void (*may_contain_keys)(const FilterBase& filter, const uint64_t* keys, size_t n, uint8_t* answers);
  void (*insert_hashes)(Filter& filter, const uint64_t* hashes, size_t n, uint8_t* were_new);
  // One Prober for all the time in which the filter takes them: each is prepared and asked when it
  // is in, and all of them in the end. Returns how many answers were "absent".
  size_t (*count_lost_while_it_grows)(ScalableFilter& filter, const uint64_t* hashes, size_t n);
};

}  // namespace linefilter

#endif  // LINEFILTER_TESTS_LAYOUTS_INLINE_PART_H_
