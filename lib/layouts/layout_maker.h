// A LayoutMaker is the half of a layout that makes: how large a body is for a set, how it is made of hashes and folded.
// A reader of images does not find it (layout_record.h).
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_MAKER_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_MAKER_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/layout.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {

// A range is a part of a body that is made at once: some blocks, and all hashes that fall into them, in any order, in
// several pieces. It sits in the L2 while it is made.
struct HashSpan {
  const uint64_t* hashes;
  uint64_t size;
};
// Hashes that are read next. They come into the cache while a whole body takes others, so many for each of those.
struct Arrivals {
  uintptr_t begin = 0;  // no pointer: it may lie behind the end
  uint64_t per_hash = 0;
};
struct BlockRange {
  uint64_t first_block, num_blocks;  // within the num_units of the state
  // The bytes of num_blocks blocks, all zero when a range is begun. In a layout that takes keys a range may come
  // several times, each time with other hashes.
  uint8_t* blocks;
  const HashSpan* spans;
  uint64_t num_spans;
  uint64_t num_hashes;     // in all spans
  Arrivals arrivals = {};  // a layout may leave them out
};

// Some bodies of one layout and num_probes, by whatever has them; those of empty sets have no blocks.
struct BodyList {
  const void* all;
  size_t size;
  const ProbeState& (*at)(const void* all, size_t i);
};
// A list of one.
inline BodyList OneBody(const ProbeState& state) {
  return {&state, 1, [](const void* one, size_t) -> const ProbeState& { return *static_cast<const ProbeState*>(one); }};
}

// The expected false-positive rate as a function of keys, bytes and probes. All else (best num_probes, inverses,
// limits) is derived from it in sizing.cc. It must give the same double on every CPU: by lib/base/real.h, no libm.
struct SizingModel {
  Layout layout;
  uint32_t max_num_probes;  // as in LayoutFacts
  uint64_t unit_bytes;      // a body is a multiple of it
  uint64_t min_bytes;       // the least for a body that is not empty
  uint64_t max_bytes;
  // The rate of num_keys >= 1 keys in a valid body.
  double (*expected_fpr)(uint64_t num_keys, uint64_t body_bytes, uint32_t num_probes);
  // The rate in the limit of large sets; with uses_whole_hash it lacks EqualHashFpr, which grows with the set.
  double (*limit_fpr)(double bits_per_key, uint32_t num_probes);
  // The best num_probes is looked for downhill from here; for the textbook formula, here and one above.
  uint32_t (*num_probes)(double bits_per_key);
  bool of_the_textbook;
  // The whole hash tells two keys apart. In layouts of blocks the block and the in-block hash do; both rates include
  // keys that agree in these.
  bool uses_whole_hash;
  // How far both rates may be off the exact ones (see ModelError).
  double error, error_of_other_probes, error_of_small_sets;
  // After so many turnovers the rate is that of a new filter with so many times the keys (FilterOptions::turnovers). It
  // is null where keys cannot be removed.
  double (*growth_by_turnovers)(double bits_per_key, uint32_t turnovers) = nullptr;
};

struct LayoutMaker {
  // False if a body is always made at once, by build_range.
  bool takes_keys() const { return FactsOf(sizing.layout).takes_keys; }
  // True if build_range inserts key by key, in no scratch. Other layouts that take keys do so where it gets none.
  bool inserts_ranges() const { return takes_keys() && range_scratch_bytes == nullptr; }
  // In a layout with blocks a unit is a block.
  uint64_t block_bytes() const { return sizing.unit_bytes; }
  uint64_t index_mask() const { return FindLayout(sizing.layout)->index_mask; }

  SizingModel sizing;
  // Building by ranges best makes so many blocks at once (a power of two, so that they and their hashes sit in the L2).
  // It is 0 if a key's bits are all over the body, so that keys can only be inserted.
  uint64_t range_blocks = 0;
  // Makes a range; where range_blocks is 0 that is always the whole body, of num_units. `state` tells num_units and
  // num_probes (its body is not read); `scratch` has the bytes that range_scratch_bytes asked for, aligned to 64.
  void (*build_range)(const ProbeState& state, const BlockRange& range, void* scratch) = nullptr;
  // The scratch bytes; null if none are needed.
  uint64_t (*range_scratch_bytes)(uint64_t num_blocks, uint64_t num_hashes) = nullptr;
  // Folds: block i of `to` becomes what insertion of all keys of `factor` blocks of `from`, from factor * i on, would
  // have made; with `add`, of those of to[i], too. `to` may be `from` unless `add`. `add` with factor 1 makes a union.
  // It is null if the layout cannot be folded.
  void (*fold_blocks)(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint32_t num_probes,
                      uint8_t* to) = nullptr;
  // The expected_fpr, to the bit, that the union of the bodies would have if each were folded to num_units, which
  // divides its own; or anything above `enough` if it is above. Unless `keys` is null, it gets the keys that the united
  // bits tell, infinite if all are set (with `enough` 1). It is null where facts.unites is false.
  double (*folded_fpr)(const BodyList& bodies, uint64_t num_units, double enough, double* keys) = nullptr;
};

// Finds a maker; null for a layout that is not buildable (LayoutFacts): kAuto, an unknown id, one of other filters.
const LayoutMaker* FindMaker(Layout layout);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_MAKER_H_
