#include "lib/filters/growth_plan.h"

namespace linefilter::internal {
namespace {

constexpr double kHead = 0.3;  // the share of each of the first two stages
constexpr double kTail = 0.4;  // the share of all others together

}  // namespace

// n stages hold 2^n - 1 times the first, so n is the number of bits of max_growth.
uint32_t NumPlannedStages(const GrowthPlan& plan) {
  if (plan.max_growth == 0) return kMaxPlannedStages;
  uint32_t bits = 0;
  for (uint64_t growth = plan.max_growth; growth != 0; growth >>= 1) ++bits;
  return bits;
}

double FprOfStage(const GrowthPlan& plan, uint32_t index) {
  const uint32_t stages = NumPlannedStages(plan);
  if (stages <= 2) return plan.fpr / stages;
  if (index < 2) return plan.fpr * kHead;
  if (plan.max_growth != 0) return plan.fpr * kTail / (stages - 2);
  return plan.fpr * (10 * kTail / ((index + 8.0) * (index + 9.0)));  // 1/10 = 1 / (10 * 11) + 1 / (11 * 12) + ...
}

Status SizeOfStage(const GrowthPlan& plan, uint32_t index, Sizing* sizing) {
  return SizeForFpr(Layout::kBlocked, CapacityOfStage(plan, index), FprOfStage(plan, index), sizing);
}

}  // namespace linefilter::internal
