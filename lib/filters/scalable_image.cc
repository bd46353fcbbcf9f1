// This writes a ScalableFilter's image and reads it back: its stages, and how it goes on growing.
#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/memory.h"
#include "lib/filters/growth.h"
#include "lib/filters/key_kinds.h"
#include "lib/filters/load_file.h"
#include "lib/image/container_writer.h"
#include "lib/image/image_writer.h"
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
  return internal::CopyImage(image, size, options, [&](const FilterView& view) { return CopyView(view, options); });
}

Status ScalableFilter::Load(const char* path, const FilterOptions& options) noexcept {
  return internal::CopyFile(path, options, [&](const FilterView& view) { return CopyView(view, options); });
}

// This is for a view that was verified.
Status ScalableFilter::CopyView(const FilterView& view, const FilterOptions& options) noexcept {
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
  Status status = made.Start(options);
  if (!status.ok()) return status;
  Growth* const to = made.growth_;
  to->plan = plan;
  status = made.CopyStages(view);
  if (!status.ok()) return status;
  for (uint32_t i = 0; i < to->num_stages; ++i) {
    to->keys_of[i] = internal::LoadStageEntry(view.probe_state().stage_table, i).num_keys;
    to->num_keys += to->keys_of[i];
  }
  made.key_kinds_ = internal::KeyKindsIn(view);
  *this = static_cast<ScalableFilter&&>(made);
  return Status();
}

// Ends both ways to copy one: it adds the stages of a filter or a view, and their bits.
Status ScalableFilter::CopyStages(const FilterBase& from) noexcept {
  Status status;
  internal::ForEachStage(from.probe_state(), [&](uint32_t i, const internal::Stage& stage) {
    if (!status.ok()) return;
    const uint64_t body_bytes = 64 * stage.num_blocks;
    status = AddStage(body_bytes, stage.num_probes);
    if (status.ok()) memcpy(growth_->stages[i].body, stage.body, static_cast<size_t>(body_bytes));
  });
  key_hash_ = from.key_hash();
  return status;
}

Status ScalableFilter::CloneFrom(const ScalableFilter& other) noexcept {
  if (other.growth_ == nullptr) return internal::NotCreated();
  if (&other == this) return Status();
  const Growth& from = *other.growth_;
  FilterOptions options;
  options.allocator = from.allocator;
  options.memory_limit = from.memory_limit;
  ScalableFilter made;
  made.around_ = around_;
  Status status = made.Start(options);
  if (!status.ok()) return status;
  Growth* const to = made.growth_;
  to->plan = from.plan;
  status = made.CopyStages(other);
  if (!status.ok()) return status;
  memcpy(to->keys_of, from.keys_of, sizeof(to->keys_of));
  to->num_keys = from.num_keys;
  to->uncounted = from.uncounted;
  to->full_at = from.full_at;
  to->status = from.status;
  made.key_kinds_ = other.key_kinds();
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
