// This makes snapshots of a RotatingFilter, and filters of snapshots. They have layout `container`, whose stages are
// the live generations, and the growth field of kind 2 (doc/FORMAT.md).
#include <cstring>

#include "lib/base/endian.h"
#include "lib/base/memory.h"
#include "lib/filters/growth.h"
#include "lib/filters/secret.h"
#include "lib/image/container_writer.h"
#include "lib/image/image_writer.h"
#include "lib/image/save.h"
#include "lib/layouts/options.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"

namespace linefilter {

using internal::RotatingGrowth;

namespace internal {

void StoreRotatingGrowth(const RotatingGrowth& growth, uint8_t* to) {
  memset(to, 0, kRotatingGrowthBytes);
  to[0] = kRotatingGrowth;
  to[1] = growth.rotation;
  StoreLE64(growth.keys_per_generation, to + 8);
  StoreLE64(growth.generation, to + 16);
  StoreLE64(growth.keys_in_newest, to + 24);
}

bool LoadRotatingGrowth(const uint8_t* bytes, uint64_t size, RotatingGrowth* growth) {
  if (bytes == nullptr || size != kRotatingGrowthBytes || bytes[0] != kRotatingGrowth) return false;
  constexpr uint8_t kZeros[6] = {};
  if (memcmp(bytes + 2, kZeros, sizeof(kZeros)) != 0) return false;
  *growth = {bytes[1], LoadLE64(bytes + 8), LoadLE64(bytes + 16), LoadLE64(bytes + 24)};
  return growth->rotation <= static_cast<uint8_t>(Rotation::kByCount) && growth->keys_per_generation != 0 &&
         growth->generation <= kLastGeneration;
}

}  // namespace internal

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

}  // namespace

// A snapshot is under the mutex, so that no generation goes.
struct RotatingFilter::Snapshot {
  internal::ContainerStage stages[kMaxGenerations];
  uint8_t growth[internal::kRotatingGrowthBytes];
  internal::Container container;

  explicit Snapshot(const RotatingFilter& filter) {
    const uint32_t n = filter.num_generations_;
    const uint64_t num_blocks = filter.generation_bytes_ / 64;
    for (uint32_t i = 0; i < n; ++i) stages[i] = {filter.BodyOfAge(n - 1 - i), num_blocks, 0, filter.num_probes_};
    // The count is higher if threads counted keys behind a rotation that they had inserted before it.
    const uint64_t keys = filter.keys_in_newest_.load(std::memory_order_relaxed);
    const uint64_t most = internal::kMostKeysOfBlock * num_blocks;
    internal::StoreRotatingGrowth({static_cast<uint8_t>(filter.rotation_), filter.keys_per_generation_,
                                   filter.generation(), keys < most ? keys : most},
                                  growth);
    container.stages = stages;
    container.num_stages = n;
    container.hash_id = filter.hash_id();
    container.seed = filter.seed();
    container.growth = growth;
    container.growth_bytes = sizeof(growth);
    container.is_shared = true;
    container.allocator = filter.allocator_;
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
};

uint64_t RotatingFilter::ImageBytes() const noexcept {
  return layout_ == Layout::kAuto ? 0 : internal::ContainerBytes(Snapshot(*this).container);
}

Status RotatingFilter::WriteImage(const Sink& sink) const noexcept {
  if (layout_ == Layout::kAuto) return internal::NotCreated();
  const std::lock_guard<std::mutex> lock(mutex_);
  return internal::WriteContainer(Snapshot(*this).container, sink);
}

Status RotatingFilter::WriteImageTo(void* out, size_t size) const noexcept {
  if (layout_ == Layout::kAuto) return internal::NotCreated();
  const std::lock_guard<std::mutex> lock(mutex_);
  return internal::WriteContainerTo(Snapshot(*this).container, out, size);
}

Status RotatingFilter::Save(const char* path) const noexcept { return internal::SaveImageOf(*this, path); }

Status RotatingFilter::CreateFromImage(const void* image, size_t size, const FilterOptions& options) noexcept {
  const Status secret = internal::CheckSecret(options);
  if (!secret.ok()) return secret;
  const FilterView view(image, size, internal::SecretOf(options));
  const Status verified = view.Verify();
  if (!verified.ok()) return verified;
  RotatingGrowth read;
  if (!IsRotating(view, &read)) {
    return Status::Error(StatusCode::kIncompatible,
                         "the image (layout %s) is not of a rotating filter, so none can be made of it: "
                         "FilterView asks it",
                         LayoutName(view.layout()));
  }
  const uint32_t n = view.num_stages();
  const StageInfo first = view.stage(0);
  RotatingFilter made;
  const Status allocated = made.Allocate(n, 64 * first.num_blocks, first.num_probes, options);
  if (!allocated.ok()) return allocated;
  for (uint32_t i = 0; i < n; ++i) {
    memcpy(made.BodyOfSlot(i), view.stage(i).body, static_cast<size_t>(made.generation_bytes_));
  }
  made.newest_.store(read.generation << kSlotBits | (n - 1), std::memory_order_relaxed);
  made.keys_in_newest_.store(read.keys_in_newest, std::memory_order_relaxed);
  made.keys_per_generation_ = read.keys_per_generation;
  made.rotation_ = static_cast<Rotation>(read.rotation);
  made.key_hash_ = view.key_hash();
  Adopt(&made);
  return Status();
}

}  // namespace linefilter
