// Kernels are the functions of one layout on one target: all that a filter calls while it is asked. Those that
// change it are Changes (layout_changes.h).
#ifndef LINEFILTER_LIB_LAYOUTS_KERNELS_H_
#define LINEFILTER_LIB_LAYOUTS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <new>

#include "linefilter/internal/probe_state.h"
#include "linefilter/layout.h"
#include "linefilter/status.h"

namespace linefilter {

struct KeyHash;

namespace internal {

// What answers now in a filter that changes.
struct Serving {
  const ProbeState& state;
  const KeyHash& key_hash;
  Layout layout;
  uint64_t capacity;
};
using UseServing = void (*)(void* context, const Serving& serving);

// Kernels are chosen once per filter and called once per batch: dispatching per key costs more than a probe.
struct Kernels {
  const char* (*target)();  // Highway's name
  bool (*may_contain)(const ProbeState& state, uint64_t hash);
  void (*may_contain_to_bytes)(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* answers);
  void (*may_contain_to_bits)(const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* bits);
  uint64_t (*count_maybes)(const ProbeState& state, const uint64_t* hashes, size_t n);
  // Calls use(context, what answers now), and keeps that alive meanwhile; null where this is always `state` itself.
  void (*serve)(const ProbeState& state, UseServing use, void* context) = nullptr;
  // Verifies the bytes that were not yet; null where all were when the filter was opened, or are not to be.
  Status (*verify)(const ProbeState& state) = nullptr;
  // The kernels for a body whose chunks are verified while it is asked (lazy.h); null in a layout that no image has.
  const Kernels* lazily = nullptr;
  // How many more keys it takes until its rate is fpr, where it grows; null where the body alone tells.
  uint64_t (*room_for)(const ProbeState& state, double fpr) = nullptr;
};

// Makes a state new. To assign one would copy what may be replaced meanwhile word by word: 40 instructions, which an
// engine's lookup would pay.
inline void Reset(ProbeState* state) { new (state) ProbeState(); }

// These are for a broken image, and for the empty set.
const Kernels& AlwaysMaybeKernels();
const Kernels& AlwaysAbsentKernels();

}  // namespace internal
}  // namespace linefilter

#endif  // LINEFILTER_LIB_LAYOUTS_KERNELS_H_
