#include "lib/filters/growth_plan.h"

#include "lib/layouts/options.h"

namespace linefilter::internal {
namespace {

constexpr double kHead = 0.3;  // the share of each of the first two stages
constexpr double kTail = 0.4;  // the share of all others together

Status Invalid(const char* what) { return Status::Error(StatusCode::kInvalidArgument, "%s", what); }

Status CheckRequest(const FilterOptions& options) {
  const Status layout = CheckLayoutIsBlocked(options, "the stages of a growing filter have");
  if (!layout.ok()) return layout;
  if (options.bits_per_key != 0 || options.num_probes != 0) {
    return Invalid("a growing filter is sized by its bound: set fpr, leave bits_per_key and num_probes 0");
  }
  if (options.foldable || options.rounded) {
    return Invalid(
        "a growing filter cannot be folded, its stages have sizes of their own: leave out foldable and rounded");
  }
  if (options.fpr == 0) return Invalid("fpr is not set: it is the bound that a growing filter keeps (0.01 is 1 %)");
  return CheckOptions(Layout::kBlocked, options);
}

// This is said of a stage whose share is finer than `blocked` can be.
Status TooFine(const GrowthPlan& plan, uint32_t index, const Status& status) {
  if (plan.max_growth == 0) {
    return Status::Error(status.code(),
                         "without max_growth an fpr of %g is too fine from stage %u on: set max_growth, or a higher "
                         "fpr: %s",
                         plan.fpr, index + 1, status.message());
  }
  return Status::Error(status.code(),
                       "of an fpr of %g stage %u of %u gets a share that is too fine: set a lower max_growth, or a "
                       "higher fpr: %s",
                       plan.fpr, index + 1, NumPlannedStages(plan), status.message());
}

// With limited growth all stages are looked at beforehand: a bound that the last one cannot keep is no bound. With
// unlimited growth so many are looked at that few will ever see the end.
Status CheckPlan(const GrowthPlan& plan) {
  const uint32_t stages = plan.max_growth == 0 ? kLeastStages : NumPlannedStages(plan);
  for (uint32_t i = 0; i < stages; ++i) {
    Sizing sizing;
    const Status status = SizeForFpr(Layout::kBlocked, 1, FprOfStage(plan, i), &sizing);
    if (!status.ok()) return TooFine(plan, i, status);
  }
  return Status();
}

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

Status CheckGrowth(const GrowthPlan& plan, const FilterOptions& options) {
  const Status status = CheckRequest(options);
  return status.ok() ? CheckPlan(plan) : status;
}

Status SizeOfStage(const GrowthPlan& plan, uint32_t index, Sizing* sizing) {
  if (index >= NumPlannedStages(plan)) {
    if (plan.max_growth == 0) {
      return Status::Error(StatusCode::kOverLimit, "it has %u stages, as many as an image can hold", index);
    }
    return Status::Error(StatusCode::kOverLimit, "it has grown to the end of its max_growth, %llu",
                         static_cast<unsigned long long>(plan.max_growth));
  }
  const double fpr = FprOfStage(plan, index);
  const Status fine = SizeForFpr(Layout::kBlocked, 1, fpr, sizing);
  if (!fine.ok()) return TooFine(plan, index, fine);
  return SizeForFpr(Layout::kBlocked, CapacityOfStage(plan, index), fpr, sizing);
}

}  // namespace linefilter::internal
