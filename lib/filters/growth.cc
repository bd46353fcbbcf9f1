#include "lib/filters/growth.h"

#include <cstring>

#include "lib/base/endian.h"
#include "linefilter/rotating.h"

namespace linefilter::internal {

static_assert(sizeof(double) == 8, "the bound is stored as an IEEE 754 binary64");

void StoreGrowth(const GrowthPlan& plan, uint8_t* out) {
  uint64_t fpr = 0;
  memcpy(&fpr, &plan.fpr, sizeof(fpr));
  memset(out, 0, 8);
  out[0] = kScalableGrowth;
  StoreLE64(plan.first_capacity, out + 8);
  StoreLE64(plan.max_growth, out + 16);
  StoreLE64(fpr, out + 24);
}

bool LoadGrowth(const uint8_t* bytes, uint64_t size, GrowthPlan* plan) {
  if (bytes == nullptr || size != kScalableGrowthBytes || bytes[0] != kScalableGrowth) return false;
  for (int i = 1; i < 8; ++i) {
    if (bytes[i] != 0) return false;
  }
  plan->first_capacity = LoadLE64(bytes + 8);
  plan->max_growth = LoadLE64(bytes + 16);
  const uint64_t fpr = LoadLE64(bytes + 24);
  memcpy(&plan->fpr, &fpr, sizeof(fpr));
  return plan->first_capacity != 0 && plan->fpr > 0 && plan->fpr < 1;
}

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

}  // namespace linefilter::internal
