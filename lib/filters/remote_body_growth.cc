// A body that lies elsewhere grows by the plan of a ScalableFilter, which its field growth tells.
#include "lib/filters/growth.h"
#include "linefilter/options.h"
#include "linefilter/remote_body.h"
#include "linefilter/scalable.h"

namespace linefilter {
namespace {

// It is false if the body does not grow.
bool PlanOf(const BodyFacts& facts, internal::GrowthPlan* plan) {
  return FactsOf(facts.layout).has_stages && facts.growth_bytes <= kMaxBodyGrowthBytes &&
         internal::LoadGrowth(facts.growth, facts.growth_bytes, plan);
}

Status AddStage(const internal::GrowthPlan& plan, BodyFacts* facts) {
  Sizing sizing;
  const Status status = internal::SizeOfStage(plan, facts->num_stages, &sizing);
  if (!status.ok()) return status;
  BodyStage& stage = facts->stages[facts->num_stages++];
  stage = BodyStage();
  stage.num_blocks = sizing.body_bytes / FactsOf(facts->layout).block_bytes;
  stage.num_probes = sizing.num_probes;
  facts->body_bytes += sizing.body_bytes;
  facts->newest_ones = 0;
  return status;
}

}  // namespace

Status FactsOfGrowing(uint64_t first_capacity, const FilterOptions& options, const GrowthOptions& growth,
                      BodyFacts* facts) noexcept {
  internal::GrowthPlan plan;
  plan.fpr = options.fpr;
  plan.first_capacity = first_capacity == 0 ? 1 : first_capacity;
  plan.max_growth = growth.max_growth;
  Status status = internal::CheckGrowth(plan, options);
  if (!status.ok()) return status;
  BodyFacts made;
  made.layout = Layout::kContainer;
  made.hash_id = options.key_hash().id;
  made.seed = options.key_hash().seed;
  made.key_kind = options.key_kind;
  made.has_num_keys = true;
  made.growth_bytes = internal::kScalableGrowthBytes;
  internal::StoreGrowth(plan, made.growth);
  status = AddStage(plan, &made);
  if (status.ok()) *facts = made;
  return status;
}

uint64_t CapacityOfStage(const BodyFacts& facts, uint32_t index) noexcept {
  internal::GrowthPlan plan;
  return index < facts.num_stages && PlanOf(facts, &plan) ? internal::CapacityOfStage(plan, index) : 0;
}

Status AddStage(BodyFacts* facts) noexcept {
  internal::GrowthPlan plan;
  const Status status = CheckBody(*facts);
  if (!status.ok()) return status;
  if (PlanOf(*facts, &plan)) return AddStage(plan, facts);
  return Status::Error(StatusCode::kIncompatible,
                       "a %s body without the growth of a ScalableFilter takes no further stage: make one that grows",
                       LayoutName(facts->layout));
}

}  // namespace linefilter
