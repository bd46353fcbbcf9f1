// Bulk building: a body made range by range, each finished while it sits in the L2, instead of key by key all over it.
#ifndef LINEFILTER_LIB_FILTERS_BULK_H_
#define LINEFILTER_LIB_FILTERS_BULK_H_

#include <cstddef>
#include <cstdint>

#include "lib/filters/partition.h"
#include "lib/kernels/layout_ops.h"
#include "linefilter/executor.h"
#include "linefilter/memory.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

// Where bulk building begins to pay. One object, so that tests can reach it with small sets.
struct BulkTuning {
  // A mutable layout is made in bulk from this size of the body on; by several threads from a quarter of it. Below, the
  // last-level cache helps insertion. One by one against bulk, ns per key, 32 MB of L3: 3.3 / 4.8 at 8 MB, 4.7 / 4.6 at
  // 16 MB, 7.6 / 4.6 at 32 MB, 10.9 / 5.1 at 256 MB.
  uint64_t min_body_bytes = uint64_t{16} << 20;
  uint64_t range_blocks = 0;  // 0 = the layout's
};
const BulkTuning& Tuning();
void SetTuningForTests(const BulkTuning& tuning);

enum class BulkWay : uint8_t {
  kInsert,    // key by key
  kOneRange,  // the body is a single range: nothing is partitioned
  kRanges,
};

struct BulkPlan {
  BulkWay way = BulkWay::kInsert;
  PartitionShape shape;    // of kRanges; num_chunks always
  uint64_t memory = 0;     // beside the hashes and the body; a layout's scratch as for uniformly distributed hashes
  size_t num_workers = 1;  // that make ranges; shape.num_workers partition
};

// How to make that body of hashes in num_chunks chunks, if `memory_left` is what may be used beside them. A mutable
// layout gets a way that fits; of another plan.memory may be more than memory_left.
BulkPlan PlanBulk(const LayoutOps& ops, const Sizing& sizing, uint64_t num_chunks, const Executor& executor,
                  uint64_t memory_left);

// The layout's range_blocks, doubled until there are at most 8192 ranges.
uint64_t RangeBlocksFor(const LayoutOps& ops, uint64_t num_blocks);

// Tasks that are worth running at once for so many ranges.
size_t NumWorkers(const Executor& executor, uint64_t num_ranges);

// What each worker of BuildRanges allocates: the layout's scratch for its largest range, and the list of its pages.
uint64_t RangeWorkerBytes(const LayoutOps& ops, uint64_t num_blocks, uint64_t num_hashes, uint64_t num_spans);

// Everything that BuildRanges needs of its surroundings.
struct BulkContext {
  const LayoutOps& ops;
  const Allocator& allocator;
  const Executor& executor;
  size_t num_workers;
  uint64_t held, memory_limit;  // what is held already, and with the scratch at most
};

// The partitioned ranges, at `blocks` (their first block). is_zero: what is there.
Status BuildRanges(const BulkContext& context, const Partition& partition, const ProbeState& state, uint8_t* blocks,
                   bool is_zero);
// The body as one range of these spans.
Status BuildOneRange(const LayoutOps& ops, const Allocator& allocator, const ProbeState& state, uint8_t* blocks,
                     const HashSpan* spans, uint64_t num_spans, uint64_t num_hashes);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_FILTERS_BULK_H_
