#include <cstring>

#include "lib/kernels/layout_ops.h"
#include "lib/kernels/retrieval_build.h"
#include "lib/layouts/blocked.h"
#include "lib/layouts/classic.h"
#include "lib/layouts/retrieval.h"

namespace linefilter {
namespace internal {
namespace {

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

template <BodyIsValid kIsValid, Bind kBind, const Kernels& (*kKernels)()>
constexpr LayoutOps Ops(Layout layout) {
  LayoutOps ops{};
  ops.layout = layout;
  ops.body_is_valid = kIsValid;
  ops.bind = kBind;
  ops.kernels = kKernels;
  ops.body_may_contain = BodyMayContain<kIsValid, kBind, kKernels>;
  return ops;
}

constexpr LayoutOps BlockedOps() {
  LayoutOps ops = Ops<BlockedBodyIsValid, BindBlocked, BlockedKernels>(Layout::kBlocked);
  ops.estimated_keys = BlockedEstimatedKeys;
  ops.expected_fpr = BlockedExpectedFpr;
  ops.range_blocks = 4096;
  ops.is_mutable = true;
  return ops;
}

constexpr LayoutOps ClassicOps() {
  LayoutOps ops = Ops<ClassicBodyIsValid, BindClassic, ClassicKernels>(Layout::kClassic);
  ops.body_may_contain = ClassicBodyMayContain;
  ops.estimated_keys = ClassicEstimatedKeys;
  ops.expected_fpr = ClassicExpectedFpr;
  ops.is_mutable = true;
  return ops;
}

constexpr LayoutOps RetrievalOps() {
  LayoutOps ops = Ops<RetrievalBodyIsValid, BindRetrieval, RetrievalKernels>(Layout::kRetrieval);
  ops.estimated_keys = RetrievalEstimatedKeys;
  ops.expected_fpr = RetrievalExpectedFpr;
  ops.count_levels = RetrievalCountLevels;
  ops.range_blocks = 1024;
  ops.range_scratch_bytes = RetrievalScratchBytes;
  return ops;
}

constexpr LayoutOps kLayouts[] = {BlockedOps(), ClassicOps(), RetrievalOps()};

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
