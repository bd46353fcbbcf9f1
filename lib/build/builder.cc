// This takes keys in: it collects hashes, and tells what will become of them.
#include "linefilter/builder.h"

#include <atomic>
#include <cstring>
#include <initializer_list>

#include "lib/base/memory.h"
#include "lib/base/parallel.h"
#include "lib/build/builder_chunk.h"
#include "lib/build/bulk.h"
#include "lib/build/hash_reader.h"
#include "lib/build/repeats.h"
#include "lib/image/image_writer.h"
#include "lib/layouts/options.h"

namespace linefilter {

namespace {

uint64_t NextChunkBytes(uint64_t last) {
  return last == 0 ? kFirstChunkBytes : last < kLargestChunkBytes ? 2 * last : kLargestChunkBytes;
}

// The chunks that num_keys hashes need.
internal::ChunkTotals ChunksFor(uint64_t num_keys, uint64_t* bytes) {
  internal::ChunkTotals chunks;
  *bytes = 0;
  for (uint64_t chunk = 0; num_keys != 0 && chunk != kLargestChunkBytes;) {
    chunk = NextChunkBytes(chunk);
    const uint64_t hashes = internal::HashesIn(chunk);
    chunks.Add(hashes);
    *bytes += chunk;
    num_keys -= hashes < num_keys ? hashes : num_keys;
  }
  constexpr uint64_t kEach = internal::HashesIn(kLargestChunkBytes);
  const uint64_t others = num_keys / kEach + (num_keys % kEach != 0);
  chunks.Add(kEach, others);
  *bytes += others * kLargestChunkBytes;
  return chunks;
}

uint64_t Least(uint64_t a, uint64_t b) { return a < b ? a : b; }

void* FirstLineOf(void* memory) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(memory);
  return static_cast<uint8_t*>(memory) + (0 - at) % internal::kAlignment;
}

// So many are compared, then copied: they stay in the L1.
constexpr uint64_t kRunHashes = 512;
// For AddChunks the fewest give two threads something to do; the most are a list on the stack, and 128 MiB.
constexpr uint64_t kFewestChunks = 2, kMostChunks = 64;

// Whether one of the n hashes is to be dropped, being equal to the one before it. There is one before the first.
bool DropsOne(const FilterOptions& options, const uint64_t* hashes, uint64_t n) {
  if (!internal::DropsRepeats(options)) return false;
  bool repeats = false;
  for (uint64_t i = 0; i < n; ++i) repeats |= hashes[i] == *(hashes + i - 1);
  return repeats;
}

}  // namespace

FilterBuilder::FilterBuilder(const FilterOptions& options) noexcept
    : options_(options),
      key_hash_(options.key_hash()),
      status_(internal::CheckOptionsToBuild(options)),
      options_are_good_(status_.ok()) {}

FilterBuilder::~FilterBuilder() {
  if (first_ != nullptr) FreeChunksAfter(first_);
  internal::FreeWorkArea(options_.allocator, &work_area_);
}

// The spare ones go, too. (The first chunk is a part of the builder, and stays.)
void FilterBuilder::FreeChunksAfter(Chunk* last) noexcept {
  for (Chunk** list : {&last->next, &spare_}) {
    Chunk* chunk = *list;
    *list = nullptr;
    while (chunk != nullptr) {
      Chunk* const next = chunk->next;
      chunk_memory_ -= chunk->bytes;
      internal::Deallocate(options_.allocator, chunk, chunk->bytes);
      chunk = next;
    }
  }
}

// Does the same, but keeps the chunks of a few keys for the next ones.
void FilterBuilder::SpareChunksAfter(Chunk* last) noexcept {
  if (chunk_memory_ > kSpareBytes) return FreeChunksAfter(last);
  Chunk** end = &last->next;
  while (*end != nullptr) end = &(*end)->next;
  *end = spare_;
  spare_ = last->next;
  last->next = nullptr;
}

void FilterBuilder::Fail(const Status& status) noexcept {
  if (status_.ok()) status_ = status;
  tail_ = tail_end_ = nullptr;  // every Add comes to AddSlow now
}

void FilterBuilder::RefuseKey() noexcept {
  Fail(Status::Error(StatusCode::kIncompatible,
                     "a key for a builder of the caller's own hashes: add its hash, or choose another hash id"));
}

Status FilterBuilder::AppendChunk() noexcept {
  Chunk* chunk = spare_;
  if (chunk != nullptr) {
    spare_ = chunk->next;
  } else {
    const uint64_t bytes = NextChunkBytes(current_ == nullptr ? 0 : current_->bytes);
    const uint64_t held = chunk_memory_ + bytes;
    if (held + work_area_.bytes > options_.memory_limit) internal::FreeWorkArea(options_.allocator, &work_area_);
    if (held > options_.memory_limit) return internal::OverLimit(held, options_.memory_limit);
    static_assert(sizeof(own_) >= kFirstChunkBytes + internal::kAlignment - sizeof(*own_), "the first chunk is a part");
    chunk = static_cast<Chunk*>(first_ == nullptr ? FirstLineOf(own_) : internal::Allocate(options_.allocator, bytes));
    if (chunk == nullptr) return internal::OutOfMemory(bytes);
    chunk->bytes = bytes;
    chunk_memory_ = held;
  }
  chunk->next = nullptr;
  (current_ == nullptr ? first_ : current_->next) = chunk;
  current_ = chunk;
  return Status();
}

void FilterBuilder::AddSlow(uint64_t hash) noexcept {
  if (!status_.ok()) return;
  if (num_keys_ != 0 && hash == last_ && internal::DropsRepeats(options_)) {
    num_keys_ += !repeats_are_adjacent_;
    return;
  }
  if (num_borrowed_ != 0) {
    const Status status = CopyBorrowed();
    if (!status.ok()) return Fail(status);
  }
  if (tail_ == tail_end_) {
    const Status status = AppendChunk();
    if (!status.ok()) return Fail(status);
    tail_ = current_->hashes();
    tail_end_ = tail_ + current_->capacity();
  }
  *tail_++ = last_ = hash;
  ++num_keys_;
}

void FilterBuilder::AddHashes(const uint64_t* hashes, size_t n) noexcept {
  const auto skip = [&](uint64_t added) {
    hashes += added;
    n -= static_cast<size_t>(added);
  };
  while (n != 0) {
    AddHash(*hashes);  // gets a chunk where there is no room, and is what the next one is compared with
    skip(1);
    const uint64_t run = Least(static_cast<uint64_t>(tail_end_ - tail_), Least(kRunHashes, n));
    if (DropsOne(options_, hashes, run)) {
      for (uint64_t i = 0; i < run; ++i) AddHash(hashes[i]);
    } else if (run != 0) {
      memcpy(tail_, hashes, static_cast<size_t>(run) * sizeof(*hashes));
      tail_ += run;
      num_keys_ += run;
      last_ = hashes[run - 1];
    }
    skip(run);
    if (run != 0 && tail_ == tail_end_) skip(AddChunks(hashes, n));
  }
}

// Fills chunks at once, by the executor's threads; the last one is full. Returns how many hashes that were: those
// before the chunk with the first one to drop, none if it is not worth it. It tries more while there is none, so that
// chunks in vain are never more than chunks filled before. (Looking for repeats first reads all twice: 3.6 instead of
// 3.25 ns a build.)
uint64_t FilterBuilder::AddChunks(const uint64_t* hashes, uint64_t n) noexcept {
  constexpr uint64_t kEach = internal::HashesIn(kLargestChunkBytes);
  const uint64_t most_chunks = Least(n / kEach, chunks_at_once_);
  if (options_.executor.run == nullptr || most_chunks < kFewestChunks) return 0;
  if (NextChunkBytes(current_->bytes) != kLargestChunkBytes) return 0;
  Chunk* chunks[kMostChunks + 1] = {current_};
  status_ = internal::Unfinished();
  uint64_t num_chunks = 0;
  while (num_chunks < most_chunks && AppendChunk().ok()) chunks[++num_chunks] = current_;
  std::atomic<uint64_t> num_good{num_chunks};
  const size_t num_threads = static_cast<size_t>(Least(options_.executor.num_threads, num_chunks));
  internal::ShareOut(options_.executor, num_threads, num_chunks, [&](size_t, uint64_t i) {
    const uint64_t* const from = hashes + i * kEach;
    for (uint64_t done = 0; done < kEach; done += kRunHashes) {
      const uint64_t run = Least(kRunHashes, kEach - done);
      if (DropsOne(options_, from + done, run)) {
        for (uint64_t good = num_good; i < good && !num_good.compare_exchange_weak(good, i);) continue;
        return;
      }
      memcpy(chunks[i + 1]->hashes() + done, from + done, static_cast<size_t>(run) * sizeof(*from));
    }
  });
  chunks_at_once_ = num_good < num_chunks ? kFewestChunks : Least(2 * chunks_at_once_, kMostChunks);
  FreeChunksAfter(chunks[num_good]);
  current_ = chunks[num_good];
  tail_ = tail_end_ = current_->hashes() + current_->capacity();
  if (num_good != 0) last_ = hashes[num_good * kEach - 1];
  num_keys_ += num_good * kEach;
  status_ = Status();
  return num_good * kEach;
}

void FilterBuilder::BorrowHashes(const uint64_t* hashes, size_t n) noexcept {
  // Few hashes are copied, because their repeats are found in chunks.
  if (num_keys_ != 0 || n <= internal::kCountedExactly || repeats_are_adjacent_ || !status_.ok()) {
    return AddHashes(hashes, n);
  }
  borrowed_ = hashes;
  num_keys_ = num_borrowed_ = n;
  last_ = hashes[n - 1];
  tail_end_ = tail_;  // the next hash comes to AddSlow
}

// Takes the hashes into chunks; on an error they stay borrowed.
Status FilterBuilder::CopyBorrowed() noexcept {
  const uint64_t* const hashes = borrowed_;
  const size_t n = num_borrowed_;
  const uint64_t num_keys = num_keys_;  // repeats of the last one may have come since
  Reset();
  AddHashes(hashes, n);
  const Status status = status_;
  if (!status.ok()) {
    Reset();
    BorrowHashes(hashes, n);
  }
  num_keys_ = num_keys;
  return status;
}

Status FilterBuilder::SizeNow(Sizing* sizing) const noexcept {
  if (!status_.ok()) return status_;
  // An object that took keys is not a const one: where they lie, and that each lies there once, is no part of its
  // value.
  uint64_t num_keys = 0;
  Status status = const_cast<FilterBuilder*>(this)->KeysToSizeFor(&num_keys);
  if (!status.ok()) return status;
  if (!has_sized_ || sized_.num_keys != num_keys) {
    status = internal::ShapeForOptions(options_.layout, num_keys, options_, &sized_);
    has_sized_ = status.ok();
  }
  *sizing = sized_;
  return status;
}

uint64_t FilterBuilder::ImageBytes() const noexcept {
  Sizing sizing;
  return SizeNow(&sizing).ok() ? internal::ImageBytesFor(options_, sizing, noted_) : 0;
}

Status FilterBuilder::EstimateBytes(const FilterOptions& options, uint64_t num_keys, uint64_t* image_bytes,
                                    uint64_t* peak_memory) noexcept {
  // No memory of any machine has more hashes, and their bytes would not be counted in 64 bits. It is no SIZE_MAX: a
  // program of 32 bits may plan for another one.
  constexpr uint64_t kMostHashes = UINT64_MAX / 2 / sizeof(uint64_t);
  Sizing sizing;
  Status status = internal::CheckOptionsToBuild(options);
  if (status.ok() && num_keys > kMostHashes) status = internal::OutOfMemory(Least(num_keys, UINT64_MAX / 8) * 8);
  const uint64_t to_size_for = options.num_keys != 0 ? options.num_keys : num_keys;
  if (status.ok()) status = internal::ShapeForOptions(options.layout, to_size_for, options, &sizing);
  if (!status.ok()) return status;
  *image_bytes = internal::ImageBytesFor(options, sizing);
  if (peak_memory == nullptr) return Status();
  internal::MemoryBudget budget;
  const internal::ChunkTotals chunks = ChunksFor(num_keys, &budget.held);
  budget.held += *image_bytes;
  budget.limit = options.memory_limit;
  const internal::BulkPlan plan =
      internal::PlanBulk(*internal::FindMaker(sizing.layout), sizing, num_keys, chunks, options.executor, budget);
  *peak_memory = budget.held + plan.memory;
  return Status();
}

const Sizing& FilterBuilder::sizing() const noexcept {
  if (!has_fpr_) {
    sizing_.expected_fpr = internal::ExpectedFprOf(sizing_);
    has_fpr_ = true;
  }
  return sizing_;
}

// A callback may find only a builder without keys; those that it adds are kept.
void FilterBuilder::Reset() noexcept {
  BeginAgain();
  if (current_ != nullptr) FreeChunksAfter(current_);
  internal::FreeWorkArea(options_.allocator, &work_area_);
}

void FilterBuilder::BeginAgain() noexcept {
  current_ = first_;
  tail_ = first_ == nullptr ? nullptr : first_->hashes();
  tail_end_ = first_ == nullptr ? nullptr : tail_ + first_->capacity();
  num_borrowed_ = 0;
  noted_ = internal::KeyKinds();
  num_keys_ = counted_at_ = counted_ = num_sketched_ = 0;
  chunks_at_once_ = kFewestChunks;
  if (options_are_good_) {
    status_ = Status();
  } else {
    tail_ = tail_end_ = nullptr;
  }
  if (first_ != nullptr) SpareChunksAfter(first_);  // a callback may find only a builder without keys
}

}  // namespace linefilter
