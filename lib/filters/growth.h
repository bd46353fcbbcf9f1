// A ScalableFilter keeps this beside its bodies. The field growth tells how it and a RotatingFilter stand in an image.
#ifndef LINEFILTER_LIB_FILTERS_GROWTH_H_
#define LINEFILTER_LIB_FILTERS_GROWTH_H_

#include <cstdint>

#include "lib/filters/growth_plan.h"
#include "lib/layouts/layout_changes.h"
#include "lib/layouts/stages.h"
#include "linefilter/filter_base.h"
#include "linefilter/memory.h"
#include "linefilter/status.h"

namespace linefilter::internal {

struct Growth {
  GrowthPlan plan;
  Allocator allocator;
  uint64_t memory_limit = kNoMemoryLimit;
  uint64_t body_bytes = 0;  // of all stages
  uint64_t num_keys = 0;    // of all stages
  // The newest stage takes so many keys without a question, counted and uncounted ones.
  uint64_t full_at = 0;
  uint64_t uncounted = 0;  // new keys of the newest stage for which it has no bit left
  Status status;
  ProbeState newest;  // the newest stage as a filter of its own, and how it is changed
  const Changes* changes_of_newest = nullptr;
  Kernels kernels;  // those that ask all stages, and tell how many keys more there is room for
  uint32_t num_stages = 0;
  Stage stages[kMaxPlannedStages] = {};
  uint64_t keys_of[kMaxPlannedStages] = {};
};

static_assert(kMaxPlannedStages == kMaxStages, "a plan is for what an image can hold");

// The extension "growth" of kind 1 is that of a ScalableFilter (doc/FORMAT.md).
inline constexpr uint8_t kScalableGrowth = 1;
inline constexpr uint64_t kScalableGrowthBytes = 32;
void StoreGrowth(const GrowthPlan& plan, uint8_t* out);
// It is false if these bytes are no plan.
bool LoadGrowth(const uint8_t* bytes, uint64_t size, GrowthPlan* plan);

// The extension "growth" of kind 2 tells how a RotatingFilter goes on.
struct RotatingGrowth {
  uint8_t rotation = 0;  // a Rotation
  uint64_t keys_per_generation = 0, generation = 0, keys_in_newest = 0;
};
inline constexpr uint8_t kRotatingGrowth = 2;
inline constexpr uint64_t kRotatingGrowthBytes = 32;
void StoreRotatingGrowth(const RotatingGrowth& growth, uint8_t* to);
// It is false if these bytes are none, or a number is out of its range. (The stages tell that of keys_in_newest.)
bool LoadRotatingGrowth(const uint8_t* bytes, uint64_t size, RotatingGrowth* growth);

// The keys that all generations of a rotating filter are made for, at most 2^64 - 1.
inline uint64_t CapacityOfGenerations(uint64_t keys_per_generation, uint32_t num_generations) {
  return keys_per_generation > UINT64_MAX / num_generations ? UINT64_MAX : keys_per_generation * num_generations;
}

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_GROWTH_H_
