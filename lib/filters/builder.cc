// Keys in: collects hashes, and tells what will become of them.
#include "linefilter/builder.h"

#include "lib/filters/builder_chunk.h"
#include "lib/filters/bulk.h"
#include "lib/filters/memory.h"
#include "lib/filters/options.h"

namespace linefilter {

namespace {

// Chunks double from 1 KiB to 1 MiB, so a filter block of an SST costs one small allocation; from 32 MiB in all on they
// have 2 MiB, a huge page, and a billion keys waste at most that. (Of 1 MiB, in pages of 4 KiB: 4.6 instead of 2.7 ns
// to add a key, 5.4 instead of 4.9 to build in bulk.)
constexpr uint64_t kFirstChunk = 1024, kLargeChunk = uint64_t{1} << 20, kHugeChunk = uint64_t{2} << 20;
constexpr uint64_t kHugeFrom = uint64_t{32} << 20, kChunkHeader = 64;

uint64_t NextChunkBytes(uint64_t last, uint64_t total) {
  if (total >= kHugeFrom) return kHugeChunk;
  return last == 0 ? kFirstChunk : last < kLargeChunk ? 2 * last : kLargeChunk;
}

// The chunks that num_keys hashes need.
struct ChunkCount {
  uint64_t chunks = 0, bytes = 0;
};
ChunkCount ChunksFor(uint64_t num_keys) {
  ChunkCount count;
  uint64_t chunk = 0;
  while (num_keys != 0 && chunk != kHugeChunk) {
    chunk = NextChunkBytes(chunk, count.bytes);
    ++count.chunks;
    count.bytes += chunk;
    const uint64_t capacity = (chunk - kChunkHeader) / 8;
    num_keys -= capacity < num_keys ? capacity : num_keys;
  }
  const uint64_t capacity = (kHugeChunk - kChunkHeader) / 8;
  const uint64_t others = num_keys / capacity + (num_keys % capacity != 0);
  return {count.chunks + others, count.bytes + others * kHugeChunk};
}

}  // namespace

FilterBuilder::FilterBuilder(const FilterOptions& options) noexcept
    : options_(options), status_(internal::CheckOptions(options.layout, options)), options_are_good_(status_.ok()) {
  static_assert(sizeof(Chunk) == kChunkHeader, "hashes follow the header");
}

FilterBuilder::~FilterBuilder() { FreeChunksAfter(nullptr); }

void FilterBuilder::FreeChunksAfter(Chunk* last) noexcept {
  Chunk* chunk = last == nullptr ? first_ : last->next;
  (last == nullptr ? first_ : last->next) = nullptr;
  while (chunk != nullptr) {
    Chunk* const next = chunk->next;
    chunk_memory_ -= chunk->bytes;
    internal::Deallocate(options_.allocator, chunk, chunk->bytes);
    chunk = next;
  }
}

void FilterBuilder::Fail(const Status& status) noexcept {
  if (status_.ok()) status_ = status;
  tail_ = tail_end_ = nullptr;  // every Add comes to AddSlow now
}

void FilterBuilder::RefuseKey() noexcept {
  Fail(Status::Error(StatusCode::kIncompatible,
                     "AddKey on a builder of the caller's own hashes (hash_id = kCaller): use AddHash"));
}

void FilterBuilder::AddSlow(uint64_t hash) noexcept {
  if (!status_.ok() || (num_keys_ != 0 && hash == last_)) return;
  if (tail_ == tail_end_) {
    const uint64_t bytes = NextChunkBytes(current_ == nullptr ? 0 : current_->bytes, chunk_memory_);
    if (chunk_memory_ + bytes > options_.memory_limit) {
      return Fail(internal::OverLimit(chunk_memory_ + bytes, options_.memory_limit));
    }
    Chunk* const chunk = static_cast<Chunk*>(internal::Allocate(options_.allocator, bytes));
    if (chunk == nullptr) return Fail(internal::OutOfMemory(bytes));
    chunk->next = nullptr;
    chunk->bytes = bytes;
    chunk_memory_ += bytes;
    (current_ == nullptr ? first_ : current_->next) = chunk;
    current_ = chunk;
    tail_ = chunk->hashes();
    tail_end_ = tail_ + chunk->capacity();
  }
  *tail_++ = last_ = hash;
  ++num_keys_;
}

void FilterBuilder::AddHashes(const uint64_t* hashes, size_t n) noexcept {
  for (size_t i = 0; i < n; ++i) AddHash(hashes[i]);
}

Status FilterBuilder::SizeNow(Sizing* sizing) const noexcept {
  if (!status_.ok()) return status_;
  Status status;
  if (!has_sized_ || sized_.num_keys != num_keys_) {
    status = internal::SizeForOptions(options_.layout, num_keys_, options_, &sized_);
    has_sized_ = status.ok();
  }
  *sizing = sized_;
  return status;
}

uint64_t FilterBuilder::ImageBytes() const noexcept {
  Sizing sizing;
  return SizeNow(&sizing).ok() ? internal::ImageBytesFor(options_, sizing) : 0;
}

Status FilterBuilder::EstimateBytes(const FilterOptions& options, uint64_t num_keys, uint64_t* image_bytes,
                                    uint64_t* peak_memory) noexcept {
  Sizing sizing;
  Status status = internal::CheckOptions(options.layout, options);
  if (status.ok()) status = internal::SizeForOptions(options.layout, num_keys, options, &sizing);
  if (!status.ok()) return status;
  *image_bytes = internal::ImageBytesFor(options, sizing);
  if (peak_memory == nullptr) return Status();
  const ChunkCount count = ChunksFor(num_keys);
  const uint64_t held = *image_bytes + count.bytes;
  const uint64_t left = options.memory_limit > held ? options.memory_limit - held : 0;
  const internal::BulkPlan plan =
      internal::PlanBulk(*internal::FindLayout(sizing.layout), sizing, count.chunks, options.executor, left);
  *peak_memory = held + plan.memory;
  return Status();
}

void FilterBuilder::Reset() noexcept {
  if (first_ != nullptr) FreeChunksAfter(first_);
  current_ = first_;
  tail_ = first_ == nullptr ? nullptr : first_->hashes();
  tail_end_ = first_ == nullptr ? nullptr : tail_ + first_->capacity();
  num_keys_ = 0;
  if (options_are_good_) {
    status_ = Status();
  } else {
    tail_ = tail_end_ = nullptr;
  }
}

}  // namespace linefilter
