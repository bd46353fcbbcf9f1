// The functions of one layout on one target: all that a filter calls while it works.
#ifndef LINEFILTER_LIB_KERNELS_KERNELS_H_
#define LINEFILTER_LIB_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "linefilter/filter_base.h"

namespace linefilter::internal {

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
};

// For a broken image, and for the empty set. They take no insertion.
const Kernels& AlwaysMaybeKernels();
const Kernels& AlwaysAbsentKernels();

// For the chosen target.
const Kernels& BlockedKernels();
const Kernels& ClassicKernels();

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_KERNELS_KERNELS_H_
