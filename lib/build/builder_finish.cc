// This gives the image out: how the body is made, and where it goes. Bulk building sorts the hashes where they lie, so
// whatever fails puts them back into the chunks; until then, and while callbacks run, status_ is Unfinished.
#include <cstring>

#include "lib/base/memory.h"
#include "lib/base/parallel.h"
#include "lib/build/builder_chunk.h"
#include "lib/build/bulk.h"
#include "lib/build/group_plan.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/hash_interval.h"
#include "lib/layouts/kernels.h"
#include "lib/layouts/layout_maker.h"
#include "linefilter/builder.h"
#include "linefilter/file.h"

namespace linefilter {

using internal::BulkPlan;
using internal::BulkWay;
using internal::FindMaker;
using internal::HashSpan;
using internal::ImageBytesFor;
using internal::Partition;
using internal::ProbeState;
using internal::StateOf;
using internal::TrailerFor;

// What was kept of the last image is given back where it is in the way.
Status FilterBuilder::Plan(const Sizing& sizing, uint64_t image_bytes, BulkPlan* plan) const noexcept {
  internal::MemoryBudget budget{chunk_memory_ + image_bytes, options_.memory_limit};
  internal::ChunkTotals chunks;
  if (num_borrowed_ != 0) chunks.loose_hashes = internal::PieceHashes(*FindMaker(sizing.layout), num_borrowed_);
  const Chunk* const first = num_borrowed_ != 0 ? nullptr : first_;
  for (const Chunk* chunk = first; chunk != nullptr; chunk = chunk->next) chunks.Add(chunk->capacity());
  const auto plan_now = [&] {
    *plan = internal::PlanBulk(*FindMaker(sizing.layout), sizing, NumHashes(), chunks, options_.executor, budget);
    return plan->memory <= budget.left() && budget.held <= budget.limit;
  };
  bool fits = plan_now();
  if (!fits && spare_ != nullptr) {
    const_cast<FilterBuilder*>(this)->FreeChunksAfter(current_);
    budget.held = chunk_memory_ + image_bytes;
    fits = plan_now();
  }
  const bool uses_work_area = plan->way == BulkWay::kOneRange && plan->scratch <= work_area_.bytes;
  if (!uses_work_area || work_area_.bytes > budget.left()) internal::FreeWorkArea(options_.allocator, &work_area_);
  return fits ? Status() : internal::OverLimit(budget.held + plan->memory, budget.limit);
}

Status FilterBuilder::CheckFinish(uint64_t* image_bytes) const noexcept {
  Sizing sizing;
  BulkPlan plan;
  Status status = SizeNow(&sizing);
  if (!status.ok()) return status;
  const uint64_t needed = ImageBytesFor(options_, sizing, noted_);
  status = Plan(sizing, needed, &plan);
  if (status.ok()) *image_bytes = needed;
  return status;
}

// Threads insert at once. Each has a part of the body, looks at all hashes, and selects those that fall there; while it
// inserts them, the next ones come. So no line goes from one core to another, and no thread waits. DESIGN.md has what
// was rejected.
void FilterBuilder::InsertByThreads(const internal::LayoutMaker& maker, const ProbeState& state, uint8_t* body,
                                    bool is_zero, size_t num_threads) noexcept {
  const uint64_t num_blocks = state.num_units, block_bytes = maker.block_bytes();
  internal::ShareOut(options_.executor, num_threads, num_threads, [&](size_t, uint64_t part) {
    const uint64_t begin = num_blocks * part / num_threads, end = num_blocks * (part + 1) / num_threads;
    if (!is_zero) memset(body + block_bytes * begin, 0, static_cast<size_t>(block_bytes * (end - begin)));
    const internal::HashInterval interval = internal::HashesOf(begin, end, num_blocks, maker.index_mask());
    ForEachSpan([&](const uint64_t* hashes, uint64_t n) {
      internal::ForEachInInterval(hashes, n, interval, [&](const uint64_t* some, size_t size, const uint64_t* next) {
        internal::InsertHashes(maker, state, body, some, size, {reinterpret_cast<uintptr_t>(next), num_threads});
      });
    });
  });
}

Status FilterBuilder::InsertAll(const Sizing& sizing, uint8_t* body, bool is_zero, size_t num_threads) noexcept {
  const ProbeState state = StateOf(sizing, options_.hash_id, body);
  const internal::LayoutMaker& maker = *FindMaker(sizing.layout);
  if (num_threads > 1) {
    InsertByThreads(maker, state, body, is_zero, num_threads);
    return Status();
  }
  if (!is_zero && sizing.body_bytes != 0) memset(body, 0, static_cast<size_t>(sizing.body_bytes));
  ForEachSpan([&](const uint64_t* hashes, uint64_t n) { internal::InsertHashes(maker, state, body, hashes, n); });
  return Status();
}

Status FilterBuilder::BuildOneRange(const Sizing& sizing, const BulkPlan& plan, uint8_t* body) noexcept {
  constexpr uint64_t kOnStack = kNumSmallChunks + 6;  // of 14 MiB in all: more than a range has, but for repeats
  HashSpan few[kOnStack];
  HashSpan* spans = few;
  const uint64_t num_chunks = plan.shape.num_chunks, bytes = num_chunks * sizeof(*spans);
  if (num_chunks > kOnStack) {
    spans = static_cast<HashSpan*>(internal::Allocate(options_.allocator, bytes));
    if (spans == nullptr) return internal::OutOfMemory(bytes);
  }
  uint64_t n = 0;
  ForEachSpan([&](const uint64_t* hashes, uint64_t size) { spans[n++] = {hashes, size}; });
  const Status status =
      internal::BuildOneRange(*FindMaker(sizing.layout), options_.allocator, StateOf(sizing, options_.hash_id, body),
                              body, spans, n, NumHashes(), &work_area_);
  if (work_area_.bytes > kKeptWorkBytes) internal::FreeWorkArea(options_.allocator, &work_area_);
  if (spans != few) internal::Deallocate(options_.allocator, spans, bytes);
  return status;
}

Status FilterBuilder::BuildBody(const Sizing& sizing, const BulkPlan& plan, uint8_t* body, bool is_zero,
                                Partition* partition) noexcept {
  const internal::LayoutMaker& maker = *FindMaker(sizing.layout);
  if (plan.way == BulkWay::kOneRange) return BuildOneRange(sizing, plan, body);
  if (plan.way == BulkWay::kInsert) return InsertAll(sizing, body, is_zero, plan.num_workers);
  if (!partition->Create(plan.shape)) {
    return maker.takes_keys() ? InsertAll(sizing, body, is_zero, 1)
                              : internal::OutOfMemory(Partition::BytesFor(plan.shape));
  }
  internal::MemoryBudget budget = plan.budget;
  budget.held += Partition::BytesFor(plan.shape);
  const internal::BulkContext context{maker, options_.allocator, options_.executor, plan.num_workers, plan.scratch,
                                      budget};
  const ProbeState state = StateOf(sizing, options_.hash_id, body);
  if (num_borrowed_ != 0) return BuildOfBorrowed(context, state, body, is_zero, partition);
  uint64_t num_chunks = 0;
  for (Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    partition->chunk(num_chunks++) = {chunk->hashes(), chunk->capacity(), SizeOf(*chunk)};
  }
  internal::ShareOut(options_.executor, plan.shape.num_workers, num_chunks,
                     [&](size_t worker, uint64_t chunk) { partition->ReadChunk(worker, chunk); });
  return internal::BuildRanges(context, *partition, state, body, is_zero);
}

// Borrowed hashes are sorted into other memory. A layout that takes keys makes its ranges of a piece, then of the next.
Status FilterBuilder::BuildOfBorrowed(const internal::BulkContext& context, const ProbeState& state, uint8_t* body,
                                      bool is_zero, Partition* partition) noexcept {
  constexpr uint64_t kPart = uint64_t{1} << 16;  // that a thread sorts, and then asks for another
  const uint64_t piece = internal::PieceHashes(context.maker, num_borrowed_);
  Status status;
  for (uint64_t done = 0; status.ok() && done < num_borrowed_; done += piece) {
    if (done != 0) partition->Clear();
    const uint64_t* const hashes = borrowed_ + done;
    const uint64_t n = num_borrowed_ - done < piece ? num_borrowed_ - done : piece;
    internal::ShareOut(options_.executor, partition->shape().num_workers, (n - 1) / kPart + 1,
                       [&](size_t worker, uint64_t part) {
                         const uint64_t begin = part * kPart, left = n - begin;
                         partition->MustRead(worker, hashes + begin, static_cast<size_t>(left < kPart ? left : kPart));
                       });
    status = internal::BuildRanges(context, *partition, state, body, is_zero || done != 0);
  }
  return status;
}

// Ends every Finish that began: it takes Unfinished away.
Status FilterBuilder::Finished(const Status& status, const Sizing& sizing, Partition* partition) noexcept {
  if (status.ok()) {
    sizing_ = sizing;
    has_fpr_ = false;
    BeginAgain();
    return status;
  }
  if (partition->created() && num_borrowed_ == 0) {
    partition->PutBack();
    if (current_ != nullptr) tail_ = current_->hashes() + partition->chunk(partition->shape().num_chunks - 1).size;
  }
  status_ = Status();
  return status;
}

Status FilterBuilder::FinishTo(void* out, size_t size, size_t* written) noexcept {
  Sizing sizing;
  Status status = SizeNow(&sizing);
  if (!status.ok()) return status;
  const uint64_t image_bytes = ImageBytesFor(options_, sizing, noted_);
  if (size < image_bytes) return internal::BufferTooSmall(size, image_bytes);
  BulkPlan plan;
  status = Plan(sizing, image_bytes, &plan);
  if (!status.ok()) return status;
  uint8_t* const body = static_cast<uint8_t*>(out);
  Partition partition(options_.allocator);
  // Where nothing is called back it would take 27 ns more, of 141 for 8 keys.
  if (options_.allocator.allocate != nullptr || options_.executor.run != nullptr) status_ = internal::Unfinished();
  status = BuildBody(sizing, plan, body, false, &partition);
  if (status.ok()) {
    internal::WriteTrailer(options_.executor, TrailerFor(options_, sizing, noted_), body, body + sizing.body_bytes);
    if (written != nullptr) *written = static_cast<size_t>(image_bytes);
  }
  return Finished(status, sizing, &partition);
}

Status FilterBuilder::WriteImage(const Sink& sink, const Sizing& sizing, Partition* partition) noexcept {
  BulkPlan plan;
  Status status = Plan(sizing, ImageBytesFor(options_, sizing, noted_), &plan);
  if (!status.ok()) return status;
  const uint64_t body_bytes = sizing.body_bytes;
  uint8_t* const body =
      body_bytes == 0 ? nullptr : static_cast<uint8_t*>(internal::Allocate(options_.allocator, body_bytes));
  if (body == nullptr && body_bytes != 0) return internal::OutOfMemory(body_bytes);
  status = BuildBody(sizing, plan, body, internal::AllocatesZeros(options_.allocator, body_bytes), partition);
  if (status.ok()) {
    status =
        internal::WriteToSink(TrailerFor(options_, sizing, noted_), body, options_.allocator, sink, options_.executor);
  }
  internal::Deallocate(options_.allocator, body, body_bytes);
  return status;
}

// `file` may be null.
Status FilterBuilder::FinishThrough(const Sink& sink, AtomicFile* file) noexcept {
  Sizing sizing;
  Partition partition(options_.allocator);
  Status status = status_.ok() ? internal::CheckSink(sink) : status_;
  if (status.ok()) status = SizeNow(&sizing);
  if (!status.ok()) return status;
  status_ = internal::Unfinished();
  status = WriteImage(sink, sizing, &partition);
  if (status.ok() && file != nullptr) status = file->Commit();
  if (file != nullptr && !file->status().ok()) status = file->status();  // the system's reason, not the sink's
  return Finished(status, sizing, &partition);
}

Status FilterBuilder::FinishToSink(const Sink& sink) noexcept { return FinishThrough(sink, nullptr); }

Status FilterBuilder::FinishToFile(const char* path) noexcept {
  AtomicFile file;
  const Status status = file.Create(path);
  return status.ok() ? FinishThrough(file.sink(), &file) : status;
}

}  // namespace linefilter
