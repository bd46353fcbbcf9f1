// FilterOptions checked and turned into a size.
#ifndef LINEFILTER_LIB_LAYOUTS_OPTIONS_H_
#define LINEFILTER_LIB_LAYOUTS_OPTIONS_H_

#include <cstdint>

#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Everything that can be said without the number of keys. `layout` overrides that of the options.
Status CheckOptions(Layout layout, const FilterOptions& options);

// For filters of which `blocked` is the only layout; `what` begins the sentence, as "a concurrent filter has".
Status CheckLayoutIsBlocked(const FilterOptions& options, const char* what);

// A secret that was forgotten, and one that would be ignored.
Status CheckSecret(const FilterOptions& options);

// The size for num_keys keys; of no keys, body_bytes is 0.
Status SizeForOptions(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing);

// Is a key that comes right behind itself dropped? Not where it must be removed as often as it came.
inline bool DropsRepeats(Layout layout) { return !FactsOf(layout).keeps_repeats; }

Status BufferTooSmall(uint64_t has, uint64_t needs);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_OPTIONS_H_
