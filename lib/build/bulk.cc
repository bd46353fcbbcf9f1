#include "lib/build/bulk.h"

#include <cstring>

#include "lib/base/memory.h"
#include "lib/base/parallel.h"
#include "linefilter/builder.h"
#include "linefilter/hash.h"

namespace linefilter::internal {
namespace {

// The lines and cursors of more ranges would not fit the L2, and their pages not the TLB.
constexpr uint64_t kMostRanges = 8192;
constexpr uint64_t kMostWorkers = 256;
// All that work at once, to partition and to make ranges, take at most this part of the hashes' memory: a quarter.
constexpr uint64_t kWorkerShare = 4;
// But up to so many make ranges where each has so many to make: a few MiB, for a build several times faster.
constexpr uint64_t kFewWorkers = 4, kRangesWorthAWorker = 4;
// So many insert at once: each looks at the hashes of all.
constexpr uint64_t kFewInserters = 4;
// A layout that takes keys takes a range in several goes, so it needs no list of all its spans. Where it sorts the
// hashes of a go, all of a range are one, unless its blocks have twice those of 8 bits per key: it merges what comes
// later.
constexpr uint64_t kSpansAtOnce = 64, kHashesOfBlock = 128;
// Such a layout gains from so small a part of BulkTuning::min_body_bytes on: four blocks. (quotient takes 38 ns to
// insert a key in cache, and 9 in bulk.)
constexpr uint64_t kSortingGain = uint64_t{1} << 16;
// A layout that takes keys makes all its ranges of each piece of a borrowed array.
constexpr uint64_t kPieces = 2;

BulkTuning tuning;  // constant-initialized; written by tests alone

uint64_t Least(uint64_t a, uint64_t b) { return a < b ? a : b; }
uint64_t Most(uint64_t a, uint64_t b) { return a > b ? a : b; }

// The fullest of all ranges gets so many of uniformly distributed hashes: the mean and eight standard deviations.
uint64_t LikelyRangeHashes(uint64_t num_hashes, uint64_t range_blocks, uint64_t num_blocks) {
  if (range_blocks >= num_blocks) return num_hashes;
  const uint64_t mean = static_cast<uint64_t>(static_cast<double>(num_hashes) * static_cast<double>(range_blocks) /
                                              static_cast<double>(num_blocks)) +
                        1;
  uint64_t root = 1;
  while (root * root < mean) root *= 2;  // at most twice the root
  return Least(num_hashes, mean + 8 * root + 64);
}

// The spans of a go of a layout that takes keys; pages of several workers may not be full.
uint64_t SpansAtOnce(const LayoutMaker& maker, uint64_t num_blocks) {
  return maker.inserts_ranges() ? kSpansAtOnce : kHashesOfBlock * num_blocks / kPageHashes + kSpansAtOnce;
}

// The solver of an immutable layout counts the hashes of a range in 32 bits.
Status CheckRangeHashes(const LayoutMaker& maker, uint64_t num_hashes) {
  if (maker.takes_keys() || num_hashes <= UINT32_MAX) return Status();
  return Status::Error(StatusCode::kInvalidArgument,
                       "%llu hashes fall into one range of blocks, %s takes 2^32 - 1: drop duplicates, mix poor hashes "
                       "(MixHash), or choose another layout",
                       static_cast<unsigned long long>(num_hashes), LayoutName(maker.sizing.layout));
}

}  // namespace

const BulkTuning& Tuning() { return tuning; }
void SetTuningForTests(const BulkTuning& value) { tuning = value; }

uint64_t RangeWorkerBytes(const LayoutMaker& maker, uint64_t num_blocks, uint64_t num_hashes, uint64_t num_spans) {
  if (maker.inserts_ranges()) return 0;
  if (maker.takes_keys()) {
    num_spans = SpansAtOnce(maker, num_blocks);
    num_hashes = num_spans * kPageHashes;
  }
  const uint64_t scratch = maker.range_scratch_bytes == nullptr ? 0 : maker.range_scratch_bytes(num_blocks, num_hashes);
  return RoundUp(scratch) + RoundUp(num_spans * sizeof(HashSpan));
}

uint64_t PieceHashes(const LayoutMaker& maker, uint64_t num_hashes) {
  return maker.takes_keys() ? Least(num_hashes, Most(tuning.fewest_of_piece, num_hashes / kPieces + 1)) : num_hashes;
}

uint64_t RangeBlocksFor(const LayoutMaker& maker, uint64_t num_blocks) {
  uint64_t range_blocks = tuning.range_blocks != 0 ? tuning.range_blocks : maker.range_blocks;
  while (NumRanges(num_blocks, range_blocks) > kMostRanges) range_blocks *= 2;
  return range_blocks;
}

size_t NumWorkers(const LayoutMaker& maker, uint64_t num_hashes, uint64_t num_blocks, const Executor& executor) {
  if (executor.run == nullptr) return 1;
  const uint64_t range_blocks = RangeBlocksFor(maker, num_blocks), num_ranges = NumRanges(num_blocks, range_blocks);
  const uint64_t range_hashes = LikelyRangeHashes(num_hashes, range_blocks, num_blocks);
  const uint64_t each = RangeWorkerBytes(maker, range_blocks, range_hashes, range_hashes / kPageHashes + 1);
  const uint64_t few = Most(1, Least(kFewWorkers, num_ranges / kRangesWorthAWorker));
  uint64_t workers = Least(Least(executor.num_threads, kMostWorkers), num_ranges);
  while (workers > few && workers * each > 8 * num_hashes / kWorkerShare) --workers;
  return static_cast<size_t>(workers);
}

namespace {

// Plans the workers of kRanges, whose shape has its ranges.
void PlanWorkers(const LayoutMaker& maker, uint64_t num_hashes, const ChunkTotals& chunks, size_t most_workers,
                 BulkPlan* plan) {
  PartitionShape& shape = plan->shape;
  const uint64_t range_hashes = LikelyRangeHashes(num_hashes, shape.range_blocks, shape.num_blocks);
  const uint64_t most_partitioners = Most(1, num_hashes / kPageHashes / kWorkerShare / (shape.num_ranges + 1));
  for (uint64_t workers = most_workers;; workers = (workers + 1) / 2) {
    const uint64_t partitioners = Least(workers, most_partitioners);
    const uint64_t spans = range_hashes / kPageHashes + 1 + 2 * partitioners;
    plan->num_workers = static_cast<size_t>(workers);
    plan->scratch = workers * RangeWorkerBytes(maker, shape.range_blocks, range_hashes, spans);
    shape.num_workers = static_cast<size_t>(partitioners);
    shape.reserve_pages = Partition::ReserveFor(partitioners, shape.num_ranges, chunks.loose_hashes);
    plan->memory = Partition::BytesFor(shape) + plan->scratch;
    if (plan->memory <= plan->budget.left() || workers == 1) return;
  }
}

}  // namespace

BulkPlan PlanBulk(const LayoutMaker& maker, const Sizing& sizing, uint64_t num_hashes, const ChunkTotals& chunks,
                  const Executor& executor, const MemoryBudget& budget) {
  BulkPlan insert;
  insert.shape.num_chunks = chunks.num_chunks;
  insert.budget = budget;
  if (sizing.body_bytes == 0 || maker.range_blocks == 0) return insert;
  BulkPlan plan = insert;
  const uint64_t num_blocks = sizing.body_bytes / maker.block_bytes();
  plan.shape.num_blocks = num_blocks;
  plan.shape.index_mask = maker.index_mask();
  plan.shape.range_blocks = RangeBlocksFor(maker, num_blocks);
  plan.shape.num_ranges = NumRanges(num_blocks, plan.shape.range_blocks);
  const size_t most_workers = NumWorkers(maker, num_hashes, num_blocks, executor);
  if (maker.takes_keys()) {
    const uint64_t threads = executor.run == nullptr ? 1 : executor.num_threads;
    if (sizing.body_bytes >= tuning.min_shared_bytes) {
      insert.num_workers = static_cast<size_t>(Least(Least(threads, kFewInserters), num_blocks));
    }
    const bool sorts = !maker.inserts_ranges();
    const uint64_t gain = sorts ? kSortingGain : threads > kFewInserters ? 4 : 1;
    const bool is_one = !sorts && plan.shape.num_ranges == 1;
    if (sizing.body_bytes < tuning.min_body_bytes / gain || is_one) return insert;
  }
  if (plan.shape.num_ranges == 1) {
    plan.way = BulkWay::kOneRange;
    plan.scratch = maker.range_scratch_bytes == nullptr ? 0 : maker.range_scratch_bytes(num_blocks, num_hashes);
    plan.memory = RoundUp(plan.scratch) + RoundUp(chunks.num_chunks * sizeof(HashSpan));
  } else {
    plan.way = BulkWay::kRanges;
    PlanWorkers(maker, num_hashes, chunks, most_workers, &plan);
  }
  return maker.takes_keys() && plan.memory > budget.left() ? insert : plan;
}

Status BuildOneRange(const LayoutMaker& maker, const Allocator& allocator, const ProbeState& state, uint8_t* blocks,
                     const HashSpan* spans, uint64_t num_spans, uint64_t num_hashes, WorkArea* area) {
  const Status status = CheckRangeHashes(maker, num_hashes);
  if (!status.ok()) return status;
  const uint64_t bytes =
      maker.range_scratch_bytes == nullptr ? 0 : maker.range_scratch_bytes(state.num_units, num_hashes);
  if (bytes > area->bytes) {
    FreeWorkArea(allocator, area);
    area->memory = Allocate(allocator, bytes);
    if (area->memory == nullptr && !maker.takes_keys()) return OutOfMemory(bytes);
    area->bytes = area->memory == nullptr ? 0 : bytes;
  }
  memset(blocks, 0, static_cast<size_t>(maker.block_bytes() * state.num_units));
  maker.build_range(state, BlockRange{0, state.num_units, blocks, spans, num_spans, num_hashes}, area->memory);
  return Status();
}

void FreeWorkArea(const Allocator& allocator, WorkArea* area) {
  const WorkArea was = *area;
  *area = WorkArea();  // before a callback may see it
  Deallocate(allocator, was.memory, was.bytes);
}

namespace {

struct Largest {
  uint64_t hashes = 0, spans = 0;
};

Largest LargestRange(const Partition& partition) {
  Largest largest;
  for (uint64_t range = 0; range < partition.shape().num_ranges; ++range) {
    const uint64_t hashes = partition.RangeHashes(range), spans = partition.RangeSpans(range);
    if (hashes > largest.hashes) largest.hashes = hashes;
    if (spans > largest.spans) largest.spans = spans;
  }
  return largest;
}

// `memory` is null where keys are inserted one by one; otherwise the spans' list lies there, and then the scratch.
void BuildInGoes(const LayoutMaker& maker, const Partition& partition, const ProbeState& state, uint64_t range,
                 BlockRange to, uint8_t* memory) {
  HashSpan few[kSpansAtOnce];
  const uint64_t at_once = memory == nullptr ? kSpansAtOnce : SpansAtOnce(maker, partition.shape().range_blocks);
  HashSpan* const spans = memory == nullptr ? few : reinterpret_cast<HashSpan*>(memory);
  uint8_t* const scratch = memory == nullptr ? nullptr : memory + RoundUp(at_once * sizeof(HashSpan));
  Partition::Place place;
  to.spans = spans;
  while ((to.num_spans = partition.NextSpans(range, &place, spans, at_once)) != 0) {
    to.num_hashes = 0;
    for (uint64_t i = 0; i < to.num_spans; ++i) to.num_hashes += spans[i].size;
    maker.build_range(state, to, scratch);
  }
}

}  // namespace

Status BuildRanges(const BulkContext& context, const Partition& partition, const ProbeState& state, uint8_t* blocks,
                   bool is_zero) {
  const PartitionShape& shape = partition.shape();
  const LayoutMaker& maker = context.maker;
  const uint64_t block_bytes = maker.block_bytes();
  const Largest largest = maker.takes_keys() ? Largest() : LargestRange(partition);
  const Status status = CheckRangeHashes(maker, largest.hashes);
  if (!status.ok()) return status;
  const uint64_t per_worker = RangeWorkerBytes(maker, shape.range_blocks, largest.hashes, largest.spans);
  const uint64_t spans_bytes = RoundUp(largest.spans * sizeof(HashSpan));
  const MemoryBudget& budget = context.budget;
  const uint64_t most = Least(budget.left(), Most(context.planned_scratch, per_worker));
  uint64_t workers = context.num_workers;
  while (workers > 1 && workers * per_worker > most) --workers;
  const uint64_t bytes = workers * per_worker;
  const bool is_over = bytes > budget.left();
  uint8_t* const memory = bytes == 0 || is_over ? nullptr : static_cast<uint8_t*>(Allocate(context.allocator, bytes));
  if (memory == nullptr && bytes != 0 && !maker.takes_keys()) {  // other keys can be inserted instead
    return is_over ? OverLimit(budget.held + bytes, budget.limit) : OutOfMemory(bytes);
  }

  ShareOut(context.executor, static_cast<size_t>(workers), shape.num_ranges, [&](size_t worker, uint64_t range) {
    BlockRange to{};
    to.first_block = (shape.first_range + range) * shape.range_blocks;
    to.num_blocks = Least(shape.range_blocks, shape.num_blocks - to.first_block);
    to.blocks = blocks + block_bytes * range * shape.range_blocks;
    // The thread that works on it does this: its memory comes to this thread's node, and its lines to this core's L2.
    if (!is_zero) memset(to.blocks, 0, static_cast<size_t>(block_bytes * to.num_blocks));
    uint8_t* const own = memory == nullptr ? nullptr : memory + worker * per_worker;
    if (maker.takes_keys()) return BuildInGoes(maker, partition, state, range, to, own);
    HashSpan* const spans = reinterpret_cast<HashSpan*>(own);
    Partition::Place place;
    to.spans = spans;
    to.num_spans = partition.NextSpans(range, &place, spans, largest.spans);
    for (uint64_t i = 0; i < to.num_spans; ++i) to.num_hashes += spans[i].size;
    maker.build_range(state, to, own + spans_bytes);
  });
  Deallocate(context.allocator, memory, bytes);
  return Status();
}

}  // namespace linefilter::internal
