// The kernels of the layout `classic` are plain scalar loops, the same on every target. They do not prefetch or unroll,
// like the implementations that they stand for.
#include "lib/layouts/kernels.h"

#include "lib/layouts/blocks/answers.h"
#include "lib/layouts/classic/body.h"

namespace linefilter::internal {
namespace {

template <class Answers>
void MayContainBatch(const ProbeState& state, const uint64_t* hashes, size_t n, Answers& answers) {
  const uint64_t num_bits = 8 * state.num_units;
  for (size_t i = 0; i < n; ++i) answers.Put(i, ClassicMayContain(state.body, num_bits, state.num_probes, hashes[i]));
}

const char* Target() { return "SCALAR"; }

bool MayContain(const ProbeState& state, uint64_t hash) {
  return ClassicMayContain(state.body, 8 * state.num_units, state.num_probes, hash);
}

bool MayContainLazily(const ProbeState& state, uint64_t hash) {
  const bool maybe = MayContain(state, hash);
  return IsProven<ZeroAbsence>(state, hash, maybe) != 0 ? maybe : AskAgain(state, hash);
}
constexpr Kernels kLazyKernels = LazyBatches<ZeroAbsence>::KernelsOf(Target, MayContainLazily);

constexpr Kernels kClassicKernels = [] {
  Kernels kernels = {Target, MayContain,
                     [](const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* bytes) {
                       AnswersToBytes answers{bytes};
                       MayContainBatch(state, hashes, n, answers);
                     },
                     [](const ProbeState& state, const uint64_t* hashes, size_t n, uint8_t* bits) {
                       AnswersToBits answers{bits};
                       MayContainBatch(state, hashes, n, answers);
                       answers.Flush(n);
                     },
                     [](const ProbeState& state, const uint64_t* hashes, size_t n) {
                       AnswersToCount answers;
                       MayContainBatch(state, hashes, n, answers);
                       return answers.count;
                     }};
  kernels.lazily = &kLazyKernels;
  return kernels;
}();

}  // namespace

const Kernels& ClassicKernels() { return kClassicKernels; }

}  // namespace linefilter::internal
