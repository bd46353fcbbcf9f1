// This makes snapshots of a RotatingFilter, and filters of snapshots. They have layout `container`, whose stages are
// the live generations, and the growth field of kind 2 (doc/FORMAT.md).
#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/shared_word.h"
#include "lib/filters/growth.h"
#include "lib/filters/key_kinds.h"
#include "lib/filters/load_file.h"
#include "lib/filters/ring.h"
#include "lib/image/container_writer.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/options.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"

namespace linefilter {

using internal::Ring;
using internal::RotatingGrowth;

namespace {

static_assert(kMaxGenerations <= internal::kMaxStages, "an image holds all generations");

// Whether these are the generations of a rotating filter, all alike.
bool IsRotating(const FilterView& view, RotatingGrowth* growth) {
  if (!internal::LoadRotatingGrowth(view.growth(), view.growth_bytes(), growth)) return false;
  if (view.num_stages() < kMinGenerations || view.num_stages() > kMaxGenerations) return false;
  const StageInfo first = view.stage(0);
  const uint64_t most = internal::kMostKeysOfBlock * first.num_blocks;
  if (growth->keys_in_newest > most || growth->keys_per_generation > most) return false;
  for (uint32_t i = 0; i < view.num_stages(); ++i) {
    const StageInfo stage = view.stage(i);
    if (stage.num_blocks != first.num_blocks || stage.num_probes != first.num_probes) {
      return false;
    }
  }
  return true;
}

// A snapshot is under the mutex, so that no generation goes; for its size alone it need not be.
struct Snapshot {
  internal::ContainerStage stages[kMaxGenerations];
  uint8_t growth[internal::kRotatingGrowthBytes];
  internal::Container container;

  Snapshot(const Ring& ring, const internal::KeyKinds& key_kinds) {
    const uint32_t n = ring.num_generations;
    const uint64_t num_blocks = ring.generation_bytes / 64;
    for (uint32_t i = 0; i < n; ++i) stages[i] = {ring.BodyOfAge(n - 1 - i), num_blocks, 0, ring.num_probes};
    // The count is higher if threads counted keys behind a rotation that they had inserted before it.
    const uint64_t keys = ring.keys_in_newest.load(std::memory_order_relaxed);
    const uint64_t most = internal::kMostKeysOfBlock * num_blocks;
    internal::StoreRotatingGrowth(
        {static_cast<uint8_t>(ring.rotation), ring.keys_per_generation, ring.generation(), keys < most ? keys : most},
        growth);
    container.stages = stages;
    container.num_stages = n;
    container.hash_id = ring.key_hash.id;
    container.seed = ring.key_hash.seed;
    container.growth = growth;
    container.growth_bytes = sizeof(growth);
    container.key_kinds = key_kinds;
    container.is_shared = true;
    container.allocator = ring.allocator;
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
};

}  // namespace

// How its image is told and written.
struct RotatingFilter::Writing {
  static Ring* Of(const KeyFilter& filter) { return static_cast<const RotatingFilter&>(filter).ring_; }
  static uint64_t Memory(const KeyFilter& filter) {
    return sizeof(RotatingFilter) + (Of(filter) == nullptr ? 0 : Of(filter)->memory());
  }
  static uint64_t Bytes(const KeyFilter& filter) {
    return internal::ContainerBytes(Snapshot(*Of(filter), filter.key_kinds()).container);
  }
  static Status Write(const KeyFilter& filter, const Sink& sink) {
    const std::lock_guard<std::mutex> lock(Of(filter)->mutex);
    return internal::WriteContainer(Snapshot(*Of(filter), filter.key_kinds()).container, sink);
  }
  static Status WriteTo(const KeyFilter& filter, void* out, size_t size) {
    const std::lock_guard<std::mutex> lock(Of(filter)->mutex);
    return internal::WriteContainerTo(Snapshot(*Of(filter), filter.key_kinds()).container, out, size);
  }
  static constexpr Image kImage = {Memory, Bytes, Write, WriteTo};
};

RotatingFilter::RotatingFilter() noexcept : KeyFilter(Writing::kImage) {}

Status RotatingFilter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  return internal::CopyImage(image, size, options, [&](const FilterView& view) { return CopyView(view, options); });
}

Status RotatingFilter::Load(const char* path, const FilterOptions& options) noexcept {
  return internal::CopyFile(path, options, [&](const FilterView& view) { return CopyView(view, options); });
}

// This is for a view that was verified.
Status RotatingFilter::CopyView(const FilterView& view, const FilterOptions& options) noexcept {
  RotatingGrowth read;
  if (!IsRotating(view, &read)) {
    return Status::Error(StatusCode::kIncompatible,
                         "the image (layout %s) is not of a rotating filter, so none can be made of it: "
                         "FilterView asks it",
                         LayoutName(view.layout()));
  }
  const uint32_t n = view.num_stages();
  const StageInfo first = view.stage(0);
  Ring* made = nullptr;
  const Status status = Ring::Make(n, 64 * first.num_blocks, first.num_probes, sizeof(*this) + around_, options, &made);
  if (!status.ok()) return status;
  for (uint32_t i = 0; i < n; ++i) {
    memcpy(made->BodyOfSlot(i), view.stage(i).body, static_cast<size_t>(made->generation_bytes));
  }
  made->newest.store(read.generation << Ring::kSlotBits | (n - 1), std::memory_order_relaxed);
  made->keys_in_newest.store(read.keys_in_newest, std::memory_order_relaxed);
  made->keys_per_generation = read.keys_per_generation;
  made->rotation = static_cast<Rotation>(read.rotation);
  Bind(made, view.key_hash());
  key_kinds_ = internal::KeyKindsIn(view);
  return Status();
}

Status RotatingFilter::CloneFrom(const RotatingFilter& other) noexcept {
  if (other.ring_ == nullptr) return internal::NotCreated();
  if (&other == this) return Status();
  Ring& from = *other.ring_;
  FilterOptions options;
  options.allocator = from.allocator;
  const uint32_t n = from.num_generations;
  Ring* made = nullptr;
  const Status status = Ring::Make(n, from.generation_bytes, from.num_probes, sizeof(*this) + around_, options, &made);
  if (!status.ok()) return status;
  {
    const std::lock_guard<std::mutex> lock(from.mutex);
    for (uint32_t i = 0; i < n; ++i) {
      internal::CopyShared(from.BodyOfAge(n - 1 - i), from.generation_bytes, made->BodyOfSlot(i));
    }
    made->newest.store(from.generation() << Ring::kSlotBits | (n - 1), std::memory_order_relaxed);
    made->keys_in_newest.store(from.keys_in_newest.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  made->keys_per_generation = from.keys_per_generation;
  made->rotation = from.rotation;
  Bind(made, from.key_hash);
  key_kinds_ = other.key_kinds();
  return Status();
}

}  // namespace linefilter
