// This makes the shape of a generation from a request (keys, rate or density), or that of an image.
#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/adapters/redis/calls/filter_state.h"
#include "linefilter/builder.h"
#include "linefilter/remote_body.h"
#include "linefilter/scalable.h"
#include "linefilter/sizing.h"
#include "linefilter/view.h"

namespace linefilter::redis_internal {
namespace {

// A stage may have this part more blocks than it needs, for fewer probes: a server sets each bit in 0.19 us. A tenth
// makes them 5 in place of 8 (at 0.3 %), 7 in place of 10 (at 0.03 %).
constexpr uint64_t kMoreBlocks = 10;

// A first stage for fewer keys is full before those who fill it know of each other. This one has 7 KB at 1 %.
constexpr uint64_t kLeastFirstKeys = 4096;

// Stages are made within insertions, shard by shard, so these are smaller.
constexpr uint64_t kMostShardBytesOfStage = (uint64_t{1} << 24) - 64;

// The bytes of an empty set, as BodyOf has them.
constexpr uint64_t kLeastBytesOfBits = 8;

Status CompletePlan(const FilterRecord& record, const RedisLayout& layout, Generation planned, Generation* generation) {
  Status status = NewGenerationId(&planned.id);
  if (!planned.stages.empty()) planned.shard_bytes = RoundUpToBlocks(layout.shard_bytes);
  for (Stage& stage : planned.stages) {
    if (status.ok()) status = PlanStage(record, layout, &stage);
  }
  if (status.ok() && planned.stages.empty()) {
    const auto num_masters = static_cast<uint32_t>(record.router().num_masters());
    status = ChooseShardBytes(planned.layout, planned.body_bytes, layout, num_masters, &planned.shard_bytes);
  }
  if (status.ok()) status = CheckGeneration(record.name(), planned);
  if (status.ok()) *generation = std::move(planned);
  return status;
}

// One stage, and how it goes on.
Status PlanGrowing(const FilterRecord& record, uint64_t first_capacity, const FilterOptions& options,
                   const RedisLayout& layout, Generation* generation) {
  BodyFacts facts;
  const Status status = FactsOfGrowing(std::max(first_capacity, kLeastFirstKeys), options, {layout.max_growth}, &facts);
  if (!status.ok()) return status;
  Generation planned;
  planned.layout = facts.layout;
  planned.newest_ones = facts.newest_ones;
  planned.growth.assign(reinterpret_cast<const char*>(facts.growth), facts.growth_bytes);
  planned.stages.resize(1);
  TakeLastStage(facts, &planned.stages[0]);
  planned.body_bytes = planned.block_bytes() * planned.stages[0].num_blocks;
  return CompletePlan(record, layout, std::move(planned), generation);
}

}  // namespace

void TakeLastStage(const BodyFacts& facts, Stage* stage) {
  const BodyStage& best = facts.stages[facts.num_stages - 1];
  const uint64_t capacity = CapacityOfStage(facts, facts.num_stages - 1);
  const uint64_t block_bytes = FactsOf(facts.layout).block_bytes;
  const double fpr = ExpectedFpr(Layout::kBlocked, capacity, best.num_blocks * block_bytes, best.num_probes);
  uint64_t least = best.num_blocks, most = best.num_blocks + best.num_blocks / kMoreBlocks;
  const auto holds = [&](uint64_t num_blocks, uint32_t num_probes) {
    return MaxKeysForFpr(Layout::kBlocked, num_blocks * block_bytes, fpr, num_probes) >= capacity;
  };
  stage->num_probes = 1;
  while (stage->num_probes < best.num_probes && !holds(most, stage->num_probes)) ++stage->num_probes;
  if (stage->num_probes == best.num_probes) most = least;
  while (least < most) {
    const uint64_t middle = least + (most - least) / 2;
    if (holds(middle, stage->num_probes)) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  stage->num_blocks = least;
}

Status PlanStage(const FilterRecord& record, const RedisLayout& layout, Stage* stage) {
  const auto num_masters = static_cast<uint32_t>(record.router().num_masters());
  const uint64_t bytes = stage->num_blocks * FactsOf(Layout::kContainer).block_bytes;
  const Status status = ChooseShardBytes(Layout::kContainer, bytes, layout, num_masters, &stage->shard_bytes);
  if (layout.shard_bytes == 0) stage->shard_bytes = std::min(stage->shard_bytes, kMostShardBytesOfStage);
  return status.ok() ? NewGenerationId(&stage->id) : status;
}

Status PlanGeneration(const FilterRecord& record, uint64_t num_keys, const FilterOptions& options,
                      const RedisLayout& layout, Generation* generation) {
  if (!layout.grows && layout.max_growth != 0) {
    return Status::Error(StatusCode::kInvalidArgument, "max_growth is of a filter that grows: set grows, too");
  }
  if (layout.grows) return PlanGrowing(record, num_keys, options, layout, generation);
  FilterOptions request = options;
  if (request.layout == Layout::kAuto) request.layout = request.removable ? Layout::kQuotient : Layout::kBlocked;
  const LayoutFacts facts = FactsOf(request.layout);
  if (facts.buildable ? !facts.takes_keys : facts.has_stages) {
    return Status::Error(StatusCode::kIncompatible,
                         "a %s filter cannot be made empty and filled in Redis: build its image here, and bring that",
                         LayoutName(request.layout));
  }
  request.allocator = Allocator();
  request.memory_limit = kNoMemoryLimit;
  request.executor = Executor();
  const FilterBuilder checked(request);  // the rules of FilterOptions, and their sentences
  if (!checked.status().ok()) return checked.status();
  Sizing sizing;
  num_keys = std::max<uint64_t>(num_keys, 1);
  request.rounded = false;  // which Redis does not look at (linefilter/options.h)
  Status status = SizeForOptions(num_keys, request, &sizing);
  if (!status.ok()) return status;
  Generation planned;
  planned.layout = request.layout;
  planned.num_probes = sizing.num_probes;
  planned.body_bytes = sizing.body_bytes;
  planned.num_keys = num_keys;
  return CompletePlan(record, layout, std::move(planned), generation);
}

Status PlanGeneration(const FilterRecord& record, const FilterView& view, const RedisLayout& layout,
                      Generation* generation) {
  Generation planned;
  planned.layout = view.layout();
  planned.num_probes = view.num_probes();
  planned.body_bytes = view.body_bytes();
  planned.num_keys = view.num_keys();
  if (view.empty_set()) {
    if (FactsOf(view.layout()).has_stages) {
      return Status::Error(StatusCode::kIncompatible,
                           "the image is a container without a stage, so Redis would have no block for it: make an "
                           "empty filter by its capacity");
    }
    planned.body_bytes = planned.block_bytes() != 0 ? planned.block_bytes() : kLeastBytesOfBits;
  }
  uint64_t most_keys = 0;
  for (uint32_t i = 0; i < view.num_stages(); ++i) {
    const StageInfo info = view.stage(i);
    most_keys += 8 * planned.block_bytes() * info.num_blocks;
    Stage stage;
    stage.num_blocks = info.num_blocks;
    stage.num_keys = info.num_keys;
    stage.num_probes = info.num_probes;
    planned.stages.push_back(stage);
  }
  if (view.num_stages() != 0) {
    // Others may have written any number behind the stages. Nobody counted more keys than there are bits.
    planned.num_keys = std::min(planned.num_keys, most_keys);
    const StageInfo newest = view.stage(view.num_stages() - 1);
    const double bits = 512.0 * static_cast<double>(newest.num_blocks);
    planned.newest_ones = static_cast<uint64_t>(std::llround(newest.FillRatio() * bits));  // exactly: below 2^53
  }
  if (view.growth_bytes() > kMaxBodyGrowthBytes) {
    return Status::Error(StatusCode::kUnsupported,
                         "the image tells in %zu bytes how it goes on, of which Redis keeps %zu at most: it was not "
                         "written by linefilter",
                         view.growth_bytes(), kMaxBodyGrowthBytes);
  }
  if (view.growth_bytes() != 0) {
    planned.growth.assign(reinterpret_cast<const char*>(view.growth()), view.growth_bytes());
  }
  return CompletePlan(record, layout, std::move(planned), generation);
}

}  // namespace linefilter::redis_internal
