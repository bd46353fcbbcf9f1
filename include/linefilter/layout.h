// A layout is how the body of an image encodes a set. Ids are those of doc/FORMAT.md section 2 and never reused.
//
//   const linefilter::LayoutFacts facts = linefilter::FactsOf(filter.layout());
//   if (facts.gives_back) printf("keys can be removed\n");
#ifndef LINEFILTER_LAYOUT_H_
#define LINEFILTER_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/export.h"

namespace linefilter {

// Every image stores one of these, but for kAuto.
enum class Layout : uint8_t {
  kAuto = 0,       // never stored: `blocked`, or `classic` where a tiny set would waste most of a block
  kBlocked = 1,    // one 64-byte block per key: one cache line per lookup
  kClassic = 2,    // Bloom 1970, bit by bit over the whole body: the baseline, and the smallest for tiny sets
  kRetrieval = 3,  // a solved linear system per 64-byte block: a sixth of the false positives, but no key can be added
  kContainer = 5,  // several `blocked` filters that answer as one: views of it, and filters that grow or forget
  // The bits of a Bloom filter in a Parquet file, in 32-byte blocks: the fastest single lookups in cache, at 1.3 times
  // the false positives of `blocked`. With HashId::kParquet the body and that of the file are the same bytes.
  kSplitBlock = 6,
  // Short fingerprints of keys in a 64-byte block: three fifths of the false positives of `blocked` at 10 bits per
  // key, less than half at 12, and keys can be removed where FilterOptions::removable asks for that. It is slower to
  // ask and to fill.
  kQuotient = 7,
};

// "auto", "blocked", "classic", ...; "unknown" for an id that has no name.
LINEFILTER_EXPORT const char* LayoutName(Layout layout) noexcept;

// The layout of that name; false, and *layout untouched, if there is none that this library builds ("auto" is one).
LINEFILTER_EXPORT bool ParseLayout(const char* name, Layout* layout) noexcept;

// The layouts that this library implements, by id; they live as long as the program.
struct LayoutList {
  const Layout* layouts;                                         // the first `size`
  size_t size;                                                   // how many
  const Layout* begin() const noexcept { return layouts; }       // for loops
  const Layout* end() const noexcept { return layouts + size; }  // for loops
};
LINEFILTER_EXPORT LayoutList SupportedLayouts() noexcept;

// What a layout can do, for code that serves all of them. kAuto and unknown layouts can do nothing.
struct LayoutFacts {
  bool buildable = false;        // FilterBuilder makes it; `container`, which consists of other filters, is not
  bool takes_keys = false;       // single keys can be inserted into a filter of it (linefilter/filter.h)
  bool shares = false;           // many threads may fill a filter of it at once (linefilter/concurrent.h)
  bool chooses_removal = false;  // FilterOptions::removable says whether keys can be removed
  bool gives_back = false;       // they can; a key that was inserted twice is then removed twice
  bool unites = false;           // two filters of it can be united
  bool folds = false;            // a filter of it can be folded, and united with one of another size
  bool has_stages = false;       // it consists of stages, each a filter of layout `blocked`
  bool has_levels = false;       // FilterBase::CountLevels tells the load of its blocks
  bool has_positions = false;    // a key is bits of the body that are set; what unites does so by OR
  bool zeros_are_empty = false;  // a body of zeros holds no key
  uint32_t block_bytes = 0;      // a key lies in one block of so many (in a `container`: of each stage); 0: in none
  uint32_t max_num_probes = 0;   // num_probes is 1 to this; 0: there is none to choose
  uint32_t num_positions = 0;    // how many a key has (PositionsOfHash)
};

// The facts of a layout; num_positions depends on num_probes, and so does gives_back if it chooses_removal (0: no, 1:
// yes).
LINEFILTER_EXPORT LayoutFacts FactsOf(Layout layout, uint32_t num_probes = 0) noexcept;

}  // namespace linefilter

#endif  // LINEFILTER_LAYOUT_H_
