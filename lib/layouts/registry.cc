// This finds layouts by id and by name, and tells their facts.
#include <cstring>
#include <iterator>

#include "lib/base/fill.h"
#include "lib/layouts/layout_record.h"

namespace linefilter {
namespace internal {

#define LINEFILTER_LAYOUT(Name) extern const LayoutRecord k##Name##Layout;
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT

constexpr ById<LayoutRecord> kLayouts = {
#define LINEFILTER_LAYOUT(Name) &k##Name##Layout,
#include "lib/layouts/registry.inc"
#undef LINEFILTER_LAYOUT
};

void BindConstant(const Kernels& kernels, ProbeState* state) {
  Reset(state);
  UseKernels(kernels, state);
}

void BindBody(const LayoutRecord& record, const BodyParts& parts, ProbeState* state) {
  if (parts.body_bytes != 0) return record.bind(parts, state);
  BindConstant(AlwaysAbsentKernels(), state);
  state->num_probes = static_cast<uint16_t>(parts.num_probes);
}

double FillRatioOfBody(const ProbeState& state) {
  const uint64_t size = state.num_units << state.unit_shift;
  return state.is_shared ? SharedFillRatioOf(state.body, size) : FillRatioOf(state.body, size);
}

}  // namespace internal

const char* LayoutName(Layout layout) noexcept {
  if (layout == Layout::kAuto) return "auto";
  const internal::LayoutRecord* const record = internal::FindLayout(layout);
  return record == nullptr ? "unknown" : record->name;
}

bool ParseLayout(const char* name, Layout* layout) noexcept {
  if (strcmp(name, LayoutName(Layout::kAuto)) == 0) {
    *layout = Layout::kAuto;
    return true;
  }
  for (const Layout candidate : SupportedLayouts()) {
    if (!FactsOf(candidate).buildable || strcmp(name, LayoutName(candidate)) != 0) continue;
    *layout = candidate;
    return true;
  }
  return false;
}

LayoutList SupportedLayouts() noexcept { return {internal::kLayoutIds, std::size(internal::kLayoutIds)}; }

LayoutFacts FactsOf(Layout layout, uint32_t num_probes) noexcept {
  const internal::LayoutRecord* const record = internal::FindLayout(layout);
  LayoutFacts facts = record == nullptr ? LayoutFacts() : record->facts;
  if (facts.has_positions && facts.max_num_probes != 0) facts.num_positions = num_probes;
  if (facts.chooses_removal) facts.gives_back = num_probes != 0;
  return facts;
}

}  // namespace linefilter
