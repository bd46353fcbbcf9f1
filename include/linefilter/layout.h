// The layouts: how the body of an image encodes a set. Ids are those of doc/FORMAT.md section 2 and never reused.
#ifndef LINEFILTER_LAYOUT_H_
#define LINEFILTER_LAYOUT_H_

#include <cstdint>

#include "linefilter/internal/export.h"

namespace linefilter {

// Stored in every image, but for kAuto.
enum class Layout : uint8_t {
  kAuto = 0,       // never stored: `blocked`, or `classic` where a tiny set would waste most of a block
  kBlocked = 1,    // one 64-byte block per key: one cache line per lookup
  kClassic = 2,    // Bloom 1970, bit by bit over the whole body: the baseline, and the smallest for tiny sets
  kRetrieval = 3,  // a solved linear system per 64-byte block: a sixth of the false positives, but no key can be added
  kCounting = 4,   // `blocked` with counters of 4 bits: keys can be removed, for 4.4 times the bytes at 1 %
  kContainer = 5,  // several `blocked` filters that answer as one: views of it, and filters that grow or forget
};

// "auto", "blocked", "classic", ...; "unknown" for an id that has no name.
LINEFILTER_EXPORT const char* LayoutName(Layout layout) noexcept;

// The layout of that name; false, and *layout untouched, if there is none that this library implements ("auto" is one).
LINEFILTER_EXPORT bool ParseLayout(const char* name, Layout* layout) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_LAYOUT_H_
