// Snapshots of a RotatingFilter, and filters of snapshots: layout `container`, its stages the live generations, and
// the growth field of kind 2 (doc/FORMAT.md).
#include <cstring>

#include "lib/bits/endian.h"
#include "lib/filters/container_writer.h"
#include "lib/filters/image_writer.h"
#include "lib/filters/memory.h"
#include "lib/filters/options.h"
#include "lib/filters/save.h"
#include "lib/filters/secret.h"
#include "linefilter/rotating.h"
#include "linefilter/view.h"

namespace linefilter {
namespace {

static_assert(kMaxGenerations <= internal::kMaxStages, "an image holds all generations");

constexpr uint8_t kRotatingGrowth = 2;
constexpr size_t kGrowthBytes = 32;
constexpr uint64_t kMaxGeneration = uint64_t{1} << 48;  // of an image: far from the end of the number

// What goes on behind the bodies.
struct Growth {
  uint8_t rotation;
  uint64_t keys_per_generation, generation, keys_in_newest;
};

void StoreGrowth(const Growth& growth, uint8_t* to) {
  memset(to, 0, kGrowthBytes);
  to[0] = kRotatingGrowth;
  to[1] = growth.rotation;
  internal::StoreLE64(growth.keys_per_generation, to + 8);
  internal::StoreLE64(growth.generation, to + 16);
  internal::StoreLE64(growth.keys_in_newest, to + 24);
}

Growth LoadGrowth(const uint8_t* from) {
  return {from[1], internal::LoadLE64(from + 8), internal::LoadLE64(from + 16), internal::LoadLE64(from + 24)};
}

// Are these the generations of a rotating filter, all alike?
bool IsRotating(const FilterView& view, const uint8_t* growth, size_t growth_bytes) {
  if (growth == nullptr || growth_bytes != kGrowthBytes || growth[0] != kRotatingGrowth) return false;
  constexpr uint8_t kZeros[6] = {};
  if (memcmp(growth + 2, kZeros, sizeof(kZeros)) != 0) return false;
  const Growth read = LoadGrowth(growth);
  if (read.rotation > static_cast<uint8_t>(Rotation::kByCount) || read.keys_per_generation == 0) return false;
  if (read.generation >= kMaxGeneration) return false;
  if (view.num_stages() < kMinGenerations || view.num_stages() > kMaxGenerations) return false;
  const StageInfo first = view.stage(0);
  for (uint32_t i = 0; i < view.num_stages(); ++i) {
    const StageInfo stage = view.stage(i);
    if (stage.layout != Layout::kBlocked || stage.num_blocks != first.num_blocks ||
        stage.num_probes != first.num_probes) {
      return false;
    }
  }
  return true;
}

}  // namespace

// Under the mutex, so that no generation goes.
struct RotatingFilter::Snapshot {
  internal::ContainerStage stages[kMaxGenerations];
  uint8_t growth[kGrowthBytes];
  internal::Container container;

  explicit Snapshot(const RotatingFilter& filter) {
    const uint32_t n = filter.num_generations_;
    for (uint32_t i = 0; i < n; ++i) {
      stages[i] = {filter.BodyOfAge(n - 1 - i), filter.generation_bytes_ / 64, 0, filter.num_probes_};
    }
    StoreGrowth({static_cast<uint8_t>(filter.rotation_), filter.keys_per_generation_, filter.generation(),
                 filter.keys_in_newest_.load(std::memory_order_relaxed)},
                growth);
    container.stages = stages;
    container.num_stages = n;
    container.hash_id = filter.hash_id_;
    container.seed = filter.seed_;
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
  Release();
  const Status secret = internal::CheckSecret(options);
  if (!secret.ok()) return secret;
  const FilterView view(image, size, internal::SecretOf(options));
  const Status verified = view.Verify();
  if (!verified.ok()) return verified;
  size_t growth_bytes = 0;
  const uint8_t* const growth = internal::FindGrowth(image, size, &growth_bytes);
  if (!IsRotating(view, growth, growth_bytes)) {
    return Status::Error(StatusCode::kIncompatible,
                         "the image (layout %s) is not of a rotating filter, so none can be made of it: "
                         "FilterView asks it",
                         LayoutName(view.layout()));
  }
  const uint32_t n = view.num_stages();
  const StageInfo first = view.stage(0);
  const Status allocated = Allocate(n, 64 * first.num_blocks, first.num_probes, options);
  if (!allocated.ok()) return allocated;
  for (uint32_t i = 0; i < n; ++i) {
    memcpy(BodyOfSlot(i), view.stage(i).body, static_cast<size_t>(generation_bytes_));
  }
  const Growth read = LoadGrowth(growth);
  newest_.store(read.generation << kSlotBits | (n - 1), std::memory_order_relaxed);
  keys_in_newest_.store(read.keys_in_newest, std::memory_order_relaxed);
  keys_per_generation_ = read.keys_per_generation;
  rotation_ = static_cast<Rotation>(read.rotation);
  seed_ = view.seed();
  secret_ = view.secret();
  hash_id_ = view.hash_id();
  return Status();
}

}  // namespace linefilter
