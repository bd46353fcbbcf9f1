// The functions of one layout on one target: all that a filter calls while it works.
#ifndef LINEFILTER_LIB_LAYOUTS_KERNELS_H_
#define LINEFILTER_LIB_LAYOUTS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/internal/probe_state.h"

namespace linefilter::internal {

// A part of a body that is made at once: some blocks, and all hashes that fall into them, in any order, in several
// pieces. The part of a body that sits in the L2 while it is made.
struct HashSpan {
  const uint64_t* hashes;
  uint64_t size;
};
struct BlockRange {
  uint64_t first_block, num_blocks;  // of the num_units of the state
  // 64 * num_blocks bytes; all zero when a range is begun. Of a mutable layout a range may come several times, each
  // time with other hashes.
  uint8_t* blocks;
  const HashSpan* spans;
  uint64_t num_spans;
  uint64_t num_hashes;  // in all spans
};

// remove and remove_batch of what gives no key back: each is refused.
bool RemoveNothing(const ProbeState& state, uint64_t hash);
uint64_t RemoveNothingBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_removed);

// Chosen once per filter, called once per batch: dispatching per key costs more than a probe.
struct Kernels {
  const char* (*target)();  // Highway's name
  bool (*may_contain)(const ProbeState& state, uint64_t hash);
  void (*may_contain_to_bytes)(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* answers);
  void (*may_contain_to_bits)(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* bits);
  uint64_t (*count_maybes)(const ProbeState& state, const uint64_t* hashes, size_t n);
  // The body is written through its const pointer: the caller owns it mutably. True or 1 = certainly new.
  bool (*insert)(const ProbeState& state, uint64_t hash);
  uint64_t (*insert_batch)(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new);
  // Makes a range. `state` tells num_units and num_probes (its body is not read); `scratch` has the bytes that the
  // layout's range_scratch_bytes asked for, aligned to 64. Null where range_blocks is 0.
  void (*build_range)(const ProbeState& state, const BlockRange& range, void* scratch);
  // False or 0: refused, the key was certainly absent. By default what no key can be taken from.
  bool (*remove)(const ProbeState& state, uint64_t hash) = RemoveNothing;
  uint64_t (*remove_batch)(const ProbeState& state, const uint64_t* hashes, size_t n,
                           uint8_t* were_removed) = RemoveNothingBatch;
};

// insert and insert_batch of what takes no insertion: nothing is new.
bool InsertNothing(const ProbeState& state, uint64_t hash);
uint64_t InsertNothingBatch(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* were_new);

// For a broken image, and for the empty set. They take no insertion.
const Kernels& AlwaysMaybeKernels();
const Kernels& AlwaysAbsentKernels();

// For the chosen target.
const Kernels& BlockedKernels();
const Kernels& ClassicKernels();
const Kernels& RetrievalKernels();
const Kernels& CountingKernels();
// `blocked` of which several threads insert and ask at once; the same bits. It builds no ranges.
const Kernels& SharedBlockedKernels();
// Several filters as one: see container/kernels.h.
const Kernels& StagesKernels();
const Kernels& SharedStagesKernels();

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_LAYOUTS_KERNELS_H_
