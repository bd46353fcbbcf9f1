// This is what a linefilter_view tells of itself. NULL acts like a broken one.
#include "lib/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

template <class Ask>
auto Tell(const linefilter_view* view, const Ask& ask) {
  return view != nullptr ? ask(*view->asked) : ask(FilterView());
}

}  // namespace

linefilter_layout linefilter_view_layout(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return static_cast<linefilter_layout>(filter.layout()); });
}

linefilter_hash_id linefilter_view_hash_id(const linefilter_view* view) {
  return view == nullptr ? LINEFILTER_HASH_CALLER : static_cast<linefilter_hash_id>(view->asked->hash_id());
}

linefilter_key_kind linefilter_view_key_kind(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return static_cast<linefilter_key_kind>(filter.key_kind()); });
}

uint64_t linefilter_view_seed(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.seed(); });
}

uint32_t linefilter_view_num_probes(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.num_probes(); });
}

uint64_t linefilter_view_num_blocks(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.num_blocks(); });
}

const uint8_t* linefilter_view_body(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.body(); });
}

uint64_t linefilter_view_body_bytes(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.body_bytes(); });
}

linefilter_code linefilter_options_same_size_as(linefilter_options* options, const linefilter_view* view,
                                                linefilter_status* status) {
  if (view == nullptr) return ToC(NoHandle("view"), status);
  return ToC(SetSize(FilterOptions::SameSizeAs(*view->asked), options), status);
}

uint64_t linefilter_view_image_bytes(const linefilter_view* view) {
  return view == nullptr || view->image == nullptr ? 0 : view->image->image_bytes();
}

uint32_t linefilter_view_format_version(const linefilter_view* view) {
  return view == nullptr || view->image == nullptr ? 0 : view->image->format_version();
}

bool linefilter_view_empty_set(const linefilter_view* view) {
  return view != nullptr && view->image != nullptr && view->image->empty_set();
}

bool linefilter_view_num_keys(const linefilter_view* view, uint64_t* num_keys) {
  if (view == nullptr || view->image == nullptr || !view->image->has_num_keys()) return false;
  *num_keys = view->image->num_keys();
  return true;
}

uint32_t linefilter_view_num_stages(const linefilter_view* view) {
  if (view == nullptr) return 0;
  if (view->image != nullptr) return view->image->num_stages();
  if (const ScalableFilter* const scalable = As<ScalableFilter>(view->filter)) return scalable->num_stages();
  return linefilter_rotating_num_generations(view->filter);
}

bool linefilter_view_stage_at(const linefilter_view* view, uint32_t index, linefilter_view_stage* stage) {
  const uint32_t num_stages = linefilter_view_num_stages(view);
  if (index >= num_stages) return false;
  if (view->image != nullptr) {
    const StageInfo info = view->image->stage(index);
    *stage = {info.num_blocks, info.num_keys, static_cast<linefilter_layout>(info.layout), info.num_probes};
  } else if (const ScalableFilter* const scalable = As<ScalableFilter>(view->filter)) {
    const StageFacts facts = scalable->stage(index);
    *stage = {facts.num_blocks, facts.num_keys, LINEFILTER_LAYOUT_BLOCKED, facts.num_probes};
  } else {  // generations are all alike
    *stage = {view->asked->num_blocks() / num_stages, 0, LINEFILTER_LAYOUT_BLOCKED, view->asked->num_probes()};
  }
  return true;
}

const char* linefilter_view_target(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.target(); });
}

uint64_t linefilter_view_capacity(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.capacity(); });
}

double linefilter_view_fill_ratio(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.FillRatio(); });
}

double linefilter_view_approximate_size(const linefilter_view* view, double* error) {
  return KeysAndError(Tell(view, [](const FilterBase& filter) { return filter.ApproximateSize(); }), error);
}

uint64_t linefilter_view_room_for(const linefilter_view* view, double fpr) {
  return Tell(view, [fpr](const FilterBase& filter) { return filter.RoomFor(fpr); });
}

bool linefilter_view_over_capacity(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.OverCapacity(); });
}

double linefilter_view_expected_fpr(const linefilter_view* view) {
  return Tell(view, [](const FilterBase& filter) { return filter.ExpectedFpr(); });
}

size_t linefilter_view_count_levels(const linefilter_view* view, uint64_t* counts) {
  static_assert(FilterBase::kMaxLevels == LINEFILTER_MAX_LEVELS, "the numbers of C are those of C++");
  return Tell(view, [counts](const FilterBase& filter) { return filter.CountLevels(counts); });
}
