// Collects hashes in chunks that are never copied, and builds the body from them when their number is known.
#include "linefilter/builder.h"

#include <cstring>

#include "lib/filters/image_writer.h"
#include "lib/filters/memory.h"
#include "lib/filters/options.h"
#include "lib/kernels/kernels.h"
#include "lib/kernels/layout_ops.h"
#include "linefilter/file.h"

namespace linefilter {

// Chunks double from 1 KiB to 1 MiB, so a filter block of an SST costs one small allocation and a billion keys waste
// at most 1 MiB.
struct FilterBuilder::Chunk {
  Chunk* next;
  uint64_t bytes;  // with this header
  uint64_t* hashes() { return reinterpret_cast<uint64_t*>(this + 1); }
  uint64_t capacity() const { return (bytes - sizeof(Chunk)) / sizeof(uint64_t); }
};

namespace {

constexpr uint64_t kFirstChunk = 1024, kLargestChunk = uint64_t{1} << 20, kChunkHeader = 16;

uint64_t NextChunkBytes(uint64_t bytes) { return bytes == 0 ? kFirstChunk : bytes < kLargestChunk ? 2 * bytes : bytes; }

// The chunks that num_keys hashes need.
uint64_t ChunkMemoryFor(uint64_t num_keys) {
  uint64_t total = 0, chunk = 0;
  while (num_keys != 0 && chunk != kLargestChunk) {
    chunk = NextChunkBytes(chunk);
    total += chunk;
    const uint64_t capacity = (chunk - kChunkHeader) / 8;
    num_keys -= capacity < num_keys ? capacity : num_keys;
  }
  const uint64_t capacity = (kLargestChunk - kChunkHeader) / 8;
  return total + (num_keys / capacity + (num_keys % capacity != 0)) * kLargestChunk;
}

internal::Trailer TrailerFor(const FilterOptions& options, const Sizing& sizing) {
  return internal::MakeTrailer(sizing.layout, sizing.body_bytes, sizing.num_probes, options.hash_id, options.seed,
                               &sizing.num_keys);
}

uint64_t ImageBytesFor(const FilterOptions& options, const Sizing& sizing) {
  return sizing.body_bytes + internal::TrailerBytes(TrailerFor(options, sizing));
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
    const uint64_t bytes = NextChunkBytes(current_ == nullptr ? 0 : current_->bytes);
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
  return SizeNow(&sizing).ok() ? ImageBytesFor(options_, sizing) : 0;
}

Status FilterBuilder::EstimateBytes(const FilterOptions& options, uint64_t num_keys, uint64_t* image_bytes,
                                    uint64_t* peak_memory) noexcept {
  Sizing sizing;
  Status status = internal::CheckOptions(options.layout, options);
  if (status.ok()) status = internal::SizeForOptions(options.layout, num_keys, options, &sizing);
  if (!status.ok()) return status;
  *image_bytes = ImageBytesFor(options, sizing);
  if (peak_memory != nullptr) *peak_memory = *image_bytes + ChunkMemoryFor(num_keys);
  return Status();
}

void FilterBuilder::BuildBody(const Sizing& sizing, uint8_t* body) const noexcept {
  internal::ProbeState state;
  internal::BindBody(*internal::FindLayout(sizing.layout), body, sizing.body_bytes, sizing.num_probes, &state);
  for (Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    const bool last = chunk == current_;
    const uint64_t n = last ? static_cast<uint64_t>(tail_ - chunk->hashes()) : chunk->capacity();
    state.kernels->insert_batch(state, chunk->hashes(), n, nullptr);
    if (last) break;
  }
}

void FilterBuilder::Finished(const Sizing& sizing) noexcept {
  sizing_ = sizing;
  Reset();
}

Status FilterBuilder::FinishTo(void* out, size_t size, size_t* written) noexcept {
  Sizing sizing;
  const Status status = SizeNow(&sizing);
  if (!status.ok()) return status;
  const uint64_t image_bytes = ImageBytesFor(options_, sizing);
  if (size < image_bytes) return internal::BufferTooSmall(size, image_bytes);
  if (chunk_memory_ + image_bytes > options_.memory_limit) {
    return internal::OverLimit(chunk_memory_ + image_bytes, options_.memory_limit);
  }
  uint8_t* const body = static_cast<uint8_t*>(out);
  memset(body, 0, static_cast<size_t>(sizing.body_bytes));
  BuildBody(sizing, body);
  internal::WriteTrailer(TrailerFor(options_, sizing), body, body + sizing.body_bytes);
  if (written != nullptr) *written = static_cast<size_t>(image_bytes);
  Finished(sizing);
  return status;
}

Status FilterBuilder::WriteImage(const Sink& sink, Sizing* sizing) const noexcept {
  Status status = SizeNow(sizing);
  if (!status.ok()) return status;
  const uint64_t peak = chunk_memory_ + ImageBytesFor(options_, *sizing);
  if (peak > options_.memory_limit) return internal::OverLimit(peak, options_.memory_limit);
  const size_t body_bytes = static_cast<size_t>(sizing->body_bytes);
  uint8_t* const body =
      body_bytes == 0 ? nullptr : static_cast<uint8_t*>(internal::AllocateZeroed(options_.allocator, body_bytes));
  if (body == nullptr && body_bytes != 0) return internal::OutOfMemory(sizing->body_bytes);
  BuildBody(*sizing, body);
  status = internal::WriteToSink(TrailerFor(options_, *sizing), body, options_.allocator, sink);
  internal::Deallocate(options_.allocator, body, body_bytes);
  return status;
}

Status FilterBuilder::FinishToSink(const Sink& sink) noexcept {
  Sizing sizing;
  const Status status = WriteImage(sink, &sizing);
  if (status.ok()) Finished(sizing);
  return status;
}

Status FilterBuilder::FinishToFile(const char* path) noexcept {
  AtomicFile file;
  Sizing sizing;
  Status status = file.Create(path);
  if (status.ok()) status = WriteImage(file.sink(), &sizing);
  if (status.ok()) status = file.Commit();
  if (!file.status().ok()) return file.status();  // the system's reason, not the sink's
  if (status.ok()) Finished(sizing);
  return status;
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
