// This writes a ScalableFilter's image and reads it back: its stages, and how it goes on growing.
#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/memory.h"
#include "lib/filters/growth.h"
#include "lib/filters/key_kinds.h"
#include "lib/filters/secret.h"
#include "lib/image/container_writer.h"
#include "lib/layouts/options.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"

namespace linefilter {

using internal::Container;
using internal::ContainerStage;
using internal::Growth;
using internal::GrowthPlan;
using internal::kMaxPlannedStages;
using internal::kScalableGrowthBytes;

namespace internal {

namespace {

// What an image is made of, and the arrays that it points to.
struct StagesOfImage {
  explicit StagesOfImage(const FilterBase& filter, const Growth& growth) {
    for (uint32_t i = 0; i < growth.num_stages; ++i) {
      const Stage& stage = growth.stages[i];
      stages[i] = {stage.body, stage.num_blocks, growth.keys_of[i], stage.num_probes};
    }
    StoreGrowth(growth.plan, plan);
    num_keys = growth.num_keys;
    container.stages = stages;
    container.num_stages = growth.num_stages;
    container.hash_id = filter.hash_id();
    container.seed = filter.seed();
    container.num_keys = &num_keys;
    container.key_kinds = filter.key_kinds();
    container.growth = plan;
    container.growth_bytes = sizeof(plan);
    container.allocator = growth.allocator;
  }
  StagesOfImage(const StagesOfImage&) = delete;
  StagesOfImage& operator=(const StagesOfImage&) = delete;

  ContainerStage stages[kMaxPlannedStages];
  uint8_t plan[kScalableGrowthBytes];
  uint64_t num_keys;
  Container container;
};

}  // namespace
}  // namespace internal

Status ScalableFilter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  const Status secret = internal::CheckSecret(options);
  if (!secret.ok()) return secret;
  const FilterView view(image, size, VerifyMode::kWhole, internal::SecretOf(options));
  Status status = view.status();
  if (!status.ok()) return status;
  GrowthPlan plan;
  if (view.num_stages() == 0 || !internal::LoadGrowth(view.growth(), view.growth_bytes(), &plan)) {
    return Status::Error(
        StatusCode::kIncompatible,
        "the image has layout %s and %llu body bytes, and does not tell how a ScalableFilter goes on: it "
        "was made by something else",
        LayoutName(view.layout()), static_cast<unsigned long long>(view.body_bytes()));
  }
  ScalableFilter made;
  made.around_ = around_;
  status = made.Start(options);
  if (!status.ok()) return status;
  Growth* const to = made.growth_;
  to->plan = plan;
  internal::ForEachStage(view.probe_state(), [&](uint32_t i, const internal::Stage& stage) {
    if (!status.ok()) return;
    const uint64_t body_bytes = 64 * stage.num_blocks;
    status = made.AddStage(body_bytes, stage.num_probes);
    if (!status.ok()) return;
    memcpy(to->stages[i].body, stage.body, static_cast<size_t>(body_bytes));
    to->keys_of[i] = internal::LoadStageEntry(view.probe_state().stage_table, i).num_keys;
    to->num_keys += to->keys_of[i];
  });
  if (!status.ok()) return status;
  made.key_hash_ = view.key_hash();
  made.key_kinds_ = internal::KeyKindsIn(view);
  *this = static_cast<ScalableFilter&&>(made);
  return Status();
}

// How its image is told and written.
struct ScalableFilter::Writing {
  static const Growth* Of(const KeyFilter& filter) { return static_cast<const ScalableFilter&>(filter).growth_; }
  static uint64_t Memory(const KeyFilter& filter) {
    return sizeof(ScalableFilter) + (Of(filter) == nullptr ? 0 : sizeof(Growth) + Of(filter)->body_bytes);
  }
  static uint64_t Bytes(const KeyFilter& filter) {
    return internal::ContainerBytes(internal::StagesOfImage(filter, *Of(filter)).container);
  }
  static Status Write(const KeyFilter& filter, const Sink& sink) {
    return internal::WriteContainer(internal::StagesOfImage(filter, *Of(filter)).container, sink);
  }
  static Status WriteTo(const KeyFilter& filter, void* out, size_t size) {
    return internal::WriteContainerTo(internal::StagesOfImage(filter, *Of(filter)).container, out, size);
  }
  static constexpr Image kImage = {Memory, Bytes, Write, WriteTo};
};

ScalableFilter::ScalableFilter() noexcept : KeyFilter(Writing::kImage) {}

}  // namespace linefilter
