// These are the few calls that scalable filters alone have, or rotating ones.
#include "lib/c/handles.h"

using namespace linefilter;
using namespace linefilter::internal;

namespace {

// What tell(object) tells; 0 for another kind.
template <class Object, class Tell>
auto TellOf(const linefilter_filter* filter, const Tell& tell) {
  Object* const object = As<Object>(filter);
  return object == nullptr ? decltype(tell(*object))() : tell(*object);
}

}  // namespace

linefilter_code linefilter_scalable_growth_status(const linefilter_filter* filter, linefilter_status* status) {
  const ScalableFilter* const scalable = As<ScalableFilter>(filter);
  return ToC(scalable == nullptr ? OtherKind(filter, "a scalable filter") : scalable->growth_status(), status);
}

bool linefilter_scalable_stage_at(const linefilter_filter* filter, uint32_t index, linefilter_scalable_stage* stage) {
  const ScalableFilter* const scalable = As<ScalableFilter>(filter);
  if (scalable == nullptr || index >= scalable->num_stages()) return false;
  const StageFacts facts = scalable->stage(index);
  *stage = {facts.capacity, facts.num_keys, facts.num_blocks, facts.fpr, facts.num_probes, 0};
  return true;
}

double linefilter_scalable_fpr(const linefilter_filter* filter) {
  return TellOf<ScalableFilter>(filter, [](const ScalableFilter& scalable) { return scalable.fpr(); });
}

uint64_t linefilter_scalable_max_growth(const linefilter_filter* filter) {
  return TellOf<ScalableFilter>(filter, [](const ScalableFilter& scalable) { return scalable.growth().max_growth; });
}

uint64_t linefilter_scalable_num_keys(const linefilter_filter* filter) {
  return TellOf<ScalableFilter>(filter, [](const ScalableFilter& scalable) { return scalable.num_keys(); });
}

uint64_t linefilter_rotating_rotate(linefilter_filter* filter) {
  return TellOf<RotatingFilter>(filter, [](RotatingFilter& rotating) { return rotating.Rotate(); });
}

uint64_t linefilter_rotating_generation(const linefilter_filter* filter) {
  return TellOf<RotatingFilter>(filter, [](const RotatingFilter& rotating) { return rotating.generation(); });
}

uint32_t linefilter_rotating_num_generations(const linefilter_filter* filter) {
  return TellOf<RotatingFilter>(filter, [](const RotatingFilter& rotating) { return rotating.num_generations(); });
}

uint64_t linefilter_rotating_keys_per_generation(const linefilter_filter* filter) {
  return TellOf<RotatingFilter>(filter, [](const RotatingFilter& rotating) { return rotating.keys_per_generation(); });
}

linefilter_rotation linefilter_rotating_rotation(const linefilter_filter* filter) {
  return TellOf<RotatingFilter>(
      filter, [](const RotatingFilter& rotating) { return static_cast<linefilter_rotation>(rotating.rotation()); });
}

double linefilter_rotating_fill_ratio_of_age(const linefilter_filter* filter, uint32_t age) {
  return TellOf<RotatingFilter>(filter, [age](const RotatingFilter& rotating) { return rotating.FillRatioOfAge(age); });
}

double linefilter_rotating_approximate_size_of_age(const linefilter_filter* filter, uint32_t age, double* error) {
  return KeysAndError(TellOf<RotatingFilter>(
                          filter, [age](const RotatingFilter& rotating) { return rotating.ApproximateSizeOfAge(age); }),
                      error);
}
