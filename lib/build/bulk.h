// Bulk building makes a body range by range, each finished while it sits in the L2, instead of key by key all over it.
#ifndef LINEFILTER_LIB_BUILD_BULK_H_
#define LINEFILTER_LIB_BUILD_BULK_H_

#include <cstddef>
#include <cstdint>

#include "lib/build/partition.h"
#include "lib/layouts/layout_maker.h"
#include "lib/layouts/layout_record.h"
#include "linefilter/executor.h"
#include "linefilter/memory.h"
#include "linefilter/sizing.h"
#include "linefilter/status.h"

namespace linefilter::internal {

struct WorkArea;  // linefilter/builder.h

// This says where bulk building begins to pay. It is one object, so that tests can reach it with small sets.
struct BulkTuning {
  // A mutable layout is made in bulk from this size of the body on; by more than a few threads from a quarter of it.
  // Below, the last-level cache helps insertion. To insert borrowed hashes takes, with 32 MB of L3 on Zen 5, 2.0 ns per
  // key at 12 MB, 4.5 at 25 MB, 6.3 at 50 MB; in bulk it takes 3.1 at each.
  uint64_t min_body_bytes = uint64_t{16} << 20;
  // A few threads insert at once from this size on, which takes about a millisecond.
  uint64_t min_shared_bytes = uint64_t{1} << 20;
  uint64_t range_blocks = 0;  // 0 = the layout's
  // A layout that takes keys sorts half of a borrowed array at once, or at least so many hashes: 32 MiB.
  uint64_t fewest_of_piece = uint64_t{1} << 22;
};
const BulkTuning& Tuning();
void SetTuningForTests(const BulkTuning& tuning);

enum class BulkWay : uint8_t {
  kInsert,    // key by key
  kOneRange,  // the body is a single range: nothing is partitioned
  kRanges,
};

// The memory that is held already, and the most that may be held.
struct MemoryBudget {
  uint64_t held = 0, limit = 0;
  uint64_t left() const { return limit > held ? limit - held : 0; }
};

struct BulkPlan {
  BulkWay way = BulkWay::kInsert;
  PartitionShape shape;    // of kRanges; num_chunks always
  MemoryBudget budget;     // `held`: the hashes and the image
  uint64_t memory = 0;     // beside them, of uniformly distributed hashes
  uint64_t scratch = 0;    // the part of `memory` for all workers of BuildRanges
  size_t num_workers = 1;  // these insert or make ranges; shape.num_workers partition
};

// Plans how to make that body of num_hashes hashes in those chunks. A mutable layout gets a way that keeps the budget;
// for another, plan.memory may be more than is left.
BulkPlan PlanBulk(const LayoutMaker& maker, const Sizing& sizing, uint64_t num_hashes, const ChunkTotals& chunks,
                  const Executor& executor, const MemoryBudget& budget);

// How many of so many borrowed hashes, which cannot be sorted in place, are sorted at once.
uint64_t PieceHashes(const LayoutMaker& maker, uint64_t num_hashes);

// The layout's range_blocks, doubled until there are at most 8192 ranges.
uint64_t RangeBlocksFor(const LayoutMaker& maker, uint64_t num_blocks);
inline uint64_t NumRanges(uint64_t num_blocks, uint64_t range_blocks) {
  return (num_blocks + range_blocks - 1) / range_blocks;
}

// How many workers make ranges at once, if there is memory: few enough that what each of them takes is worth it.
size_t NumWorkers(const LayoutMaker& maker, uint64_t num_hashes, uint64_t num_blocks, const Executor& executor);

// Each worker of BuildRanges allocates so much: the layout's scratch for its largest range, and the list of its pages.
uint64_t RangeWorkerBytes(const LayoutMaker& maker, uint64_t num_blocks, uint64_t num_hashes, uint64_t num_spans);

// Binds a body of that size (it may be null for build_range, which does not read it).
inline ProbeState StateOf(const Sizing& sizing, HashId hash_id, uint8_t* body) {
  ProbeState state;
  BindBody(*FindLayout(sizing.layout), {body, sizing.body_bytes, sizing.num_probes, hash_id}, &state);
  return state;
}

// Inserts into a whole body, of a layout that takes keys. Nobody asks whether a key is new: 1.0 instead of 1.5 ns in
// `blocked`, 3 ns less in `classic`.
inline void InsertHashes(const LayoutMaker& maker, const ProbeState& state, uint8_t* body, const uint64_t* hashes,
                         uint64_t n, const Arrivals& arrivals = {}) {
  const HashSpan span{hashes, n};
  maker.build_range(state, {0, state.num_units, body, &span, 1, n, arrivals}, nullptr);
}

// BuildRanges needs this of its surroundings.
struct BulkContext {
  const LayoutMaker& maker;
  const Allocator& allocator;
  const Executor& executor;
  size_t num_workers;
  uint64_t planned_scratch;  // for all of them; where hashes pile up in one range fewer work, rather than take more
  MemoryBudget budget;
};

// Builds the partitioned ranges, at `blocks` (their first block). is_zero tells what is there. More scratch than was
// planned is taken only for one worker that needs it.
Status BuildRanges(const BulkContext& context, const Partition& partition, const ProbeState& state, uint8_t* blocks,
                   bool is_zero);
// Builds the body as one range of these spans, in the work area, which is made larger if need be.
Status BuildOneRange(const LayoutMaker& maker, const Allocator& allocator, const ProbeState& state, uint8_t* blocks,
                     const HashSpan* spans, uint64_t num_spans, uint64_t num_hashes, WorkArea* area);
void FreeWorkArea(const Allocator& allocator, WorkArea* area);

}  // namespace linefilter::internal

#endif  // LINEFILTER_LIB_BUILD_BULK_H_
