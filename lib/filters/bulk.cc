#include "lib/filters/bulk.h"

#include <cstring>

#include "lib/filters/memory.h"
#include "lib/filters/parallel.h"
#include "linefilter/hash.h"

namespace linefilter::internal {
namespace {

constexpr uint64_t kBlockBytes = 64;
// The lines and cursors of more ranges would not fit the L2, and their pages not the TLB.
constexpr uint64_t kMostRanges = 8192;
constexpr uint64_t kMostWorkers = 256;
// The pages of all that partition at once take at most this part of the hashes' memory: a quarter.
constexpr uint64_t kReaderShare = 4;
// A mutable layout takes a range in several goes, so it needs no list of all its spans.
constexpr uint64_t kSpansAtOnce = 64;

BulkTuning tuning;  // constant-initialized; written by tests alone

uint64_t Least(uint64_t a, uint64_t b) { return a < b ? a : b; }
uint64_t Most(uint64_t a, uint64_t b) { return a > b ? a : b; }
uint64_t RoundUp(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// What the fullest of all ranges gets of uniformly distributed hashes: the mean and eight standard deviations.
uint64_t LikelyRangeHashes(uint64_t num_keys, uint64_t range_blocks, uint64_t num_blocks) {
  const uint64_t mean = static_cast<uint64_t>(static_cast<double>(num_keys) * static_cast<double>(range_blocks) /
                                              static_cast<double>(num_blocks)) +
                        1;
  uint64_t root = 1;
  while (root * root < mean) root *= 2;  // at most twice the root
  return Least(num_keys, mean + 8 * root + 64);
}

}  // namespace

const BulkTuning& Tuning() { return tuning; }
void SetTuningForTests(const BulkTuning& value) { tuning = value; }

uint64_t RangeWorkerBytes(const LayoutOps& ops, uint64_t num_blocks, uint64_t num_hashes, uint64_t num_spans) {
  if (ops.is_mutable) return 0;
  const uint64_t scratch = ops.range_scratch_bytes == nullptr ? 0 : ops.range_scratch_bytes(num_blocks, num_hashes);
  return RoundUp(scratch) + RoundUp(num_spans * sizeof(HashSpan));
}

size_t NumWorkers(const Executor& executor, uint64_t num_ranges) {
  return executor.run == nullptr ? 1
                                 : static_cast<size_t>(Least(Least(executor.num_threads, kMostWorkers), num_ranges));
}

uint64_t RangeBlocksFor(const LayoutOps& ops, uint64_t num_blocks) {
  uint64_t range_blocks = tuning.range_blocks != 0 ? tuning.range_blocks : ops.range_blocks;
  while ((num_blocks + range_blocks - 1) / range_blocks > kMostRanges) range_blocks *= 2;
  return range_blocks;
}

BulkPlan PlanBulk(const LayoutOps& ops, const Sizing& sizing, uint64_t num_chunks, const Executor& executor,
                  uint64_t memory_left) {
  BulkPlan plan;
  plan.shape.num_chunks = num_chunks;
  if (sizing.body_bytes == 0 || ops.range_blocks == 0) return plan;
  const uint64_t num_blocks = sizing.body_bytes / kBlockBytes, num_keys = sizing.num_keys;
  const uint64_t range_blocks = RangeBlocksFor(ops, num_blocks);
  const uint64_t num_ranges = (num_blocks + range_blocks - 1) / range_blocks;
  const uint64_t most_workers = NumWorkers(executor, num_ranges);
  if (ops.is_mutable && sizing.body_bytes < tuning.min_body_bytes / (most_workers > 1 ? 4 : 1)) return plan;
  if (num_ranges == 1) {
    if (ops.is_mutable) return plan;
    plan.way = BulkWay::kOneRange;
    plan.memory = RangeWorkerBytes(ops, num_blocks, num_keys, num_chunks);
    return plan;
  }
  plan.way = BulkWay::kRanges;
  plan.shape.num_blocks = num_blocks;
  plan.shape.range_blocks = range_blocks;
  plan.shape.num_ranges = num_ranges;
  const uint64_t range_hashes = LikelyRangeHashes(num_keys, range_blocks, num_blocks);
  for (uint64_t workers = most_workers;; workers = (workers + 1) / 2) {
    const uint64_t readers = Least(workers, Most(1, num_keys / kPageHashes / kReaderShare / (num_ranges + 1)));
    plan.num_workers = static_cast<size_t>(workers);
    plan.shape.num_workers = static_cast<size_t>(readers);
    // See Partition::ReadChunk. The ten smallest chunks have up to a page's lines that are in none, the largest one.
    plan.shape.reserve_pages = readers * (num_ranges + 1) + num_chunks / kPageLines + 11;
    const uint64_t spans = range_hashes / kPageHashes + 1 + 2 * readers;
    plan.memory = Partition::BytesFor(plan.shape) + workers * RangeWorkerBytes(ops, range_blocks, range_hashes, spans);
    if (plan.memory <= memory_left || workers == 1) break;
  }
  if (ops.is_mutable && plan.memory > memory_left) return BulkPlan();
  return plan;
}

Status BuildOneRange(const LayoutOps& ops, const Allocator& allocator, const ProbeState& state, uint8_t* blocks,
                     const HashSpan* spans, uint64_t num_spans, uint64_t num_hashes) {
  const uint64_t bytes = ops.range_scratch_bytes == nullptr ? 0 : ops.range_scratch_bytes(state.num_units, num_hashes);
  void* const scratch = bytes == 0 ? nullptr : Allocate(allocator, static_cast<size_t>(bytes));
  if (scratch == nullptr && bytes != 0) return OutOfMemory(bytes);
  memset(blocks, 0, static_cast<size_t>(kBlockBytes * state.num_units));
  state.kernels->build_range(state, BlockRange{0, state.num_units, blocks, spans, num_spans, num_hashes}, scratch);
  Deallocate(allocator, scratch, static_cast<size_t>(bytes));
  return Status();
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

void BuildInGoes(const Partition& partition, const ProbeState& state, uint64_t range, BlockRange to) {
  HashSpan spans[kSpansAtOnce];
  Partition::Place place;
  to.spans = spans;
  while ((to.num_spans = partition.NextSpans(range, &place, spans, kSpansAtOnce)) != 0) {
    to.num_hashes = 0;
    for (uint64_t i = 0; i < to.num_spans; ++i) to.num_hashes += spans[i].size;
    state.kernels->build_range(state, to, nullptr);
  }
}

}  // namespace

Status BuildRanges(const BulkContext& context, const Partition& partition, const ProbeState& state, uint8_t* blocks,
                   bool is_zero) {
  const PartitionShape& shape = partition.shape();
  const LayoutOps& ops = context.ops;
  const Largest largest = ops.is_mutable ? Largest() : LargestRange(partition);
  const uint64_t per_worker = RangeWorkerBytes(ops, shape.range_blocks, largest.hashes, largest.spans);
  const uint64_t spans_bytes = RoundUp(largest.spans * sizeof(HashSpan));
  const uint64_t left = context.memory_limit - context.held;
  uint64_t workers = context.num_workers;
  while (workers > 1 && workers * per_worker > left) --workers;
  const uint64_t bytes = workers * per_worker;
  if (bytes > left) return OverLimit(context.held + bytes, context.memory_limit);
  uint8_t* const memory =
      bytes == 0 ? nullptr : static_cast<uint8_t*>(Allocate(context.allocator, static_cast<size_t>(bytes)));
  if (memory == nullptr && bytes != 0) return OutOfMemory(bytes);

  ShareOut(context.executor, static_cast<size_t>(workers), shape.num_ranges, [&](size_t worker, uint64_t range) {
    BlockRange to{};
    to.first_block = (shape.first_range + range) * shape.range_blocks;
    to.num_blocks = Least(shape.range_blocks, shape.num_blocks - to.first_block);
    to.blocks = blocks + kBlockBytes * range * shape.range_blocks;
    // By who works on it: its memory comes to this thread's node, and its lines to this core's L2.
    if (!is_zero) memset(to.blocks, 0, static_cast<size_t>(kBlockBytes * to.num_blocks));
    if (ops.is_mutable) return BuildInGoes(partition, state, range, to);
    uint8_t* const own = memory + worker * per_worker;
    HashSpan* const spans = reinterpret_cast<HashSpan*>(own);
    Partition::Place place;
    to.spans = spans;
    to.num_spans = partition.NextSpans(range, &place, spans, largest.spans);
    for (uint64_t i = 0; i < to.num_spans; ++i) to.num_hashes += spans[i].size;
    state.kernels->build_range(state, to, own + spans_bytes);
  });
  Deallocate(context.allocator, memory, static_cast<size_t>(bytes));
  return Status();
}

}  // namespace linefilter::internal
