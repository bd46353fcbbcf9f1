#include <cstring>

#include "lib/layouts/blocked/body.h"
#include "lib/layouts/classic/body.h"
#include "lib/layouts/counting/body.h"
#include "lib/layouts/layout_record.h"
#include "lib/layouts/retrieval/body.h"
#include "lib/layouts/retrieval/solver/solver.h"

namespace linefilter {
namespace internal {
namespace {

// LayoutOps::body_may_contain by the functions of a layout of blocks: direct calls, where the table would make four.
using BodyIsValid = bool (*)(uint64_t, uint32_t);
using Bind = void (*)(const uint8_t*, uint64_t, uint32_t, ProbeState*);

template <BodyIsValid kIsValid, Bind kBind, const Kernels& (*kKernels)()>
bool BodyMayContain(const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, uint64_t hash) {
  if (!kIsValid(body_bytes, num_probes)) return true;
  if (body_bytes == 0) return false;  // the empty set
  ProbeState state;
  kBind(body, body_bytes, num_probes, &state);
  return kKernels().may_contain(state, hash);
}

constexpr LayoutOps kLayouts[] = {
    {Layout::kBlocked, BlockedBodyIsValid, BindBlocked, BlockedKernels,
     BodyMayContain<BlockedBodyIsValid, BindBlocked, BlockedKernels>, BlockedEstimatedKeys, BlockedExpectedFpr, nullptr,
     4096, nullptr, true, BlockedFoldBlocks, BlockedFoldedFpr},
    {Layout::kClassic, ClassicBodyIsValid, BindClassic, ClassicKernels, ClassicBodyMayContain, ClassicEstimatedKeys,
     ClassicExpectedFpr, nullptr, 0, nullptr, true},
    {Layout::kRetrieval, RetrievalBodyIsValid, BindRetrieval, RetrievalKernels,
     BodyMayContain<RetrievalBodyIsValid, BindRetrieval, RetrievalKernels>, RetrievalEstimatedKeys,
     RetrievalExpectedFpr, RetrievalCountLevels, 1024, RetrievalScratchBytes, false},
    {Layout::kCounting, CountingBodyIsValid, BindCounting, CountingKernels,
     BodyMayContain<CountingBodyIsValid, BindCounting, CountingKernels>, CountingEstimatedKeys, CountingExpectedFpr,
     nullptr, 4096, nullptr, true, CountingFoldBlocks, CountingFoldedFpr},
};

}  // namespace

const LayoutOps* FindLayout(Layout layout) {
  for (const LayoutOps& ops : kLayouts) {
    if (ops.layout == layout) return &ops;
  }
  return nullptr;
}

void BindConstant(const Kernels& kernels, ProbeState* state) {
  *state = ProbeState();
  state->kernels = &kernels;
  state->may_contain = kernels.may_contain;
}

void BindBody(const LayoutOps& ops, const uint8_t* body, uint64_t body_bytes, uint32_t num_probes, ProbeState* state) {
  if (body_bytes == 0) {
    BindConstant(AlwaysAbsentKernels(), state);
    state->num_probes = num_probes;
    return;
  }
  ops.bind(body, body_bytes, num_probes, state);
  state->kernels = &ops.kernels();
  state->may_contain = state->kernels->may_contain;
}

}  // namespace internal

bool ParseLayout(const char* name, Layout* layout) noexcept {
  if (strcmp(name, LayoutName(Layout::kAuto)) == 0) {
    *layout = Layout::kAuto;
    return true;
  }
  for (const internal::LayoutOps& ops : internal::kLayouts) {
    if (strcmp(name, LayoutName(ops.layout)) == 0) {
      *layout = ops.layout;
      return true;
    }
  }
  return false;
}

}  // namespace linefilter
