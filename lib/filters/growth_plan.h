// A growing filter splits what it may spend over stages: its bound on the false-positive rate and its keys.
//
// Stage i holds first_capacity * 2^i keys. A question is "maybe" if one stage says so, so the rates of the stages add
// up (1 - prod(1 - p_i) <= sum p_i). Shares that sum to at most 1 keep the bound at every moment, however far it grows.
//
// The worst moment for memory decides the shares. It is just after a stage was opened, with (2^i - 1) first_capacity
// keys in room for twice as many. That is 3 / 1 at i = 1, 7 / 3 at i = 2, 2 in the end. So the first two stages must be
// cheap per key, and get 3/10 each. The others share the rest, evenly if it is known how many there are, else 4 / ((i +
// 8) (i + 9)) each, which sums to the rest however many come. doc/DESIGN.md ("Growing") has the figures. Rejected: even
// shares (4.05, 4.26, 4.70 times one filter at 1e-4, 1e-3, 1e-2 at the worst moment), shares that grow with the stages
// (smallest when full, 7 times at i = 1), 1 / (i + 1) (i + 2) alone (full: 2.16 times at 1e-2).
#ifndef LINEFILTER_LIB_FILTERS_GROWTH_PLAN_H_
#define LINEFILTER_LIB_FILTERS_GROWTH_PLAN_H_

#include <cstdint>

#include "linefilter/options.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

struct GrowthPlan {
  double fpr = 0;               // the bound for all stages together
  uint64_t first_capacity = 1;  // keys, at least 1
  uint64_t max_growth = 0;      // 0: unlimited; else room for at least so many times first_capacity
};

// An image can have as many (doc/FORMAT.md, container).
inline constexpr uint32_t kMaxPlannedStages = 64;

// An unlimited plan must be able to have so many: a millionfold. (A share below about 1.5e-8 is too fine for `blocked`:
// such a plan ends where one is.)
inline constexpr uint32_t kLeastStages = 20;

// How many stages the plan takes at most: kMaxPlannedStages if growth is unlimited.
uint32_t NumPlannedStages(const GrowthPlan& plan);
// The rate that stage `index` may have, a share of the bound.
double FprOfStage(const GrowthPlan& plan, uint32_t index);
// The keys of stage `index`; at most 2^64 - 1.
inline uint64_t CapacityOfStage(const GrowthPlan& plan, uint32_t index) {
  return index >= 64 || plan.first_capacity > UINT64_MAX >> index ? UINT64_MAX : plan.first_capacity << index;
}
// Those of the first num_stages stages together.
inline uint64_t CapacityOfStages(const GrowthPlan& plan, uint32_t num_stages) {
  const uint64_t next = CapacityOfStage(plan, num_stages);
  return next == UINT64_MAX ? next : next - plan.first_capacity;  // f (2^n - 1)
}
// Whether a filter may be asked for so: its options, and the shares of all stages within max_growth, for a bound that
// the last one cannot keep is no bound. Without max_growth kLeastStages are looked at.
Status CheckGrowth(const GrowthPlan& plan, const FilterOptions& options);
// Sizes the smallest `blocked` filter for both, like SizeForFpr. It is kOverLimit behind the last stage. (A stage is
// full by certainly new keys, a little more than as many random keys. All the same, at 0.3, 0.1, 0.01 the mean rate is
// 0.934, 0.980, 0.995 of the bound.)
Status SizeOfStage(const GrowthPlan& plan, uint32_t index, Sizing* sizing);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_GROWTH_PLAN_H_
