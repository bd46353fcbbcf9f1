// One entry per layout: everything that the filters need to know of it. Adding a layout is its files and one line in
// registry.cc; filters, program, tests and benchmark find it there.
#ifndef LINEFILTER_LIB_LAYOUTS_LAYOUT_RECORD_H_
#define LINEFILTER_LIB_LAYOUTS_LAYOUT_RECORD_H_

#include <cstddef>
#include <cstdint>

#include "lib/layouts/kernels.h"
#include "linefilter/layout.h"

namespace linefilter::internal {

struct LayoutOps {
  Layout layout;
  // Can an image of this layout have that body? (0 bytes = the empty set.)
  bool (*body_is_valid)(uint64_t body_bytes, uint32_t num_probes);
  // Points `state` to a valid body of at least one byte; sets all of it but kernels and may_contain.
  void (*bind)(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state);
  const Kernels& (*kernels)();
  // One question of a body that nothing is bound to: "maybe" if it is not valid.
  bool (*body_may_contain)(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash);
  double (*estimated_keys)(const ProbeState& state);
  double (*expected_fpr)(const ProbeState& state);
  // FilterBase::CountLevels; null = blocks have no level.
  size_t (*count_levels)(const ProbeState& state, uint64_t* counts);
  // Building by ranges of blocks: how many are best made at once (a power of two, so that they and their hashes sit in
  // the L2); 0 = a key's bits are all over the body, so keys can only be inserted.
  uint64_t range_blocks;
  // Bytes that Kernels::build_range needs; null = none.
  uint64_t (*range_scratch_bytes)(uint64_t num_blocks, uint64_t num_hashes);
  // False: no key can be added to a body, it is always made at once (by build_range).
  bool is_mutable;
  // Folding: block i of `to` becomes what insertion of all keys of `factor` blocks of `from`, from factor * i on, would
  // have made, with `add` of those of to[i], too. `to` may be `from` unless `add`. A union is what `add` with factor 1
  // makes. Null = the layout cannot be folded.
  void (*fold_blocks)(const uint8_t* from, uint64_t num_blocks, uint64_t factor, bool add, uint8_t* to) = nullptr;
  // expected_fpr, to the bit, of what the body would be folded by a factor that divides its blocks; or anything above
  // `enough` if it is above. Null where fold_blocks is.
  double (*folded_fpr)(const ProbeState& state, uint64_t factor, double enough) = nullptr;
};

// Null for an id that this library does not implement.
const LayoutOps* FindLayout(Layout layout);

// Both steps of making a filter answer: bind and choose kernels. A body of 0 bytes is the empty set.
void BindBody(const LayoutOps& ops, const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state);

// A state that answers always alike.
void BindConstant(const Kernels& kernels, ProbeState* state);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_LAYOUT_RECORD_H_
