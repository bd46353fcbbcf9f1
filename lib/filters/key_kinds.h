// The kinds of the keys that are in a filter or an image, for what is made of it.
#ifndef LINEFILTER_LIB_FILTERS_KEY_KINDS_H_
#define LINEFILTER_LIB_FILTERS_KEY_KINDS_H_

#include <cstdint>
#include <cstring>

#include "linefilter/filter_base.h"
#include "linefilter/internal/key_kinds.h"

namespace linefilter::internal {

// If nothing was told, keys that are there are of a kind that nobody knows. The first byte that is not 0 shows them, so
// only the body of a filter without keys is read to its end. `filter` has one body.
inline KeyKinds KeyKindsIn(const FilterBase& filter) {
  const uint64_t size = filter.body_bytes();
  if (filter.key_kinds().told() || size == 0) return filter.key_kinds();
  const uint8_t* const body = filter.body();
  const bool has_keys = body[0] != 0 || memcmp(body, body + 1, static_cast<size_t>(size - 1)) != 0;
  return KeyKinds(has_keys ? KeyKinds::kUntold : uint8_t{0});
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_KEY_KINDS_H_
