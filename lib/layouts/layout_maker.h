// The half of a layout that makes: how large a body is for a set, how it is made of hashes, how it is folded. A reader
// of images links none of it (layout_record.h).
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_MAKER_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_MAKER_H_

#include <cstdint>

#include "lib/layouts/kernels.h"
#include "linefilter/layout.h"
#include "linefilter/sizing.h"

namespace linefilter::internal {

// A part of a body that is made at once: some blocks, and all hashes that fall into them, in any order, in several
// pieces. The part of a body that sits in the L2 while it is made.
struct HashSpan {
  const uint64_t* hashes;
  uint64_t size;
};
struct BlockRange {
  uint64_t first_block, num_blocks;  // of the num_units of the state
  // 64 * num_blocks bytes; all zero when a range is begun. A range of a layout that takes keys may come several times,
  // each time with other hashes.
  uint8_t* blocks;
  const HashSpan* spans;
  uint64_t num_spans;
  uint64_t num_hashes;  // in all spans
};

// The expected false-positive rate as a function of keys, bytes and probes. All else (best num_probes, inverses,
// limits) is derived from it in sizing.cc. It must give the same double on every CPU: no libm, but lib/base/real.h.
struct SizingModel {
  Layout layout;
  uint32_t max_num_probes;  // as in LayoutFacts
  uint64_t unit_bytes;      // a body is a multiple of it
  uint64_t min_bytes;       // of a body that is not empty
  uint64_t max_bytes;
  // For num_keys >= 1 keys in a valid body.
  double (*expected_fpr)(uint64_t num_keys, uint64_t body_bytes, uint32_t num_probes);
  // In the limit of large sets; where uses_whole_hash, without EqualHashFpr, which grows with the set.
  double (*limit_fpr)(double bits_per_key, uint32_t num_probes);
  // Where the best num_probes is looked for: downhill from here; or, of the textbook, here and one above.
  uint32_t (*num_probes)(double bits_per_key);
  bool of_the_textbook;
  // What tells two keys apart is the whole hash. In layouts of blocks it is the block and the in-block hash; that two
  // keys agree in these is in both rates.
  bool uses_whole_hash;
  // How far both rates may be off the exact ones: see ModelError.
  double error, error_of_other_probes, error_of_small_sets;
};

struct LayoutMaker {
  // False: a body is always made at once, by build_range.
  bool takes_keys() const { return FactsOf(sizing.layout).takes_keys; }

  SizingModel sizing;
  // Building by ranges of blocks: how many are best made at once (a power of two, so that they and their hashes sit in
  // the L2); 0 = a key's bits are all over the body, so keys can only be inserted.
  uint64_t range_blocks = 0;
  // Makes a range. `state` tells num_units and num_probes (its body is not read); `scratch` has the bytes that
  // range_scratch_bytes asked for, aligned to 64. Null where range_blocks is 0.
  void (*build_range)(const ProbeState& state, const BlockRange& range, void* scratch) = nullptr;
  // Null: none are needed.
  uint64_t (*range_scratch_bytes)(uint64_t num_blocks, uint64_t num_hashes) = nullptr;
  // Folding: block i of `to` becomes what insertion of all keys of `factor` blocks of `from`, from factor * i on, would
  // have made, with `add` of those of to[i], too. `to` may be `from` unless `add`. A union is what `add` with factor 1
  // makes. Null = the layout cannot be folded.
  void (*fold_blocks)(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to) = nullptr;
  // expected_fpr, to the bit, of what the body would be folded by a factor that divides its blocks; or anything above
  // `enough` if it is above. Null where fold_blocks is.
  double (*folded_fpr)(const ProbeState& state, uint64_t factor, double enough) = nullptr;
};

// Null for a layout that is not buildable (LayoutFacts): kAuto, an unknown id, one that consists of other filters.
const LayoutMaker* FindMaker(Layout layout);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_MAKER_H_
