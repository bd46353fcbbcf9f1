// This makes the shape of a generation from a request (keys, rate or density).
#include <algorithm>

#include "lib/adapters/redis/calls/filter_state.h"
#include "linefilter/builder.h"
#include "linefilter/sizing.h"

namespace linefilter::redis_internal {
namespace {

// FilterOptions::foldable promises this, for images that are downloaded.
constexpr uint64_t kFoldableBytes = 64 * 64;

Status SizeOf(Layout layout, uint64_t num_keys, const FilterOptions& options, Sizing* sizing) {
  const bool by_rate = options.fpr != 0;
  Status status = by_rate ? SizeForFpr(layout, num_keys, options.fpr, sizing)
                          : SizeForBitsPerKey(layout, num_keys, options.bits_per_key, sizing);
  if (!status.ok()) return status;
  if (options.num_probes != 0) sizing->num_probes = options.num_probes;
  if (!options.foldable) return status;
  if (options.num_probes == 0) {
    sizing->num_probes =
        NumProbesForBitsPerKey(layout, by_rate ? BitsPerKeyForFpr(layout, options.fpr) : options.bits_per_key);
  }
  sizing->body_bytes = (sizing->body_bytes + kFoldableBytes - 1) / kFoldableBytes * kFoldableBytes;
  return status;
}

}  // namespace

Status PlanGeneration(const FilterRecord& record, uint64_t num_keys, const FilterOptions& options,
                      const RedisLayout& layout, Generation* generation) {
  FilterOptions request = options;
  if (request.layout == Layout::kAuto) request.layout = Layout::kBlocked;
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
  Status status = SizeOf(request.layout, num_keys, request, &sizing);
  if (!status.ok()) return status;
  Generation planned;
  planned.layout = request.layout;
  planned.num_probes = sizing.num_probes;
  planned.body_bytes = sizing.body_bytes;
  planned.num_keys = num_keys;
  status = ChooseShardBytes(planned.layout, planned.body_bytes, layout,
                            static_cast<uint32_t>(record.session().router.num_masters()), &planned.shard_bytes);
  if (!status.ok()) return status;
  status = NewGenerationId(&planned.id);
  if (!status.ok()) return status;
  status = CheckGeneration(record.name(), planned);
  if (status.ok()) *generation = planned;
  return status;
}

}  // namespace linefilter::redis_internal
